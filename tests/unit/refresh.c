/* refresh.c - tests of readings of one file by several versions of its importer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/store/write.h"
#include "tests/unit/check.h"

typedef struct {
    char path[64];
    abdb_db *db;
    abdb_writer *writer;
} store;

static void create_store(store *s)
{
    abdb_error err = {0};

    snprintf(s->path, sizeof s->path, "/tmp/abdb-refresh-%ld.db", (long)getpid());
    unlink(s->path);
    assert_ok(abdb_db_open(&s->db, s->path, ABDB_CREATE, &err));
    assert_ok(abdb_writer_open(&s->writer, s->db, &err));
}

static void close_and_delete_store(store *s)
{
    abdb_writer_rollback_and_close(s->writer);
    abdb_db_close(s->db);
    unlink(s->path);
}

static void send_entry_of_device_to_writer(store *s, const char *device, double value)
{
    abdb_sink sink = abdb_writer_make_storing_sink(s->writer);
    abdb_entry *e = calloc(1, sizeof *e);
    abdb_error err = {0};

    e->field[ABDB_FIELD_evidence] = "published";
    e->field[ABDB_FIELD_kind] = "statement";
    e->field[ABDB_FIELD_source] = "me";
    e->field[ABDB_FIELD_workload] = "gemm";
    e->field[ABDB_FIELD_device] = device;
    e->locator = "line 2";
    abdb_entry_add_result_or_count_left_out(e, "flops_per_s", value);
    assert_ok(sink.entry(sink.self, e, &err));
    assert_ok(sink.row_end(sink.self, &err));
    free(e);
}

/* Reads "bytes" as one version of an importer does: device X as value, and Y as always. Was there
 * anything to read? */
static bool import_file_reading_unless_known(store *s, const char *bytes, int importer_version,
                                             abdb_refresh refresh, double value_of_x)
{
    abdb_import_file unit = {.path = "f",
                             .format = "test",
                             .overrides = "",
                             .data = bytes,
                             .size = strlen(bytes),
                             .importer = importer_version,
                             .refresh = refresh};
    abdb_counts counts;
    abdb_error err = {0};
    int known;

    assert_ok(abdb_writer_begin_file_unless_known(s->writer, &unit, &known, &counts, &err));
    if (known) return false;
    send_entry_of_device_to_writer(s, "X", value_of_x);
    send_entry_of_device_to_writer(s, "Y", 1);
    assert_ok(abdb_writer_commit_and_withdraw_replaced_imports(s->writer, &counts, &err));
    assert_ok(abdb_writer_update_derived(s->writer, &err));
    return true;
}

static long long query_integer(store *s, const char *sql)
{
    abdb_error err = {0};
    sqlite3_int64 out;

    assert_ok(abdb_db_query_integer_or_0(s->db, sql, &out, &err));
    return out;
}

static void test_newer_importer_replaces_older_import(void **state)
{
    store s;

    (void)state;
    create_store(&s);
    assert_true(import_file_reading_unless_known(&s, "a", 1, ABDB_REFRESH_NO, 10));
    assert_false(
        import_file_reading_unless_known(&s, "a", 2, ABDB_REFRESH_NO, 20)); /* known is known */
    assert_false(import_file_reading_unless_known(&s, "a", 1, ABDB_REFRESH_ALSO,
                                                  20)); /* this version read it */
    assert_false(
        import_file_reading_unless_known(&s, "b", 2, ABDB_REFRESH_ONLY, 20)); /* never read */
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result"), 2);
    assert_true(import_file_reading_unless_known(&s, "a", 2, ABDB_REFRESH_ONLY, 20));
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result"), 2);
    assert_int_equal(query_integer(&s, "SELECT value FROM v_result WHERE raw_device = 'X'"), 20);
    assert_int_equal(
        query_integer(&s, "SELECT count(*) FROM withdrawal WHERE target GLOB '????*@1'"), 1);
    assert_false(import_file_reading_unless_known(&s, "a", 2, ABDB_REFRESH_ALSO, 30));
    assert_false(
        import_file_reading_unless_known(&s, "a", 1, ABDB_REFRESH_ALSO, 30)); /* an older program */
    assert_true(import_file_reading_unless_known(&s, "a", 4, ABDB_REFRESH_ALSO,
                                                 10)); /* what the first said, said again */
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result"), 2);
    assert_int_equal(query_integer(&s, "SELECT value FROM v_result WHERE raw_device = 'X'"), 10);
    close_and_delete_store(&s);
}

static void test_import_with_other_overrides_stays(void **state)
{
    store s;
    abdb_error err = {0};

    (void)state;
    create_store(&s);
    assert_true(import_file_reading_unless_known(&s, "a", 1, ABDB_REFRESH_NO, 10));
    /* the same bytes with other words, read by the same version, which nobody replaced */
    assert_ok(abdb_db_exec(s.db, "UPDATE artifact SET words = 'x=1'", &err));
    assert_true(import_file_reading_unless_known(&s, "a", 2, ABDB_REFRESH_NO, 20));
    assert_ok(abdb_db_exec(s.db,
                           "INSERT INTO withdrawal (target, reason, date) SELECT sha256 || '@1',"
                           " 'as if', '2024' FROM artifact LIMIT 1",
                           &err));
    assert_ok(abdb_writer_update_derived(s.writer, &err));
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result WHERE raw_device = 'X'"), 2);
    close_and_delete_store(&s);
}

static void test_refresh_leaves_withdrawn_file_out(void **state)
{
    store s;
    abdb_text told = {0};
    abdb_error err = {0};

    (void)state;
    create_store(&s);
    assert_true(import_file_reading_unless_known(&s, "a", 1, ABDB_REFRESH_NO, 10));
    assert_ok(abdb_withdraw_only_target_of_name(s.db, "f", "wrong", &told, &err));
    assert_ok(abdb_writer_update_derived(s.writer, &err));
    assert_false(import_file_reading_unless_known(&s, "a", 2, ABDB_REFRESH_ONLY,
                                                  20)); /* it stays withdrawn */
    assert_int_equal(query_integer(&s, "SELECT count(*) FROM v_result"), 0);
    abdb_text_free(&told);
    close_and_delete_store(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_newer_importer_replaces_older_import),
                                       cmocka_unit_test(test_import_with_other_overrides_stays),
                                       cmocka_unit_test(test_refresh_leaves_withdrawn_file_out)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("refresh", tests, NULL, NULL);
}
