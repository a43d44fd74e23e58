/* selection.c - tests of the selection grammar: what it takes, what it refuses,
 * and damaged text. */
#include "query/compare/selection.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query/answer/price_quote.h"
#include "query/compare/result_set.h"
#include "query/compare/selection_spelling.h"
#include "schema/store/db.h"
#include "tests/unit/check.h"

static char folder[] = "/tmp/abdb-selection-XXXXXX", database[64];

static int create_scratch_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(database, sizeof database, "%s/t.db", folder);
    return 0;
}

static int remove_scratch_folder(void **state)
{
    (void)state;
    remove(database);
    return rmdir(folder);
}

static void test_selection_is_parsed_or_refused(void **state)
{
    static const struct {
        const char *text, *column, *op, *value;
        size_t count; /* 0: refused */
    } cases[] = {{"device=H200-SXM", "device", "=", "H200-SXM", 1},
                 {"tpot_s < 0.05", "tpot_s", "<", "0.05", 1},
                 {"a!=b,c>=2,d~x*", "a", "!=", "b", 3},
                 {"system='a, b'", "system", "=", "a, b", 1},
                 {"system=\"it's\"", "system", "=", "it's", 1},
                 {"a='it''s, ''b'''", "a", "=", "it's, 'b'", 1},
                 {"a='',b=''''", "a", "=", "", 2},
                 {"a='''", NULL, NULL, NULL, 0},
                 {"ttft_s:p99 <= 2", "ttft_s:p99", "<=", "2", 1},
                 {"x=", "x", "=", "", 1},
                 {"", NULL, NULL, NULL, 0},
                 {"device", NULL, NULL, NULL, 0},
                 {"=3", NULL, NULL, NULL, 0},
                 {"a=1,,b=2", NULL, NULL, NULL, 0},
                 {"a='open", NULL, NULL, NULL, 0},
                 {"a='x' b=2", NULL, NULL, NULL, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_selection s = {0};
        abdb_error err;
        abdb_status st = abdb_selection_parse_and_append(&s, cases[i].text, &err);

        if (!cases[i].count) {
            if (st != ABDB_USAGE) fail_msg("'%s' was taken", cases[i].text);
        } else {
            if (st != ABDB_OK) fail_msg("'%s': %s", cases[i].text, err.message);
            assert_int_equal(s.count, cases[i].count);
            assert_string_equal(s.condition[0].column, cases[i].column);
            assert_string_equal(s.condition[0].op, cases[i].op);
            assert_string_equal(s.condition[0].value, cases[i].value);
        }
        abdb_selection_free(&s);
    }
}

static void test_price_quotes_are_parsed_in_turn(void **state)
{
    char text[] = "H200-SXM=2.5 USD/h, B200-SXM = 4 USD/h,H100-SXM=$16/hr/8", *rest = text;
    char bad[][32] = {"H200-SXM=2.5 EUR/h", "H200-SXM=2.5 USD/h/", "H200-SXM=2.5 USD/h/0",
                      "H200-SXM=2.5 USD/day"};
    abdb_quote quote;
    abdb_error err;

    (void)state;
    assert_ok(abdb_parse_next_price_quote_per_device(&rest, "price", &quote, &err));
    assert_string_equal(quote.device, "H200-SXM");
    assert_true(quote.amount > 2.49 && quote.amount < 2.51 && !quote.is_counted);
    assert_ok(abdb_parse_next_price_quote_per_device(&rest, "price", &quote, &err));
    assert_string_equal(quote.device, "B200-SXM");
    assert_ok(abdb_parse_next_price_quote_per_device(&rest, "price", &quote, &err)); /* of a node */
    assert_true(quote.amount > 1.99 && quote.amount < 2.01 && quote.is_counted);
    assert_ok(abdb_parse_next_price_quote_per_device(&rest, "price", &quote, &err));
    assert_null(quote.device);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rest = bad[i];
        assert_status(abdb_parse_next_price_quote_per_device(&rest, "price", &quote, &err),
                      ABDB_USAGE);
    }
}

/* Damaged selections against an empty database: taken or refused with words, never anything else,
 * and nothing of them reaches SQL. */
static void test_damaged_selection_is_refused(void **state)
{
    static const char alphabet[] = "abdeivc=!<>~,'\" .:*[]%_-0123456789;()|x";
    const abdb_normalisation any = {0};
    abdb_error err;
    abdb_db *db;
    unsigned seed = 7;

    (void)state;
    remove(database);
    assert_ok(abdb_db_open(&db, database, ABDB_CREATE, &err));
    for (int round = 0; round < 4000; round++) {
        char text[64];
        abdb_set set = {0};
        size_t size = 1 + (seed = seed * 1103515245 + 12345) / 65536 % 40;
        abdb_status st;

        for (size_t i = 0; i < size; i++)
            text[i] = alphabet[(seed = seed * 1103515245 + 12345) / 65536 % (sizeof alphabet - 1)];
        text[size] = '\0';
        if (round % 3 == 0) memcpy(text, "devices", size < 7 ? size : 7);
        st = abdb_set_load_normalised(&set, db->sql, text, NULL, &any, &err);
        if (st != ABDB_USAGE && st != ABDB_LIMIT) fail_msg("'%s': status %d", text, (int)st);
        abdb_set_free(&set);
    }
    abdb_db_close(db);
    remove(database);
}

static long long read_rows; /* by statements that went through a whole table or index */

static int trace_add_full_scan_rows(unsigned event, void *context, void *statement, void *time)
{
    (void)event, (void)context, (void)time;
    read_rows += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    return 0;
}

/* A database of what that SQL brings, whose statements count the rows that they look through. */
static abdb_db *create_db_counting_scanned_rows(const char *sql)
{
    abdb_error err;
    abdb_db *db;

    remove(database);
    assert_ok(abdb_db_open(&db, database, ABDB_CREATE, &err));
    assert_ok(abdb_db_exec(db, sql, &err));
    sqlite3_trace_v2(db->sql, SQLITE_TRACE_PROFILE, trace_add_full_scan_rows, NULL);
    return db;
}

/* A word alone may stand in any of fourteen columns: the descriptions are read once for all of
 * them. */
static void test_bare_word_finds_its_column_in_one_scan(void **state)
{
    static const char many[] =
        "INSERT INTO source (source, kind, rank) VALUES ('test', 'user', 50);"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        "INSERT INTO description (description_key, description_key_low, evidence, kind, tag, round,"
        "  scenario, dtype, source) SELECT i, i, 'published', 'statement', 't' || (i % 50),"
        "  'v' || (i % 9) || '.0', CASE i % 3 WHEN 0 THEN 'Offline' ELSE 'Server' END, 'bf16', "
        "'test'"
        "  FROM n;";
    static const struct {
        const char *text, *column, *value;
    } cases[] = {{"server", "scenario", "Server"}, {"8.0", "round", "v8.0"},
                 {"T-49", "tag", "t49"},           {"bf-16", "dtype", "bf16"},
                 {"TEST", "source", "test"},       {"round=8.0", "round", "v8.0"}};
    abdb_error err;
    abdb_db *db;

    (void)state;
    db = create_db_counting_scanned_rows(many);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_selection said = {0};

        read_rows = 0;
        assert_ok(abdb_selection_parse_and_respell_words(&said, db->sql, cases[i].text, &err));
        assert_string_equal(said.condition[0].column, cases[i].column);
        assert_string_equal(said.condition[0].value, cases[i].value);
        if (read_rows > 5500) fail_msg("%s: %lld rows were read", cases[i].text, read_rows);
        abdb_selection_free(&said);
    }
    abdb_db_close(db);
    remove(database);
}

/* A result that is named by its key is looked up, however many others there are. */
static void test_result_key_is_looked_up_not_scanned(void **state)
{
    static const char many[] =
        "INSERT INTO source (source, kind, rank) VALUES ('test', 'user', 50);"
        "INSERT INTO description (description_id, description_key, description_key_low, evidence,"
        "  kind, workload, source) VALUES (1, 1, 1, 'published', 'statement', 'w', 'test');"
        "INSERT INTO point VALUES (1, 1, 1);"
        "INSERT INTO quantity (quantity_id, metric, statistic, unit) VALUES"
        "  (1, 'tokens_per_s', 'value', 'token/s');"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        "INSERT INTO entry_row (entry_id, entry_key, entry_key_low, description_id, point_id)"
        "  SELECT i, i, i, 1, 1 FROM n;"
        "INSERT INTO result_row (result_id, entry_id, ordinal, quantity_id, value)"
        "  SELECT entry_id, entry_id, 0, 1, entry_id FROM entry_row;";
    const abdb_normalisation any = {0};
    abdb_set set = {0};
    abdb_error err;
    abdb_db *db;

    (void)state;
    db = create_db_counting_scanned_rows(many);
    read_rows = 0;
    assert_ok(abdb_set_load_normalised(&set, db->sql, "key=r-00000000000000070000000000000007-0",
                                       NULL, &any, &err));
    assert_int_equal(set.table.rows, 1);
    if (read_rows > 500) fail_msg("%lld rows were read", read_rows);
    abdb_set_free(&set);
    abdb_db_close(db);
    remove(database);
}

/* Keys of results are taken apart; anything else is NULL. */
static void test_sql_functions_parse_result_keys(void **state)
{
    static const struct {
        const char *sql;
        int want; /* -1: NULL */
    } cases[] = {{"SELECT key_number('r-00000000000000ff0123456789abcdef-3') = 255", 1},
                 {"SELECT key_ordinal('r-00000000000000ff0123456789abcdef-3')", 3},
                 {"SELECT key_number('s-00000000000000ff0123456789abcdef') = 255", 1},
                 {"SELECT key_number('r-zz00000000000000ff0123456789abcdef-3')", -1},
                 {"SELECT key_number('x-00000000000000ff0123456789abcdef')", -1},
                 {"SELECT key_ordinal('r-00000000000000ff0123456789abcdef')", -1},
                 {"SELECT key_number('r-00000000000000ff-3')", -1},
                 {"SELECT key_ordinal('r-00000000000000ff0123456789abcdef-x')", -1},
                 {"SELECT key_number(NULL)", -1}};
    abdb_error err;
    abdb_db *db;

    (void)state;
    remove(database);
    assert_ok(abdb_db_open(&db, database, ABDB_CREATE, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sqlite3_stmt *s;

        assert_int_equal(sqlite3_prepare_v2(db->sql, cases[i].sql, -1, &s, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        if ((sqlite3_column_type(s, 0) == SQLITE_NULL ? -1 : sqlite3_column_int(s, 0)) !=
            cases[i].want)
            fail_msg("%s", cases[i].sql);
        sqlite3_finalize(s);
    }
    abdb_db_close(db);
    remove(database);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selection_is_parsed_or_refused),
        cmocka_unit_test(test_price_quotes_are_parsed_in_turn),
        cmocka_unit_test(test_damaged_selection_is_refused),
        cmocka_unit_test(test_bare_word_finds_its_column_in_one_scan),
        cmocka_unit_test(test_result_key_is_looked_up_not_scanned),
        cmocka_unit_test(test_sql_functions_parse_result_keys)};

    return cmocka_run_group_tests(tests, create_scratch_folder, remove_scratch_folder);
}
