/* write.c - the sink that keeps records; see write.h. */
#include "schema/store/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/timing.h"
#include "schema/store/derive.h"
#include "schema/store/digest.h"
#include "schema/store/writer_internal.h"

static const char *const statement_sql[S_COUNT] = {
    [S_ENTRY_FIND] = "SELECT entry_id FROM entry_row WHERE entry_key = ? AND entry_key_low = ?",
    [S_ENTRY] = "INSERT INTO entry_row VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [S_DESCRIPTION] = "INSERT INTO description"
                      " VALUES (?,?,?, ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [S_DESCRIPTION_FIND] = "SELECT description_id FROM description WHERE description_key = ?"
                           " AND description_key_low = ?",
    [S_QUANTITY] = "INSERT INTO quantity (metric, statistic, unit, raw_unit, spread, formula)"
                   " VALUES (?,?,?,?,?,?)",
    [S_QUANTITY_FIND] = "SELECT quantity_id FROM quantity WHERE metric = ?1 AND statistic = ?2"
                        " AND unit = ?3 AND raw_unit IS ?4 AND spread IS ?5 AND formula IS ?6",
    [S_POINT_FIND] = "SELECT point_id FROM point WHERE point_key = ? AND point_key_low = ?",
    [S_RESULT] = "INSERT INTO result_row VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [S_SAMPLE] = "INSERT INTO sample_row VALUES (?,?,?,?,?)",
    [S_TELEMETRY] = "INSERT OR IGNORE INTO telemetry VALUES (?,?,?,?,?,?)",
    [S_SPAN] = "INSERT INTO span VALUES (?,?,?,?,?,?,?,?,?,?)",
    [S_RANK] = "INSERT OR IGNORE INTO rank VALUES (?,?,?,?,?)",
    [S_PROCESS] = "INSERT INTO process VALUES (NULL,?,?,?,?,?,?,?)",
    [S_PROCESS_FIND] = "SELECT process_id FROM process WHERE process_key = ?"
                       " AND process_key_low = ?",
    [S_ENVIRONMENT] = "INSERT INTO environment VALUES (NULL,?,?,?)",
    [S_ENVIRONMENT_FIND] = "SELECT environment_id FROM environment WHERE environment_key = ?"
                           " AND environment_key_low = ?",
    [S_WITNESS] = "INSERT OR IGNORE INTO witness_row SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS"
                  " (SELECT 1 FROM entry_row WHERE entry_id = ?1 AND artifact_id = ?2"
                  " AND coalesce(line, 0) = ?3 AND coalesce(place, '') = ?4)",
    [S_TOUCH] = "INSERT OR IGNORE INTO touched VALUES (?)",
    [S_POINT] = "INSERT INTO point VALUES (NULL,?,?)",
    [S_POINT_FACTOR] = "INSERT OR IGNORE INTO point_factor VALUES (?,?,?,?,?,?)",
    [S_FACTOR] = "INSERT OR IGNORE INTO factor (factor, unit) VALUES (?,?)",
    [S_SOURCE] = "INSERT OR IGNORE INTO source (source, kind, rank) VALUES (?,?,?)",
    [S_REJECT] = "INSERT INTO reject VALUES (?,?,?,?,?)",
    [S_ORIGIN] = "INSERT OR IGNORE INTO origin VALUES (?,?,?,?)",
    [S_NAME] = "INSERT OR IGNORE INTO fact VALUES (?,?,?)",
    [S_NAME_FIND] = "SELECT 1 FROM fact WHERE fact = ? AND kind = ? AND id = ?",
    [S_PART] = "INSERT OR IGNORE INTO part VALUES (?,?,?)",
};

abdb_status abdb_writer_open(abdb_writer **out, abdb_db *db, abdb_error *err)
{
    abdb_writer *w = calloc(1, sizeof *w);

    if (!w) return ABDB_FAIL(err, ABDB_NOMEM, "a writer");
    w->db = db;
    if (abdb_keymaker_open(&w->keys, NULL, err) != ABDB_OK) {
        free(w);
        return ABDB_NOMEM;
    }
    for (int i = 0; i < S_COUNT; i++) {
        if (sqlite3_prepare_v3(db->sql, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &w->statement[i], NULL) == SQLITE_OK)
            continue;
        abdb_db_report_sqlite_error(db, err, statement_sql[i]);
        abdb_writer_rollback_and_close(w);
        return err ? err->status : ABDB_DB;
    }
    *out = w;
    return ABDB_OK;
}

/* Empties the caches of ids, which a rollback or another writer made wrong. */
static void forget_cached_ids(abdb_writer *w)
{
    abdb_keymap_free(&w->entries);
    abdb_keymap_free(&w->points);
    abdb_keymap_free(&w->descriptions);
    abdb_keymap_free(&w->quantities);
    w->last_quantity = w->last_environment_id = w->last_process_id = 0;
    abdb_text_clear(&w->source_text);
}

void abdb_writer_rollback_and_close(abdb_writer *w)
{
    if (!w) return;
    abdb_writer_rollback_and_forget_ids(w, NULL);
    forget_cached_ids(w);
    for (int i = 0; i < S_COUNT; i++) sqlite3_finalize(w->statement[i]);
    abdb_fact_upserts_free(&w->fact_upserts);
    abdb_text_free(&w->text);
    abdb_text_free(&w->quantity_text);
    abdb_text_free(&w->source_text);
    abdb_text_free(&w->replaced);
    abdb_keymaker_close(&w->keys);
    free(w);
}

/* Older versions' readings of the artifact at hand are withdrawn; their rejects stay with them. */
static abdb_status withdraw_imports_by_older_versions(abdb_writer *w, abdb_error *err)
{
    static const abdb_marks all = {0};
    char *sql = sqlite3_mprintf(
        "CREATE TEMP TABLE older AS SELECT o.artifact_id, o.sha256 || '@' || o.importer AS target"
        "  FROM artifact o JOIN artifact n USING (sha256, format, words)"
        "  WHERE n.artifact_id = %lld AND o.importer < n.importer;",
        (long long)w->artifact);
    abdb_status st = sql ? abdb_db_exec(w->db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "artifact");

    sqlite3_free(sql);
    if (st == ABDB_OK)
        st = abdb_withdrawal_insert_events_changing_state(
            w->db, "withdrawn", "SELECT target FROM older", "read again by a newer importer", err);
    /* with the new reading, so that no reader ever sees both or none */
    if (st == ABDB_OK) st = abdb_withdrawn_update_gone_and_touch(w->db, &all, true, err);
    if (st == ABDB_OK) st = abdb_db_exec(w->db, "DROP TABLE temp.older", err);
    w->unit_dirty = 1;
    return st;
}

/* Keeps in words which readings of the temporary table `other` will be withdrawn. */
static abdb_status describe_readings_to_withdraw(abdb_writer *w, abdb_error *err)
{
    /* Of a map the first 8 digits of its sha256. */
    static const char sql[] =
        "SELECT printf('%d row%s of %s, read %s', a.accepted, iif(a.accepted = 1, '', 's'), a.path,"
        " coalesce('with ' || nullif(trim(iif(m = 0, replace(a.words, char(10), ' '),"
        "  replace(substr(a.words, 1, m + 11), char(10), ' '))), ''), 'as ' || a.format))"
        " FROM other o JOIN (SELECT *, instr(char(10) || words, char(10) || 'map ') AS m"
        "  FROM artifact) a ON a.artifact_id = o.artifact_id WHERE NOT o.own AND a.accepted > 0"
        "  AND a.artifact_id NOT IN (SELECT artifact_id FROM gone_artifact) ORDER BY a.artifact_id";
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(w->db->sql, sql, -1, &s, NULL);

    abdb_text_clear(&w->replaced);
    while (code == SQLITE_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        abdb_text_printf(&w->replaced, "%s%s", w->replaced.size ? "; " : "",
                         abdb_sql_text_or_empty(s, 0));
        code = SQLITE_OK;
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_report_sqlite_error(w->db, err, "artifact");
}

const char *abdb_writer_get_replaced_readings(const abdb_writer *w)
{
    return abdb_text_get(&w->replaced);
}

/* Other readings of the artifact's bytes are withdrawn, and their rejects stay with them; the
 * reading at hand counts, whatever replaced it before. */
static abdb_status restore_import_withdraw_others_of_same_bytes(abdb_writer *w,
                                                                sqlite3_int64 artifact,
                                                                abdb_error *err)
{
    static const abdb_marks all = {0};
    const char *words = w->unit->replace_overrides,
               *reason = words ? "read again with --retry-rejects --set"
                               : "imported again with --replace";
    char *sql = sqlite3_mprintf(
        "CREATE TEMP TABLE other AS SELECT o.artifact_id, o.artifact_id = n.artifact_id AS own,"
        "  o.sha256 || '?' || o.format || '?' || o.words AS target"
        "  FROM artifact o JOIN artifact n ON n.sha256 = o.sha256"
        "  WHERE n.artifact_id = %lld AND (o.artifact_id = n.artifact_id OR (o.format <> n.format"
        "    OR o.words <> n.words) AND o.words = coalesce(%Q, o.words));",
        (long long)artifact, words);
    abdb_status st = sql ? abdb_db_exec(w->db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "artifact");

    sqlite3_free(sql);
    TRY(st);
    if (!words) TRY(describe_readings_to_withdraw(w, err));
    TRY(abdb_withdrawal_insert_events_changing_state(
        w->db, "restored", "SELECT target FROM other WHERE own", reason, err));
    TRY(abdb_withdrawal_insert_events_changing_state(
        w->db, "withdrawn", "SELECT target FROM other WHERE NOT own", reason, err));
    TRY(abdb_withdrawn_update_gone_and_touch(w->db, &all, true, err));
    TRY(abdb_db_exec(w->db, "DROP TABLE temp.other", err));
    w->unit_dirty = 1;
done:
    return st;
}

abdb_status abdb_writer_withdraw_other_imports_of_file(abdb_writer *w, abdb_error *err)
{
    abdb_reading there;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(w->db, "BEGIN IMMEDIATE", err));
    w->open = 1;
    TRY(abdb_writer_find_newest_import_of_same_input(w, &there, err));
    TRY(restore_import_withdraw_others_of_same_bytes(w, there.artifact, err));
    TRY(abdb_db_exec(w->db, "COMMIT", err));
    w->open = w->begun = 0;
    w->dirty = 1;
done:
    if (st != ABDB_OK) abdb_writer_rollback_and_forget_ids(w, NULL);
    return st;
}

abdb_status abdb_writer_find_other_overrides_of_same_file(abdb_writer *w, abdb_text *out,
                                                          abdb_error *err)
{
    /* The line of the tag is taken out of both: a tag names a measurement, and changes none. */
    static const char sql[] =
        "WITH reading (words, own) AS (SELECT char(10) || o.words || char(10), o.words = ?3 FROM"
        " artifact o WHERE o.sha256 = ?1 AND o.format = ?2 AND o.accepted > 0 AND o.artifact_id NOT"
        " IN (SELECT artifact_id FROM gone_artifact)), told (words, rest, own) AS (SELECT words,"
        " CASE WHEN instr(words, char(10) || 'tag=') = 0 THEN words ELSE substr(words, 1, instr("
        "words, char(10) || 'tag=')) || substr(substr(words, instr(words, char(10) || 'tag=') + 1),"
        " 1 + instr(substr(words, instr(words, char(10) || 'tag=') + 1), char(10))) END, own FROM"
        " reading)"
        "SELECT CASE WHEN o.words LIKE char(10) || 'map %' THEN substr(o.words, 2, 12) ELSE"
        " coalesce('--set ' || nullif(trim(replace(o.words, char(10), ' ')), ''), 'no --set') END"
        " FROM told o, told n WHERE n.own AND NOT "
        "o.own"
        " AND o.rest <> n.rest LIMIT 1";
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(w->db->sql, sql, -1, &s, NULL);

    abdb_text_clear(out);
    if (code == SQLITE_OK) {
        abdb_bind_text_or_null(s, 1, w->sha256);
        abdb_bind_text_or_null(s, 2, w->unit->format);
        abdb_bind_text_or_null(s, 3, w->unit->overrides ? w->unit->overrides : "");
        code = sqlite3_step(s);
    }
    if (code == SQLITE_ROW) abdb_text_puts(out, abdb_sql_text_or_empty(s, 0));
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? ABDB_OK
               : abdb_db_report_sqlite_error(w->db, err, "artifact");
}

static void return_to_wal_mode(abdb_writer *w)
{
    if (w->journal)
        sqlite3_exec(w->db->sql, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL,
                     NULL, NULL);
    w->journal = 0;
}

abdb_status abdb_writer_begin_file_unless_known(abdb_writer *w, const abdb_import_file *unit,
                                                int *known, abdb_counts *counts, abdb_error *err)
{
    abdb_reading there;
    abdb_status st = ABDB_OK;

    *known = 0;
    w->artifact = 0;
    w->counts = w->before = (abdb_counts){0};
    w->row_new = w->row_old = w->row_bad = w->unit_dirty = 0;
    w->kept = 0;
    w->unit_entries = w->bulk_at = w->no_bulk = 0;
    w->next_sample = w->next_result = 0;
    w->unit = unit;
    w->said_by_another = 0;
    abdb_text_clear(&w->replaced);
    abdb_keymaker_set_file_digest(&w->keys, NULL);
    w->replaces = w->retries = 0;
    w->begun = 1;
    if (!unit) return ABDB_OK;
    if (unit->sha256)
        snprintf(w->sha256, sizeof w->sha256, "%s", unit->sha256);
    else
        abdb_sha256_hex(unit->data, unit->size, w->sha256);
    abdb_keymaker_set_file_digest(&w->keys, w->sha256);
    TRY(abdb_writer_find_newest_import_of_same_input(w, &there, err));
    *known = abdb_writer_should_skip_else_set_replace_and_retry(w, &there);
    *counts = there.counts;
    w->begun = !*known;
done:
    if (st != ABDB_OK) abdb_writer_rollback_and_forget_ids(w, NULL);
    return st;
}

abdb_status abdb_writer_commit_and_withdraw_replaced_imports(abdb_writer *w, abdb_counts *counts,
                                                             abdb_error *err)
{
    abdb_status st = abdb_writer_begin_and_insert_artifact_once(
        w, err); /* a file without any record is kept too */
    double from;

    if (st == ABDB_OK) st = abdb_writer_finish_bulk_rebuild_indexes(w, err);
    if (st == ABDB_OK && w->artifact && !w->said_by_another) {
        char *sql = sqlite3_mprintf("UPDATE artifact SET accepted = %ld, duplicate = %ld,"
                                    " rejected = %ld, ignored = %ld WHERE artifact_id = %lld",
                                    w->counts.accepted + w->before.accepted,
                                    w->before.accepted ? w->before.duplicate : w->counts.duplicate,
                                    w->counts.rejected, w->counts.ignored, w->artifact);

        st = sql ? abdb_db_exec(w->db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "artifact");
        sqlite3_free(sql);
    }
    if (st == ABDB_OK && w->replaces && w->artifact)
        st = withdraw_imports_by_older_versions(w, err);
    if (st == ABDB_OK && w->unit && w->unit->replace && w->artifact)
        st = restore_import_withdraw_others_of_same_bytes(w, w->artifact, err);
    /* The reader of the file may have taken a value lost for lack of memory for a missing one. */
    if (st == ABDB_OK && abdb_allocation_failure_count() != w->starved)
        st = ABDB_FAIL(err, ABDB_NOMEM, "a file");
    if (st == ABDB_OK) {
        from = abdb_timing_now_if_enabled();
        st = abdb_db_exec(w->db, "COMMIT", err);
        abdb_timing_add_elapsed("commit", from);
    }
    if (st != ABDB_OK) {
        abdb_writer_rollback_and_forget_ids(w, NULL);
        return st;
    }
    w->open = w->begun = 0;
    return_to_wal_mode(w);
    w->dirty |= w->unit_dirty;
    if (counts) *counts = w->counts;
    return ABDB_OK;
}

const abdb_counts *abdb_writer_counts(const abdb_writer *w)
{
    return &w->counts;
}

void abdb_writer_rollback_and_forget_ids(abdb_writer *w, abdb_counts *counts)
{
    if (counts) *counts = w->counts;
    w->begun = 0;
    w->starved = abdb_allocation_failure_count();
    if (!w->open) return;
    abdb_writer_abandon_bulk(w);
    sqlite3_exec(w->db->sql, "ROLLBACK", NULL, NULL, NULL);
    w->open = 0;
    return_to_wal_mode(w);
    forget_cached_ids(w); /* numbers given within the unit are invalid now */
}

abdb_status abdb_writer_update_derived(abdb_writer *w, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_derive_update_in_transaction_if_behind(w->db, false, err));
    w->dirty = 0;
done:
    return st;
}

/* Counts a row of the input once, by the outcome of its entries and facts: accepted, duplicate,
 * rejected or ignored. */
static abdb_status count_row_by_outcome_and_reset(void *self, abdb_error *err)
{
    abdb_writer *w = self;

    (void)err;
    if (w->said_by_another) return ABDB_OK;
    if (w->row_new || w->row_old) w->counts.refused += w->row_bad;
    if (w->row_new)
        w->counts.accepted++;
    else if (w->row_old)
        w->counts.duplicate++;
    else if (w->row_bad)
        w->counts.rejected++;
    else
        w->counts.ignored++;
    w->row_new = w->row_old = w->row_bad = 0;
    return ABDB_OK;
}

abdb_sink abdb_writer_make_storing_sink(abdb_writer *w)
{
    return (abdb_sink){w, abdb_writer_store_or_reject_entry, abdb_writer_store_or_reject_fact,
                       abdb_writer_count_and_store_reject, count_row_by_outcome_and_reset};
}
