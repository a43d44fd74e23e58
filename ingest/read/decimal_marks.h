/* decimal_marks.h - the decimal mark of each column of a table, found in the table's own cells.
 *
 * "0.5" can only have a decimal point, "0,371", "34.988,10" and "3,022E+06" only a decimal comma;
 * "1,234" and "1.234" can have either, and decide nothing. A column without evidence of its own has
 * the mark of the other columns, if they agree.
 */
#ifndef ABDB_INGEST_DECIMAL_MARKS_H
#define ABDB_INGEST_DECIMAL_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/number.h"

enum { ABDB_MARK_COLUMNS = 512 };

/* Begin with one that is all zeros. */
typedef struct {
    unsigned char column[ABDB_MARK_COLUMNS]; /* which marks its cells must have */
    unsigned char file;                      /* of all columns that count for others */
} abdb_mark_evidence;

/* Notes a cell: one number, or words that begin with one ("12,5 W", "157,15 ± 0,17"). The
 * columns of versions, dates and lists give no evidence for other columns, nor does a cell like a
 * list ("0,1") where heading is NULL. */
void abdb_marks_add_evidence_of_cell(abdb_mark_evidence *evidence, size_t column,
                                     const char *heading, const char *cell);
/* The mark of a column: its own, else that of the file. */
abdb_decimal_mark abdb_marks_decide_for_column(const abdb_mark_evidence *evidence, size_t column,
                                               char delimiter);
/* The mark of numbers without a column. With ';' between cells, as spreadsheets write where the
 * comma is the decimal mark, a file without evidence may have either. */
abdb_decimal_mark abdb_marks_decide_for_file(const abdb_mark_evidence *evidence, char delimiter);
/* Can the text have a number that a mark makes doubtful? Else no search for evidence is needed. */
bool abdb_marks_text_may_have_commas_or_groups(const char *text, size_t size, char delimiter);

#endif
