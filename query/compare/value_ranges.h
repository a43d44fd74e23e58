/* value_ranges.h - how often each value of a ranking or of a pair is best while its rate, price,
 * power and utilisation vary (first_places.h), and the multiple at which the best no longer is.
 *
 * A value is multiplied by its rate (of times: by the time); per dollar it is divided by the price,
 * and multiplied by the utilisation of the paid hours; per watt it is divided by the power. By
 * evidence a rate ranges from the worst to the best result that the value stands for, and a price
 * from the cheapest to the dearest offer that counts.
 */
#ifndef ABDB_COMPARE_VALUE_RANGES_H
#define ABDB_COMPARE_VALUE_RANGES_H

#include "query/compare/first_places.h"

typedef struct {
    abdb_choice_ranges ranges;
    const char *words; /* as they were given; NULL: nothing varies */
    unsigned long long seed;
} abdb_range_question;

/* share[i]: the fraction of the draws in which row i of a ranking is the best of its group; NAN of
 * rows that are unlike the first. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_simulate_ranking_first_shares(const abdb_ranking *r,
                                                             const abdb_range_question *question,
                                                             double *share, abdb_error *err);
/* The same of the contender of a pair. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_simulate_contender_first_share(const abdb_comparison *c,
                                                              const abdb_pair *pair,
                                                              const abdb_range_question *question,
                                                              double *share, abdb_error *err);
/* Adds "price alone: at 1.25 times that of FIRST, SECOND is first" for each input on which values
 * per `per` depend; first and second: the values of the best two. */
void abdb_note_multiples_losing_first_value(const char *per, const char *first_name, double first,
                                            const char *second_name, double second, bool is_time,
                                            abdb_table *t);
/* Adds the number of draws, their seed and their ranges as a note. */
void abdb_note_range_question(const abdb_range_question *question, abdb_table *t);
/* Adds that note and, of a ranking of one group, the multiples at which the second row is first. */
void abdb_note_ranking_ranges(const abdb_range_question *question, const abdb_ranking *r,
                              abdb_table *t);

#endif
