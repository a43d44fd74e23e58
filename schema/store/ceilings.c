/* ceilings.c - the ceilings: of each machine, quantity and number format the best of the cells that
 * were made to find one. A new cell meets the best so far; where that was withdrawn, all cells of
 * its machine are looked at again. */
#include "schema/store/derive.h"

#include <stddef.h>

/* Entries to look at, into temp.found: new ones, older ones that were said again or taken back, and
 * all of the machines whose best was withdrawn (temp.lost). CROSS JOIN fixes the order of the
 * tables, from the few to the many. */
static const char find[] =
    "CREATE TEMP TABLE lost AS SELECT DISTINCT d.device FROM ceiling_best b"
    "  CROSS JOIN result_row r ON r.result_id = b.result_id"
    "  CROSS JOIN gone g ON g.kind = 'entry' AND g.id = r.entry_id"
    "  CROSS JOIN entry_row w ON w.entry_id = r.entry_id"
    "  CROSS JOIN description d ON d.description_id = w.description_id;"
    "CREATE TEMP TABLE found (entry_id INTEGER PRIMARY KEY);"
    "INSERT INTO found SELECT w.entry_id FROM entry_row w WHERE w.entry_id > %lld"
    "  AND EXISTS (SELECT 1 FROM point_factor p WHERE p.point_id = w.point_id"
    "    AND p.factor = 'ceiling');"
    "INSERT OR IGNORE INTO found SELECT entry_id FROM touched;"
    "INSERT OR IGNORE INTO found SELECT w.entry_id FROM lost l"
    "  CROSS JOIN description d ON d.device IS l.device"
    "  CROSS JOIN entry_row w ON w.description_id = d.description_id;";

/* The best of the found entries and of the best so far: by value, then by key, so that the order of
 * imports has no effect. Number formats are not separated for bandwidth. */
static const char keep[] =
    "INSERT OR IGNORE INTO found SELECT r.entry_id FROM ceiling_best b"
    "  CROSS JOIN result_row r ON r.result_id = b.result_id;"
    "ANALYZE temp;" /* else the planner thinks that they are many */
    "CREATE TEMP TABLE best AS SELECT * FROM (SELECT f.*, row_number() OVER"
    "  (PARTITION BY device, quantity, dtype ORDER BY value DESC, entry_key, result_id) AS place"
    "  FROM (SELECT coalesce(d.device, '') AS device, p.text AS quantity, CASE WHEN p.text <>"
    "    'memory_bandwidth' THEN coalesce(d.dtype, '') ELSE '' END AS dtype, r.value, w.entry_key,"
    "    r.result_id"
    "  FROM found f"
    "  CROSS JOIN entry_row w ON w.entry_id = f.entry_id"
    "  CROSS JOIN point_factor p ON p.point_id = w.point_id AND p.factor = 'ceiling'"
    "  CROSS JOIN description d ON d.description_id = w.description_id"
    "    AND d.evidence = 'measured' AND d.verified = 'pass'"
    "    AND NOT EXISTS (SELECT 1 FROM mark m WHERE m.effect <> 'show'"
    "      AND instr(' ' || d.flags || ' ', ' ' || m.mark || ' '))"
    "  CROSS JOIN result_row r ON r.entry_id = w.entry_id"
    "  CROSS JOIN quantity q ON q.quantity_id = r.quantity_id AND q.metric = CASE p.text"
    "    WHEN 'memory_bandwidth' THEN 'bytes_per_s' WHEN 'peak_flops' THEN 'flops_per_s'"
    "    WHEN 'peak_ops' THEN 'ops_per_s' END"
    "  WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = w.entry_id)) f)"
    "  WHERE place = 1;"
    "DELETE FROM ceiling_best WHERE result_id NOT IN (SELECT result_id FROM best);"
    "INSERT OR REPLACE INTO ceiling_best SELECT device, quantity, dtype, result_id FROM best;";

static const char drop[] = "DROP TABLE IF EXISTS temp.lost; DROP TABLE IF EXISTS temp.found;"
                           "DROP TABLE IF EXISTS temp.best";

abdb_status abdb_ceilings_update_best(abdb_db *db, const abdb_marks *marks, abdb_error *err)
{
    sqlite3_int64 some;
    char *sql = NULL;
    abdb_error ignored;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_query_integer_or_0(
        db, "SELECT EXISTS (SELECT 1 FROM point_factor WHERE factor = 'ceiling')", &some, err));
    if (!some) return ABDB_OK;
    sql = sqlite3_mprintf(find, marks->entry);
    if (!sql) return ABDB_FAIL(err, ABDB_NOMEM, "ceilings");
    TRY(abdb_db_exec(db, sql, err));
    TRY(abdb_db_query_integer_or_0(db, "SELECT EXISTS (SELECT 1 FROM found)", &some, err));
    if (some) TRY(abdb_db_exec(db, keep, err));
done:
    sqlite3_free(sql);
    if (abdb_db_exec(db, drop, st == ABDB_OK ? err : &ignored) != ABDB_OK && st == ABDB_OK)
        st = ABDB_DB;
    return st;
}
