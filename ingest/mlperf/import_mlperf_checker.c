/* import_mlperf_checker.c - summary.csv of MLPerf inference's submission checker, v0.7 to v6.x.
 *
 * Five header generations were opened: 11 columns without Units (v0.7), 27 (v4.1), 28 with
 * weight_data_types (v5.x), 31 with total_accelerators, design_power_watts and PrivateID (v6.0),
 * and the vendors' five columns of v0.7 and v1.0 (system_id, benchmark, scenario, perf_metric,
 * perf_value), which name neither submitter nor round: --set supplies them.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "ingest/mlperf/mlperf_row.h"
#include "ingest/read/csv.h"

/* Where each part of abdb_mlperf_row comes from. */
const abdb_mlperf_column abdb_mlperf_checker_columns[MLPERF_CHECKER] = {
    MLPERF_COLUMN(platform, "Platform|system_id"), MLPERF_COLUMN(used_model, "Model"),
    MLPERF_COLUMN(model, "MlperfModel|benchmark"), MLPERF_COLUMN(result, "Result|perf_value"),
    MLPERF_COLUMN(unit, "Units|perf_metric"),      MLPERF_COLUMN(accuracy, "Accuracy"),
    MLPERF_COLUMN(location, "Location"),           MLPERF_COLUMN(inferred, "inferred"),
    MLPERF_COLUMN(weights, "weight_data_types"),   MLPERF_COLUMN(errors, "errors"),
};

typedef struct {
    const abdb_input *in;
    char delimiter;
    abdb_mlperf_context context;
    abdb_csv_header header;
    int place[MLPERF_COLUMN_MAX], shared[MLPERF_COLUMN_MAX];
    abdb_settings others; /* of the row at hand */
} state;

static bool is_checker_csv_header(const char *text, size_t size)
{
    return abdb_csv_first_line_has_all_words(text, size,
                                             "Organization|SystemType|MlperfModel|Location") ||
           abdb_csv_first_line_has_all_words(text, size,
                                             "system_id|benchmark|perf_metric|perf_value");
}

static int mlperf_checker_bid(const abdb_input *in)
{
    return is_checker_csv_header(in->text, in->text_size) ? 90 : 0;
}

static bool is_another_checker_header(const void *self, const abdb_csv_row *row)
{
    (void)self;
    return is_checker_csv_header(row->raw, row->raw_size);
}

/* Takes a header, also a repeated or changed one, and finds its columns and decimal marks; imports
 * every other row as an entry, or rejects it. */
static abdb_status store_header_or_import_or_reject_checker_row(void *self, const abdb_csv_row *csv,
                                                                abdb_error *err)
{
    state *s = self;
    abdb_mlperf_row row = {0};
    abdb_settings *others = &s->others;
    const char *field;
    char reason[200], locator[32];
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;

    if (!s->header.count || abdb_csv_row_is_another_header(&s->header, csv)) {
        TRY(abdb_csv_header_replace_by_row(&s->header, csv, err));
        abdb_mlperf_find_columns(abdb_mlperf_columns, MLPERF_SHARED, &s->header, s->shared);
        abdb_mlperf_find_columns(abdb_mlperf_checker_columns, MLPERF_CHECKER, &s->header, s->place);
        TRY(abdb_csv_store_decimal_marks_of_columns(&s->header, s->in, s->delimiter, err));
        s->context.result_mark = abdb_csv_decimal_mark_of_column(
            &s->header, abdb_csv_find_column_of_any_name(&s->header, "Result|perf_value"));
        s->context.mark = s->header.file_mark;
        return ABDB_OK;
    }
    if (!abdb_csv_row_fits_header_width_or_explain(&s->header, csv, s->in, s->delimiter, reason,
                                                   sizeof reason))
        return abdb_csv_reject_and_end_row(s->context.sink, csv, NULL, reason, err);
    abdb_mlperf_fill_row_from_csv_cells(abdb_mlperf_columns, MLPERF_SHARED, s->shared, csv, &row);
    abdb_mlperf_fill_row_from_csv_cells(abdb_mlperf_checker_columns, MLPERF_CHECKER, s->place, csv,
                                        &row);
    /* Location is the path of the result folder, which begins with its division. */
    if (row.location && strncmp(row.location, "closed", 6) == 0 && !row.division)
        row.division = "closed";
    snprintf(locator, sizeof locator, "line %ld", csv->line);
    s->context.locator = locator;
    s->context.line = csv->line;
    others->count = 0;
    abdb_mlperf_collect_unmapped_columns(others, &arena, abdb_mlperf_checker_columns,
                                         MLPERF_CHECKER, &s->header, csv->field, csv->count);
    s->context.others = others;
    TRY(abdb_mlperf_import_row_or_explain(&s->context, &row, &field, reason, err));
    if (field) TRY(abdb_csv_reject_row(s->context.sink, csv, field, reason, err));
    TRY(s->context.sink->row_end(s->context.sink->self, err));
done:
    abdb_arena_free(&arena);
    return st;
}

/* Imports all rows of a summary.csv. ABDB_FORMAT: its header has no column of the model or the
 * result. */
static abdb_status import_mlperf_checker_rows(const abdb_input *in, const abdb_overrides *overrides,
                                              const abdb_sink *sink, abdb_error *err)
{
    state s = {
        .in = in,
        .delimiter = abdb_csv_guess_delimiter(in->text, in->text_size),
        .header = {.is_another = is_another_checker_header},
        .context = {
            .words = overrides, .sink = sink, .source = "mlperf-checker", .verified = "unknown"}};
    abdb_status st = abdb_csv_parse_input_rows_to_handler(
        in, s.delimiter, store_header_or_import_or_reject_checker_row, &s, err);

    if (st == ABDB_OK && s.header.count &&
        (abdb_csv_find_column_of_any_name(&s.header, "MlperfModel|benchmark") < 0 ||
         abdb_csv_find_column_of_any_name(&s.header, "Result|perf_value") < 0))
        st = ABDB_FAIL(err, ABDB_FORMAT,
                       "line 1: no column MlperfModel (or benchmark) or Result (or perf_value):"
                       " not a summary of the MLPerf submission checker");
    abdb_csv_header_free(&s.header);
    return st;
}

const abdb_importer abdb_import_mlperf_checker = {
    "mlperf-checker-csv",
    "summary.csv of the MLPerf inference submission checker, v0.7 to v6.x",
    3,
    NULL,
    mlperf_checker_bid,
    import_mlperf_checker_rows};
