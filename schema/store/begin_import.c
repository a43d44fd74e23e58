/* begin_import.c - the start of a unit: which reading of its file there is, the lock that the first
 * record takes, the row of its artifact; see writer_internal.h. */
#include <stdio.h>
#include <string.h>

#include "schema/store/writer_internal.h"

/* Bytes of a file from which leave_wal_if_input_outgrows_database is worth changing the journal
 * for. */
enum { LARGE_UNIT = 8 << 20 };

/* The newest reading of the unit's bytes, format and words. */
abdb_status abdb_writer_find_newest_import_of_same_input(abdb_writer *w, abdb_reading *out,
                                                         abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(
        w->db->sql,
        "SELECT accepted, duplicate, rejected, ignored, artifact_id, importer, sha256 IN (SELECT"
        " target FROM withdrawn) OR sha256 || '?' || format || '?' || words IN (SELECT target FROM"
        " withdrawn) FROM artifact WHERE sha256 = ? AND format = ? AND words = ?"
        " ORDER BY importer DESC LIMIT 1",
        -1, &s, NULL);

    *out = (abdb_reading){.version = -1};
    if (code == SQLITE_OK) {
        abdb_bind_text_or_null(s, 1, w->sha256);
        abdb_bind_text_or_null(s, 2, w->unit->format);
        abdb_bind_text_or_null(s, 3, w->unit->overrides ? w->unit->overrides : "");
        code = sqlite3_step(s);
    }
    if (code == SQLITE_ROW)
        *out = (abdb_reading){sqlite3_column_int(s, 5),
                              sqlite3_column_int(s, 6),
                              sqlite3_column_int64(s, 4),
                              {.accepted = sqlite3_column_int(s, 0),
                               .duplicate = sqlite3_column_int(s, 1),
                               .rejected = sqlite3_column_int(s, 2),
                               .ignored = sqlite3_column_int(s, 3)}};
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? ABDB_OK
               : abdb_db_report_sqlite_error(w->db, err, "artifact");
}

/* Can the input be skipped? Else notes whether the import replaces an older one, or adds to it. */
bool abdb_writer_should_skip_else_set_replace_and_retry(abdb_writer *w, const abdb_reading *r)
{
    bool read = r->version >= 0, retry = read && w->unit->retry && r->counts.rejected;

    w->replaces =
        (w->unit->refresh || retry) && read && r->version < w->unit->importer && !r->withdrawn;
    w->retries = retry && !w->replaces;
    return read ? !w->replaces && !w->retries : w->unit->refresh == ABDB_REFRESH_ONLY;
}

/* Inserts the row of the file that is imported, with its digest, size and importer; w->artifact
 * becomes its id. */
static abdb_status insert_artifact_row(abdb_writer *w, const abdb_import_file *unit,
                                       abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    char now[ABDB_DATE_SIZE];
    int code = sqlite3_prepare_v2(
        w->db->sql, "INSERT INTO artifact VALUES (NULL,?,?,?,?,?,?,0,0,0,0,?)", -1, &s, NULL);

    abdb_date_now_utc(now);
    if (code == SQLITE_OK) {
        abdb_bind_text_or_null(s, 1, w->sha256);
        abdb_bind_text_or_null(s, 2, unit->path);
        abdb_bind_text_or_null(s, 3, unit->format);
        sqlite3_bind_int(s, 4, unit->importer);
        abdb_bind_text_or_null(s, 5, unit->overrides ? unit->overrides : "");
        sqlite3_bind_int64(s, 6, (sqlite3_int64)unit->size);
        abdb_bind_text_or_null(s, 7, now);
        code = sqlite3_step(s);
    }
    sqlite3_finalize(s);
    if (code != SQLITE_DONE) return abdb_db_report_sqlite_error(w->db, err, "artifact");
    w->artifact = sqlite3_last_insert_rowid(w->db->sql);
    return ABDB_OK;
}

/* The rejects of the artifact at hand are about to be made anew. */
static abdb_status delete_artifact_rejects(abdb_writer *w, abdb_error *err)
{
    char *sql =
        sqlite3_mprintf("DELETE FROM reject WHERE artifact_id = %lld", (long long)w->artifact);
    abdb_status st = sql ? abdb_db_exec(w->db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "rejects");

    sqlite3_free(sql);
    return st;
}

/* A unit that is larger than the file would pass through the log whole: every page written twice.
 * With a rollback journal only old pages are written twice, and a crash still leaves the file as it
 * was. Where others read at this moment the mode stays. */
static void leave_wal_if_input_outgrows_database(abdb_writer *w, size_t size)
{
    sqlite3_int64 pages = 0, page = 0;
    abdb_error err;

    if (size < LARGE_UNIT ||
        abdb_db_query_integer_or_0(w->db, "PRAGMA page_count", &pages, &err) != ABDB_OK ||
        abdb_db_query_integer_or_0(w->db, "PRAGMA page_size", &page, &err) != ABDB_OK ||
        (size_t)(pages * page) > size)
        return;
    abdb_db_set_busy_wait(w->db, false);
    abdb_db_switch_to_rollback_journal(w->db);
    abdb_db_set_busy_wait(w->db, true);
    w->journal = 1;
}

/* The transaction begins with the first record, so that other writers do not wait while a file is
 * read. Another writer may have imported the same file by then: its records are not new. */
abdb_status abdb_writer_begin_and_insert_artifact_once(abdb_writer *w, abdb_error *err)
{
    abdb_reading there;
    abdb_status st = ABDB_OK;

    if (w->open) return ABDB_OK;
    if (w->unit) leave_wal_if_input_outgrows_database(w, w->unit->size);
    TRY(abdb_db_exec(w->db, "BEGIN IMMEDIATE", err));
    w->open = 1;
    w->marked_stale = 0;
    if (!w->unit) return ABDB_OK;
    TRY(abdb_writer_find_newest_import_of_same_input(w, &there, err));
    if (abdb_writer_should_skip_else_set_replace_and_retry(w, &there)) {
        w->said_by_another = 1;
        w->counts = there.counts;
    } else if (w->retries) {
        w->artifact = there.artifact;
        w->before = there.counts;
        TRY(delete_artifact_rejects(w, err));
    } else {
        TRY(insert_artifact_row(w, w->unit, err));
    }
done:
    return st;
}

abdb_status abdb_writer_count_and_store_reject(void *self, const abdb_reject *reject,
                                               abdb_error *err)
{
    abdb_writer *w = self;
    sqlite3_stmt *s = w->statement[S_REJECT];
    size_t size = reject->raw ? strlen(reject->raw) : 0;

    abdb_status st = abdb_writer_begin_and_insert_artifact_once(w, err);

    if (st != ABDB_OK || w->said_by_another) return st;
    w->row_bad++;
    if (!*w->counts.first_reject)
        snprintf(w->counts.first_reject, sizeof w->counts.first_reject, "line %ld: %s%s%s",
                 reject->line, reject->field ? reject->field : "", reject->field ? ": " : "",
                 reject->reason);
    if (!w->artifact) return ABDB_OK;
    sqlite3_bind_int64(s, 1, w->artifact);
    sqlite3_bind_int64(s, 2, reject->line);
    abdb_bind_text_or_null(s, 3, reject->field);
    abdb_bind_text_or_null(s, 4, reject->reason);
    if (reject->raw)
        sqlite3_bind_text(s, 5, reject->raw, (int)(size < RAW_MAX ? size : RAW_MAX), SQLITE_STATIC);
    return abdb_writer_run_and_reset_statement(w, S_REJECT, err);
}
