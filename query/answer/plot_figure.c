/* plot_figure.c - from the name of a figure to a picture; see plot_figure.h. */
#include "query/answer/plot_figure.h"
#include "query/answer/mlperf_footnotes.h"

#include <stdlib.h>
#include <string.h>

#include "query/answer/buffered_output.h"
#include "query/answer/caption_note.h"
#include "query/answer/deadline.h"
#include "query/answer/headline.h"
#include "plots/png_chunk.h"
#include "plots/provenance.h"
#include "query/answer/provenance.h"
#include "query/answer/sql_rows.h"
#include "query/answer/output.h"
#include "schema/store/digest.h"

static const char *shipped_gnuplot_style(void)
{
    for (size_t i = 0; abdb_figures[i].name; i++)
        if (strcmp(abdb_figures[i].name, "style.gp") == 0) return abdb_figures[i].text;
    return "";
}

abdb_status abdb_plot_load(abdb_plot *plot, const char *name, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *plot = (abdb_plot){0};
    TRY(abdb_figure_load(&plot->figure, name, err));
    TRY(abdb_report_load(&plot->report, plot->figure.report, err));
done:
    return st;
}

void abdb_plot_free(abdb_plot *plot)
{
    abdb_text_free(&plot->script);
    abdb_text_free(&plot->undrawn);
    abdb_table_free(&plot->table);
    abdb_report_free(&plot->report);
    abdb_figure_free(&plot->figure);
}

/* The figure's own defaults, "factor=gas, all", where nothing was given. */
static abdb_status apply_figure_defaults(const abdb_plot *plot, abdb_arena *arena,
                                         const char **value, abdb_error *err)
{
    const char *with = plot->figure.with;
    char *rest = with ? abdb_arena_copy(arena, with, strlen(with)) : NULL, *one;

    if (with && !rest) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name);
    while ((one = strsep(&rest, ","))) {
        char *equals = strchr(one, '=');
        size_t p = 0;

        if (equals) *equals = '\0';
        one = abdb_trim_in_place(one);
        while (p < plot->report.params && strcmp(plot->report.param[p].name, one) != 0) p++;
        if (p == plot->report.params)
            return ABDB_FAIL(err, ABDB_FORMAT, "figure %s: report %s has no parameter '%s'",
                             plot->figure.name, plot->figure.report, one);
        if (!value[p]) value[p] = equals ? abdb_trim_in_place(equals + 1) : "";
    }
    return ABDB_OK;
}

/* Is it a column that figures see: a visible one, or a hidden one that the figure names? */
static bool column_is_for_figure(const abdb_figure *figure, const char *column)
{
    const char *lists[] = {figure->series, figure->series_by, figure->levels};

    if (column[0] != '_') return true;
    for (size_t i = 0; i < 3; i++)
        for (const char *s = lists[i]; s && *(s += strspn(s, " ,"));) {
            size_t size = strcspn(s, " ,");

            if (strlen(column) == size && strncmp(column, s, size) == 0) return true;
            s += size;
        }
    return false;
}

/* --- devices -------------------------------------------------------------------------------------
 */

/* The column that names the devices; SIZE_MAX: there is none. */
static size_t find_device_column(const abdb_plot *plot)
{
    const char *names[] = {plot->figure.names, "device", "accelerator"};
    int at = -1;

    for (size_t i = 0; i < 3 && at < 0; i++)
        if (names[i]) at = abdb_table_column_index(&plot->table, names[i]);
    return at < 0 ? SIZE_MAX : (size_t)at;
}

/* Marks the rows whose device one of the names or patterns meets, ',' between them. ABDB_USAGE: one
 * meets none (the nearest is named). */
static abdb_status mark_rows_by_device(const abdb_plot *plot, const char *option, const char *list,
                                       unsigned char *marked, abdb_error *err)
{
    const abdb_table *t = &plot->table;
    size_t column = find_device_column(plot);
    const char **names = calloc(t->rows + 1, sizeof *names);
    char *copy = strdup(list), *rest = copy, *one;
    abdb_status st = ABDB_OK;

    if (!copy || !names) TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name));
    if (column == SIZE_MAX)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--%s: figure %s shows no devices", option,
                      plot->figure.name));
    for (size_t r = 0; r < t->rows; r++) names[r] = abdb_cell_text_or_empty(t, r, column);
    while ((one = strsep(&rest, ","))) {
        size_t met = 0;
        const char *near;

        one = abdb_trim_in_place(one);
        for (size_t r = 0; *one && r < t->rows; r++)
            if (abdb_glob_matches_ignoring_case(one, names[r])) {
                marked[r] = 1;
                met++;
            }
        if (met || !*one) continue;
        near = abdb_nearest_name(one, names, t->rows);
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--%s: nothing that figure %s shows is called '%s'%s%s%s",
                      option, plot->figure.name, one, near ? ", did you mean '" : "",
                      near ? near : "", near ? "'?" : ""));
    }
done:
    free(copy);
    free(names);
    return st;
}

/* Leaves only the rows of these devices. */
static abdb_status drop_rows_of_other_devices(abdb_plot *plot, const char *list, abdb_error *err)
{
    abdb_table *t = &plot->table;
    unsigned char *marked = calloc(t->rows + 1, 1);
    size_t kept = 0;
    abdb_status st = ABDB_OK;

    if (!marked) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name);
    TRY(mark_rows_by_device(plot, "devices", list, marked, err));
    for (size_t r = 0; r < t->rows; r++)
        if (marked[r])
            memmove(t->value + kept++ * t->columns, t->value + r * t->columns,
                    t->columns * sizeof *t->value);
    t->rows = kept;
done:
    free(marked);
    return st;
}

/* The vendor of each row's device; "" where it is unknown. */
static abdb_status load_vendor_of_rows(const abdb_plot *plot, abdb_db *db, const char **vendor,
                                       abdb_table *devices, abdb_error *err)
{
    size_t column = find_device_column(plot);
    abdb_status st =
        abdb_run_readonly_sql(db, "SELECT device, vendor FROM v_device", NULL, NULL, devices, err);

    for (size_t r = 0; st == ABDB_OK && r < plot->table.rows; r++) {
        const char *name =
            column == SIZE_MAX ? "" : abdb_cell_text_or_empty(&plot->table, r, column);

        vendor[r] = "";
        for (size_t d = 0; d < devices->rows && *name; d++)
            if (strcmp(abdb_cell_text_or_empty(devices, d, 0), name) == 0)
                vendor[r] = abdb_cell_text_or_empty(devices, d, 1);
    }
    return st;
}

/* --- the script ---------------------------------------------------------------------------------
 */

/* Collects the notes of the table in the words of a picture. */
static void collect_caption_notes(abdb_table *table, abdb_drawing *drawing, const char **notes,
                                  unsigned char *stays)
{
    for (size_t i = 0; i < table->notes; i++) {
        notes[drawing->notes] = abdb_plot_note_to_caption_text(&table->arena, table->note[i]);
        stays[drawing->notes] = abdb_note_belongs_into_picture(table->note[i]);
        drawing->notes += *notes[drawing->notes] != '\0';
    }
}

/* Passes the columns of the table to the drawing of the figure. */
static abdb_status build_gnuplot_script(abdb_plot *plot, abdb_drawing *drawing, abdb_error *err)
{
    abdb_table *table = &plot->table;
    const char *names[ABDB_COLUMN_MAX], *notes[ABDB_NOTE_MAX],
        **cells = calloc(table->rows * table->columns + 1, sizeof *cells);
    /* 1 for text columns: pictures print text as names and draw numbers. */
    unsigned char text[ABDB_COLUMN_MAX] = {0}, stays[ABDB_NOTE_MAX];
    size_t shown[ABDB_COLUMN_MAX], columns = 0;
    abdb_status st = ABDB_OK;

    if (!cells) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name);
    collect_caption_notes(table, drawing, notes, stays);
    for (size_t c = 0; c < table->columns; c++)
        if (column_is_for_figure(&plot->figure, table->column[c].name)) shown[columns++] = c;
    *drawing = (abdb_drawing){.rows = table->rows,
                              .columns = columns,
                              .name = names,
                              .cell = cells,
                              .text = text,
                              .title = table->title,
                              .subtitle = plot->subtitle,
                              .status = plot->status,
                              .notes = drawing->notes,
                              .note = notes,
                              .stays = stays,
                              .lit = drawing->lit,
                              .vendor = drawing->vendor,
                              .undrawn = &plot->undrawn};
    for (size_t c = 0; c < columns; c++) {
        names[c] = table->column[shown[c]].name;
        for (size_t r = 0; r < table->rows; r++) {
            const abdb_value *v = &table->value[r * table->columns + shown[c]];
            char number[32];
            const char *cell = abdb_value_text(v, number);

            text[c] |= v->kind == ABDB_STRING;
            if (v->kind == ABDB_NULL) continue;
            if (v->kind != ABDB_STRING) cell = abdb_arena_copy(&table->arena, cell, strlen(cell));
            if (!cell) TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name));
            cells[r * columns + c] = cell;
        }
    }
    TRY(abdb_figure_build_script(&plot->figure, shipped_gnuplot_style(), drawing, &plot->script,
                                 err));
done:
    free(cells);
    return st;
}

static const char *copy_into_table(abdb_table *table, const char *text)
{
    return text ? abdb_arena_copy(&table->arena, text, strlen(text)) : NULL;
}

/* --- a narrowed field -------------------------------------------------------------------------
 */

/* The options that narrow the field of a figure: "chosen devices, vendor AMD: "; the values without
 * them in `wide`. "": none. */
static const char *describe_narrowing_widen_values(abdb_plot *plot, const abdb_plot_look *look,
                                                   const char *const *value, const char **wide)
{
    static const char *const narrowing[][2] = {
        {"vendor", "vendor "}, {"provider", "provider "}, {"where", "results with "}};
    const char *words = look->devices ? "chosen devices" : "";

    for (size_t p = 0; p < plot->report.params; p++) {
        wide[p] = value[p];
        for (size_t i = 0; i < sizeof narrowing / sizeof narrowing[0] && words; i++) {
            if (!plot->value[p] || strcmp(plot->report.param[p].name, narrowing[i][0]) != 0)
                continue;
            wide[p] = NULL;
            words = abdb_arena_printf(&plot->table.arena, "%s%s%s%s", words, *words ? ", " : "",
                                      narrowing[i][1], plot->value[p]);
        }
    }
    return words ? words : "";
}

/* A leader among chosen rows is called one of these, and who leads the whole field is noted. */
static abdb_status qualify_headline_of_narrowed_field(abdb_plot *plot, abdb_db *db,
                                                      const abdb_plot_look *look,
                                                      const char *const *value, abdb_headline *said,
                                                      abdb_error *err)
{
    const char *wide[ABDB_PARAM_COUNT] = {0};
    const char *words = describe_narrowing_widen_values(plot, look, value, wide);
    abdb_table all = {0};
    abdb_headline whole = {0};
    abdb_status st = ABDB_OK;

    if (!*words || !said->sentence) return ABDB_OK;
    TRY(abdb_report_run_with_footnotes(db, &plot->report, wide, &all, err));
    TRY(abdb_headline_from_table(&whole, db, &plot->figure, &plot->report, wide, NULL, &all, err));
    if (whole.sentence && strcmp(whole.sentence, said->sentence) != 0)
        abdb_table_add_note_format(&plot->table, "of the whole field: %s", whole.sentence);
    said->sentence = abdb_arena_printf(&plot->table.arena, "Of %s: %s", words, said->sentence);
done:
    abdb_table_free(&all);
    return st;
}

/* Sets title, subtitle and status: the user's, else the finding, else the figure's own. */
static abdb_status set_title_subtitle_status(abdb_plot *plot, abdb_db *db, const char *const *value,
                                             const char *const *vendor, const abdb_plot_look *look,
                                             abdb_error *err)
{
    abdb_table *table = &plot->table;
    const char *plain = table->title;
    abdb_headline said;
    abdb_status st = ABDB_OK;

    if (plot->figure.title)
        plain = abdb_report_fill_title(&plot->report, value, plot->figure.title, table);
    TRY(abdb_headline_from_table(&said, db, &plot->figure, &plot->report, value, vendor, table,
                                 err));
    TRY(qualify_headline_of_narrowed_field(plot, db, look, value, &said, err));
    table->title = look->title     ? copy_into_table(table, look->title)
                   : said.sentence ? said.sentence
                                   : plain;
    plot->subtitle = look->subtitle                 ? copy_into_table(table, look->subtitle)
                     : said.subtitle                ? said.subtitle
                     : said.sentence || look->title ? plain
                                                    : NULL;
    if (said.note) abdb_table_add_note(table, said.note);
    TRY(abdb_describe_verification_and_sources(&plot->status, db, table, err));
done:
    return st;
}

/* Keeps the user's options, because the picture carries them. */
static void copy_look_into_plot(abdb_plot *plot, const abdb_plot_look *look)
{
    plot->look = (abdb_plot_look){.title = copy_into_table(&plot->table, look->title),
                                  .subtitle = copy_into_table(&plot->table, look->subtitle),
                                  .highlight = copy_into_table(&plot->table, look->highlight),
                                  .devices = copy_into_table(&plot->table, look->devices),
                                  .size = copy_into_table(&plot->table, look->size),
                                  .vendor_colours = look->vendor_colours};
}

/* The values as given; `today` is said, since tomorrow's is another. */
static abdb_status copy_parameter_values_resolving_today(abdb_plot *plot, abdb_db *db,
                                                         const char *const *value, abdb_error *err)
{
    abdb_table now = {0};
    abdb_status st = ABDB_OK;

    for (size_t p = 0; p < plot->report.params; p++) {
        const char *given = value ? value[p] : NULL;

        if (!given && strcmp(plot->report.param[p].name, "today") == 0) {
            TRY(abdb_run_readonly_sql(db, "SELECT date('now')", NULL, NULL, &now, err));
            given = abdb_cell_text_or_empty(&now, 0, 0);
        }
        plot->value[p] = copy_into_table(&plot->table, given);
    }
done:
    abdb_table_free(&now);
    return st;
}

abdb_status abdb_plot_run_report(abdb_plot *plot, abdb_db *db, const char *const *value,
                                 abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(copy_parameter_values_resolving_today(plot, db, value, err));
    memcpy(plot->asked, plot->value, sizeof plot->asked);
    TRY(abdb_report_run_with_footnotes(db, &plot->report, plot->value, &plot->table, err));
    TRY(abdb_table_fill_warnings_column(&plot->table, err));
done:
    return st;
}

abdb_status abdb_plot_run_report_and_build_script(abdb_plot *plot, abdb_db *db,
                                                  const char *const *value,
                                                  const abdb_plot_look *look, abdb_error *err)
{
    static const abdb_plot_look plain = {0};
    const char *mine[ABDB_PARAM_COUNT] = {0}, **vendor = NULL;
    unsigned char *lit = NULL;
    abdb_arena arena = {0};
    abdb_table devices = {0};
    abdb_drawing drawing = {0};
    abdb_status st = ABDB_OK;

    if (!look) look = &plain;
    copy_look_into_plot(plot, look);
    if (look->size) TRY(abdb_figure_set_size(&plot->figure, look->size, err));
    plot->figure.vendor_colours = look->vendor_colours;
    TRY(copy_parameter_values_resolving_today(plot, db, value, err));
    for (size_t i = 0; i < plot->report.params; i++) mine[i] = plot->value[i];
    if (look->devices) abdb_report_lift_row_limits(&plot->report, mine);
    TRY(apply_figure_defaults(plot, &arena, mine, err));
    for (size_t i = 0; i < plot->report.params; i++)
        plot->asked[i] = copy_into_table(&plot->table, mine[i]);
    TRY(abdb_report_run_with_footnotes(db, &plot->report, mine, &plot->table, err));
    TRY(abdb_table_fill_warnings_column(&plot->table, err));
    if (look->devices && plot->table.rows)
        TRY(drop_rows_of_other_devices(plot, look->devices, err));
    vendor = calloc(plot->table.rows + 1, sizeof *vendor);
    lit = calloc(plot->table.rows + 1, 1);
    if (!vendor || !lit) TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name));
    TRY(load_vendor_of_rows(plot, db, vendor, &devices, err));
    if (look->highlight && plot->table.rows) {
        TRY(mark_rows_by_device(plot, "highlight", look->highlight, lit, err));
        drawing.lit = lit;
    }
    drawing.vendor = vendor;
    TRY(set_title_subtitle_status(plot, db, mine, vendor, look, err));
    TRY(build_gnuplot_script(plot, &drawing, err));
done:
    free(vendor);
    free(lit);
    abdb_table_free(&devices);
    abdb_arena_free(&arena);
    return st;
}

/* Notes in a PNG for print how many dots an inch has. *data is replaced. */
static abdb_status set_resolution_if_printed_png(const abdb_figure *figure, abdb_picture picture,
                                                 char **data, size_t *size, abdb_error *err)
{
    abdb_text whole = {0};

    if (picture != ABDB_PNG || !figure->printed) return ABDB_OK;
    abdb_png_append_with_resolution(&whole, *data, *size, ABDB_CSS_DPI * figure->pixels);
    if (whole.failed) {
        abdb_text_free(&whole);
        return ABDB_FAIL(err, ABDB_NOMEM, "a picture");
    }
    free(*data);
    *data = whole.data;
    *size = whole.size;
    return ABDB_OK;
}

abdb_status abdb_plot_draw_with_provenance(const abdb_plot *plot, abdb_picture picture,
                                           abdb_tone tone, const char *path, abdb_error *err)
{
    abdb_output_buffer answer = {0};
    abdb_text stamp = {0}, whole = {0};
    char *data = NULL, digest[ABDB_SHA256_HEX];
    size_t size = 0;
    FILE *drawn = open_memstream(&data, &size);
    abdb_status st = ABDB_OK;

    TRY(abdb_output_buffer_open(&answer, err));
    answer.is_terminal_graphics = picture == ABDB_SIXEL;
    if (!drawn) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a picture"));
    TRY(abdb_figure_draw(abdb_text_get(&plot->script), picture, tone, abdb_deadline_seconds_left(),
                         drawn, err));
    if (fclose(drawn) != 0) st = ABDB_FAIL(err, ABDB_NOMEM, "a picture");
    drawn = NULL; /* data is whole, and ours */
    if (st != ABDB_OK) goto done;
    TRY(set_resolution_if_printed_png(&plot->figure, picture, &data, &size, err));
    if (picture != ABDB_DUMB && picture != ABDB_SIXEL) {
        abdb_sha256_hex(data, size, digest);
        TRY(abdb_provenance_append_json(plot, picture, tone, digest, NULL, &stamp, err));
    }
    abdb_provenance_embed(picture, data, size, abdb_text_get(&stamp), &whole);
    if (whole.failed ||
        !abdb_write_sanitized_if_terminal(answer.file, abdb_text_get(&whole), whole.size))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "a picture"));
    TRY(abdb_output_buffer_write_to(&answer, path, err));
done:
    if (drawn) fclose(drawn);
    free(data);
    abdb_text_free(&stamp);
    abdb_text_free(&whole);
    abdb_output_buffer_free(&answer);
    return st;
}

abdb_status abdb_plot_draw_same_rows_at_size(abdb_plot *plot, abdb_db *db, const char *size,
                                             abdb_picture picture, abdb_tone tone, const char *path,
                                             abdb_error *err)
{
    abdb_plot sized = *plot; /* shares the rows: only what depends on the size is its own */
    const char **vendor = calloc(plot->table.rows + 1, sizeof *vendor);
    abdb_table devices = {0};
    abdb_drawing drawing = {.vendor = vendor};
    abdb_status st = ABDB_OK;

    sized.script = sized.undrawn = (abdb_text){0};
    sized.look.size = size;
    if (!vendor) TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name));
    TRY(abdb_figure_set_size(&sized.figure, size, err));
    TRY(load_vendor_of_rows(&sized, db, vendor, &devices, err));
    TRY(build_gnuplot_script(&sized, &drawing, err));
    TRY(abdb_plot_draw_with_provenance(&sized, picture, tone, path, err));
done:
    plot->table.arena = sized.table.arena; /* grew by texts of cells */
    abdb_text_free(&sized.script);
    abdb_text_free(&sized.undrawn);
    abdb_table_free(&devices);
    free(vendor);
    return st;
}
