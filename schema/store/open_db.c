/* open_db.c - open, create and migrate the database file; see db.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/core/outfile.h"
#include "schema/core/text.h"
#include "schema/functions/authorizer.h"
#include "schema/functions/sql_functions.h"
#include "schema/store/db.h"
#include "schema/store/schema_check.h"

/* Opens a file without trusting its schema: its views and checks can only call functions that
 * compute, its virtual tables are never constructed, its pages are checked before
 * they are read. Returns SQLite's code. */
static int open_untrusted_sqlite_file(abdb_db *db, const char *path, int flags)
{
    int code = abdb_sql_open_hardened(&db->sql, path, flags);

    if (code != SQLITE_OK) return code;
    sqlite3_exec(db->sql, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
    abdb_db_set_busy_wait(db, true);
    return SQLITE_OK;
}

/* "file:///a%3fb?immutable=1": a URI that means the file of that path, as one that cannot change.
 */
static char *make_immutable_uri(const char *path)
{
    abdb_text uri = {0};
    char *copy;

    abdb_text_puts(&uri, path[0] == '/' ? "file://" : "file:./");
    for (; *path; path++)
        if (strchr("%?#", *path))
            abdb_text_printf(&uri, "%%%02x", (unsigned)*path);
        else
            abdb_text_add(&uri, path, 1);
    abdb_text_puts(&uri, "?immutable=1");
    copy = uri.failed ? NULL : sqlite3_mprintf("%s", abdb_text_get(&uri));
    abdb_text_free(&uri);
    return copy;
}

/* Opens read-only; where the folder cannot hold a -shm file, as a file that cannot change. */
static int open_readonly_or_immutable(abdb_db *db)
{
    int code = open_untrusted_sqlite_file(db, db->path, SQLITE_OPEN_READONLY);
    char *wal, *uri;
    int has_wal;

    if (code == SQLITE_OK)
        code = sqlite3_exec(db->sql, "SELECT 1 FROM sqlite_schema LIMIT 1", NULL, NULL, NULL);
    if ((code & 0xff) != SQLITE_CANTOPEN && (code & 0xff) != SQLITE_READONLY) return code;

    wal = sqlite3_mprintf("%s-wal", db->path);
    has_wal = !wal || access(wal, F_OK) == 0;
    sqlite3_free(wal);
    if (has_wal) return code; /* its newest pages are in the log: do not pretend */
    sqlite3_close(db->sql);
    db->sql = NULL;
    uri = make_immutable_uri(db->path);
    if (!uri) return SQLITE_NOMEM;
    code = open_untrusted_sqlite_file(db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    sqlite3_free(uri);
    return code;
}

/* Can a new file be made beside others there? */
static abdb_status refuse_missing_or_unwritable_folder(const char *path, abdb_error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    abdb_status st = ABDB_OK;

    if (!folder) return ABDB_FAIL(err, ABDB_NOMEM, "a path");
    if (access(folder, F_OK) != 0)
        st = ABDB_FAIL(err, ABDB_DB, "%s: there is no folder %s; make it, or name another (--db)",
                       path, folder);
    else if (access(folder, W_OK) != 0)
        st = ABDB_FAIL(err, ABDB_DB,
                       "%s: nothing can be written in the folder %s (%s); name another (--db)",
                       path, folder, strerror(errno));
    free(folder);
    return st;
}

/* Refuses a path that is missing, a folder, a device, empty or not accessible in the mode of db,
 * with the next step. */
static abdb_status refuse_missing_or_inaccessible_database(abdb_db *db, abdb_error *err)
{
    struct stat info;

    if (stat(db->path, &info) != 0) {
        if (errno != ENOENT) return ABDB_FAIL(err, ABDB_DB, "%s: %s", db->path, strerror(errno));
        if (db->mode == ABDB_CREATE) return refuse_missing_or_unwritable_folder(db->path, err);
        return ABDB_FAIL(
            err, ABDB_DB,
            "no database at %s; make one with `abdb import data` (what is shipped), `abdb init`,"
            " `abdb import FILE` or `abdb run`, or name another with --db",
            db->path);
    }
    if (S_ISDIR(info.st_mode))
        return ABDB_FAIL(err, ABDB_DB, "%s is a directory, not a database", db->path);
    if (!S_ISREG(info.st_mode))
        return ABDB_FAIL(err, ABDB_DB, "%s is a pipe or a device, not a database", db->path);
    if (info.st_size == 0 && db->mode != ABDB_CREATE)
        return ABDB_FAIL(err, ABDB_DB,
                         "%s is empty; fill it with `abdb import data` or `abdb init`", db->path);
    if (db->mode == ABDB_READ && access(db->path, R_OK) != 0)
        return ABDB_FAIL(err, ABDB_DB, "%s: %s", db->path, strerror(errno));
    if (db->mode != ABDB_READ && access(db->path, W_OK) != 0)
        return ABDB_FAIL(err, ABDB_DB, "%s cannot be written: %s", db->path, strerror(errno));
    return ABDB_OK;
}

/* Do two files hold the same bytes? */
static bool files_have_equal_bytes(const char *path_a, const char *path_b)
{
    enum { CHUNK = 65536 };
    char *chunk = malloc(2 * (size_t)CHUNK);
    FILE *a = fopen(path_a, "rbe"), *b = fopen(path_b, "rbe");
    bool alike = chunk && a && b;

    for (size_t size = 1; alike && size;) {
        size = fread(chunk, 1, CHUNK, a);
        alike = fread(chunk + CHUNK, 1, CHUNK, b) == size && !ferror(a) && !ferror(b) &&
                memcmp(chunk, chunk + CHUNK, size) == 0;
    }
    if (a) fclose(a);
    if (b) fclose(b);
    free(chunk);
    return alike;
}

/* SQLite's backup into a new file, so that a log is included. */
static abdb_status back_up_with_sqlite(abdb_db *db, const char *partial_path, const char *path,
                                       abdb_error *err)
{
    sqlite3 *copy = NULL;
    sqlite3_backup *backup = NULL;
    int code =
            abdb_sql_open_hardened(&copy, partial_path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE),
        closed;

    if (code == SQLITE_OK) {
        backup = sqlite3_backup_init(copy, "main", db->sql, "main");
        code = backup ? sqlite3_backup_step(backup, -1) : sqlite3_errcode(copy);
        closed = sqlite3_backup_finish(backup);
        if (code == SQLITE_DONE) code = closed;
    }
    closed = sqlite3_close(copy);
    if (code == SQLITE_OK) code = closed;
    if (code == SQLITE_OK) return ABDB_OK;
    return ABDB_FAIL(err, code == SQLITE_NOMEM ? ABDB_NOMEM : ABDB_DB,
                     "cannot back up %s to %s: %s", db->path, path, sqlite3_errstr(code));
}

/* Copies the file to FILE.vN.bak, which has its owner and mode. The copy takes that name when it is
 * whole; parts of interrupted copies are removed. An existing backup with equal
 * bytes is used: a migration ended after it was made. Any other file of that name is refused. */
static abdb_status back_up_to_file_vn_bak(abdb_db *db, int version, abdb_error *err)
{
    char *path = sqlite3_mprintf("%s.v%d.bak", db->path, version);
    abdb_outfile copy = {0};
    struct stat info;
    abdb_status st = ABDB_OK;

    if (!path) return ABDB_FAIL(err, ABDB_NOMEM, "backup of %s", db->path);
    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
        TRY(ABDB_FAIL(err, ABDB_DB, "%s is in the way of a backup; move it and try again", path));
    TRY(abdb_outfile_open_partial_without_guard(&copy, path, err));
    abdb_outfile_remember_access_of(&copy, db->path);
    TRY(back_up_with_sqlite(db, copy.partial_path, path, err));
    if (access(path, F_OK) != 0)
        st = abdb_outfile_commit(&copy, err);
    else if (!files_have_equal_bytes(copy.partial_path, path))
        st = ABDB_FAIL(err, ABDB_DB, "%s is in the way of a backup; move it and try again", path);
done:
    abdb_outfile_discard(&copy);
    sqlite3_free(path);
    return st;
}

/* Reads the header, for owner and version, in one transaction, because another writer may be making
 * the file at this moment. */
static abdb_status refuse_foreign_or_newer_header_read_version(abdb_db *db, sqlite3_int64 *version,
                                                               abdb_error *err)
{
    sqlite3_int64 application, objects, tables;
    abdb_status st = abdb_db_exec(db, "SAVEPOINT header", err);

    if (st != ABDB_OK) return st;
    TRY(abdb_db_query_integer_or_0(db, "PRAGMA application_id", &application, err));
    TRY(abdb_db_query_integer_or_0(db, "PRAGMA user_version", version, err));
    TRY(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM sqlite_schema", &objects, err));
    TRY(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'process'",
                                   &tables, err));
    if (application == ABDB_APPLICATION_ID && !tables)
        st = ABDB_FAIL(err, ABDB_DB,
                       "%s was made by an abdb before its first release, whose tables were others:"
                       " import its files again into a new database",
                       db->path);
    else if (application == 0 && objects == 0 && db->mode == ABDB_CREATE)
        *version = 0;
    else if (application != ABDB_APPLICATION_ID)
        st = ABDB_FAIL(err, ABDB_DB,
                       "%s is a SQLite database, but not abdb's (application_id %lld); name another"
                       " with --db",
                       db->path, (long long)application);
    else if (*version > abdb_schema_version())
        st =
            ABDB_FAIL(err, ABDB_DB,
                      "%s is of version %lld, made by a newer abdb; this one knows %d: update abdb",
                      db->path, (long long)*version, abdb_schema_version());
done:
    if (sqlite3_exec(db->sql, "RELEASE header", NULL, NULL, NULL) != SQLITE_OK) {
        if (st == ABDB_OK) st = abdb_db_report_sqlite_error(db, err, "its header");
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    }
    return st;
}

/* Switches to WAL mode. SQLite does not wait for this one, and another writer that comes or goes
 * may hold the file for a moment, so it is tried until the patience of any other statement is over.
 */
static abdb_status switch_to_wal_mode(abdb_db *db, abdb_error *err)
{
    int code, turn = 0;

    do code = sqlite3_exec(db->sql, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    while (((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) &&
           abdb_db_nap_20_ms_unless_timed_out(db, turn++));
    return code == SQLITE_OK ? ABDB_OK : abdb_db_report_sqlite_error(db, err, "journal_mode = WAL");
}

/* From an open file to one of this version. Read-only: an older file is refused, and views that
 * are missing or changed are lent for this connection only. Written: backup, tables, then views,
 * the last two in one transaction. */
static abdb_status check_create_migrate_or_lend_temp_views(abdb_db *db, abdb_error *err)
{
    sqlite3_int64 version;
    abdb_status st = ABDB_OK;
    int now = abdb_schema_version();
    bool current, views = false;

    TRY(refuse_foreign_or_newer_header_read_version(db, &version, err));
    if (db->mode == ABDB_READ && version < now)
        return ABDB_FAIL(err, ABDB_DB,
                         "%s is of version %lld, this abdb reads %d; `abdb init --db %s` migrates"
                         " it (a backup is made)",
                         db->path, (long long)version, now, db->path);
    if (version > 0)
        TRY(abdb_schema_refuse_changed_tables_compare_views(db, version == now, &views, err));
    if (db->mode == ABDB_READ) {
        db->lent = !views;
        return views ? ABDB_OK : abdb_views_create_temporary(db, err);
    }
    TRY(switch_to_wal_mode(db, err));
    TRY(abdb_db_exec(db,
                     "PRAGMA synchronous = NORMAL;"
                     "PRAGMA foreign_keys = OFF; PRAGMA cache_size = " ABDB_CACHE_SIZE ";"
                     "PRAGMA temp_store = FILE; PRAGMA threads = 1", /* one helps to sort */
                     err));
    TRY(abdb_views_are_current(db, &current, err));
    if (version == now && current && views) return ABDB_OK;
    if (version > 0 && version < now) TRY(back_up_to_file_vn_bak(db, (int)version, err));

    /* tables and views in one transaction: no reader finds the tables without the views */
    TRY(abdb_db_exec(db, "BEGIN IMMEDIATE", err));
    st = refuse_foreign_or_newer_header_read_version(db, &version,
                                                     err); /* another process may have been first */
    if (st == ABDB_OK && version < now) st = abdb_schema_create_or_migrate(db, (int)version, err);
    if (st == ABDB_OK) st = abdb_views_recreate_and_record_digest(db, err);
    if (st != ABDB_OK) {
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
        return st;
    }
    TRY(abdb_db_exec(db, "COMMIT", err));
    db->created = version == 0;
    db->migrated = version < now ? (int)version : 0;
done:
    return st;
}

abdb_status abdb_db_open(abdb_db **out, const char *path, abdb_mode mode, abdb_error *err)
{
    return abdb_db_open_with_timeout(out, path, mode, &abdb_patience_short, err);
}

abdb_status abdb_db_open_with_timeout(abdb_db **out, const char *path, abdb_mode mode,
                                      const abdb_busy_timeout *patience, abdb_error *err)
{
    abdb_db *db = calloc(1, sizeof *db);
    abdb_status st = ABDB_OK;
    int code;

    if (!db || asprintf(&db->path, "%s%s", strncmp(path, "file:", 5) == 0 ? "./" : "", path) < 0) {
        free(db);
        return ABDB_FAIL(err, ABDB_NOMEM, "opening %s", path);
    }
    db->mode = mode;
    db->patience = *patience;
    /* only the memory limit of readers needs it; its lock costs time; one call is enough */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, mode == ABDB_READ);
    TRY(refuse_missing_or_inaccessible_database(db, err));
    if (mode == ABDB_READ)
        code = open_readonly_or_immutable(db);
    else
        code = open_untrusted_sqlite_file(
            db, db->path,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | /* one thread at a time uses it */
                (mode == ABDB_CREATE ? SQLITE_OPEN_CREATE : 0));
    if (code != SQLITE_OK) TRY(abdb_db_report_sqlite_error(db, err, "open"));
    sqlite3_extended_result_codes(db->sql, 1);
    if (abdb_sql_register_functions(db->sql) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, "functions"));
    TRY(check_create_migrate_or_lend_temp_views(db, err));
    *out = db;
    db = NULL;
done:
    abdb_db_close(db);
    return st;
}
