/* pick_columns.c - a table of picked columns; see pick_columns.h. */
#include "query/answer/pick_columns.h"

#include <string.h>

#include "query/answer/render.h"

typedef struct {
    size_t count, column[ABDB_COLUMN_MAX]; /* of the table, in the requested order */
    bool has[ABDB_COLUMN_MAX];
} picked;

static void pick_column_once(picked *p, size_t column)
{
    if (p->has[column]) return;
    p->has[column] = true;
    p->column[p->count++] = column;
}

/* Picks the columns named in a list, in its order; each once. */
static abdb_status pick_named_columns_refusing_repeats(picked *p, const abdb_table *t,
                                                       const char *names, abdb_error *err)
{
    char text[160], *name;
    abdb_status st = ABDB_OK;

    for (size_t size, column; *names; names += size + (names[size] == ',')) {
        size = strcspn(names, ",");
        snprintf(text, sizeof text, "%.*s", size < sizeof text ? (int)size : 0, names);
        name = abdb_trim_in_place(text);
        TRY(abdb_table_require_column_by_name_or_heading(t, name, &column, err));
        if (p->has[column]) TRY(ABDB_FAIL(err, ABDB_USAGE, "--columns has '%s' twice", name));
        pick_column_once(p, column);
    }
    if (!p->count) TRY(ABDB_FAIL(err, ABDB_USAGE, "--columns wants names of columns"));
done:
    return st;
}

/* Removes picked names from *list, names with blanks between; in out's arena. */
static abdb_status remove_picked_names_from_list(const picked *p, const abdb_table *t,
                                                 const char **list, abdb_table *out,
                                                 abdb_error *err)
{
    const char *left = *list ? "" : NULL;

    for (size_t c = 0; left && c < t->columns; c++) {
        const char *name = t->column[c].name;

        if (!p->has[c] && abdb_list_has_word(*list, ' ', name, strlen(name)))
            left = abdb_arena_printf(&out->arena, "%s%s%s", left, *left ? " " : "", name);
    }
    if (*list && !left) return ABDB_FAIL(err, ABDB_NOMEM, "columns");
    *list = left;
    return ABDB_OK;
}

/* Rows that look alike now may be of different models, or not comparable: a note names the columns
 * in which they differ and that would be printed above the table if they were equal. */
static abdb_status prepend_note_of_dropped_hoisted_columns(const picked *p, const abdb_table *t,
                                                           abdb_table *out, abdb_error *err)
{
    const char *names = "";

    for (size_t c = 0; names && t->hoist && c < t->columns; c++) {
        const char *name = t->column[c].name;

        if (!p->has[c] && abdb_column_is_printed_for_people(t, c) &&
            !abdb_column_holds_numbers_and_no_text(t, c) &&
            abdb_list_has_word(t->hoist, ' ', name, strlen(name)))
            names = abdb_arena_printf(&out->arena, "%s%s%s", names, *names ? ", " : "",
                                      abdb_column_label_or_name(t, c));
    }
    if (names && !*names) return ABDB_OK;
    if (names && out->notes == ABDB_NOTE_MAX) out->notes--;
    memmove(out->note + 1, out->note, out->notes++ * sizeof *out->note);
    out->note[0] =
        names ? abdb_arena_printf(&out->arena, "! rows differ in %s, left out by --columns", names)
              : NULL;
    return out->note[0] ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "columns");
}

abdb_status abdb_table_copy_picked_columns(const abdb_table *t, const char *names, bool for_people,
                                           abdb_table *out, abdb_error *err)
{
    picked p = {0};
    abdb_value *row;
    abdb_status st = ABDB_OK;

    *out = *t;
    out->arena = (abdb_arena){0};
    out->value = NULL;
    out->columns = out->rows = out->capacity = 0;
    TRY(pick_named_columns_refusing_repeats(&p, t, names, err));
    TRY(remove_picked_names_from_list(&p, t, &out->hoist, out, err));
    TRY(remove_picked_names_from_list(&p, t, &out->bare, out, err));
    if (for_people) TRY(prepend_note_of_dropped_hoisted_columns(&p, t, out, err));
    for (size_t c = 0; for_people && c < t->columns; c++) /* marks, and columns above */
        if (!abdb_column_is_printed_for_people(t, c)) pick_column_once(&p, c);
    out->columns = p.count;
    for (size_t c = 0; c < p.count; c++) out->column[c] = t->column[p.column[c]];
    for (size_t r = 0; r < t->rows; r++) {
        row = abdb_table_append_row(out);
        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu rows", t->rows));
        for (size_t c = 0; c < p.count; c++) row[c] = t->value[r * t->columns + p.column[c]];
    }
done:
    if (st != ABDB_OK) abdb_table_free(out);
    return st;
}
