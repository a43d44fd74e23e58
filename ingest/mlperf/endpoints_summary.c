/* endpoints_summary.c - results of the MLPerf Endpoints client; see endpoints_summary.h.
 *
 * How real files disagree: of Offline, ttft and tpot are empty objects; the load is a rate, a
 * concurrency, or neither; the rates belong to a shorter window where
 * use_legacy_loadgen_qps_metrics is set. Times are nanoseconds. Histograms are omitted. */
#include "ingest/mlperf/endpoints_summary.h"

#include <stdio.h>
#include <string.h>

#include "ingest/read/flat_records.h"

/* Adds a number or text under key; anything else (null, an object) is none. */
static abdb_status append_json_scalar_as_text_or_skip(abdb_mlperf_values *out, const char *key,
                                                      const json_t *value, abdb_error *err)
{
    char number[32];

    if (json_is_string(value))
        return abdb_mlperf_append_trimmed_value_or_count_lost(out, key, json_string_value(value),
                                                              err);
    if (json_is_boolean(value))
        return abdb_mlperf_append_trimmed_value_or_count_lost(
            out, key, json_is_true(value) ? "true" : "false", err);
    if (!json_is_number(value)) return ABDB_OK;
    abdb_format_shortest_double(json_number_value(value), number);
    return abdb_mlperf_append_trimmed_value_or_count_lost(out, key, number, err);
}

/* One of the three latencies: head and tail make the names that LoadGen's logs have, with the
 * statistic between; TPOT's min, max and mean have names of their own there. */
static abdb_status
add_latency_statistics_under_loadgen_keys(abdb_mlperf_values *out, const json_t *object,
                                          const char *percentile_key_prefix, const char *key_suffix,
                                          const char *mean_and_extremes_key_prefix, abdb_error *err)
{
    static const struct {
        const char *from, *to;
    } names[] = {{"min", "min"}, {"max", "max"}, {"avg", "mean"}};
    json_t *percentiles = json_object_get(object, "percentiles"), *value;
    const char *name;
    char key[100];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(key, sizeof key, "%s%s%s", mean_and_extremes_key_prefix, names[i].to,
                 strcmp(percentile_key_prefix, mean_and_extremes_key_prefix) == 0 ? key_suffix
                                                                                  : "");
        TRY(append_json_scalar_as_text_or_skip(out, key, json_object_get(object, names[i].from),
                                               err));
    }
    json_object_foreach(percentiles, name, value)
    {
        double percent;

        if (!abdb_double_parse(name, ABDB_MARK_POINT, &percent)) continue;
        snprintf(key, sizeof key, "%s%.2f_percentile%s", percentile_key_prefix, percent,
                 key_suffix);
        TRY(append_json_scalar_as_text_or_skip(out, key, value, err));
    }
done:
    return st;
}

abdb_status abdb_mlperf_append_values_of_endpoints_summary(abdb_mlperf_values *out,
                                                           const abdb_input *in, abdb_error *err)
{
    static const struct {
        const char *from, *to;
    } plain[] = {{"qps", "qps"},
                 {"tps", "tps"},
                 {"n_samples_issued", "requests"},
                 {"n_samples_failed", "failed_requests"},
                 {"n_samples_completed", "result_query_count"},
                 {"version", "endpoints_version"}};
    static const struct {
        const char *from, *to;
    } load[] = {{"type", "load_pattern"},
                {"target_qps", "requested_server_target_qps"},
                {"target_concurrency", "target_concurrency"}};
    const json_t *pattern;
    json_t *root = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    if (!json_is_number(json_object_get(root, "qps")))
        TRY(ABDB_FAIL(err, ABDB_DATA, "line 1: no \"qps\", which the Endpoints client writes"));
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        TRY(append_json_scalar_as_text_or_skip(out, plain[i].to,
                                               json_object_get(root, plain[i].from), err));
    pattern = json_object_get(json_object_get(root, "run_config"), "load_pattern");
    for (size_t i = 0; i < sizeof load / sizeof load[0]; i++)
        TRY(append_json_scalar_as_text_or_skip(out, load[i].to,
                                               json_object_get(pattern, load[i].from), err));
    if (!json_is_true(json_object_get(root, "complete")))
        TRY(abdb_mlperf_append_trimmed_value_or_count_lost(out, "result_validity", "INVALID", err));
    TRY(add_latency_statistics_under_loadgen_keys(out, json_object_get(root, "latency"), "result_",
                                                  "_latency_ns", "result_", err));
    TRY(add_latency_statistics_under_loadgen_keys(out, json_object_get(root, "ttft"),
                                                  "result_first_token_", "_latency_ns",
                                                  "result_first_token_", err));
    TRY(add_latency_statistics_under_loadgen_keys(out, json_object_get(root, "tpot"),
                                                  "result_time_per_output_token_", "_ns",
                                                  "result_time_to_output_token_", err));
done:
    json_decref(root);
    return st;
}

abdb_status abdb_mlperf_append_accuracy_of_endpoints_file(abdb_mlperf_values *out,
                                                          const abdb_input *in, abdb_error *err)
{
    json_t *root = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    TRY(append_json_scalar_as_text_or_skip(out, "accuracy",
                                           json_object_get(root, "average_accuracy"), err));
done:
    json_decref(root);
    return st;
}
