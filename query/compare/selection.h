/* selection.h - the grammar by which people pick rows: `column OP value`, several joined by ','.
 *
 * OP is one of = != < <= > >= ~ (glob). A value may be quoted by '...' or "..."; then it may hold
 * commas, and the quote itself where it is doubled. Numbers compare as numbers. Where `words` is
 * set, a word alone may stand for a condition: its column is NULL until selection_spelling.h finds
 * it.
 */
#ifndef ABDB_QUERY_SELECTION_H
#define ABDB_QUERY_SELECTION_H

#include "query/answer/table.h"

enum { ABDB_CONDITION_MAX = 32 };

typedef struct {
    const char *column, *op, *value;
} abdb_condition;

typedef struct {
    bool words; /* a word alone may stand */
    size_t count;
    abdb_condition condition[ABDB_CONDITION_MAX];
    abdb_arena arena;
} abdb_selection;

/* Adds the conditions of text. ABDB_USAGE: not of that grammar. */
ABDB_MUST_USE abdb_status abdb_selection_parse_and_append(abdb_selection *out, const char *text,
                                                          abdb_error *err);
/* Adds column='value' to a text of that grammar, with a comma before it where there is some. */
void abdb_append_quoted_equal_condition(abdb_text *out, const char *column, const char *value);
/* Do all conditions hold for a row? ABDB_USAGE: the table has no such column (the nearest is
 * named). */
ABDB_MUST_USE abdb_status abdb_row_meets_selection(const abdb_selection *selection,
                                                   const abdb_table *table, size_t row, bool *out,
                                                   abdb_error *err);
void abdb_selection_free(abdb_selection *selection);
/* SQL's word for the operator of a condition; NULL differs from every value. */
const char *abdb_condition_sql_operator(const abdb_condition *c);
/* Does the column of v_comparable or v_statement compare as a number? */
bool abdb_is_listed_numeric_column(const char *column);
/* Is it a condition on rounds in their order (round>=v9.0)? Then round_order is compared with
 * *order: v10.0 comes after v9.0. */
bool abdb_condition_is_round_bound_parse_order(const abdb_condition *c, double *order);

#endif
