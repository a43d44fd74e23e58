/* import_lm_eval.c - results.json of EleutherAI's lm-evaluation-harness (lm-eval).
 *
 * How four files of before 0.4 and excerpts of five later ones disagree: before 0.4 there may be
 * no config, and no model; 0.3 calls a metric "acc", 0.4 "acc,none" with its filter;
 * "acc_stderr,none" may be "N/A"; the task's own scalars (alias, name, sample_len) stand among the
 * metrics; groups (mmlu) stand among the tasks. config.model_args is "pretrained=NAME,dtype=..."
 * or an object; the model is model_name, too, but not in 0.3. model_dtype is what the loader used:
 * of a model whose arguments or name say that it is quantised (gptq, awq, fp8, load_in_4bit, ...)
 * the number format of the weights stays unknown. Prompts and templates are no settings that one
 * compares, but their hashes are. A quality does not depend on the device, which stays unknown. An
 * accuracy other than "acc" is accuracy.NAME, with the filter if there is one. The standard error
 * of a value is kept as an interval of 95 %. The input row is a task.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/programs/serving_statistics.h"
#include "ingest/read/flat_records.h"

#define MEMBERS(object) ((json_t *)(size_t)(object))

typedef struct {
    const abdb_input *in;
    const abdb_overrides *words;
    const abdb_sink *sink;
    const json_t *root;
    const char *model, *dtype; /* NULL: unknown */
    abdb_arena arena;
} state;

static int lm_eval_bid(const abdb_input *in)
{
    if (abdb_flat_has_all_keys_or_columns(in, "\"results\"|\"versions\"|_stderr")) return 86;
    return abdb_flat_has_all_keys_or_columns(in, "\"results\"|\"acc\"|\"acc_stderr\"") ? 86 : 0;
}

/* Of the document: times, texts of prompts, and what stands elsewhere in it. */
static const char *const noise[] = {"results.*",
                                    "groups.*",
                                    "group_subtasks.*",
                                    "configs.*",
                                    "versions.*",
                                    "n-shot.*",
                                    "n-samples.*",
                                    "higher_is_better.*",
                                    "samples.*",
                                    "pretty_env_info",
                                    "start_time",
                                    "end_time",
                                    "date",
                                    "total_evaluation_time_seconds",
                                    "model_name",
                                    "model_name_sanitized",
                                    "chat_template",
                                    "system_instruction",
                                    "config.model_dtype",
                                    "task_hashes.*",
                                    "max_length",
                                    NULL};

/* --- the model -------------------------------------------------------------------------------- */

/* "pretrained=NAME,dtype=auto": the value of one argument, of text or object. NULL: not there. */
static const char *model_argument_or_null(const state *s, abdb_arena *a, const char *name)
{
    const json_t *arguments = json_object_get(json_object_get(s->root, "config"), "model_args");
    const char *text = json_string_value(arguments);
    size_t size = strlen(name);

    if (json_is_object(arguments))
        return abdb_serving_json_text_or_null(json_object_get(arguments, name), a);
    for (; text && *text; text += strcspn(text, ","), text += *text == ',')
        if (strncmp(text, name, size) == 0 && text[size] == '=')
            return abdb_arena_printf(a, "%.*s", (int)strcspn(text + size + 1, ","),
                                     text + size + 1);
    return NULL;
}

static bool text_names_quantisation(const char *text)
{
    static const char *const words[] = {"gptq",  "awq",   "gguf", "fp8", "fp4", "int8",  "int4",
                                        "4bit",  "8bit",  "w4a",  "w8a", "bnb", "quant", "mxfp",
                                        "4-bit", "8-bit", "exl",  "hqq", "q4_", "q8_",   NULL};

    for (size_t i = 0; text && words[i]; i++)
        if (strcasestr(text, words[i])) return true;
    return false;
}

/* "torch.bfloat16": bf16. NULL: not one that abdb knows. */
static const char *number_format_of_torch_or_null(const char *name)
{
    static const char *const names[][2] = {
        {"bfloat16", "bf16"}, {"float16", "fp16"}, {"half", "fp16"}, {"float32", "fp32"}};

    if (name && strncmp(name, "torch.", 6) == 0) name += 6;
    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0) return names[i][1];
    return NULL;
}

static void find_model_and_number_format(state *s)
{
    const json_t *config = json_object_get(s->root, "config");
    const char *loaded = json_string_value(json_object_get(config, "model_dtype"));
    abdb_arena *a = &s->arena;
    char *printed =
        json_dumps(json_object_get(config, "model_args"), JSON_ENCODE_ANY | JSON_SORT_KEYS);

    s->model = json_string_value(json_object_get(s->root, "model_name"));
    if (!s->model || !*s->model) s->model = model_argument_or_null(s, a, "pretrained");
    if (!s->model) s->model = model_argument_or_null(s, a, "model");
    if (!text_names_quantisation(printed) && !text_names_quantisation(s->model))
        s->dtype =
            number_format_of_torch_or_null(loaded ? loaded : model_argument_or_null(s, a, "dtype"));
    free(printed);
}

/* --- a task ----------------------------------------------------------------------------------- */

/* The name of abdb's metric for "acc_norm,none"; NULL: it is none of quality that abdb knows. */
static const char *metric_of_key_or_null(const char *key, abdb_arena *a)
{
    static const char *const accuracies[] = {"acc",
                                             "acc_norm",
                                             "acc_mutual_info",
                                             "acc_bytes",
                                             "exact_match",
                                             "em",
                                             "f1",
                                             "mc1",
                                             "mc2",
                                             "acc_all",
                                             "pass@1",
                                             "pass_at_1",
                                             "prompt_level_strict_acc",
                                             "prompt_level_loose_acc",
                                             "inst_level_strict_acc",
                                             "inst_level_loose_acc",
                                             "mcc",
                                             NULL};
    static const char *const perplexities[][2] = {{"perplexity", "perplexity"},
                                                  {"ppl", "perplexity"},
                                                  {"word_perplexity", "perplexity.word"},
                                                  {"byte_perplexity", "perplexity.byte"}};
    size_t size = strcspn(key, ",");
    const char *name = abdb_arena_printf(a, "%.*s", (int)size, key),
               *filter = key[size] && strcmp(key + size + 1, "none") != 0 ? key + size + 1 : NULL;

    for (size_t i = 0; i < sizeof perplexities / sizeof perplexities[0]; i++)
        if (strcmp(name, perplexities[i][0]) == 0) return perplexities[i][1];
    if (!abdb_text_is_in_list(name, accuracies)) return NULL;
    if (strcmp(name, "acc") == 0 && !filter) return "accuracy";
    return filter ? abdb_arena_printf(a, "accuracy.%s.%s", name, filter)
                  : abdb_arena_printf(a, "accuracy.%s", name);
}

static bool is_standard_error(const char *key)
{
    return strstr(key, "_stderr") != NULL;
}

/* "acc,none" has its standard error in "acc_stderr,none", where it is a number. */
static void set_interval_from_standard_error(abdb_result *result, const json_t *task,
                                             const char *key, abdb_arena *a)
{
    size_t size = strcspn(key, ",");
    double se = abdb_serving_json_number_or_nan(
        task, abdb_arena_printf(a, "%.*s_stderr%s", (int)size, key, key + size));

    if (!(se >= 0)) return;
    result->low = result->value - 1.96 * se;
    result->high = result->value + 1.96 * se;
    result->spread = "ci95";
}

/* Every metric of the task's object; scalars that are none are factors. */
static void add_qualities_of_task(abdb_entry *entry, const state *s, abdb_arena *a,
                                  const json_t *task, long long samples)
{
    static const char *const known[] = {"alias", "name", NULL};
    const char *key;
    json_t *value;

    json_object_foreach(MEMBERS(task), key, value)
    {
        const char *metric = metric_of_key_or_null(key, a),
                   *text = abdb_serving_json_text_or_null(value, a);
        abdb_result *result;

        if (abdb_text_is_in_list(key, known) || is_standard_error(key)) continue;
        if (!json_is_number(value) || strcmp(key, "sample_len") == 0) {
            abdb_entry_add_renamed_extra_factor_unless_ignored(entry, key, text, ABDB_MARK_UNKNOWN,
                                                               NULL, a);
        } else if (!metric && strchr(key, ',')) {
            abdb_left_out_count_value(s->in->left_out, key);
        } else if (!metric) {
            abdb_entry_add_renamed_extra_factor_unless_ignored(entry, key, text, ABDB_MARK_UNKNOWN,
                                                               NULL, a);
        } else {
            result =
                abdb_entry_add_result_or_count_left_out(entry, metric, json_number_value(value));
            if (!result) continue;
            result->raw_value = text;
            result->n = samples;
            set_interval_from_standard_error(result, task, key, a);
        }
    }
}

/* What the document states of one task, in an object that is named by it. */
static void add_member_of_task_as_factor(abdb_entry *entry, const state *s, abdb_arena *a,
                                         const char *object, const char *task, const char *factor)
{
    const json_t *value = json_object_get(json_object_get(s->root, object), task);

    abdb_entry_add_factor_parsing_number(entry, factor, abdb_serving_json_text_or_null(value, a));
}

/* Settings of the task but for its prompts. */
static void add_configuration_of_task(abdb_entry *entry, const state *s, abdb_arena *a,
                                      const char *task)
{
    static const char *const texts[] = {"task_config.doc_to_*",     "task_config.task",
                                        "task_config.description",  "task_config.num_fewshot",
                                        "task_config.metric_list*", "task_config.process_*",
                                        "task_config.*.doc_to_*",   NULL};
    const json_t *config = json_object_get(json_object_get(s->root, "configs"), task),
                 *samples = json_object_get(json_object_get(s->root, "n-samples"), task);

    abdb_flat_add_json_members_as_factors(entry, "task_config", config, texts, a);
    abdb_flat_add_json_members_as_factors(entry, "n_samples", samples, NULL, a);
    add_member_of_task_as_factor(entry, s, a, "n-shot", task, "num_fewshot");
    add_member_of_task_as_factor(entry, s, a, "versions", task, "task_version");
    add_member_of_task_as_factor(entry, s, a, "task_hashes", task, "task_hash");
    abdb_entry_add_factor_parsing_number(
        entry, "n_ctx", abdb_serving_json_text_or_null(json_object_get(s->root, "max_length"), a));
}

/* How many samples were judged; 0: unknown. */
static long long samples_of_task_or_0(const state *s, const char *name, const json_t *task)
{
    const json_t *samples = json_object_get(json_object_get(s->root, "n-samples"), name);
    double n = abdb_serving_json_number_or_nan(samples, "effective");

    if (isnan(n)) n = abdb_serving_json_number_or_nan(task, "sample_len");
    return n > 0 ? (long long)n : 0;
}

static abdb_status import_or_reject_task(state *s, const char *name, const json_t *task,
                                         abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    abdb_reject reject = {.field = name, .reason = "no accuracy and no perplexity"};
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    add_qualities_of_task(entry, s, &a, task, samples_of_task_or_0(s, name, task));
    if (!entry->results) {
        TRY(s->sink->reject(s->sink->self, &reject, err));
        goto row;
    }
    abdb_entry_set_measured_run(entry, "lm-eval", "lm-eval",
                                abdb_arena_printf(&a, "results.%s", name), 0);
    entry->field[ABDB_FIELD_model] = s->model;
    entry->field[ABDB_FIELD_dtype] = s->dtype;
    abdb_entry_add_factor_parsing_number(entry, "task", name);
    abdb_entry_add_factor_parsing_number(
        entry, "model_dtype",
        json_string_value(json_object_get(json_object_get(s->root, "config"), "model_dtype")));
    add_configuration_of_task(entry, s, &a, name);
    abdb_flat_add_json_members_as_factors(entry, NULL, s->root, noise, &a);
    abdb_entry_apply_overrides_and_check(entry, s->words);
    TRY(s->sink->entry(s->sink->self, entry, err));
row:
    TRY(s->sink->row_end(s->sink->self, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* A group such as mmlu without a value of its own has only a name; it is no task. */
static bool has_any_number(const json_t *task)
{
    const char *key;
    json_t *value;

    json_object_foreach(MEMBERS(task), key, value) if (json_is_number(value)) return true;
    return false;
}

static abdb_status import_tasks_of_document(const abdb_input *in, const abdb_overrides *overrides,
                                            const abdb_sink *sink, abdb_error *err)
{
    state s = {.in = in, .words = overrides, .sink = sink};
    json_t *root = NULL, *task;
    const char *name;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    s.root = root;
    find_model_and_number_format(&s);
    json_object_foreach(json_object_get(root, "results"), name, task)
    {
        if (json_is_object(task) && has_any_number(task))
            TRY(import_or_reject_task(&s, name, task, err));
    }
done:
    json_decref(root);
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_lm_eval = {
    "lm-eval",   "lm-evaluation-harness, JSON: a task's accuracies",
    1,           NULL,
    lm_eval_bid, import_tasks_of_document};
