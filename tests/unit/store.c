/* store.c - tests of schema/store: opening, migration, identity, subjects. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/store/write.h"
#include "tests/unit/check.h"

static char folder[64], path[128];

static int create_scratch_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/abdb-store-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/t.db", folder);
    return 0;
}

static int remove_scratch_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void overwrite_db_file_with_bytes(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void assert_open_fails_with_message(abdb_mode mode, const char *message)
{
    abdb_db *db = NULL;
    abdb_error err = {0};

    assert_int_not_equal(abdb_db_open(&db, path, mode, &err), ABDB_OK);
    if (!strstr(err.message, message)) fail_msg("'%s' does not say '%s'", err.message, message);
}

static void test_absent_empty_or_text_file_is_refused(void **state)
{
    (void)state;
    assert_open_fails_with_message(ABDB_READ, "no database at");
    overwrite_db_file_with_bytes("", 0);
    assert_open_fails_with_message(ABDB_READ, "is empty");
    overwrite_db_file_with_bytes(
        "this is a text file, long enough to be looked at: not a database at all", 71);
    assert_open_fails_with_message(ABDB_READ, "is not an abdb database");
    assert_open_fails_with_message(ABDB_CREATE, "is not an abdb database");
}

static void execute_sql_by_plain_sqlite(const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_foreign_or_newer_db_is_refused(void **state)
{
    (void)state;
    execute_sql_by_plain_sqlite("CREATE TABLE t (x); PRAGMA application_id = 7");
    assert_open_fails_with_message(ABDB_READ, "not abdb's (application_id 7)");
    assert_open_fails_with_message(ABDB_CREATE, "not abdb's");
    execute_sql_by_plain_sqlite("CREATE TABLE process (x); PRAGMA application_id = 1633838178;"
                                "PRAGMA user_version = 999");
    assert_open_fails_with_message(ABDB_READ, "newer abdb");
    assert_open_fails_with_message(ABDB_CREATE, "newer abdb");
}

static void test_damaged_db_is_refused(void **state)
{
    abdb_db *db;
    abdb_error err = {0};
    FILE *file;

    (void)state;
    assert_ok(abdb_db_open(&db, path, ABDB_CREATE, &err));
    abdb_db_close(db);
    file = fopen(path, "r+b");
    fseek(file, 100, SEEK_SET);
    for (int i = 0; i < 3000; i++) fputc(0x5a, file);
    fclose(file);
    assert_open_fails_with_message(ABDB_READ, "damaged");
    assert_open_fails_with_message(ABDB_WRITE, "damaged");
}

static void test_prerelease_db_is_refused(void **state)
{
    (void)state;
    execute_sql_by_plain_sqlite("CREATE TABLE entry_row (entry_id INTEGER PRIMARY KEY);"
                                "PRAGMA application_id = 1633838178; PRAGMA user_version = 7");
    assert_open_fails_with_message(ABDB_READ, "before its first release");
    assert_open_fails_with_message(ABDB_WRITE, "before its first release");
}

static void test_closed_db_leaves_no_wal(void **state)
{
    abdb_db *db;
    abdb_error err = {0};
    char wal[160];

    (void)state;
    assert_ok(abdb_db_open(&db, path, ABDB_CREATE, &err));
    abdb_db_close(db);
    snprintf(wal, sizeof wal, "%s-wal", path);
    assert_int_not_equal(access(wal, F_OK), 0);
}

/* --- facts ------------------------------------------------------------------------------------ */

typedef struct {
    abdb_db *db;
    abdb_writer *writer;
} store;

static store create_store(void)
{
    abdb_error err = {0};
    store s;

    assert_ok(abdb_db_open(&s.db, path, ABDB_CREATE, &err));
    assert_ok(abdb_writer_open(&s.writer, s.db, &err));
    return s;
}

static void close_store(store *s)
{
    abdb_writer_rollback_and_close(s->writer);
    abdb_db_close(s->db);
}

static sqlite3_int64 query_integer(store *s, const char *sql)
{
    abdb_error err = {0};
    sqlite3_int64 out = -1;

    assert_ok(abdb_db_query_integer_or_0(s->db, sql, &out, &err));
    return out;
}

/* One MLPerf statement in a unit of its own; returns the counts of the unit. */
static abdb_counts import_statement_return_counts(store *s, const char *source, const char *system,
                                                  const char *raw_text, double value,
                                                  const char *public_id, const char *devices)
{
    static int number;
    char bytes[32];
    abdb_import_file unit = {.path = "x", .format = "test", .overrides = "", .data = bytes};
    abdb_entry *e = calloc(1, sizeof *e);
    abdb_result *r;
    abdb_sink sink = abdb_writer_make_storing_sink(s->writer);
    abdb_counts counts;
    abdb_error err = {0};
    int known;

    unit.size = (size_t)snprintf(bytes, sizeof bytes, "%d", number++);
    e->field[ABDB_FIELD_evidence] = "mlperf";
    e->field[ABDB_FIELD_kind] = "statement";
    e->field[ABDB_FIELD_source] = source;
    e->field[ABDB_FIELD_suite] = "inference";
    e->field[ABDB_FIELD_division] = "closed";
    e->field[ABDB_FIELD_system] = system;
    e->field[ABDB_FIELD_model] = "m";
    e->field[ABDB_FIELD_public_id] = public_id;
    e->field[ABDB_FIELD_devices] = devices;
    abdb_entry_add_factor_parsing_number(e, "software", source);
    r = abdb_entry_add_result_or_count_left_out(e, "tokens_per_s", value);
    r->raw_value = raw_text;
    r->raw_unit = "Tokens/s";
    assert_ok(abdb_writer_begin_file_unless_known(s->writer, &unit, &known, &counts, &err));
    assert_ok(sink.entry(sink.self, e, &err));
    assert_ok(sink.row_end(sink.self, &err));
    assert_ok(abdb_writer_commit_and_withdraw_replaced_imports(s->writer, &counts, &err));
    assert_ok(abdb_writer_update_derived(s->writer, &err));
    free(e);
    return counts;
}

static void test_same_statement_is_one_result(void **state)
{
    store s = create_store();

    (void)state;
    assert_int_equal(
        import_statement_return_counts(&s, "a", "S (8x, TRT)", "10.0", 10, "1", "8").accepted, 1);
    assert_int_equal(
        import_statement_return_counts(&s, "a", "S (8x, TRT)", "10.0", 10, "1", "8").duplicate,
        1); /* a witness */
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM witness"), 2);
    assert_int_equal(
        import_statement_return_counts(&s, "b", "s 8x trt", "10.0", 10, NULL, "9").accepted,
        1); /* another source */
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result"), 1);
    assert_int_equal(
        query_integer(&s, "SELECT count(*) FROM v_result WHERE flags = 'devices-disagree' AND"
                          " sources = 2 AND disagree = 0 AND public_id = '1'"),
        1);
    close_store(&s);
}

/* The store gets an entry from importers and from others (a merge, a run): it reads a count itself,
 * whichever spelling it has. */
static void test_device_counts_in_any_spelling_are_read(void **state)
{
    static const char *const spellings[] = {"1024", "1,024", "1.024e3", "+1024", "01024", "1024.0"};
    static const char *const no_counts[] = {"1.024", "1,02", "1024x", "0", "-8", "1e99"};
    store s = create_store();

    (void)state;
    assert_int_equal(
        import_statement_return_counts(&s, "a", "X", "1.0", 1, NULL, spellings[1]).accepted, 1);
    assert_int_equal(query_integer(&s, "SELECT devices FROM description"), 1024);
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
        assert_int_equal(
            import_statement_return_counts(&s, "a", "X", "1.0", 1, NULL, spellings[i]).duplicate,
            1);
    for (size_t i = 0; i < sizeof no_counts / sizeof no_counts[0]; i++)
        assert_int_equal(
            import_statement_return_counts(&s, "a", "X", "1.0", 1, NULL, no_counts[i]).rejected, 1);
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM description"), 1);
    assert_int_equal(
        query_integer(&s, "SELECT count(*) FROM reject WHERE reason LIKE 'devices is %'"), 6);
    close_store(&s);
}

static void test_statements_are_linked_by_their_values(void **state)
{
    store s = create_store();

    (void)state;
    import_statement_return_counts(&s, "site", "X", "15.0", 15, "1", "8");
    import_statement_return_counts(&s, "site", "X", "15.0", 15, "2",
                                   "8"); /* repeated under a second ID */
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result"), 1);
    assert_int_equal(
        query_integer(&s, "SELECT count(*) FROM v_statement WHERE flags LIKE '%repeated%'"), 1);
    import_statement_return_counts(&s, "checker", "X", "10.0", 10, NULL, "8");
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result WHERE disagree = 1"), 1);
    import_statement_return_counts(&s, "checker", "X", "20.0", 20, NULL,
                                   "8"); /* now the checker repeats the name: 15 is a mean */
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result"), 2);
    assert_int_equal(
        query_integer(&s, "SELECT count(*) FROM v_statement WHERE flags LIKE '%averaged%'"), 2);
    import_statement_return_counts(&s, "third", "X", "31.9", 31.9, NULL,
                                   "8"); /* agrees with nothing: a result of its own */
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result"), 3);
    close_store(&s);
}

static void test_values_equal_within_rounding_agree(void **state)
{
    store s = create_store();

    (void)state;
    import_statement_return_counts(&s, "a", "X", "1016380.0", 1016380, NULL,
                                   NULL); /* six digits of LoadGen, then padding */
    import_statement_return_counts(&s, "b", "X", "1016375", 1016375, NULL, NULL);
    import_statement_return_counts(&s, "a", "Y", "3.99057", 3.99057, NULL, NULL);
    import_statement_return_counts(&s, "b", "Y", "3.99", 3.99, NULL, NULL);
    assert_int_equal(query_integer(&s, "SELECT sum(disagree) FROM v_result"), 0);
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result"), 2);
    import_statement_return_counts(&s, "c", "Y", "4.00", 4.00, NULL, NULL);
    assert_int_equal(query_integer(&s, "SELECT sum(disagree) FROM v_result"), 1);
    close_store(&s);
}

static void test_later_alias_renames_results(void **state)
{
    abdb_fact alias = {.table = "alias", .columns = 3};
    store s = create_store();
    abdb_sink sink = abdb_writer_make_storing_sink(s.writer);
    abdb_counts counts;
    abdb_error err = {0};
    int known;

    (void)state;
    import_statement_return_counts(&s, "a", "X", "1.0", 1, NULL, NULL);
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result WHERE model = 'm'"), 1);
    alias.column[0].name = "kind", alias.column[0].text = "model";
    alias.column[1].name = "spelling", alias.column[1].text = "m";
    alias.column[2].name = "canon", alias.column[2].text = "mended";
    assert_ok(abdb_writer_begin_file_unless_known(s.writer, NULL, &known, &counts, &err));
    assert_ok(sink.fact(sink.self, &alias, &err));
    assert_ok(abdb_writer_commit_and_withdraw_replaced_imports(s.writer, &counts, &err));
    assert_ok(abdb_writer_update_derived(s.writer, &err));
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result WHERE model = 'mended'"), 1);
    close_store(&s);
}

static void test_rolled_back_import_leaves_nothing(void **state)
{
    abdb_import_file unit = {
        .path = "x", .format = "test", .overrides = "", .data = "q", .size = 1};
    store s = create_store();
    abdb_reject reject = {.line = 2, .reason = "no"};
    abdb_sink sink = abdb_writer_make_storing_sink(s.writer);
    abdb_counts counts;
    abdb_error err = {0};
    int known;

    (void)state;
    assert_ok(abdb_writer_begin_file_unless_known(s.writer, &unit, &known, &counts, &err));
    assert_ok(sink.reject(sink.self, &reject, &err));
    assert_ok(sink.row_end(sink.self, &err));
    abdb_writer_rollback_and_forget_ids(s.writer, &counts);
    assert_int_equal(counts.rejected, 1);
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM artifact"), 0);
    close_store(&s);
}

static void test_infinite_values_are_rejected(void **state)
{
    store s = create_store();
    abdb_counts counts = import_statement_return_counts(&s, "a", "X", "inf", INFINITY, NULL, NULL);

    (void)state;
    assert_int_equal(counts.rejected, 1);
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM result"), 0);
    assert_int_not_equal(sqlite3_exec(s.db->sql,
                                      "INSERT INTO spec (spec_key, spec_key_low, device, quantity,"
                                      " value, unit, raw_value, source, locator)"
                                      " VALUES (1, 2, 'd', 'power', 9e999, 'W', '', '', '')",
                                      NULL, NULL, NULL),
                         SQLITE_OK);
    close_store(&s);
}

static int deny_drop_of_temp_table(void *self, int action, const char *a, const char *b,
                                   const char *c, const char *d)
{
    (void)self, (void)a, (void)b, (void)c, (void)d;
    return action == SQLITE_DROP_TEMP_TABLE ? SQLITE_DENY : SQLITE_OK;
}

/* Tables that a merge needs and could not remove (for want of memory) are in the way of what comes
 * after it: no success. */
static void test_merge_that_cannot_clean_up_fails(void **state)
{
    char other[160];
    abdb_db *db = NULL, *from = NULL;
    abdb_counts counts;
    abdb_error err = {0};

    (void)state;
    snprintf(other, sizeof other, "%s/other.db", folder);
    assert_int_equal(abdb_db_open(&from, other, ABDB_CREATE, &err), ABDB_OK);
    abdb_db_close(from);
    assert_int_equal(abdb_db_open(&db, path, ABDB_CREATE, &err), ABDB_OK);
    assert_int_equal(abdb_merge_database(db, other, &counts, &err), ABDB_OK);
    sqlite3_set_authorizer(db->sql, deny_drop_of_temp_table, NULL);
    assert_int_equal(abdb_merge_database(db, other, &counts, &err), ABDB_DB);
    abdb_db_close(db);
}

static void test_every_view_column_is_documented(void **state)
{
    store s = create_store();

    (void)state;
    assert_int_equal(
        query_integer(
            &s, "SELECT count(*) FROM (SELECT v.name, c.name FROM sqlite_schema v,"
                " pragma_table_info(v.name) c WHERE v.type = 'view' AND v.name GLOB 'v_*' AND NOT "
                "EXISTS "
                "(SELECT 1 FROM column_doc d"
                " WHERE d.view = v.name AND d.column_name = c.name AND d.place = c.cid + 1))"),
        0);
    close_store(&s);
}

int main(void)
{
#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, create_scratch_folder, remove_scratch_folder)
    const struct CMUnitTest tests[] = {TEST(test_absent_empty_or_text_file_is_refused),
                                       TEST(test_foreign_or_newer_db_is_refused),
                                       TEST(test_damaged_db_is_refused),
                                       TEST(test_prerelease_db_is_refused),
                                       TEST(test_closed_db_leaves_no_wal),
                                       TEST(test_same_statement_is_one_result),
                                       TEST(test_device_counts_in_any_spelling_are_read),
                                       TEST(test_statements_are_linked_by_their_values),
                                       TEST(test_values_equal_within_rounding_agree),
                                       TEST(test_later_alias_renames_results),
                                       TEST(test_rolled_back_import_leaves_nothing),
                                       TEST(test_infinite_values_are_rejected),
                                       TEST(test_merge_that_cannot_clean_up_fails),
                                       TEST(test_every_view_column_is_documented)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
