/* db.c - an open database: statements, waiting, errors, closing; see db.h. open_db.c opens it. */
#include "schema/store/db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "schema/core/text.h"
#include "schema/core/timing.h"

enum { NAP_MS = 20 };

/* NAP_MS: between tries, when another program holds the file. */
const abdb_busy_timeout abdb_patience_short = {10, NULL};

/* Another program holds the file, for the turn-th time in this wait: naps a little. 0: patience is
 * over. */
int abdb_db_nap_20_ms_unless_timed_out(void *self, int tries_before)
{
    static const double tell_after_s = 1;
    const struct timespec nap = {0, NAP_MS * 1000000};
    abdb_db *db = self;
    double waited;

    if (tries_before == 0) db->waits_since = abdb_monotonic_seconds();
    waited = abdb_monotonic_seconds() - db->waits_since;
    if (waited >= db->patience.seconds) return 0;
    if (waited >= tell_after_s && !db->long_wait_reported && db->patience.on_long_wait) {
        db->long_wait_reported = true;
        db->patience.on_long_wait(db->path, db->patience.seconds);
    }
    nanosleep(&nap, NULL);
    return 1;
}

void abdb_db_set_busy_wait(abdb_db *db, bool wait)
{
    sqlite3_busy_handler(db->sql, wait ? abdb_db_nap_20_ms_unless_timed_out : NULL, db);
}

abdb_status abdb_db_report_sqlite_error(abdb_db *db, abdb_error *err, const char *doing)
{
    int code = db->sql ? sqlite3_extended_errcode(db->sql) : SQLITE_NOMEM;
    const char *words = db->sql ? sqlite3_errmsg(db->sql) : "out of memory";

    switch (code & 0xff) {
    case SQLITE_BUSY:
        if (db->mode == ABDB_READ)
            return ABDB_FAIL(err, ABDB_BUSY, "%s: another program is writing (%s); try again",
                             db->path, doing);
        return ABDB_FAIL(err, ABDB_BUSY,
                         "%s: another program is still writing after %g s (%s); try again, or wait"
                         " longer with --busy SECONDS",
                         db->path, db->patience.seconds, doing);
    case SQLITE_FULL:
        return ABDB_FAIL(
            err, ABDB_DB,
            "%s: the disk is full (%s); the transaction that failed is undone, and those"
            " that were committed before it are kept",
            db->path, doing);
    case SQLITE_NOTADB:
        return ABDB_FAIL(err, ABDB_DB, "%s is not an abdb database; name another with --db",
                         db->path);
    case SQLITE_CORRUPT:
        return ABDB_FAIL(
            err, ABDB_DB,
            "%s is damaged, or its disk cannot read it (%s: %s); restore a backup, or rescue it"
            " with sqlite3 .recover",
            db->path, doing, words);
    case SQLITE_READONLY:
        return ABDB_FAIL(err, ABDB_DB, "%s is read-only (%s); copy it to write, or use --db",
                         db->path, doing);
    case SQLITE_OK: /* it was refused before SQLite was asked, */
    case SQLITE_ROW:
    case SQLITE_DONE: /* or after it had answered */
    case SQLITE_NOMEM: return ABDB_FAIL(err, ABDB_NOMEM, "%s: out of memory (%s)", db->path, doing);
    case SQLITE_IOERR:
        return ABDB_FAIL(err, ABDB_DB, "%s: %s (%s); is the disk full or a limit reached?",
                         db->path, words, doing);
    default: return ABDB_FAIL(err, ABDB_DB, "%s: %s (%s)", db->path, words, doing);
    }
}

abdb_status abdb_db_exec(abdb_db *db, const char *sql, abdb_error *err)
{
    char doing[60];

    if (sqlite3_exec(db->sql, sql, NULL, NULL, NULL) == SQLITE_OK) return ABDB_OK;
    snprintf(doing, sizeof doing, "%.50s", sql);
    doing[strcspn(doing, "\n")] = '\0';
    return abdb_db_report_sqlite_error(db, err, doing);
}

abdb_status abdb_db_query_integer_or_0(abdb_db *db, const char *sql, sqlite3_int64 *out,
                                       abdb_error *err)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db->sql, sql, -1, &statement, NULL);

    *out = 0;
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *out = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? ABDB_OK
                                                     : abdb_db_report_sqlite_error(db, err, sql);
}

int abdb_db_switch_to_rollback_journal(abdb_db *db)
{
    return sqlite3_exec(db->sql,
                        "PRAGMA main.synchronous = FULL; PRAGMA main.journal_mode = DELETE", NULL,
                        NULL, NULL);
}

/* Puts the log back into the file. Where another connection is open the log stays for it, and the
 * last writer that closes puts it back; pages that no reader needs are copied now. ABDB_PARTIAL:
 * the log stays for another reason. */
static abdb_status checkpoint_and_leave_wal(abdb_db *db, abdb_error *err)
{
    const char *words;
    int code;

    abdb_db_set_busy_wait(db, false);
    if (sqlite3_get_autocommit(db->sql) == 0)
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL); /* a failure was reported already */
    code = abdb_db_switch_to_rollback_journal(db) & 0xff;
    if (code == SQLITE_OK || code == SQLITE_NOTADB) return ABDB_OK;
    words = sqlite3_errstr(code);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        code = sqlite3_wal_checkpoint_v2(db->sql, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        if (code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED)
            return ABDB_OK;
        words = sqlite3_errstr(code);
    }
    return ABDB_FAIL(err, ABDB_PARTIAL,
                     "%s: what was committed is kept, but not in one file: a part of it is in"
                     " %s-wal (%s); copy both files together, or make room and run `abdb init --db"
                     " %s`, which puts them together",
                     db->path, db->path, words, db->path);
}

/* The last database that a close left in more than one file. */
static struct {
    char *path;
    abdb_error err;
} apart;

abdb_status abdb_db_report_log_left_by_close(abdb_error *err)
{
    char log[PATH_MAX];

    if (!apart.path || !abdb_db_find_nonempty_wal_or_journal(apart.path, log)) return ABDB_OK;
    *err = apart.err;
    return err->status;
}

bool abdb_db_find_nonempty_wal_or_journal(const char *path, char log[PATH_MAX])
{
    static const char *const suffixes[] = {"-wal", "-journal"};
    struct stat info;

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(log, PATH_MAX, "%s%s", path, suffixes[i]);
        if (stat(log, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) return true;
    }
    return false;
}

bool abdb_db_is_open_elsewhere(const char *path)
{
    /* the bytes that SQLite locks while a connection is open: "lockingv3" of its documentation */
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1 << 30, .l_len = 512};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool is = file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

    if (file >= 0) close(file);
    return is;
}

void abdb_db_close(abdb_db *db)
{
    char log[PATH_MAX];
    abdb_error err;
    bool whole;

    if (!db) return;
    whole = !db->sql || db->mode == ABDB_READ || checkpoint_and_leave_wal(db, &err) == ABDB_OK;
    sqlite3_close_v2(db->sql);
    if (!whole && abdb_db_find_nonempty_wal_or_journal(db->path, log)) {
        free(apart.path);
        apart.path = db->path;
        apart.err = err;
        db->path = NULL;
    }
    free(db->path);
    free(db);
}
