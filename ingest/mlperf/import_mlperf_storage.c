/* import_mlperf_storage.c - results of MLPerf Storage: mlperf_storage_report.json (a score and its
 * runs) and summary.json (one run, as one of its hosts wrote it).
 *
 * The accelerators are emulated: they are a factor, never the device. Submitters spell folders as
 * they like; summary.json lacks the model, only its folder names it; every host of a run writes
 * the same summary, which becomes one entry with several places. Numbers may be text.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/round.h"
#include "ingest/read/flat_records.h"

static int mlperf_storage_bid(const abdb_input *in)
{
    if (abdb_flat_has_all_keys_or_columns(in,
                                          "\"overall\"|train_throughput_mean_samples_per_second"))
        return 90;
    return abdb_flat_has_all_keys_or_columns(in, "\"num_accelerators\"|\"train_au_percentage\"")
               ? 90
               : 0;
}

static const char *json_member_as_text(abdb_arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    char *out = json_is_number(value) ? abdb_arena_alloc(arena, 32) : NULL;

    if (json_is_string(value)) return json_string_value(value);
    if (out) abdb_format_shortest_double(json_number_value(value), out);
    return out;
}

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_arena arena;
    abdb_mlperf_row row; /* from the path */
    const char *path;
} reader;

/* What all entries of a file share. */
static void init_storage_entry(reader *r, abdb_entry *entry, const char *kind, const char *locator,
                               const char *model)
{
    *entry = (abdb_entry){.locator = locator};
    entry->field[ABDB_FIELD_evidence] = "mlperf";
    entry->field[ABDB_FIELD_kind] = kind;
    entry->field[ABDB_FIELD_suite] = "storage";
    entry->field[ABDB_FIELD_source] = "mlperf-logs";
    entry->field[ABDB_FIELD_submitter] = r->row.submitter;
    entry->field[ABDB_FIELD_division] =
        r->row.division ? (strncasecmp(r->row.division, "open", 4) ? "closed" : "open") : NULL;
    entry->field[ABDB_FIELD_system] = entry->field[ABDB_FIELD_platform] = r->row.platform;
    entry->field[ABDB_FIELD_round] = r->row.round;
    entry->field[ABDB_FIELD_model] = entry->field[ABDB_FIELD_workload] = model;
}

static void add_samples_and_bytes_per_s_results(reader *r, abdb_entry *entry, const json_t *o,
                                                const char *samples_key, const char *bytes_key,
                                                const char *statistic)
{
    abdb_entry_add_printed_result_or_count_left_out(entry, "samples_per_s", statistic,
                                                    json_member_as_text(&r->arena, o, samples_key),
                                                    ABDB_MARK_POINT, "Samples/s");
    abdb_entry_add_printed_result_or_count_left_out(entry, "bytes_per_s", statistic,
                                                    json_member_as_text(&r->arena, o, bytes_key),
                                                    ABDB_MARK_POINT, "MB/s");
}

/* What is read above, or in the path; means over the time of a run, and of single steps; when and
 * where it ran. */
static const char *const known[] = {"accelerator",
                                    "train_num_accelerators",
                                    "num_accelerators",
                                    "num_hosts",
                                    "num_files_train",
                                    "num_samples_per_file",
                                    "model",
                                    "start",
                                    "end",
                                    "hostname",
                                    "train_throughput_*",
                                    "train_io_*",
                                    "train_au_*",
                                    "*.count",
                                    "host_cpuinfo*",
                                    "host_meminfo*",
                                    "*.host_*",
                                    "metric.*",
                                    "epochs.*",
                                    NULL};

/* Adds a run's emulated accelerators and reader settings as factors, and other scalars of the
 * object and of its `metric` under their own names. */
static void add_storage_and_unread_member_factors(reader *r, abdb_entry *entry, const json_t *o)
{
    static const struct {
        const char *factor, *key;
    } table[] = {{"emulated_accelerator", "accelerator"},
                 {"emulated_accelerators", "train_num_accelerators"},
                 {"emulated_accelerators", "num_accelerators"},
                 {"hosts", "num_hosts"},
                 {"files", "num_files_train"},
                 {"samples_per_file", "num_samples_per_file"}};

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        abdb_entry_add_factor_parsing_number(entry, table[i].factor,
                                             json_member_as_text(&r->arena, o, table[i].key));
    abdb_flat_add_json_members_as_factors(entry, NULL, o, known, &r->arena);
    abdb_flat_add_json_members_as_factors(entry, NULL, json_object_get(o, "metric"), known,
                                          &r->arena);
}

static abdb_status apply_overrides_and_send_to_sink(reader *r, abdb_entry *entry, abdb_error *err)
{
    abdb_entry_apply_overrides_and_check(entry, r->words);
    return r->sink->entry(r->sink->self, entry, err);
}

static abdb_status send_field_reject_to_sink(reader *r, const char *field, const char *reason,
                                             abdb_error *err)
{
    abdb_reject bad = {.field = field, .reason = reason};

    return r->sink->reject(r->sink->self, &bad, err);
}

/* "runs": {"run3": {...}, ...}, and "overall" with their mean. */
static abdb_status import_report_runs_and_score(reader *r, abdb_entry *entry, const json_t *root,
                                                abdb_error *err)
{
    const json_t *overall = json_object_get(root, "overall");
    json_t *runs = json_object_get(root, "runs"), *run;
    const char *name, *model = json_member_as_text(&r->arena, overall, "model");
    size_t pieces = 0;
    abdb_status st = ABDB_OK;

    if (!model) return send_field_reject_to_sink(r, "overall.model", "no model", err);
    json_object_foreach(runs, name, run)
    {
        if (pieces == ABDB_PIECE_MAX) {
            TRY(send_field_reject_to_sink(r, name, "more runs than a result has room for", err));
            continue;
        }
        init_storage_entry(r, entry, "run", abdb_arena_printf(&r->arena, "runs.%s", name), model);
        add_storage_and_unread_member_factors(r, entry, run);
        add_samples_and_bytes_per_s_results(r, entry, run, "train_throughput_samples_per_second",
                                            "train_throughput_MB_per_second", "value");
        abdb_entry_add_factor_parsing_number(entry, "repetition_index", name);
        if (!entry->results) {
            TRY(send_field_reject_to_sink(r, entry->locator, "no throughput", err));
            continue;
        }
        pieces++;
        TRY(apply_overrides_and_send_to_sink(r, entry, err));
    }
    init_storage_entry(r, entry, "score", "overall", model);
    add_storage_and_unread_member_factors(r, entry, overall);
    add_samples_and_bytes_per_s_results(r, entry, overall,
                                        "train_throughput_mean_samples_per_second",
                                        "train_throughput_mean_MB_per_second", "mean");
    if (!entry->results) return send_field_reject_to_sink(r, "overall", "no throughput", err);
    for (size_t i = 0; i < entry->results; i++) entry->result[i].n = (long long)pieces;
    entry->pieces = pieces;
    entry->role = "run";
    TRY(apply_overrides_and_send_to_sink(r, entry, err));
done:
    return st;
}

/* One of the benchmark's words within the path, the last one; NULL: none. */
static const char *find_last_name_in_path(const char *path, const char *const *names, size_t count)
{
    const char *found = NULL, *place = NULL;

    for (size_t i = 0; i < count; i++)
        for (const char *at = path; (at = strcasestr(at, names[i])); at++)
            /* The deepest folder counts: a submitter's name may hold "bert" too. */
            if (!place || at > place) {
                place = at;
                found = names[i];
            }
    return found;
}

/* The last "run3" or "run_3" of a path: a digit must follow, since "run" is also part of other
 * words. NULL: there is none. */
static const char *find_last_numbered_run_in_path(const char *path)
{
    const char *found = NULL;

    for (const char *at = path; (at = strcasestr(at, "run")); at++)
        if (isdigit((unsigned char)at[3 + strspn(at + 3, "_")])) found = at;
    return found;
}

/* A summary.json of DLIO, the benchmark's load generator. Neither model nor accelerator nor the
 * number of the run stand in it: they are looked for in the path, the last "runN" of it
 * counting. */
static abdb_status import_or_reject_dlio_summary(reader *r, abdb_entry *entry, const json_t *root,
                                                 abdb_error *err)
{
    static const char *const models[] = {"unet3d", "resnet50", "cosmoflow", "bert", "llama3"};
    static const char *const accelerators[] = {"h100", "a100", "v100", "b200"};
    const json_t *metric = json_object_get(root, "metric");
    const char *model = find_last_name_in_path(r->path, models, sizeof models / sizeof models[0]);
    const char *start = json_string_value(json_object_get(root, "start"));
    const char *met = json_string_value(json_object_get(metric, "train_au_meet_expectation"));
    const char *run = find_last_numbered_run_in_path(r->path);

    if (!model) model = abdb_overrides_get_value_or_null(r->words, "model");
    if (!model)
        return send_field_reject_to_sink(
            r, "model", "neither file nor path says the model: add --set model=NAME", err);
    init_storage_entry(r, entry, "run", "metric", model);
    add_storage_and_unread_member_factors(r, entry, root);
    abdb_entry_add_factor_parsing_number(
        entry, "emulated_accelerator",
        find_last_name_in_path(r->path, accelerators,
                               sizeof accelerators / sizeof accelerators[0]));
    if (run)
        abdb_entry_add_factor_parsing_number(
            entry, "repetition_index",
            abdb_arena_printf(&r->arena, "%.*s", (int)strcspn(run, "/"), run));
    entry->field[ABDB_FIELD_date] = start;
    add_samples_and_bytes_per_s_results(r, entry, metric,
                                        "train_throughput_mean_samples_per_second",
                                        "train_io_mean_MB_per_second", "mean");
    abdb_entry_add_printed_result_or_count_left_out(
        entry, "accelerator_utilisation", "mean",
        json_member_as_text(&r->arena, metric, "train_au_mean_percentage"), ABDB_MARK_POINT, "%");
    /* The benchmark wants the emulated accelerators busy for 90 % of the time (70 % for some
     * models); a run below it is invalid. */
    if (met && strcmp(met, "success") != 0) {
        entry->field[ABDB_FIELD_status] = "failed";
        entry->field[ABDB_FIELD_reason] =
            "the accelerators waited longer than the benchmark allows";
        abdb_entry_drop_results_as_left_out(entry);
    } else if (!entry->results)
        return send_field_reject_to_sink(r, "metric", "no throughput", err);
    return apply_overrides_and_send_to_sink(r, entry, err);
}

/* Imports a report (an object `overall`: its runs and their score) or else the summary of one DLIO
 * run. */
static abdb_status import_storage_report_or_dlio_summary(const abdb_input *in,
                                                         const abdb_overrides *overrides,
                                                         const abdb_sink *sink, abdb_error *err)
{
    reader r = {.words = overrides, .sink = sink, .path = in->path};
    abdb_entry *entry = calloc(1, sizeof *entry);
    json_t *root = NULL;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    abdb_round_fill_row_from_path(&r.arena, in->path, &r.row);
    if (json_is_object(json_object_get(root, "overall")))
        TRY(import_report_runs_and_score(&r, entry, root, err));
    else
        TRY(import_or_reject_dlio_summary(&r, entry, root, err));
    TRY(sink->row_end(sink->self, err));
done:
    json_decref(root);
    abdb_arena_free(&r.arena);
    free(entry);
    return st;
}

const abdb_importer abdb_import_mlperf_storage = {
    "mlperf-storage",
    "mlperf_storage_report.json or summary.json of MLPerf Storage",
    3,
    NULL,
    mlperf_storage_bid,
    import_storage_report_or_dlio_summary};
