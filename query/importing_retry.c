/* importing_retry.c - files that had rejected rows, read again after a mend; see importing.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query/importing.h"

enum { FILES_MAX = 4096 };

/* Adds what --set said when rows of a file were rejected: "name=value" a line. */
static abdb_status add_words(abdb_words *words, const char *text, abdb_error *err)
{
    char *copy = strdup(text), *rest = NULL;
    abdb_status st = ABDB_OK;

    if (!copy) return ABDB_FAIL(err, ABDB_NOMEM, "--set");
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strchr(line, '=')) TRY(abdb_words_add(words, line, err));
done:
    free(copy);
    return st;
}

typedef struct {
    char *path, *words;
} refused_file;

/* Files whose rows were rejected, with what --set said then; path NULL: all. */
static abdb_status list_refused(abdb_db *db, const char *path, refused_file *out, size_t room,
                                size_t *count, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(
        db->sql,
        "SELECT DISTINCT substr(path, 1, instr(path || '!', '!') - 1), words FROM artifact"
        " WHERE artifact_id IN (SELECT artifact_id FROM temp.tried)"
        " AND (?1 IS NULL OR path = ?1 OR path LIKE ?1 || '!%' OR path LIKE ?1 || '/%')"
        " ORDER BY 1, 2",
        -1, &s, NULL);

    *count = 0;
    if (code == SQLITE_OK) {
        sqlite3_bind_text(s, 1, path, -1, SQLITE_STATIC);
        while (*count < room && (code = sqlite3_step(s)) == SQLITE_ROW) {
            out[*count].path = strdup((const char *)sqlite3_column_text(s, 0));
            out[(*count)++].words = strdup((const char *)sqlite3_column_text(s, 1));
        }
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE || code == SQLITE_ROW ? ABDB_OK : abdb_db_fail(db, err, "rejects");
}

/* One file with its words. */
static abdb_status retry_file(import_session *s, const refused_file *file, const abdb_args *args,
                              abdb_error *err)
{
    const abdb_unit_options *given = s->options;
    abdb_unit_options options = *given;
    abdb_words words = {.map = given->words->map, .map_digest = given->words->map_digest};
    const char *setting;
    size_t at = 0;
    abdb_status st = ABDB_OK;

    if (!file->path || !file->words) TRY(ABDB_FAIL(err, ABDB_NOMEM, "rejects"));
    TRY(add_words(&words, file->words, err));
    while ((setting = abdb_arg_next(args, "set", &at))) TRY(abdb_words_add(&words, setting, err));
    options.words = &words;
    s->options = &options;
    TRY(abdb_importing_file(s, file->path, true, err));
    TRY(abdb_importing_rounds(s, err));
done:
    s->options = given;
    abdb_words_free(&words);
    return st;
}

/* Rejects of an import that another one of the same path has replaced (the file was mended, or
 * --set said more) are no longer what waits for a mend. */
static abdb_status forget_replaced(abdb_db *db, time_t since, abdb_error *err)
{
    char *sql = sqlite3_mprintf(
        "DELETE FROM reject WHERE artifact_id IN (SELECT a.artifact_id FROM temp.tried"
        " JOIN artifact a USING (artifact_id) JOIN artifact b ON b.path = a.path"
        " WHERE b.imported >= strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', %lld, 'unixepoch')"
        " AND b.artifact_id NOT IN (SELECT artifact_id FROM temp.tried))",
        (long long)since);
    abdb_status st = sql ? abdb_db_exec(db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "rejects");

    sqlite3_free(sql);
    return st;
}

abdb_status abdb_importing_retry(import_session *s, abdb_db *db, const char *path,
                                 const abdb_args *args, abdb_error *err)
{
    refused_file *file = calloc(FILES_MAX, sizeof *file);
    time_t now = time(NULL);
    size_t count = 0;
    abdb_status st = ABDB_OK;

    if (!file) return ABDB_FAIL(err, ABDB_NOMEM, "rejects");
    TRY(abdb_db_exec(
        db,
        "DROP TABLE IF EXISTS temp.tried; CREATE TEMP TABLE tried AS SELECT artifact_id"
        " FROM artifact a WHERE path NOT LIKE '(built in)%' AND EXISTS"
        " (SELECT 1 FROM reject r WHERE r.artifact_id = a.artifact_id)",
        err));
    TRY(list_refused(db, path, file, FILES_MAX, &count, err));
    if (!count)
        abdb_remark("nothing to try again: no rejected rows%s%s", path ? " in " : "",
                    path ? path : "");
    for (size_t i = 0; i < count; i++) TRY(retry_file(s, &file[i], args, err));
    TRY(forget_replaced(db, now, err));
done:
    for (size_t i = 0; i < count; i++) {
        free(file[i].path);
        free(file[i].words);
    }
    free(file);
    return st;
}
