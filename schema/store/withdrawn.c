/* withdrawn.c - finds withdrawn rows: entries, specifications and prices that were withdrawn
 * by key or name, or stand only in withdrawn files. A target is a key (`e-`, `r-`, `s-`,
 * `p-` and 32 digits), a name, the digest of a file, DIGEST?FORMAT?WORDS for one reading of it,
 * or DIGEST@VERSION for the reading by an older importer. A withdrawal may come before its
 * target. */
#include "schema/store/derive.h"

#include <stddef.h>

/* The entries to check: after a new withdrawal all, else new ones beyond the mark and touched ones.
 */
static const char which_all[] =
    "CREATE TEMP TABLE looked AS SELECT entry_id FROM entry_row WHERE entry_key IN (SELECT"
    "  key_number(substr(target, 1, 34)) FROM withdrawal WHERE target GLOB '[er]-*')"
    " UNION SELECT w.entry_id FROM witness_all w JOIN artifact_gone a ON a.artifact_id = "
    "w.artifact_id"
    " UNION SELECT r.entry_id FROM name_gone n JOIN result_row r ON r.result_id = n.id"
    "   WHERE n.kind = 'result'"
    " UNION SELECT id FROM gone WHERE kind = 'entry';";
static const char which_new[] =
    "CREATE TEMP TABLE looked AS SELECT entry_id FROM entry_row WHERE entry_id > %lld"
    " UNION SELECT entry_id FROM touched;";

/* Withdrawn files, withdrawn names, and all places of each entry. */
static const char views[] =
    "CREATE TEMP VIEW artifact_gone AS SELECT artifact_id FROM main.gone_artifact;"
    "CREATE TEMP VIEW name_gone AS SELECT kind, id FROM main.fact"
    "  WHERE fact IN (SELECT target FROM main.withdrawn);"
    "CREATE TEMP VIEW witness_all AS SELECT entry_id, artifact_id FROM main.entry_row"
    "  WHERE artifact_id IS NOT NULL UNION ALL SELECT entry_id, artifact_id FROM main.witness_row;";

/* The checked entries that are out: withdrawn themselves, by a name of a result, or left without a
 * place that still counts. An entry that goes out or comes back is touched, so that subjects and
 * ceilings follow. */
static const char look[] =
    "ANALYZE temp.looked;"
    "CREATE TEMP TABLE out AS SELECT l.entry_id FROM looked l JOIN entry_row e USING (entry_id)"
    "  WHERE EXISTS (SELECT 1 FROM withdrawn w WHERE w.target ="
    "      format('e-%016x%016x', e.entry_key, e.entry_key_low)"
    "    OR substr(w.target, 1, 34) = format('r-%016x%016x', e.entry_key, e.entry_key_low))"
    "  OR EXISTS (SELECT 1 FROM result_row r JOIN name_gone n ON n.kind = 'result'"
    "    AND n.id = r.result_id WHERE r.entry_id = e.entry_id)"
    "  OR (e.artifact_id IN (SELECT artifact_id FROM artifact_gone) AND NOT EXISTS (SELECT 1"
    "    FROM witness_row x WHERE x.entry_id = l.entry_id AND x.artifact_id NOT IN"
    "    (SELECT artifact_id FROM artifact_gone)));"
    "INSERT OR IGNORE INTO touched SELECT id FROM gone WHERE kind = 'entry' AND id IN (SELECT"
    "  entry_id FROM looked) AND id NOT IN (SELECT entry_id FROM out);"
    "INSERT OR IGNORE INTO touched SELECT entry_id FROM out WHERE entry_id NOT IN (SELECT id FROM"
    "  gone WHERE kind = 'entry');"
    "DELETE FROM gone WHERE kind = 'entry' AND id IN (SELECT entry_id FROM looked);"
    "INSERT INTO gone SELECT 'entry', entry_id FROM out;"
    /* specifications and prices are few: all of them */
    "DELETE FROM gone WHERE kind <> 'entry';"
    "INSERT OR IGNORE INTO gone SELECT 'spec', spec_id FROM spec WHERE"
    "  format('s-%016x%016x', spec_key, spec_key_low) IN (SELECT target FROM withdrawn);"
    "INSERT OR IGNORE INTO gone SELECT 'price', price_id FROM price WHERE"
    "  format('p-%016x%016x', price_key, price_key_low) IN (SELECT target FROM withdrawn);"
    "INSERT OR IGNORE INTO gone SELECT kind, id FROM name_gone WHERE kind <> 'result';"
    "INSERT OR IGNORE INTO gone SELECT kind, id FROM origin GROUP BY kind, id"
    "  HAVING min(artifact_id IN (SELECT artifact_id FROM artifact_gone)) = 1;";

static const char drop[] = "DROP TABLE IF EXISTS temp.looked; DROP TABLE IF EXISTS temp.out;"
                           "DROP VIEW IF EXISTS temp.artifact_gone;"
                           "DROP VIEW IF EXISTS temp.name_gone;"
                           "DROP VIEW IF EXISTS temp.witness_all";

abdb_status abdb_withdrawn_update_gone_and_touch(abdb_db *db, const abdb_marks *marks,
                                                 bool withdrawals_changed, abdb_error *err)
{
    sqlite3_int64 withdrawals;
    abdb_error ignored;
    char *which = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_query_integer_or_0(db, "SELECT EXISTS (SELECT 1 FROM withdrawal)", &withdrawals,
                                   err));
    if (!withdrawals) return ABDB_OK;
    which = withdrawals_changed ? sqlite3_mprintf("%s", which_all)
                                : sqlite3_mprintf(which_new, marks->entry);
    if (!which) return ABDB_FAIL(err, ABDB_NOMEM, "what was withdrawn");
    TRY(abdb_db_exec(db, views, err));
    TRY(abdb_db_exec(db, which, err));
    TRY(abdb_db_exec(db, look, err));
done:
    sqlite3_free(which);
    if (abdb_db_exec(db, drop, st == ABDB_OK ? err : &ignored) != ABDB_OK && st == ABDB_OK)
        st = ABDB_DB;
    return st;
}
