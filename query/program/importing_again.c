/* importing_again.c - files read again: after a mend of the file (--retry-rejects), or of its
 * importer (--refresh); see importing.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "schema/core/grow.h"

#include "query/program/files.h"
#include "query/program/importing.h"
#include "query/program/stale.h"
#include "schema/store/derive.h"

/* A file or archive, or the folder of a round, with what --set said when it was read. */
typedef struct {
    char *file, *words;
    char *format; /* NULL: of several files */
} reading;

typedef struct {
    reading *item;
    size_t count, room;
} reading_list;

/* Where an artifact was read from: itself, its archive, or the folder above the results of its
 * round. The caller frees it. *several: that may hold more than the artifact. */
static char *file_of(const char *path, const char *format, bool *several)
{
    const char *mark = strchr(path, '!'), *results = NULL;
    size_t size = strlen(path);

    *several = true;
    /* ARCHIVE!MEMBER, unless a file is really called so. */
    if (mark && access(path, F_OK) != 0) return strndup(path, (size_t)(mark - path));
    for (const char *next = path; (next = strstr(next, "/results/")); next++) results = next;
    if (abdb_mlperf_round_version(format) && results)
        return strndup(path, (size_t)(results - path));
    *several = false;
    return strndup(path, size);
}

static void free_reading(reading *r)
{
    free(r->file);
    free(r->words);
    free(r->format);
}

static void free_readings(reading_list *list)
{
    for (size_t i = 0; i < list->count; i++) free_reading(&list->item[i]);
    free(list->item);
}

/* Room for one more. */
static abdb_status more_room(reading_list *list, abdb_error *err)
{
    reading *more = abdb_grow(list->item, list->count, &list->room, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count);
    list->item = more;
    return ABDB_OK;
}

static abdb_status add_reading(reading_list *list, const char *path, const char *words,
                               const char *format, abdb_error *err)
{
    const reading *last = list->count ? &list->item[list->count - 1] : NULL;
    bool several;
    reading r = {.file = file_of(path, format, &several), .words = strdup(words)};
    abdb_status st = ABDB_OK;

    r.format = several ? NULL : strdup(format);
    if (!r.file || !r.words || (!several && !r.format))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count));
    /* Neighbours of one archive or round are read together, once. */
    if (last && several && !last->format && strcmp(last->file, r.file) == 0 &&
        strcmp(last->words, r.words) == 0)
        goto done;
    TRY(more_room(list, err));
    list->item[list->count++] = r;
    r = (reading){0};
done:
    free_reading(&r);
    return st;
}

/* The files of temp.again, of all or of one path. */
static abdb_status list_readings(abdb_db *db, const char *path, reading_list *list, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;
    int code = sqlite3_prepare_v2(
        db->sql,
        "SELECT path, words, format FROM artifact WHERE artifact_id IN (SELECT artifact_id FROM"
        " temp.again) AND (?1 IS NULL OR path = ?1 OR substr(path, 1, length(?1) + 1) IN"
        " (?1 || '!', ?1 || '/')) ORDER BY words, path",
        -1, &s, NULL);

    if (code == SQLITE_OK) {
        sqlite3_bind_text(s, 1, path, -1, SQLITE_STATIC);
        while (st == ABDB_OK && (code = sqlite3_step(s)) == SQLITE_ROW)
            st = add_reading(list, abdb_sql_text(s, 0), abdb_sql_text(s, 1), abdb_sql_text(s, 2),
                             err);
    }
    if (st == ABDB_OK && code != SQLITE_DONE) st = abdb_db_fail(db, err, "artifacts");
    sqlite3_finalize(s);
    return st;
}

/* Adds what --set said: "name=value" a line. */
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

/* The digest of the user's map that read a file, "" for none. */
static const char *map_of(const char *words)
{
    const char *line = strncmp(words, "map ", 4) == 0 ? words : strstr(words, "\nmap ");

    return line ? line + strcspn(line, " ") + 1 : "";
}

/* Reads it with these words and options. */
static abdb_status read_again(import_session *s, const reading *r, const abdb_unit_options *options,
                              abdb_error *err)
{
    const abdb_unit_options *given = s->options;
    abdb_file_list files = {0};
    abdb_status st = ABDB_OK;

    s->options = options;
    TRY(abdb_files_add(&files, r->file, NULL, err));
    for (size_t i = 0; i < files.count; i++)
        TRY(abdb_importing_file(s, files.item[i].path, files.item[i].named, err));
    TRY(abdb_importing_rounds(s, err));
done:
    s->options = given;
    abdb_files_free(&files);
    return st;
}

/* --- after a mend of the file ----------------------------------------------------------------- */

/* With what --set said then, and what it says now. */
static abdb_status retry(import_session *s, const reading *r, const abdb_args *args,
                         abdb_error *err)
{
    abdb_unit_options options = *s->options;
    abdb_words words = {.map = options.words->map, .map_digest = options.words->map_digest};
    const char *setting;
    size_t at = 0;
    abdb_status st = ABDB_OK;

    TRY(add_words(&words, r->words, err));
    while ((setting = abdb_arg_next(args, "set", &at))) TRY(abdb_words_add(&words, setting, err));
    options.words = &words;
    options.replace = 1;
    options.replace_words = r->words;
    TRY(read_again(s, r, &options, err));
done:
    abdb_words_free(&words);
    return st;
}

/* Rejects of an import that another one of the same path has replaced (the file was mended, or
 * --set said more) are no longer what waits for a mend. Where the mended file holds as many good
 * rows as before, or more, the reading of the damaged one is withdrawn: measured rows of two files
 * are two, and would be there twice. A reading that is withdrawn keeps its rejects. */
static abdb_status forget_replaced(abdb_db *db, time_t since, abdb_error *err)
{
    char *sql = sqlite3_mprintf(
        "CREATE TEMP TABLE mended AS SELECT a.artifact_id, a.sha256 <> b.sha256 AND a.format ="
        " b.format AND a.accepted + a.duplicate <= b.accepted + b.duplicate AS whole,"
        " a.sha256 || '?' || a.format || '?' || a.words AS target FROM temp.again"
        " JOIN artifact a USING (artifact_id) JOIN artifact b ON b.path = a.path"
        " WHERE b.imported >= strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', %lld, 'unixepoch')"
        " AND b.artifact_id NOT IN (SELECT artifact_id FROM temp.again);",
        (long long)since);
    abdb_status st = ABDB_OK;

    if (!sql) return ABDB_FAIL(err, ABDB_NOMEM, "rejects");
    TRY(abdb_db_exec(db, "BEGIN IMMEDIATE", err));
    TRY(abdb_db_exec(db, sql, err));
    TRY(abdb_withdrawal_add(db, "withdrawn", "SELECT target FROM mended WHERE whole",
                            "the file was mended: --retry-rejects", err));
    TRY(abdb_db_exec(db,
                     "DELETE FROM reject WHERE artifact_id IN (SELECT artifact_id FROM mended)"
                     " AND artifact_id NOT IN (SELECT artifact_id FROM gone_artifact)",
                     err));
    TRY(abdb_db_exec(db, "DROP TABLE temp.mended", err));
    TRY(abdb_derive_stale(db, "gone", err));
    TRY(abdb_db_exec(db, "COMMIT", err));
done:
    sqlite3_free(sql);
    if (st != ABDB_OK && !sqlite3_get_autocommit(db->sql))
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

abdb_status abdb_importing_retry(import_session *s, abdb_db *db, const char *path,
                                 const abdb_args *args, abdb_error *err)
{
    reading_list list = {0};
    time_t now = time(NULL);
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(
        db,
        "DROP TABLE IF EXISTS temp.again; CREATE TEMP TABLE again AS SELECT artifact_id"
        " FROM artifact a WHERE path NOT LIKE '(built in)%' AND artifact_id NOT IN"
        " (SELECT artifact_id FROM gone_artifact) AND EXISTS"
        " (SELECT 1 FROM reject r WHERE r.artifact_id = a.artifact_id)",
        err));
    TRY(list_readings(db, path, &list, err));
    if (!list.count)
        abdb_remark("nothing to try again: no rejected rows%s%s", path ? " in " : "",
                    path ? path : "");
    for (size_t i = 0; i < list.count; i++) TRY(retry(s, &list.item[i], args, err));
    TRY(forget_replaced(db, now, err));
done:
    free_readings(&list);
    return st;
}

/* --- after a mend of the importer ------------------------------------------------------------- */

/* With what --set said then, as the format that it was, and nothing else that lies there. */
static abdb_status refresh(import_session *s, const reading *r, abdb_error *err)
{
    abdb_unit_options options = *s->options;
    const char *map = map_of(r->words);
    abdb_words words = {0};
    abdb_status st = ABDB_OK;

    if (access(r->file, R_OK) != 0) return ABDB_OK;
    if (*map) {
        words.map = options.words->map;
        words.map_digest = options.words->map_digest;
        if (!words.map || strcmp(words.map_digest, map) != 0) return ABDB_OK;
    }
    TRY(add_words(&words, r->words, err));
    options.words = &words;
    options.format = r->format;
    options.refresh = ABDB_REFRESH_ONLY;
    TRY(read_again(s, r, &options, err));
done:
    abdb_words_free(&words);
    return st;
}

enum { LEFT_SAID = 50 };

/* Why a file is still as an older version read it. */
static void say_left(const char *file, const char *words)
{
    if (strcmp(file, "-") == 0)
        abdb_remark("standard input cannot be read again: left as it was read");
    else if (access(file, R_OK) != 0)
        abdb_remark("%s is not there any more: left as it was read", file);
    else if (*map_of(words))
        abdb_remark("%s was read with a map of yours: name that with --map FILE; left as it was"
                    " read",
                    file);
    else
        abdb_remark("%s was not read again (it has other bytes now, or was refused): left as it was"
                    " read",
                    file);
}

static abdb_status say_all_left(abdb_db *db, const char *path, abdb_error *err)
{
    reading_list list = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(db,
                     "DELETE FROM temp.again WHERE artifact_id IN (SELECT a.artifact_id"
                     " FROM artifact a JOIN artifact n USING (sha256, format, words)"
                     " WHERE n.importer > a.importer)",
                     err));
    TRY(list_readings(db, path, &list, err));
    for (size_t i = 0; i < list.count && i < LEFT_SAID; i++)
        say_left(list.item[i].file, list.item[i].words);
    if (list.count > LEFT_SAID)
        abdb_remark("and %zu more: `abdb doctor` counts them", list.count - LEFT_SAID);
done:
    free_readings(&list);
    return st;
}

abdb_status abdb_importing_refresh(import_session *s, abdb_db *db, const char *path,
                                   abdb_error *err)
{
    reading_list list = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_stale_mark(db, err));
    TRY(list_readings(db, path, &list, err));
    if (!list.count)
        abdb_remark("nothing to read again: this version read every file%s%s", path ? " in " : "",
                    path ? path : "");
    for (size_t i = 0; i < list.count; i++) TRY(refresh(s, &list.item[i], err));
    if (!s->options->dry_run) TRY(say_all_left(db, path, err));
done:
    free_readings(&list);
    return st;
}
