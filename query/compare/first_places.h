/* first_places.h - how often each candidate of a choice is first while its price, rate, power and
 * utilisation vary, and which of them, varied alone, changes the first place.
 *
 * Each draw multiplies every candidate's inputs, independently, by a number that is log-uniform in
 * its range; systems and offers are whole again, and the cheapest is first. With ABDB_BY_EVIDENCE a
 * price ranges from the device's cheapest to its dearest offer that counts, and a rate from the
 * lowest to the highest result of the device, per device, in the same group; a single offer or
 * result does not vary.
 */
#ifndef ABDB_COMPARE_FIRST_PLACES_H
#define ABDB_COMPARE_FIRST_PLACES_H

#include <stdint.h>

#include "query/compare/choose.h"

enum { ABDB_FIRST_PLACE_DRAWS = 10000 };

typedef enum {
    ABDB_VARY_PRICE,
    ABDB_VARY_RATE,
    ABDB_VARY_POWER,
    ABDB_VARY_UTILISATION, /* of the hours that are paid; at most 1 */
    ABDB_VARY_COUNT
} abdb_varied;

/* "price", "rate", "power", "utilisation" */
const char *abdb_varied_name(abdb_varied input);

typedef struct {
    double low[ABDB_VARY_COUNT], high[ABDB_VARY_COUNT]; /* multiples; 1 and 1: it does not vary */
    bool by_evidence;
} abdb_choice_ranges;

/* "evidence", or 'price=0.8..1.5,rate=0.9..1.1': multiples of the used values. ABDB_USAGE: another
 * word, or no range above 0. */
ABDB_MUST_USE abdb_status abdb_parse_choice_ranges(const char *text, abdb_choice_ranges *out,
                                                   abdb_error *err);
/* A number that is log-uniform between two; advances the state of the sequence (splitmix64). */
double abdb_draw_log_uniform(double low, double high, uint64_t *state);
/* share[i]: the fraction of the draws in which row i of the choice is first. The same seed gives
 * the same draws. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_simulate_first_place_shares(const abdb_system_choice *c,
                                                           const abdb_choose_options *o,
                                                           const abdb_choice_ranges *ranges,
                                                           unsigned long long seed, double *share,
                                                           abdb_error *err);
/* The multiple of one input of the first row at which another row becomes first, all else as it
 * is: of price and power from 1 upwards, of a rate and utilisation from 1 downwards. *next: that
 * row. NAN: none within a factor of a million. */
double abdb_find_multiple_losing_first_place(const abdb_system_choice *c,
                                             const abdb_choose_options *o, abdb_varied input,
                                             size_t *overtaking_row);

#endif
