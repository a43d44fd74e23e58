/* ceilings.c - the ceilings: of each machine, quantity and number format the best of the cells that
 * were made to find one. A new cell meets the best so far; where that was withdrawn, all cells of
 * its machine are looked at again. */
#include "schema/store/derive.h"

#include <stddef.h>

/* What may be the best: the best so far, new cells, older ones that came back, and all of the
 * machines whose best was withdrawn. */
static const char collect[] =
    "CREATE TEMP TABLE lost AS SELECT DISTINCT d.device FROM ceiling_best b"
    "  CROSS JOIN result_row r ON r.result_id = b.result_id"
    "  CROSS JOIN gone g ON g.kind = 'entry' AND g.id = r.entry_id"
    "  CROSS JOIN entry_row w ON w.entry_id = r.entry_id"
    "  CROSS JOIN description d ON d.description_id = w.description_id;"
    "CREATE TEMP TABLE cell AS SELECT * FROM ceiling_cell WHERE entry_id > %lld;"
    "INSERT INTO cell SELECT * FROM ceiling_cell"
    "  WHERE entry_id <= %lld AND entry_id IN (SELECT entry_id FROM touched);"
    "INSERT INTO cell SELECT * FROM ceiling_cell WHERE EXISTS (SELECT 1 FROM lost)"
    "  AND EXISTS (SELECT 1 FROM lost l WHERE l.device IS ceiling_cell.device);";

static const char keep[] =
    "INSERT INTO cell SELECT * FROM ceiling_cell WHERE entry_id IN (SELECT r.entry_id"
    "  FROM ceiling_best b JOIN result_row r ON r.result_id = b.result_id);"
    "CREATE TEMP TABLE best AS SELECT DISTINCT result_id FROM (SELECT result_id, row_number() OVER"
    "  (PARTITION BY device, quantity, dtype ORDER BY value DESC, entry_key, result_id) AS place"
    "  FROM cell) WHERE place = 1;"
    "DELETE FROM ceiling_best WHERE result_id NOT IN (SELECT result_id FROM best);"
    "INSERT OR IGNORE INTO ceiling_best SELECT result_id FROM best;";

static const char drop[] = "DROP TABLE IF EXISTS temp.lost; DROP TABLE IF EXISTS temp.cell;"
                           "DROP TABLE IF EXISTS temp.best";

abdb_status abdb_ceilings_update(abdb_db *db, const abdb_marks *marks, abdb_error *err)
{
    sqlite3_int64 some;
    char *sql = NULL;
    abdb_error ignored;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_integer(db, "SELECT EXISTS (SELECT 1 FROM point_factor WHERE factor = 'ceiling')",
                        &some, err));
    if (!some) return ABDB_OK;
    sql = sqlite3_mprintf(collect, marks->entry, marks->entry);
    if (!sql) return ABDB_FAIL(err, ABDB_NOMEM, "ceilings");
    TRY(abdb_db_exec(db, sql, err));
    TRY(abdb_db_integer(db, "SELECT EXISTS (SELECT 1 FROM cell) OR EXISTS (SELECT 1 FROM lost)",
                        &some, err));
    if (some) TRY(abdb_db_exec(db, keep, err));
done:
    sqlite3_free(sql);
    if (abdb_db_exec(db, drop, st == ABDB_OK ? err : &ignored) != ABDB_OK && st == ABDB_OK)
        st = ABDB_DB;
    return st;
}
