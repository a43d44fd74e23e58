/* import_hyperfine.c - hyperfine --export-json: wall time of commands, with every run.
 *
 * Times are in seconds whatever the console showed. Commands are the workload; parameters of a scan
 * are an object, and factors (parameters.threads). A command that ended with another exit code than
 * 0, or was killed (null), was timed all the same (--ignore-failure): it failed. No file names a
 * device. The
 * input row is an element of "results".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_records.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_settings settings; /* what the file says beside the commands */
    abdb_arena arena;
} state;

static int hyperfine_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"results\"|\"command\"|\"mean\"|\"stddev\"") ? 85
                                                                                                : 0;
}

/* How many runs of a command did not exit with 0; *runs: of how many. */
static size_t count_runs_with_nonzero_exit(const abdb_flat_record *r, size_t *run_count)
{
    const json_t *codes = json_object_get(r->object, "exit_codes"), *code;
    size_t i, failed = 0;

    *run_count = json_array_size(codes);
    json_array_foreach(codes, i, code)
    {
        failed += !json_is_number(code) || json_number_value(code) != 0;
    }
    return failed;
}

/* Parameters of a scan; one that is called as a factor of this importer keeps its prefix. */
static void add_parameter_factors(abdb_entry *entry, const abdb_flat_record *r, abdb_arena *a)
{
    json_t *parameters = json_object_get(r->object, "parameters"), *value;
    const char *name;

    json_object_foreach(parameters, name, value)
    {
        const char *text = json_string_value(value);
        bool taken = strcmp(name, "user_s") == 0 || strcmp(name, "system_s") == 0 ||
                     strcmp(name, "sample_unit") == 0;

        if (json_is_number(value)) text = abdb_arena_printf(a, "%.17g", json_number_value(value));
        abdb_entry_add_factor_parsing_number(
            entry, taken ? abdb_arena_printf(a, "parameter_%s", name) : name, text);
    }
}

/* Lists beside the times of the runs. */
static const char *const noise[] = {"memory_usage_byte.count", "exit_codes.count", NULL};

/* Imports one command: mean with deviation, median, least and largest time, every run as a sample.
 * A failed run marks the entry. */
static abdb_status import_or_reject_hyperfine_command(void *self, const abdb_flat_record *r,
                                                      abdb_error *err)
{
    static const char *const statistics[] = {"median", "min", "max"};
    state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    double sd = abdb_flat_number_or_nan_note_doubt(r, "stddev");
    abdb_result *result;
    size_t runs, failed;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    result = abdb_entry_add_printed_result_or_count_left_out(
        entry, "time_s", "mean", abdb_flat_text_or_null_mark_asked(r, "mean"),
        abdb_flat_decimal_mark(r, "mean"), "s");
    for (size_t i = 0; i < sizeof statistics / sizeof statistics[0]; i++)
        abdb_entry_add_printed_result_or_count_left_out(
            entry, "time_s", statistics[i], abdb_flat_text_or_null_mark_asked(r, statistics[i]),
            abdb_flat_decimal_mark(r, statistics[i]), "s");
    if (!result || !abdb_flat_text_or_null_mark_asked(r, "command")) {
        TRY(abdb_flat_reject_and_end_row(
            s->sink, r, result ? "command" : "mean",
            result ? "no command" : "no time: missing, zero or no number", err));
        goto done;
    }
    if (!abdb_flat_set_result_samples_in_base_unit(result, r, "times", "s", &a))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "samples"));
    if (isfinite(sd)) {
        result->low = result->value - sd;
        result->high = result->value + sd;
        result->spread = "sd";
    }
    abdb_entry_set_measured_run(entry, "hyperfine", abdb_flat_text_or_null_mark_asked(r, "command"),
                                r->locator, 0);
    failed = count_runs_with_nonzero_exit(r, &runs);
    if (failed) {
        entry->field[ABDB_FIELD_verified] = "fail";
        abdb_entry_add_mark_and_problem(entry, "failed", "%zu of %zu runs failed", failed, runs);
    }
    add_parameter_factors(entry, r, &a);
    abdb_entry_add_factor_parsing_number(entry, "sample_unit",
                                         "process"); /* each time is of a process of its own */
    abdb_entry_add_factor_parsing_number(entry, "user_s",
                                         abdb_flat_text_or_null_mark_asked(r, "user"));
    abdb_entry_add_factor_parsing_number(entry, "system_s",
                                         abdb_flat_text_or_null_mark_asked(r, "system"));
    abdb_flat_add_unread_values_as_factors(entry, r, noise, &a);
    abdb_entry_add_settings_as_factors(entry, &s->settings, noise, &a);
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* Imports each command of the document, with its other members as factors. */
static abdb_status import_hyperfine_commands(const abdb_input *in, const abdb_overrides *overrides,
                                             const abdb_sink *sink, abdb_error *err)
{
    static const char *const members[] = {"results.count", NULL};
    state s = {.words = overrides, .sink = sink};
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_append_root_members_to_settings(&s.settings, in, members, &s.arena, err));
    TRY(abdb_flat_deliver_objects_of_json_member(in, "results", import_or_reject_hyperfine_command,
                                                 &s, err));
done:
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_hyperfine = {"hyperfine",
                                             "hyperfine --export-json: commands with every run",
                                             3,
                                             NULL,
                                             hyperfine_bid,
                                             import_hyperfine_commands};
