/* import_mlperf_log.c - one log of an MLPerf run by itself, outside of a round's folders: what
 * people have who run LoadGen or a training benchmark themselves. See mlperf_log.h and round.h. */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "ingest/mlperf/round.h"
#include "ingest/read/lines.h"

static bool is_summary(const abdb_input *in)
{
    return lines_begin(in, "MLPerf Results Summary") && lines_begin(in, "SUT name");
}

/* Is there a line that a logger wrote: a JSON object with a key behind the mark? Programs that
 * write or read such lines hold the mark alone. *training: it is one of a training run. */
static bool is_logged(const abdb_input *in, bool *training)
{
    const char *end = in->text + (in->text_size < BID_SIZE ? in->text_size : BID_SIZE);
    bool logged = false;

    *training = false;
    for (const char *s = in->text; (s = memmem(s, (size_t)(end - s), ":::MLLOG", 8)); s++) {
        const char *stop = memchr(s, '\n', (size_t)(end - s)), *key;
        json_t *object = json_loadb(s + 8, (size_t)((stop ? stop : end) - s - 8),
                                    JSON_DECODE_INT_AS_REAL | JSON_DISABLE_EOF_CHECK, NULL);

        key = json_string_value(json_object_get(object, "key"));
        logged = logged || key;
        *training =
            key && (strcmp(key, "submission_benchmark") == 0 || strcmp(key, "run_start") == 0);
        json_decref(object);
        if (*training) break;
    }
    return logged;
}

static int bid(const abdb_input *in)
{
    bool training;

    if (is_summary(in) || is_logged(in, &training)) return 85;
    return in->text_size > 6 && strncmp(in->text, "\"pid\":", 6) == 0 ? 80 : 0;
}

static abdb_status read_log(const abdb_input *in, const abdb_words *words, const abdb_sink *sink,
                            abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_mlperf_values values = {.arena = &arena};
    char reason[200] = "";
    bool summary = is_summary(in), training = false;
    abdb_status st = ABDB_OK;

    if (!summary && is_logged(in, &training) && training) {
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
    "mlperf-log", "one log of LoadGen or of an MLPerf training run (--set model=...)", 2, NULL, bid,
    read_log};
