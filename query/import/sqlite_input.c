/* sqlite_input.c - the rows of a table of an SQLite database, as JSON lines; see sqlite_input.h. */
#include "query/import/sqlite_input.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "schema/functions/authorizer.h"

static const char magic[] = "SQLite format 3";

bool abdb_input_is_llama_bench_database(const abdb_input *in)
{
    enum { HEAD = 1 << 16 }; /* the statements that made the tables stand on the first page */
    size_t size = in->size < HEAD ? in->size : HEAD;

    return size > sizeof magic && memcmp(in->data, magic, sizeof magic) == 0 &&
           memmem(in->data, size, "build_commit", 12) && memmem(in->data, size, "n_prompt", 8) &&
           memmem(in->data, size, "avg_ts", 6);
}

static json_t *column_to_json(sqlite3_stmt *s, int column)
{
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(s, column));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(s, column));
    case SQLITE_TEXT: return json_string(abdb_sql_text_or_empty(s, column));
    default: return json_null();
    }
}

/* Appends the row at hand as a line of JSON, each column under its name. False: no memory. */
static bool append_row_as_json_line(abdb_text *out, sqlite3_stmt *s)
{
    json_t *row = json_object();
    char *line;

    for (int i = 0; i < sqlite3_column_count(s); i++) {
        const char *name = sqlite3_column_name(s, i);

        if (name) json_object_set_new(row, name, column_to_json(s, i));
    }
    line = json_dumps(row, JSON_COMPACT);
    if (line) abdb_text_printf(out, "%s\n", line);
    json_decref(row);
    free(line);
    return line && !out->failed;
}

/* Has the statement the columns by which a table of llama-bench is recognised? */
static bool has_llama_bench_columns(sqlite3_stmt *s)
{
    static const char *const names[] = {"build_commit", "n_prompt", "avg_ts"};
    size_t found = 0;

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            const char *name = sqlite3_column_name(s, i);

            found += name && strcmp(name, names[k]) == 0;
        }
    return found == sizeof names / sizeof names[0];
}

/* All rows of all tables that have the columns, one table behind the other. Returns SQLite's code.
 */
static int append_rows_of_llama_bench_tables(sqlite3 *db, abdb_text *out)
{
    static const char tables[] = "SELECT name FROM sqlite_schema WHERE type = 'table'"
                                 " AND sql LIKE 'CREATE TABLE%' ORDER BY rowid";
    sqlite3_stmt *table = NULL, *row = NULL;
    int code = sqlite3_prepare_v2(db, tables, -1, &table, NULL);

    while (code == SQLITE_OK && (code = sqlite3_step(table)) == SQLITE_ROW) {
        char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", abdb_sql_text_or_empty(table, 0));

        code = sql ? sqlite3_prepare_v2(db, sql, -1, &row, NULL) : SQLITE_NOMEM;
        sqlite3_free(sql);
        while (code == SQLITE_OK && has_llama_bench_columns(row) &&
               (code = sqlite3_step(row)) == SQLITE_ROW)
            code = append_row_as_json_line(out, row) ? SQLITE_OK : SQLITE_NOMEM;
        if (code == SQLITE_DONE) code = SQLITE_OK;
        sqlite3_finalize(row);
        row = NULL;
    }
    sqlite3_finalize(table);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

abdb_status abdb_input_decode_llama_bench_database(abdb_input *in, abdb_error *err)
{
    sqlite3 *db = NULL;
    abdb_text text = {0};
    unsigned char *copy = sqlite3_malloc64(in->size);
    int code = abdb_sql_open_hardened(&db, ":memory:", SQLITE_OPEN_READWRITE);
    abdb_status st = ABDB_OK;

    if (!copy) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a database"));
    memcpy(copy, in->data, in->size);
    if (in->size > 20 && copy[18] == 2) /* a journal that this copy lacks: read the main file */
        copy[18] = copy[19] = 1;
    if (code == SQLITE_OK) {
        code =
            sqlite3_deserialize(db, "main", copy, (sqlite3_int64)in->size, (sqlite3_int64)in->size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
        copy = NULL; /* now the connection's, also on failure */
    }
    if (code == SQLITE_OK) abdb_sql_install_authorizer(db, ABDB_SQL_READING);
    if (code == SQLITE_OK) code = append_rows_of_llama_bench_tables(db, &text);
    if (code == SQLITE_NOMEM || text.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a database"));
    if (code != SQLITE_OK)
        TRY(ABDB_FAIL(err, ABDB_DATA, "an SQLite database that is damaged: %s",
                      sqlite3_errstr(code)));
    free(in->decoded);
    in->decoded = malloc(text.size + 1);
    if (!in->decoded) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a database"));
    memcpy(in->decoded, abdb_text_get(&text), text.size);
    in->text = in->decoded;
    in->text_size = text.size;
    in->encoding = "UTF-8";
done:
    sqlite3_free(copy);
    sqlite3_close(db);
    abdb_text_free(&text);
    return st;
}
