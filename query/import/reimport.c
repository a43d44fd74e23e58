/* reimport.c - files read again: after a mend of the file (--retry-rejects), or of its
 * importer (--refresh); see import_session.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "schema/core/array.h"

#include "query/import/input_files.h"
#include "query/import/import_session.h"
#include "query/import/outdated_imports.h"
#include "schema/store/derive.h"

/* A file or archive, or the folder of a round, with the --set values of its import. */
typedef struct {
    char *file, *words;
    char *format; /* NULL: of several files */
} past_import;

typedef struct {
    past_import *item;
    size_t count, capacity;
} past_import_list;

/* Where an artifact was read from: itself, its archive, or the folder above the results of its
 * round. The caller frees it. *several: that may hold more than the artifact. */
static char *file_archive_or_round_of_artifact(const char *path, const char *format,
                                               bool *holds_several)
{
    const char *mark = strchr(path, '!'), *results = NULL;
    size_t size = strlen(path);

    *holds_several = true;
    /* ARCHIVE!MEMBER, unless a file is really called so. */
    if (mark && access(path, F_OK) != 0) return strndup(path, (size_t)(mark - path));
    for (const char *next = path; (next = strstr(next, "/results/")); next++) results = next;
    if (abdb_mlperf_round_importer_version_of_format(format) && results)
        return strndup(path, (size_t)(results - path));
    *holds_several = false;
    return strndup(path, size);
}

static void free_past_import(past_import *r)
{
    free(r->file);
    free(r->words);
    free(r->format);
}

static void free_past_import_list(past_import_list *list)
{
    for (size_t i = 0; i < list->count; i++) free_past_import(&list->item[i]);
    free(list->item);
}

/* Room for one more. */
static abdb_status reserve_past_import(past_import_list *list, abdb_error *err)
{
    past_import *more =
        abdb_array_reserve_one(list->item, list->count, &list->capacity, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count);
    list->item = more;
    return ABDB_OK;
}

/* Adds an earlier import to the list unless it equals the last one. */
static abdb_status append_past_import_unless_same_as_last(past_import_list *list, const char *path,
                                                          const char *overrides_text,
                                                          const char *format, abdb_error *err)
{
    const past_import *last = list->count ? &list->item[list->count - 1] : NULL;
    bool several;
    past_import r = {.file = file_archive_or_round_of_artifact(path, format, &several),
                     .words = strdup(overrides_text)};
    abdb_status st = ABDB_OK;

    r.format = several ? NULL : strdup(format);
    if (!r.file || !r.words || (!several && !r.format))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count));
    /* Neighbours of one archive or round are read together, once. */
    if (last && several && !last->format && strcmp(last->file, r.file) == 0 &&
        strcmp(last->words, r.words) == 0)
        goto done;
    TRY(reserve_past_import(list, err));
    list->item[list->count++] = r;
    r = (past_import){0};
done:
    free_past_import(&r);
    return st;
}

/* The files of temp.again, of all or of one path. */
static abdb_status load_imports_marked_for_reread(abdb_db *db, const char *path,
                                                  past_import_list *list, abdb_error *err)
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
            st = append_past_import_unless_same_as_last(list, abdb_sql_text_or_empty(s, 0),
                                                        abdb_sql_text_or_empty(s, 1),
                                                        abdb_sql_text_or_empty(s, 2), err);
    }
    if (st == ABDB_OK && code != SQLITE_DONE)
        st = abdb_db_report_sqlite_error(db, err, "artifacts");
    sqlite3_finalize(s);
    return st;
}

/* Adds stored values of --set: "name=value" a line. */
static abdb_status parse_stored_overrides(abdb_overrides *overrides, const char *text,
                                          abdb_error *err)
{
    char *copy = strdup(text), *rest = NULL;
    abdb_status st = ABDB_OK;

    if (!copy) return ABDB_FAIL(err, ABDB_NOMEM, "--set");
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strchr(line, '=')) TRY(abdb_overrides_validate_and_add_setting(overrides, line, err));
done:
    free(copy);
    return st;
}

/* The digest of the user's map that read a file, "" for none. */
static const char *map_digest_in_overrides_text(const char *overrides_text)
{
    const char *line =
        strncmp(overrides_text, "map ", 4) == 0 ? overrides_text : strstr(overrides_text, "\nmap ");

    return line ? line + strcspn(line, " ") + 1 : "";
}

/* Reads it with these words and options. */
static abdb_status reimport_past_import(import_session *s, const past_import *r,
                                        const abdb_import_options *options, abdb_error *err)
{
    const abdb_import_options *given = s->options;
    abdb_file_list files = {0};
    abdb_status st = ABDB_OK;

    s->options = options;
    TRY(abdb_file_list_add_file_or_folder_files(&files, r->file, NULL, err));
    for (size_t i = 0; i < files.count; i++)
        TRY(abdb_import_file_archive_or_pipe(s, files.item[i].path, files.item[i].named, err));
    TRY(abdb_import_and_free_pending_round(s, err));
done:
    s->options = given;
    abdb_file_list_free(&files);
    return st;
}

/* --- after a mend of the file ----------------------------------------------------------------- */

/* Reads a file again with its former --set values and the present ones. */
static abdb_status reimport_with_old_and_new_overrides(import_session *s, const past_import *r,
                                                       const abdb_args *args, abdb_error *err)
{
    abdb_import_options options = *s->options;
    abdb_overrides words = {.map = options.words->map, .map_digest = options.words->map_digest};
    const char *setting;
    size_t at = 0;
    abdb_status st = ABDB_OK;

    TRY(parse_stored_overrides(&words, r->words, err));
    while ((setting = abdb_arg_next_value(args, "set", &at)))
        TRY(abdb_overrides_validate_and_add_setting(&words, setting, err));
    options.words = &words;
    options.replace = 1;
    options.replace_words = r->words;
    TRY(reimport_past_import(s, r, &options, err));
done:
    abdb_overrides_free(&words);
    return st;
}

/* Deletes rejects of an import that a later import of the same path replaced (the file was mended,
 * or --set gave more values). Where the mended file has as many good rows as before, or more, the
 * import of the damaged one is withdrawn: otherwise its measured rows would count twice. A
 * withdrawn import keeps its rejects. */
static abdb_status withdraw_mended_delete_rejects(abdb_db *db, time_t since, abdb_error *err)
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
    TRY(abdb_withdrawal_insert_events_changing_state(db, "withdrawn",
                                                     "SELECT target FROM mended WHERE whole",
                                                     "the file was mended: --retry-rejects", err));
    TRY(abdb_db_exec(db,
                     "DELETE FROM reject WHERE artifact_id IN (SELECT artifact_id FROM mended)"
                     " AND artifact_id NOT IN (SELECT artifact_id FROM gone_artifact)",
                     err));
    TRY(abdb_db_exec(db, "DROP TABLE temp.mended", err));
    TRY(abdb_derive_mark_stale(db, "gone", err));
    TRY(abdb_db_exec(db, "COMMIT", err));
done:
    sqlite3_free(sql);
    if (st != ABDB_OK && !sqlite3_get_autocommit(db->sql))
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

abdb_status abdb_import_retry_rejected(import_session *s, abdb_db *db, const char *path,
                                       const abdb_args *args, abdb_error *err)
{
    past_import_list list = {0};
    time_t now = time(NULL);
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(
        db,
        "DROP TABLE IF EXISTS temp.again; CREATE TEMP TABLE again AS SELECT artifact_id"
        " FROM artifact a WHERE path NOT LIKE '(built in)%' AND artifact_id NOT IN"
        " (SELECT artifact_id FROM gone_artifact) AND EXISTS"
        " (SELECT 1 FROM reject r WHERE r.artifact_id = a.artifact_id)",
        err));
    TRY(load_imports_marked_for_reread(db, path, &list, err));
    if (!list.count)
        abdb_print_stderr_remark("nothing to try again: no rejected rows%s%s", path ? " in " : "",
                                 path ? path : "");
    for (size_t i = 0; i < list.count; i++)
        TRY(reimport_with_old_and_new_overrides(s, &list.item[i], args, err));
    TRY(withdraw_mended_delete_rejects(db, now, err));
done:
    free_past_import_list(&list);
    return st;
}

/* --- after a mend of the importer ------------------------------------------------------------- */

/* Reads only the past import again, with its --set values and its format. */
static abdb_status reimport_outdated_if_possible(import_session *s, const past_import *r,
                                                 abdb_error *err)
{
    abdb_import_options options = *s->options;
    const char *map = map_digest_in_overrides_text(r->words);
    abdb_overrides words = {0};
    abdb_status st = ABDB_OK;

    if (access(r->file, R_OK) != 0) return ABDB_OK;
    if (*map) {
        words.map = options.words->map;
        words.map_digest = options.words->map_digest;
        if (!words.map || strcmp(words.map_digest, map) != 0) return ABDB_OK;
    }
    TRY(parse_stored_overrides(&words, r->words, err));
    options.words = &words;
    options.format = r->format;
    options.refresh = ABDB_REFRESH_ONLY;
    TRY(reimport_past_import(s, r, &options, err));
done:
    abdb_overrides_free(&words);
    return st;
}

enum { LEFT_SAID = 50 };

/* Why a file is still as an older version read it. */
static void print_why_not_reread(const char *file, const char *overrides_text)
{
    if (strcmp(file, "-") == 0)
        abdb_print_stderr_remark("standard input cannot be read again: left as it was read");
    else if (access(file, R_OK) != 0)
        abdb_print_stderr_remark("%s is not there any more: left as it was read", file);
    else if (*map_digest_in_overrides_text(overrides_text))
        abdb_print_stderr_remark(
            "%s was read with a map of yours: name that with --map FILE; left as it was"
            " read",
            file);
    else
        abdb_print_stderr_remark(
            "%s was not read again (it has other bytes now, or was refused): left as it was"
            " read",
            file);
}

/* Prints which imports --refresh could not read again, such as files that are gone. */
static abdb_status print_imports_still_not_reread(abdb_db *db, const char *path, abdb_error *err)
{
    past_import_list list = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(db,
                     "DELETE FROM temp.again WHERE artifact_id IN (SELECT a.artifact_id"
                     " FROM artifact a JOIN artifact n USING (sha256, format, words)"
                     " WHERE n.importer > a.importer)",
                     err));
    TRY(load_imports_marked_for_reread(db, path, &list, err));
    for (size_t i = 0; i < list.count && i < LEFT_SAID; i++)
        print_why_not_reread(list.item[i].file, list.item[i].words);
    if (list.count > LEFT_SAID)
        abdb_print_stderr_remark("and %zu more: `abdb doctor` counts them", list.count - LEFT_SAID);
done:
    free_past_import_list(&list);
    return st;
}

abdb_status abdb_import_refresh_outdated(import_session *s, abdb_db *db, const char *path,
                                         abdb_error *err)
{
    past_import_list list = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_fill_temp_table_of_outdated_imports(db, err));
    TRY(load_imports_marked_for_reread(db, path, &list, err));
    if (!list.count)
        abdb_print_stderr_remark("nothing to read again: this version read every file%s%s",
                                 path ? " in " : "", path ? path : "");
    for (size_t i = 0; i < list.count; i++)
        TRY(reimport_outdated_if_possible(s, &list.item[i], err));
    if (!s->options->dry_run) TRY(print_imports_still_not_reread(db, path, err));
done:
    free_past_import_list(&list);
    return st;
}
