/* spelling.c - what people type, as the database spells it; see spelling.h. */
#include "query/compare/spelling.h"

#include <stdlib.h>
#include <string.h>

#include "query/compare/sets.h"

/* Columns of few values, most telling first; those that aliases resolve are not among them. */
static const char *const columns[] = {
    "tag",          "scenario", "round",       "suite",  "division",
    "submitter",    "system",   "system_type", "source", "backend",
    "availability", "evidence", "verified",    "dtype",  NULL};

bool abdb_is_spelled_column(const char *column)
{
    return abdb_is_word(column, columns);
}

/* The values of a column, as a list that the caller frees. */
static abdb_status values_of(sqlite3 *db, const char *column, abdb_table *out, const char ***names,
                             abdb_error *err)
{
    const char **list;
    char *sql = sqlite3_mprintf("SELECT DISTINCT %s FROM description WHERE %s <> ''", column,
                                column); /* one of the columns above */
    abdb_status st = ABDB_OK;

    *names = NULL;
    if (!sql) return ABDB_FAIL(err, ABDB_NOMEM, "a selection");
    TRY(abdb_rows(db, sql, NULL, out, err));
    list = calloc(out->rows + 1, sizeof *list);
    if (!list) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a selection"));
    for (size_t i = 0; i < out->rows; i++) list[i] = out->value[i].text;
    *names = list;
done:
    sqlite3_free(sql);
    return st;
}

/* The value as the column has it, from arena; the value itself where nothing there is like it. */
static abdb_status respell(sqlite3 *db, const char *column, const char **value, abdb_arena *arena,
                           bool *found, abdb_error *err)
{
    abdb_table table = {0};
    const char **names = NULL, *spelled;
    abdb_status st = ABDB_OK;

    *found = false;
    TRY(values_of(db, column, &table, &names, err));
    spelled = abdb_spelled(*value, names, table.rows);
    if (spelled) {
        *found = true;
        *value = abdb_arena_copy(arena, spelled, strlen(spelled));
        if (!*value) st = ABDB_FAIL(err, ABDB_NOMEM, "a selection");
    }
done:
    free(names);
    abdb_table_free(&table);
    return st;
}

/* Does an alias, or a name itself, of that kind say this word? It may be ambiguous: whoever
 * resolves it then lists what it could be. */
static abdb_status is_name(sqlite3 *db, const char *kind, const char *word, bool *out,
                           abdb_error *err)
{
    char folded[256];
    abdb_binds binds = {0};
    abdb_table found = {0};
    abdb_status st = ABDB_OK;

    abdb_fold(word, folded, sizeof folded);
    (void)(abdb_bind_add_text(&binds, kind) && abdb_bind_add_text(&binds, word) &&
           abdb_bind_add_text(&binds, folded));
    TRY(abdb_rows(
        db,
        "SELECT 1 FROM name WHERE kind = ?1 AND"
        " (spelling = ?2 OR whole = ?2 OR (?3 <> '' AND folded = ?3))"
        " UNION ALL SELECT 1 FROM (SELECT count(DISTINCT whole) AS n FROM name" /* begins so */
        " WHERE kind = ?1 AND lower(substr(whole, 1, length(?2) + 1)) = lower(?2) || '-')"
        " WHERE n = 1 LIMIT 1",
        &binds, &found, err));
    *out = found.rows > 0;
done:
    abdb_table_free(&found);
    return st;
}

/* "nothing here is called 'x'; did you mean 'y'?" over all that a word can be. */
static abdb_status nowhere(sqlite3 *db, const char *word, abdb_error *err)
{
    abdb_table like = {0};
    abdb_text sql = {0};
    abdb_binds binds = {0};
    const char **names = NULL, *near = NULL, *canon;
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;

    (void)abdb_bind_add_text(&binds, word);
    TRY(abdb_rows(db,
                  "SELECT kind FROM name WHERE kind IN ('device', 'model') AND whole LIKE ?1 || '%'"
                  " ORDER BY 1 LIMIT 1",
                  &binds, &like, err));
    if (like.rows) /* the beginning of names: this lists them */
        TRY(abdb_name_resolve(db, abdb_cell_text(&like, 0, 0), word, &canon, &arena, err));
    abdb_text_puts(&sql, "SELECT DISTINCT whole FROM name WHERE kind IN ('device', 'model')");
    for (size_t i = 0; columns[i]; i++)
        abdb_text_printf(&sql, " UNION SELECT %s FROM description WHERE %s <> ''", columns[i],
                         columns[i]);
    TRY(abdb_rows(db, abdb_text_get(&sql), NULL, &like, err));
    names = calloc(like.rows + 1, sizeof *names);
    for (size_t i = 0; names && i < like.rows; i++) names[i] = like.value[i].text;
    if (names) near = abdb_nearest(word, names, like.rows);
    st = ABDB_FAIL(err, ABDB_USAGE,
                   "nothing here is called '%s'%s%s%s; a selection is a name, or column OP value,"
                   " joined by commas, OP one of = != < <= > >= ~",
                   word, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
done:
    free(names);
    abdb_text_free(&sql);
    abdb_table_free(&like);
    abdb_arena_free(&arena);
    return st;
}

/* The column of a word that stands in one of them, and its spelling there. */
static abdb_status find_value(abdb_selection *s, sqlite3 *db, abdb_condition *c, abdb_error *err)
{
    const char *word = c->value;
    abdb_text places = {0};
    size_t found = 0;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; columns[i]; i++) {
        const char *value = word;
        bool is_here;

        TRY(respell(db, columns[i], &value, &s->arena, &is_here, err));
        if (!is_here) continue;
        abdb_text_printf(&places, "%s%s=%s", found++ ? " or " : "", columns[i], value);
        c->column = columns[i];
        c->value = value;
    }
    if (!found) TRY(nowhere(db, word, err));
    if (found > 1)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "'%s' is ambiguous: say %s", word, abdb_text_get(&places)));
done:
    abdb_text_free(&places);
    return st;
}

/* The column of a word alone. */
static abdb_status find_column(abdb_selection *s, sqlite3 *db, abdb_condition *c, abdb_error *err)
{
    bool is_device, is_model;
    abdb_status st = ABDB_OK;

    c->op = "=";
    if (strcmp(c->value, "latest") == 0 || strncmp(c->value, "latest~", 7) == 0) {
        c->column = "run";
        return ABDB_OK;
    }
    TRY(is_name(db, "device", c->value, &is_device, err));
    TRY(is_name(db, "model", c->value, &is_model, err));
    if (is_device || is_model)
        c->column = is_device ? "device" : "work";
    else
        TRY(find_value(s, db, c, err));
done:
    return st;
}

abdb_status abdb_spell(abdb_selection *out, sqlite3 *db, const char *text, abdb_error *err)
{
    size_t before = out->count;
    bool found;
    abdb_status st = ABDB_OK;

    out->words = true;
    TRY(abdb_selection_parse(out, text, err));
    for (size_t i = before; i < out->count; i++) {
        abdb_condition *c = &out->condition[i];

        if (!c->column)
            TRY(find_column(out, db, c, err));
        else if (strchr("=!", c->op[0]) && abdb_is_word(c->column, columns))
            TRY(respell(db, c->column, &c->value, &out->arena, &found, err));
    }
done:
    return st;
}
