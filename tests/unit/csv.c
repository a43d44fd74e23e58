/* csv.c - tests of ingest/read/csv, input and the importers' bids. */
#include <csv.h>
#include <stdio.h>
#include <string.h>

#include "ingest/importer.h"
#include "ingest/read/csv.h"
#include "ingest/registry.h"
#include "tests/unit/check.h"

typedef struct {
    char seen[512];
} row_log;

static abdb_status append_line_count_and_first_field_to_log(void *self, const abdb_csv_row *row,
                                                            abdb_error *err)
{
    row_log *l = self;
    size_t used = strlen(l->seen);

    (void)err;
    snprintf(l->seen + used, sizeof l->seen - used, "%ld:%zu:%s|", row->line, row->count,
             row->field[0]);
    return ABDB_OK;
}

static abdb_status parse_csv_rows_into_log(const char *text, char delimiter, row_log *l,
                                           abdb_error *err)
{
    l->seen[0] = '\0';
    return abdb_csv_parse_rows_to_handler(text, strlen(text), delimiter,
                                          append_line_count_and_first_field_to_log, l, err);
}

static void test_rows_keep_their_line_numbers(void **state)
{
    abdb_error err = {0};
    row_log l;

    (void)state;
    assert_ok(parse_csv_rows_into_log("a,b\n1,2\r\n\n\"x\ny\",3\n z ,4", ',', &l, &err));
    assert_string_equal(l.seen,
                        "1:2:a|2:2:1|4:2:x\ny|6:2:z|"); /* blank line left out, rows counted */
    assert_ok(parse_csv_rows_into_log("a\tb\n\tc\n", '\t', &l, &err));
    assert_string_equal(l.seen, "1:2:a|2:2:|"); /* a leading empty field is a field */
}

static void test_unclosed_quote_is_refused_with_line(void **state)
{
    abdb_error err = {0};
    row_log l;

    (void)state;
    assert_status(parse_csv_rows_into_log("a,b\n1,\"two\n3,4\n", ',', &l, &err), ABDB_DATA);
    assert_non_null(strstr(err.message, "line 2"));
    assert_non_null(strstr(err.message, "never closed"));
}

static void test_too_many_columns_is_refused(void **state)
{
    char text[2 * ABDB_CSV_COLUMN_MAX + 8];
    abdb_error err = {0};
    row_log l;

    (void)state;
    memset(text, ',', sizeof text - 1);
    text[0] = 'a';
    text[sizeof text - 1] = '\0';
    assert_status(parse_csv_rows_into_log(text, ',', &l, &err), ABDB_LIMIT);
}

/* Rows as "field;field;|" without those of empty fields only: once of the reader, which cuts rows
 * without quotes by itself, once of libcsv alone. */
typedef struct {
    char rows[2048];
    size_t used, row;
    bool any;
} field_log;

static void append_trimmed_field_to_log(void *data, size_t size, void *self)
{
    field_log *t = self;
    const char *text = data ? data : "";

    while (size && strchr(" \t\v\f\r\n", *text)) text++, size--;
    while (size && strchr(" \t\v\f\r\n", text[size - 1])) size--;
    t->any |= size > 0;
    t->used +=
        (size_t)snprintf(t->rows + t->used, sizeof t->rows - t->used, "%.*s;", (int)size, text);
}

static void end_logged_row_drop_if_empty(int end, void *self)
{
    field_log *t = self;

    (void)end;
    if (t->any) t->rows[t->used++] = '|';
    if (!t->any) t->used = t->row;
    t->rows[t->used] = '\0';
    t->row = t->used;
    t->any = false;
}

static abdb_status append_csv_row_fields_to_log(void *self, const abdb_csv_row *row,
                                                abdb_error *err)
{
    (void)err;
    for (size_t i = 0; i < row->count; i++)
        append_trimmed_field_to_log(row->field[i], strlen(row->field[i]), self);
    end_logged_row_drop_if_empty('\n', self);
    return ABDB_OK;
}

/* Random text is cut into the same fields as libcsv cuts it. */
static void test_random_text_splits_as_libcsv(void **state)
{
    static const char alphabet[] = "ab,,; \t\v\n\n\r\"";
    unsigned seed = 3;

    (void)state;
    for (int round = 0; round < 30000; round++) {
        char text[40];
        char delimiter = ",;\t"[round % 3];
        size_t size = 1 + (seed = seed * 1103515245 + 12345) / 65536 % (sizeof text - 1);
        field_log ours = {0}, theirs = {0};
        struct csv_parser parser;
        abdb_error err;
        abdb_status st;

        for (size_t i = 0; i < size; i++)
            text[i] = alphabet[(seed = seed * 1103515245 + 12345) / 65536 %
                               (sizeof alphabet - 1 - (size_t)(round % 2))];
        st = abdb_csv_parse_rows_to_handler(text, size, delimiter, append_csv_row_fields_to_log,
                                            &ours, &err);
        if (st == ABDB_DATA) continue; /* a quote that is never closed */
        assert_ok(st);
        csv_init(&parser, 0);
        csv_set_delim(&parser, (unsigned char)delimiter);
        if (delimiter == '\t') csv_set_space_func(&parser, NULL);
        assert_int_equal(csv_parse(&parser, text, size, append_trimmed_field_to_log,
                                   end_logged_row_drop_if_empty, &theirs),
                         size);
        csv_fini(&parser, append_trimmed_field_to_log, end_logged_row_drop_if_empty, &theirs);
        csv_free(&parser);
        if (strcmp(ours.rows, theirs.rows) != 0)
            fail_msg("'%.*s': '%s', libcsv '%s'", (int)size, text, ours.rows, theirs.rows);
    }
}

static void test_header_finds_columns_by_folded_name(void **state)
{
    abdb_csv_header header = {0};
    char *fields[] = {(char[]){"# of  Processors "}, (char[]){"Result"}, (char[]){"result"}};
    abdb_csv_row row = {.field = fields, .count = 3};
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_csv_header_replace_by_row(&header, &row, &err));
    assert_int_equal(abdb_csv_find_column_of_any_name(&header, "nothing|# of Processors"), 0);
    assert_int_equal(abdb_csv_find_column_of_any_name(&header, "RESULT"),
                     1); /* the first of equal names */
    assert_int_equal(abdb_csv_find_column_of_any_name(&header, "Resul"), -1);
    abdb_csv_header_free(&header);
}

static void assert_bytes_decode_to(const char *bytes, size_t size, const char *want,
                                   const char *encoding)
{
    abdb_input in;
    abdb_error err = {0};

    assert_ok(abdb_input_decode_memory_to_utf8(&in, "x", bytes, size, &err));
    assert_int_equal(in.text_size, strlen(want));
    assert_memory_equal(in.text, want, strlen(want));
    assert_string_equal(in.encoding, encoding);
    abdb_input_close(&in);
}

static void test_encodings_become_utf8(void **state)
{
    (void)state;
    assert_bytes_decode_to("\xFF\xFE"
                           "a\0"
                           "\xAE\0"
                           "\n",
                           7, "a®", "UTF-16LE"); /* a lone last byte is dropped */
    assert_bytes_decode_to("\xFE\xFF"
                           "\0a",
                           4, "a", "UTF-16BE");
    assert_bytes_decode_to("\xEF\xBB\xBF"
                           "a",
                           4, "a", "UTF-8");
    assert_bytes_decode_to("caf\xE9", 4, "café", "WINDOWS-1252");
    assert_bytes_decode_to("", 0, "", "UTF-8");
}

static void test_importer_is_found_by_content(void **state)
{
    static const struct {
        const char *text, *importer, *message;
    } cases[] = {
        {"", NULL, "empty"},
        {"hello\n", NULL, "begins with 'hello'"},
        {"a\0b", NULL, "binary"},
        {"kind,spelling,canon\n", "abdb-csv", NULL},
        {"system_id,benchmark,scenario,perf_metric,perf_value\n", "mlperf-checker-csv", NULL},
        {"[{\"ID\":\"1\",\"Submitter\": \"x\"}]", "mlperf-summary-json", NULL},
    };
    const abdb_importer *found;
    abdb_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_input in;

        assert_ok(abdb_input_decode_memory_to_utf8(&in, "x", cases[i].text,
                                                   i == 2 ? 3 : strlen(cases[i].text), &err));
        if (cases[i].importer) {
            assert_ok(abdb_importer_find_by_name_or_highest_bid(&found, NULL, &in, &err));
            assert_string_equal(found->name, cases[i].importer);
        } else {
            assert_status(abdb_importer_find_by_name_or_highest_bid(&found, NULL, &in, &err),
                          ABDB_FORMAT);
            assert_non_null(strstr(err.message, cases[i].message));
        }
        abdb_input_close(&in);
    }
    assert_status(
        abdb_importer_find_by_name_or_highest_bid(&found, "mlperf-checker-cvs", NULL, &err),
        ABDB_USAGE);
    assert_non_null(strstr(err.message, "mlperf-checker-csv"));
}

static void test_file_value_wins_over_override(void **state)
{
    abdb_overrides w = {0};
    abdb_text text = {0};
    abdb_error err = {0};
    abdb_entry *entry = test_calloc(1, sizeof *entry);

    (void)state;
    assert_status(abdb_overrides_validate_and_add_setting(&w, "submiter=x", &err), ABDB_USAGE);
    assert_non_null(strstr(err.message, "submitter"));
    assert_status(abdb_overrides_validate_and_add_setting(&w, "novalue", &err), ABDB_USAGE);
    assert_ok(abdb_overrides_validate_and_add_setting(&w, "tag=mine", &err));
    assert_ok(abdb_overrides_validate_and_add_setting(&w, "round=v0.7", &err));
    assert_ok(abdb_overrides_validate_and_add_setting(&w, "factor.ecc=on", &err));
    entry->field[ABDB_FIELD_round] = "v1.0";
    abdb_entry_apply_overrides_and_check(entry, &w);
    assert_string_equal(entry->field[ABDB_FIELD_round], "v1.0"); /* the file's word stands */
    assert_string_equal(entry->field[ABDB_FIELD_tag], "mine");
    assert_int_equal(entry->factors, 3); /* ecc, and two marks of the user's words */
    abdb_overrides_append_canonical_text(&w, &text);
    assert_string_equal(abdb_text_get(&text), "factor.ecc=on\nround=v0.7\ntag=mine");
    abdb_text_free(&text);
    abdb_overrides_free(&w);
    test_free(entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_keep_their_line_numbers),
                                       cmocka_unit_test(test_unclosed_quote_is_refused_with_line),
                                       cmocka_unit_test(test_too_many_columns_is_refused),
                                       cmocka_unit_test(test_header_finds_columns_by_folded_name),
                                       cmocka_unit_test(test_encodings_become_utf8),
                                       cmocka_unit_test(test_importer_is_found_by_content),
                                       cmocka_unit_test(test_file_value_wins_over_override),
                                       cmocka_unit_test(test_random_text_splits_as_libcsv)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
