/* resolve_names.c - names that aliases resolve: devices, models, submitters, systems; see
 * result_set.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "query/compare/result_set.h"

/* "H100-SXM, H100-PCIe": the first column. */
static void append_first_column_values(const abdb_table *t, abdb_text *out)
{
    for (size_t i = 0; i < t->rows && i < 12; i++)
        abdb_text_printf(out, "%s%s", i ? ", " : "", abdb_cell_text_or_empty(t, i, 0));
    if (t->rows > 12) abdb_text_puts(out, ", ...");
}

/* The error of a name that is not in the database, with names like it. */
static abdb_status fail_unknown_name_suggesting_similar(sqlite3 *db, const char *kind,
                                                        const char *word, abdb_error *err)
{
    abdb_table like = {0};
    abdb_text list = {0};
    const char *near = NULL, **names = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_query_with_three_texts_to_table(
        db,
        "SELECT DISTINCT whole FROM name WHERE kind = ?1 AND (whole LIKE ?2 || '%' OR"
        " whole LIKE '% ' || ?2 || '%') ORDER BY length(whole), whole",
        kind, word, NULL, &like, err));
    if (like.rows) {
        append_first_column_values(&like, &list);
        TRY(ABDB_FAIL(err, ABDB_USAGE, "%s '%s' is not one: did you mean %s?", kind, word,
                      abdb_text_get(&list)));
    }
    TRY(abdb_query_with_three_texts_to_table(db, "SELECT DISTINCT whole FROM name WHERE kind = ?1",
                                             kind, NULL, NULL, &like, err));
    names = calloc(like.rows + 1, sizeof *names);
    for (size_t i = 0; names && i < like.rows; i++) names[i] = like.value[i].text;
    if (names) near = abdb_nearest_name(word, names, like.rows);
    st = ABDB_FAIL(err, ABDB_USAGE, "no %s here is called '%s'%s%s%s", kind, word,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
done:
    free(names);
    abdb_text_free(&list);
    abdb_table_free(&like);
    return st;
}

abdb_status abdb_require_word_among_sql_values(sqlite3 *db, const char *sql, const char *what,
                                               const char *word, abdb_error *err)
{
    abdb_table listed = {0};
    abdb_text list = {0};
    bool known = false;
    abdb_status st = ABDB_OK;

    TRY(abdb_query_to_table(db, sql, NULL, &listed, err));
    for (size_t i = 0; i < listed.rows; i++) {
        known |= strcasecmp(abdb_cell_text_or_empty(&listed, i, 0), word) == 0;
        abdb_text_printf(&list, "%s%s", i ? ", " : "", abdb_cell_text_or_empty(&listed, i, 0));
    }
    if (!known)
        st = ABDB_FAIL(err, ABDB_USAGE, "no %s '%s'; there are %s", what, word,
                       abdb_text_get(&list));
done:
    abdb_text_free(&list);
    abdb_table_free(&listed);
    return st;
}

bool abdb_normalisation_needs_rates(const abdb_normalisation *m)
{
    return m->per && strcmp(m->per, "none") != 0;
}

/* Of several models the only one with a result of the metric that is asked for, or of a rate;
 * SIZE_MAX: it is not the only one, or nothing is asked. */
static abdb_status find_only_model_with_metric_or_rate(sqlite3 *db, const abdb_table *models,
                                                       const abdb_normalisation *m, size_t *out,
                                                       abdb_error *err)
{
    static const char sql[] =
        "WITH s AS (SELECT spelling FROM name WHERE kind = 'model' AND whole = ?1)"
        " SELECT 1 FROM v_comparable r WHERE (r.raw_model IN s OR r.raw_workload IN s)"
        " AND iif(?2 IS NULL, r.better = 'higher' AND r.unit LIKE '%/s', r.metric = ?2) LIMIT 1";
    size_t fit = 0, last = SIZE_MAX;
    abdb_status st = ABDB_OK;

    *out = SIZE_MAX;
    if (!m || (!m->metric && !abdb_normalisation_needs_rates(m))) return ABDB_OK;
    for (size_t i = 0; i < models->rows; i++) {
        abdb_table any = {0};

        TRY(abdb_query_with_three_texts_to_table(db, sql, abdb_cell_text_or_empty(models, i, 0),
                                                 m->metric, NULL, &any, err));
        if (any.rows) {
            fit++;
            last = i;
        }
        abdb_table_free(&any);
    }
    if (fit == 1) *out = last;
done:
    return st;
}

abdb_status abdb_resolve_canonical_name(sqlite3 *db, const char *kind, const char *word,
                                        const char **out, abdb_arena *arena, abdb_error *err)
{
    bool decided;

    return abdb_resolve_name_deciding_by_metric(db, kind, word, NULL, out, &decided, arena, err);
}

abdb_status abdb_resolve_name_deciding_by_metric(sqlite3 *db, const char *kind, const char *word,
                                                 const abdb_normalisation *measure,
                                                 const char **out, bool *decided, abdb_arena *arena,
                                                 abdb_error *err)
{
    abdb_table found = {0};
    abdb_text list = {0};
    size_t at = 0;
    char folded[256];
    abdb_status st = ABDB_OK;

    *decided = false;
    abdb_fold_name_drop_punctuation(word, folded, sizeof folded);
    TRY(abdb_query_with_three_texts_to_table(
        db,
        "SELECT DISTINCT whole, whole = ?2 FROM name WHERE kind = ?1 AND"
        " (spelling = ?2 OR whole = ?2 OR (?3 <> '' AND folded = ?3))"
        " ORDER BY 2 DESC, 1",
        kind, word, folded, &found, err));
    if (!found.rows) /* a spelling that no fact here has, in any case: TPU v5 lite */
        TRY(abdb_query_with_three_texts_to_table(
            db,
            "SELECT DISTINCT canon, 1 FROM alias a WHERE kind = ?1 AND ?3 <> ''"
            " AND abdb_fold(spelling) = ?3 AND NOT EXISTS (SELECT 1 FROM alias b"
            "  WHERE b.kind = a.kind AND b.spelling = a.spelling AND b.part > 1)",
            kind, word, folded, &found, err));
    if (!found.rows) /* the only one that begins so: B200 is B200-SXM */
        TRY(abdb_query_with_three_texts_to_table(
            db,
            "SELECT min(whole), 1 FROM name WHERE kind = ?1 AND"
            " lower(substr(whole, 1, length(?2) + 1)) = lower(?2) || '-'"
            " HAVING count(DISTINCT whole) = 1",
            kind, word, NULL, &found, err));
    if (!found.rows) TRY(fail_unknown_name_suggesting_similar(db, kind, word, err));
    *decided = found.rows > 1 && abdb_cell_number_or_nan(&found, 0, 1) != 1;
    if (*decided) TRY(find_only_model_with_metric_or_rate(db, &found, measure, &at, err));
    if (at == SIZE_MAX) {
        append_first_column_values(&found, &list);
        TRY(ABDB_FAIL(err, ABDB_USAGE, "%s '%s' is ambiguous: %s", kind, word,
                      abdb_text_get(&list)));
    }
    word = abdb_cell_text_or_empty(&found, at, 0);
    *out = abdb_arena_copy(arena, word, strlen(word));
    if (!*out) st = ABDB_FAIL(err, ABDB_NOMEM, "a name");
done:
    abdb_text_free(&list);
    abdb_table_free(&found);
    return st;
}
