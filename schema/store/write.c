/* write.c - the sink that keeps records; see write.h. */
#include "schema/store/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/timing.h"
#include "schema/store/derive.h"
#include "schema/store/digest.h"
#include "schema/store/writer.h"

enum { LARGE_UNIT = 8 << 20 };

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

void abdb_bind_text(sqlite3_stmt *s, int i, const char *text)
{
    if (text)
        sqlite3_bind_text(s, i, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(s, i);
}

void abdb_bind_number(sqlite3_stmt *s, int i, double value)
{
    if (isfinite(value))
        sqlite3_bind_double(s, i, value);
    else
        sqlite3_bind_null(s, i);
}

void abdb_bind_key(sqlite3_stmt *s, int i, abdb_key key)
{
    sqlite3_bind_int64(s, i, key.high);
    sqlite3_bind_int64(s, i + 1, key.low);
}

abdb_status abdb_writer_find(abdb_writer *w, statement_id id, abdb_key key, sqlite3_int64 *out,
                             abdb_error *err)
{
    sqlite3_stmt *s = w->statement[id];
    int code;

    abdb_bind_key(s, 1, key);
    code = sqlite3_step(s);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return code == SQLITE_ROW || code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(w->db, err, "a key");
}

abdb_status abdb_writer_step(abdb_writer *w, statement_id id, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[id];
    int code = sqlite3_step(s);
    abdb_status st = ABDB_OK;

    if (code != SQLITE_DONE && code != SQLITE_ROW) st = abdb_db_fail(w->db, err, "write");
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return st;
}

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
        abdb_db_fail(db, err, statement_sql[i]);
        abdb_writer_close(w);
        return err ? err->status : ABDB_DB;
    }
    *out = w;
    return ABDB_OK;
}

static void forget_numbers(abdb_writer *w)
{
    abdb_keymap_free(&w->entries);
    abdb_keymap_free(&w->points);
    abdb_keymap_free(&w->descriptions);
    abdb_keymap_free(&w->quantities);
    w->last_quantity = w->last_environment_id = w->last_process_id = 0;
    abdb_text_clear(&w->source_text);
}

void abdb_writer_close(abdb_writer *w)
{
    if (!w) return;
    abdb_writer_rollback(w, NULL);
    forget_numbers(w);
    for (int i = 0; i < S_COUNT; i++) sqlite3_finalize(w->statement[i]);
    abdb_text_free(&w->text);
    abdb_text_free(&w->quantity_text);
    abdb_text_free(&w->source_text);
    abdb_keymaker_close(&w->keys);
    free(w);
}

/* A reading of the same bytes, format and words that the file has. */
typedef struct {
    int version, withdrawn; /* of the importer, -1: there is none; was the file withdrawn? */
    sqlite3_int64 artifact;
    abdb_counts counts;
} reading;

/* The newest of them. */
static abdb_status find_reading(abdb_writer *w, reading *out, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(
        w->db->sql,
        "SELECT accepted, duplicate, rejected, ignored, artifact_id, importer, sha256 IN (SELECT"
        " target FROM withdrawal) FROM artifact WHERE sha256 = ? AND format = ? AND words = ?"
        " ORDER BY importer DESC LIMIT 1",
        -1, &s, NULL);

    *out = (reading){.version = -1};
    if (code == SQLITE_OK) {
        abdb_bind_text(s, 1, w->sha256);
        abdb_bind_text(s, 2, w->unit->format);
        abdb_bind_text(s, 3, w->unit->words ? w->unit->words : "");
        code = sqlite3_step(s);
    }
    if (code == SQLITE_ROW)
        *out = (reading){sqlite3_column_int(s, 5),
                         sqlite3_column_int(s, 6),
                         sqlite3_column_int64(s, 4),
                         {sqlite3_column_int(s, 0), sqlite3_column_int(s, 1),
                          sqlite3_column_int(s, 2), sqlite3_column_int(s, 3)}};
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE ? ABDB_OK
                                                     : abdb_db_fail(w->db, err, "artifact");
}

/* Is there nothing to read? Else says whether the reading replaces an older one, or adds to it. */
static bool nothing_to_read(abdb_writer *w, const reading *r)
{
    bool read = r->version >= 0, retry = read && w->unit->retry && r->counts.rejected;

    w->replaces =
        (w->unit->refresh || retry) && read && r->version < w->unit->importer && !r->withdrawn;
    w->retries = retry && !w->replaces;
    return read ? !w->replaces && !w->retries : w->unit->refresh == ABDB_REFRESH_ONLY;
}

static abdb_status insert_artifact(abdb_writer *w, const abdb_unit_info *unit, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    char now[ABDB_DATE_SIZE];
    int code = sqlite3_prepare_v2(
        w->db->sql, "INSERT INTO artifact VALUES (NULL,?,?,?,?,?,?,0,0,0,0,?)", -1, &s, NULL);

    abdb_date_now(now);
    if (code == SQLITE_OK) {
        abdb_bind_text(s, 1, w->sha256);
        abdb_bind_text(s, 2, unit->path);
        abdb_bind_text(s, 3, unit->format);
        sqlite3_bind_int(s, 4, unit->importer);
        abdb_bind_text(s, 5, unit->words ? unit->words : "");
        sqlite3_bind_int64(s, 6, (sqlite3_int64)unit->size);
        abdb_bind_text(s, 7, now);
        code = sqlite3_step(s);
    }
    sqlite3_finalize(s);
    if (code != SQLITE_DONE) return abdb_db_fail(w->db, err, "artifact");
    w->artifact = sqlite3_last_insert_rowid(w->db->sql);
    return ABDB_OK;
}

/* Older versions' readings of the artifact at hand are withdrawn, and their rejects forgotten. */
static abdb_status replace_older(abdb_writer *w, abdb_error *err)
{
    static const abdb_marks all = {0};
    char *sql = sqlite3_mprintf(
        "CREATE TEMP TABLE older AS SELECT o.artifact_id, o.sha256 || '@' || o.importer AS target"
        "  FROM artifact o JOIN artifact n USING (sha256, format, words)"
        "  WHERE n.artifact_id = %lld AND o.importer < n.importer;"
        "INSERT OR IGNORE INTO withdrawal SELECT target, 'read again by a newer importer',"
        "  strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', 'now') FROM older;"
        "DELETE FROM reject WHERE artifact_id IN (SELECT artifact_id FROM older);"
        "DROP TABLE older;",
        (long long)w->artifact);
    abdb_status st = sql ? abdb_db_exec(w->db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "artifact");

    sqlite3_free(sql);
    /* with the new reading, so that no reader ever sees both or none */
    if (st == ABDB_OK) st = abdb_gone_update(w->db, &all, true, err);
    w->unit_dirty = 1;
    return st;
}

/* The rejects of the artifact at hand are about to be made anew. */
static abdb_status forget_rejects(abdb_writer *w, abdb_error *err)
{
    char *sql =
        sqlite3_mprintf("DELETE FROM reject WHERE artifact_id = %lld", (long long)w->artifact);
    abdb_status st = sql ? abdb_db_exec(w->db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "rejects");

    sqlite3_free(sql);
    return st;
}

/* A unit that is larger than the file would pass through the log whole: every page written twice.
 * With a rollback journal only what was there is, and a crash still leaves the file as it was.
 * Where others read at this moment the mode stays. */
static void put_log_aside(abdb_writer *w, size_t size)
{
    sqlite3_int64 pages = 0, page = 0;
    abdb_error err;

    if (size < LARGE_UNIT || abdb_db_integer(w->db, "PRAGMA page_count", &pages, &err) != ABDB_OK ||
        abdb_db_integer(w->db, "PRAGMA page_size", &page, &err) != ABDB_OK ||
        (size_t)(pages * page) > size)
        return;
    abdb_db_wait(w->db, false);
    sqlite3_exec(w->db->sql, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    abdb_db_wait(w->db, true);
    w->journal = 1;
}

static void take_log_back(abdb_writer *w)
{
    if (w->journal) sqlite3_exec(w->db->sql, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    w->journal = 0;
}

abdb_status abdb_writer_begin(abdb_writer *w, const abdb_unit_info *unit, int *known,
                              abdb_counts *counts, abdb_error *err)
{
    reading there;
    abdb_status st = ABDB_OK;

    *known = 0;
    w->artifact = 0;
    w->counts = w->before = (abdb_counts){0};
    w->row_new = w->row_old = w->row_bad = w->unit_dirty = 0;
    w->kept = 0;
    w->unit_entries = w->no_bulk = 0;
    w->next_sample = w->next_result = 0;
    w->unit = unit;
    w->said_by_another = 0;
    abdb_keymaker_file(&w->keys, NULL);
    w->replaces = w->retries = 0;
    w->begun = 1;
    if (!unit) return ABDB_OK;
    if (unit->sha256)
        snprintf(w->sha256, sizeof w->sha256, "%s", unit->sha256);
    else
        abdb_sha256_hex(unit->data, unit->size, w->sha256);
    abdb_keymaker_file(&w->keys, w->sha256);
    TRY(find_reading(w, &there, err));
    *known = nothing_to_read(w, &there);
    *counts = there.counts;
    w->begun = !*known;
done:
    if (st != ABDB_OK) abdb_writer_rollback(w, NULL);
    return st;
}

/* The transaction begins with the first record, so that nobody waits while a file is read. Another
 * writer may have kept the same file meanwhile: then its records say nothing new. */
abdb_status abdb_writer_lock(abdb_writer *w, abdb_error *err)
{
    reading there;
    abdb_status st = ABDB_OK;

    if (w->open) return ABDB_OK;
    if (w->unit) put_log_aside(w, w->unit->size);
    TRY(abdb_db_exec(w->db, "BEGIN IMMEDIATE", err));
    w->open = 1;
    if (!w->unit) return ABDB_OK;
    TRY(find_reading(w, &there, err));
    if (nothing_to_read(w, &there)) {
        w->said_by_another = 1;
        w->counts = there.counts;
    } else if (w->retries) {
        w->artifact = there.artifact;
        w->before = there.counts;
        TRY(forget_rejects(w, err));
    } else {
        TRY(insert_artifact(w, w->unit, err));
    }
done:
    return st;
}

abdb_status abdb_writer_commit(abdb_writer *w, abdb_counts *counts, abdb_error *err)
{
    abdb_status st = abdb_writer_lock(w, err); /* a file without any record is kept too */
    double from;

    if (st == ABDB_OK) st = abdb_writer_end_bulk(w, err);
    if (st == ABDB_OK && w->artifact && !w->said_by_another) {
        char *sql = sqlite3_mprintf("UPDATE artifact SET accepted = %ld, duplicate = %ld,"
                                    " rejected = %ld, ignored = %ld WHERE artifact_id = %lld",
                                    w->counts.accepted + w->before.accepted,
                                    w->before.accepted ? w->before.duplicate : w->counts.duplicate,
                                    w->counts.rejected, w->counts.ignored, w->artifact);

        st = sql ? abdb_db_exec(w->db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "artifact");
        sqlite3_free(sql);
    }
    if (st == ABDB_OK && w->replaces && w->artifact) st = replace_older(w, err);
    if (st == ABDB_OK) {
        from = abdb_timing_now();
        st = abdb_db_exec(w->db, "COMMIT", err);
        abdb_timing_add("commit", from);
    }
    if (st != ABDB_OK) {
        abdb_writer_rollback(w, NULL);
        return st;
    }
    w->open = w->begun = 0;
    take_log_back(w);
    w->dirty |= w->unit_dirty;
    if (counts) *counts = w->counts;
    return ABDB_OK;
}

void abdb_writer_rollback(abdb_writer *w, abdb_counts *counts)
{
    if (counts) *counts = w->counts;
    w->begun = 0;
    if (!w->open) return;
    abdb_writer_forget_bulk(w);
    sqlite3_exec(w->db->sql, "ROLLBACK", NULL, NULL, NULL);
    w->open = 0;
    take_log_back(w);
    forget_numbers(w); /* those that were given within the unit are nobody's now */
}

abdb_status abdb_writer_index(abdb_writer *w, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_derive(w->db, false, err));
    w->dirty = 0;
done:
    return st;
}

/* --- rejects and rows ------------------------------------------------------------------------ */

abdb_status abdb_writer_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    abdb_writer *w = self;
    sqlite3_stmt *s = w->statement[S_REJECT];
    size_t size = reject->raw ? strlen(reject->raw) : 0;

    abdb_status st = abdb_writer_lock(w, err);

    if (st != ABDB_OK || w->said_by_another) return st;
    w->row_bad = 1;
    if (!w->artifact) return ABDB_OK;
    sqlite3_bind_int64(s, 1, w->artifact);
    sqlite3_bind_int64(s, 2, reject->line);
    abdb_bind_text(s, 3, reject->field);
    abdb_bind_text(s, 4, reject->reason);
    if (reject->raw)
        sqlite3_bind_text(s, 5, reject->raw, (int)(size < RAW_MAX ? size : RAW_MAX), SQLITE_STATIC);
    return abdb_writer_step(w, S_REJECT, err);
}

static abdb_status end_row(void *self, abdb_error *err)
{
    abdb_writer *w = self;

    (void)err;
    if (w->said_by_another) return ABDB_OK;
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

abdb_sink abdb_writer_sink(abdb_writer *w)
{
    return (abdb_sink){w, abdb_writer_entry, abdb_writer_fact, abdb_writer_reject, end_row};
}
