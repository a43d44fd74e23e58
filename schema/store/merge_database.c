/* merge_database.c - another database's facts into this one, by their keys: a union, so that order
 * and repetition change nothing. Small numbers mean something inside one file only, so temporary
 * tables (both_...) map numbers of the other file to numbers of this one. One transaction. */
#include "schema/store/schema_check.h"
#include "schema/store/write.h"

/* Each statement leaves existing rows unchanged. Numbers of the other file are translated by both
 * parts of keys. (WHERE true: else SQLite copies a table into an empty one without checking its
 * constraints.) */
static const char *const union_sql[] = {
    "INSERT OR IGNORE INTO main.source SELECT * FROM other.source WHERE true;"
    "INSERT OR IGNORE INTO main.factor SELECT * FROM other.factor WHERE true;"
    "INSERT OR IGNORE INTO main.device SELECT * FROM other.device WHERE true;"
    "INSERT OR IGNORE INTO main.model SELECT * FROM other.model WHERE true;"
    "INSERT OR IGNORE INTO main.alias SELECT * FROM other.alias WHERE true;"
    "INSERT OR IGNORE INTO main.round SELECT * FROM other.round WHERE true;"
    "INSERT OR IGNORE INTO main.rule SELECT * FROM other.rule WHERE true;"
    "INSERT OR IGNORE INTO main.compatibility SELECT * FROM other.compatibility WHERE true;"
    "INSERT OR IGNORE INTO main.workload_factor SELECT * FROM other.workload_factor WHERE true;"
    "INSERT OR IGNORE INTO main.provider SELECT * FROM other.provider WHERE true;"
    "INSERT OR IGNORE INTO main.fabric SELECT * FROM other.fabric WHERE true;"
    "INSERT OR IGNORE INTO main.exchange_rate SELECT * FROM other.exchange_rate WHERE true;"
    "INSERT OR IGNORE INTO main.spec_order SELECT * FROM other.spec_order WHERE true;"
    "INSERT OR IGNORE INTO main.spec_ratio SELECT * FROM other.spec_ratio WHERE true;"
    "INSERT OR IGNORE INTO main.spec_doubt SELECT * FROM other.spec_doubt WHERE true;"
    "INSERT OR IGNORE INTO main.workload_engine SELECT * FROM other.workload_engine WHERE true;"
    "INSERT OR IGNORE INTO main.figure_rule SELECT * FROM other.figure_rule WHERE true;"
    "INSERT OR IGNORE INTO main.score_rule SELECT * FROM other.score_rule WHERE true;"
    "INSERT OR IGNORE INTO main.decoration SELECT * FROM other.decoration WHERE true;"
    "INSERT OR IGNORE INTO main.mark SELECT * FROM other.mark WHERE true;"
    "INSERT OR IGNORE INTO main.official_result SELECT * FROM other.official_result WHERE true;"
    "INSERT OR IGNORE INTO main.scenario_limit SELECT * FROM other.scenario_limit WHERE true;"
    "INSERT OR IGNORE INTO main.accept_check SELECT * FROM other.accept_check WHERE true;"
    "INSERT OR IGNORE INTO main.claim SELECT * FROM other.claim WHERE true;"
    "INSERT OR IGNORE INTO main.claim_term SELECT * FROM other.claim_term WHERE true;"
    "INSERT OR IGNORE INTO main.withdrawal SELECT * FROM other.withdrawal WHERE true;"
    "INSERT INTO main.note SELECT NULL, note_key, note_key_low, kind, target, text, author, date"
    "  FROM other.note o WHERE NOT EXISTS (SELECT 1 FROM main.note m WHERE m.note_key = o.note_key"
    "  AND m.note_key_low = o.note_key_low) ORDER BY o.note_id;",
    /* artifacts, and refused rows of the new ones */
    "CREATE TEMP TABLE new_artifact AS SELECT o.artifact_id FROM other.artifact o WHERE NOT EXISTS"
    "  (SELECT 1 FROM main.artifact m WHERE m.sha256 = o.sha256 AND m.format = o.format"
    "  AND m.words = o.words AND m.importer = o.importer);"
    "INSERT INTO main.artifact SELECT NULL, sha256, path, format, importer, words, size_B,"
    "  accepted, duplicate, rejected, ignored, imported FROM other.artifact"
    "  WHERE artifact_id IN (SELECT artifact_id FROM new_artifact) ORDER BY artifact_id;"
    "CREATE TEMP TABLE both_artifact AS SELECT o.artifact_id AS old, m.artifact_id AS new"
    "  FROM other.artifact o JOIN main.artifact m ON m.sha256 = o.sha256 AND m.format = o.format"
    "  AND m.words = o.words AND m.importer = o.importer;"
    "CREATE UNIQUE INDEX temp.both_artifact_old ON both_artifact (old);"
    "INSERT INTO main.reject SELECT b.new, r.line, r.field, r.reason, r.raw"
    "  FROM other.reject r JOIN both_artifact b ON b.old = r.artifact_id"
    "  WHERE r.artifact_id IN (SELECT artifact_id FROM new_artifact) ORDER BY r.rowid;",
    /* specifications and prices, and their places in sources */
    "INSERT INTO main.spec SELECT NULL, spec_key, spec_key_low, device, quantity, dtype, engine,"
    "  sparsity, basis, power_limit, value, unit, raw_value, raw_unit, note, source, locator, date"
    "  FROM other.spec o WHERE NOT EXISTS (SELECT 1 FROM main.spec m WHERE m.spec_key = o.spec_key"
    "  AND m.spec_key_low = o.spec_key_low) ORDER BY o.spec_id;"
    "INSERT INTO main.price SELECT NULL, price_key, price_key_low, provider, instance, device,"
    "  devices, kind, region, amount, currency, per, valid_from, raw_value, source, locator"
    "  FROM other.price o WHERE NOT EXISTS (SELECT 1 FROM main.price m WHERE"
    "  m.price_key = o.price_key AND m.price_key_low = o.price_key_low) ORDER BY o.price_id;"
    "CREATE TEMP TABLE both_stated AS SELECT 'spec' AS kind, o.spec_id AS old, m.spec_id AS new"
    "  FROM other.spec o JOIN main.spec m ON m.spec_key = o.spec_key AND m.spec_key_low ="
    "  o.spec_key_low UNION ALL SELECT 'price', o.price_id, m.price_id FROM other.price o"
    "  JOIN main.price m ON m.price_key = o.price_key AND m.price_key_low = o.price_key_low;"
    "CREATE UNIQUE INDEX temp.both_stated_old ON both_stated (kind, old);"
    "INSERT OR IGNORE INTO main.origin SELECT o.kind, s.new, b.new, o.locator FROM other.origin o"
    "  JOIN both_artifact b ON b.old = o.artifact_id"
    "  JOIN both_stated s ON s.kind = o.kind AND s.old = o.id;",
    /* rows that entries share */
    "CREATE TEMP TABLE new_point AS SELECT point_id FROM other.point o WHERE NOT EXISTS (SELECT 1"
    "  FROM main.point m WHERE m.point_key = o.point_key AND m.point_key_low = o.point_key_low);"
    "INSERT INTO main.point SELECT NULL, point_key, point_key_low FROM other.point WHERE point_id "
    "IN"
    "  (SELECT point_id FROM new_point) ORDER BY point_id;"
    "CREATE TEMP TABLE both_point AS SELECT o.point_id AS old, m.point_id AS new FROM other.point o"
    "  JOIN main.point m ON m.point_key = o.point_key AND m.point_key_low = o.point_key_low;"
    "CREATE UNIQUE INDEX temp.both_point_old ON both_point (old);"
    "INSERT INTO main.point_factor SELECT b.new, f.factor, f.state, f.text, f.num, f.unit"
    "  FROM new_point n JOIN both_point b ON b.old = n.point_id"
    "  JOIN other.point_factor f ON f.point_id = n.point_id;"
    "INSERT INTO main.environment SELECT NULL, environment_key, environment_key_low, body FROM"
    "  other.environment o WHERE NOT EXISTS (SELECT 1 FROM main.environment m WHERE"
    "  m.environment_key = o.environment_key AND m.environment_key_low = o.environment_key_low)"
    "  ORDER BY o.environment_id;"
    "INSERT INTO main.process SELECT NULL, process_key, process_key_low, campaign, backend,"
    "  repetition, start, started FROM other.process o WHERE NOT EXISTS (SELECT 1 FROM main.process"
    "  m WHERE m.process_key = o.process_key AND m.process_key_low = o.process_key_low)"
    "  ORDER BY o.process_id;",
    "CREATE TEMP TABLE new_entry AS SELECT o.entry_id, o.description_id FROM other.entry_row o "
    "WHERE"
    "  NOT EXISTS (SELECT 1 FROM main.entry_row m WHERE m.entry_key = o.entry_key"
    "  AND m.entry_key_low = o.entry_key_low);"
    "CREATE TEMP TABLE new_description AS SELECT description_id FROM other.description o"
    "  WHERE description_id IN (SELECT description_id FROM new_entry) AND NOT EXISTS (SELECT 1 FROM"
    "  main.description m WHERE m.description_key = o.description_key"
    "  AND m.description_key_low = o.description_key_low);"
    "INSERT INTO main.description SELECT NULL, description_key, description_key_low, evidence, "
    "kind,"
    "  status, reason, verified, suite, system_type, round, division, availability, public_id,"
    "  submitter, system, platform, workload, model, scenario, device, devices, nodes, backend,"
    "  dtype, tag, campaign, flags, source, url, retrieved FROM other.description WHERE"
    "  description_id IN (SELECT description_id FROM new_description) ORDER BY description_id;"
    "CREATE TEMP TABLE both_description AS SELECT o.description_id AS old, m.description_id AS new"
    "  FROM other.description o JOIN main.description m ON m.description_key = o.description_key"
    "  AND m.description_key_low = o.description_key_low;"
    "CREATE UNIQUE INDEX temp.both_description_old ON both_description (old);"
    "INSERT INTO main.quantity (metric, statistic, unit, raw_unit, spread, formula)"
    "  SELECT metric, statistic, unit, raw_unit, spread, formula FROM other.quantity o"
    "  WHERE NOT EXISTS (SELECT 1 FROM main.quantity m WHERE m.metric = o.metric AND m.statistic ="
    "  o.statistic AND m.unit = o.unit AND m.raw_unit IS o.raw_unit AND m.spread IS o.spread AND"
    "  m.formula IS o.formula);",
    /* entries and their parts */
    "INSERT INTO main.entry_row SELECT NULL, o.entry_key, o.entry_key_low, d.new, p.new,"
    "  me.environment_id, mr.process_id, o.date, o.cell, o.origin, a.new, o.line, o.place"
    "  FROM new_entry n JOIN other.entry_row o ON o.entry_id = n.entry_id"
    "  JOIN both_description d ON d.old = o.description_id JOIN both_point p ON p.old = o.point_id"
    "  LEFT JOIN other.environment oe ON oe.environment_id = o.environment_id"
    "  LEFT JOIN main.environment me ON me.environment_key = oe.environment_key"
    "    AND me.environment_key_low = oe.environment_key_low"
    "  LEFT JOIN other.process pr ON pr.process_id = o.process_id"
    "  LEFT JOIN main.process mr ON mr.process_key = pr.process_key"
    "    AND mr.process_key_low = pr.process_key_low"
    "  LEFT JOIN both_artifact a ON a.old = o.artifact_id ORDER BY o.entry_id;"
    "CREATE TEMP TABLE both AS SELECT o.entry_id AS old, m.entry_id AS new,"
    "  n.entry_id IS NOT NULL AS fresh FROM other.entry_row o JOIN main.entry_row m"
    "  ON m.entry_key = o.entry_key AND m.entry_key_low = o.entry_key_low"
    "  LEFT JOIN new_entry n ON n.entry_id = o.entry_id;"
    "CREATE UNIQUE INDEX temp.both_old ON both (old);",
    /* results: samples lie side by side in both files, so their numbers are moved as a block */
    "CREATE TEMP TABLE new_result AS SELECT r.result_id AS old, b.new AS entry_id, r.first_sample,"
    "  r.last_sample, (SELECT coalesce(max(sample_id), 0) FROM main.sample_row) + coalesce(sum("
    "  r.last_sample - r.first_sample + 1) OVER (ORDER BY r.result_id ROWS UNBOUNDED PRECEDING), 0)"
    "  - r.last_sample AS shift FROM both b JOIN other.result_row r ON r.entry_id = b.old"
    "  WHERE b.fresh;"
    "INSERT INTO main.result_row SELECT NULL, n.entry_id, r.ordinal, m.quantity_id, r.value,"
    "  r.raw_value, r.cell, r.mpi_rank, r.x, r.n, r.low, r.high, r.first_sample + n.shift,"
    "  r.last_sample + n.shift FROM new_result n"
    "  JOIN other.result_row r ON r.result_id = n.old"
    "  JOIN other.quantity q ON q.quantity_id = r.quantity_id"
    "  JOIN main.quantity m ON m.metric = q.metric AND m.statistic = q.statistic AND m.unit = "
    "q.unit"
    "  AND m.raw_unit IS q.raw_unit AND m.spread IS q.spread AND m.formula IS q.formula"
    "  ORDER BY n.entry_id, r.ordinal;"
    "INSERT INTO main.sample_row SELECT s.sample_id + n.shift, s.value, s.t_s, s.mpi_rank, s.mark"
    "  FROM (SELECT * FROM new_result WHERE first_sample IS NOT NULL ORDER BY old) n"
    "  CROSS JOIN other.sample_row s"
    "  ON s.sample_id BETWEEN n.first_sample AND n.last_sample;"
    "INSERT INTO main.telemetry SELECT b.new, t.sensor, t.quantity, t.t_s, t.value, t.unit"
    "  FROM both b JOIN other.telemetry t ON t.entry_id = b.old WHERE b.fresh;"
    "INSERT INTO main.span SELECT b.new, s.place, s.span, s.within, s.kernel, s.provider, s.calls,"
    "  s.time_s, s.ops, s.bytes_B FROM both b JOIN other.span s ON s.entry_id = b.old WHERE "
    "b.fresh;"
    "INSERT INTO main.rank SELECT b.new, r.mpi_rank, r.host, r.device, r.binding"
    "  FROM both b JOIN other.rank r ON r.entry_id = b.old WHERE b.fresh;"
    "INSERT OR IGNORE INTO main.part SELECT a.new, b.new, p.role FROM other.part p"
    "  JOIN both a ON a.old = p.whole JOIN both b ON b.old = p.piece;"
    "INSERT OR IGNORE INTO main.fact SELECT f.fact, f.kind, m.result_id FROM other.fact f"
    "  JOIN other.result_row r ON r.result_id = f.id JOIN both b ON b.old = r.entry_id"
    "  JOIN main.result_row m ON m.entry_id = b.new AND m.ordinal = r.ordinal"
    "  WHERE f.kind = 'result';"
    "INSERT OR IGNORE INTO main.fact SELECT f.fact, f.kind, s.new FROM other.fact f"
    "  JOIN both_stated s ON s.kind = f.kind AND s.old = f.id;",
    "CREATE TEMP TABLE said AS SELECT b.new AS entry_id, a.new AS artifact_id, w.line, w.place "
    "FROM ("
    "  SELECT entry_id, artifact_id, coalesce(line, 0) AS line, coalesce(place, '') AS place"
    "    FROM other.entry_row WHERE artifact_id IS NOT NULL"
    "  UNION ALL SELECT entry_id, artifact_id, line, place FROM other.witness_row) w"
    "  JOIN both b ON b.old = w.entry_id JOIN both_artifact a ON a.old = w.artifact_id"
    "  WHERE NOT EXISTS (SELECT 1 FROM main.entry_row m WHERE m.entry_id = b.new"
    "    AND m.artifact_id = a.new AND coalesce(m.line, 0) = w.line"
    "    AND coalesce(m.place, '') = w.place)"
    "  AND NOT EXISTS (SELECT 1 FROM main.witness_row m WHERE m.entry_id = b.new"
    "    AND m.artifact_id = a.new AND m.line = w.line AND m.place = w.place);"
    "INSERT OR IGNORE INTO main.witness_row SELECT * FROM said;"
    "INSERT OR IGNORE INTO main.touched SELECT entry_id FROM said;"
    /* dictionaries and withdrawals may have come along */
    "INSERT OR REPLACE INTO main.meta VALUES ('stale.names', 'yes'), ('stale.sources', 'yes'),"
    "  ('stale.gone', 'yes');"};

/* Numbers are translated, so one that refers to nothing is lost; names are taken as they are. */
static const char lost_sql[] =
    "SELECT 'a row of ' || f.\"table\" || ' refers to a ' || f.parent || ' that is not there'"
    " FROM json_each(?1) t, pragma_foreign_key_check(t.value, 'other') f"
    " UNION ALL SELECT 'source ' || source || ' cannot be kept' FROM other.source"
    "  WHERE source NOT IN (SELECT source FROM main.source)"
    " UNION ALL SELECT 'factor ' || factor || ' cannot be kept' FROM other.factor"
    "  WHERE factor NOT IN (SELECT factor FROM main.factor)"
    " UNION ALL SELECT 'claim ' || claim || ' cannot be kept' FROM other.claim"
    "  WHERE claim NOT IN (SELECT claim FROM main.claim) LIMIT 1";

static const char drop_sql[] =
    "DROP TABLE IF EXISTS temp.new_artifact; DROP TABLE IF EXISTS temp.both_artifact;"
    "DROP TABLE IF EXISTS temp.both_stated; DROP TABLE IF EXISTS temp.new_point;"
    "DROP TABLE IF EXISTS temp.both_point; DROP TABLE IF EXISTS temp.new_entry;"
    "DROP TABLE IF EXISTS temp.new_description; DROP TABLE IF EXISTS temp.both_description;"
    "DROP TABLE IF EXISTS temp.both; DROP TABLE IF EXISTS temp.new_result;"
    "DROP TABLE IF EXISTS temp.said";

/* Refuses rows whose referenced rows are missing or were not merged. Only a changed file or a
 * faulty store has such rows; abdb never writes them. */
static abdb_status refuse_dangling_merged_references(abdb_db *db, abdb_error *err)
{
    abdb_text tables = {0};
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db->sql, lost_sql, -1, &s, NULL);
    abdb_status st = ABDB_OK;

    abdb_schema_append_names_as_json(false, &tables);
    if (tables.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "names of tables"));
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(s, 1, abdb_text_get(&tables), -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        st = ABDB_FAIL(err, ABDB_DATA, "%s: what is there is not whole, so nothing was taken",
                       abdb_sql_text_or_empty(s, 0));
    else if (code != SQLITE_DONE)
        st = abdb_db_report_sqlite_error(db, err, "references");
done:
    sqlite3_finalize(s);
    abdb_text_free(&tables);
    return st;
}

abdb_status abdb_merge_database(abdb_db *db, const char *path, abdb_counts *counts, abdb_error *err)
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
    TRY(abdb_db_query_integer_or_0(db, missing, &before, err));
    for (size_t i = 0; i < sizeof union_sql / sizeof union_sql[0]; i++)
        TRY(abdb_db_exec(db, union_sql[i], err));
    TRY(refuse_dangling_merged_references(db, err));
    TRY(abdb_db_query_integer_or_0(db, missing, &after, err));
    TRY(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM other.entry_row", &all, err));
    TRY(abdb_db_exec(db, "COMMIT", err));
    counts->accepted = (long)(after - before);
    counts->duplicate = (long)(all - (after - before));
done:
    if (!sqlite3_get_autocommit(db->sql)) sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    /* a remaining temporary table would make the next merge fail */
    if (sqlite3_exec(db->sql, drop_sql, NULL, NULL, NULL) != SQLITE_OK && st == ABDB_OK)
        st = abdb_db_report_sqlite_error(db, err, "merged; its own tables");
    if (attach) sqlite3_exec(db->sql, "DETACH other", NULL, NULL, NULL);
    sqlite3_free(attach);
    return st;
}
