/* canonical_names.c - the names: every spelling in use and its meaning today.
 *
 * Facts keep their published spelling. Its device, model or submitter is found here by five rules:
 * (1) the spelling is a canonical name that no alias renames, (2) an alias has this spelling,
 * (3) without case and punctuation it equals an alias or a canonical name, (4) it does so without
 * the decorations of a device name (resolve_device_names.c), else (5) it stays as it is,
 * unresolved. New spellings are looked up as they come; after a change of a dictionary all are, so
 * a later alias also corrects earlier facts, and the entries whose name changes are touched.
 */
#include "schema/store/derive.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "schema/store/writer_internal.h"

static const char begin[] =
    "CREATE TEMP TABLE spelt (kind TEXT, spelling TEXT, folded TEXT, PRIMARY KEY (kind, spelling));"
    "CREATE TEMP TABLE meant AS SELECT * FROM name WHERE 0;"
    "CREATE UNIQUE INDEX temp.meant_spelling ON meant (kind, spelling, part);"
    "CREATE TEMP TABLE meaning (kind TEXT, spelling TEXT, folded TEXT, part INT, canon TEXT,"
    "  share INT, parts INT, whole TEXT, how TEXT);";

/* Spellings that are not known yet, of rows beyond the marks, found by their numbers (NOT INDEXED:
 * not through a whole index of spellings). %s: columns of description that have an index. */
static const char collect_new[] =
    "WITH RECURSIVE pair AS MATERIALIZED (SELECT DISTINCT submitter, system FROM description"
    "  NOT INDEXED WHERE description_id > %lld),"
    "%s "
    "INSERT OR IGNORE INTO spelt SELECT kind, spelling, abdb_fold(spelling) FROM ("
    "  SELECT 'device' AS kind, device AS spelling FROM d"
    "  UNION ALL SELECT 'model', model FROM m"
    "  UNION ALL SELECT 'model', workload FROM w"
    "  UNION ALL SELECT 'submitter', submitter FROM pair"
    "  UNION ALL SELECT 'system', system FROM pair"
    "  UNION ALL SELECT DISTINCT 'device', device FROM spec WHERE spec_id > %lld"
    "  UNION ALL SELECT DISTINCT 'device', device FROM price WHERE price_id > %lld) AS u"
    " WHERE spelling IS NOT NULL AND NOT EXISTS (SELECT 1 FROM name n WHERE n.kind = u.kind"
    "  AND n.spelling = u.spelling);";

/* Where all rows are new their index leads from each spelling to the next. */
#define ALL_OF(name, column)                                                                 \
    name " (" column ") AS (SELECT min(" column ") FROM description UNION ALL SELECT ("      \
         "SELECT min(t." column ") FROM description t WHERE t." column " > " name "." column \
         ") FROM " name " WHERE " column " IS NOT NULL)"

static const char all_indexed[] =
    ALL_OF("d", "device") "," ALL_OF("m", "model") "," ALL_OF("w", "workload");
static const char new_indexed[] =
    "d AS (SELECT DISTINCT device FROM description NOT INDEXED WHERE description_id > %lld),"
    "m AS (SELECT DISTINCT model FROM description NOT INDEXED WHERE description_id > %lld),"
    "w AS (SELECT DISTINCT workload FROM description NOT INDEXED WHERE description_id > %lld)";

/* The dictionary changed: its own names, and all spellings that are known. */
static const char collect_all[] =
    "INSERT OR IGNORE INTO spelt SELECT kind, spelling, abdb_fold(spelling) FROM ("
    "  SELECT 'device' AS kind, device AS spelling FROM device"
    "  UNION SELECT 'device', canon FROM alias WHERE kind = 'device'"
    "  UNION SELECT 'model', model FROM model"
    "  UNION SELECT kind, spelling FROM name);";

/* Known names: a meaning is one or more parts (an alias may stand for several devices, with their
 * shares). Then each spelling by the first rule that matches; OR IGNORE keeps the result of an
 * earlier rule. Folded: the first spelling in order decides, canonical names before aliases. */
static const char look_up[] =
    "INSERT INTO meaning SELECT 'device', device, abdb_fold(device), 1, device, NULL, 1, device,"
    "  'canon' FROM device d WHERE NOT EXISTS (SELECT 1 FROM alias a WHERE a.kind = 'device'"
    "  AND a.spelling = d.device AND a.canon <> d.device);"
    "INSERT INTO meaning SELECT 'model', model, abdb_fold(model), 1, model, NULL, 1, model, 'canon'"
    "  FROM model;"
    "INSERT INTO meaning SELECT a.kind, a.spelling, abdb_fold(a.spelling), a.part, a.canon, "
    "a.share,"
    "  w.parts, w.whole, 'alias' FROM alias a JOIN (SELECT kind, spelling, count(*) AS parts,"
    "  group_concat(canon, ' + ') AS whole FROM (SELECT * FROM alias ORDER BY kind, spelling, part)"
    "  GROUP BY kind, spelling) w ON w.kind = a.kind AND w.spelling = a.spelling;"
    "CREATE INDEX temp.meaning_spelling ON meaning (kind, spelling);"
    "CREATE INDEX temp.meaning_folded ON meaning (kind, folded);"
    "INSERT INTO meant SELECT s.kind, s.spelling, m.part, m.canon, abdb_fold(m.whole), m.share,"
    "  m.parts, m.whole, m.how FROM spelt s JOIN meaning m USING (kind, spelling)"
    "  WHERE m.how = 'canon';"
    "INSERT OR IGNORE INTO meant SELECT s.kind, s.spelling, m.part, m.canon, abdb_fold(m.whole),"
    "  m.share, m.parts, m.whole, m.how FROM spelt s JOIN meaning m USING (kind, spelling)"
    "  WHERE m.how = 'alias' AND NOT EXISTS (SELECT 1 FROM meant n WHERE n.kind = s.kind"
    "  AND n.spelling = s.spelling);"
    "INSERT OR IGNORE INTO meant SELECT s.kind, s.spelling, m.part, m.canon, abdb_fold(m.whole),"
    "  m.share, m.parts, m.whole, 'folded' FROM spelt s JOIN meaning m USING (kind, folded)"
    "  WHERE m.spelling = (SELECT o.spelling FROM meaning o WHERE o.kind = s.kind"
    "    AND o.folded = s.folded ORDER BY o.how = 'alias', o.spelling LIMIT 1)"
    "  AND NOT EXISTS (SELECT 1 FROM meant n WHERE n.kind = s.kind AND n.spelling = s.spelling);"
    "INSERT INTO meant SELECT s.kind, s.spelling, 1, s.spelling, s.folded, NULL, 1, s.spelling,"
    "  'unresolved' FROM spelt s WHERE NOT EXISTS (SELECT 1 FROM meant n WHERE n.kind = s.kind"
    "  AND n.spelling = s.spelling);";

/* Entries whose identity a new meaning changes, and entries that share the old or the new one. */
static const char touch_moved[] =
    "CREATE TEMP TABLE moved AS SELECT n.kind, n.folded AS was, m.folded AS is_now FROM name n"
    "  JOIN meant m ON m.kind = n.kind AND m.spelling = n.spelling AND m.part = n.part"
    "  WHERE n.part = 1 AND n.folded <> m.folded;"
    "CREATE TEMP TABLE sharing AS SELECT n.kind, n.spelling FROM name n WHERE EXISTS"
    "  (SELECT 1 FROM moved v WHERE v.kind = n.kind AND n.folded IN (v.was, v.is_now));"
    "INSERT OR IGNORE INTO touched SELECT e.entry_id FROM description d JOIN entry_row e"
    "  ON e.description_id = d.description_id WHERE d.evidence = 'mlperf' AND EXISTS (SELECT 1 "
    "FROM moved)"
    "  AND (d.submitter IN (SELECT spelling FROM sharing WHERE kind = 'submitter')"
    "    OR d.system IN (SELECT spelling FROM sharing WHERE kind = 'system')"
    "    OR d.model IN (SELECT spelling FROM sharing WHERE kind = 'model'));"
    "DROP TABLE moved; DROP TABLE sharing;"
    "DELETE FROM name;";

static const char keep[] = "INSERT INTO name SELECT * FROM meant;";
static const char drop[] = "DROP TABLE IF EXISTS temp.spelt; DROP TABLE IF EXISTS temp.meant;"
                           "DROP TABLE IF EXISTS temp.meaning; DROP TABLE IF EXISTS temp.moved;"
                           "DROP TABLE IF EXISTS temp.sharing";

abdb_status abdb_names_resolve_and_store_new(abdb_db *db, const abdb_marks *marks,
                                             bool dictionary_changed, abdb_error *err)
{
    const sqlite3_int64 from = marks->description;
    char *indexed, *collect = NULL;
    sqlite3_int64 count = 0;
    abdb_error ignored;
    abdb_status st = ABDB_OK;

    indexed = sqlite3_mprintf(from ? new_indexed : all_indexed, from, from, from);
    if (indexed) collect = sqlite3_mprintf(collect_new, from, indexed, marks->spec, marks->price);
    sqlite3_free(indexed);
    if (!collect) return ABDB_FAIL(err, ABDB_NOMEM, "names");
    TRY(abdb_db_exec(db, begin, err));
    TRY(abdb_db_exec(db, collect, err));
    if (dictionary_changed) TRY(abdb_db_exec(db, collect_all, err));
    TRY(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM spelt", &count, err));
    if (!count) goto done;
    TRY(abdb_db_exec(db, look_up, err));
    if (dictionary_changed) TRY(abdb_db_exec(db, "DELETE FROM name_factor", err));
    TRY(abdb_resolve_device_names(db, err));
    if (dictionary_changed) TRY(abdb_db_exec(db, touch_moved, err));
    TRY(abdb_db_exec(db, keep, err));
done:
    sqlite3_free(collect);
    if (abdb_db_exec(db, drop, st == ABDB_OK ? err : &ignored) != ABDB_OK && st == ABDB_OK)
        st = ABDB_DB;
    return st;
}

/* Everything happens in temporary tables; name_factor, which decorations fill, is one, too. */
abdb_status abdb_name_resolve_without_storing(abdb_db *db, const char *kind, const char *spelling,
                                              abdb_arena *arena, const char **meaning,
                                              abdb_error *err)
{
    char *spelt = sqlite3_mprintf("CREATE TEMP TABLE name_factor AS SELECT * FROM main.name_factor"
                                  " WHERE 0; INSERT INTO spelt VALUES (%Q, %Q, abdb_fold(%Q))",
                                  kind, spelling, spelling);
    sqlite3_stmt *s = NULL;
    abdb_error ignored;
    abdb_status st = ABDB_OK;

    *meaning = spelling;
    if (!spelt) return ABDB_FAIL(err, ABDB_NOMEM, "names");
    TRY(abdb_db_exec(db, begin, err));
    TRY(abdb_db_exec(db, spelt, err));
    TRY(abdb_db_exec(db, look_up, err));
    TRY(abdb_resolve_device_names(db, err));
    if (sqlite3_prepare_v2(db->sql, "SELECT whole FROM meant LIMIT 1", -1, &s, NULL) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW)
        TRY(abdb_db_report_sqlite_error(db, err, "names"));
    *meaning =
        abdb_arena_copy(arena, abdb_sql_text_or_empty(s, 0), strlen(abdb_sql_text_or_empty(s, 0)));
    if (!*meaning) TRY(ABDB_FAIL(err, ABDB_NOMEM, "names"));
done:
    sqlite3_finalize(s);
    sqlite3_free(spelt);
    if (abdb_db_exec(db, drop, &ignored) != ABDB_OK ||
        abdb_db_exec(db, "DROP TABLE IF EXISTS temp.name_factor", &ignored) != ABDB_OK)
        st = st == ABDB_OK ? abdb_db_report_sqlite_error(db, err, "names") : st;
    return st;
}
