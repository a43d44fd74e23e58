/* statements.c - the writer's statements, bound and run; see writer_internal.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schema/store/writer_internal.h"

void abdb_bind_text_or_null(sqlite3_stmt *s, int i, const char *text)
{
    if (text)
        sqlite3_bind_text(s, i, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(s, i);
}

void abdb_bind_finite_or_null(sqlite3_stmt *s, int i, double value)
{
    if (isfinite(value))
        sqlite3_bind_double(s, i, value);
    else
        sqlite3_bind_null(s, i);
}

void abdb_bind_key_parts(sqlite3_stmt *s, int i, abdb_key key)
{
    sqlite3_bind_int64(s, i, key.high);
    sqlite3_bind_int64(s, i + 1, key.low);
}

abdb_status abdb_writer_find_id_by_key_or_0(abdb_writer *w, statement_id id, abdb_key key,
                                            sqlite3_int64 *out, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[id];
    int code;

    abdb_bind_key_parts(s, 1, key);
    code = sqlite3_step(s);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? ABDB_OK
               : abdb_db_report_sqlite_error(w->db, err, "a key");
}

abdb_status abdb_writer_run_and_reset_statement(abdb_writer *w, statement_id id, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[id];
    int code = sqlite3_step(s);
    abdb_status st = ABDB_OK;

    if (code != SQLITE_DONE && code != SQLITE_ROW)
        st = abdb_db_report_sqlite_error(w->db, err, "write");
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return st;
}
