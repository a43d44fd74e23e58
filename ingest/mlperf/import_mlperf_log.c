/* import_mlperf_log.c - one log of an MLPerf run by itself, outside of a round's folders, from
 * users who run LoadGen or a training benchmark themselves. See mlperf_log.h and round.h. */
#include <stdio.h>
#include <string.h>

#include "ingest/mlperf/mllog_json.h"
#include "ingest/mlperf/round.h"
#include "ingest/read/text_lines.h"

static bool is_loadgen_summary(const abdb_input *in)
{
    return lines_any_in_first_part_begins_with(in, "MLPerf Results Summary") &&
           lines_any_in_first_part_begins_with(in, "SUT name");
}

/* Is there a line that a logger wrote: a JSON object with a key behind the mark? Programs that
 * write or read such lines hold the mark alone. *training: it is one of a training run. */
static bool has_mllog_event_line(const abdb_input *in, bool *is_training_run)
{
    const char *end = in->text + (in->text_size < BID_SIZE ? in->text_size : BID_SIZE);
    bool logged = false;

    *is_training_run = false;
    for (const char *s = in->text; (s = memmem(s, (size_t)(end - s), ":::MLLOG", 8)); s++) {
        const char *stop = memchr(s, '\n', (size_t)(end - s)), *key;
        json_t *object =
            abdb_mllog_parse_object_leniently(s + 8, (size_t)((stop ? stop : end) - s - 8), NULL);

        key = json_string_value(json_object_get(object, "key"));
        logged = logged || key;
        *is_training_run =
            key && (strcmp(key, "submission_benchmark") == 0 || strcmp(key, "run_start") == 0);
        json_decref(object);
        if (*is_training_run) break;
    }
    return logged;
}

static int mlperf_log_bid(const abdb_input *in)
{
    bool training;

    if (is_loadgen_summary(in) || has_mllog_event_line(in, &training)) return 85;
    return in->text_size > 6 && strncmp(in->text, "\"pid\":", 6) == 0 ? 80 : 0;
}

/* Imports one log by itself: LoadGen's summary or detail log, or a training log where MLLOG lines
 * begin a training. What is missing for an entry is a reject that names it. */
static abdb_status import_or_reject_mlperf_log(const abdb_input *in,
                                               const abdb_overrides *overrides,
                                               const abdb_sink *sink, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_mlperf_values values = {.arena = &arena};
    char reason[200] = "";
    bool summary = is_loadgen_summary(in), training = false;
    abdb_status st = ABDB_OK;

    if (!summary && has_mllog_event_line(in, &training) && training) {
        TRY(abdb_mlperf_read_training_log(&values, in, err));
        TRY(abdb_mlperf_import_lone_training_log_or_explain(&values, overrides, sink, reason, err));
    } else {
        TRY((summary ? abdb_mlperf_append_values_of_summary_log
                     : abdb_mlperf_append_values_of_detail_log)(&values, in, err));
        TRY(abdb_mlperf_import_lone_inference_log_or_explain(&values, summary, overrides, sink,
                                                             reason, err));
    }
    if (*reason) {
        abdb_reject reject = {.reason = reason};

        TRY(sink->reject(sink->self, &reject, err));
    }
    TRY(sink->row_end(sink->self, err));
done:
    abdb_arena_free(&arena);
    return st;
}

const abdb_importer abdb_import_mlperf_log = {
    "mlperf-log",
    "one log of LoadGen or of an MLPerf training run (--set model=...)",
    3,
    NULL,
    mlperf_log_bid,
    import_or_reject_mlperf_log};
