/* table_heading.h - guesses the meaning of a heading of a user's table, for drafts of maps.
 *
 * Only the heading's own words are certain. A heading with two meanings gets a question, and its
 * line in the draft is commented out.
 */
#ifndef ABDB_INGEST_TABLE_HEADING_H
#define ABDB_INGEST_TABLE_HEADING_H

#include <stdbool.h>
#include <stddef.h>

#include "ingest/tables/heading_units.h"
#include "schema/core/number.h"

enum { HEADING_SIZE = 160 };

typedef enum { HEADING_FACTOR, HEADING_METRIC, HEADING_SPEC, HEADING_PRICE } heading_kind;

typedef struct {
    heading_kind kind;
    const char *name; /* a metric, a quantity of a specification, or a factor whose name is known */
    char unit[HEADING_UNIT];
    const char *statistic, *dtype; /* or NULL */
    const char *options;           /* further words of the line, or "" */
    const char *question;          /* NULL: no doubt */
} heading_meaning;

/* A heading in lower case, words between single blanks, one at either end; "/" is " per ", and
 * "meanTtft" two words. */
void heading_fold_to_lowercase_words(const char *heading, char out[HEADING_SIZE]);
/* Is one of the words or phrases ('|' between them) in a folded heading? */
bool heading_has_any_word(const char *folded, const char *words);
/* Of a sheet of specifications, or of results? */
bool heading_speaks_of_specification(const char *folded);
bool heading_speaks_of_result(const char *folded);
/* What a column of numbers is. cell: its first one; mark: of the column; specification: the table
 * is a sheet of them. */
heading_meaning heading_find_meaning(const char *heading, const char *cell, abdb_decimal_mark mark,
                                     bool specification);

#endif
