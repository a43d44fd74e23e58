/* import_mlperf_summary.c - summary_results.json, which MLCommons publishes with a round's results.
 *
 * An array of objects; performance and power of a row stand in one object. "a#" counts accelerators
 * per node. Keys have changed little since v3.1; unknown ones are factors. An input row is an
 * object.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/mlperf_row.h"
#include "ingest/read/flat_records.h"

static int mlperf_summary_bid(const abdb_input *in)
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
static const char *nonempty_member_as_text(abdb_arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    char number[32];

    if (json_is_string(value)) {
        const char *text = json_string_value(value);

        return *text ? text : NULL;
    }
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    if (!json_is_number(value)) return NULL;
    abdb_format_shortest_double(json_number_value(value), number);
    return abdb_arena_copy(arena, number, strlen(number));
}

/* The members that are read. */
static const char *const known[] = {"ID",
                                    "Submitter",
                                    "Availability",
                                    "Category",
                                    "Suite",
                                    "System",
                                    "Platform",
                                    "UsedModel",
                                    "Model",
                                    "Scenario",
                                    "Accuracy",
                                    "Nodes",
                                    "Processor",
                                    "host_processors_per_node",
                                    "host_processor_core_count",
                                    "Accelerator",
                                    "a#",
                                    "Location",
                                    "Software",
                                    "operating_system",
                                    "Notes",
                                    "version",
                                    "inferred",
                                    "has_power",
                                    "weight_data_types",
                                    "Details",
                                    "errors",
                                    "Performance_Result",
                                    "Performance_Units",
                                    "Power_Result",
                                    "Power_Units",
                                    NULL};

/* One object of summary_results.json. Performance and power of a run are one object there: the
 * value is stated under Performance_*, its watts or joules under Power_*. */
static abdb_status import_summary_object(const abdb_mlperf_context *context, const json_t *object,
                                         abdb_error *err)
{
    abdb_arena a = {0};
    abdb_mlperf_row row = {
        .public_id = nonempty_member_as_text(&a, object, "ID"),
        .submitter = nonempty_member_as_text(&a, object, "Submitter"),
        .availability = nonempty_member_as_text(&a, object, "Availability"),
        .division = nonempty_member_as_text(&a, object, "Category"),
        .system_type = nonempty_member_as_text(&a, object, "Suite"),
        .system = nonempty_member_as_text(&a, object, "System"),
        .platform = nonempty_member_as_text(&a, object, "Platform"),
        .used_model = nonempty_member_as_text(&a, object, "UsedModel"),
        .model = nonempty_member_as_text(&a, object, "Model"),
        .scenario = nonempty_member_as_text(&a, object, "Scenario"),
        .accuracy = nonempty_member_as_text(&a, object, "Accuracy"),
        .nodes = nonempty_member_as_text(&a, object, "Nodes"),
        .processor = nonempty_member_as_text(&a, object, "Processor"),
        .processors_per_node = nonempty_member_as_text(&a, object, "host_processors_per_node"),
        .cores = nonempty_member_as_text(&a, object, "host_processor_core_count"),
        .accelerator = nonempty_member_as_text(&a, object, "Accelerator"),
        .accelerators_per_node = nonempty_member_as_text(&a, object, "a#"),
        .location = nonempty_member_as_text(&a, object, "Location"),
        .software = nonempty_member_as_text(&a, object, "Software"),
        .os = nonempty_member_as_text(&a, object, "operating_system"),
        .notes = nonempty_member_as_text(&a, object, "Notes"),
        .round = nonempty_member_as_text(&a, object, "version"),
        .inferred = nonempty_member_as_text(&a, object, "inferred"),
        .has_power = nonempty_member_as_text(&a, object, "has_power"),
        .weights = nonempty_member_as_text(&a, object, "weight_data_types"),
        .url = nonempty_member_as_text(&a, object, "Details"),
        .errors = nonempty_member_as_text(&a, object, "errors"),
        .result = nonempty_member_as_text(&a, object, "Performance_Result"),
        .unit = nonempty_member_as_text(&a, object, "Performance_Units"),
        .power = nonempty_member_as_text(&a, object, "Power_Result"),
        .power_unit = nonempty_member_as_text(&a, object, "Power_Units")};
    const char *field = NULL;
    char reason[200] = "";
    abdb_settings others = {0};
    abdb_mlperf_context own = *context;
    abdb_status st;

    abdb_flat_note_json_members(&others, object, known, &a);
    own.others = &others;
    st = abdb_mlperf_import_row(&own, &row, &field, reason, err);

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

static abdb_status read_mlperf_summary(const abdb_input *in, const abdb_overrides *overrides,
                                       const abdb_sink *sink, abdb_error *err)
{
    abdb_mlperf_context context = {
        .words = overrides, .sink = sink, .source = "mlperf-summary", .verified = "yes"};
    json_t *root, *object;
    char locator[32];
    size_t i;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document(&root, in, err));
    if (!json_is_array(root))
        TRY(ABDB_FAIL(err, ABDB_FORMAT,
                      "line 1: not an array of results, as summary_results.json is"));
    json_array_foreach(root, i, object)
    {
        snprintf(locator, sizeof locator, "[%zu]", i);
        context.locator = locator;
        if (json_is_object(object)) {
            TRY(import_summary_object(&context, object, err));
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
    "mlperf-summary-json",
    "summary_results.json of a round of MLPerf results",
    3,
    NULL,
    mlperf_summary_bid,
    read_mlperf_summary};
