/* exporting.c - records printed, and redacted; see exporting.h. */
#include "query/exporting.h"
#include "query/say.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schema/core/record_json.h"
#include "schema/store/shape.h"

static abdb_status write_text(abdb_export *e, abdb_error *err)
{
    if (e->text.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a record");
    if (!abdb_put(e->out, abdb_text_get(&e->text), e->text.size))
        return ABDB_FAIL(err, ABDB_IO, "cannot write: the disk is full, or the pipe was closed");
    return ABDB_OK;
}

static abdb_status json_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_export *e = self;

    abdb_text_clear(&e->text);
    abdb_entry_json(&e->text, entry);
    return write_text(e, err);
}

static abdb_status json_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    abdb_export *e = self;

    abdb_text_clear(&e->text);
    abdb_fact_json(&e->text, fact);
    return write_text(e, err);
}

abdb_sink abdb_export_jsonl(abdb_export *e)
{
    return (abdb_sink){e, json_entry, json_fact, abdb_sink_no_reject, abdb_sink_no_row_end};
}

/* --- redacting ----------------------------------------------------------------------------------
 */

/* Factors that name a host, a person or their folders. */
static bool is_private(const char *name)
{
    static const char *const words[] = {"host_name", "hostname",     "user",           "user_name",
                                        "username",  "executable",   "working_dir",    "cwd",
                                        "file_name", "filename",     "model_filename", "path",
                                        "command",   "command_line", "node_name"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(name, words[i]) == 0) return true;
    return false;
}

/* Hosts become "host 1", "host 2", ... in the order of the ranks. False: no memory. */
static bool number_hosts(abdb_entry *entry, abdb_arena *arena)
{
    const abdb_rank *named = entry->rank;
    abdb_rank *rank = abdb_arena_alloc(arena, entry->ranks * sizeof *rank);
    size_t hosts = 0;

    for (size_t i = 0; rank && i < entry->ranks; i++) {
        size_t same = 0;

        while (same < i && strcmp(named[same].host, named[i].host) != 0) same++;
        rank[i] = named[i];
        rank[i].host = same < i ? rank[same].host : abdb_arena_printf(arena, "host %zu", ++hosts);
        if (!rank[i].host) return false;
    }
    entry->rank = rank;
    return rank != NULL;
}

static abdb_status redact_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_export *e = self;
    abdb_arena arena = {0};
    abdb_status st;

    e->entry = *entry;
    e->entry.factors = 0;
    for (size_t i = 0; i < entry->factors; i++) {
        bool home = entry->factor[i].text && strstr(entry->factor[i].text, "/home/");

        if (is_private(entry->factor[i].name) || home)
            e->left_out++;
        else
            e->entry.factor[e->entry.factors++] = entry->factor[i];
    }
    st = number_hosts(&e->entry, &arena) ? e->next->entry(e->next->self, &e->entry, err)
                                         : ABDB_FAIL(err, ABDB_NOMEM, "ranks");
    abdb_arena_free(&arena);
    return st;
}

static abdb_status pass_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    abdb_export *e = self;

    return e->next->fact(e->next->self, fact, err);
}

static abdb_status pass_row_end(void *self, abdb_error *err)
{
    abdb_export *e = self;

    return e->next->row_end(e->next->self, err);
}

abdb_sink abdb_export_redact(abdb_export *e, const abdb_sink *next)
{
    e->next = next;
    return (abdb_sink){e, redact_entry, pass_fact, abdb_sink_no_reject, pass_row_end};
}

/* --- SQL ----------------------------------------------------------------------------------------
 */

/* A statement; on a terminal one line, whatever its literals hold. */
static void print_line(FILE *out, const char *sql)
{
    if (abdb_is_screen(out))
        abdb_say(out, "%s", sql);
    else
        abdb_put(out, sql, strlen(sql));
    fputc('\n', out);
}

/* The rows of one statement, each as a line of text. */
static abdb_status print_rows(abdb_db *db, const char *sql, FILE *out, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL);

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code == SQLITE_ROW) print_line(out, abdb_sql_text(s, 0));
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(db, err, sql);
}

/* INSERT statements of a table: its columns by quote(), which keeps type and digits. */
static abdb_status print_table(abdb_db *db, const char *table, FILE *out, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    abdb_text sql = {0};
    int code = sqlite3_prepare_v2(db->sql, "SELECT name FROM pragma_table_info(?)", -1, &s, NULL);
    bool first = true;
    abdb_status st = ABDB_OK;

    abdb_text_printf(&sql, "SELECT 'INSERT INTO \"%s\" VALUES(' || ", table);
    if (code == SQLITE_OK) sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code != SQLITE_ROW) break;
        abdb_text_printf(&sql, "%squote(\"%s\")", first ? "" : " || ',' || ", abdb_sql_text(s, 0));
        first = false;
    }
    sqlite3_finalize(s);
    abdb_text_printf(&sql, " || ');' FROM \"%s\"", table);
    if (code != SQLITE_DONE) TRY(abdb_db_fail(db, err, table));
    TRY(print_rows(db, abdb_text_get(&sql), out, err));
done:
    abdb_text_free(&sql);
    return st;
}

static void print_files(const abdb_embedded *file, FILE *out)
{
    for (; file->name; file++) abdb_put(out, file->text, strlen(file->text));
}

abdb_status abdb_export_sql(abdb_db *db, FILE *out, abdb_error *err)
{
    char *table[64];
    size_t count = 0;
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;
    int code = sqlite3_prepare_v2(db->sql,
                                  "SELECT name FROM main.sqlite_schema WHERE type = 'table'"
                                  " AND name <> 'column_doc' ORDER BY rowid",
                                  -1, &s, NULL);

    while (count < 64 && (code == SQLITE_OK || code == SQLITE_ROW)) {
        code = sqlite3_step(s);
        if (code == SQLITE_ROW && abdb_shape_owns(abdb_sql_text(s, 0)))
            table[count++] = strdup(abdb_sql_text(s, 0));
        else if (code != SQLITE_ROW)
            break;
    }
    sqlite3_finalize(s);
    if (code != SQLITE_DONE) TRY(abdb_db_fail(db, err, "tables"));
    fputs("PRAGMA foreign_keys = OFF;\nBEGIN;\n", out);
    print_files(abdb_schema_ddl(), out);
    for (size_t i = 0; i < count; i++)
        if (table[i]) TRY(print_table(db, table[i], out, err));
    print_files(abdb_views, out);
    fprintf(out, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\nCOMMIT;\n",
            ABDB_APPLICATION_ID, abdb_schema_version());
    if (fflush(out) != 0 || ferror(out))
        st = ABDB_FAIL(err, ABDB_IO, "cannot write the whole of it");
done:
    for (size_t i = 0; i < count; i++) free(table[i]);
    return st;
}
