/* import_hyperfine.c - hyperfine --export-json: wall time of commands, with every run.
 *
 * Times are in seconds whatever the console showed. Commands are the workload; parameters of a scan
 * are an object and stay in the command's text. A command that ended with another exit code than 0
 * was timed all the same (--ignore-failure): its verification failed. No file names a device. The
 * input row is an element of "results".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_records.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
} state;

static int hyperfine_bid(const abdb_input *in)
{
    return abdb_flat_has_value_names(in, "\"results\"|\"command\"|\"mean\"|\"stddev\"") ? 85 : 0;
}

/* Runs that ended with another code than 0, or, null in the file, by a signal. */
static size_t count_failed_runs(const abdb_flat_record *r, size_t *runs)
{
    json_t *record = json_loads(r->raw, 0, NULL);
    const json_t *codes = json_object_get(record, "exit_codes");
    size_t failed = 0;

    *runs = json_array_size(codes);
    for (size_t i = 0; i < *runs; i++) {
        const json_t *code = json_array_get(codes, i);

        failed += !json_is_integer(code) || json_integer_value(code) != 0;
    }
    json_decref(record);
    return failed;
}

static abdb_status import_hyperfine_record(void *self, const abdb_flat_record *r, abdb_error *err)
{
    static const char *const statistics[] = {"median", "min", "max"};
    state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    double sd = abdb_flat_number_or_nan(r, "stddev");
    size_t runs, failed = count_failed_runs(r, &runs);
    abdb_result *result;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    result = abdb_entry_add_printed_result(
        entry, "time_s", "mean", abdb_flat_text_or_null(r, "mean"), abdb_flat_mark(r, "mean"), "s");
    for (size_t i = 0; i < sizeof statistics / sizeof statistics[0]; i++)
        abdb_entry_add_printed_result(entry, "time_s", statistics[i],
                                      abdb_flat_text_or_null(r, statistics[i]),
                                      abdb_flat_mark(r, statistics[i]), "s");
    if (!result || !abdb_flat_text_or_null(r, "command")) {
        TRY(abdb_flat_reject_and_end_row(
            s->sink, r, result ? "command" : "mean",
            result ? "no command" : "no time: missing, zero or no number", err));
        goto done;
    }
    if (!abdb_flat_set_result_samples(result, r, "times", "s", &a))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "samples"));
    if (isfinite(sd)) {
        result->low = result->value - sd;
        result->high = result->value + sd;
        result->spread = "sd";
    }
    abdb_entry_set_measured_run(entry, "hyperfine", abdb_flat_text_or_null(r, "command"),
                                r->locator, 0);
    if (failed) {
        entry->field[ABDB_FIELD_verified] = "fail";
        abdb_entry_add_mark_and_problem(entry, "failed", "%zu of %zu runs failed", failed, runs);
    }
    abdb_entry_add_factor(entry, "sample_unit",
                          "process"); /* each time is of a process of its own */
    abdb_entry_add_factor(entry, "user_s", abdb_flat_text_or_null(r, "user"));
    abdb_entry_add_factor(entry, "system_s", abdb_flat_text_or_null(r, "system"));
    abdb_entry_apply_overrides(entry, s->words);
    TRY(s->sink->entry(s->sink->self, entry, err));
    TRY(s->sink->row_end(s->sink->self, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status read_hyperfine(const abdb_input *in, const abdb_overrides *overrides,
                                  const abdb_sink *sink, abdb_error *err)
{
    state s = {overrides, sink};

    return abdb_flat_read_json_member(in, "results", import_hyperfine_record, &s, err);
}

const abdb_importer abdb_import_hyperfine = {
    "hyperfine",   "hyperfine --export-json: commands with every run", 3, NULL, hyperfine_bid,
    read_hyperfine};
