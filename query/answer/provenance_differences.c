/* provenance_differences.c - the findings of verify, a row for each; see provenance_rows.h. */
#include "query/answer/provenance_rows.h"
#include "schema/functions/sqlite.h"

abdb_status abdb_verify_append_difference_row(abdb_verifier *c, const char *change, const char *row,
                                              const char *column, const char *before,
                                              const char *now, const char *key, abdb_error *err)
{
    const char *texts[] = {c->file, change, row, column, before, now, key};
    abdb_value *cell = abdb_table_append_row(c->out);

    if (!cell) return ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cell[i] = (abdb_value){.kind = ABDB_NULL};
        if (!texts[i] || !*texts[i]) continue;
        cell[i] = (abdb_value){.kind = ABDB_STRING,
                               .text = abdb_arena_copy(&c->out->arena, texts[i], strlen(texts[i]))};
        if (!cell[i].text) return ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file);
    }
    return ABDB_OK;
}

/* Is there a row for this key? */
static abdb_status query_finds_row_for_key(abdb_verifier *c, const char *sql, const char *key,
                                           bool *found, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(c->db->sql, sql, -1, &s, NULL);

    if (code == SQLITE_OK) code = sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    *found = code == SQLITE_ROW;
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? ABDB_OK
               : abdb_db_report_sqlite_error(c->db, err, "a fact");
}

abdb_status abdb_verify_append_row_why_fact_missing(abdb_verifier *c, const char *key,
                                                    const char *row, abdb_error *err)
{
    static const char gone[] =
        "SELECT 1 FROM v_gone WHERE fact_key = key_number(?1) AND key ="
        " CASE WHEN ?1 GLOB 'r-*' THEN 'e-' || substr(?1, 3, 32) ELSE ?1 END";
    const char *sql =
        key[0] == 's'   ? "SELECT 1 FROM v_fact_spec WHERE spec_key = key_number(?1) AND key = ?1"
        : key[0] == 'p' ? "SELECT 1 FROM v_price WHERE price_key = key_number(?1) AND key = ?1"
                        : "SELECT 1 FROM v_statement WHERE entry_key = key_number(?1) AND"
                          " ordinal = key_ordinal(?1) AND key = ?1";
    bool withdrawn = false, here = false;
    abdb_status st = ABDB_OK;

    if (*key) TRY(query_finds_row_for_key(c, gone, key, &withdrawn, err));
    if (*key && !withdrawn) TRY(query_finds_row_for_key(c, sql, key, &here, err));
    st = abdb_verify_append_difference_row(c,
                                           !*key       ? "gone"
                                           : withdrawn ? "withdrawn"
                                           : here      ? "replaced: another fact stands there"
                                                       : "gone: the fact is not in this database",
                                           row, NULL, NULL, NULL, key, err);
done:
    return st;
}

abdb_status abdb_verify_others_have_successor_of_key(abdb_verifier *c, const char *key,
                                                     const char *others, bool *found,
                                                     abdb_error *err)
{
    static const char sql[] =
        "SELECT key FROM successor WHERE old_key = key_number(?1) AND old = ?1"
        " ORDER BY other_value, result_id LIMIT 1";
    sqlite3_stmt *s = NULL;
    int code;

    *found = false;
    if (key[0] != 'r') return ABDB_OK;
    code = sqlite3_prepare_v2(c->db->sql, sql, -1, &s, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        const char *now = abdb_sql_text_or_empty(s, 0);

        *found = abdb_list_has_word(others, ' ', now, strlen(now));
    }
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? ABDB_OK
               : abdb_db_report_sqlite_error(c->db, err, "a fact");
}

abdb_status abdb_verify_read_recorded_parameters(const char *file, const json_t *provenance,
                                                 const abdb_report *report,
                                                 const char *value[ABDB_PARAM_COUNT],
                                                 abdb_error *err)
{
    const json_t *given = json_object_get(provenance, "parameters");
    const char *name;
    json_t *text;

    json_object_foreach((json_t *)(uintptr_t)given, name, text)
    {
        size_t p = 0;

        while (p < report->params && strcmp(report->param[p].name, name) != 0) p++;
        if (p == report->params)
            return ABDB_FAIL(err, ABDB_USAGE, "%s: report %s has no parameter '%s' here", file,
                             report->name, name);
        value[p] = json_string_value(text);
    }
    return ABDB_OK;
}
