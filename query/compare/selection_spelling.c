/* selection_spelling.c - the user's words in the database's spelling; see selection_spelling.h. */
#include "query/compare/selection_spelling.h"

#include <stdlib.h>
#include <string.h>

#include "query/compare/result_set.h"

/* How the values of a column are found on a million results: by its index, from one to the next;
 * among the names, which have all of them; or by reading all descriptions. */
typedef enum { BY_INDEX, BY_NAME, BY_READING } way;

/* Columns of few values, the most specific first; without columns that aliases resolve. */
static const struct {
    const char *name;
    way way;
} columns[] = {{"tag", BY_INDEX},        {"scenario", BY_READING},     {"round", BY_INDEX},
               {"suite", BY_READING},    {"division", BY_READING},     {"submitter", BY_NAME},
               {"system", BY_NAME},      {"system_type", BY_READING},  {"source", BY_INDEX},
               {"backend", BY_READING},  {"availability", BY_READING}, {"evidence", BY_READING},
               {"verified", BY_READING}, {"dtype", BY_READING}};

enum { COLUMNS = sizeof columns / sizeof columns[0], UNKNOWN = COLUMNS };

/* Values of all columns with BY_READING, read once for a word that may be in any of them. */
typedef struct {
    bool read;
    abdb_table table; /* of each combination of values a row */
} combinations;

static size_t find_respelled_column(const char *column)
{
    size_t i = 0;

    while (i < COLUMNS && strcmp(columns[i].name, column) != 0) i++;
    return i;
}

bool abdb_column_is_respelled(const char *column)
{
    return find_respelled_column(column) != UNKNOWN;
}

/* A statement that gives the values of a column; sqlite3_free it. */
static char *build_column_values_sql(size_t column)
{
    const char *c = columns[column].name;

    switch (columns[column].way) {
    case BY_INDEX:
        return sqlite3_mprintf("WITH RECURSIVE v (value) AS (SELECT min(%s) FROM description"
                               "  WHERE %s > '' UNION ALL SELECT (SELECT min(d.%s)"
                               "  FROM description d WHERE d.%s > v.value) FROM v"
                               "  WHERE value IS NOT NULL)"
                               " SELECT value FROM v WHERE value IS NOT NULL",
                               c, c, c, c);
    case BY_NAME:
        return sqlite3_mprintf("SELECT DISTINCT spelling FROM name WHERE kind = %Q"
                               " AND spelling <> ''",
                               c);
    default: return sqlite3_mprintf("SELECT DISTINCT %s FROM description WHERE %s <> ''", c, c);
    }
}

/* Loads, once, which values of the spelled columns occur together. */
static abdb_status load_value_combinations_once(sqlite3 *db, combinations *all, abdb_error *err)
{
    abdb_text sql = {0};
    abdb_status st = ABDB_OK;

    if (all->read) return ABDB_OK;
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].way == BY_READING)
            abdb_text_printf(&sql, "%s%s", sql.size ? ", " : "SELECT DISTINCT ", columns[i].name);
    abdb_text_puts(&sql, " FROM description");
    TRY(abdb_query_to_table(db, abdb_text_get(&sql), NULL, &all->table, err));
    all->read = true;
done:
    abdb_text_free(&sql);
    return st;
}

/* The values of a column among the combinations, each once; names has room for as many. */
static size_t collect_distinct_values_among_combinations(const combinations *all, size_t column,
                                                         const char **names)
{
    size_t at = 0, count = 0;

    for (size_t i = 0; i < column; i++) at += columns[i].way == BY_READING;
    for (size_t row = 0; row < all->table.rows; row++) {
        const char *text = abdb_cell_text_or_empty(&all->table, row, at);
        size_t k = 0;

        while (k < count && strcmp(names[k], text) != 0) k++;
        if (k == count && *text) names[count++] = text;
    }
    return count;
}

/* The value as the column has it, from arena; the value itself where nothing there is like it.
 * all: other columns are asked, too; or NULL. */
static abdb_status respell_value_as_in_column(sqlite3 *db, size_t column, const char **value,
                                              abdb_arena *arena, combinations *all, bool *found,
                                              abdb_error *err)
{
    bool among = all && columns[column].way == BY_READING;
    abdb_table own = {0}, *table = among ? &all->table : &own;
    const char **names = NULL, *spelled;
    char *sql = among ? NULL : build_column_values_sql(column);
    size_t count;
    abdb_status st = ABDB_OK;

    *found = false;
    if (among) TRY(load_value_combinations_once(db, all, err));
    if (!among && !sql) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a selection"));
    if (!among) TRY(abdb_query_to_table(db, sql, NULL, &own, err));
    count = table->rows;
    names = calloc(count + 1, sizeof *names);
    if (!names) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a selection"));
    if (among) count = collect_distinct_values_among_combinations(all, column, names);
    for (size_t i = 0; i < count && !among; i++) names[i] = own.value[i].text;
    spelled = abdb_only_name_of_loose_spelling(*value, names, count);
    if (spelled) {
        *found = true;
        *value = abdb_arena_copy(arena, spelled, strlen(spelled));
        if (!*value) st = ABDB_FAIL(err, ABDB_NOMEM, "a selection");
    }
done:
    sqlite3_free(sql);
    free(names);
    abdb_table_free(&own);
    return st;
}

/* Is the word an alias or a name of that kind? It may be ambiguous: its resolution then lists the
 * possible names. */
static abdb_status is_known_name_or_alias(sqlite3 *db, const char *kind, const char *word,
                                          bool *is_known, abdb_error *err)
{
    char folded[256];
    abdb_binds binds = {0};
    abdb_table found = {0};
    abdb_status st = ABDB_OK;

    abdb_fold_name_drop_punctuation(word, folded, sizeof folded);
    (void)(abdb_bind_add_text(&binds, kind) && abdb_bind_add_text(&binds, word) &&
           abdb_bind_add_text(&binds, folded));
    TRY(abdb_query_to_table(
        db,
        "SELECT 1 FROM name WHERE kind = ?1 AND"
        " (spelling = ?2 OR whole = ?2 OR (?3 <> '' AND folded = ?3))"
        " UNION ALL SELECT 1 FROM alias WHERE kind = ?1 AND ?3 <> '' AND abdb_fold(spelling) = ?3"
        " UNION ALL SELECT 1 FROM (SELECT count(DISTINCT whole) AS n FROM name" /* begins so */
        " WHERE kind = ?1 AND lower(substr(whole, 1, length(?2) + 1)) = lower(?2) || '-')"
        " WHERE n = 1 LIMIT 1",
        &binds, &found, err));
    *is_known = found.rows > 0;
done:
    abdb_table_free(&found);
    return st;
}

/* Names of devices and models that hold the word ("lora": llama2_70b_lora), at most six; or that it
 * is a vendor. *out: "" where there are none; from arena. */
static abdb_status list_names_or_vendor_holding_word(sqlite3 *db, const char *word,
                                                     const char **out, abdb_arena *arena,
                                                     abdb_error *err)
{
    char folded[256];
    abdb_table held = {0};
    abdb_status st = ABDB_OK;

    *out = "";
    abdb_fold_name_drop_punctuation(word, folded, sizeof folded);
    if (strlen(folded) < 3) return ABDB_OK;
    TRY(abdb_query_with_three_texts_to_table(
        db,
        "SELECT DISTINCT 'vendor=' || vendor FROM v_device WHERE vendor = ?1 COLLATE NOCASE UNION"
        " ALL SELECT whole FROM (SELECT DISTINCT whole FROM name WHERE kind IN ('device', 'model')"
        " AND instr(folded, ?2) ORDER BY length(whole), whole LIMIT 6)",
        word, folded, NULL, &held, err));
    for (size_t i = 0; *out && i < held.rows; i++) {
        const char *longer = abdb_arena_printf(arena, "%s%s%s", *out, i ? ", " : "",
                                               abdb_cell_text_or_empty(&held, i, 0));

        *out = longer ? longer : "";
    }
done:
    abdb_table_free(&held);
    return st;
}

/* "nothing here is called 'x'; did you mean 'y'?" over all that a word can be. */
static abdb_status fail_word_not_found_suggesting_names(sqlite3 *db, const char *word,
                                                        abdb_error *err)
{
    abdb_table like = {0};
    abdb_text sql = {0};
    abdb_binds binds = {0};
    const char **names = NULL, *near = NULL, *canon;
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;

    if (word[0] && !word[strspn(word, "0123456789")])
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "nothing here is called '%s'; ',' joins conditions, so a number is written"
                      " 6000, 6k or 0.05",
                      word));
    (void)abdb_bind_add_text(&binds, word);
    TRY(abdb_query_to_table(
        db,
        "SELECT kind FROM name WHERE kind IN ('device', 'model') AND whole LIKE ?1 || '%'"
        " ORDER BY 1 LIMIT 1",
        &binds, &like, err));
    if (like.rows) /* the beginning of names: this lists them */
        TRY(abdb_resolve_canonical_name(db, abdb_cell_text_or_empty(&like, 0, 0), word, &canon,
                                        &arena, err));
    TRY(list_names_or_vendor_holding_word(db, word, &canon, &arena, err));
    if (*canon)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "nothing here is called '%s'; did you mean %s?", word,
                      canon));
    abdb_text_puts(&sql, "SELECT DISTINCT whole FROM name WHERE kind IN ('device', 'model')");
    for (size_t i = 0; i < COLUMNS; i++)
        abdb_text_printf(&sql, " UNION SELECT %s FROM description WHERE %s <> ''", columns[i].name,
                         columns[i].name);
    TRY(abdb_query_to_table(db, abdb_text_get(&sql), NULL, &like, err));
    names = calloc(like.rows + 1, sizeof *names);
    for (size_t i = 0; names && i < like.rows; i++) names[i] = like.value[i].text;
    if (names) near = abdb_nearest_name(word, names, like.rows);
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
static abdb_status set_only_column_holding_word_and_respell(abdb_selection *s, sqlite3 *db,
                                                            abdb_condition *c, abdb_error *err)
{
    const char *word = c->value;
    combinations all = {0};
    abdb_text places = {0};
    size_t found = 0;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < COLUMNS; i++) {
        const char *value = word;
        bool is_here;

        TRY(respell_value_as_in_column(db, i, &value, &s->arena, &all, &is_here, err));
        if (!is_here) continue;
        abdb_text_printf(&places, "%s%s=%s", found++ ? " or " : "", columns[i].name, value);
        c->column = columns[i].name;
        c->value = value;
    }
    if (!found) TRY(fail_word_not_found_suggesting_names(db, word, err));
    if (found > 1)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "'%s' is ambiguous: say %s", word, abdb_text_get(&places)));
done:
    abdb_text_free(&places);
    abdb_table_free(&all.table);
    return st;
}

/* The column of a word alone. */
static abdb_status assign_column_to_word(abdb_selection *s, sqlite3 *db, abdb_condition *c,
                                         abdb_error *err)
{
    bool is_device, is_model;
    abdb_status st = ABDB_OK;

    c->op = "=";
    if (strcmp(c->value, "latest") == 0 || strncmp(c->value, "latest~", 7) == 0) {
        c->column = "run";
        return ABDB_OK;
    }
    TRY(is_known_name_or_alias(db, "device", c->value, &is_device, err));
    TRY(is_known_name_or_alias(db, "model", c->value, &is_model, err));
    if (is_device || is_model)
        c->column = is_device ? "device" : "work";
    else
        TRY(set_only_column_holding_word_and_respell(s, db, c, err));
done:
    return st;
}

abdb_status abdb_selection_parse_and_respell_words(abdb_selection *out, sqlite3 *db,
                                                   const char *text, abdb_error *err)
{
    size_t before = out->count;
    bool found;
    abdb_status st = ABDB_OK;

    out->words = true;
    TRY(abdb_selection_parse_and_append(out, text, err));
    for (size_t i = before; i < out->count; i++) {
        abdb_condition *c = &out->condition[i];

        if (!c->column)
            TRY(assign_column_to_word(out, db, c, err));
        else if (strchr("=!", c->op[0]) && abdb_column_is_respelled(c->column))
            TRY(respell_value_as_in_column(db, find_respelled_column(c->column), &c->value,
                                           &out->arena, NULL, &found, err));
    }
done:
    return st;
}
