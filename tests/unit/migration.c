/* migration.c - an older database is brought up to date, by a next version that is made up. With a
 * path as its argument the program migrates that file, for tests that kill it or make a call fail:
 * exit code 0 when the file is of the next version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/store/db.h"
#include "tests/unit/check.h"

static char folder[64], path[128];

static int create_scratch_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/abdb-migration-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/t.db", folder);
    return 0;
}

static int reset_schema_remove_scratch_folder(void **state)
{
    char command[128];

    (void)state;
    abdb_schema_override_for_tests(NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void assert_open_fails_with_message(abdb_mode mode, const char *message)
{
    abdb_db *db = NULL;
    abdb_error err = {0};

    assert_int_not_equal(abdb_db_open(&db, path, mode, &err), ABDB_OK);
    if (!strstr(err.message, message)) fail_msg("'%s' does not say '%s'", err.message, message);
}

/* A next version that is made up, another table and a column: its file stands behind the real
 * ones. */
static const abdb_embedded *migrations_plus_one_more(const char *name, const char *text)
{
    static abdb_embedded list[32];
    int n = 0;

    for (; abdb_migrations[n].name; n++) list[n] = abdb_migrations[n];
    list[n] = (abdb_embedded){name, text};
    list[n + 1] = (abdb_embedded){NULL, NULL};
    return list;
}

static const abdb_embedded *migrations_up_to_next_version(void)
{
    return migrations_plus_one_more("999_gadget.sql",
                                    "CREATE TABLE gadget (gadget TEXT NOT NULL PRIMARY KEY) STRICT;"
                                    "ALTER TABLE source ADD COLUMN colour TEXT;");
}

/* schema/ddl as it would be then. */
static const abdb_embedded *ddl_of_next_version(void)
{
    static const char before[] = "\n) STRICT;"; /* the first table is source */
    static abdb_embedded list[32];
    static char text[1 << 16];
    const char *end = strstr(abdb_ddl[0].text, before);

    assert_non_null(end);
    snprintf(text, sizeof text,
             "%.*s\n    , colour TEXT -- its colour%s\n"
             "CREATE TABLE gadget ( gadget TEXT NOT NULL PRIMARY KEY )\nSTRICT;",
             (int)(end - abdb_ddl[0].text), abdb_ddl[0].text, end);
    for (int i = 0; abdb_ddl[i].name; i++) list[i] = abdb_ddl[i];
    list[0].text = text;
    return list;
}

static const abdb_embedded *migrations_with_failing_one(void)
{
    return migrations_plus_one_more("999_wrong.sql",
                                    "CREATE TABLE gadget (gadget TEXT); CREATE TABLE source (x)");
}

static void create_db_of_current_version_with_source(void)
{
    abdb_db *db = NULL;
    abdb_error err = {0};

    assert_ok(abdb_db_open(&db, path, ABDB_CREATE, &err));
    assert_ok(abdb_db_exec(db, "INSERT INTO source (source, kind) VALUES ('old', 'blog')", &err));
    abdb_db_close(db);
}

static int current_schema_version(void)
{
    int n = 1;

    while (abdb_migrations[n - 1].name) n++;
    return n;
}

static void format_backup_path(char out[160])
{
    snprintf(out, 160, "%s.v%d.bak", path, current_schema_version());
}

static void test_migration_keeps_rows_and_a_backup(void **state)
{
    abdb_db *db = NULL;
    abdb_error err = {0};
    sqlite3_int64 n;
    char backup[160];
    struct stat info;

    (void)state;
    create_db_of_current_version_with_source();
    abdb_schema_override_for_tests(ddl_of_next_version(), migrations_up_to_next_version());
    assert_open_fails_with_message(ABDB_READ, "migrates it");
    assert_ok(abdb_db_open(&db, path, ABDB_WRITE, &err));
    assert_int_equal(db->migrated, current_schema_version());
    assert_ok(abdb_db_query_integer_or_0(db, "PRAGMA user_version", &n, &err));
    assert_int_equal(n, current_schema_version() + 1);
    assert_ok(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM gadget", &n, &err));
    assert_ok(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM v_source WHERE source = 'old'",
                                         &n, &err));
    assert_int_equal(n, 1);
    abdb_db_close(db);
    format_backup_path(backup);
    assert_int_equal(stat(backup, &info), 0);
    abdb_schema_override_for_tests(NULL, NULL);
    assert_open_fails_with_message(ABDB_READ, "newer abdb");
}

/* A migration that fails leaves the file as it was, and the next one is tried again. */
static void test_failed_migration_changes_nothing(void **state)
{
    abdb_db *db = NULL;
    abdb_error err = {0};
    char backup[160];

    (void)state;
    create_db_of_current_version_with_source();
    abdb_schema_override_for_tests(NULL, migrations_with_failing_one());
    assert_open_fails_with_message(ABDB_WRITE, "schema/migrations/999_wrong.sql");
    abdb_schema_override_for_tests(NULL, NULL);
    assert_ok(abdb_db_open(&db, path, ABDB_WRITE, &err));
    assert_int_equal(db->migrated, 0);
    assert_ok(abdb_db_exec(db, "INSERT INTO source (source, kind) VALUES ('new', 'blog')", &err));
    abdb_db_close(db);
    abdb_schema_override_for_tests(ddl_of_next_version(), migrations_up_to_next_version());
    assert_open_fails_with_message(
        ABDB_WRITE, "in the way of a backup"); /* the good one of before: nobody's to delete */
    format_backup_path(backup);
    unlink(backup);
    assert_ok(abdb_db_open(&db, path, ABDB_WRITE, &err));
    assert_int_equal(db->migrated, current_schema_version());
    abdb_db_close(db);
    abdb_schema_override_for_tests(NULL, NULL);
}

/* Nothing came since the backup of a migration that failed: the next one takes it for its own. */
static void test_backup_of_unchanged_file_is_reused(void **state)
{
    abdb_db *db = NULL;
    abdb_error err = {0};
    char backup[160];
    struct stat before, after;

    (void)state;
    create_db_of_current_version_with_source();
    abdb_schema_override_for_tests(NULL, migrations_with_failing_one());
    assert_open_fails_with_message(ABDB_WRITE, "schema/migrations/999_wrong.sql");
    format_backup_path(backup);
    assert_int_equal(stat(backup, &before), 0);
    abdb_schema_override_for_tests(ddl_of_next_version(), migrations_up_to_next_version());
    assert_ok(abdb_db_open(&db, path, ABDB_WRITE, &err));
    assert_int_equal(db->migrated, current_schema_version());
    abdb_db_close(db);
    abdb_schema_override_for_tests(NULL, NULL);
    assert_int_equal(stat(backup, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
}

/* What a backup that was killed leaves behind does not stand in the way. */
static void test_partial_backup_is_replaced(void **state)
{
    abdb_db *db = NULL;
    abdb_error err = {0};
    char backup[160], part[176];
    FILE *file;

    (void)state;
    create_db_of_current_version_with_source();
    format_backup_path(backup);
    /* no process has this number: it is above the largest that Linux gives */
    snprintf(part, sizeof part, "%.*s/.%s.2147483647-00000000.part",
             (int)(strrchr(backup, '/') - backup), backup, strrchr(backup, '/') + 1);
    file = fopen(part, "w");
    assert_non_null(file);
    fputs("half", file);
    fclose(file);
    abdb_schema_override_for_tests(ddl_of_next_version(), migrations_up_to_next_version());
    assert_ok(abdb_db_open(&db, path, ABDB_WRITE, &err));
    assert_int_equal(db->migrated, current_schema_version());
    abdb_db_close(db);
    abdb_schema_override_for_tests(NULL, NULL);
    assert_int_equal(access(backup, F_OK), 0);
    assert_int_not_equal(access(part, F_OK), 0);
}

static int migrate_file_to_made_up_version_return_code(const char *file)
{
    abdb_db *db = NULL;
    abdb_error err = {0};
    abdb_status st;

    abdb_schema_override_for_tests(ddl_of_next_version(), migrations_up_to_next_version());
    st = abdb_db_open(&db, file, ABDB_WRITE, &err);
    abdb_db_close(db);
    if (st != ABDB_OK) fprintf(stderr, "%s\n", err.message);
    return abdb_exit_code(st);
}

int main(int argc, char **argv)
{
#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, create_scratch_folder, reset_schema_remove_scratch_folder)
    const struct CMUnitTest tests[] = {
        TEST(test_migration_keeps_rows_and_a_backup), TEST(test_failed_migration_changes_nothing),
        TEST(test_backup_of_unchanged_file_is_reused), TEST(test_partial_backup_is_replaced)};

    if (argc > 1) return migrate_file_to_made_up_version_return_code(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
