/* encode_rows.c - rows in the form that every machine shares; see encode_rows.h. */
#include "query/warehouse/encode_rows.h"

#include <string.h>

#include "schema/store/digest.h"

const char *const abdb_carry_plain[] = {
    "source",          "metric",          "factor",      "device",        "model",
    "round",           "alias",           "decoration",  "provider",      "rule",
    "compatibility",   "workload_factor", "spec_order",  "spec_ratio",    "spec_doubt",
    "workload_engine", "score_rule",      "figure_rule", "mark",          "official_result",
    "scenario_limit",  "accept_check",    "fabric",      "exchange_rate", "claim",
    "claim_term",      "withdrawal",      NULL};
const char *const abdb_carry_few[] = {"note", "spec", "price", NULL};
const char *const abdb_carry_many[] = {"environment", "process", "description", "point", NULL};

/* XOR, which SQLite lacks: the bits of either number, less the bits of both. */
#define RESULT_NUMBER(key, ordinal) \
    "((" key " | (" ordinal " << 40)) - (" key " & (" ordinal " << 40)))"

static const struct {
    const char *table, *sql;
} of_entries[] = {
    {"entry_row",
     "SELECT b.number AS entry_id, e.entry_key, e.entry_key_low, d.description_key AS"
     " description_id, p.point_key AS point_id, v.environment_key AS environment_id,"
     " o.process_key AS process_id, e.date, e.cell, e.origin, a.number AS artifact_id, e.line,"
     " e.place FROM temp.batch b CROSS JOIN main.entry_row e ON e.entry_id = b.entry_id"
     " JOIN main.description d ON d.description_id = e.description_id"
     " JOIN main.point p ON p.point_id = e.point_id"
     " LEFT JOIN main.environment v ON v.environment_id = e.environment_id"
     " LEFT JOIN main.process o ON o.process_id = e.process_id"
     " LEFT JOIN temp.artifact_number a ON a.artifact_id = e.artifact_id"},
    {"result_row",
     "SELECT " RESULT_NUMBER(
         "b.number", "r.ordinal") " AS result_id, b.number AS entry_id,"
                                  " r.ordinal, q.number AS quantity_id, r.value, r.raw_value, "
                                  "r.cell, r.mpi_rank, r.x, r.n,"
                                  " r.low, r.high FROM temp.batch b CROSS JOIN main.result_row r "
                                  "ON r.entry_id = b.entry_id"
                                  " JOIN temp.quantity_number q ON q.quantity_id = r.quantity_id"},
    {"telemetry", "SELECT b.number AS entry_id, t.sensor, t.quantity, t.t_s, t.value, t.unit FROM"
                  " temp.batch b CROSS JOIN main.telemetry t ON t.entry_id = b.entry_id"},
    {"span",
     "SELECT b.number AS entry_id, s.place, s.span, s.within, s.kernel, s.provider, s.calls,"
     " s.time_s, s.ops, s.bytes_B FROM temp.batch b CROSS JOIN main.span s"
     " ON s.entry_id = b.entry_id"},
    {"rank",
     "SELECT b.number AS entry_id, k.mpi_rank, k.host, k.device, k.binding FROM temp.batch b"
     " CROSS JOIN main.rank k ON k.entry_id = b.entry_id"},
    /* and, for all at once: */
    {"quantity", "SELECT n.number AS quantity_id, q.metric, q.statistic, q.unit, q.raw_unit,"
                 " q.spread, q.formula FROM main.quantity q JOIN temp.quantity_number n"
                 " ON n.quantity_id = q.quantity_id"},
    {"artifact",
     "SELECT n.number AS artifact_id, a.sha256, a.path, a.format, a.importer, a.words, a.size_B,"
     " a.accepted, a.duplicate, a.rejected, a.ignored, a.imported FROM main.artifact a"
     " JOIN temp.artifact_number n ON n.artifact_id = a.artifact_id"
     " WHERE n.number IN (SELECT number FROM temp.absent)"},
    {"reject", "SELECT n.number AS artifact_id, r.line, r.field, r.reason, r.raw, row_number() OVER"
               " (PARTITION BY r.artifact_id ORDER BY r.rowid) AS place FROM main.reject r"
               " JOIN temp.artifact_number n ON n.artifact_id = r.artifact_id"
               " WHERE n.number IN (SELECT number FROM temp.absent)"},
    {"point_factor", "SELECT p.point_key AS point_id, f.factor, f.state, f.text, f.num, f.unit FROM"
                     " main.point_factor f JOIN main.point p ON p.point_id = f.point_id"
                     " WHERE p.point_key IN (SELECT number FROM temp.absent)"},
    {"origin",
     "SELECT o.kind, coalesce(s.spec_key, p.price_key) AS id, n.number AS artifact_id,"
     " o.locator FROM main.origin o JOIN temp.artifact_number n"
     " ON n.artifact_id = o.artifact_id LEFT JOIN main.spec s ON o.kind = 'spec' AND"
     " s.spec_id = o.id LEFT JOIN main.price p ON o.kind = 'price' AND p.price_id = o.id"},
    {"part", "SELECT w.entry_key AS whole, e.entry_key AS piece, p.role FROM main.part p"
             " JOIN main.entry_row w ON w.entry_id = p.whole"
             " JOIN main.entry_row e ON e.entry_id = p.piece"},
    {"fact", "SELECT f.fact, f.kind, coalesce(s.spec_key, p.price_key, " RESULT_NUMBER(
                 "e.entry_key", "r.ordinal") ") AS id FROM main.fact f"
                                             " LEFT JOIN main.spec s ON f.kind = 'spec' AND"
                                             " s.spec_id = f.id LEFT JOIN main.price p ON f.kind ="
                                             " 'price' AND p.price_id = f.id LEFT JOIN"
                                             " main.result_row r ON f.kind = 'result' AND"
                                             " r.result_id = f.id LEFT JOIN main.entry_row e"
                                             " ON e.entry_id = r.entry_id"},
    {"witness_row",
     "SELECT e.entry_key AS entry_id, n.number AS artifact_id, coalesce(w.line, 0) AS line,"
     " coalesce(w.place, '') AS place FROM (SELECT entry_id, artifact_id, line, place FROM"
     " main.witness_row UNION ALL SELECT entry_id, artifact_id, line, place FROM main.entry_row"
     " WHERE artifact_id IS NOT NULL AND entry_id NOT IN (SELECT entry_id FROM temp.pushed)) w"
     " JOIN main.entry_row e ON e.entry_id = w.entry_id"
     " JOIN temp.artifact_number n ON n.artifact_id = w.artifact_id"
     " WHERE n.number IN (SELECT number FROM temp.absent)"},
    {"witnessed",
     "SELECT n.number AS artifact_id, count(*) AS places, sum((e.entry_key & 0xffffffff) +"
     " coalesce(w.line, 0) + length(coalesce(w.place, ''))) AS total FROM (SELECT entry_id,"
     " artifact_id, line, place FROM main.witness_row UNION ALL SELECT entry_id, artifact_id, line,"
     " place FROM main.entry_row WHERE artifact_id IS NOT NULL) w"
     " JOIN main.entry_row e ON e.entry_id = w.entry_id"
     " JOIN temp.artifact_number n ON n.artifact_id = w.artifact_id GROUP BY 1"},
};

const char *abdb_encoding_sql_of_table(const char *table)
{
    for (size_t i = 0; i < sizeof of_entries / sizeof of_entries[0]; i++)
        if (strcmp(of_entries[i].table, table) == 0) return of_entries[i].sql;
    return NULL;
}

/* carry_number(TEXT, ...): the first 63 bits of the digest of its arguments. */
static void sql_digest_number(sqlite3_context *context, int count, sqlite3_value **value)
{
    abdb_text text = {0};

    for (int i = 0; i < count; i++) {
        const char *word = (const char *)sqlite3_value_text(value[i]);

        abdb_text_puts(&text, word ? "\x1f" : "\x1e");
        abdb_text_puts(&text, word ? word : "");
    }
    if (text.failed)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_int64(context,
                             abdb_sha256_key_of_bytes(abdb_text_get(&text), text.size).high);
    abdb_text_free(&text);
}

abdb_status abdb_create_temp_encoding_tables_and_function(abdb_db *db, abdb_error *err)
{
    static const char numbers[] =
        "CREATE TEMP TABLE artifact_number AS SELECT artifact_id, carry_number(sha256, format,"
        "  words, importer) AS number FROM main.artifact;"
        "CREATE UNIQUE INDEX temp.artifact_number_id ON artifact_number (artifact_id);"
        "CREATE TEMP TABLE quantity_number AS SELECT quantity_id, carry_number(metric, statistic,"
        "  unit, raw_unit, spread, formula) AS number FROM main.quantity;"
        "CREATE UNIQUE INDEX temp.quantity_number_id ON quantity_number (quantity_id);"
        "CREATE TEMP TABLE absent (number INTEGER PRIMARY KEY);"
        "CREATE TEMP TABLE batch (entry_id INTEGER PRIMARY KEY, number INTEGER);"
        "CREATE TEMP TABLE pushed (entry_id INTEGER PRIMARY KEY);"
        "ANALYZE temp";

    if (sqlite3_create_function_v2(db->sql, "carry_number", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   NULL, sql_digest_number, NULL, NULL, NULL) != SQLITE_OK)
        return abdb_db_report_sqlite_error(db, err, "carry_number");
    return abdb_db_exec(db, numbers, err);
}

char *abdb_build_keyed_table_sql(abdb_db *db, const char *table, const char *where)
{
    char *query = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", table), *sql = NULL;
    abdb_text columns = {0};
    sqlite3_stmt *s = NULL;
    size_t size = strlen(table);
    int code = query ? sqlite3_prepare_v2(db->sql, query, -1, &s, NULL) : SQLITE_NOMEM;

    while (s && (code = sqlite3_step(s)) == SQLITE_ROW) {
        const char *name = abdb_sql_text_or_empty(s, 0);
        bool number = strncmp(name, table, size) == 0 && strcmp(name + size, "_id") == 0;

        abdb_text_puts(&columns, columns.size ? ", " : "");
        if (number) abdb_text_printf(&columns, "%s_key AS ", table);
        abdb_text_puts(&columns, name);
    }
    if (code == SQLITE_DONE && columns.size && !columns.failed)
        sql = sqlite3_mprintf("SELECT %s FROM main.%w %s", abdb_text_get(&columns), table, where);
    sqlite3_finalize(s);
    sqlite3_free(query);
    abdb_text_free(&columns);
    return sql;
}

/* Adds one value as a word of a row. ABDB_DATA: a text with a NUL byte in it, which no text of a
 * warehouse can have. */
static abdb_status append_sql_value_wire_escaped(abdb_text *row, sqlite3_stmt *s, int column,
                                                 const char *table, abdb_error *err)
{
    char digits[32];
    const char *text;
    size_t size;

    switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL: abdb_text_puts(row, "\\N"); break;
    case SQLITE_INTEGER:
        abdb_text_add(row, digits, abdb_format_integer(sqlite3_column_int64(s, column), digits));
        break;
    case SQLITE_FLOAT:
        abdb_format_double_17_digits(sqlite3_column_double(s, column), digits);
        abdb_text_puts(row, digits);
        break;
    default:
        text = abdb_sql_text_or_empty(s, column);
        size = (size_t)sqlite3_column_bytes(s, column);
        if (memchr(text, '\0', size))
            return ABDB_FAIL(err, ABDB_DATA, "%s.%s: a text has a NUL byte in it", table,
                             sqlite3_column_name(s, column));
        abdb_append_wire_escaped(row, text, size);
    }
    return ABDB_OK;
}

/* WORD TABLE and the columns of a statement. */
static void start_request_for_columns(abdb_store_client *link, sqlite3_stmt *s, const char *request,
                                      const char *table)
{
    const char *more[ABDB_LINK_WORDS + 2] = {table};
    int count = sqlite3_column_count(s);

    for (int i = 0; i < count && i < ABDB_LINK_WORDS; i++) more[i + 1] = sqlite3_column_name(s, i);
    abdb_store_start_request(link, request, more);
}

abdb_status abdb_send_encoded_rows(abdb_store_client *link, abdb_db *db, const char *request,
                                   const char *table, const char *sql, long long *rows,
                                   abdb_error *err)
{
    abdb_text row = {0};
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL);
    abdb_status st = ABDB_OK;

    *rows = 0;
    if (code != SQLITE_OK) return abdb_db_report_sqlite_error(db, err, table);
    start_request_for_columns(link, s, request, table);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        abdb_text_clear(&row);
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            if (i) abdb_text_add(&row, "\t", 1);
            TRY(append_sql_value_wire_escaped(&row, s, i, table, err));
        }
        abdb_text_add(&row, "\n", 1);
        TRY(abdb_store_send_row(link, &row, err));
        (*rows)++;
    }
    if (code != SQLITE_DONE) TRY(abdb_db_report_sqlite_error(db, err, table));
    TRY(abdb_store_end_and_flush_request(link, true, err));
done:
    sqlite3_finalize(s);
    abdb_text_free(&row);
    return st;
}

/* --- samples ---------------------------------------------------------------------------------- */

enum { VALUE, TIME, RANK, MARK, ARRAYS };

/* Adds one element to an array; a text is quoted there. */
static void append_postgres_array_element(abdb_text *array, sqlite3_stmt *s, int column,
                                          bool *any_not_null)
{
    char digits[32];

    abdb_text_add(array, array->size ? "," : "{", 1);
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL: abdb_text_puts(array, "NULL"); return;
    case SQLITE_INTEGER:
        abdb_text_add(array, digits, abdb_format_integer(sqlite3_column_int64(s, column), digits));
        break;
    case SQLITE_FLOAT:
        abdb_format_double_17_digits(sqlite3_column_double(s, column), digits);
        abdb_text_puts(array, digits);
        break;
    default:
        abdb_text_puts(array, "\"");
        for (const char *at = abdb_sql_text_or_empty(s, column); *at; at++) {
            if (*at == '"' || *at == '\\') abdb_text_puts(array, "\\");
            abdb_text_add(array, at, 1);
        }
        abdb_text_puts(array, "\"");
    }
    *any_not_null = true;
}

/* The samples of one result, with the columns that have a value. */
static abdb_status send_samples_of_result_as_arrays(abdb_store_client *link, abdb_db *db,
                                                    sqlite3_stmt *result, sqlite3_stmt *sample,
                                                    abdb_text *row, abdb_text array[ARRAYS],
                                                    abdb_error *err)
{
    bool any_not_null[ARRAYS] = {false};

    for (int k = 0; k < ARRAYS; k++) abdb_text_clear(&array[k]);
    sqlite3_bind_int64(sample, 1, sqlite3_column_int64(result, 2));
    sqlite3_bind_int64(sample, 2, sqlite3_column_int64(result, 3));
    while (sqlite3_step(sample) == SQLITE_ROW)
        for (int k = 0; k < ARRAYS; k++)
            append_postgres_array_element(&array[k], sample, k, &any_not_null[k]);
    if (sqlite3_reset(sample) != SQLITE_OK) return abdb_db_report_sqlite_error(db, err, "samples");
    if (!any_not_null[VALUE]) return ABDB_OK;
    abdb_text_clear(row);
    abdb_text_printf(row, "%lld\t%lld", (long long)sqlite3_column_int64(result, 0),
                     (long long)sqlite3_column_int64(result, 1));
    for (int k = 0; k < ARRAYS; k++) {
        abdb_text_puts(row, "\t");
        abdb_text_puts(&array[k], "}");
        if (!any_not_null[k])
            abdb_text_puts(row, "\\N");
        else
            abdb_append_wire_escaped(row, abdb_text_get(&array[k]), array[k].size);
    }
    abdb_text_puts(row, "\n");
    return abdb_store_send_row(link, row, err);
}

abdb_status abdb_send_encoded_samples_of_batch(abdb_store_client *link, abdb_db *db,
                                               long long *rows, abdb_error *err)
{
    static const char *const columns[] = {"sample_row", "entry_id", "ordinal", "value",
                                          "t_s",        "mpi_rank", "mark",    NULL};
    static const char results[] =
        "SELECT b.number, r.ordinal, r.first_sample, r.last_sample FROM temp.batch b CROSS JOIN"
        " main.result_row r ON r.entry_id = b.entry_id WHERE r.first_sample IS NOT NULL";
    static const char samples[] = "SELECT value, t_s, mpi_rank, mark FROM main.sample_row WHERE"
                                  " sample_id BETWEEN ?1 AND ?2 ORDER BY sample_id";
    sqlite3_stmt *result = NULL, *sample = NULL;
    abdb_text row = {0}, array[ARRAYS] = {{0}};
    int code = sqlite3_prepare_v2(db->sql, results, -1, &result, NULL);
    abdb_status st = ABDB_OK;

    *rows = 0;
    if (code == SQLITE_OK) code = sqlite3_prepare_v2(db->sql, samples, -1, &sample, NULL);
    if (code != SQLITE_OK) TRY(abdb_db_report_sqlite_error(db, err, "samples"));
    abdb_store_start_request(link, "copy", columns);
    while ((code = sqlite3_step(result)) == SQLITE_ROW) {
        TRY(send_samples_of_result_as_arrays(link, db, result, sample, &row, array, err));
        *rows += sqlite3_column_int64(result, 3) - sqlite3_column_int64(result, 2) + 1;
    }
    if (code != SQLITE_DONE) TRY(abdb_db_report_sqlite_error(db, err, "samples"));
    TRY(abdb_store_end_and_flush_request(link, true, err));
done:
    sqlite3_finalize(result);
    sqlite3_finalize(sample);
    abdb_text_free(&row);
    for (int k = 0; k < ARRAYS; k++) abdb_text_free(&array[k]);
    return st;
}
