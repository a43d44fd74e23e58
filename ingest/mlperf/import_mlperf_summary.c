/* import_mlperf_summary.c - summary_results.json, which MLCommons publishes with a round's results.
 *
 * An array of objects; performance and power of a row stand in one object. "a#" counts accelerators
 * per node. Keys have changed little since v3.1; unknown ones are ignored. An input row is an
 * object.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/mlperf.h"
#include "ingest/read/flat.h"

static int bid(const abdb_input *in)
{
    size_t i = 0;

    while (i < in->text_size && strchr(" \t\r\n", in->text[i]) && in->text[i]) i++;
    if (i == in->text_size || in->text[i] != '[') return 0;
    /* One of two keys within the first 4 KiB of an array: the first object shows all of them. */
    for (size_t k = i; k < in->text_size && k < i + 4096; k++)
        if ((k + 13 < in->text_size && strncmp(in->text + k, "\"Performance_", 13) == 0) ||
            (k + 12 < in->text_size && strncmp(in->text + k, "\"Submitter\":", 12) == 0))
            return 85;
    return 0;
}

/* A member as text: strings as they are, numbers and booleans printed. From arena. */
static const char *get(abdb_arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    char number[32];

    if (json_is_string(value)) {
        const char *text = json_string_value(value);

        return *text ? text : NULL;
    }
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    if (!json_is_number(value)) return NULL;
    abdb_number_print(json_number_value(value), number);
    return abdb_arena_copy(arena, number, strlen(number));
}

/* One object of summary_results.json. Performance and power of a run are one object there: the
 * value is stated under Performance_*, its watts or joules under Power_*. */
static abdb_status keep(const abdb_mlperf_context *context, const json_t *object, abdb_error *err)
{
    abdb_arena a = {0};
    abdb_mlperf_row row = {.public_id = get(&a, object, "ID"),
                           .submitter = get(&a, object, "Submitter"),
                           .availability = get(&a, object, "Availability"),
                           .division = get(&a, object, "Category"),
                           .system_type = get(&a, object, "Suite"),
                           .system = get(&a, object, "System"),
                           .platform = get(&a, object, "Platform"),
                           .used_model = get(&a, object, "UsedModel"),
                           .model = get(&a, object, "Model"),
                           .scenario = get(&a, object, "Scenario"),
                           .accuracy = get(&a, object, "Accuracy"),
                           .nodes = get(&a, object, "Nodes"),
                           .processor = get(&a, object, "Processor"),
                           .processors_per_node = get(&a, object, "host_processors_per_node"),
                           .cores = get(&a, object, "host_processor_core_count"),
                           .accelerator = get(&a, object, "Accelerator"),
                           .accelerators_per_node = get(&a, object, "a#"),
                           .location = get(&a, object, "Location"),
                           .software = get(&a, object, "Software"),
                           .os = get(&a, object, "operating_system"),
                           .notes = get(&a, object, "Notes"),
                           .round = get(&a, object, "version"),
                           .inferred = get(&a, object, "inferred"),
                           .has_power = get(&a, object, "has_power"),
                           .weights = get(&a, object, "weight_data_types"),
                           .url = get(&a, object, "Details"),
                           .errors = get(&a, object, "errors"),
                           .result = get(&a, object, "Performance_Result"),
                           .unit = get(&a, object, "Performance_Units"),
                           .power = get(&a, object, "Power_Result"),
                           .power_unit = get(&a, object, "Power_Units")};
    const char *field = NULL;
    char reason[200] = "";
    abdb_status st = abdb_mlperf_entry(context, &row, &field, reason, err);

    if (st == ABDB_OK && field) {
        char *raw = json_dumps(object, JSON_COMPACT);
        const char *place = abdb_arena_printf(&a, "%s.%s", context->locator, field);
        abdb_reject reject = {.field = place, .reason = reason, .raw = raw};

        st = context->sink->reject(context->sink->self, &reject, err);
        free(raw);
    }
    abdb_arena_free(&a);
    return st;
}

static abdb_status read_summary(const abdb_input *in, const abdb_words *words,
                                const abdb_sink *sink, abdb_error *err)
{
    abdb_mlperf_context context = {
        .words = words, .sink = sink, .source = "mlperf-summary", .verified = "yes"};
    json_t *root, *object;
    char locator[32];
    size_t i;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_document(&root, in, err));
    if (!json_is_array(root))
        TRY(ABDB_FAIL(err, ABDB_FORMAT,
                      "line 1: not an array of results, as summary_results.json is"));
    json_array_foreach(root, i, object)
    {
        snprintf(locator, sizeof locator, "[%zu]", i);
        context.locator = locator;
        if (json_is_object(object)) {
            TRY(keep(&context, object, err));
        } else {
            abdb_reject reject = {.field = locator, .reason = "not an object"};

            TRY(sink->reject(sink->self, &reject, err));
        }
        TRY(sink->row_end(sink->self, err));
    }
done:
    json_decref(root);
    return st;
}

const abdb_importer abdb_import_mlperf_summary = {
    "mlperf-summary-json", "summary_results.json of a round of MLPerf results", 2, NULL, bid,
    read_summary};
