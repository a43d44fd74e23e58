/* import_google_benchmark.c - google-benchmark JSON (--benchmark_format=json).
 *
 * How seven files disagree: old ones have no run_type, so that a row is a repetition; a row may be
 * an aggregate (mean, median, min, max are kept; stddev, cv and own ones are ignored), a fit of
 * complexity (BigO, RMS: ignored), or an error. Times are in time_unit, ns where it is missing.
 * Repetitions are rows of one name: each is an entry, a mean over its iterations. Counters stand
 * beside the program's own members, under any name: rates (bytes_per_second, items_per_second,
 * NAME_per_second with a NAME that abdb knows, FLOPS) are metrics with the row's statistic, others
 * are factors, and so is what "context" says of the machine. The device is the machine's processor,
 * which the file does not name. The input row is an element of "benchmarks".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_records.h"
#include "ingest/read/unknown_factor.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    const char *date, *host;
    abdb_settings context; /* all else that it says */
    abdb_arena arena;
} state;

static int google_benchmark_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"benchmarks\"|\"real_time\"") ||
                   abdb_flat_has_all_keys_or_columns(in, "\"benchmarks\"|\"run_type\"") ||
                   abdb_flat_has_all_keys_or_columns(in, "\"context\"|\"library_build_type\"")
               ? 85
               : 0;
}

/* A record's texts end with its handler's call; those of "context" are needed for all
 * benchmarks. */
static const char *copy_context_value(state *s, const abdb_flat_record *r, const char *name)
{
    const char *text = abdb_flat_text_or_null_mark_asked(r, name);

    return text ? abdb_arena_copy(&s->arena, text, strlen(text)) : NULL;
}

/* Keeps date and host of the context, and its other members as settings of every benchmark. */
static abdb_status store_context_date_host_and_settings(void *self, const abdb_flat_record *r,
                                                        abdb_error *err)
{
    state *s = self;

    (void)err;
    s->date = copy_context_value(s, r, "date");
    s->host = copy_context_value(s, r, "host_name");
    abdb_flat_append_unread_values_to_settings(&s->context, r, &s->arena);
    return ABDB_OK;
}

/* NULL: not a statistic that abdb keeps. */
static const char *statistic_of_benchmark_or_null(const abdb_flat_record *r)
{
    static const char *const known[] = {"mean", "median", "min", "max"};
    const char *type = abdb_flat_text_or_null_mark_asked(r, "run_type"),
               *name = abdb_flat_text_or_null_mark_asked(r, "aggregate_name");

    /* Before 1.5 a fit of complexity had no type. */
    if (!abdb_flat_text_or_null_mark_asked(r, "real_time") &&
        (abdb_flat_text_or_null_mark_asked(r, "big_o") ||
         abdb_flat_text_or_null_mark_asked(r, "rms")))
        return NULL;
    if (!type || strcmp(type, "aggregate") != 0) return "mean";
    for (size_t i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i]) == 0) return known[i];
    return NULL;
}

/* What the program prints in every row; the others are counters. */
static bool is_builtin_benchmark_member(const char *name)
{
    static const char *const own[] = {"name",
                                      "run_name",
                                      "run_type",
                                      "family_index",
                                      "per_family_instance_index",
                                      "repetitions",
                                      "repetition_index",
                                      "threads",
                                      "label",
                                      "iterations",
                                      "real_time",
                                      "cpu_time",
                                      "time_unit",
                                      "aggregate_name",
                                      "aggregate_unit",
                                      "big_o",
                                      "rms",
                                      "cpu_coefficient",
                                      "real_coefficient",
                                      "error_occurred",
                                      "error_message",
                                      "skipped",
                                      "skip_message",
                                      NULL};

    return abdb_text_is_in_list(name, own);
}

/* A rate that abdb has a metric for, in the metric's base unit; else a counter is a factor. */
static void add_counter_results_or_factors(abdb_entry *entry, const abdb_flat_record *r,
                                           const char *statistic, abdb_arena *arena)
{
    static const struct {
        const char *name, *metric, *unit;
    } rates[] = {
        {"bytes_per_second", "bytes_per_s", "B/s"},
        {"items_per_second", "items_per_s", "item/s"},
        {"tokens_per_second", "tokens_per_s", "token/s"},
        {"samples_per_second", "samples_per_s", "sample/s"},
        {"FLOPS", "flops_per_s", "FLOP/s"},
        {"FLOP/s", "flops_per_s", "FLOP/s"},
        {"flops_per_second", "flops_per_s", "FLOP/s"},
    };

    for (size_t i = 0; i < r->items; i++) {
        const char *name = r->item[i].name, *text = r->item[i].text;
        size_t k = 0;

        if (!text || is_builtin_benchmark_member(name)) continue;
        while (k < sizeof rates / sizeof rates[0] && strcmp(rates[k].name, name) != 0) k++;
        if (k < sizeof rates / sizeof rates[0])
            abdb_entry_add_printed_result_or_count_left_out(entry, rates[k].metric, statistic, text,
                                                            ABDB_MARK_UNKNOWN, rates[k].unit);
        else
            abdb_entry_add_renamed_extra_factor_unless_ignored(entry, name, text, ABDB_MARK_UNKNOWN,
                                                               NULL, arena);
    }
}

/* Of the context: a path, what other programs did just then, and the form of the file. */
static const char *const noise[] = {"executable", "load_avg.count", "json_schema_version", NULL};

/* One element of `benchmarks`: an iteration states the mean of its own loop, an aggregate its
 * statistic; aggregates that abdb has no name for are counted as ignored. */
static abdb_status import_or_reject_benchmark_record(void *self, const abdb_flat_record *r,
                                                     abdb_error *err)
{
    static const char *const factors[] = {"repetition_index", "threads", "label"};
    static const char *const values[] = {"real_time", NULL};
    state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    const char *statistic = statistic_of_benchmark_or_null(r),
               *failed = abdb_flat_text_or_null_mark_asked(r, "error_message");
    const char *unit = abdb_flat_text_or_null_mark_asked(r, "time_unit"),
               *name = abdb_flat_text_or_null_mark_asked(r, "run_name");
    abdb_result *result;
    abdb_arena a = {0};
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    if (failed) {
        abdb_flat_count_refused_values(r, values);
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "error_message", failed, err));
        goto done;
    }
    if (!statistic) goto row; /* ignored */
    if (!name) name = abdb_flat_text_or_null_mark_asked(r, "name");
    result = abdb_entry_add_printed_result_or_count_left_out(
        entry, "time_s", statistic, abdb_flat_text_or_null_mark_asked(r, "real_time"),
        abdb_flat_decimal_mark(r, "real_time"), unit ? unit : "ns");
    if (!result || !name) {
        TRY(abdb_flat_reject_and_end_row(
            s->sink, r, name ? "real_time" : "name",
            name ? "no time: missing, zero, or of an unknown unit" : "no name", err));
        goto done;
    }
    result->n = abdb_flat_parse_count_or_zero(r, "iterations");
    abdb_entry_set_measured_run(entry, "google-benchmark", name, r->locator, 0);
    if (abdb_flat_text_or_null_mark_asked(r, "aggregate_name"))
        entry->field[ABDB_FIELD_kind] = "average";
    entry->field[ABDB_FIELD_date] = s->date;
    entry->field[ABDB_FIELD_system] = s->host;
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        abdb_entry_add_factor_parsing_number(entry, factors[i],
                                             abdb_flat_text_or_null_mark_asked(r, factors[i]));
    add_counter_results_or_factors(entry, r, statistic, &a);
    abdb_entry_add_settings_as_factors(entry, &s->context, noise, &a);
    abdb_entry_apply_overrides_and_check(entry, s->words);
    TRY(s->sink->entry(s->sink->self, entry, err));
row:
    TRY(s->sink->row_end(s->sink->self, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* What is read apart. */
static const char *const members[] = {"context.*", "benchmarks.count", NULL};

/* Imports each benchmark of the document under its context. */
static abdb_status import_google_benchmarks_under_context(const abdb_input *in,
                                                          const abdb_overrides *overrides,
                                                          const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink};
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_append_root_members_to_settings(&s.context, in, members, &s.arena, err));
    TRY(abdb_flat_deliver_objects_of_json_member(in, "context",
                                                 store_context_date_host_and_settings, &s, err));
    TRY(abdb_flat_deliver_objects_of_json_member(in, "benchmarks",
                                                 import_or_reject_benchmark_record, &s, err));
done:
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_google_benchmark = {
    "google-benchmark",
    "google-benchmark JSON: repetitions and aggregates",
    4,
    NULL,
    google_benchmark_bid,
    import_google_benchmarks_under_context};
