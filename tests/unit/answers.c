/* answers.c - what it costs to look at the values that an option of a report can have, and to find
 * the last command that a report is about: no more when the file holds more of the same. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "query/answer/report.h"
#include "query/answer/sql_rows.h"
#include "tests/unit/check.h"

enum { NAMES_MAX = 200, PARTS = 2000, MORE = 4 };

static char path[64];
static long long steps;

static int trace_add_vm_steps_of_statement(unsigned event, void *context, void *statement,
                                           void *time)
{
    (void)event, (void)context, (void)time;
    steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
}

/* 24 models, 40 devices, 9 rounds, 20 commands with a tag each, and `count` statements of MLPerf
 * and as many runs; the last command has losses and timed parts. */
static abdb_db *create_filled_db_counting_vm_steps(int statements)
{
    static const char sql[] =
        "CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
        "  WHERE i + 1 < %d) SELECT i FROM n;"
        "INSERT INTO source (source, kind, rank) VALUES ('s', 'user', 50), ('abdb-run', 'user', 1);"
        "INSERT INTO point VALUES (1, 1, 1);"
        "INSERT INTO name SELECT 'model', 'm' || i, 1, 'm' || i, 'm' || i, NULL, 1, 'm' || i,"
        "  'canon' FROM n WHERE i < 24;"
        "INSERT INTO name SELECT 'device', 'd' || i, 1, 'd' || i, 'd' || i, NULL, 1, 'd' || i,"
        "  'canon' FROM n WHERE i < 40;"
        "INSERT INTO quantity (quantity_id, metric, statistic, unit) VALUES"
        "  (1, 'tokens_per_s', 'value', 'token/s'), (2, 'time_s', 'median', 's'),"
        "  (3, 'loss', 'value', '1');"
        "INSERT INTO description (description_id, description_key, description_key_low, evidence,"
        "  kind, suite, round, workload, model, scenario, device, source) SELECT i + 1, i, i,"
        "  'mlperf', 'statement', 'inference', 'v' || (i / 5 %% 9) || '.0', 'm' || (i %% 24),"
        "  'm' || (i %% 24), 'Server', 'd' || (i %% 40), 's' FROM n;"
        "INSERT INTO description (description_id, description_key, description_key_low, evidence,"
        "  kind, workload, device, backend, dtype, tag, campaign, source) SELECT 1000000 + i,"
        "  1000000 + i, i, 'measured', 'run', 'gpt-train', 'd' || (i %% 4), 'ref', 'f32', 't' || i,"
        "  'c' || i, 'abdb-run' FROM n WHERE i < 20;"
        "INSERT INTO entry_row (entry_id, entry_key, entry_key_low, description_id, point_id)"
        "  SELECT i + 1, i, i, i + 1, 1 FROM n;"
        "INSERT INTO entry_row (entry_id, entry_key, entry_key_low, description_id, point_id, date,"
        "  cell) SELECT 1000000 + i, 1000000 + i, i, 1000000 + i * 20 / %d, 1,"
        "  printf('2026-01-%%02d', 1 + i * 20 / %d), 'cell ' || i FROM n;"
        "INSERT INTO result_row (result_id, entry_id, ordinal, quantity_id, value)"
        "  SELECT entry_id, entry_id, 0, CASE WHEN entry_id < 1000000 THEN 1 ELSE 2 END, 1"
        "  FROM entry_row;"
        "INSERT INTO result_row (result_id, entry_id, ordinal, quantity_id, value, x)"
        "  SELECT 9000000, max(entry_id), 1, 3, 2.5, 1 FROM entry_row;"
        "ANALYZE;" /* of the file before its first workload came */
        "INSERT INTO span (entry_id, place, span, calls, time_s)"
        "  SELECT max(entry_id), 1, 'forward', 1, 1 FROM entry_row";
    char *all = sqlite3_mprintf(sql, statements, statements, statements);
    abdb_error err;
    abdb_db *db;

    snprintf(path, sizeof path, "/tmp/abdb-answers-%d.db", (int)getpid());
    unlink(path);
    assert_ok(abdb_db_open(&db, path, ABDB_CREATE, &err));
    assert_ok(abdb_db_exec(db, all, &err));
    sqlite3_free(all);
    abdb_db_close(db);
    assert_ok(abdb_db_open(&db, path, ABDB_READ, &err));
    sqlite3_trace_v2(db->sql, SQLITE_TRACE_PROFILE, trace_add_vm_steps_of_statement, NULL);
    unlink(path);
    return db;
}

/* Steps of a list of values, and how many there are. */
static long long count_vm_steps_of_value_list_query(abdb_db *db, const char *sql, size_t *rows_out)
{
    abdb_table list = {0};
    abdb_error err;

    steps = 0;
    assert_ok(abdb_query_to_table(db->sql, sql, NULL, &list, &err));
    *rows_out = list.rows;
    abdb_table_free(&list);
    return steps;
}

static void test_option_values_cost_same_in_large_file(void **state)
{
    abdb_db *few = create_filled_db_counting_vm_steps(PARTS),
            *many = create_filled_db_counting_vm_steps(PARTS * MORE);
    abdb_arena arena = {0};
    const char *names[NAMES_MAX];
    size_t reports = abdb_list_own_and_shipped_report_names(names, NAMES_MAX, &arena), asked = 0,
           rows, again;
    abdb_error err;

    (void)state;
    count_vm_steps_of_value_list_query(few, "SELECT DISTINCT evidence FROM entry", &rows);
    long long scan = steps;
    assert_true(count_vm_steps_of_value_list_query(many, "SELECT DISTINCT evidence FROM entry",
                                                   &again) > 3 * scan);
    for (size_t i = 0; i < reports; i++) {
        abdb_report report;

        assert_ok(abdb_report_load(&report, names[i], &err));
        for (size_t p = 0; p < report.params; p++) {
            const char *sql = report.param[p].values;
            long long before, after;

            /* An index of scenarios alone would cost every description a dozen bytes. */
            if (!sql || strcmp(report.param[p].name, "scenario") == 0) continue;
            before = count_vm_steps_of_value_list_query(few, sql, &rows);
            after = count_vm_steps_of_value_list_query(many, sql, &again);
            if (rows != again || after > before + before / 2 + 500)
                fail_msg("%s --%s: %zu values in %lld steps, %zu in %lld where the file has %d"
                         " times as much",
                         names[i], report.param[p].name, rows, before, again, after, MORE);
            asked++;
        }
        abdb_report_free(&report);
    }
    assert_true(asked > 50);
    abdb_arena_free(&arena);
    abdb_db_close(few);
    abdb_db_close(many);
}

/* Steps of a report of the last command. */
static long long count_vm_steps_of_report_of_last_command(abdb_db *db, const char *name)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_table table = {0};
    abdb_report report;
    abdb_error err;

    assert_ok(abdb_report_load(&report, name, &err));
    assert_ok(abdb_restrict_db_to_reads_begin_deadline(db, 0, &err));
    steps = 0;
    assert_ok(abdb_report_run_into_table(db, &report, value, &table, &err));
    assert_int_equal(table.rows, 1);
    abdb_table_free(&table);
    abdb_report_free(&report);
    return steps;
}

static void test_last_command_report_reads_one_command(void **state)
{
    static const char *const names[] = {"loss", "breakdown"};
    abdb_db *few = create_filled_db_counting_vm_steps(PARTS),
            *many = create_filled_db_counting_vm_steps(PARTS * MORE);

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        long long before = count_vm_steps_of_report_of_last_command(few, names[i]),
                  after = count_vm_steps_of_report_of_last_command(many, names[i]);
        /* the last command is read whole: a twentieth of what came */
        long long runs = PARTS * (MORE - 1) / 20;

        if (after > before + 60 * runs)
            fail_msg("%s: %lld steps, %lld where the file has %d times as much", names[i], before,
                     after, MORE);
    }
    abdb_db_close(few);
    abdb_db_close(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_option_values_cost_same_in_large_file),
        cmocka_unit_test(test_last_command_report_reads_one_command)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
