/* import_mlperf_site.c - flat exports of MLCommons' results pages (Tableau), and copies of them
 * that others cleaned.
 *
 * Opened: v6.0 (UTF-16, tabs, four names repeated, a lone byte at the end), v5.0 "Full Data"
 * re-saved by Numbers (a title in line 1), a cleaned v1.0-v4.0 (performance and power as rows of
 * their own, in either order: one entry), and a training export (kJ and minutes). "Avg. Result at
 * System Name" is a mean where a system name was submitted more than once: the store finds out
 * which, by comparing with a second source; until then the row is flagged perhaps-averaged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/mlperf_row.h"
#include "ingest/mlperf/mlperf_site_common.h"
#include "ingest/read/csv.h"
#include "schema/core/units.h"

#define RESULT_NAMES "Result|Avg. Result at System Name|Result at System Name"
static const abdb_mlperf_column map[] = {
    MLPERF_COLUMN(suite, "Benchmark|vdate"), /* "Tiny v0.5" */
    MLPERF_COLUMN(model, "Model MLC|Model"),
    MLPERF_COLUMN(unit, "Units"),
    MLPERF_COLUMN(result, RESULT_NAMES),
};
enum { MAP_COUNT = sizeof map / sizeof map[0] };

typedef struct {
    const abdb_input *in;
    char delimiter;
    abdb_mlperf_context context;
    abdb_csv_header header;
    int place[MLPERF_COLUMN_MAX], shared[MLPERF_COLUMN_MAX];
    const char *system_type; /* of the whole export, or NULL */
    bool averaged;
    bool waits; /* a row was read and not yet handed over: */
    abdb_mlperf_row row;
    abdb_csv_row csv;
    abdb_settings others; /* other cells of that row */
    abdb_arena arena;     /* of all three */
} state;

static bool is_results_page_csv_header(const char *text, size_t size)
{
    return abdb_csv_first_line_has_all_words(text, size, "Public ID|Organization|Model MLC|Units");
}

static bool is_another_site_header(const void *self, const abdb_csv_row *row)
{
    (void)self;
    return is_results_page_csv_header(row->raw, row->raw_size);
}

static int mlperf_site_bid(const abdb_input *in)
{
    const char *second = memchr(in->text, '\n', in->text_size);

    if (is_results_page_csv_header(in->text, in->text_size)) return 80;
    if (!second) return 0;
    second++;
    return is_results_page_csv_header(second, in->text_size - (size_t)(second - in->text)) ? 70 : 0;
}

/* The suite: the first word of its label in small letters; without a label inference where rows
 * have a scenario, else training. NULL: no memory. */
static const char *suite_from_label_or_scenario(abdb_arena *arena, const char *text,
                                                int has_scenario)
{
    char *copy;

    if (!text) return has_scenario ? "inference" : "training";
    copy = abdb_arena_copy(arena, text, strcspn(text, " "));
    for (char *s = copy; s && *s; s++)
        if (*s >= 'A' && *s <= 'Z') *s = (char)(*s + 32);
    return copy;
}

/* Hands over the row that waits, at the line of `csv` where that is not NULL: the row of its power
 * or of its rate, which belongs to the same entry. */
static abdb_status import_or_reject_held_row(state *s, const abdb_csv_row *csv, abdb_error *err)
{
    const abdb_csv_row *at = csv ? csv : &s->csv;
    const char *field = NULL;
    char reason[200], locator[32];
    abdb_status st = ABDB_OK;

    if (!s->waits) return ABDB_OK;
    snprintf(locator, sizeof locator, "line %ld", at->line);
    s->context.locator = locator;
    s->context.line = at->line;
    s->context.flags = abdb_mlperf_site_flags_text(s->averaged, s->row.system_type);
    s->context.others = &s->others;
    if (!s->row.unit) {
        field = "Units";
        abdb_add_thread_values_read(abdb_has_digit(s->row.result));
        snprintf(reason, sizeof reason, "no unit: cannot tell what %.40s is",
                 s->row.result ? s->row.result : "");
    } else {
        TRY(abdb_mlperf_import_row_or_explain(&s->context, &s->row, &field, reason, err));
    }
    if (field) TRY(abdb_csv_reject_row(s->context.sink, at, field, reason, err));
    TRY(s->context.sink->row_end(s->context.sink->self, err));
done:
    return st;
}

/* Do both rows belong to one submission: equal in all but value and unit? */
static bool rows_equal_except_result_and_unit(const abdb_mlperf_row *a, const abdb_mlperf_row *b)
{
    /* abdb_mlperf_row is nothing but pointers to text, so it can be compared as an array of
     * them. */
    const char *const *x = (const char *const *)(const void *)a;
    const char *const *y = (const char *const *)(const void *)b;

    for (size_t i = 0; i < sizeof *a / sizeof *x; i++) {
        size_t place = i * sizeof *x;

        if (place == offsetof(abdb_mlperf_row, result) || place == offsetof(abdb_mlperf_row, unit))
            continue;
        if (x[i] != y[i] && (!x[i] || !y[i] || strcmp(x[i], y[i]) != 0)) return false;
    }
    return true;
}

static bool is_power_or_energy_row(const abdb_mlperf_row *row)
{
    const abdb_unit *unit = row->unit ? abdb_unit_find(row->unit) : NULL;

    /* Joules are energy beside a rate in inference and Tiny; in training they are a result of their
     * own. */
    return unit && (strcmp(unit->base, "W") == 0 ||
                    (strcmp(unit->base, "J") == 0 && strcmp(row->suite, "training") != 0));
}

/* The row, all its strings copied, waits for the one behind it. */
static abdb_status hold_row_copy_for_pairing(state *s, const abdb_mlperf_row *row,
                                             const abdb_csv_row *csv, abdb_error *err)
{
    char **text = (char **)(void *)&s->row;

    abdb_arena_free(&s->arena);
    s->row = *row;
    for (size_t i = 0; i < sizeof s->row / sizeof *text; i++)
        if (text[i]) {
            text[i] = abdb_arena_copy(&s->arena, text[i], strlen(text[i]));
            if (!text[i]) return ABDB_FAIL(err, ABDB_NOMEM, "a row");
        }
    s->others.count = 0;
    abdb_mlperf_collect_unmapped_columns(&s->others, &s->arena, map, MAP_COUNT, &s->header,
                                         csv->field, csv->count);
    s->csv = (abdb_csv_row){.line = csv->line, .raw_size = csv->raw_size};
    s->csv.raw = abdb_arena_copy(&s->arena, csv->raw, csv->raw_size);
    if (!s->csv.raw) return ABDB_FAIL(err, ABDB_NOMEM, "a row");
    s->waits = true;
    return ABDB_OK;
}

/* A rate and its watts in two rows, in either order, are one entry. */
static abdb_status merge_power_and_import_twice_or_hold_row(state *s, const abdb_mlperf_row *row,
                                                            const abdb_csv_row *csv,
                                                            abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!s->waits || !row->unit || !s->row.unit ||
        is_power_or_energy_row(row) == is_power_or_energy_row(&s->row) ||
        !rows_equal_except_result_and_unit(row, &s->row)) {
        TRY(import_or_reject_held_row(s, NULL, err));
        return hold_row_copy_for_pairing(s, row, csv, err);
    }
    if (is_power_or_energy_row(row)) {
        s->row.power = row->result;
        s->row.power_unit = row->unit;
    } else {
        s->row.power = s->row.result;
        s->row.power_unit = s->row.unit;
        s->row.result = row->result;
        s->row.unit = row->unit;
    }
    /* One submission on two lines: the entry is handed over once for each, so that both input rows
     * are accounted for and both places are kept; the store sees that they are equal. */
    s->row.has_power = "1";
    TRY(import_or_reject_held_row(s, NULL, err));
    TRY(import_or_reject_held_row(s, csv, err));
    s->waits = false;
done:
    return st;
}

/* Completes a row by what the page implies (suite, round, system type, division), and holds it
 * until the next row shows whether that is its power. */
static abdb_status reject_or_complete_and_hold_site_row(state *s, const abdb_csv_row *csv,
                                                        abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_mlperf_row row = {0};
    char reason[200];
    abdb_status st = ABDB_OK;

    if (!abdb_csv_row_fits_header_width_or_explain(&s->header, csv, s->in, s->delimiter, reason,
                                                   sizeof reason)) {
        TRY(import_or_reject_held_row(s, NULL, err));
        s->waits = false;
        return abdb_csv_reject_and_end_row(s->context.sink, csv, "row", reason, err);
    }
    abdb_mlperf_fill_row_from_csv_cells(abdb_mlperf_columns, MLPERF_SHARED, s->shared, csv, &row);
    abdb_mlperf_fill_row_from_csv_cells(map, MAP_COUNT, s->place, csv, &row);
    row.suite = suite_from_label_or_scenario(&arena, row.suite, row.scenario != NULL);
    if (!row.suite) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a suite"));
    if (!row.round) row.round = abdb_mlperf_round_of_public_id(&arena, row.public_id);
    if (!row.system_type && strcmp(row.suite, "inference") == 0)
        row.system_type = abdb_mlperf_site_system_type_or_stream_edge(s->system_type, row.scenario);
    if (!row.division) row.division = "closed"; /* the pages' default tab; --set cannot undo it */
    TRY(merge_power_and_import_twice_or_hold_row(s, &row, csv, err));
done:
    abdb_arena_free(&arena);
    return st;
}

/* Takes a header, which ends the table before it, and imports or holds every other row. A title on
 * line 1 is skipped. */
static abdb_status store_header_or_take_site_row(void *self, const abdb_csv_row *csv,
                                                 abdb_error *err)
{
    state *s = self;
    abdb_status st = ABDB_OK;

    bool is_header = !s->header.count || abdb_csv_row_is_another_header(&s->header, csv);

    if (!is_header) return reject_or_complete_and_hold_site_row(s, csv, err);
    if (csv->line == 1 && !is_results_page_csv_header(csv->raw, csv->raw_size))
        return ABDB_OK; /* a title */
    TRY(import_or_reject_held_row(s, NULL, err));
    s->waits = false;
    TRY(abdb_csv_header_replace_by_row(&s->header, csv, err));
    abdb_mlperf_find_columns(abdb_mlperf_columns, MLPERF_SHARED, &s->header, s->shared);
    abdb_mlperf_find_columns(map, MAP_COUNT, &s->header, s->place);
    s->averaged = abdb_csv_find_column_of_any_name(&s->header, "Avg. Result at System Name") >= 0;
    TRY(abdb_csv_store_decimal_marks_of_columns(&s->header, s->in, s->delimiter, err));
    s->context.result_mark = abdb_csv_decimal_mark_of_column(
        &s->header, abdb_csv_find_column_of_any_name(&s->header, RESULT_NAMES));
    s->context.mark = s->header.file_mark;
done:
    return st;
}

/* Imports all tables of a flat export, and the row that is still held at the end. */
static abdb_status import_mlperf_site_tables(const abdb_input *in, const abdb_overrides *overrides,
                                             const abdb_sink *sink, abdb_error *err)
{
    state s = {.in = in,
               .delimiter = abdb_csv_guess_delimiter(in->text, in->text_size),
               .header = {.is_another = is_another_site_header},
               .system_type = abdb_mlperf_site_guess_system_type(in),
               .context = abdb_mlperf_site_make_context(overrides, sink)};
    abdb_status st = abdb_csv_parse_input_rows_to_handler(in, s.delimiter,
                                                          store_header_or_take_site_row, &s, err);

    if (st == ABDB_OK) st = import_or_reject_held_row(&s, NULL, err);
    if (st == ABDB_OK &&
        (s.header.count == 0 || abdb_csv_find_column_of_any_name(&s.header, "Model MLC|Model") < 0))
        st = ABDB_FAIL(err, ABDB_FORMAT,
                       "line 1: no column 'Model MLC': not a flat export of the"
                       " MLCommons results page");
    abdb_csv_header_free(&s.header);
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_mlperf_site = {
    "mlperf-site-csv",
    "flat export of the MLCommons results pages (UTF-16 or re-saved)",
    4,
    NULL,
    mlperf_site_bid,
    import_mlperf_site_tables};
