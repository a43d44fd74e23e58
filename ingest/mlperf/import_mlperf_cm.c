/* import_mlperf_cm.c - cm-result.json of MLCommons' automation: an array of flat objects.
 *
 * Eleven files were opened. A file mixes rounds; one row stands in several files (the same uid);
 * tokens are called samples or queries; a row of power has a null Result and its watts in
 * Result_Power, and the performance of the same run is a row of its own; git_url names the
 * repository of submissions before their review.
 */
#include <stdio.h>
#include <string.h>

#include "ingest/mlperf/mlperf_row.h"
#include "ingest/read/flat_records.h"

static const abdb_mlperf_column map[] = {
    MLPERF_COLUMN(submitter, "Organization"),
    MLPERF_COLUMN(availability, "Availability"),
    MLPERF_COLUMN(division, "Division"),
    MLPERF_COLUMN(system_type, "SystemType"),
    MLPERF_COLUMN(system, "SystemName"),
    MLPERF_COLUMN(platform, "Platform"),
    MLPERF_COLUMN(used_model, "Model"),
    MLPERF_COLUMN(model, "MlperfModel"),
    MLPERF_COLUMN(scenario, "Scenario"),
    MLPERF_COLUMN(result, "Result"),
    MLPERF_COLUMN(unit, "Result_Units"),
    MLPERF_COLUMN(accuracy, "Accuracy"),
    MLPERF_COLUMN(nodes, "number_of_nodes"),
    MLPERF_COLUMN(processor, "host_processor_model_name"),
    MLPERF_COLUMN(processors_per_node, "host_processors_per_node"),
    MLPERF_COLUMN(cores, "host_processor_core_count"),
    MLPERF_COLUMN(accelerator, "accelerator_model_name"),
    MLPERF_COLUMN(accelerators_per_node, "accelerators_per_node"),
    MLPERF_COLUMN(location, "Location"),
    MLPERF_COLUMN(software, "framework"),
    MLPERF_COLUMN(os, "operating_system"),
    MLPERF_COLUMN(notes, "notes"),
    MLPERF_COLUMN(round, "version"),
    MLPERF_COLUMN(inferred, "inferred"),
    MLPERF_COLUMN(has_power, "has_power"),
    MLPERF_COLUMN(url, "url"),
    MLPERF_COLUMN(errors, "errors"),
};

static int mlperf_cm_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in,
                                             "\"MlperfModel\"|\"Organization\"|\"Result_Units\"")
               ? 90
               : 0;
}

/* Makes a row of one object's members and imports it. A row without performance is one of power:
 * its watts are the result. */
static abdb_status import_or_reject_cm_record(void *self, const abdb_flat_record *record,
                                              abdb_error *err)
{
    abdb_mlperf_context *context = self;
    const char *git = abdb_flat_text_or_null_mark_asked(record, "git_url"), *field = NULL;
    abdb_mlperf_row row = {0};
    abdb_settings others = {0};
    abdb_arena arena = {0};
    char reason[200];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++) {
        const char *text = abdb_flat_text_or_null_mark_asked(record, map[i].names);

        /* The members of abdb_mlperf_row are all text, so one offset and one copy fill any of
         * them. */
        memcpy((char *)&row + map[i].offset, &text, sizeof text);
    }
    /* A row of power: its watts are the result. */
    if (!row.result) {
        row.result = abdb_flat_text_or_null_mark_asked(record, "Result_Power");
        row.unit = abdb_flat_text_or_null_mark_asked(record, "Result_Power_Units");
        if (!row.unit) row.unit = abdb_flat_text_or_null_mark_asked(record, "Result_Units");
    } else {
        row.power = abdb_flat_text_or_null_mark_asked(record, "Result_Power");
        row.power_unit = abdb_flat_text_or_null_mark_asked(record, "Result_Power_Units");
    }
    context->locator = record->locator;
    context->line = record->line;
    /* MLCommons' private repositories of submissions are named submissions_inference_vX.Y. */
    context->flags = git && strstr(git, "/submissions_") ? "unreviewed" : NULL;
    abdb_flat_append_unread_values_to_settings(&others, record, &arena);
    context->others = &others;
    TRY(abdb_mlperf_import_row_or_explain(context, &row, &field, reason, err));
    if (field)
        TRY(abdb_flat_reject_and_end_row(context->sink, record, field, reason, err));
    else
        TRY(context->sink->row_end(context->sink->self, err));
done:
    abdb_arena_free(&arena);
    return st;
}

static abdb_status import_mlperf_cm_objects(const abdb_input *in, const abdb_overrides *overrides,
                                            const abdb_sink *sink, abdb_error *err)
{
    abdb_mlperf_context context = {
        .words = overrides, .sink = sink, .source = "mlperf-cm", .verified = "unknown"};

    return abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_cm_record, &context,
                                                     err);
}

const abdb_importer abdb_import_mlperf_cm = {
    "mlperf-cm-json",        "cm-result.json of MLCommons' automation", 3, NULL, mlperf_cm_bid,
    import_mlperf_cm_objects};
