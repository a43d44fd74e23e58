/* round_power.c - power and energy of a result folder, from the meter's samples; see round.h.
 *
 * As the submission checkers of v1.0 to v5.1 have it: the mean of the samples strictly between
 * power_begin and power_end is the power; that is the official figure of Offline and Server. Of
 * streams it is the energy of a query: mean power times duration, by the queries that were
 * issued. LoadGen counts them since v2.0; before, SingleStream's are its rate with overhead
 * times the duration, and MultiStream's the generated ones. MultiStream inferred from SingleStream
 * is eight queries. In v1.0 meter and LoadGen wrote the time of their own places, since v1.1 UTC.
 */
#include <stdio.h>
#include <string.h>

#include "ingest/mlperf/figure_rules.h"
#include "ingest/mlperf/round.h"

enum { INFERRED_QUERIES = 8 };

static const char meter_file[] = "performance/run_1/spl.txt";

bool abdb_round_has_power_log(const abdb_round_folder *folder)
{
    return abdb_round_values_of_file(folder, meter_file) != NULL;
}

static double log_number_or_zero(const abdb_run_log *log, const char *key)
{
    const char *text = abdb_run_log_get_value_detail_first(log, key);
    double value;

    return text && abdb_double_parse(text, ABDB_MARK_POINT, &value) ? value : 0;
}

/* Milliseconds that a clock of this folder is behind UTC; 0: it is UTC, or unknown. */
static double clock_lag_behind_utc_ms(const abdb_round_folder *f, const char *member)
{
    const char *text =
        abdb_mlperf_get_first_value(abdb_round_values_of_file(f, member), "timezone");
    double seconds;

    if (!f->round || strcmp(f->round, "v1.0") != 0 || !text ||
        !abdb_double_parse(text, ABDB_MARK_POINT, &seconds))
        return 0;
    return 1000 * seconds;
}

/* Queries of the run, or 0. */
static double count_run_queries(const abdb_run_log *log, double duration_s)
{
    const char *ran = abdb_run_log_get_value_detail_first(log, "effective_scenario");

    if (abdb_run_log_get_value_detail_first(log, "result_query_count"))
        return log_number_or_zero(log, "result_query_count");
    if (abdb_scenario_names_equal_loosely(ran, "SingleStream"))
        return log_number_or_zero(log, "result_qps_with_loadgen_overhead") * duration_s;
    return log_number_or_zero(log, "generated_query_count") *
           log_number_or_zero(log, "generated_samples_per_query");
}

void abdb_round_add_mean_power_and_energy(abdb_entry *entry, const abdb_round_folder *f,
                                          const abdb_run_log *log, bool inferred)
{
    const abdb_mlperf_values *meter = abdb_round_values_of_file(f, meter_file);
    double begin, end, ahead, sum = 0, n = 0, count;
    abdb_result *result;

    if (!meter ||
        !abdb_mlperf_parse_timestamp_to_epoch_ms(
            abdb_run_log_get_value_detail_first(log, "power_begin"), &begin) ||
        !abdb_mlperf_parse_timestamp_to_epoch_ms(
            abdb_run_log_get_value_detail_first(log, "power_end"), &end))
        return;
    /* The meter hangs on the power server, LoadGen runs on the client: the difference of their
     * clocks brings the samples onto LoadGen's time. */
    ahead = clock_lag_behind_utc_ms(f, "performance/power/server.json") -
            clock_lag_behind_utc_ms(f, "performance/power/client.json");
    for (size_t i = 0; i < meter->powers; i++) {
        double t = meter->power[i].t_ms + ahead;

        if (t <= begin || t >= end) continue;
        sum += meter->power[i].watts;
        n++;
    }
    result = n > 0 && sum > 0 ? abdb_entry_add_result_or_count_left_out(entry, "power_w", sum / n)
                              : NULL;
    if (!result) return;
    result->n = (long long)n;
    result->formula = "mlperf-mean-power@1";
    count = count_run_queries(log, (end - begin) / 1000);
    if (!(count > 0) || (!abdb_scenario_names_equal_loosely(f->scenario, "SingleStream") &&
                         !abdb_scenario_names_equal_loosely(f->scenario, "MultiStream")))
        return;
    result = abdb_entry_add_result_or_count_left_out(entry, "energy_j",
                                                     /* W x s / queries = J per query. */
                                                     (inferred ? INFERRED_QUERIES : 1) * sum / n *
                                                         (end - begin) / 1000 / count);
    if (!result) return;
    result->n = (long long)n;
    result->formula = "mlperf-query-energy@1";
}
