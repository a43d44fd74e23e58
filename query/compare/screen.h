/* screen.h - a comparison for people: who is compared, what they share, for each contender
 * what differs and by how much, what was refused and why. */
#ifndef ABDB_QUERY_COMPARE_SCREEN_H
#define ABDB_QUERY_COMPARE_SCREEN_H

#include "query/answer/report.h"
#include "query/compare/compare.h"

/* The comparison as one table with notes, for markdown, HTML and LaTeX. */
ABDB_MUST_USE abdb_status abdb_compare_people(const abdb_comparison *c, abdb_db *db,
                                              abdb_table *out, abdb_error *err);
/* The screen, with the MLPerf footnotes and what else stands at its end; brief: the rows, and how
 * many notes there are. */
ABDB_MUST_USE abdb_status abdb_compare_screen(const abdb_comparison *c, abdb_db *db,
                                              bool brief, FILE *out, abdb_error *err);

/* "12.3", scaled as *scale says; unit and number fit together. */
typedef struct {
    double factor;
    const char *prefix;
} abdb_scale;
/* The prefix that suits a value of this unit: TFLOP/s, ms; 1 where units take none. */
abdb_scale abdb_scale_of(double value, const char *unit);
void abdb_scaled(double value, abdb_scale scale, char out[32]);

#endif
