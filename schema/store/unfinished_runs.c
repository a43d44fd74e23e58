/* unfinished_runs.c - rows run.CAMPAIGN of meta: "CELLS PID START"; see unfinished_runs.h. */
#include "schema/store/unfinished_runs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/core/number.h"

/* When a process began, in ticks since the machine did: with its number it is one process. 0: there
 * is none. */
static unsigned long long process_start_ticks(long long pid)
{
    char path[48], text[1024] = "";
    unsigned long long ticks = 0;
    const char *at;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%lld/stat", pid);
    file = fopen(path, "r");
    if (!file) return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    at = strrchr(text, ')'); /* a name may have blanks: the third field follows it */
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    if (at) (void)abdb_digits_parse_prefix(at + 1, 10, &ticks);
    return ticks;
}

/* Runs a statement of sqlite3_mprintf, and frees it. */
static abdb_status execute_and_free(sqlite3 *db, char *sql, abdb_error *err)
{
    int code = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    return code == SQLITE_OK ? ABDB_OK
                             : ABDB_FAIL(err, ABDB_IO, "unfinished runs: %s", sqlite3_errmsg(db));
}

abdb_status abdb_unfinished_run_begin(sqlite3 *db, const char *campaign, size_t planned,
                                      abdb_error *err)
{
    return execute_and_free(
        db,
        sqlite3_mprintf("INSERT OR REPLACE INTO meta VALUES ('run.%q', '%lld %lld %llu')", campaign,
                        (long long)planned, (long long)getpid(), process_start_ticks(getpid())),
        err);
}

abdb_status abdb_unfinished_run_end(sqlite3 *db, const char *campaign, abdb_error *err)
{
    return execute_and_free(db, sqlite3_mprintf("DELETE FROM meta WHERE key = 'run.%q'", campaign),
                            err);
}

/* CELLS PID START */
static void parse_run_row(const char *value, abdb_unfinished_run *out)
{
    unsigned long long number[3] = {0};

    for (int i = 0; i < 3; i++) {
        value += abdb_digits_parse_prefix(value, 10, &number[i]);
        value += *value == ' ';
    }
    out->planned = (long long)number[0];
    out->running = number[2] && process_start_ticks((long long)number[1]) == number[2];
}

abdb_status abdb_unfinished_run_find(sqlite3 *db, const char *campaign, bool *found,
                                     abdb_unfinished_run *out, abdb_error *err)
{
    /* Names of campaigns sort by time. */
    static const char sql[] =
        "SELECT substr(m.key, 5), m.value, (SELECT count(DISTINCT e.cell || char(10) ||"
        "  coalesce(e.tag, '')) FROM entry e WHERE e.campaign = substr(m.key, 5) AND"
        "  e.status <> 'cancelled')"
        " FROM meta m WHERE m.key GLOB 'run.*' AND substr(m.key, 5) = coalesce(?1, substr(m.key, "
        "5))"
        " AND (?1 IS NOT NULL OR NOT EXISTS (SELECT 1 FROM description d"
        "  WHERE d.campaign > substr(m.key, 5))) ORDER BY 1 DESC LIMIT 1";
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &s, NULL);

    *found = false;
    if (code == SQLITE_OK) code = sqlite3_bind_text(s, 1, campaign, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        *found = true;
        snprintf(out->campaign, sizeof out->campaign, "%s", abdb_sql_text_or_empty(s, 0));
        parse_run_row(abdb_sql_text_or_empty(s, 1), out);
        out->measured = sqlite3_column_int64(s, 2);
    }
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? ABDB_OK
               : ABDB_FAIL(err, ABDB_IO, "unfinished runs: %s", sqlite3_errmsg(db));
}
