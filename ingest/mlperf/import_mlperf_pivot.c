/* import_mlperf_pivot.c - the crosstab of MLCommons' results pages: one column per model and
 * scenario, four lines per system (processors, accelerators, nodes, result).
 *
 * Two copies were opened: as downloaded (UTF-16, tabs, every label repeated) and re-saved by Excel
 * (UTF-8, commas, merged cells blank, "27,803.90"). A blank label repeats the label of the cell to
 * the left (header) or of the line above (system).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/mlperf_row.h"
#include "ingest/mlperf/mlperf_site_common.h"
#include "ingest/read/csv.h"

enum { HEADER_LINES = 5, LABELS_MAX = 32 };

typedef struct {
    abdb_mlperf_context context;
    /* The five header lines: title and suite (the second overwrites the first), model, scenario,
     * and names of labels with the units of the cells. */
    abdb_csv_header suite, model, scenario,
        label;                /* label: names of the system columns, then units */
    size_t first;             /* first column of results */
    char *system[LABELS_MAX]; /* labels of the current system */
    int lines;
    const abdb_input *in;
    char delimiter;
    const char *system_type; /* of the whole export, or NULL */
} state;

static int mlperf_pivot_bid(const abdb_input *in)
{
    return abdb_csv_first_line_has_all_words(in->text, in->text_size,
                                             "Model MLC|/  Scenario|/  Units") &&
                   !abdb_csv_first_line_has_all_words(in->text, in->text_size, "Public ID")
               ? 85
               : 0;
}

/* Blank labels take the text of their left neighbour, from column `first` on. */
static abdb_status fill_blank_labels_from_left(abdb_csv_header *header, size_t first,
                                               abdb_error *err)
{
    for (size_t i = first + 1; i < header->count; i++) {
        if (header->name[i][0]) continue;
        free(header->name[i]);
        header->name[i] = strdup(header->name[i - 1]);
        if (!header->name[i]) return ABDB_FAIL(err, ABDB_NOMEM, "labels");
    }
    return ABDB_OK;
}

/* Keeps one of the five header lines. After the last one checks that they form a crosstab's header
 * (ABDB_FORMAT), and repeats models and suites over the columns that share them. */
static abdb_status store_header_line_validate_at_last(state *s, const abdb_csv_row *csv,
                                                      abdb_error *err)
{
    abdb_csv_header *const header[HEADER_LINES] = {&s->suite, &s->suite, &s->model, &s->scenario,
                                                   &s->label};
    abdb_status st = abdb_csv_header_replace_by_row(header[s->lines], csv, err);

    if (++s->lines < HEADER_LINES || st != ABDB_OK) return st;
    s->first = 0;
    /* The labels' columns have no scenario above them. */
    while (s->first < s->scenario.count && !s->scenario.name[s->first][0]) s->first++;
    if (s->first == 0 || s->first >= LABELS_MAX || s->first >= s->label.count ||
        s->first >= s->model.count || abdb_csv_find_column_of_any_name(&s->label, "Public ID") < 0)
        return ABDB_FAIL(err, ABDB_FORMAT,
                         "line %ld: not the five header lines of the MLCommons"
                         " crosstab",
                         csv->line);
    st = fill_blank_labels_from_left(&s->model, s->first, err);
    return st == ABDB_OK ? fill_blank_labels_from_left(&s->suite, s->first, err) : st;
}

/* Fills a row from the labels of the system at hand. */
static void copy_system_labels_to_row(const state *s, abdb_mlperf_row *row)
{
    int place[MLPERF_COLUMN_MAX];

    abdb_mlperf_find_columns(abdb_mlperf_columns, MLPERF_SHARED, &s->label, place);
    for (size_t i = 0; i < MLPERF_SHARED; i++) {
        const char *text =
            place[i] >= 0 && (size_t)place[i] < s->first ? s->system[place[i]] : NULL;

        if (text && *text) memcpy((char *)row + abdb_mlperf_columns[i].offset, &text, sizeof text);
    }
}

static const char *nonempty_label_of_column(const abdb_csv_header *header, size_t i)
{
    return i < header->count && header->name[i][0] ? header->name[i] : NULL;
}

/* One line of results: a cell is a result. */
static abdb_status import_results_of_pivot_line(state *s, const abdb_csv_row *csv, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_mlperf_row row = {0};
    const char *labelled_type;
    abdb_settings others = {0};
    abdb_status st = ABDB_OK;

    abdb_mlperf_collect_unmapped_columns(&others, &arena, NULL, 0, &s->label, s->system,
                                         s->first - 1);
    s->context.others = &others;
    copy_system_labels_to_row(s, &row);
    labelled_type = row.system_type;
    row.round = abdb_mlperf_round_of_public_id(&arena, row.public_id);
    for (size_t i = s->first; i < csv->count; i++) {
        const char *field = NULL;
        char reason[200], locator[64];

        if (!csv->field[i][0]) continue;
        row.result = csv->field[i];
        row.model = nonempty_label_of_column(&s->model, i);
        row.scenario = nonempty_label_of_column(&s->scenario, i);
        row.unit = nonempty_label_of_column(&s->label, i);
        row.system_type = abdb_mlperf_site_system_type_or_stream_edge(s->system_type, row.scenario);
        if (!row.system_type) row.system_type = labelled_type;
        s->context.flags = abdb_mlperf_site_flags_text(true, row.system_type);
        snprintf(locator, sizeof locator, "line %ld column %zu", csv->line, i + 1);
        s->context.locator = locator;
        s->context.line = csv->line;
        TRY(abdb_mlperf_import_row_or_explain(&s->context, &row, &field, reason, err));
        if (field) TRY(abdb_csv_reject_row(s->context.sink, csv, field, reason, err));
    }
done:
    abdb_arena_free(&arena);
    return st;
}

/* Takes header lines and a system's labels, and imports the cells of each line of results as that
 * system's. ABDB_DATA: a second crosstab begins. */
static abdb_status store_labels_or_import_pivot_line(void *self, const abdb_csv_row *csv,
                                                     abdb_error *err)
{
    state *s = self;
    char reason[80];
    abdb_status st = ABDB_OK;

    if (s->lines < HEADER_LINES) return store_header_line_validate_at_last(s, csv, err);
    if (abdb_csv_row_is_another_header(&s->label, csv))
        return ABDB_FAIL(err, ABDB_DATA,
                         "line %ld: a second crosstab begins; a file holds one, so cut it in two",
                         csv->line);
    if (!abdb_csv_row_fits_header_width_or_explain(&s->label, csv, s->in, s->delimiter, reason,
                                                   sizeof reason))
        return abdb_csv_reject_and_end_row(s->context.sink, csv, "row", reason, err);
    for (size_t i = 0; i + 1 < s->first && csv->field[0][0];
         i++) { /* a line that names its system */
        free(s->system[i]);
        s->system[i] = strdup(csv->field[i]);
        if (!s->system[i]) return ABDB_FAIL(err, ABDB_NOMEM, "labels");
    }
    if (strstr(csv->field[s->first - 1], "Result")) {
        if (s->system[0]) {
            TRY(import_results_of_pivot_line(s, csv, err));
        } else {
            for (size_t i = s->first; i < csv->count; i++)
                abdb_add_thread_values_read(abdb_has_digit(csv->field[i]));
            TRY(abdb_csv_reject_row(s->context.sink, csv, "Public ID",
                                    "results before any system was named", err));
        }
    }
    TRY(s->context.sink->row_end(s->context.sink->self, err));
done:
    return st;
}

/* Imports a whole crosstab. ABDB_FORMAT: it ends within its header lines. */
static abdb_status import_mlperf_pivot_lines(const abdb_input *in, const abdb_overrides *overrides,
                                             const abdb_sink *sink, abdb_error *err)
{
    state s = {.in = in,
               .delimiter = abdb_csv_guess_delimiter(in->text, in->text_size),
               .system_type = abdb_mlperf_site_guess_system_type(in)};
    abdb_csv_header marks = {0}; /* of its columns only */
    abdb_status st;

    s.context = abdb_mlperf_site_make_context(overrides, sink);
    TRY(abdb_csv_store_decimal_marks_of_columns(&marks, in, s.delimiter, err));
    s.context.result_mark = s.context.mark = marks.file_mark;
    st = abdb_csv_parse_input_rows_to_handler(in, s.delimiter, store_labels_or_import_pivot_line,
                                              &s, err);
    if (st == ABDB_OK && s.lines < HEADER_LINES)
        st = ABDB_FAIL(err, ABDB_FORMAT,
                       "line %d: the five header lines of the crosstab are cut off", s.lines);
done:
    abdb_csv_header_free(&marks);
    abdb_csv_header_free(&s.suite);
    abdb_csv_header_free(&s.model);
    abdb_csv_header_free(&s.scenario);
    abdb_csv_header_free(&s.label);
    for (int i = 0; i < LABELS_MAX; i++) free(s.system[i]);
    return st;
}

const abdb_importer abdb_import_mlperf_pivot = {
    "mlperf-site-pivot",
    "crosstab of the MLCommons results pages (UTF-16 or re-saved by Excel)",
    4,
    NULL,
    mlperf_pivot_bid,
    import_mlperf_pivot_lines};
