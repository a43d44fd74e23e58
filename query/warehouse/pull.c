/* pull.c - facts of a warehouse as a database; see pull.h. */
#include "query/warehouse/pull.h"

#include <stdlib.h>
#include <string.h>

#include "query/answer/output.h"
#include "query/warehouse/encode_rows.h"

/* Tables in the order of the transfer; with the columns of the database, except local
 * ones. */
static const char *const always[] = {"spec", "price", NULL};
static const char *const entries[] = {
    "artifact",    "note",    "origin",   "fact",      "description", "point", "point_factor",
    "environment", "process", "quantity", "entry_row", "witness_row", "part",  NULL};
static const char *const full[] = {"reject", "telemetry", "span", "rank", NULL};

/* A statement that adds rows to a table, and the types of its columns. */
typedef struct {
    abdb_db *db;
    const char *table;
    sqlite3_stmt *insert;
    const char *column[ABDB_LINK_WORDS + 1]; /* behind the table's name; of the arena */
    char type[ABDB_LINK_WORDS];              /* 'I', 'R' or 'T' */
    int columns;
    abdb_arena arena;
} row_inserter;

static void row_inserter_close(row_inserter *t)
{
    sqlite3_finalize(t->insert);
    abdb_arena_free(&t->arena);
}

/* Prepares the insertion of rows into a local table, without the skipped columns. */
static abdb_status row_inserter_open(row_inserter *t, abdb_db *db, const char *table,
                                     const char *skipped_columns, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    abdb_text sql = {0}, values = {0};
    char *query = sqlite3_mprintf("SELECT name, type FROM pragma_table_info(%Q)", table);
    abdb_status st = ABDB_OK;

    *t = (row_inserter){.db = db, .table = table};
    if (!query || sqlite3_prepare_v2(db->sql, query, -1, &s, NULL) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, table));
    while (sqlite3_step(s) == SQLITE_ROW && t->columns < ABDB_LINK_WORDS - 1) {
        const char *name = abdb_sql_text_or_empty(s, 0);

        if (skipped_columns && abdb_list_has_word(skipped_columns, ' ', name, strlen(name)))
            continue;
        t->type[t->columns] = *abdb_sql_text_or_empty(s, 1);
        abdb_text_printf(&sql, "%s\"%s\"", t->columns ? ", " : "", name);
        abdb_text_printf(&values, "%s?%d", t->columns ? ", " : "", t->columns + 1);
        t->column[t->columns] = abdb_arena_copy(&t->arena, name, strlen(name));
        if (!t->column[t->columns++]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", table));
    }
    if (sqlite3_reset(s) != SQLITE_OK) TRY(abdb_db_report_sqlite_error(db, err, table));
    sqlite3_finalize(s);
    s = NULL;
    sqlite3_free(query);
    /* not OR IGNORE, which would pass over a NULL where none may be */
    query = sqlite3_mprintf("INSERT INTO main.%w (%s) VALUES (%s) ON CONFLICT DO NOTHING", table,
                            abdb_text_get(&sql), abdb_text_get(&values));
    if (!query || sqlite3_prepare_v2(db->sql, query, -1, &t->insert, NULL) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, table));
done:
    sqlite3_finalize(s);
    sqlite3_free(query);
    abdb_text_free(&sql);
    abdb_text_free(&values);
    return st;
}

/* Binds a word as a column of that type. ABDB_IO: it is none of that type. A store writes numbers
 * without thousands marks. */
static abdb_status bind_text_as_type(sqlite3_stmt *s, int parameter, char type, const char *word,
                                     abdb_error *err)
{
    abdb_number number = {0};

    if (word && type != 'T' && !strchr(word, ','))
        number = abdb_number_parse(word, ABDB_MARK_POINT);
    if (!word)
        sqlite3_bind_null(s, parameter);
    else if (type == 'I' && number.is_whole)
        sqlite3_bind_int64(s, parameter, number.whole);
    else if (type == 'R' && number.found)
        sqlite3_bind_double(s, parameter, number.value);
    else if (type == 'T')
        sqlite3_bind_text(s, parameter, word, -1, SQLITE_STATIC);
    else
        return ABDB_FAIL(err, ABDB_IO, "the store answered '%.40s' where a number belongs", word);
    return ABDB_OK;
}

/* Why a row that the store gave could not be added. */
static abdb_status fail_with_rejected_store_row(abdb_db *db, abdb_error *err, const char *table)
{
    if ((sqlite3_extended_errcode(db->sql) & 0xff) != SQLITE_CONSTRAINT)
        return abdb_db_report_sqlite_error(db, err, table);
    return ABDB_FAIL(err, ABDB_IO, "the store answered a row of %s that cannot be: %s", table,
                     sqlite3_errmsg(db->sql));
}

/* Asks for the columns of the target, which stand in the answer in its order. */
static abdb_status request_table_columns(abdb_store_client *link, const row_inserter *t,
                                         abdb_error *err)
{
    const char *more[ABDB_LINK_WORDS + 2] = {t->table};

    for (int i = 0; i < t->columns; i++) more[i + 1] = t->column[i];
    abdb_store_start_request(link, "fetch", more);
    link->most = ABDB_LINK_ANY;
    return abdb_store_end_and_flush_request(link, false, err);
}

/* Asks the store for a table, without the columns in leave, and inserts its rows. */
static abdb_status fetch_and_insert_table_rows(abdb_store_client *link, abdb_db *db,
                                               const char *table, const char *skipped_columns,
                                               abdb_error *err)
{
    row_inserter t;
    bool more = true;
    abdb_status st = row_inserter_open(&t, db, table, skipped_columns, err);

    if (st == ABDB_OK) st = request_table_columns(link, &t, err);
    while (st == ABDB_OK && more) {
        st = abdb_store_read_row_or_final_answer(link, &more, err);
        if (st == ABDB_OK && more) st = abdb_store_require_columns(link, t.columns, err);
        if (st != ABDB_OK || !more) break;
        for (int i = 0; i < t.columns && st == ABDB_OK; i++)
            st = bind_text_as_type(t.insert, i + 1, t.type[i], link->word[i], err);
        if (st == ABDB_OK && sqlite3_step(t.insert) != SQLITE_DONE)
            st = fail_with_rejected_store_row(db, err, table);
        sqlite3_reset(t.insert);
    }
    row_inserter_close(&t);
    return st;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* The next element of an array "{a,"b",NULL}", from *at on, into out, which has room for the rest
 * of the array; NULL: the element is, or there is no array. */
static const char *next_postgres_array_element(const char **at, char *out)
{
    const char *in = *at;
    bool quoted;
    char *end = out;

    if (!in || *in == '\0' || *in == '}') return NULL;
    in += *in == '{' || *in == ',';
    quoted = *in == '"';
    in += quoted;
    while (*in && (quoted ? *in != '"' : *in != ',' && *in != '}')) {
        in += quoted && *in == '\\' && in[1];
        *end++ = *in++;
    }
    *end = '\0';
    *at = in + (quoted && *in == '"');
    return !quoted && strcmp(out, "NULL") == 0 ? NULL : out;
}

/* The arrays of one result as rows, and where they stand into temp.lies. */
static abdb_status insert_sample_arrays_and_id_range(abdb_db *db, char *const result_columns[6],
                                                     sqlite3_stmt *insert_sample,
                                                     sqlite3_stmt *insert_id_range,
                                                     sqlite3_int64 *last, abdb_error *err)
{
    static const char types[] = "RRIT";
    const char *at[4];
    size_t size = 1;
    char *room;
    sqlite3_int64 first = *last + 1;
    abdb_status st = ABDB_OK;

    for (int k = 2; k < 6; k++) size += strlen(result_columns[k] ? result_columns[k] : "");
    room = malloc(size);
    if (!room) return ABDB_FAIL(err, ABDB_NOMEM, "samples");
    for (int k = 0; k < 4; k++) at[k] = result_columns[k + 2];
    while (at[0] && *at[0] && *at[0] != '}') {
        sqlite3_bind_int64(insert_sample, 1, ++*last);
        for (int k = 0; k < 4; k++) {
            const char *text = next_postgres_array_element(&at[k], room);

            if (text && types[k] == 'T')
                sqlite3_bind_text(insert_sample, k + 2, text, -1, SQLITE_TRANSIENT);
            else
                TRY(bind_text_as_type(insert_sample, k + 2, types[k], text, err));
        }
        if (sqlite3_step(insert_sample) != SQLITE_DONE)
            TRY(fail_with_rejected_store_row(db, err, "samples"));
        sqlite3_reset(insert_sample);
    }
    TRY(bind_text_as_type(insert_id_range, 1, 'I', result_columns[0], err));
    TRY(bind_text_as_type(insert_id_range, 2, 'I', result_columns[1], err));
    sqlite3_bind_int64(insert_id_range, 3, first);
    sqlite3_bind_int64(insert_id_range, 4, *last);
    if (sqlite3_step(insert_id_range) != SQLITE_DONE)
        TRY(fail_with_rejected_store_row(db, err, "samples"));
    sqlite3_reset(insert_id_range);
done:
    free(room);
    return st;
}

/* Samples come first: results refer to their rows. */
static abdb_status fetch_and_insert_sample_rows(abdb_store_client *link, abdb_db *db,
                                                abdb_error *err)
{
    static const char *const columns[] = {"sample_row", "entry_id", "ordinal", "value",
                                          "t_s",        "mpi_rank", "mark",    NULL};
    sqlite3_stmt *sample = NULL, *lies = NULL;
    sqlite3_int64 last = 0;
    bool more = true;
    abdb_status st = ABDB_OK;

    if (sqlite3_prepare_v2(db->sql, "INSERT INTO main.sample_row VALUES (?1, ?2, ?3, ?4, ?5)", -1,
                           &sample, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db->sql, "INSERT INTO temp.lies VALUES (?1, ?2, ?3, ?4)", -1, &lies,
                           NULL) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, "samples"));
    abdb_store_start_request(link, "fetch", columns);
    link->most = ABDB_LINK_ANY;
    TRY(abdb_store_end_and_flush_request(link, false, err));
    while (more) {
        TRY(abdb_store_read_row_or_final_answer(link, &more, err));
        if (!more) break;
        TRY(abdb_store_require_columns(link, 6, err));
        TRY(insert_sample_arrays_and_id_range(db, link->word, sample, lies, &last, err));
    }
done:
    sqlite3_finalize(sample);
    sqlite3_finalize(lies);
    return st;
}

/* Fetches each table of the list, with a progress bar. */
static abdb_status fetch_and_insert_tables(abdb_store_client *link, abdb_db *db,
                                           const char *const *list, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (; *list && st == ABDB_OK; list++) {
        abdb_show_or_clear_progress_bar(*list, 0, 0);
        st = fetch_and_insert_table_rows(link, db, *list, NULL, err);
    }
    abdb_show_or_clear_progress_bar("", -1, 0);
    return st;
}

abdb_status abdb_pull_into_database(abdb_store_client *link, abdb_db *db, abdb_pulled extent,
                                    abdb_error *err)
{
    static const char begin[] =
        "PRAGMA synchronous = OFF; CREATE TEMP TABLE lies (entry_id INTEGER, ordinal INTEGER, first"
        " INTEGER, last INTEGER, PRIMARY KEY (entry_id, ordinal)); BEGIN";
    static const char places[] =
        "UPDATE main.result_row SET first_sample = l.first, last_sample = l.last FROM temp.lies l"
        " WHERE l.entry_id = result_row.entry_id AND l.ordinal = result_row.ordinal";
    static const char end[] =
        "INSERT OR REPLACE INTO main.meta VALUES ('stale.names', 'yes'), ('stale.sources', 'yes'),"
        " ('stale.gone', 'yes'); COMMIT; DROP TABLE temp.lies";
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(db, begin, err));
    TRY(fetch_and_insert_tables(link, db, abdb_carry_plain, err));
    TRY(fetch_and_insert_tables(link, db, always, err));
    if (extent >= ABDB_PULL_VALUES) TRY(fetch_and_insert_tables(link, db, entries, err));
    if (extent == ABDB_PULL_ALL) {
        TRY(fetch_and_insert_tables(link, db, full, err));
        TRY(fetch_and_insert_sample_rows(link, db, err));
    }
    if (extent >= ABDB_PULL_VALUES)
        TRY(fetch_and_insert_table_rows(link, db, "result_row", "first_sample last_sample", err));
    if (extent == ABDB_PULL_ALL) TRY(abdb_db_exec(db, places, err));
    TRY(abdb_db_exec(db, end, err));
done:
    if (!sqlite3_get_autocommit(db->sql)) sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    return st;
}
