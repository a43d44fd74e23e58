/* powercut.c - a power cut at each sync of a verb that writes: what was not synced is lost, in part
 * or whole, and the database that is left opens, is sound, and is as it was before or after one of
 * the transactions. powercut_vfs.h says what a cut can leave.
 *
 * $POWERCUTS: how many random parts are tried at each moment (2), $SEED: of what chance. A long
 * verb is cut at SAMPLED_SYNCS of its syncs, drawn anew each time; THOROUGH: at each. The states
 * that are allowed are those of a program that ends at the moment of a commit, with all that was
 * written. */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "query/cli/command_line.h"
#include "tests/unit/powercut_vfs.h"

enum { WORDS = 16, STATES_MAX = 4096, SAMPLED_SYNCS = 6 };

/* --- a verb ----------------------------------------------------------------------------------- */

static char states[STATES_MAX][200];
static size_t state_count;

/* The states after each commit, as far as the program came. */
static void collect_db_digests_at_commits(const char *place)
{
    state_count = 0;
    for (size_t i = 0; i <= record.count; i++)
        if (i == record.count || record.item[i].kind == COMMIT) {
            assert_true(state_count < STATES_MAX);
            write_files_as_left_by_cut(i, ALL, 0, place);
            sha256_of_all_rows_or_damage_text(place, states[state_count++]);
            if (strncmp(states[state_count - 1], "damaged", 7) == 0)
                fail_msg("killed at step %zu: %s", i, states[state_count - 1]);
        }
}

static bool is_digest_of_a_commit_so_far(const char *found, size_t last_commit)
{
    for (size_t i = 0; i <= last_commit && i < state_count; i++)
        if (strcmp(states[i], found) == 0) return true;
    return false;
}

static bool is_sync_or_deletion(step_kind kind)
{
    return kind == SYNC || kind == DELETE || kind == DELETE_SYNCED;
}

/* Every how many syncs one is cut: 1 with THOROUGH, else so that about SAMPLED_SYNCS are. */
static size_t syncs_per_sampled_cut(void)
{
    size_t syncs = 0;

    if (getenv("THOROUGH") && *getenv("THOROUGH")) return 1;
    for (size_t i = 0; i < record.count; i++) syncs += is_sync_or_deletion(record.item[i].kind);
    return (syncs + SAMPLED_SYNCS - 1) / SAMPLED_SYNCS;
}

/* Cuts the power in front of each sync and deletion and after it, in all ways; in front of
 * and after a sample of them where there are many. Returns how often that left what is not allowed;
 * `cuts`: how many there were. */
static size_t cut_power_at_syncs_count_wrong_states(int unsynced_files, size_t *cuts)
{
    size_t distance = unsynced_files ? 1 : syncs_per_sampled_cut(), syncs = 0;
    size_t first = distance ? (size_t)rand() % distance : 0;
    const char *random = getenv("POWERCUTS");
    int parts = random ? atoi(random) : 2;
    char place[160], found[200];
    size_t commits = 0, wrong = 0;

    snprintf(place, sizeof place, "%s/cut.db", folder);
    collect_db_digests_at_commits(place);
    *cuts = 0;
    for (size_t i = 0; i < record.count; i++) {
        step_kind now = record.item[i].kind;

        commits += now == COMMIT;
        if (!is_sync_or_deletion(now) || syncs++ % distance != first) continue;
        for (size_t cut = i; cut <= i + 1; cut++)
            for (int p = 0; p < 2 + parts; p++) {
                write_files_as_left_by_cut(cut, p < 2 ? (loss_policy)p : PART, unsynced_files,
                                           place);
                sha256_of_all_rows_or_damage_text(place, found);
                ++*cuts;
                if (is_digest_of_a_commit_so_far(found, commits)) continue;
                wrong++;
                if (!unsynced_files)
                    print_error("step %zu of %zu, way %d: %s\n", cut, record.count, p, found);
            }
    }
    return wrong;
}

/* Was a page of the rollback journal written? */
static bool journal_page_was_recorded(void)
{
    for (size_t i = 0; i < record.count; i++)
        if (record.item[i].kind == WRITE && record.item[i].file == 2 &&
            record.item[i].size > SECTOR)
            return true;
    return false;
}

/* The number of its records is what makes a journal count. Is it written, each time, only when the
 * records are synced? SQLite's checksum looks at every 200th byte alone, so chance finds this
 * mistake in one of some hundred cuts. */
static bool is_journal_synced_before_record_count(void)
{
    enum { MAGIC_AND_NUMBER = 12 };
    bool synced = true;

    for (size_t i = 0; i < record.count; i++) {
        const recorded_step *s = &record.item[i];

        if (s->file != 2) continue;
        if (s->kind == WRITE && s->size == MAGIC_AND_NUMBER && !synced) return false;
        synced = s->kind != WRITE;
    }
    return true;
}

/* Runs `abdb WORDS` with what it prints going nowhere; its exit code. */
static int run_verb_without_stdout_return_code(int (*verb)(int argc, char **argv),
                                               const char *const *words)
{
    char *argv[WORDS + 1] = {0};
    int argc = 0, out = dup(STDOUT_FILENO), code, null = open("/dev/null", O_WRONLY);

    for (; words[argc]; argc++) argv[argc] = strdup(words[argc]);
    fflush(stdout);
    dup2(null, STDOUT_FILENO);
    code = verb(argc, argv);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    close(null);
    for (int i = 0; i < argc; i++) free(argv[i]);
    return code;
}

static void free_recording_and_begin_images(void)
{
    for (size_t i = 0; i < record.count; i++) free(record.item[i].data);
    free(record.item);
    memset(&record, 0, sizeof record);
    for (int f = 0; f < FILES; f++) free(begin[f].data);
    memset(begin, 0, sizeof begin);
}

/* Records a verb, then tries each cut. After the verb itself nothing that it did can be lost. */
static void assert_verb_survives_power_cuts(const char *label, int (*verb)(int argc, char **argv),
                                            const char *const *words, size_t least_commits)
{
    char name[200], place[160], found[200];
    size_t cuts, wrong;

    free_recording_and_begin_images();
    for (int f = 0; f < FILES; f++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[f]);
        read_file_into_image(&begin[f], name);
    }
    record.on = true;
    assert_int_equal(run_verb_without_stdout_return_code(verb, words), 0);
    record.on = false;
    wrong = cut_power_at_syncs_count_wrong_states(0, &cuts);
    print_message("# %s: %zu cuts, %zu wrong, %zu states\n", label, cuts, wrong, state_count);
    assert_true(state_count > least_commits);
    assert_true(is_journal_synced_before_record_count());
    if (wrong) fail_msg("%zu of %zu cuts of %s left what it never committed", wrong, cuts, label);
    snprintf(place, sizeof place, "%s/cut.db", folder);
    write_files_as_left_by_cut(record.count, NOTHING, 0, place);
    sha256_of_all_rows_or_damage_text(place, found);
    assert_string_equal(found, states[state_count - 1]);
}

/* --- the verbs -------------------------------------------------------------------------------- */

static char tables[2][128], other[128];

/* A table of results, with so many blank lines behind it. */
static void write_results_csv(const char *name, int first, int rows, size_t blank)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    fputs("evidence,source,workload,device,metric,value,unit,tag\n", file);
    for (int i = first; i < first + rows; i++)
        fprintf(file, "published,me,serving,d%d,tokens_per_s,%d,token/s,x\n", i % 90, i);
    for (size_t i = 0; i < blank; i++) fputc('\n', file);
    assert_int_equal(fclose(file), 0);
}

static int create_folder_with_tables(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/abdb-power-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/t.db", folder);
    snprintf(other, sizeof other, "%s/other.db", folder);
    for (int i = 0; i < 2; i++) snprintf(tables[i], sizeof tables[i], "%s/table%d.csv", folder, i);
    write_results_csv(tables[0], 0, 400, 0);
    write_results_csv(tables[1], 300, 400, 0);
    return 0;
}

static int free_recording_remove_folder(void **state)
{
    char command[128];

    (void)state;
    free_recording_and_begin_images();
    abdb_schema_override_for_tests(NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#define VERB_WORDS(...) ((const char *const[WORDS]){__VA_ARGS__})

static void import_table_into_db(const char *db, const char *table)
{
    assert_int_equal(run_verb_without_stdout_return_code(
                         abdb_cmd_import, VERB_WORDS("import", "-q", "--db", db, table)),
                     0);
}

static void test_init_survives_power_cuts(void **state)
{
    (void)state;
    assert_verb_survives_power_cuts("init", abdb_cmd_init, VERB_WORDS("init", "--db", path), 2);
}

static void test_import_survives_power_cuts(void **state)
{
    (void)state;
    import_table_into_db(path, tables[0]);
    write_results_csv(tables[0], 700, 200, 0);
    assert_verb_survives_power_cuts("import", abdb_cmd_import,
                                    VERB_WORDS("import", "-q", "--db", path, tables[1], tables[0]),
                                    3);
}

/* A file larger than the database is stored with a rollback journal instead of the log. */
static void test_large_import_survives_power_cuts(void **state)
{
    (void)state;
    import_table_into_db(path, tables[0]);
    write_results_csv(tables[1], 300, 200, 9 << 20);
    assert_verb_survives_power_cuts("import-large", abdb_cmd_import,
                                    VERB_WORDS("import", "-q", "--db", path, tables[1]), 2);
    assert_true(journal_page_was_recorded());
}

static void test_run_survives_power_cuts(void **state)
{
    (void)state;
    import_table_into_db(path, tables[0]);
    assert_verb_survives_power_cuts("run", abdb_cmd_run,
                                    VERB_WORDS("run", "-q", "--db", path, "--kernel", "gemm",
                                               "--axis", "n=8,16", "--backend=ref", "--quick",
                                               "--threads=1"),
                                    2);
}

static void test_merge_survives_power_cuts(void **state)
{
    (void)state;
    import_table_into_db(path, tables[0]);
    import_table_into_db(other, tables[1]);
    assert_verb_survives_power_cuts("merge", abdb_cmd_merge,
                                    VERB_WORDS("merge", "--db", path, other), 2);
}

static void test_withdraw_survives_power_cuts(void **state)
{
    (void)state;
    import_table_into_db(path, tables[0]);
    assert_verb_survives_power_cuts(
        "withdraw", abdb_cmd_withdraw,
        VERB_WORDS("withdraw", "--db", path, tables[0], "--reason", "wrong"), 1);
}

static void test_note_survives_power_cuts(void **state)
{
    (void)state;
    import_table_into_db(path, tables[0]);
    assert_verb_survives_power_cuts("note", abdb_cmd_note,
                                    VERB_WORDS("note", "--db", path, "tag=x", "a note"), 1);
}

static void test_migration_survives_power_cuts(void **state)
{
    static abdb_embedded ddl[33], next[32];
    char name[200], found[200];
    size_t n = 0, version = 0;

    (void)state;
    import_table_into_db(path, tables[0]);
    while (abdb_ddl[n].name && n < 31) ddl[n] = abdb_ddl[n], n++;
    ddl[n] = (abdb_embedded){"099_gadget.sql",
                             "CREATE TABLE gadget (gadget TEXT NOT NULL PRIMARY KEY) STRICT;"};
    for (; abdb_migrations[version].name; version++) next[version] = abdb_migrations[version];
    next[version++] = (abdb_embedded){
        "999_gadget.sql", "CREATE TABLE gadget (gadget TEXT NOT NULL PRIMARY KEY) STRICT;"
                          "INSERT INTO gadget VALUES ('a');"};
    abdb_schema_override_for_tests(ddl, next);
    assert_verb_survives_power_cuts("migration", abdb_cmd_init, VERB_WORDS("init", "--db", path),
                                    1);
    /* it took its name before the first commit */
    snprintf(name, sizeof name, "%s.v%zu.bak", path, version);
    sha256_of_all_rows_or_damage_text(name, found);
    assert_string_equal(found, states[0]);
}

/* The same recording on a disk that reports a sync and does none: the check must find that. */
static void test_disk_that_does_not_sync_is_found(void **state)
{
    static const int lies[] = {1, 3, 7}; /* bits of suffixes: the database alone; all */
    size_t cuts, wrong;

    (void)state;
    import_table_into_db(path, tables[0]);
    assert_verb_survives_power_cuts("import", abdb_cmd_import,
                                    VERB_WORDS("import", "-q", "--db", path, tables[1]), 2);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        wrong = cut_power_at_syncs_count_wrong_states(lies[i], &cuts);
        print_message("# files that are not synced: %d; wrong: %zu of %zu\n", lies[i], wrong, cuts);
        assert_true(wrong > 0);
    }
}

int main(void)
{
    const char *seed = getenv("SEED");
    char programs[PATH_MAX] = "";
    ssize_t size = readlink("/proc/self/exe", programs, sizeof programs - 16);
    unsigned chance = seed ? (unsigned)atoi(seed) : (unsigned)time(NULL);
    const struct CMUnitTest tests[] = {
#define CUT(function)                                                    \
    cmocka_unit_test_setup_teardown(function, create_folder_with_tables, \
                                    free_recording_remove_folder)
        CUT(test_init_survives_power_cuts),         CUT(test_import_survives_power_cuts),
        CUT(test_large_import_survives_power_cuts), CUT(test_run_survives_power_cuts),
        CUT(test_merge_survives_power_cuts),        CUT(test_withdraw_survives_power_cuts),
        CUT(test_note_survives_power_cuts),         CUT(test_migration_survives_power_cuts),
        CUT(test_disk_that_does_not_sync_is_found),
    };

    if (size < 0) return 1;
    setenv("ABDB_BACKENDS", dirname(dirname(programs)), 1); /* this is build/unit/powercut */
    print_message("# SEED=%u\n", chance);
    srand(chance);
    install_default_recording_vfs_and_commit_hook();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
