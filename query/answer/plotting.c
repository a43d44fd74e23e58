/* plotting.c - from the name of a figure to a picture; see plotting.h. */
#include "query/answer/plotting.h"
#include "query/answer/footnotes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/answer.h"
#include "query/answer/deadline.h"

static const char *style_text(void)
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
    abdb_table_free(&plot->table);
    abdb_report_free(&plot->report);
    abdb_figure_free(&plot->figure);
}

/* The figure's own defaults, "factor=gas, all", where nothing was given. */
static abdb_status add_defaults(const abdb_plot *plot, abdb_arena *arena, const char **value,
                                abdb_error *err)
{
    const char *with = plot->figure.with;
    char *rest = with ? abdb_arena_copy(arena, with, strlen(with)) : NULL, *one;

    if (with && !rest) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name);
    while ((one = strsep(&rest, ","))) {
        char *equals = strchr(one, '=');
        size_t p = 0;

        if (equals) *equals = '\0';
        one = abdb_trim(one);
        while (p < plot->report.params && strcmp(plot->report.param[p].name, one) != 0) p++;
        if (p == plot->report.params)
            return ABDB_FAIL(err, ABDB_FORMAT, "figure %s: report %s has no parameter '%s'",
                             plot->figure.name, plot->figure.report, one);
        if (!value[p]) value[p] = equals ? abdb_trim(equals + 1) : "";
    }
    return ABDB_OK;
}

/* Is it a column that figures see: a visible one, or a hidden one that the figure names? */
static bool is_drawn(const abdb_figure *figure, const char *column)
{
    const char *lists[] = {figure->series, figure->levels};

    if (column[0] != '_') return true;
    for (size_t i = 0; i < 2; i++)
        for (const char *s = lists[i]; s && *(s += strspn(s, " ,"));) {
            size_t size = strcspn(s, " ,");

            if (strlen(column) == size && strncmp(column, s, size) == 0) return true;
            s += size;
        }
    return false;
}

/* Does a stretch of a note say what to type? */
static bool is_command(const char *text, size_t size)
{
    static const char *const verbs[] = {
        "abdb audit", "abdb compare", "abdb explain", "abdb import", "abdb plot", "abdb query",
        "abdb rank",  "abdb run",     "abdb export",  "-o csv",      "`"};

    for (size_t i = 0; i < size; i++) {
        if (i + 2 < size && text[i] == '-' && text[i + 1] == '-' &&
            isalpha((unsigned char)text[i + 2]))
            return true;
        for (size_t v = 0; v < sizeof verbs / sizeof verbs[0]; v++) {
            size_t length = strlen(verbs[v]);

            if (i + length <= size && strncmp(text + i, verbs[v], length) == 0) return true;
        }
    }
    return false;
}

/* How far the next clause goes: to a bracket, or behind "; ", ": " or ". ". */
static size_t clause_size(const char *text)
{
    size_t size = 1;

    if (*text == '(') return strcspn(text, ")") + (strchr(text, ')') != NULL);
    while (text[size] && text[size] != '(') {
        if (strchr(";:.", text[size]) && text[size + 1] == ' ') return size + 2;
        size++;
    }
    return size;
}

/* A note as a picture says it: nobody can type into a picture, so what to type is left out. */
static const char *without_commands(abdb_arena *arena, const char *note)
{
    abdb_text out = {0};
    const char *kept;

    for (size_t size; *note; note += size) {
        size = clause_size(note);
        if (!is_command(note, size)) abdb_text_add(&out, note, size);
    }
    while (out.size && strchr(" ;:", out.data[out.size - 1])) out.data[--out.size] = '\0';
    kept = abdb_arena_copy(arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    return kept ? kept : "";
}

/* The columns of the table as what figures draw. */
static abdb_status make_script(abdb_plot *plot, abdb_error *err)
{
    abdb_table *table = &plot->table;
    const char *names[ABDB_COLUMN_MAX], *notes[ABDB_NOTE_MAX],
        **cells = calloc(table->rows * table->columns + 1, sizeof *cells);
    /* Which columns hold text: those are named in pictures, numbers are drawn. */
    unsigned char text[ABDB_COLUMN_MAX] = {0};
    size_t shown[ABDB_COLUMN_MAX], columns = 0;
    abdb_drawing drawing = {.rows = table->rows,
                            .name = names,
                            .cell = cells,
                            .text = text,
                            .title = table->title,
                            .note = notes};
    abdb_status st = ABDB_OK;

    if (!cells) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name);
    for (size_t i = 0; i < table->notes; i++) {
        notes[drawing.notes] = without_commands(&table->arena, table->note[i]);
        drawing.notes += *notes[drawing.notes] != '\0';
    }
    for (size_t c = 0; c < table->columns; c++)
        if (is_drawn(&plot->figure, table->column[c].name)) shown[columns++] = c;
    drawing.columns = columns;
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
    TRY(abdb_figure_script(&plot->figure, style_text(), &drawing, &plot->script, err));
done:
    free(cells);
    return st;
}

abdb_status abdb_plot_fill(abdb_plot *plot, abdb_db *db, const char *const *value, abdb_error *err)
{
    const char *mine[ABDB_PARAM_COUNT] = {0};
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < plot->report.params; i++) mine[i] = value ? value[i] : NULL;
    TRY(add_defaults(plot, &arena, mine, err));
    TRY(abdb_report_answer(db, &plot->report, mine, &plot->table, err));
    if (plot->figure.title)
        plot->table.title =
            abdb_report_title(&plot->report, mine, plot->figure.title, &plot->table);
    TRY(make_script(plot, err));
done:
    abdb_arena_free(&arena);
    return st;
}

abdb_status abdb_plot_store(const abdb_plot *plot, abdb_picture picture, int dark, const char *path,
                            abdb_error *err)
{
    abdb_answer answer = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_answer_begin(&answer, err));
    answer.commands = picture == ABDB_SIXEL;
    TRY(abdb_figure_draw(abdb_text_get(&plot->script), picture, dark, abdb_deadline_left_s(),
                         answer.file, err));
    TRY(abdb_answer_print(&answer, path, err));
done:
    abdb_answer_free(&answer);
    return st;
}
