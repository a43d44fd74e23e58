/* export_records.c - records printed as JSON lines, tables printed as SQL: two of the forms of abdb
 * export; CSV is in export_csv.c. See export_records.h. */
#include "query/export/export_records.h"
#include "query/answer/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/record_json.h"
#include "schema/store/schema_check.h"
#include "schema/store/scan.h"

static abdb_status write_buffered_record_text(abdb_export *e, abdb_error *err)
{
    if (e->text.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a record");
    if (!abdb_write_sanitized_if_terminal(e->out, abdb_text_get(&e->text), e->text.size))
        return ABDB_FAIL(err, ABDB_IO, "cannot write: the disk is full, or the pipe was closed");
    return ABDB_OK;
}

static abdb_status write_entry_as_json_line(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_export *e = self;

    abdb_text_clear(&e->text);
    abdb_entry_append_json_line(&e->text, entry);
    return write_buffered_record_text(e, err);
}

static abdb_status write_fact_as_json_line(void *self, const abdb_fact *fact, abdb_error *err)
{
    abdb_export *e = self;

    abdb_text_clear(&e->text);
    abdb_fact_append_json_line(&e->text, fact);
    return write_buffered_record_text(e, err);
}

abdb_sink abdb_jsonl_sink(abdb_export *e)
{
    return (abdb_sink){e, write_entry_as_json_line, write_fact_as_json_line,
                       abdb_sink_ignore_reject, abdb_sink_ignore_row_end};
}

abdb_status abdb_export_records_to_sink(abdb_db *db, const char *entries, abdb_redaction *redaction,
                                        const abdb_sink *sink, abdb_error *err)
{
    return redaction ? abdb_redaction_pass_records_to_sink(redaction, entries, sink, err)
                     : abdb_store_scan_into_sink(db, entries, sink, err);
}

/* --- SQL -------------------------------------------------------------------------------------- */

/* A statement; on a terminal one line, whatever its literals hold. */
static void print_sql_statement(FILE *out, const char *sql)
{
    if (abdb_stream_is_terminal_or_paged(out))
        abdb_print_sanitized(out, "%s", sql);
    else
        abdb_write_sanitized_if_terminal(out, sql, strlen(sql));
    fputc('\n', out);
}

/* The rows of one statement, each as a line of text. */
static abdb_status print_first_column_of_query_rows(abdb_db *db, const char *sql, FILE *out,
                                                    abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL);

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code == SQLITE_ROW) print_sql_statement(out, abdb_sql_text_or_empty(s, 0));
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_report_sqlite_error(db, err, sql);
}

/* INSERT statements of a table: its columns by quote(), which keeps type and digits. */
static abdb_status print_table_inserts(abdb_db *db, const char *table, FILE *out, abdb_error *err)
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
        abdb_text_printf(&sql, "%squote(\"%s\")", first ? "" : " || ',' || ",
                         abdb_sql_text_or_empty(s, 0));
        first = false;
    }
    sqlite3_finalize(s);
    abdb_text_printf(&sql, " || ');' FROM \"%s\"", table);
    if (code != SQLITE_DONE) TRY(abdb_db_report_sqlite_error(db, err, table));
    TRY(print_first_column_of_query_rows(db, abdb_text_get(&sql), out, err));
done:
    abdb_text_free(&sql);
    return st;
}

static void print_embedded_sql(const abdb_embedded *file, FILE *out)
{
    for (; file->name; file++)
        abdb_write_sanitized_if_terminal(out, file->text, strlen(file->text));
}

/* The rows of abdb's tables; the descriptions of columns are printed with the views. */
static abdb_status print_all_table_inserts(abdb_db *db, FILE *out, abdb_error *err)
{
    static const char each[] = "SELECT value FROM json_each(?1) WHERE value <> 'column_doc'";
    abdb_text names = {0};
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;
    int code;

    abdb_schema_append_names_as_json(false, &names);
    if (names.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "tables"));
    code = sqlite3_prepare_v2(db->sql, each, -1, &s, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_text(s, 1, abdb_text_get(&names), -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        while ((code = sqlite3_step(s)) == SQLITE_ROW)
            TRY(print_table_inserts(db, abdb_sql_text_or_empty(s, 0), out, err));
    if (code != SQLITE_DONE) st = abdb_db_report_sqlite_error(db, err, "tables");
done:
    sqlite3_finalize(s);
    abdb_text_free(&names);
    return st;
}

abdb_status abdb_export_database_as_sql(abdb_db *db, FILE *out, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    fputs("PRAGMA foreign_keys = OFF;\nBEGIN;\n", out);
    print_embedded_sql(abdb_schema_ddl_files(), out);
    TRY(print_all_table_inserts(db, out, err));
    print_embedded_sql(abdb_views, out);
    abdb_print_sanitized(out, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\nCOMMIT;\n",
                         ABDB_APPLICATION_ID, abdb_schema_version());
    errno = 0;
    if (fflush(out) != 0 || ferror(out))
        st = ABDB_FAIL(err, ABDB_IO, "cannot write the whole of it: %s",
                       errno ? strerror(errno) : "the disk is full, or the pipe was closed");
done:
    return st;
}
