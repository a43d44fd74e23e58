/* verification.c - round and verification of the results behind a table, and who states them, in a
 * line; see headline.h. */
#include "query/answer/explain.h"
#include "query/answer/headline.h"
#include "schema/functions/sqlite.h"

enum { KEY_SIZE = 64 };

static const char sql[] =
    "WITH key (key) AS (SELECT DISTINCT value FROM json_each(?1)), "
    "told AS MATERIALIZED (SELECT r.suite, r.round, r.round_order, r.division, r.source,"
    "  r.verified_by = 'mlcommons' AS listed, r.verified_by IS NOT NULL AND r.evidence = 'mlperf' "
    "AS claimed,"
    "  r.evidence FROM key k JOIN v_statement r ON k.key GLOB 'r-*' AND"
    "  r.entry_key = key_number(k.key) AND r.ordinal = key_ordinal(k.key) AND r.key = k.key), "
    "named AS (SELECT source, count(*) AS n FROM (SELECT source FROM told"
    "  UNION ALL SELECT s.source FROM key k JOIN v_fact_spec s ON k.key GLOB 's-*' AND"
    "  s.spec_key = key_number(k.key) AND s.key = k.key"
    "  UNION ALL SELECT p.source FROM key k JOIN v_price p ON k.key GLOB 'p-*' AND"
    "  p.price_key = key_number(k.key) AND p.key = k.key) GROUP BY source), "
    "rounds AS (SELECT suite, division, round, max(round_order) AS nth, min(coalesce(listed, 0))"
    "  AS sure, max(coalesce(listed, 0)) AS some, min(claimed) AS claimed FROM told WHERE evidence "
    "= 'mlperf' GROUP BY 1, 2, 3), "
    "authors AS (SELECT DISTINCT CASE WHEN s.author IN ('', 'abdb') OR s.author IS NULL"
    "  THEN CASE n.source WHEN 'abdb-run' THEN 'measured by abdb' ELSE n.source END"
    "  ELSE s.author END AS author, sum(n.n) AS n FROM named n"
    "  LEFT JOIN v_source s ON s.source = n.source GROUP BY 1) "
    "SELECT trim("
    " coalesce((SELECT group_concat(line, '; ') FROM (SELECT 'MLPerf® ' || upper(substr(suite, 1, "
    "1))"
    "   || substr(suite, 2) || ' ' || (SELECT group_concat(r.round || CASE WHEN r.sure THEN ''"
    "   WHEN r.claimed THEN ' (verified as its files state)'"
    "   WHEN r.some THEN ' (partly unverified)' ELSE ' (unverified)' END, ', ')"
    "   FROM (SELECT * FROM rounds ORDER BY nth, round) r"
    "   WHERE r.suite IS o.suite AND r.division IS o.division)"
    "   || coalesce(' ' || upper(substr(division, 1, 1)) || substr(division, 2), '')"
    "   || CASE WHEN min(sure) THEN ', verified by MLCommons'"
    "   WHEN max(some) THEN ', the rest verified by MLCommons' ELSE '' END AS line"
    "   FROM rounds o WHERE suite IS NOT NULL GROUP BY suite, division)), '')"
    " || coalesce((SELECT '; besides ' || count(*) || CASE count(*) WHEN 1 THEN ' result' ELSE"
    "   ' results' END || ' that MLCommons did not see' FROM told WHERE evidence <> 'mlperf'"
    "   AND EXISTS (SELECT 1 FROM rounds) HAVING count(*) > 0), '')"
    " || coalesce(CASE WHEN EXISTS (SELECT 1 FROM rounds) THEN '. ' ELSE '' END ||"
    "   (SELECT CASE count(*) WHEN 1 THEN 'Source: ' ELSE 'Sources: ' END ||"
    "    (SELECT group_concat(author, ', ') FROM (SELECT author FROM authors ORDER BY n DESC, "
    "author"
    "     LIMIT 4)) || CASE WHEN count(*) > 4 THEN ' and ' || (count(*) - 4) || ' more' ELSE '' END"
    "    FROM authors HAVING count(*) > 0), '')) AS line";

abdb_status abdb_describe_verification_and_sources(const char **out, abdb_db *db, abdb_table *table,
                                                   abdb_error *err)
{
    abdb_text keys = {0}, list = {0};
    sqlite3_stmt *s = NULL;
    const char *text = NULL;
    int code;
    abdb_status st = ABDB_OK;

    *out = "";
    abdb_append_fact_keys_of_table(table, SIZE_MAX, &keys);
    abdb_text_puts(&list, "[");
    for (const char *at = abdb_text_get(&keys); *(at += strspn(at, " "));) {
        char key[KEY_SIZE];
        size_t size = strcspn(at, " ");

        snprintf(key, sizeof key, "%.*s", (int)size, at);
        if (list.size > 1) abdb_text_puts(&list, ",");
        abdb_text_append_json_string(&list, key);
        at += size;
    }
    abdb_text_puts(&list, "]");
    if (keys.failed || list.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "sources of a figure"));
    if (!keys.size) goto done;
    if (sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL) != SQLITE_OK ||
        sqlite3_bind_text(s, 1, abdb_text_get(&list), -1, SQLITE_STATIC) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, "sources of a figure"));
    code = sqlite3_step(s);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        TRY(abdb_db_report_sqlite_error(db, err, "sources of a figure"));
    if (code == SQLITE_ROW) text = abdb_sql_text_or_null(s, 0);
    if (text) *out = abdb_arena_copy(&table->arena, text, strlen(text));
    if (!*out) st = ABDB_FAIL(err, ABDB_NOMEM, "sources of a figure");
done:
    sqlite3_finalize(s);
    abdb_text_free(&keys);
    abdb_text_free(&list);
    return st;
}
