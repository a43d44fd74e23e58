/* table.c - rows, and what the formats share; see table.h. */
#include "query/table.h"

#include <stdlib.h>
#include <string.h>

#include "query/render.h"

static const struct {
    const char *name;
    abdb_format format;
    void (*print)(const abdb_table *table, FILE *out);
    int for_programs;
} formats[] = {
    {"table", ABDB_TABLE, abdb_render_table, 0},
    {"markdown", ABDB_MARKDOWN, abdb_render_markdown, 0},
    {"csv", ABDB_CSV, abdb_render_csv, 1},
    {"json", ABDB_JSON, abdb_render_json, 1},
    {"jsonl", ABDB_JSONL, abdb_render_jsonl, 1},
    {"html", ABDB_HTML, abdb_render_html, 0},
    {"latex", ABDB_LATEX, abdb_render_latex, 0},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

abdb_status abdb_format_find(abdb_format *out, const char *name, abdb_error *err)
{
    const char *names[FORMAT_COUNT], *near;

    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        names[i] = formats[i].name;
        if (strcmp(name, names[i]) != 0) continue;
        *out = formats[i].format;
        return ABDB_OK;
    }
    near = abdb_nearest(name, names, FORMAT_COUNT);
    return ABDB_FAIL(err, ABDB_USAGE,
                     "no format '%s'%s%s; there are table, markdown, csv, json, jsonl,"
                     " html and latex",
                     name, near ? ", did you mean " : "", near ? near : "");
}

abdb_value *abdb_table_row(abdb_table *table)
{
    if (table->rows == table->room) {
        size_t room = table->room ? 2 * table->room : 64;
        abdb_value *more = realloc(table->value, room * table->columns * sizeof *more);

        if (!more) return NULL;
        table->value = more;
        table->room = room;
    }
    return memset(table->value + table->rows++ * table->columns, 0,
                  table->columns * sizeof *table->value);
}

int abdb_table_column(const abdb_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strcmp(table->column[i].name, name) == 0) return (int)i;
    return -1;
}

abdb_status abdb_table_find(const abdb_table *table, const char *name, size_t *out, abdb_error *err)
{
    const char *names[ABDB_COLUMN_MAX], *near;
    size_t size = strlen(name);
    int at = abdb_table_column(table, name);
    char marked[160];

    if (at < 0 && size > 5 && strcmp(name + size - 5, "_mark") == 0) {
        snprintf(marked, sizeof marked, "%.*s__mark", (int)(size - 5), name);
        at = abdb_table_column(table, marked);
    }
    if (at >= 0) {
        *out = (size_t)at;
        return ABDB_OK;
    }
    for (size_t i = 0; i < table->columns; i++) names[i] = table->column[i].name;
    near = abdb_nearest(name, names, table->columns);
    return ABDB_FAIL(err, ABDB_USAGE, "no column '%s'%s%s%s", name, near ? ", did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

const char *abdb_value_text(const abdb_value *value, char out[32])
{
    out[0] = '\0';
    if (value->kind == ABDB_STRING) return value->text;
    if (value->kind == ABDB_INTEGER)
        snprintf(out, 32, "%lld", value->integer);
    else if (value->kind == ABDB_REAL)
        abdb_number_print(value->real, out);
    return out;
}

abdb_status abdb_table_print(const abdb_table *table, abdb_format format, FILE *out,
                             abdb_error *err)
{
    formats[format].print(table, out);
    for (size_t i = 0; formats[format].for_programs && i < table->notes; i++)
        fprintf(stderr, "%s\n", table->note[i]);
    if (fflush(out) != 0 || ferror(out))
        return ABDB_FAIL(err, ABDB_IO, "cannot write the output: is the disk full?");
    return ABDB_OK;
}

void abdb_table_free(abdb_table *table)
{
    free(table->value);
    abdb_arena_free(&table->arena);
    *table = (abdb_table){0};
}
