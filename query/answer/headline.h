/* headline.h - one sentence about the rows of a figure.
 *
 * The head of a figure defines the comparison, `# ranks: VALUE NAME`: for each NAME the best
 * number in column VALUE (the lowest, where `low` follows), among rows that meet these conditions
 *   in COLUMN         its cell is equal to the last row's cell (the latest round, for example)
 *   of COLUMN=TEXT    its cell is that text
 *   unless COLUMN     its cell is empty (nothing is in doubt)
 * and sentences, `# finding: words`. The first sentence with a value for all its {words} is used:
 *   {COLUMN}          the text of the column's cells, where all these rows agree
 *   {PARAMETER}       of the report: its value
 *   {min COLUMN}, {max COLUMN}   of the rows with a number there
 *   {count}, {all}    names that are ranked, where there are two or more; rows that are drawn
 *   {leader} {best}   the first and its number; none where the first and the second are the same
 *                     number as printed, where a rule refuses to compare the two
 *                     (abdb_compare), or where there is no second
 *   {first COLUMN}    the cell of the first, or of the only one
 *   {second} {gap}    the next, and by how much it is behind: "9 %", "under 1 %"
 *   {rival} {rival_gap}   the best that another vendor makes, where the second is the leader's;
 *                     others may rank between, so the sentence names it as another vendor's
 *   {tied}            the names that share the first place, two or more: "A and B"
 *   {only}            the one name, where there is no second
 * A name in a row marked as not verified is followed by "(unverified)".
 */
#ifndef ABDB_QUERY_FINDING_H
#define ABDB_QUERY_FINDING_H

#include "plots/figure.h"
#include "query/answer/report.h"

typedef struct {
    const char *sentence; /* NULL: no sentence has a value for all its words */
    const char *subtitle; /* NULL: the figure has none */
    const char *note;     /* why there is no leader, where a rule refuses it; or NULL */
} abdb_headline;

/* The words, from the table's arena. value: of the report's parameters, given or by default.
 * vendor: of each row's device, or NULL. ABDB_FORMAT: the head names a column that the report does
 * not have. */
ABDB_MUST_USE abdb_status abdb_headline_from_table(
    abdb_headline *out, abdb_db *db, const abdb_figure *figure, const abdb_report *report,
    const char *const *value, const char *const *vendor, abdb_table *table, abdb_error *err);
/* A number in words: "14.3 thousand", "1.02 million", "437", "0.78". out has 40 bytes. */
void abdb_format_number_with_scale_word(double number, char out[40]);
/* Round and verification of the results behind the rows, and who states them: a line, from the
 * table's arena; "" where the rows name no facts. */
ABDB_MUST_USE abdb_status abdb_describe_verification_and_sources(const char **out, abdb_db *db,
                                                                 abdb_table *table,
                                                                 abdb_error *err);

#endif
