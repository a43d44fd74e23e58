/* csv.c - abdb_csv(path): delimited text as rows, by libcsv; see table_functions.h. */
#include <string.h>

#include "ingest/importer.h"
#include "ingest/read/csv.h"
#include "query/sql_tables/table_functions.h"
#include "schema/core/outguard.h"

typedef struct {
    abdb_table *out;
    abdb_csv_header header;
    abdb_text text;
} reader;

static abdb_status store_built_text_in_cell(reader *r, abdb_value *row, size_t column,
                                            abdb_error *err)
{
    row[column].kind = ABDB_STRING;
    row[column].text = abdb_arena_copy(&r->out->arena, abdb_text_get(&r->text), r->text.size);
    return row[column].text && !r->text.failed ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a record");
}

/* Columns that have a name become members; a name that comes again gets its number: "x", "x 2". */
static void build_record_json_in_buffer(reader *r, const abdb_csv_row *row)
{
    abdb_text_clear(&r->text);
    abdb_text_puts(&r->text, "{");
    for (size_t i = 0; i < row->count && i < r->header.count; i++) {
        size_t same = 1;
        char name[256];

        for (size_t k = 0; k < i; k++) same += strcmp(r->header.name[k], r->header.name[i]) == 0;
        snprintf(name, sizeof name, same > 1 ? "%.200s %zu" : "%.200s", r->header.name[i], same);
        if (i) abdb_text_puts(&r->text, ",");
        abdb_text_append_json_string(&r->text, name);
        abdb_text_puts(&r->text, ":");
        abdb_text_append_json_string(&r->text, row->field[i]);
    }
    abdb_text_puts(&r->text, "}");
}

/* Adds a row of the CSV as a JSON object with its line; the first row is the header. */
static abdb_status append_record_row_or_store_header(void *self, const abdb_csv_row *row,
                                                     abdb_error *err)
{
    reader *r = self;
    abdb_value *out;
    abdb_status st = ABDB_OK;

    if (!r->header.count) return abdb_csv_header_replace_by_row(&r->header, row, err);
    if (!(out = abdb_table_append_row(r->out))) return ABDB_FAIL(err, ABDB_NOMEM, "a record");
    out[0] = (abdb_value){.kind = ABDB_INTEGER, .integer = row->line};
    build_record_json_in_buffer(r, row);
    TRY(store_built_text_in_cell(r, out, 1, err));
    abdb_text_clear(&r->text);
    abdb_text_puts(&r->text, "[");
    for (size_t i = 0; i < row->count; i++) {
        if (i) abdb_text_puts(&r->text, ",");
        abdb_text_append_json_string(&r->text, row->field[i]);
    }
    abdb_text_puts(&r->text, "]");
    TRY(store_built_text_in_cell(r, out, 2, err));
done:
    return st;
}

/* abdb_csv(PATH, DELIMITER): a row for each row of the file. */
static abdb_status fill_csv_rows(sqlite3 *db, const char *const *argument, abdb_table *out,
                                 abdb_error *err)
{
    reader r = {.out = out};
    abdb_input in = {0};
    char delimiter = argument[1] ? argument[1][0] : '\0';
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = 3;
    TRY(abdb_outguard_protect_input_if_regular(argument[0], err));
    TRY(abdb_input_map_file_and_decode(&in, argument[0], err));
    if (!delimiter) delimiter = abdb_csv_guess_delimiter(in.text, in.text_size);
    TRY(abdb_csv_parse_input_rows_to_handler(&in, delimiter, append_record_row_or_store_header, &r,
                                             err));
done:
    if (in.path) abdb_input_close(&in);
    abdb_csv_header_free(&r.header);
    abdb_text_free(&r.text);
    return st;
}

const abdb_table_function abdb_table_csv = {
    "abdb_csv",
    "CREATE TABLE x(line INTEGER, record TEXT, fields TEXT, path HIDDEN, delimiter HIDDEN)",
    3,
    1,
    2,
    ABDB_ALLOW_FILES,
    fill_csv_rows};
