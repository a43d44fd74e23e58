/* words.c - what people, figures, reports and plans say: selections through a comparison, headers
 * of figures through a script for gnuplot, headers of reports through their rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/runner/plan.h"
#include "plots/figure.h"
#include "query/answer/render.h"
#include "query/answer/report.h"
#include "query/compare/compare.h"
#include "query/compare/compare_table.h"
#include "tests/fuzz/fuzz.h"

enum { STEPS = 20000, PATIENCE = 100 }; /* of SQLite, then a statement is interrupted */

/* Statements that others write may take for ever; abdb has its deadline, this counts. */
static int interrupt_after_100_progress_calls(void *count)
{
    return ++*(int *)count > PATIENCE;
}
static int waited;

static abdb_db *filled;

static void close_filled_db(void)
{
    abdb_db_close(filled);
}

static abdb_db *open_filled_db_limiting_steps(void)
{
    abdb_error err;

    waited = 0;
    if (filled) return filled;
    if (abdb_db_open(&filled, fuzz_import_fixtures_once_get_db_path(), ABDB_READ, &err) !=
            ABDB_OK ||
        abdb_restrict_db_to_reads_begin_deadline(filled, 0, &err) != ABDB_OK)
        fuzz_abort_promise_broken("the target's own database", err.message);
    atexit(close_filled_db);
    sqlite3_limit(filled->sql, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(filled->sql, STEPS, interrupt_after_100_progress_calls, &waited);
    return filled;
}

static void tabulate_and_print_comparison(const abdb_comparison *c, abdb_db *db)
{
    abdb_table table = {0};
    abdb_error err;

    if (abdb_comparison_to_data_table(c, true, &table, &err) != ABDB_OK) return;
    abdb_table_free(&table);
    (void)!abdb_print_comparison(c, db, false, stdout, &err);
}

/* Two lines, two selections. */
FUZZ_TARGET(fuzz_parse_selection_and_compare_two_sets)
{
    char *text = fuzz_copy_bytes_as_c_string(data, size), *second = strchr(text, '\n');
    const char *set[2] = {text, second ? second + 1 : "device=H100-SXM"};
    const abdb_compare_options options = {.exploratory = true};
    abdb_comparison comparison = {0};
    abdb_selection selection = {.words = true};
    abdb_db *db = open_filled_db_limiting_steps();
    abdb_error err;

    (void)word;
    if (second) *second = '\0';
    (void)!abdb_selection_parse_and_append(&selection, text, &err);
    abdb_selection_free(&selection);
    if (abdb_compare_first_set_with_others(&comparison, db->sql, set, 2, &options, &err) == ABDB_OK)
        tabulate_and_print_comparison(&comparison, db);
    abdb_comparison_free(&comparison);
    free(text);
}

/* A figure over rows of others, whose text is the end of the bytes: gnuplot must see it as text. */
FUZZ_TARGET(fuzz_parse_figure_and_build_gnuplot_script)
{
    const unsigned char *end = size ? memchr(data, 0, size) : NULL;
    char *text = fuzz_copy_bytes_as_c_string(data, end ? (size_t)(end - data) : size);
    char *cell = fuzz_copy_bytes_as_c_string(end ? end + 1 : data,
                                             end ? size - (size_t)(end + 1 - data) : 0);
    const char *const names[] = {"device", "value", "vendor", "round"};
    const char *const cells[] = {cell, "1.5", cell, "v5.1", "H100", "2e9", NULL, cell};
    const unsigned char are_text[] = {1, 0, 1, 1};
    abdb_text undrawn = {0}, script = {0};
    abdb_drawing drawing = {.columns = 4,
                            .rows = 2,
                            .name = names,
                            .cell = cells,
                            .text = are_text,
                            .title = cell,
                            .subtitle = cell,
                            .status = cell,
                            .notes = 1,
                            .note = cells,
                            .undrawn = &undrawn};
    abdb_figure figure = {0};
    abdb_error err;

    (void)word;
    if (abdb_figure_parse_header(&figure, "fuzz", text, &err) == ABDB_OK) {
        (void)!abdb_figure_build_script(&figure, "", &drawing, &script, &err);
        if (abdb_figure_set_size(&figure, cell, &err) == ABDB_OK)
            (void)!abdb_figure_build_script(&figure, "", &drawing, &script, &err);
    }
    abdb_figure_free(&figure);
    abdb_text_free(&script);
    abdb_text_free(&undrawn);
    free(text);
    free(cell);
}

FUZZ_TARGET(fuzz_parse_report_and_run_its_query)
{
    const unsigned char *end = size ? memchr(data, 0, size) : NULL;
    char *text = fuzz_copy_bytes_as_c_string(data, end ? (size_t)(end - data) : size);
    char *value = fuzz_copy_bytes_as_c_string(end ? end + 1 : data,
                                              end ? size - (size_t)(end + 1 - data) : 0);
    const char *values[ABDB_PARAM_COUNT] = {end ? value : NULL};
    char cell[ABDB_CELL_SIZE];
    abdb_report report = {0};
    abdb_table table = {0};
    abdb_error err;

    (void)word;
    if (abdb_report_parse(&report, "fuzz", text, &err) == ABDB_OK) {
        if (abdb_report_run_into_table(open_filled_db_limiting_steps(), &report, values, &table,
                                       &err) == ABDB_OK)
            for (size_t i = 0; i < table.rows * table.columns; i++)
                abdb_format_cell_rounded_with_mark(&table, i / table.columns, i % table.columns,
                                                   cell);
        if (report.title) (void)abdb_report_fill_title(&report, values, report.title, &table);
        abdb_report_lift_row_limits(&report, values);
    }
    abdb_table_free(&table);
    abdb_report_free(&report);
    free(text);
    free(value);
}

FUZZ_TARGET(fuzz_parse_plan_into_cells)
{
    char *text = fuzz_copy_bytes_as_c_string(data, size);
    abdb_plan plan = {0};
    abdb_error err;

    (void)word;
    (void)!abdb_plan_add_cells(&plan, text, &err);
    abdb_plan_free(&plan);
    free(text);
}
