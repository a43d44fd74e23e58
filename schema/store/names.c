/* names.c - what withdrawals leave out, and the name index: every spelling in use and what it means
 * today.
 *
 * Facts keep the spelling that was published. Which device, model or submitter it means is decided
 * here, each time anything was imported: (1) the spelling is a canonical name, (2) an alias has
 * this spelling, (3) without case and punctuation it equals an alias or a canonical name, else (4)
 * it stays what it is, unresolved. So an alias that comes later mends the facts that came before.
 */
#include "schema/store/write.h"

static const char leave_out[] =
    /* what withdrawals leave out: facts by key, and those that only withdrawn files say */
    "INSERT OR IGNORE INTO gone SELECT 'entry', entry_id FROM entry_row"
    "  WHERE EXISTS (SELECT 1 FROM withdrawal WHERE target GLOB '[er]-*')"
    "  AND (format('e-%016x', entry_key) IN (SELECT target FROM withdrawal)"
    "   OR format('r-%016x', entry_key) IN (SELECT substr(target, 1, 18) FROM withdrawal));"
    "CREATE TEMP TABLE taken AS SELECT artifact_id FROM artifact a WHERE a.sha256 IN"
    "  (SELECT target FROM withdrawal) OR (a.sha256 || '@' || a.importer IN (SELECT target FROM"
    "   withdrawal) AND EXISTS (SELECT 1 FROM artifact n WHERE n.sha256 = a.sha256 AND n.format ="
    "   a.format AND n.words = a.words AND n.importer > a.importer));"
    "INSERT OR IGNORE INTO gone SELECT 'entry', w.entry_id FROM witness w"
    "  WHERE EXISTS (SELECT 1 FROM taken)"
    "  GROUP BY w.entry_id HAVING min(w.artifact_id IN (SELECT artifact_id FROM taken)) = 1;"
    "INSERT OR IGNORE INTO gone SELECT 'spec', spec_id FROM spec"
    "  WHERE format('s-%016x', spec_id) IN (SELECT target FROM withdrawal);"
    "INSERT OR IGNORE INTO gone SELECT 'price', price_id FROM price"
    "  WHERE format('p-%016x', price_id) IN (SELECT target FROM withdrawal);"
    "INSERT OR IGNORE INTO gone SELECT o.kind, o.id FROM origin o GROUP BY o.kind, o.id"
    "  HAVING min(o.artifact_id IN (SELECT artifact_id FROM taken)) = 1;"
    "INSERT OR IGNORE INTO gone SELECT replace(kind, 'result', 'entry'), id FROM fact"
    "  WHERE fact IN (SELECT target FROM withdrawal);"
    "DROP TABLE taken;";

static const char rebuild[] =
    "CREATE TEMP TABLE spelt (kind TEXT, spelling TEXT, folded TEXT);"
    "INSERT INTO spelt SELECT kind, spelling, abdb_fold(spelling) FROM ("
    "  SELECT 'device' AS kind, device AS spelling FROM description UNION SELECT 'device', device "
    "FROM "
    "spec"
    "  UNION SELECT 'device', device FROM price UNION SELECT 'device', device FROM device"
    "  UNION SELECT 'device', canon FROM alias WHERE kind = 'device'"
    "  UNION SELECT 'model', model FROM description"
    "  UNION SELECT 'model', workload FROM description"
    "  UNION SELECT 'model', model FROM model"
    "  UNION SELECT 'submitter', submitter FROM description"
    "  UNION SELECT 'system', system FROM description)"
    " WHERE spelling IS NOT NULL;"
    /* what is known: a meaning is one or more parts */
    "CREATE TEMP TABLE meaning (kind TEXT, spelling TEXT, folded TEXT, part INT, canon TEXT,"
    "  share INT, parts INT, whole TEXT, how TEXT);"
    "INSERT INTO meaning SELECT 'device', device, abdb_fold(device), 1, device, NULL, 1, device,"
    "  'canon' FROM device;"
    "INSERT INTO meaning SELECT 'model', model, abdb_fold(model), 1, model, NULL, 1, model, 'canon'"
    "  FROM model;"
    "INSERT INTO meaning SELECT a.kind, a.spelling, abdb_fold(a.spelling), a.part, a.canon, "
    "a.share,"
    "  w.parts, w.whole, 'alias' FROM alias a JOIN (SELECT kind, spelling, count(*) AS parts,"
    "  group_concat(canon, ' + ') AS whole FROM (SELECT * FROM alias ORDER BY kind, spelling, part)"
    "  GROUP BY kind, spelling) w ON w.kind = a.kind AND w.spelling = a.spelling;"
    "CREATE INDEX temp.meaning_spelling ON meaning (kind, spelling);"
    "CREATE INDEX temp.meaning_folded ON meaning (kind, folded);"
    "DELETE FROM name;"
    "INSERT INTO name SELECT s.kind, s.spelling, m.part, m.canon, abdb_fold(m.whole), m.share,"
    "  m.parts, m.whole, m.how FROM spelt s JOIN meaning m USING (kind, spelling)"
    "  WHERE m.how = 'canon';"
    "INSERT OR IGNORE INTO name SELECT s.kind, s.spelling, m.part, m.canon, abdb_fold(m.whole),"
    "  m.share, m.parts, m.whole, m.how FROM spelt s JOIN meaning m USING (kind, spelling)"
    "  WHERE m.how = 'alias' AND NOT EXISTS (SELECT 1 FROM name n WHERE n.kind = s.kind"
    "  AND n.spelling = s.spelling);"
    /* folded: the first spelling in order decides, canonical names before aliases */
    "INSERT OR IGNORE INTO name SELECT s.kind, s.spelling, m.part, m.canon, abdb_fold(m.whole),"
    "  m.share, m.parts, m.whole, 'folded' FROM spelt s JOIN meaning m USING (kind, folded)"
    "  WHERE m.spelling = (SELECT o.spelling FROM meaning o WHERE o.kind = s.kind"
    "    AND o.folded = s.folded ORDER BY o.how = 'alias', o.spelling LIMIT 1)"
    "  AND NOT EXISTS (SELECT 1 FROM name n WHERE n.kind = s.kind AND n.spelling = s.spelling);"
    "INSERT INTO name SELECT s.kind, s.spelling, 1, s.spelling, s.folded, NULL, 1, s.spelling,"
    "  'unresolved' FROM spelt s WHERE NOT EXISTS (SELECT 1 FROM name n WHERE n.kind = s.kind"
    "  AND n.spelling = s.spelling);"
    "DROP TABLE spelt; DROP TABLE meaning;"
    "COMMIT";

abdb_status abdb_names_rebuild(abdb_db *db, abdb_error *err)
{
    sqlite3_int64 withdrawals;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(db, "BEGIN IMMEDIATE; DELETE FROM gone", err));
    TRY(abdb_db_integer(db, "SELECT count(*) FROM withdrawal", &withdrawals, err));
    if (withdrawals) TRY(abdb_db_exec(db, leave_out, err)); /* it looks at every entry */
    TRY(abdb_db_exec(db, rebuild, err));
done:
    if (st != ABDB_OK)
        sqlite3_exec(db->sql,
                     "ROLLBACK; DROP TABLE IF EXISTS temp.spelt; DROP TABLE IF EXISTS temp.taken;"
                     "DROP TABLE IF EXISTS temp.meaning",
                     NULL, NULL, NULL);
    return st;
}
