/* training_log.c - MLLOG logs of training runs; see mlperf_log.h. Logs of several nodes repeat
 * run_start and run_stop, and an attempt that was cut off may stand before the one that counts. */
#include <string.h>

#include "ingest/mlperf/mllog_line.h"
#include "ingest/mlperf/training_v05_log.h"

static abdb_status replace_or_add_value(abdb_mlperf_values *out, const char *key, const char *text,
                                        abdb_error *err)
{
    for (size_t i = 0; i < out->pairs; i++)
        if (strcmp(out->pair[i].key, key) == 0) {
            out->pair[i].text = abdb_arena_copy(out->arena, text, strlen(text));
            return out->pair[i].text ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a log");
        }
    return abdb_mlperf_append_trimmed_value_or_count_lost(out, key, text, err);
}

/* Keeps an event of a training log: the first start, the last stop with its status and samples, the
 * last accuracy, and the first value of most other keys. */
static abdb_status store_training_event_by_first_or_last(abdb_mlperf_values *out, const char *key,
                                                         const json_t *object, abdb_error *err)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const char *text, *status;
    char number[32], time[32];
    abdb_status st = ABDB_OK;

    text = abdb_mlperf_scalar_to_text(json_object_get(object, "value"), number);
    if (!abdb_mlperf_scalar_to_text(json_object_get(object, "time_ms"), time)) return ABDB_OK;
    if (strcmp(key, "run_start") == 0) {
        if (!abdb_mlperf_get_first_value(out, "start_ms"))
            TRY(abdb_mlperf_append_trimmed_value_or_count_lost(out, "start_ms", time, err));
    } else if (strcmp(key, "run_stop") == 0) {
        TRY(replace_or_add_value(out, "stop_ms", time, err));
        status = json_string_value(json_object_get(metadata, "status"));
        if (status) TRY(replace_or_add_value(out, "status", status, err));
        text = abdb_mlperf_scalar_to_text(json_object_get(metadata, "samples_count"), number);
        if (text) TRY(replace_or_add_value(out, "samples_count", text, err));
    } else if (strcmp(key, "eval_accuracy") == 0) {
        if (text) TRY(replace_or_add_value(out, "eval_accuracy", text, err));
    } else if (text && strncmp(key, "tracked", 7) != 0 && strncmp(key, "train_loss", 10) != 0 &&
               !abdb_mlperf_get_first_value(out, key)) {
        TRY(abdb_mlperf_append_trimmed_value_or_count_lost(out, key, text, err));
    }
done:
    return st;
}

/* A log may hold several ranks, and attempts one after another: "init_start ... run_start ..."
 * without a run_stop, and again. One rank is followed, and of its attempts the one that counts. */
typedef struct {
    abdb_mlperf_values attempt, best;
    bool counting;   /* the first pass: which rank, how many starts and stops? */
    bool attempts;   /* several starts are attempts, not ranks without a prefix */
    long rank, line; /* rank: -1, lines without a prefix; line: where the attempt began */
    long starts, stops;
    bool initialised, again; /* since the last start; again: and another start behind it */
    bool restarted;          /* a start behind a stop */
} training_log;

static bool attempt_succeeded(const abdb_mlperf_values *attempt)
{
    const char *status = abdb_mlperf_get_first_value(attempt, "status");

    return abdb_mlperf_get_first_value(attempt, "stop_ms") &&
           (!status || strcmp(status, "success") == 0);
}

/* Of several attempts a successful one counts, else the last that came to an end. */
static abdb_status keep_best_attempt_and_start_next(training_log *log, abdb_error *err)
{
    const abdb_mlperf_values ended_attempt = log->attempt;
    bool succeeded = attempt_succeeded(&log->attempt);
    bool ended = abdb_mlperf_get_first_value(&log->attempt, "stop_ms") != NULL;
    abdb_status st = ABDB_OK;

    if (succeeded && attempt_succeeded(&log->best))
        return ABDB_FAIL(err, ABDB_DATA,
                         "line %ld: a second run begins, and both succeeded; a file holds one, so"
                         " cut it in two",
                         log->line);
    if (succeeded || !log->best.pairs || (ended && !attempt_succeeded(&log->best)))
        log->best = log->attempt;
    /* Submitter and benchmark are often logged before init_start. */
    log->attempt = (abdb_mlperf_values){.arena = ended_attempt.arena};
    for (size_t i = 0; i < ended_attempt.pairs && st == ABDB_OK; i++)
        if (strncmp(ended_attempt.pair[i].key, "submission_", 11) == 0)
            st = abdb_mlperf_append_trimmed_value_or_count_lost(
                &log->attempt, ended_attempt.pair[i].key, ended_attempt.pair[i].text, err);
    return st;
}

/* Counts starts and stops of the rank that starts first, and notes whether a start follows another
 * init or a stop: then the log has several attempts. */
static void count_starts_and_stops_of_first_rank(training_log *log, const text_line *line,
                                                 const char *key)
{
    if (strcmp(key, "run_start") == 0) {
        if (!log->starts) log->rank = line->rank;
        if (line->rank != log->rank) return;
        log->again |= log->starts && log->initialised;
        log->restarted |= log->stops > 0;
        log->initialised = false;
        log->starts++;
    } else if (line->rank == log->rank) {
        log->initialised |= strcmp(key, "init_start") == 0;
        log->stops += strcmp(key, "run_stop") == 0;
    }
}

/* Ends the attempt at hand where a line begins the next one: an init after a start, or a start
 * after a stop. The better of the two so far is kept. */
static abdb_status end_attempt_if_line_begins_another(training_log *log, const text_line *line,
                                                      const char *key, abdb_error *err)
{
    bool started = abdb_mlperf_get_first_value(&log->attempt, "start_ms") != NULL;
    bool stopped = abdb_mlperf_get_first_value(&log->attempt, "stop_ms") != NULL;
    bool begins =
        strcmp(key, "init_start") == 0 ? started : strcmp(key, "run_start") == 0 && stopped;

    if (!log->attempts || !begins) return ABDB_OK;
    log->line = line->number;
    return keep_best_attempt_and_start_next(log, err);
}

/* First pass (counting): counts starts and stops. Second pass: records the events of the rank that
 * started first. */
static abdb_status count_or_record_event_of_line(void *self, const text_line *line, abdb_error *err)
{
    training_log *log = self;
    json_t *object = NULL;
    const char *key;
    abdb_status st = ABDB_OK;

    if (log->counting && !strstr(line->text, "run_start") && !strstr(line->text, "run_stop") &&
        !strstr(line->text, "init_start"))
        return ABDB_OK;
    if (!log->counting && line->rank != log->rank && line->rank >= 0 && log->rank >= 0)
        return ABDB_OK;
    TRY(abdb_mlperf_parse_mllog_line(&object, line, err));
    if (!object) object = abdb_mlperf_parse_v05_or_v06_event(line->text);
    key = json_string_value(json_object_get(object, "key"));
    if (key && log->counting) {
        count_starts_and_stops_of_first_rank(log, line, key);
    } else if (key) {
        TRY(end_attempt_if_line_begins_another(log, line, key, err));
        TRY(store_training_event_by_first_or_last(&log->attempt, key, object, err));
    }
done:
    json_decref(object);
    return st;
}

abdb_status abdb_mlperf_read_training_log(abdb_mlperf_values *out, const abdb_input *in,
                                          abdb_error *err)
{
    training_log log = {.attempt = {.arena = out->arena}, .counting = true, .rank = -1};
    abdb_status st = ABDB_OK;

    TRY(lines_deliver_each_without_mark(in, count_or_record_event_of_line, &log, err));
    log.counting = false;
    log.attempts = log.restarted || (log.again && log.starts > log.stops);
    TRY(lines_deliver_each_without_mark(in, count_or_record_event_of_line, &log, err));
    TRY(keep_best_attempt_and_start_next(&log, err));
    *out = log.best;
    out->arena = log.attempt.arena;
done:
    return st;
}
