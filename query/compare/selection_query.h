/* selection_query.h - a selection on its way to SQL: for condition_sql.c and selection_sql.c. */
#ifndef ABDB_QUERY_SELECTION_QUERY_H
#define ABDB_QUERY_SELECTION_QUERY_H

#include "query/compare/result_set.h"
#include "query/compare/selection.h"

/* The SQL query of a selection. */
typedef struct {
    sqlite3 *db;
    const abdb_normalisation *measure;
    abdb_text sql;
    abdb_binds binds;
    abdb_arena *arena;
    bool names_metric, names_quantity, names_statistic;
    size_t skip;      /* condition to leave out, to find the one that picks no row */
    bool any_metric;  /* to list the existing ones */
    const char *note; /* a name that was taken for a longer one; NULL: none was */
} abdb_selection_query;

/* Sets *yes if v_comparable has a column of that name. */
ABDB_MUST_USE abdb_status abdb_comparable_column_exists(sqlite3 *db, const char *name, bool *exists,
                                                        abdb_error *err);
/* Is it the name of a metric, with or without a statistic (ttft_s:p99)? */
bool abdb_is_metric_or_metric_statistic_name(const char *name);
/* Appends the SQL of one condition, of a column, a metric or a factor, and binds its value. The
 * right side has the type of the left: a number, a date or a text (condition_value.h). */
ABDB_MUST_USE abdb_status abdb_append_condition_sql(abdb_selection_query *q,
                                                    const abdb_condition *c, abdb_error *err);

#endif
