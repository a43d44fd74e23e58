/* import_google_benchmark.c - google-benchmark JSON (--benchmark_format=json).
 *
 * How seven files disagree: old ones have no run_type, so that a row is a repetition; a row may be
 * an aggregate (mean, median, min, max are kept; stddev, cv and own ones are ignored), a fit of
 * complexity (BigO, RMS: ignored), or an error. Times are in time_unit, ns where it is missing.
 * Repetitions are rows of one name: each is an entry, a mean over its iterations. Counters stand
 * beside the program's own members, under any name: rates (bytes_per_second, items_per_second,
 * NAME_per_second with a NAME that abdb knows, FLOPS) are metrics with the row's statistic, others
 * are factors. The device is the machine's processor, which the file does not name. The input row
 * is an element of "benchmarks".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat.h"

typedef struct {
    const abdb_words *words;
    const abdb_sink *sink;
    const char *date, *host, *cpus, *build;
    abdb_arena arena;
} state;

static int bid(const abdb_input *in)
{
    return abdb_flat_has(in, "\"benchmarks\"|\"real_time\"") ||
                   abdb_flat_has(in, "\"benchmarks\"|\"run_type\"") ||
                   abdb_flat_has(in, "\"context\"|\"library_build_type\"")
               ? 85
               : 0;
}

/* A record's texts end with its handler's call; those of "context" are needed for all
 * benchmarks. */
static const char *kept(state *s, const abdb_flat_record *r, const char *name)
{
    const char *text = abdb_flat_get(r, name);

    return text ? abdb_arena_copy(&s->arena, text, strlen(text)) : NULL;
}

static abdb_status on_context(void *self, const abdb_flat_record *r, abdb_error *err)
{
    state *s = self;

    (void)err;
    s->date = kept(s, r, "date");
    s->host = kept(s, r, "host_name");
    s->cpus = kept(s, r, "num_cpus");
    s->build = kept(s, r, "library_build_type");
    return ABDB_OK;
}

/* NULL: not a statistic that abdb keeps. */
static const char *statistic_of(const abdb_flat_record *r)
{
    static const char *const known[] = {"mean", "median", "min", "max"};
    const char *type = abdb_flat_get(r, "run_type"), *name = abdb_flat_get(r, "aggregate_name");

    if (!type || strcmp(type, "aggregate") != 0) return "mean";
    for (size_t i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i]) == 0) return known[i];
    return NULL;
}

/* What the program prints in every row; the others are counters. */
static bool is_own(const char *name)
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

    return abdb_is_word(name, own);
}

/* A rate that abdb has a metric for, in the metric's base unit; else a counter is a factor. */
static void add_counters(abdb_entry *entry, const abdb_flat_record *r, const char *statistic)
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

        if (!text || is_own(name)) continue;
        while (k < sizeof rates / sizeof rates[0] && strcmp(rates[k].name, name) != 0) k++;
        if (k < sizeof rates / sizeof rates[0])
            abdb_entry_stated(entry, rates[k].metric, statistic, text, ABDB_MARK_UNKNOWN,
                              rates[k].unit);
        else
            abdb_entry_factor(entry, name, text);
    }
}

/* One element of `benchmarks`: an iteration states the mean of its own loop, an aggregate its
 * statistic; aggregates that abdb has no name for are counted as ignored. */
static abdb_status on_benchmark(void *self, const abdb_flat_record *r, abdb_error *err)
{
    static const char *const factors[] = {"repetition_index", "threads", "label"};
    static const char *const values[] = {"real_time", NULL};
    state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    const char *statistic = statistic_of(r), *failed = abdb_flat_get(r, "error_message");
    const char *unit = abdb_flat_get(r, "time_unit"), *name = abdb_flat_get(r, "run_name");
    abdb_result *result;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    if (failed) {
        abdb_flat_refused(r, values);
        TRY(abdb_flat_reject(s->sink, r, "error_message", failed, err));
        goto done;
    }
    if (!statistic) goto row; /* ignored */
    if (!name) name = abdb_flat_get(r, "name");
    result = abdb_entry_stated(entry, "time_s", statistic, abdb_flat_get(r, "real_time"),
                               abdb_flat_mark(r, "real_time"), unit ? unit : "ns");
    add_counters(entry, r, statistic);
    if (!result || !name) {
        TRY(abdb_flat_reject(s->sink, r, name ? "real_time" : "name",
                             name ? "no time: missing, zero, or of an unknown unit" : "no name",
                             err));
        goto done;
    }
    result->n = abdb_flat_parse_count(r, "iterations");
    abdb_entry_measured(entry, "google-benchmark", name, r->locator, 0);
    if (abdb_flat_get(r, "aggregate_name")) entry->field[ABDB_FIELD_kind] = "average";
    entry->field[ABDB_FIELD_date] = s->date;
    entry->field[ABDB_FIELD_system] = s->host;
    abdb_entry_factor(entry, "num_cpus", s->cpus);
    abdb_entry_factor(entry, "library_build_type", s->build);
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        abdb_entry_factor(entry, factors[i], abdb_flat_get(r, factors[i]));
    abdb_entry_complete(entry, s->words);
    TRY(s->sink->entry(s->sink->self, entry, err));
row:
    TRY(s->sink->row_end(s->sink->self, err));
done:
    free(entry);
    return st;
}

static abdb_status read_google(const abdb_input *in, const abdb_words *words, const abdb_sink *sink,
                               abdb_error *err)
{
    state s = {.words = words, .sink = sink};
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_read_member(in, "context", on_context, &s, err));
    TRY(abdb_flat_read_member(in, "benchmarks", on_benchmark, &s, err));
done:
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_google_benchmark = {
    "google-benchmark", "google-benchmark JSON: repetitions and aggregates", 2, NULL, bid,
    read_google};
