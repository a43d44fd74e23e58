/* choose_filter.h - shared by the files of a choice: its suitable and its omitted results.
 */
#ifndef ABDB_COMPARE_CHOOSING_H
#define ABDB_COMPARE_CHOOSING_H

#include "query/compare/choose.h"
#include "query/compare/price_offers.h"

typedef struct {
    const abdb_choose_options *o;
    sqlite3 *db;
    abdb_table offers;
    double days; /* the oldest price that counts; NAN: any */
} abdb_choose_context;

/* Does the offer in that row count for the device: is it its own, recent enough, and of the tier
 * that was chosen? The reader's own quotes are of every tier. */
bool abdb_offer_counts(const abdb_system_choice *c, const abdb_choose_context *s, size_t offer_row,
                       const char *device);
/* The rate of one system, or the time that a training takes on it. */
double abdb_system_rate_or_training_time(const abdb_system_choice *c, size_t member);
/* Can the result be multiplied, and is it of the device, in time and within the latency limits?
 * device NULL: of any. */
bool abdb_result_meets_request(const abdb_system_choice *c, const abdb_choose_options *o,
                               size_t member, const char *device);
bool abdb_result_has_value_devices_needed_watts(const abdb_system_choice *c, size_t member);
void abdb_system_choice_record_left_out(abdb_system_choice *c, const char *name, const char *why,
                                        size_t n);

/* Leaves out, by name and cost, the purchases that cost more an hour; NAN: none. */
void abdb_leave_out_purchases_above_usd_per_hour(abdb_system_choice *c, double usd_per_hour_most);

#endif
