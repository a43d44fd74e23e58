/* derive.c - property test: names, subjects, ceilings and withdrawals kept up to date step by step
 * are those of a rebuild, whatever the order of statements, the size of units, and when aliases and
 * withdrawals come. ROUNDS=, SEED= and TEST= (a pattern of names) may be set. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "schema/store/derive.h"
#include "tests/unit/random_statements.h"

enum { STATEMENTS = 40 };

/* Takes back a file, or an entry by its key; or lets one count again. */
static void withdraw_or_restore_random_target(void)
{
    static const char *const targets[] = {
        "SELECT sha256 FROM artifact ORDER BY sha256 LIMIT 1 OFFSET %u",
        "SELECT format('e-%%016x%%016x', entry_key, entry_key_low) FROM entry_row"
        " ORDER BY entry_key LIMIT 1 OFFSET %u",
        "SELECT target FROM withdrawal GROUP BY target ORDER BY target LIMIT 1 OFFSET %u"};
    abdb_error err = {0};
    unsigned which = random_below(3);
    char *sql = sqlite3_mprintf(targets[which], which == 2 ? random_below(2) : random_below(8));

    assert_ok(abdb_withdrawal_insert_events_changing_state(
        db, which == 2 ? "restored" : "withdrawn", sql, "no", &err));
    assert_ok(abdb_derive_mark_stale(db, "gone", &err));
    sqlite3_free(sql);
}

/* Which of the questions below ever had an answer; no statement here names a device with a
 * decoration. */
enum { NAME_FACTORS = 1 };
static bool answered[5];

/* All derived rows as one text. */
static char *derived_rows_as_text(void)
{
    /* Whatever number a row has by chance is left out or follows from the content: both texts must
     * be equal. */
    static const char *const questions[] = {
        "SELECT group_concat(q, char(10)) FROM (SELECT kind || '|' || spelling || '|' || part || "
        "'|'"
        " || canon || '|' || folded || '|' || parts || '|' || whole || '|' || how AS q FROM name"
        " ORDER BY 1)",
        "SELECT group_concat(q, char(10)) FROM (SELECT spelling || '|' || factor || '|' || text"
        " AS q FROM name_factor ORDER BY 1)",
        "SELECT group_concat(q, char(10)) FROM (SELECT kind || id AS q FROM gone ORDER BY 1)",
        "SELECT group_concat(q, char(10)) FROM (SELECT result_id || '|' || subject || '|' ||"
        " preferred || '|' || sources || '|' || disagree || '|' || flags || '|' ||"
        " coalesce(public_id, '') || '|' || verified AS q FROM subject ORDER BY result_id)",
        "SELECT group_concat(result_id, char(10)) FROM (SELECT result_id FROM ceiling_best"
        " ORDER BY 1)"};
    abdb_text out = {0};

    for (int i = 0; i < 5; i++) {
        sqlite3_stmt *s = NULL;

        assert_int_equal(sqlite3_prepare_v2(db->sql, questions[i], -1, &s, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        answered[i] |= sqlite3_column_text(s, 0) != NULL;
        abdb_text_printf(&out, "%s\n--\n",
                         sqlite3_column_text(s, 0) ? (const char *)sqlite3_column_text(s, 0) : "");
        sqlite3_finalize(s);
    }
    return out.data;
}

/* One life of a database: units, aliases and withdrawals in any order. */
static void import_all_in_random_units_aliases_withdrawals(const statement *s)
{
    size_t at = 0;

    while (at < STATEMENTS) {
        size_t size = 1 + random_below(4);
        abdb_error err = {0};

        if (at + size > STATEMENTS) size = STATEMENTS - at;
        import_statements_as_file_unless_known(s, at, at + size);
        at += size;
        /* An alias or the rank of a source after one file in eight, a withdrawal after one in
         * five, the same file again after one in four, and an update after two in three: the
         * rest waits for a later one. */
        if (random_below(8) == 0) import_nth_model_alias_pair(random_below(3));
        if (random_below(5) == 0) withdraw_or_restore_random_target();
        if (random_below(8) == 0) import_source_rank(random_below(3), 10 + 40 * random_below(3));
        if (random_below(4) == 0) { /* says again what was said */
            size_t from = random_below((unsigned)at);

            import_statements_as_file_unless_known(s, from,
                                                   from + 1 + random_below((unsigned)(at - from)));
        }
        if (random_below(3))
            assert_ok(abdb_derive_update_in_transaction_if_behind(db, false, &err));
    }
}

static void test_stepwise_derivation_equals_rebuild(void **state)
{
    long rounds = getenv("ROUNDS") ? atol(getenv("ROUNDS")) : 40;
    unsigned seed = getenv("SEED") ? (unsigned)atol(getenv("SEED")) : (unsigned)time(NULL);
    statement s[STATEMENTS];

    (void)state;
    for (long i = 0; i < rounds; i++) {
        abdb_error err = {0};
        char *kept, *made;

        random_state = seed + (unsigned)i;
        for (size_t k = 0; k < STATEMENTS; k++) draw_random_statement(&s[k]);
        create_store();
        import_all_in_random_units_aliases_withdrawals(s);
        assert_ok(abdb_derive_update_in_transaction_if_behind(db, false, &err));
        kept = derived_rows_as_text();
        assert_ok(abdb_derive_update_in_transaction_if_behind(db, true, &err));
        made = derived_rows_as_text();
        if (strcmp(kept, made) != 0)
            fail_msg("SEED=%u ROUNDS=1: kept up to date\n%s\nrebuilt\n%s", seed + (unsigned)i, kept,
                     made);
        free(kept);
        free(made);
        close_and_delete_store();
    }
    /* What is never derived would agree, too; a single round may well have none. */
    for (int i = 0; rounds >= 40 && i < 5; i++) assert_true(answered[i] || i == NAME_FACTORS);
}

/* Events of three files about the same facts, some of one date, as another clock dates them. */
static void insert_random_withdrawal_events_and_derive(void)
{
    static const char *const dates[] = {"2026",
                                        "2026-01-01",
                                        "2026-01-01/2026-02-01",
                                        "2026-01-01T10:00:00Z",
                                        "2026-01-01T10:00Z",
                                        "2031-01-01",
                                        "2026-01-01T10:00:00.5Z"};
    abdb_error err = {0};

    for (unsigned i = random_below(5); i < 6; i++) {
        char *sql = sqlite3_mprintf(
            "INSERT OR IGNORE INTO withdrawal (target, reason, date, event) SELECT"
            " format('e-%%016x%%016x', entry_key, entry_key_low), 'r%u', %Q, %Q FROM entry_row"
            " ORDER BY entry_key LIMIT 1 OFFSET %u",
            random_below(3), dates[random_below(7)], random_below(2) ? "withdrawn" : "restored",
            random_below(3));

        assert_ok(abdb_db_exec(db, sql, &err));
        sqlite3_free(sql);
    }
    assert_ok(abdb_derive_mark_stale(db, "gone", &err));
    if (random_below(2)) withdraw_or_restore_random_target();
    assert_ok(abdb_derive_update_in_transaction_if_behind(db, false, &err));
}

/* What is withdrawn and why, and what that leaves out, by keys. */
static char *withdrawals_and_their_keys_as_text(void)
{
    static const char question[] =
        "SELECT (SELECT group_concat(target || date || event || reason) FROM (SELECT * FROM"
        " withdrawal ORDER BY target, date, event, reason)) || char(10) || coalesce((SELECT"
        " group_concat(target || date || reason) FROM (SELECT * FROM withdrawn ORDER BY 1)), '')"
        " || char(10) || coalesce((SELECT group_concat(key) FROM (SELECT key FROM gone_fact"
        " ORDER BY 1)), '')";
    sqlite3_stmt *s = NULL;
    char *text;

    assert_int_equal(sqlite3_prepare_v2(db->sql, question, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    text = sqlite3_mprintf("%s", sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    return text;
}

/* Merged in any order they agree on what is withdrawn, and on why. */
static void test_merge_order_does_not_change_withdrawals(void **state)
{
    static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    unsigned seed = getenv("SEED") ? (unsigned)atol(getenv("SEED")) : (unsigned)time(NULL);
    char part[3][80], *first = NULL;
    abdb_error err = {0};
    statement s[8];

    (void)state;
    random_state = seed;
    for (size_t k = 0; k < 8; k++) draw_random_statement(&s[k]);
    for (int i = 0; i < 3; i++) {
        create_store();
        import_statements_as_file_unless_known(s, 0, 8);
        assert_ok(abdb_derive_update_in_transaction_if_behind(db, false, &err));
        insert_random_withdrawal_events_and_derive();
        abdb_writer_rollback_and_close(writer);
        abdb_db_close(db);
        snprintf(part[i], sizeof part[i], "%s.%d", path, i);
        assert_int_equal(rename(path, part[i]), 0);
    }
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        abdb_counts counts;
        char *now;

        create_store();
        for (int i = 0; i < 3; i++)
            assert_ok(abdb_merge_database(db, part[orders[o][i]], &counts, &err));
        assert_ok(abdb_derive_update_in_transaction_if_behind(db, false, &err));
        now = withdrawals_and_their_keys_as_text();
        close_and_delete_store();
        if (first && strcmp(first, now) != 0) fail_msg("SEED=%u:\n%s\n\n%s", seed, first, now);
        sqlite3_free(first);
        first = now;
    }
    sqlite3_free(first);
    for (int i = 0; i < 3; i++) unlink(part[i]);
}

/* What is said last holds, whatever was said before, and whatever date that bore. */
static void test_last_withdrawal_event_holds_and_repeats_add_none(void **state)
{
    static const char *const dates[] = {"2031",
                                        "2031-05",
                                        "2031-05-03/2031-07-01",
                                        "2031-05-03T10:11Z",
                                        "2031-12-31T23:59:59.5Z",
                                        "2024-02-29"};
    statement s;
    abdb_error err = {0};

    (void)state;
    create_store();
    random_state = 1;
    draw_random_statement(&s);
    import_statements_as_file_unless_known(&s, 0, 1);
    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        sqlite3_int64 held = -1, events = -1;
        char *sql =
            sqlite3_mprintf("DELETE FROM withdrawal; INSERT INTO withdrawal (target, reason,"
                            " date) VALUES ('t', 'why', %Q)",
                            dates[i]);

        assert_ok(abdb_db_exec(db, sql, &err));
        sqlite3_free(sql);
        for (int k = 0; k < 6; k++) { /* each says it twice: the second time it is nothing new */
            assert_ok(abdb_withdrawal_insert_events_changing_state(
                db, k / 2 % 2 ? "withdrawn" : "restored", "SELECT 't'", "again", &err));
            assert_ok(
                abdb_db_query_integer_or_0(db, "SELECT count(*) FROM withdrawn", &held, &err));
            assert_int_equal(held, k / 2 % 2);
            assert_ok(
                abdb_db_query_integer_or_0(db, "SELECT count(*) FROM withdrawal", &events, &err));
            assert_int_equal(events, 2 + k / 2);
        }
    }
    close_and_delete_store();
}

static void fail_aggregate_step(sqlite3_context *context, int count, sqlite3_value **value)
{
    (void)count;
    (void)value;
    sqlite3_result_error(context, "planted", -1);
}

static void set_no_aggregate_result(sqlite3_context *context)
{
    (void)context;
}

/* Where the names of systems of several devices cannot be listed, they do not stay unresolved as
 * if they meant nothing: the derivation fails. */
static void test_failed_list_of_mixed_systems_is_an_error(void **state)
{
    abdb_arena arena = {0};
    abdb_error err = {0};
    const char *meaning;

    (void)state;
    create_store();
    assert_ok(abdb_db_exec(db,
                           "INSERT INTO decoration VALUES (1, 'pcie', 'kind', 'pcie', NULL, NULL,"
                           " 's', 'l')",
                           &err));
    assert_ok(
        abdb_name_resolve_without_storing(db, "device", "A100 + H100", &arena, &meaning, &err));
    assert_int_equal(sqlite3_create_function(db->sql, "group_concat", 2, SQLITE_UTF8, NULL, NULL,
                                             fail_aggregate_step, set_no_aggregate_result),
                     SQLITE_OK);
    assert_int_equal(
        abdb_name_resolve_without_storing(db, "device", "A100 + H100", &arena, &meaning, &err),
        ABDB_DB);
    assert_non_null(strstr(err.message, "planted"));
    abdb_arena_free(&arena);
    close_and_delete_store();
}

/* A source that says one name thousands of times: twice as many rows take about twice the time. */
static double cpu_seconds_to_derive_rows_of_one_name(size_t rows)
{
    statement one = {
        .system = "S", .model = "m", .source = "a", .round = "v1.0", .id = "", .devices = "8"};
    abdb_import_file unit = {
        .path = "x", .format = "test", .overrides = "", .data = "x", .size = 1};
    struct timespec from, to;
    abdb_counts counts;
    abdb_error err = {0};
    int known;

    create_store();
    assert_ok(abdb_writer_begin_file_unless_known(writer, &unit, &known, &counts, &err));
    for (size_t i = 0; i < rows; i++) {
        one.value = 1000 + (double)i;
        snprintf(one.raw, sizeof one.raw, "%.1f", one.value);
        send_statement_entry_to_writer(&one, i);
    }
    assert_ok(abdb_writer_commit_and_withdraw_replaced_imports(writer, &counts, &err));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    assert_ok(abdb_derive_update_in_transaction_if_behind(db, false, &err));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    close_and_delete_store();
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static void test_derivation_is_linear_in_rows_of_name(void **state)
{
    double few = cpu_seconds_to_derive_rows_of_one_name(4000),
           many = cpu_seconds_to_derive_rows_of_one_name(32000);

    (void)state;
    /* 8 is linear, 64 quadratic; room for a busy machine and a coarse clock. */
    if (many > 24 * few + 0.05)
        fail_msg("8 times as many rows of one name took %.1f times as long (%.3f s, %.3f s)",
                 many / few, few, many);
}

static sqlite3_int64 steps; /* of SQLite's machine, of all statements that ended */

static int trace_add_vm_steps_of_statement(unsigned event, void *context, void *statement_at,
                                           void *time)
{
    (void)event, (void)context, (void)time;
    /* Steps rather than seconds: they are the same on every machine and at every load. */
    steps += sqlite3_stmt_status(statement_at, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
}

/* Statements from number `from` on as one file; every hundred are of a round of their own. */
static void import_numbered_statements_and_derive(size_t from, size_t count)
{
    char bytes[32];
    statement s = {.system = "S", .model = "m", .source = "a", .devices = "8", .value = 10};
    abdb_import_file unit = {
        .path = "x", .format = "test", .overrides = "", .data = bytes, .importer = 1};
    abdb_counts counts;
    abdb_error err = {0};
    int known;

    unit.size = (size_t)snprintf(bytes, sizeof bytes, "%zu %zu", from, count);
    assert_ok(abdb_writer_begin_file_unless_known(writer, &unit, &known, &counts, &err));
    for (size_t i = from; i < from + count; i++) {
        snprintf(s.round, sizeof s.round, "v%zu", i / 100);
        snprintf(s.id, sizeof s.id, "%zu", i % 100);
        s.ceiling = i % 2 ? NULL : "peak_flops";
        s.value = 10 + (double)i;
        send_statement_entry_to_writer(&s, i);
    }
    assert_ok(abdb_writer_commit_and_withdraw_replaced_imports(writer, &counts, &err));
    assert_ok(abdb_derive_update_in_transaction_if_behind(db, false, &err));
}

/* The least steps and pages written of five files of two statements. */
static void least_steps_and_pages_of_importing_two(size_t from, sqlite3_int64 *least_steps,
                                                   int *least_pages)
{
    *least_steps = INT64_MAX;
    *least_pages = INT_MAX;
    for (size_t i = 0; i < 5; i++) {
        int before = 0, pages = 0, ignored;

        steps = 0;
        sqlite3_db_status(db->sql, SQLITE_DBSTATUS_CACHE_WRITE, &before, &ignored, 0);
        import_numbered_statements_and_derive(from + 100 * i, 2);
        sqlite3_db_status(db->sql, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &ignored, 0);
        if (steps < *least_steps) *least_steps = steps;
        if (pages - before < *least_pages) *least_pages = pages - before;
    }
}

/* What a row costs does not grow with what is there, some of it withdrawn. (The planner would read
 * all descriptions for a filter, did it not know that the new ones are few.) Pages: a level more of
 * an index is one more. */
static void test_import_cost_does_not_grow_with_file(void **state)
{
    sqlite3_int64 few_steps, many_steps;
    abdb_error err = {0};
    int few_pages, many_pages;

    (void)state;
    create_store();
    sqlite3_trace_v2(db->sql, SQLITE_TRACE_PROFILE, trace_add_vm_steps_of_statement, NULL);
    for (size_t i = 0; i < 2000; i += 1000) import_numbered_statements_and_derive(i, 1000);
    assert_ok(abdb_withdrawal_insert_events_changing_state(
        db, "withdrawn",
        "SELECT format('e-%016x%016x', entry_key,"
        " entry_key_low) FROM entry_row WHERE entry_id % 200 = 7",
        "no", &err));
    assert_ok(abdb_derive_mark_stale(db, "gone", &err));
    assert_ok(abdb_derive_update_in_transaction_if_behind(db, false, &err));
    least_steps_and_pages_of_importing_two(2000, &few_steps, &few_pages);
    for (size_t i = 3000; i < 40000; i += 1000) import_numbered_statements_and_derive(i, 1000);
    least_steps_and_pages_of_importing_two(50000, &many_steps, &many_pages);
    close_and_delete_store();
    if (many_steps > few_steps + few_steps / 4 || many_pages > few_pages + 8)
        fail_msg("two rows beside 2,000 take %lld steps and %d pages, beside 40,000 %lld and %d",
                 (long long)few_steps, few_pages, (long long)many_steps, many_pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stepwise_derivation_equals_rebuild),
        cmocka_unit_test(test_merge_order_does_not_change_withdrawals),
        cmocka_unit_test(test_last_withdrawal_event_holds_and_repeats_add_none),
        cmocka_unit_test(test_failed_list_of_mixed_systems_is_an_error),
        cmocka_unit_test(test_derivation_is_linear_in_rows_of_name),
        cmocka_unit_test(test_import_cost_does_not_grow_with_file)};

    cmocka_set_test_filter(getenv("TEST"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
