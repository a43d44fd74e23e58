/* flat_records.c - records with named values out of JSON, CSV and INSERT statements; see
 * flat_records.h. One handler sees the same abdb_flat_record whichever of them it was, so importers
 * are written once. */
#include "ingest/read/flat_records.h"
#include "ingest/read/python_numbers.h"
#include "schema/core/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/csv.h"
#include "ingest/read/flat_build.h"
#include "ingest/read/insert_statements.h"

/* A bid looks at the first MiB. */
enum { HEAD = 1 << 20 };

typedef struct {
    abdb_flat_handler handler;
    void *self;
    const abdb_sink *sink; /* for damaged lines */
    const abdb_input *in;
    abdb_flat_header_check is_header; /* or NULL */
    char delimiter;
    abdb_csv_header header;
} flat_reader;

size_t abdb_flat_find_series_mark_asked(const abdb_flat_record *record, const char *name,
                                        const double **x)
{
    for (size_t i = 0; i < record->series; i++)
        if (strcmp(record->serie[i].name, name) == 0) {
            if (record->asked) record->asked[FLAT_ITEMS_MAX + i] = true;
            *x = record->serie[i].x;
            return record->serie[i].n;
        }
    return 0;
}

bool abdb_flat_set_result_samples_in_base_unit(abdb_result *result, const abdb_flat_record *record,
                                               const char *name, const char *unit,
                                               abdb_arena *arena)
{
    const double *x;
    size_t n = abdb_flat_find_series_mark_asked(record, name, &x);
    abdb_sample *sample = n ? abdb_arena_alloc(arena, n * sizeof *sample) : NULL;

    if (n && !sample) return false;
    for (size_t i = 0; i < n; i++)
        sample[i] = (abdb_sample){
            .value = abdb_unit_to_base_value(abdb_unit_find(unit), x[i]), .t_s = NAN, .rank = -1};
    result->sample = sample;
    result->samples = n;
    if (n) result->n = (long long)n;
    return true;
}

void abdb_flat_count_refused_values(const abdb_flat_record *record, const char *const *names)
{
    for (; *names; names++)
        abdb_add_thread_values_read(
            abdb_has_digit(abdb_flat_text_or_null_mark_asked(record, *names)));
}

abdb_status abdb_flat_reject_and_end_row(const abdb_sink *sink, const abdb_flat_record *record,
                                         const char *field, const char *reason, abdb_error *err)
{
    const char *text = abdb_flat_text_or_null_mark_asked(record, field);
    abdb_decimal_mark mark = abdb_flat_decimal_mark(record, field);
    char doubt[200];
    abdb_reject reject = {
        .line = record->line, .field = field, .reason = reason, .raw = record->raw};
    abdb_status st;

    if (text && abdb_number_fails_but_parses_with_other_mark(text, mark))
        reject.reason = abdb_number_write_why_not_a_number(NULL, text, mark, doubt, sizeof doubt);
    st = sink->reject(sink->self, &reject, err);

    return st == ABDB_OK ? sink->row_end(sink->self, err) : st;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* One JSON object: see abdb_flat_append_flattened_json. */
static abdb_status deliver_json_object_as_record(flat_reader *r, const json_t *object, long line,
                                                 const char *locator, abdb_error *err)
{
    abdb_flat_record *record = abdb_flat_record_allocate();
    abdb_arena arena = {0};
    char *raw = json_dumps(object, JSON_COMPACT);
    abdb_status st = ABDB_OK;

    if (!record || !raw) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a record"));
    record->line = line;
    record->locator = locator;
    record->raw = raw;
    record->object = object;
    abdb_flat_append_flattened_json(record, &arena, NULL, object);
    TRY(r->handler(r->self, record, err));
done:
    free(raw);
    abdb_flat_record_free(record);
    abdb_arena_free(&arena);
    return st;
}

/* Delivers an object, or each object of an array, as a record with its line or its place in the
 * array. */
static abdb_status deliver_json_objects_in_value(flat_reader *r, const json_t *value, long line,
                                                 abdb_error *err)
{
    char locator[32];
    const json_t *item;
    size_t i;
    abdb_status st = ABDB_OK;

    snprintf(locator, sizeof locator, "line %ld", line);
    if (json_is_object(value)) return deliver_json_object_as_record(r, value, line, locator, err);
    json_array_foreach(value, i, item)
    {
        snprintf(locator, sizeof locator, "[%zu]", i);
        if (json_is_object(item)) TRY(deliver_json_object_as_record(r, item, 0, locator, err));
    }
done:
    return st;
}

/* A line that is no JSON, in a file of one object a line: kept as rejected. */
static abdb_status reject_damaged_json_line(flat_reader *r, const char *text, size_t size,
                                            long line, const char *fault, abdb_error *err)
{
    abdb_flat_record record = {.line = line};
    char *raw = strndup(text, size);
    abdb_status st;

    if (!raw) return ABDB_FAIL(err, ABDB_NOMEM, "a line");
    record.raw = raw;
    st = abdb_flat_reject_and_end_row(r->sink, &record, "", fault, err);
    free(raw);
    return st;
}

/* Values one after another, as JSON lines are; one value is the simple case. */
static abdb_status deliver_json_objects_reject_bad_lines(flat_reader *r, const abdb_input *in,
                                                         abdb_error *err)
{
    const char *text = in->text, *end = in->text + in->text_size;
    abdb_text plain = {0};
    long line = 1;
    bool lines = false; /* has one object ended on its line? */
    abdb_status st = ABDB_OK;

    TRY(abdb_json_append_quoted_if_nan_or_infinity(in->text, in->text_size, &plain, err));
    if (plain.size) {
        text = abdb_text_get(&plain);
        end = text + plain.size;
    }
    for (;;) {
        json_error_t fault;
        json_t *value;
        const char *stop;

        for (; text < end && strchr(" \t\r\n", *text) && *text; text++) line += *text == '\n';
        if (text == end) break;
        /* With JSON_DISABLE_EOF_CHECK jansson stops behind one value and leaves in fault.position
         * how many bytes that took. */
        value = json_loadb(text, (size_t)(end - text), JSON_DISABLE_EOF_CHECK, &fault);
        stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        /* Once an object has ended on its own line, the file is JSON lines: a bad line is a reject
         * and the next one is read. Before, the whole file is damaged. */
        if (!value && lines) {
            TRY(reject_damaged_json_line(r, text, (size_t)(stop - text), line, fault.text, err));
            text = stop;
            continue;
        }
        if (!value)
            TRY(ABDB_FAIL(err, ABDB_DATA,
                          "line %ld column %d: %s; the file is damaged or truncated",
                          line + fault.line - 1, fault.column, fault.text));
        lines = lines || fault.position <= stop - text;
        st = deliver_json_objects_in_value(r, value, line, err);
        json_decref(value);
        if (st != ABDB_OK) break;
        for (int i = 0; i < fault.position && text < end; i++, text++) line += *text == '\n';
    }
done:
    abdb_text_free(&plain);
    return st;
}

abdb_status abdb_flat_parse_json_document_quoting_nan(json_t **out, const abdb_input *in,
                                                      abdb_error *err)
{
    json_error_t fault;
    abdb_text plain = {0};
    abdb_status st =
        abdb_json_append_quoted_if_nan_or_infinity(in->text, in->text_size, &plain, err);

    *out = NULL;
    if (st == ABDB_OK)
        *out = plain.size ? json_loadb(abdb_text_get(&plain), plain.size, 0, &fault)
                          : json_loadb(in->text, in->text_size, 0, &fault);
    abdb_text_free(&plain);
    if (*out || st != ABDB_OK) return st;
    return ABDB_FAIL(err, ABDB_DATA, "line %d column %d: %s; the file is damaged or truncated",
                     fault.line, fault.column, fault.text);
}

abdb_status abdb_flat_append_root_members_to_settings(abdb_settings *out, const abdb_input *in,
                                                      const char *const *ignored, abdb_arena *arena,
                                                      abdb_error *err)
{
    json_t *root;
    abdb_status st = abdb_flat_parse_json_document_quoting_nan(&root, in, err);

    if (st != ABDB_OK) return st;
    abdb_flat_append_json_members_to_settings(out, root, ignored, arena);
    json_decref(root);
    return ABDB_OK;
}

abdb_status abdb_flat_deliver_objects_of_json_member(const abdb_input *in, const char *member,
                                                     abdb_flat_handler handler, void *self,
                                                     abdb_error *err)
{
    flat_reader r = {.handler = handler, .self = self};
    json_t *root;
    const json_t *value, *item;
    char locator[64];
    size_t i;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    value = json_object_get(root, member);
    if (json_is_object(value)) TRY(deliver_json_object_as_record(&r, value, 0, member, err));
    json_array_foreach(value, i, item)
    {
        snprintf(locator, sizeof locator, "%s[%zu]", member, i);
        if (json_is_object(item)) TRY(deliver_json_object_as_record(&r, item, 0, locator, err));
    }
done:
    json_decref(root);
    return st;
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* The row's cells as names of a record, for who knows headers. */
static bool is_header_of_another_table(const void *self, const abdb_csv_row *row)
{
    const flat_reader *r = self;
    abdb_flat_record record = {0};

    for (size_t i = 0; i < row->count && i < FLAT_ITEMS_MAX; i++)
        record.item[record.items++].name = row->field[i];
    return r->is_header(r->self, &record);
}

/* Takes a header and finds the decimal marks of its columns; delivers every other row as a record,
 * or rejects one that does not fit. */
static abdb_status store_header_or_deliver_row_as_record(void *self, const abdb_csv_row *row,
                                                         abdb_error *err)
{
    flat_reader *r = self;
    abdb_flat_record *record;
    char locator[32], doubt[FLAT_DOUBT_SIZE] = "", reason[80], *raw = NULL;
    abdb_status st = ABDB_OK;

    if (!r->header.count || abdb_csv_row_is_another_header(&r->header, row)) {
        st = abdb_csv_header_replace_by_row(&r->header, row, err);
        return st == ABDB_OK
                   ? abdb_csv_store_decimal_marks_of_columns(&r->header, r->in, r->delimiter, err)
                   : st;
    }
    if (!abdb_csv_row_fits_header_width_or_explain(&r->header, row, r->in, r->delimiter, reason,
                                                   sizeof reason))
        return abdb_csv_reject_and_end_row(r->sink, row, "row", reason, err);
    record = abdb_flat_record_allocate();
    raw = strndup(row->raw, row->raw_size);
    if (!record || !raw) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a record"));
    snprintf(locator, sizeof locator, "line %ld", row->line);
    record->line = row->line;
    record->locator = locator;
    record->raw = raw;
    record->doubt = doubt;
    for (size_t i = 0; i < row->count && i < r->header.count; i++) {
        abdb_flat_append_item_or_count_lost(record, r->header.name[i], row->field[i]);
        record->item[record->items - 1].mark = abdb_csv_decimal_mark_of_column(&r->header, (int)i);
    }
    TRY(r->handler(r->self, record, err));
done:
    abdb_flat_record_free(record);
    free(raw);
    return st;
}

abdb_status abdb_flat_deliver_records_with_header_check(const abdb_input *in, const abdb_sink *sink,
                                                        abdb_flat_header_check is_header,
                                                        abdb_flat_handler handler, void *self,
                                                        abdb_error *err)
{
    flat_reader r = {
        .handler = handler, .self = self, .sink = sink, .in = in, .is_header = is_header};
    size_t i = 0;
    abdb_status st;

    while (i < in->text_size && strchr(" \t\r\n", in->text[i]) && in->text[i]) i++;
    if (i < in->text_size && (in->text[i] == '[' || in->text[i] == '{'))
        return deliver_json_objects_reject_bad_lines(&r, in, err);
    if (memmem(in->text, in->text_size < HEAD ? in->text_size : HEAD, "INSERT INTO ", 12))
        return abdb_flat_deliver_insert_statement_rows(in, sink, handler, self, err);
    r.delimiter = abdb_csv_guess_delimiter(in->text, in->text_size);
    if (is_header) r.header.is_another = is_header_of_another_table;
    r.header.self = &r;
    st = abdb_csv_parse_input_rows_to_handler(in, r.delimiter,
                                              store_header_or_deliver_row_as_record, &r, err);
    abdb_csv_header_free(&r.header);
    return st;
}

abdb_status abdb_flat_deliver_json_sql_or_csv_records(const abdb_input *in, const abdb_sink *sink,
                                                      abdb_flat_handler handler, void *self,
                                                      abdb_error *err)
{
    return abdb_flat_deliver_records_with_header_check(in, sink, NULL, handler, self, err);
}

/* --- bids ------------------------------------------------------------------------------------- */

/* Is there a JSON key of that name, quoted for the whole of it, bare for a part? */
static bool has_json_key(const char *text, const char *end, const char *word, size_t size)
{
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, size)); at++) {
        const char *s = at + size;

        if (*word != '"') {
            while (s < end && *s != '"' && *s != '\n') s++;
            if (s++ == end || s[-1] != '"') continue;
        }
        while (s < end && strchr(" \t\r\n", *s) && *s) s++;
        if (s < end && *s == ':') return true;
    }
    return false;
}

/* Where the bytes of a bid begin, behind blanks. */
static const char *skip_leading_blanks_of_input(const abdb_input *in, const char *end)
{
    const char *text = in->text;

    while (text < end && strchr(" \t\r\n", *text) && *text) text++;
    return text;
}

/* Are all the words columns of the first line? */
static bool header_has_all_columns(const char *text, const char *end, const char *words)
{
    const char *stop;
    abdb_csv_header header = {0};
    bool all;
    char name[64];

    stop = text + abdb_csv_sep_line_size(text, (size_t)(end - text));
    stop = memchr(stop, '\n', (size_t)(end - stop));
    if (stop) end = stop;
    abdb_csv_header_read_first_row(&header, text, (size_t)(end - text),
                                   abdb_csv_guess_delimiter(text, (size_t)(end - text)));
    all = header.count > 1;
    while (all && *words) {
        size_t word = strcspn(words, "|");

        snprintf(name, sizeof name, "%.*s", (int)word, words);
        all = abdb_csv_find_column_of_any_name(&header, name) >= 0;
        words += word + (words[word] == '|');
    }
    abdb_csv_header_free(&header);
    return all;
}

/* Does the text begin with a statement of a dump of SQL? */
static bool begins_with_sql_dump_statement(const char *text, const char *end)
{
    static const char *const words[] = {"CREATE ", "INSERT ", "PRAGMA ", "BEGIN TRANSACTION"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t size = strlen(words[i]);

        if ((size_t)(end - text) > size && strncmp(text, words[i], size) == 0) return true;
    }
    return false;
}

bool abdb_flat_has_all_keys_or_columns(const abdb_input *in, const char *value_names)
{
    const char *end = in->text + (in->text_size < HEAD ? in->text_size : HEAD);
    const char *text = skip_leading_blanks_of_input(in, end);
    bool json = text < end && (*text == '{' || *text == '['),
         sql = begins_with_sql_dump_statement(text, end);

    if (text == end) return false;
    if (!json && !sql)
        return !strchr(value_names, '"') && header_has_all_columns(text, end, value_names);
    while (*value_names) {
        size_t word = strcspn(value_names, "|");

        if (json ? !has_json_key(text, end, value_names, word)
                 : !memmem(text, (size_t)(end - text), value_names, word))
            return false;
        value_names += word + (value_names[word] == '|');
    }
    return true;
}
