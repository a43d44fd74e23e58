/* withdraw.c - takes an import or a fact back: an event that later reads respect, not a deletion.
 */
#include "schema/core/text.h"
#include "schema/store/derive.h"
#include "schema/store/write.h"

enum { TARGETS_MAX = 8 };

/* Possible targets of the word (?1), with the date of an earlier withdrawal: a file by its path,
 * the end of it, its digest or eight digits of it; a key; a name; or a withdrawn target, which the
 * views of facts no longer show. */
static const char meanings[] =
    "SELECT t.target, min(t.what), w.date || ': ' || w.reason FROM ("
    "  SELECT sha256 AS target, path AS what FROM artifact WHERE path = ?1 OR sha256 = ?1"
    "   OR (length(?1) >= 8 AND substr(sha256, 1, length(?1)) = ?1)"
    "   OR substr(path, -length(?1) - 1) = '/' || ?1"
    "  UNION SELECT key, what FROM v_fact_result WHERE entry_key = key_number(?1) AND key = ?1"
    "  UNION SELECT key, what FROM v_fact_spec WHERE spec_key = key_number(?1) AND key = ?1"
    "  UNION SELECT key, what FROM v_fact_price WHERE price_key = key_number(?1) AND key = ?1"
    "  UNION SELECT key, what FROM v_fact_named WHERE fact = ?1"
    "  UNION SELECT run, 'entry of ' || source FROM entry WHERE entry_key = key_number(?1)"
    "   AND run = ?1"
    "  UNION SELECT target, target FROM withdrawal WHERE target = ?1"
    "  UNION SELECT target, key FROM v_gone WHERE fact_key = key_number(substr(?1, 1, 34))"
    "   AND substr(key, 3) = substr(?1, 3, 32) AND substr(?1, 1, 1) IN"
    "   (substr(key, 1, 1), CASE kind WHEN 'entry' THEN 'r' END)"
    "  UNION SELECT target, key FROM v_gone WHERE fact = ?1 AND fact_key IN (SELECT e.entry_key"
    "   FROM fact f JOIN result_row r ON r.result_id = f.id JOIN entry_row e ON"
    "   e.entry_id = r.entry_id WHERE f.fact = ?1 AND f.kind = 'result' UNION SELECT s.spec_key"
    "   FROM fact f JOIN spec s ON s.spec_id = f.id WHERE f.fact = ?1 AND f.kind = 'spec'"
    "   UNION SELECT p.price_key FROM fact f JOIN price p ON p.price_id = f.id"
    "   WHERE f.fact = ?1 AND f.kind = 'price')) t"
    " LEFT JOIN withdrawn w ON w.target = t.target GROUP BY t.target ORDER BY 2 LIMIT ?2";

/* A file of devices, aliases, models, sources or claims cannot be withdrawn: its rows carry no
 * origin. Better refused than said and not done. */
static abdb_status refuse_withdrawing_dictionary_file(abdb_db *db, const char *target,
                                                      const char *word, abdb_error *err)
{
    static const char question[] =
        "SELECT count(*) FROM artifact a WHERE a.sha256 = ?1 AND a.accepted > 0"
        " AND NOT EXISTS (SELECT 1 FROM witness w WHERE w.artifact_id = a.artifact_id)"
        " AND NOT EXISTS (SELECT 1 FROM origin o WHERE o.artifact_id = a.artifact_id)";
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;

    if (sqlite3_prepare_v2(db->sql, question, -1, &s, NULL) != SQLITE_OK ||
        sqlite3_bind_text(s, 1, target, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW)
        st = abdb_db_report_sqlite_error(db, err, "looking for what to withdraw");
    else if (sqlite3_column_int(s, 0))
        st = ABDB_FAIL(err, ABDB_USAGE,
                       "%s holds words (devices, aliases, models, sources or claims), not results,"
                       " specifications or prices: only those can be withdrawn",
                       word);
    sqlite3_finalize(s);
    return st;
}

/* A second after a date without its Z; of a year, month, day or range after its first second. */
#define AFTER(date)                                                           \
    "strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', substr(" date ", 1, 19) || substr(" \
    "'0000-01-01T00:00:00', 1 + length(substr(" date ", 1, 19))), '+1 second')"

abdb_status abdb_withdrawal_insert_events_changing_state(abdb_db *db, const char *event,
                                                         const char *targets_sql,
                                                         const char *reason, abdb_error *err)
{
    static const char add[] =
        "WITH t (target) AS (SELECT * FROM (%s)), l (target, day) AS (SELECT w.target,"
        "  max(substr(rtrim(w.date, 'Z'), 1, instr(w.date || '/', '/') - 1)) FROM withdrawal w"
        "  WHERE w.target IN (SELECT target FROM t) GROUP BY w.target)"
        "INSERT INTO withdrawal (target, reason, date, event) SELECT DISTINCT t.target, %Q,"
        "  max(strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', 'now'), coalesce(" AFTER(
            "l.day") ", '')), %Q"
                     "  FROM t LEFT JOIN l ON l.target = t.target"
                     "  WHERE (t.target IN (SELECT target FROM withdrawn)) <> (%Q = 'withdrawn')";
    char *sql = sqlite3_mprintf(add, targets_sql, reason, event, event);
    abdb_status st = sql ? abdb_db_exec(db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "a withdrawal");

    sqlite3_free(sql);
    return st;
}

/* Withdraws one import or fact in a transaction of its own. */
static abdb_status insert_withdrawal_commit(abdb_db *db, const char *target, const char *reason,
                                            abdb_error *err)
{
    char *targets = sqlite3_mprintf("SELECT %Q", target);
    abdb_status st = ABDB_OK;

    if (!targets) return ABDB_FAIL(err, ABDB_NOMEM, "a withdrawal");
    TRY(abdb_db_exec(db, "BEGIN IMMEDIATE", err));
    TRY(abdb_withdrawal_insert_events_changing_state(db, "withdrawn", targets, reason, err));
    TRY(abdb_derive_mark_stale(db, "gone", err));
    TRY(abdb_db_exec(db, "COMMIT", err));
done:
    sqlite3_free(targets);
    if (st != ABDB_OK && !sqlite3_get_autocommit(db->sql))
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

abdb_status abdb_withdraw_only_target_of_name(abdb_db *db, const char *target_name,
                                              const char *reason, abdb_text *message,
                                              abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    abdb_text target = {0}, list = {0};
    size_t count = 0;
    bool done_before = false;
    abdb_status st = ABDB_OK;

    if (sqlite3_prepare_v2(db->sql, meanings, -1, &s, NULL) != SQLITE_OK ||
        sqlite3_bind_text(s, 1, target_name, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_int(s, 2, TARGETS_MAX) != SQLITE_OK) {
        st = abdb_db_report_sqlite_error(db, err, "looking for what to withdraw");
        goto done;
    }
    for (; sqlite3_step(s) == SQLITE_ROW; count++) {
        const char *when = abdb_sql_text_or_null(s, 2);

        abdb_text_clear(&target);
        abdb_text_printf(&target, "%s", abdb_sql_text_or_empty(s, 0));
        abdb_text_printf(&list, "%s %s  %s", count ? ";" : "", abdb_text_get(&target),
                         abdb_sql_text_or_empty(s, 1));
        abdb_text_clear(message);
        abdb_text_printf(message, "%s%s%s", abdb_sql_text_or_empty(s, 1),
                         when ? " was withdrawn before, " : " withdrawn", when ? when : "");
        done_before = when != NULL;
    }
    if (sqlite3_reset(s) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, "looking for what to withdraw"));
    if (target.failed || list.failed || message->failed)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "a withdrawal"));
    if (!count)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "nothing here is called '%s': name an imported file (`abdb query artifacts`),"
                      " a fact or its key (`abdb query facts`)",
                      target_name));
    if (count > 1)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "'%s' may mean:%s", target_name, abdb_text_get(&list)));
    TRY(refuse_withdrawing_dictionary_file(db, abdb_text_get(&target), target_name, err));
    if (!done_before) TRY(insert_withdrawal_commit(db, abdb_text_get(&target), reason, err));
done:
    sqlite3_finalize(s);
    abdb_text_free(&target);
    abdb_text_free(&list);
    return st;
}
