/* import_mlperf_summary.c - summary_results.json, which MLCommons publishes with a round's results.
 *
 * An array of objects; performance and power of a row stand in one object. "a#" counts accelerators
 * per node. Keys have changed little since v3.1; unknown ones are factors. An input row is an
 * object. The checker of v6.1 writes another file of that kind, summary.json: one object whose
 * members "0", "1", ... are the lines of its summary.csv.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/mlperf_row.h"
#include "ingest/read/flat_records.h"

/* {"0": {... "Organization" ... "MlperfModel" ...: the first object shows it. */
static bool is_checker_summary_json(const char *text, size_t size)
{
    size_t head = size < 4096 ? size : 4096, i = 1;

    while (i < head && strchr(" \t\r\n", text[i])) i++;
    return i + 4 < head && strncmp(text + i, "\"0\"", 3) == 0 &&
           memmem(text, head, "\"Organization\"", 14) && memmem(text, head, "\"MlperfModel\"", 13);
}

/* 85 for an array whose first 4 KiB have a key of summary_results.json, and for an object that is
 * the checker's summary.json; else 0. */
static int mlperf_summary_bid(const abdb_input *in)
{
    size_t i = 0;

    while (i < in->text_size && strchr(" \t\r\n", in->text[i]) && in->text[i]) i++;
    if (i == in->text_size) return 0;
    if (in->text[i] == '{')
        return is_checker_summary_json(in->text + i, in->text_size - i) ? 85 : 0;
    if (in->text[i] != '[') return 0;
    /* One of two keys within the first 4 KiB of an array: the first object shows all of them. */
    for (size_t k = i; k < in->text_size && k < i + 4096; k++)
        if ((k + 13 < in->text_size && strncmp(in->text + k, "\"Performance_", 13) == 0) ||
            (k + 12 < in->text_size && strncmp(in->text + k, "\"Submitter\":", 12) == 0))
            return 85;
    return 0;
}

/* Hands the row over, or rejects its object. */
static abdb_status import_row_or_reject(const abdb_mlperf_context *context, const json_t *object,
                                        abdb_arena *arena, const abdb_mlperf_row *row,
                                        abdb_error *err)
{
    const char *field = NULL;
    char reason[200] = "";
    abdb_status st = abdb_mlperf_import_row_or_explain(context, row, &field, reason, err);

    if (st == ABDB_OK && field) {
        char *raw = json_dumps(object, JSON_COMPACT);
        const char *place = abdb_arena_printf(arena, "%s.%s", context->locator, field);
        abdb_reject reject = {.field = place, .reason = reason, .raw = raw};

        st = context->sink->reject(context->sink->self, &reject, err);
        free(raw);
    }
    return st;
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
        .public_id = abdb_mlperf_member_as_text(&a, object, "ID"),
        .submitter = abdb_mlperf_member_as_text(&a, object, "Submitter"),
        .availability = abdb_mlperf_member_as_text(&a, object, "Availability"),
        .division = abdb_mlperf_member_as_text(&a, object, "Category"),
        .system_type = abdb_mlperf_member_as_text(&a, object, "Suite"),
        .system = abdb_mlperf_member_as_text(&a, object, "System"),
        .platform = abdb_mlperf_member_as_text(&a, object, "Platform"),
        .used_model = abdb_mlperf_member_as_text(&a, object, "UsedModel"),
        .model = abdb_mlperf_member_as_text(&a, object, "Model"),
        .scenario = abdb_mlperf_member_as_text(&a, object, "Scenario"),
        .accuracy = abdb_mlperf_member_as_text(&a, object, "Accuracy"),
        .nodes = abdb_mlperf_member_as_text(&a, object, "Nodes"),
        .processor = abdb_mlperf_member_as_text(&a, object, "Processor"),
        .processors_per_node = abdb_mlperf_member_as_text(&a, object, "host_processors_per_node"),
        .cores = abdb_mlperf_member_as_text(&a, object, "host_processor_core_count"),
        .accelerator = abdb_mlperf_member_as_text(&a, object, "Accelerator"),
        .accelerators_per_node = abdb_mlperf_member_as_text(&a, object, "a#"),
        .location = abdb_mlperf_member_as_text(&a, object, "Location"),
        .software = abdb_mlperf_member_as_text(&a, object, "Software"),
        .os = abdb_mlperf_member_as_text(&a, object, "operating_system"),
        .notes = abdb_mlperf_member_as_text(&a, object, "Notes"),
        .round = abdb_mlperf_member_as_text(&a, object, "version"),
        .inferred = abdb_mlperf_member_as_text(&a, object, "inferred"),
        .has_power = abdb_mlperf_member_as_text(&a, object, "has_power"),
        .weights = abdb_mlperf_member_as_text(&a, object, "weight_data_types"),
        .url = abdb_mlperf_member_as_text(&a, object, "Details"),
        .errors = abdb_mlperf_member_as_text(&a, object, "errors"),
        .result = abdb_mlperf_member_as_text(&a, object, "Performance_Result"),
        .unit = abdb_mlperf_member_as_text(&a, object, "Performance_Units"),
        .power = abdb_mlperf_member_as_text(&a, object, "Power_Result"),
        .power_unit = abdb_mlperf_member_as_text(&a, object, "Power_Units")};
    abdb_settings others = {0};
    abdb_mlperf_context own = *context;
    abdb_status st;

    abdb_flat_append_json_members_to_settings(&others, object, known, &a);
    own.others = &others;
    st = import_row_or_reject(&own, object, &a, &row, err);

    abdb_arena_free(&a);
    return st;
}

static bool is_checker_column(const char *name)
{
    for (size_t i = 0; i < MLPERF_SHARED; i++)
        if (abdb_list_has_word(abdb_mlperf_columns[i].names, '|', name, strlen(name))) return true;
    for (size_t i = 0; i < MLPERF_CHECKER; i++)
        if (abdb_list_has_word(abdb_mlperf_checker_columns[i].names, '|', name, strlen(name)))
            return true;
    return false;
}

/* One line of the checker's summary as an object. */
static abdb_status import_checker_object(const abdb_mlperf_context *context, const json_t *object,
                                         abdb_error *err)
{
    abdb_arena a = {0};
    abdb_mlperf_row row = {0};
    abdb_settings others = {0};
    abdb_mlperf_context own = *context;
    const char *name;
    json_t *value;
    abdb_status st;

    json_object_foreach((json_t *)(size_t)object, name, value)
    {
        const char *text =
            is_checker_column(name) ? NULL : abdb_mlperf_member_as_text(&a, object, name);

        if (text)
            abdb_settings_set_or_count_lost(&others, &a, name, (int)strlen(name), text,
                                            (int)strlen(text));
    }
    own.others = &others;
    abdb_mlperf_fill_row_from_json_members(abdb_mlperf_columns, MLPERF_SHARED, object, &a, &row);
    abdb_mlperf_fill_row_from_json_members(abdb_mlperf_checker_columns, MLPERF_CHECKER, object, &a,
                                           &row);
    st = import_row_or_reject(&own, object, &a, &row, err);
    abdb_arena_free(&a);
    return st;
}

typedef abdb_status (*object_reader)(const abdb_mlperf_context *, const json_t *, abdb_error *);

/* Imports one object by `read`; anything else is rejected at its place in the file. Either way the
 * row ends. */
static abdb_status import_object_or_reject_and_end_row(const abdb_mlperf_context *context,
                                                       const json_t *object, object_reader read,
                                                       abdb_error *err)
{
    const abdb_sink *sink = context->sink;
    abdb_status st = ABDB_OK;

    if (json_is_object(object)) {
        TRY(read(context, object, err));
    } else {
        abdb_reject reject = {.field = context->locator, .reason = "not an object"};

        TRY(sink->reject(sink->self, &reject, err));
    }
    TRY(sink->row_end(sink->self, err));
done:
    return st;
}

/* Imports each object of an array (MLCommons' publication, verified) or each member of an object
 * (the checker's summary, of unknown standing). */
static abdb_status import_summary_array_or_checker_members(const abdb_input *in,
                                                           const abdb_overrides *overrides,
                                                           const abdb_sink *sink, abdb_error *err)
{
    abdb_mlperf_context context = {
        .words = overrides, .sink = sink, .source = "mlperf-summary", .verified = "yes"};
    json_t *root, *object;
    const char *key;
    char locator[32];
    size_t i;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    if (json_is_object(root)) {
        context.source = "mlperf-checker";
        context.verified = "unknown";
        json_object_foreach(root, key, object)
        {
            context.locator = key;
            TRY(import_object_or_reject_and_end_row(&context, object, import_checker_object, err));
        }
        goto done;
    }
    if (!json_is_array(root))
        TRY(ABDB_FAIL(err, ABDB_FORMAT,
                      "line 1: not an array of results, as summary_results.json is"));
    json_array_foreach(root, i, object)
    {
        snprintf(locator, sizeof locator, "[%zu]", i);
        context.locator = locator;
        TRY(import_object_or_reject_and_end_row(&context, object, import_summary_object, err));
    }
done:
    json_decref(root);
    return st;
}

const abdb_importer abdb_import_mlperf_summary = {
    "mlperf-summary-json",
    "summary_results.json of a round of MLPerf results, and the checker's summary.json",
    3,
    NULL,
    mlperf_summary_bid,
    import_summary_array_or_checker_members};
