/* import_mlperf_log.c - one log of an MLPerf run by itself, outside of a round's folders: what
 * people have who run LoadGen or a training benchmark themselves. See mlperf_log.h and round.h. */
#include <stdio.h>
#include <string.h>

#include "ingest/mlperf/round.h"
#include "ingest/read/lines.h"

static bool is_summary(const abdb_input *in)
{
    return lines_hold(in, "MLPerf Results Summary");
}

static bool is_training(const abdb_input *in)
{
    return lines_hold(in, "\"submission_benchmark\"") || lines_hold(in, "\"run_start\"");
}

static int bid(const abdb_input *in)
{
    if (is_summary(in)) return 85;
    if (lines_hold(in, ":::MLLOG")) return 85;
    return in->text_size > 6 && strncmp(in->text, "\"pid\":", 6) == 0 ? 80 : 0;
}

static abdb_status read_log(const abdb_input *in, const abdb_words *words, const abdb_sink *sink,
                            abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_mlperf_values values = {.arena = &arena};
    char reason[200] = "";
    bool summary = is_summary(in);
    abdb_status st = ABDB_OK;

    if (!summary && is_training(in)) {
        TRY(abdb_mlperf_read_training(&values, in, err));
        TRY(abdb_round_training_run(&values, words, sink, reason, err));
    } else {
        TRY((summary ? abdb_mlperf_read_summary : abdb_mlperf_read_detail)(&values, in, err));
        TRY(abdb_round_inference_run(&values, summary, words, sink, reason, err));
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
    "mlperf-log", "one log of LoadGen or of an MLPerf training run (--set model=...)", 1, NULL, bid,
    read_log};
