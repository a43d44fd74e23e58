/* record_linkage_blocks.c - finds the subjects to make anew: all of a block (the statements of one
 * suite, round and model) where one statement is new or touched (derive.h). */
#include "schema/store/derive.h"

#include <stdio.h>

/* Blocks with something new or touched in them. Which side is read first is a matter of speed: few
 * new entries are looked at one by one, many by way of the descriptions of MLPerf. */
static const char blocks_of_few[] =
    "CREATE TEMP TABLE fresh AS SELECT entry_id FROM entry_row WHERE entry_id > %lld"
    "  UNION SELECT entry_id FROM touched;"
    "ANALYZE temp;" /* else the planner thinks that they are many, and reads all descriptions */
    "INSERT INTO block SELECT DISTINCT d.suite, d.round, d.model FROM fresh n"
    "  CROSS JOIN entry_row w ON w.entry_id = n.entry_id"
    "  CROSS JOIN description d ON d.description_id = w.description_id"
    "  WHERE d.evidence = 'mlperf' AND d.suite IS NOT NULL AND d.kind <> 'run'";
static const char blocks_of_many[] =
    "INSERT INTO block SELECT DISTINCT d.suite, d.round, d.model FROM description d"
    "  WHERE d.evidence = 'mlperf' AND d.suite IS NOT NULL AND d.kind <> 'run'"
    "  AND EXISTS (SELECT 1 FROM entry_row w WHERE w.description_id = d.description_id"
    "    AND (w.entry_id > %lld OR w.entry_id IN (SELECT entry_id FROM touched)))";
/* Up to so many new and touched entries, each is processed by itself. */
enum { FEW = 5000 };

/* The descriptions of the blocks, whatever spelling of the model they use. */
static const char collect[] =
    "ANALYZE temp;"
    "CREATE TEMP TABLE whole_block AS SELECT DISTINCT b.suite, b.round, n.spelling AS model FROM "
    "block b"
    "  JOIN name m ON m.kind = 'model' AND m.spelling = b.model AND m.part = 1"
    "  JOIN name n ON n.kind = 'model' AND n.folded = m.folded AND n.part = 1"
    " UNION SELECT suite, round, model FROM block WHERE model IS NULL;"
    "ANALYZE temp;"
    "CREATE TEMP TABLE stated AS SELECT d.description_id FROM whole_block b"
    "  CROSS JOIN description d ON d.round = b.round AND d.model IS b.model" /* an index has both */
    "  WHERE d.suite = b.suite AND d.evidence = 'mlperf' AND d.kind <> 'run'"
    " UNION SELECT d.description_id FROM whole_block b"
    "  CROSS JOIN description d ON d.model IS b.model WHERE b.round IS NULL AND d.round IS NULL"
    "  AND d.suite = b.suite AND d.evidence = 'mlperf' AND d.kind <> 'run';"
    "ANALYZE temp;"
    "DELETE FROM subject WHERE result_id IN (SELECT r.result_id FROM stated d"
    "  CROSS JOIN entry_row w ON w.description_id = d.description_id"
    "  CROSS JOIN result_row r ON r.entry_id = w.entry_id)";

static const char drop[] = "DROP TABLE IF EXISTS temp.fresh; DROP TABLE IF EXISTS temp.block; DROP "
                           "TABLE IF EXISTS temp.whole_block;"
                           "DROP TABLE IF EXISTS temp.stated";

/* The blocks with something new or touched, into the table block. */
static abdb_status collect_changed_blocks(abdb_db *db, const abdb_marks *marks, abdb_error *err)
{
    sqlite3_int64 last, touched;
    char *sql = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_query_integer_or_0(db, "SELECT coalesce(max(entry_id), 0) FROM entry_row", &last,
                                   err));
    TRY(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM touched", &touched, err));
    TRY(abdb_db_exec(db, "CREATE TEMP TABLE block (suite TEXT, round TEXT, model TEXT)", err));
    sql = sqlite3_mprintf(last - marks->entry + touched < FEW ? blocks_of_few : blocks_of_many,
                          marks->entry);
    st = sql ? abdb_db_exec(db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "subjects");
    sqlite3_free(sql);
done:
    return st;
}

abdb_status abdb_subject_blocks_collect_delete_subjects(abdb_db *db, const abdb_marks *marks,
                                                        bool *any, abdb_error *err)
{
    sqlite3_int64 blocks;
    abdb_status st = ABDB_OK;

    TRY(collect_changed_blocks(db, marks, err));
    TRY(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM block", &blocks, err));
    *any = blocks > 0;
    if (*any) TRY(abdb_db_exec(db, collect, err));
done:
    return st;
}

abdb_status abdb_subject_blocks_drop_temp(abdb_db *db, abdb_error *err)
{
    return abdb_db_exec(db, drop, err);
}
