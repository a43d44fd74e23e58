/* import_ml_energy.c - the ML.ENERGY benchmark: energy per token, request, image or video.
 *
 * How the 76 files of its leaderboard, 12 of the leaderboard of 2024 and the writers of two
 * versions of the benchmark disagree: the leaderboard has one file a task, which names the model
 * in each configuration, and one a model and task, which names it once and nests the parallelism;
 * both hold the same runs. A result file of the benchmark has the steady state's energy and rates
 * of the whole run, of diffusion energy of all batches, and then neither task nor GPU. Files of
 * 2024 have names with units ("Batch energy (J)"). The toolkit's table of runs alone states whether
 * a run was stable. Where power, energy and rates are stated together, they agree in all files to
 * six digits, which is why others are marked. Energy is the GPUs' alone: Zeus reads their counters.
 * The input row is a configuration, a run, or a result file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/programs/serving_record.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    bool published; /* the leaderboard's file */
    abdb_settings document;
    abdb_arena arena;
} state;

static bool is_leaderboard_file(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"configurations\"|\"gpu_model\"|_joules");
}

static int ml_energy_bid(const abdb_input *in)
{
    static const char *const forms[] = {
        "\"steady_state_energy_per_token\"",
        "\"energy_per_image\"|\"throughput_images_per_sec\"",
        "\"Batch energy (J)\"|\"GPU model\"",
        "energy_per_token_joules|avg_power_watts|gpu_model",
        "energy_per_generation_joules|avg_power_watts|gpu_model",
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (abdb_flat_has_all_keys_or_columns(in, forms[i])) return 88;
    return is_leaderboard_file(in) ? 88 : 0;
}

/* Values of all forms. */
static const struct {
    const char *name, *metric, *statistic, *unit;
} values[] = {
    {"energy_per_token_joules", "energy_per_token_j", "mean", "J/token"},
    {"steady_state_energy_per_token", "energy_per_token_j", "mean", "J/token"},
    {"energy_per_request_joules", "energy_per_request_j", "mean", "J/request"},
    {"energy_per_image_joules", "energy_per_sample_j", "mean", "J/sample"},
    {"energy_per_video_joules", "energy_per_sample_j", "mean", "J/sample"},
    {"energy_per_generation_joules", "energy_per_sample_j", "mean", "J/sample"},
    {"energy_per_image", "energy_per_sample_j", "mean", "J/sample"},
    {"Energy per image (J)", "energy_per_sample_j", "mean", "J/sample"},
    {"Energy per video (J)", "energy_per_sample_j", "mean", "J/sample"},
    {"steady_state_energy_joules", "energy_j", "value", "J"},
    {"steady_state_energy", "energy_j", "value", "J"},
    {"total_energy", "energy_j", "value", "J"},
    {"Batch energy (J)", "energy_j", "mean", "J"},
    {"avg_power_watts", "power_w", "mean", "W"},
    {"output_throughput_tokens_per_sec", "tokens_per_s", "value", "token/s"},
    {"output_throughput", "tokens_per_s", "value", "token/s"},
    {"request_throughput_req_per_sec", "queries_per_s", "value", "query/s"},
    {"request_throughput", "queries_per_s", "value", "query/s"},
    {"throughput_images_per_sec", "samples_per_s", "value", "sample/s"},
    {"throughput_videos_per_sec", "samples_per_s", "value", "sample/s"},
    {"throughput_generations_per_sec", "samples_per_s", "value", "sample/s"},
    {"batch_latency_s", "time_s", "mean", "s"},
    {"Batch latency (s)", "time_s", "mean", "s"},
    {"total_time", "time_s", "value", "s"},
};

/* Names of one thing in several forms. */
static const char *const factors[][2] = {{"image_height", "height"},
                                         {"video_height", "height"},
                                         {"image_width", "width"},
                                         {"video_width", "width"},
                                         {"batch_size", "batch_size"},
                                         {"Batch size", "batch_size"},
                                         {"num_prompts", "num_prompts"},
                                         {"Number of inference steps", "inference_steps"},
                                         {"steady_state_duration", "power_window_s"},
                                         {"steady_state_duration_seconds", "power_window_s"}};

/* Display names, times of day, curves over time, and what follows from other values. */
static const char *const noise[] = {"nickname",
                                    "task_display_name",
                                    "domain",
                                    "results_path",
                                    "prometheus_path",
                                    "date",
                                    "parallelization.notes",
                                    "output_length_distribution.*",
                                    "timeline.*",
                                    "results.count",
                                    "duration",
                                    "total_token_throughput",
                                    "avg_time_per_image",
                                    NULL};

/* A value of the record or, below that, of the leaderboard's document. NULL: neither has it. */
static const char *text_of_record_or_document(const state *s, const abdb_flat_record *r,
                                              const char *name)
{
    const char *text = abdb_flat_text_or_null_mark_asked(r, name);

    for (size_t i = 0; !text && i < s->document.count; i++)
        if (strcmp(s->document.item[i].name, name) == 0) text = s->document.item[i].text;
    return text;
}

static bool has_member(const abdb_flat_record *r, const char *name)
{
    for (size_t i = 0; i < r->items; i++)
        if (strcmp(r->item[i].name, name) == 0) return r->item[i].text;
    return false;
}

static const char *number_format_of_precision(const char *name)
{
    return !name                           ? NULL
           : strcmp(name, "bfloat16") == 0 ? "bf16"
           : strcmp(name, "float16") == 0  ? "fp16"
                                           : name;
}

static double value_of_result_or_nan(const abdb_entry *entry, const char *metric)
{
    for (size_t i = 0; i < entry->results; i++)
        if (strcmp(entry->result[i].metric, metric) == 0) return entry->result[i].value;
    return NAN;
}

/* Marks `contradiction` where stated and computed differ by more than 1 %; numbers that are missing
 * (NAN) set no mark. */
static void mark_if_stated_differs(abdb_entry *entry, const char *what, double stated,
                                   double computed)
{
    if (isfinite(stated) && isfinite(computed) && fabs(stated - computed) > 0.01 * fabs(stated))
        abdb_entry_add_mark_and_problem(entry, "contradiction",
                                        "%s is %g in the file, and %g by its other values", what,
                                        stated, computed);
}

/* Sum of the GPUs' energies of a measurement; NAN: there are none. */
static double sum_of_gpu_energies_or_nan(const abdb_flat_record *r, const char *prefix)
{
    double sum = NAN, one;

    for (size_t i = 0; i < r->items; i++) {
        if (strncmp(r->item[i].name, prefix, strlen(prefix)) != 0 || !r->item[i].text) continue;
        if (abdb_double_parse(r->item[i].text, ABDB_MARK_POINT, &one))
            sum = isnan(sum) ? one : sum + one;
    }
    return sum;
}

/* Holds power, energy, rates and the energies of single GPUs against each other. */
static void mark_contradicting_energies(abdb_entry *entry, const abdb_flat_record *r)
{
    double power = value_of_result_or_nan(entry, "power_w"),
           batch = abdb_flat_number_or_nan_note_doubt(r, "batch_size"),
           total = value_of_result_or_nan(entry, "energy_j");

    if (isnan(batch)) batch = abdb_flat_number_or_nan_note_doubt(r, "Batch size");
    mark_if_stated_differs(entry, "power (W)", power,
                           value_of_result_or_nan(entry, "energy_per_token_j") *
                               value_of_result_or_nan(entry, "tokens_per_s"));
    mark_if_stated_differs(entry, "power (W)", power,
                           value_of_result_or_nan(entry, "energy_per_sample_j") *
                               value_of_result_or_nan(entry, "samples_per_s"));
    mark_if_stated_differs(entry, "energy (J)", total,
                           sum_of_gpu_energies_or_nan(r, "steady_state_measurement.gpu_energy."));
    mark_if_stated_differs(entry, "energy (J)", total,
                           sum_of_gpu_energies_or_nan(r, "energy_measurement.gpu_energy."));
    if (has_member(r, "Batch energy (J)"))
        mark_if_stated_differs(entry, "energy (J)", total,
                               value_of_result_or_nan(entry, "energy_per_sample_j") * batch);
}

/* Marks `unstable` by the table's own flag, else by the toolkit's limit of 20 s for a steady
 * state. */
static void mark_unstable_run(abdb_entry *entry, const abdb_flat_record *r)
{
    static const char *const no[] = {"false", "False", "FALSE", "0", NULL};
    const char *stable = abdb_flat_text_or_null_mark_asked(r, "is_stable");
    double steady = abdb_flat_number_or_nan_note_doubt(r, "steady_state_duration");

    if (isnan(steady))
        steady = abdb_flat_number_or_nan_note_doubt(r, "steady_state_duration_seconds");
    if (stable && abdb_text_is_in_list(stable, no))
        abdb_entry_add_mark_and_problem(entry, "unstable", "is_stable is %s", stable);
    else if (!stable && steady < 20)
        abdb_entry_add_mark_and_problem(
            entry, "unstable", "the steady state lasted %g s, and 20 s are wanted", steady);
}

/* "20251116-061234" as a date. NULL: it is another text. */
static const char *iso_date_of_stamp_or_null(const char *stamp, abdb_arena *a)
{
    if (!stamp || strspn(stamp, "0123456789") != 8 || stamp[8] != '-') return NULL;
    return abdb_arena_printf(a, "%.4s-%.2s-%.2s", stamp, stamp + 4, stamp + 6);
}

/* "parallelization.tensor_parallel" of one form is "tensor_parallel" of another. */
static void add_nested_members_without_their_prefix(abdb_entry *entry, const abdb_flat_record *r,
                                                    abdb_arena *a)
{
    static const char *const prefixes[] = {"parallelization.", "configurations."};

    for (size_t i = 0; i < r->items; i++)
        for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++)
            if (strncmp(r->item[i].name, prefixes[k], strlen(prefixes[k])) == 0 &&
                !abdb_name_matches_ignored_pattern(r->item[i].name, noise))
                abdb_entry_add_renamed_extra_factor_unless_ignored(
                    entry, r->item[i].name + strlen(prefixes[k]),
                    abdb_flat_text_or_null_mark_asked(r, r->item[i].name), r->item[i].mark, NULL,
                    a);
}

/* The definition of power and energy, which is the benchmark's own in every form. */
static void add_definition_of_energy(abdb_entry *entry, bool is_llm)
{
    abdb_entry_add_factor_parsing_number(entry, "power_definition", "counters");
    abdb_entry_add_factor_parsing_number(entry, "energy_scope", "gpu");
    abdb_entry_add_factor_parsing_number(entry, "power_meter", "Zeus");
    abdb_entry_add_factor_parsing_number(entry, "power_coverage", "all GPUs of the run");
    abdb_entry_add_factor_parsing_number(entry, "power_window",
                                         is_llm ? "steady state" : "batches");
}

/* Fields, results and named factors; returns whether the run has an energy. */
static bool fill_entry_of_run(abdb_entry *entry, const state *s, const abdb_flat_record *r,
                              abdb_arena *a)
{
    const char *model = text_of_record_or_document(s, r, "model_id"),
               *device = abdb_flat_text_or_null_mark_asked(r, "gpu_model"),
               *task = text_of_record_or_document(s, r, "task");
    bool is_video = has_member(r, "num_frames") || has_member(r, "Energy per video (J)") ||
                    (task && strcmp(task, "text-to-video") == 0);
    bool is_llm = has_member(r, "max_num_seqs"), has_energy = false;

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const char *text = abdb_flat_text_or_null_mark_asked(r, values[i].name);

        if (text && strcmp(values[i].unit, "J/token") == 0) is_llm = true;
        if (abdb_entry_add_printed_result_or_count_left_out(
                entry, values[i].metric, values[i].statistic, text,
                abdb_flat_decimal_mark(r, values[i].name), values[i].unit) &&
            *values[i].unit == 'J')
            has_energy = true;
    }
    abdb_serving_add_latency_statistics(entry, a, r);
    abdb_entry_set_measured_run(entry, "ml-energy",
                                is_llm     ? "serving"
                                : is_video ? "video-generation"
                                           : "image-generation",
                                r->locator, r->line);
    if (s->published) {
        entry->field[ABDB_FIELD_evidence] = "published";
        entry->field[ABDB_FIELD_kind] = "statement";
    }
    entry->field[ABDB_FIELD_model] = model ? model : abdb_flat_text_or_null_mark_asked(r, "Model");
    entry->field[ABDB_FIELD_device] =
        device ? device : abdb_flat_text_or_null_mark_asked(r, "GPU model");
    entry->field[ABDB_FIELD_devices] = abdb_flat_text_or_null_mark_asked(r, "num_gpus");
    entry->field[ABDB_FIELD_scenario] = task;
    entry->field[ABDB_FIELD_dtype] =
        number_format_of_precision(text_of_record_or_document(s, r, "weight_precision"));
    entry->field[ABDB_FIELD_date] =
        iso_date_of_stamp_or_null(abdb_flat_text_or_null_mark_asked(r, "date"), a);
    add_definition_of_energy(entry, is_llm);
    /* of a result file the energies are the steady state's, the rates the whole run's */
    if (is_llm)
        abdb_entry_add_factor_parsing_number(entry, "rate_window",
                                             has_member(r, "output_throughput") ? "whole run"
                                                                                : "steady state");
    return has_energy;
}

static abdb_status import_or_reject_run(void *self, const abdb_flat_record *r, abdb_error *err)
{
    static const char *const read_apart[] = {
        "task", "model_id", "weight_precision", "nickname", "domain", "task_display_name", NULL};
    const state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    abdb_status st = ABDB_OK;
    bool has_energy;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    has_energy = fill_entry_of_run(entry, s, r, &a);
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        abdb_entry_add_factor_normalizing_number(
            entry, factors[i][1], abdb_flat_text_or_null_mark_asked(r, factors[i][0]),
            abdb_flat_decimal_mark(r, factors[i][0]), &a);
    mark_contradicting_energies(entry, r);
    mark_unstable_run(entry, r);
    abdb_entry_mark_failed_if_requests_failed(entry,
                                              abdb_flat_number_or_nan_note_doubt(r, "completed"),
                                              abdb_flat_number_or_nan_note_doubt(r, "num_prompts"));
    add_nested_members_without_their_prefix(entry, r, &a);
    abdb_flat_add_unread_values_as_factors(entry, r, noise, &a);
    abdb_entry_add_settings_as_factors(entry, &s->document, read_apart, &a);
    abdb_flat_copy_doubt_to_entry(entry, r);
    if (!has_energy) {
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "energy",
                                         "no energy: missing, zero or no number", err));
        goto done;
    }
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* One of the leaderboard's two forms has the architecture "diffusion", which is left out so that
 * both are one fact. */
static void drop_architecture_of_diffusion(abdb_settings *document)
{
    for (size_t i = 0; i < document->count; i++)
        if (strcmp(document->item[i].name, "architecture") == 0 &&
            strcmp(document->item[i].text, "diffusion") == 0)
            document->item[i].text = "";
}

static abdb_status import_ml_energy_runs(const abdb_input *in, const abdb_overrides *overrides,
                                         const abdb_sink *sink, abdb_error *err)
{
    static const char *const ignored[] = {"configurations.count", "output_length_distribution.*",
                                          NULL};
    state s = {.words = overrides, .sink = sink, .published = is_leaderboard_file(in)};
    abdb_status st = ABDB_OK;

    if (s.published) {
        TRY(abdb_flat_append_root_members_to_settings(&s.document, in, ignored, &s.arena, err));
        drop_architecture_of_diffusion(&s.document);
        TRY(abdb_flat_deliver_objects_of_json_member(in, "configurations", import_or_reject_run, &s,
                                                     err));
    } else {
        TRY(abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_run, &s, err));
    }
done:
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_ml_energy = {
    "ml-energy",          "ML.ENERGY: leaderboard, runs and result files", 1, NULL, ml_energy_bid,
    import_ml_energy_runs};
