/* quality.h - the quality of served answers, beside their speed.
 *
 * Another number format answers faster, and perhaps worse. Quality (accuracy, perplexity, KL
 * divergence; v_quality) belongs to a model in a number format: a value of it, from any run, counts
 * for all speeds of that model in that format. Each value names its yardstick: corpus, context,
 * judge. Results of MLPerf have the quality that their benchmark demands, relative to its
 * reference.
 */
#ifndef ABDB_COMPARE_QUALITY_H
#define ABDB_COMPARE_QUALITY_H

#include "query/compare/compare.h"

/* Do both sides, outside of MLPerf, serve one model in two number formats? */
bool abdb_sides_differ_in_format_alone(abdb_side a, abdb_side b);
/* "perplexity 6.23 (wikitext-2, context 512)" of the first member of a side, several joined by
 * "; "; else "unknown". From arena. */
ABDB_MUST_USE abdb_status abdb_describe_quality_of_side(abdb_side side, sqlite3 *db,
                                                        const char **out, abdb_arena *arena,
                                                        abdb_error *err);
/* Leaves out members (why) that are not known to keep a condition such as "accuracy>=0.99".
 * ABDB_USAGE: it is none. */
ABDB_MUST_USE abdb_status abdb_set_require_quality(abdb_set *set, sqlite3 *db,
                                                   const char *condition, abdb_error *err);

#endif
