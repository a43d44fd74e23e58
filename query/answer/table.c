/* table.c - rows, and shared functions of the formats; see table.h. */
#include "query/answer/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schema/core/array.h"

abdb_value *abdb_table_append_row(abdb_table *table)
{
    abdb_value *more = abdb_array_reserve_one(table->value, table->rows, &table->capacity,
                                              table->columns * sizeof *more);

    if (!more) return NULL;
    table->value = more;
    return memset(table->value + table->rows++ * table->columns, 0,
                  table->columns * sizeof *table->value);
}

const char *abdb_table_copy_text(abdb_table *t, const char *text)
{
    const char *copy = abdb_arena_copy(&t->arena, text, strlen(text));

    return copy ? copy : "";
}

int abdb_table_column_index(const abdb_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strcmp(table->column[i].name, name) == 0) return (int)i;
    return -1;
}

const char *abdb_table_cell_text_or_empty(const abdb_table *table, size_t row, const char *column)
{
    static _Thread_local char number[32];
    int at = abdb_table_column_index(table, column);
    const abdb_value *v = at < 0 ? NULL : &table->value[row * table->columns + (size_t)at];

    return v && v->kind != ABDB_NULL ? abdb_value_text(v, number) : "";
}

/* The only column whose printed heading is that, its mark left out; -1: none, or several. */
static int find_only_column_by_printed_heading(const abdb_table *table, const char *name)
{
    int at = -1;

    for (size_t i = 0; i < table->columns; i++) {
        const char *label = table->column[i].label, *mark = label ? strstr(label, "†") : NULL;
        size_t size = label ? strlen(label) : 0;

        if (mark) size = (size_t)(mark - label);
        if (!size || strlen(name) < size || strncasecmp(name, label, size) != 0 ||
            (name[size] && strcmp(name + size, "†") != 0))
            continue;
        if (at >= 0) return -1;
        at = (int)i;
    }
    return at;
}

abdb_status abdb_table_require_column_by_name_or_heading(const abdb_table *table, const char *name,
                                                         size_t *out, abdb_error *err)
{
    const char *names[ABDB_COLUMN_MAX], *near;
    size_t size = strlen(name);
    int at = abdb_table_column_index(table, name);
    /* X_mark in CSV is X__mark in the table. */
    char marked[160];
    abdb_text there = {0};
    abdb_status st;

    if (at < 0 && size > 5 && strcmp(name + size - 5, "_mark") == 0) {
        snprintf(marked, sizeof marked, "%.*s__mark", (int)(size - 5), name);
        at = abdb_table_column_index(table, marked);
    }
    if (at < 0) at = find_only_column_by_printed_heading(table, name);
    if (at >= 0) {
        *out = (size_t)at;
        return ABDB_OK;
    }
    for (size_t i = 0; i < table->columns; i++) names[i] = table->column[i].name;
    near = abdb_nearest_name(name, names, table->columns);
    if (near) return ABDB_FAIL(err, ABDB_USAGE, "no column '%s', did you mean '%s'?", name, near);
    for (size_t i = 0; i < table->columns; i++)
        if (names[i][0] != '_' && !strstr(names[i], "__mark"))
            abdb_text_printf(&there, "%s%s", there.size ? ", " : "", names[i]);
    st = ABDB_FAIL(err, ABDB_USAGE, "no column '%s'; there are: %s", name, abdb_text_get(&there));
    abdb_text_free(&there);
    return st;
}

/* Keeps two places: for the count of dropped notes, and for a note that comes first or is cut. */
static void append_note_or_count_dropped(abdb_table *table, const char *text)
{
    size_t last = ABDB_NOTE_MAX - 2;
    const char *count;

    if (!text) return; /* no memory: the exit code reports it */
    if (table->notes < last) {
        table->note[table->notes++] = text;
        return;
    }
    table->dropped_notes++;
    count = abdb_arena_printf(&table->arena, "and %zu more note%s", table->dropped_notes,
                              abdb_plural_ending(table->dropped_notes));
    table->note[last] = count ? count : "and more notes";
    if (table->notes == last) table->notes++;
}

void abdb_table_add_note(abdb_table *table, const char *text)
{
    append_note_or_count_dropped(table, abdb_arena_copy(&table->arena, text, strlen(text)));
}

void abdb_table_add_note_format(abdb_table *table, const char *format, ...)
{
    va_list list, again;
    char *text;
    int size;

    va_start(list, format);
    va_copy(again, list);
    size = vsnprintf(NULL, 0, format, list);
    text = size < 0 ? NULL : abdb_arena_alloc(&table->arena, (size_t)size + 1);
    if (text) vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(list);
    append_note_or_count_dropped(table, text);
}

/* "! 'llama2-70b' is taken for llama2-70b-99": without it the rows answer another question. */
static bool note_names_what_was_taken(const char *note)
{
    return note && strncmp(note, "! ", 2) == 0 && strstr(note, "taken for ");
}

void abdb_table_replace_notes_by_count_keeping_cut(abdb_table *table)
{
    size_t hidden = table->dropped_notes ? table->dropped_notes - 1 : 0,
           last = table->notes - (table->cut && table->notes), left = 0, kept = 0;
    const char *cut = last < table->notes ? table->note[last] : NULL;

    for (size_t i = 0; i < last; i++)
        if (note_names_what_was_taken(table->note[i]))
            table->note[kept++] = table->note[i];
        else
            left++;
    table->notes = kept;
    if (left) {
        const char *count =
            abdb_arena_printf(&table->arena, "%zu note%s left out, footnotes among them: --brief",
                              left + hidden, abdb_plural_ending((long long)(left + hidden)));

        table->note[table->notes++] = count ? count : "notes left out: --brief";
    }
    if (cut) table->note[table->notes++] = cut;
}

const char *abdb_value_text(const abdb_value *value, char out[32])
{
    out[0] = '\0';
    if (value->kind == ABDB_STRING) return value->text;
    if (value->kind == ABDB_INTEGER)
        snprintf(out, 32, "%lld", value->integer);
    else if (value->kind == ABDB_REAL)
        abdb_format_shortest_double(value->real, out);
    return out;
}

void abdb_table_free(abdb_table *table)
{
    free(table->value);
    abdb_arena_free(&table->arena);
    *table = (abdb_table){0};
}

abdb_status abdb_table_append_empty_column(abdb_table *t, const char *name, abdb_error *err)
{
    size_t columns = t->columns + 1;
    abdb_value *wider = calloc(t->capacity ? t->capacity * columns : 1, sizeof *wider);

    if (!wider || columns > ABDB_COLUMN_MAX) {
        free(wider);
        return ABDB_FAIL(err, ABDB_NOMEM, "column %s", name);
    }
    for (size_t r = 0; r < t->rows; r++)
        memcpy(wider + r * columns, t->value + r * t->columns, t->columns * sizeof *wider);
    free(t->value);
    t->value = wider;
    t->column[t->columns] = (abdb_column){.name = name};
    t->columns = columns;
    return ABDB_OK;
}

void abdb_table_append_cut_note(abdb_table *t)
{
    if (t->cut && t->notes == ABDB_NOTE_MAX) t->notes--;
    if (t->cut) t->note[t->notes++] = t->cut;
    t->cut = NULL;
}

abdb_status abdb_table_fill_warnings_column(abdb_table *t, abdb_error *err)
{
    int column = abdb_table_column_index(t, "warnings");
    abdb_text all = {0};
    const char *said;

    for (size_t i = 0; i < t->notes; i++)
        if (strncmp(t->note[i], "! ", 2) == 0)
            abdb_text_printf(&all, "%s%s", all.size ? "; " : "", t->note[i] + 2);
    said = all.size ? abdb_arena_copy(&t->arena, abdb_text_get(&all), all.size) : "";
    abdb_text_free(&all);
    if (!said) return ABDB_FAIL(err, ABDB_NOMEM, "warnings");
    for (size_t r = 0; column >= 0 && *said && r < t->rows; r++)
        t->value[r * t->columns + (size_t)column] = (abdb_value){.kind = ABDB_STRING, .text = said};
    return ABDB_OK;
}
