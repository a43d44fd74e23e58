/* merge.c - another database's facts into this one, by their keys: a union, so that order and
 * repetition change nothing. One transaction. */
#include "schema/store/write.h"

/* Each statement takes what is there already as it is. Numbers of the other file are translated by
 * keys; a description without a key of its own (a migrated one) comes along as a new one. */
static const char *const union_sql[] = {
    "INSERT OR IGNORE INTO main.source SELECT * FROM other.source;"
    "INSERT OR IGNORE INTO main.factor SELECT * FROM other.factor;"
    "INSERT OR IGNORE INTO main.device SELECT * FROM other.device;"
    "INSERT OR IGNORE INTO main.model SELECT * FROM other.model;"
    "INSERT OR IGNORE INTO main.alias SELECT * FROM other.alias;"
    "INSERT OR IGNORE INTO main.rule SELECT * FROM other.rule;"
    "INSERT OR IGNORE INTO main.compatibility SELECT * FROM other.compatibility;"
    "INSERT OR IGNORE INTO main.workload_factor SELECT * FROM other.workload_factor;"
    "INSERT OR IGNORE INTO main.environment SELECT * FROM other.environment;"
    "INSERT OR IGNORE INTO main.spec SELECT * FROM other.spec;"
    "INSERT OR IGNORE INTO main.price SELECT * FROM other.price;"
    "INSERT OR IGNORE INTO main.claim SELECT * FROM other.claim;"
    "INSERT OR IGNORE INTO main.claim_term SELECT * FROM other.claim_term;"
    "INSERT OR IGNORE INTO main.withdrawal SELECT * FROM other.withdrawal;",
    /* artifacts and what was refused in the new ones */
    "CREATE TEMP TABLE new_artifact AS SELECT artifact_key FROM other.artifact"
    "  WHERE artifact_key NOT IN (SELECT artifact_key FROM main.artifact);"
    "INSERT INTO main.artifact SELECT NULL, artifact_key, sha256, path, format, words, size_B,"
    "  accepted, duplicate, rejected, ignored, imported FROM other.artifact"
    "  WHERE artifact_key IN (SELECT artifact_key FROM new_artifact) ORDER BY artifact_id;"
    "INSERT INTO main.reject SELECT m.artifact_id, r.line, r.field, r.reason, r.raw"
    "  FROM other.reject r JOIN other.artifact a ON a.artifact_id = r.artifact_id"
    "  JOIN main.artifact m ON m.artifact_key = a.artifact_key"
    "  WHERE a.artifact_key IN (SELECT artifact_key FROM new_artifact) ORDER BY r.rowid;"
    "INSERT OR IGNORE INTO main.origin SELECT o.kind, o.id, m.artifact_id, o.locator"
    "  FROM other.origin o JOIN other.artifact a ON a.artifact_id = o.artifact_id"
    "  JOIN main.artifact m ON m.artifact_key = a.artifact_key;"
    /* points */
    "CREATE TEMP TABLE new_point AS SELECT point_key FROM other.point"
    "  WHERE point_key NOT IN (SELECT point_key FROM main.point);"
    "INSERT INTO main.point (point_key) SELECT point_key FROM new_point ORDER BY 1;"
    "INSERT INTO main.point_factor SELECT m.point_id, f.factor, f.state, f.text, f.num, f.unit"
    "  FROM other.point_factor f JOIN other.point p ON p.point_id = f.point_id"
    "  JOIN main.point m ON m.point_key = p.point_key"
    "  WHERE p.point_key IN (SELECT point_key FROM new_point);",
    /* entries and what belongs to them */
    "CREATE TEMP TABLE new_entry AS SELECT o.entry_id, o.entry_key FROM other.entry_row o"
    "  WHERE NOT EXISTS (SELECT 1 FROM main.entry_row m WHERE m.entry_key = o.entry_key);"
    "CREATE TEMP TABLE new_description AS SELECT description_id AS old, coalesce(there,"
    "  (SELECT coalesce(max(description_id), 0) FROM main.description) + row_number() OVER"
    "  (PARTITION BY there IS NULL ORDER BY description_id)) AS new, there IS NULL AS fresh FROM ("
    "  SELECT d.description_id, (SELECT m.description_id FROM main.description m"
    "    WHERE m.description_key = d.description_key AND d.description_key >= 0) AS there"
    "  FROM other.description d WHERE d.description_id IN (SELECT o.description_id"
    "    FROM other.entry_row o JOIN new_entry n ON n.entry_id = o.entry_id));"
    "CREATE UNIQUE INDEX temp.new_description_old ON new_description (old);"
    "INSERT INTO main.description SELECT n.new, CASE WHEN d.description_key >= 0 THEN"
    "  d.description_key ELSE -1 - n.new END, d.evidence, d.kind, d.status, d.reason, d.verified,"
    "  d.suite, d.system_type, d.round, d.division, d.availability, d.public_id, d.submitter,"
    "  d.system, d.platform, d.workload, d.model, d.scenario, d.device, d.devices, d.nodes,"
    "  d.backend, d.dtype, d.date, d.tag, d.campaign, d.cell, d.flags, d.source, d.url, d.retrieved"
    "  FROM new_description n JOIN other.description d ON d.description_id = n.old"
    "  WHERE n.fresh;"
    "INSERT INTO main.quantity (metric, statistic, unit, raw_unit, spread, formula)"
    "  SELECT metric, statistic, unit, raw_unit, spread, formula FROM other.quantity o"
    "  WHERE NOT EXISTS (SELECT 1 FROM main.quantity m WHERE m.metric = o.metric AND m.statistic ="
    "  o.statistic AND m.unit = o.unit AND m.raw_unit IS o.raw_unit AND m.spread IS o.spread AND"
    "  m.formula IS o.formula);",
    "INSERT INTO main.entry_row (entry_key, description_id, point_id, environment_id, artifact_id,"
    "  place) SELECT o.entry_key, d.new, mp.point_id, o.environment_id, ma.artifact_id, o.place"
    "  FROM new_entry n JOIN other.entry_row o ON o.entry_id = n.entry_id"
    "  JOIN new_description d ON d.old = o.description_id"
    "  JOIN other.point p ON p.point_id = o.point_id"
    "  JOIN main.point mp ON mp.point_key = p.point_key"
    "  LEFT JOIN other.artifact a ON a.artifact_id = o.artifact_id"
    "  LEFT JOIN main.artifact ma ON ma.artifact_key = a.artifact_key ORDER BY o.entry_id;"
    "CREATE TEMP TABLE both AS SELECT o.entry_id AS old, m.entry_id AS new,"
    "  n.entry_id IS NOT NULL AS fresh FROM other.entry_row o"
    "  JOIN main.entry_row m ON m.entry_key = o.entry_key"
    "  LEFT JOIN new_entry n ON n.entry_id = o.entry_id;"
    "CREATE UNIQUE INDEX temp.both_old ON both (old);"
    "INSERT INTO main.result_row SELECT b.new, r.ordinal, m.quantity_id, r.value, r.raw_value,"
    "  r.cell, r.rank, r.x, r.n, r.low, r.high FROM both b"
    "  JOIN other.result_row r ON r.entry_id = b.old"
    "  JOIN other.quantity q ON q.quantity_id = r.quantity_id"
    "  JOIN main.quantity m ON m.metric = q.metric AND m.statistic = q.statistic AND m.unit = "
    "q.unit"
    "  AND m.raw_unit IS q.raw_unit AND m.spread IS q.spread AND m.formula IS q.formula"
    "  WHERE b.fresh ORDER BY 1, 2;"
    "INSERT INTO main.sample SELECT b.new, s.ordinal, s.seq, s.rank, s.t_s, s.value, s.mark"
    "  FROM both b JOIN other.sample s ON s.entry_id = b.old WHERE b.fresh ORDER BY 1, 2, 3, 4;"
    "INSERT INTO main.telemetry SELECT b.new, t.t_s, t.device, t.quantity, t.value, t.unit"
    "  FROM both b JOIN other.telemetry t ON t.entry_id = b.old WHERE b.fresh;"
    "INSERT OR IGNORE INTO main.part SELECT a.new, b.new, p.role FROM other.part p"
    "  JOIN both a ON a.old = p.whole JOIN both b ON b.old = p.piece;"
    "INSERT OR IGNORE INTO main.fact SELECT f.fact, f.kind, CASE f.kind WHEN 'result' THEN b.new"
    "  ELSE f.id END, f.ordinal FROM other.fact f LEFT JOIN both b ON b.old = f.id"
    "  WHERE f.kind <> 'result' OR b.new IS NOT NULL;"
    "INSERT OR IGNORE INTO main.witness_row SELECT b.new, ma.artifact_id, w.place FROM ("
    "  SELECT entry_id, artifact_id, place FROM other.entry_row WHERE artifact_id IS NOT NULL"
    "  UNION ALL SELECT entry_id, artifact_id, place FROM other.witness_row) w"
    "  JOIN both b ON b.old = w.entry_id JOIN other.artifact a ON a.artifact_id = w.artifact_id"
    "  JOIN main.artifact ma ON ma.artifact_key = a.artifact_key"
    "  WHERE NOT EXISTS (SELECT 1 FROM main.entry_row m WHERE m.entry_id = b.new"
    "    AND m.artifact_id = ma.artifact_id AND m.place = w.place);"
    "INSERT OR REPLACE INTO main.meta VALUES ('index', 'stale');"};

static const char drop_sql[] =
    "DROP TABLE IF EXISTS temp.new_artifact; DROP TABLE IF EXISTS temp.new_point;"
    "DROP TABLE IF EXISTS temp.new_entry; DROP TABLE IF EXISTS temp.new_description;"
    "DROP TABLE IF EXISTS temp.both;";

abdb_status abdb_merge(abdb_db *db, const char *path, abdb_counts *counts, abdb_error *err)
{
    static const char missing[] = "SELECT count(*) FROM main.entry_row";
    abdb_db *other = NULL;
    char *attach = NULL;
    sqlite3_int64 before = 0, after = 0, all = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_open(&other, path, ABDB_READ, err)); /* is it abdb's, of this version, whole? */
    attach = sqlite3_mprintf("ATTACH %Q AS other", other->path); /* not as a URI */
    abdb_db_close(other);
    if (!attach) TRY(ABDB_FAIL(err, ABDB_NOMEM, "merge"));
    TRY(abdb_db_exec(db, attach, err));
    TRY(abdb_db_exec(db, "BEGIN IMMEDIATE", err));
    TRY(abdb_db_integer(db, missing, &before, err));
    for (size_t i = 0; i < sizeof union_sql / sizeof union_sql[0]; i++)
        TRY(abdb_db_exec(db, union_sql[i], err));
    TRY(abdb_db_integer(db, missing, &after, err));
    TRY(abdb_db_integer(db, "SELECT count(*) FROM other.entry_row", &all, err));
    TRY(abdb_db_exec(db, "COMMIT", err));
    counts->accepted = (long)(after - before);
    counts->duplicate = (long)(all - (after - before));
done:
    if (!sqlite3_get_autocommit(db->sql)) sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(db->sql, drop_sql, NULL, NULL, NULL);
    if (attach) sqlite3_exec(db->sql, "DETACH other", NULL, NULL, NULL);
    sqlite3_free(attach);
    return st;
}
