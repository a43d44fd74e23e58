/* powercut.c - a power cut at each sync of a verb that writes: what was not synced is lost, in part
 * or whole, and the database that is left opens, is sound, and is as it was before or after one of
 * the transactions. power.h says what a cut can leave.
 *
 * $POWERCUTS: how many random parts are tried at each moment (2), $SEED: of what chance. The states
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

#include "query/program/cli.h"
#include "tests/unit/power.h"

enum { WORDS = 16, STATES_MAX = 4096 };

/* --- a verb ----------------------------------------------------------------------------------- */

static char states[STATES_MAX][200];
static size_t state_count;

/* The states after each commit, as far as the program came. */
static void find_states(const char *place)
{
    state_count = 0;
    for (size_t i = 0; i <= record.count; i++)
        if (i == record.count || record.item[i].kind == COMMIT) {
            assert_true(state_count < STATES_MAX);
            make_files(i, ALL, 0, place);
            digest(place, states[state_count++]);
            if (strncmp(states[state_count - 1], "damaged", 7) == 0)
                fail_msg("killed at step %zu: %s", i, states[state_count - 1]);
        }
}

static bool is_allowed(const char *found, size_t most)
{
    for (size_t i = 0; i <= most && i < state_count; i++)
        if (strcmp(states[i], found) == 0) return true;
    return false;
}

/* Cuts the power in front of each sync and deletion and after it, in all ways. Returns how often
 * that left what is not allowed; `cuts`: how many there were. */
static size_t cut_everywhere(int lies, size_t *cuts)
{
    const char *random = getenv("POWERCUTS");
    int parts = random ? atoi(random) : 2;
    char place[160], found[200];
    size_t commits = 0, wrong = 0;

    snprintf(place, sizeof place, "%s/cut.db", folder);
    find_states(place);
    *cuts = 0;
    for (size_t i = 0; i < record.count; i++) {
        step_kind now = record.item[i].kind;

        commits += now == COMMIT;
        if (now != SYNC && now != DELETE && now != DELETE_SYNCED) continue;
        for (size_t cut = i; cut <= i + 1; cut++)
            for (int p = 0; p < 2 + parts; p++) {
                make_files(cut, p < 2 ? (loss)p : PART, lies, place);
                digest(place, found);
                ++*cuts;
                if (is_allowed(found, commits)) continue;
                wrong++;
                if (!lies)
                    print_error("step %zu of %zu, way %d: %s\n", cut, record.count, p, found);
            }
    }
    return wrong;
}

/* Was a page of the rollback journal written? */
static bool recorded_journal(void)
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
static bool syncs_journal_first(void)
{
    enum { MAGIC_AND_NUMBER = 12 };
    bool synced = true;

    for (size_t i = 0; i < record.count; i++) {
        const step *s = &record.item[i];

        if (s->file != 2) continue;
        if (s->kind == WRITE && s->size == MAGIC_AND_NUMBER && !synced) return false;
        synced = s->kind != WRITE;
    }
    return true;
}

/* Runs `abdb WORDS` with what it prints going nowhere; its exit code. */
static int run_verb(int (*verb)(int argc, char **argv), const char *const *words)
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

static void forget(void)
{
    for (size_t i = 0; i < record.count; i++) free(record.item[i].data);
    free(record.item);
    memset(&record, 0, sizeof record);
    for (int f = 0; f < FILES; f++) free(begin[f].data);
    memset(begin, 0, sizeof begin);
}

/* Records a verb, then tries each cut. After the verb itself nothing that it did can be lost. */
static void survives(const char *what, int (*verb)(int argc, char **argv), const char *const *words,
                     size_t commits_least)
{
    char name[200], place[160], found[200];
    size_t cuts, wrong;

    forget();
    for (int f = 0; f < FILES; f++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[f]);
        read_image(&begin[f], name);
    }
    record.on = true;
    assert_int_equal(run_verb(verb, words), 0);
    record.on = false;
    wrong = cut_everywhere(0, &cuts);
    print_message("# %s: %zu cuts, %zu wrong, %zu states\n", what, cuts, wrong, state_count);
    assert_true(state_count > commits_least);
    assert_true(syncs_journal_first());
    if (wrong) fail_msg("%zu of %zu cuts of %s left what it never committed", wrong, cuts, what);
    snprintf(place, sizeof place, "%s/cut.db", folder);
    make_files(record.count, NOTHING, 0, place);
    digest(place, found);
    assert_string_equal(found, states[state_count - 1]);
}

/* --- the verbs -------------------------------------------------------------------------------- */

static char tables[2][128], other[128];

/* A table of results, with so many blank lines behind it. */
static void write_table(const char *name, int first, int rows, size_t blank)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    fputs("evidence,source,workload,device,metric,value,unit,tag\n", file);
    for (int i = first; i < first + rows; i++)
        fprintf(file, "published,me,serving,d%d,tokens_per_s,%d,token/s,x\n", i % 90, i);
    for (size_t i = 0; i < blank; i++) fputc('\n', file);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/abdb-power-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/t.db", folder);
    snprintf(other, sizeof other, "%s/other.db", folder);
    for (int i = 0; i < 2; i++) snprintf(tables[i], sizeof tables[i], "%s/table%d.csv", folder, i);
    write_table(tables[0], 0, 400, 0);
    write_table(tables[1], 300, 400, 0);
    return 0;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    forget();
    abdb_schema_pretend(NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#define VERB_WORDS(...) ((const char *const[WORDS]){__VA_ARGS__})

static void fill(const char *db, const char *table)
{
    assert_int_equal(run_verb(abdb_cmd_import, VERB_WORDS("import", "-q", "--db", db, table)), 0);
}

static void cut_init(void **state)
{
    (void)state;
    survives("init", abdb_cmd_init, VERB_WORDS("init", "--db", path), 2);
}

static void cut_import(void **state)
{
    (void)state;
    fill(path, tables[0]);
    write_table(tables[0], 700, 200, 0);
    survives("import", abdb_cmd_import,
             VERB_WORDS("import", "-q", "--db", path, tables[1], tables[0]), 3);
}

/* A file larger than the database is stored with a rollback journal instead of the log. */
static void cut_import_of_large(void **state)
{
    (void)state;
    fill(path, tables[0]);
    write_table(tables[1], 300, 200, 9 << 20);
    survives("import-large", abdb_cmd_import, VERB_WORDS("import", "-q", "--db", path, tables[1]),
             2);
    assert_true(recorded_journal());
}

static void cut_run(void **state)
{
    (void)state;
    fill(path, tables[0]);
    survives("run", abdb_cmd_run,
             VERB_WORDS("run", "-q", "--db", path, "--kernel", "gemm", "--axis", "n=8,16",
                        "--backend=ref", "--quick", "--threads=1"),
             2);
}

static void cut_merge(void **state)
{
    (void)state;
    fill(path, tables[0]);
    fill(other, tables[1]);
    survives("merge", abdb_cmd_merge, VERB_WORDS("merge", "--db", path, other), 2);
}

static void cut_withdrawal(void **state)
{
    (void)state;
    fill(path, tables[0]);
    survives("withdraw", abdb_cmd_withdraw,
             VERB_WORDS("withdraw", "--db", path, tables[0], "--reason", "wrong"), 1);
}

static void cut_note(void **state)
{
    (void)state;
    fill(path, tables[0]);
    survives("note", abdb_cmd_note, VERB_WORDS("note", "--db", path, "tag=x", "a note"), 1);
}

static void cut_migration(void **state)
{
    static const abdb_embedded next[] = {
        {"002_gadget.sql", "CREATE TABLE gadget (gadget TEXT NOT NULL PRIMARY KEY) STRICT;"
                           "INSERT INTO gadget VALUES ('a');"},
        {NULL, NULL}};
    static abdb_embedded ddl[33];
    char name[200], found[200];
    size_t n = 0;

    (void)state;
    fill(path, tables[0]);
    while (abdb_ddl[n].name && n < 31) ddl[n] = abdb_ddl[n], n++;
    ddl[n] = (abdb_embedded){"099_gadget.sql",
                             "CREATE TABLE gadget (gadget TEXT NOT NULL PRIMARY KEY) STRICT;"};
    abdb_schema_pretend(ddl, next);
    survives("migration", abdb_cmd_init, VERB_WORDS("init", "--db", path), 1);
    snprintf(name, sizeof name, "%s.v1.bak", path); /* it took its name before the first commit */
    digest(name, found);
    assert_string_equal(found, states[0]);
}

/* The same recording on a disk that reports a sync and does none: the check must find that. */
static void lying_disk(void **state)
{
    static const int lies[] = {1, 3, 7}; /* bits of suffixes: the database alone; all */
    size_t cuts, wrong;

    (void)state;
    fill(path, tables[0]);
    survives("import", abdb_cmd_import, VERB_WORDS("import", "-q", "--db", path, tables[1]), 2);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        wrong = cut_everywhere(lies[i], &cuts);
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
#define CUT(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
        CUT(cut_init), CUT(cut_import),    CUT(cut_import_of_large),
        CUT(cut_run),  CUT(cut_merge),     CUT(cut_withdrawal),
        CUT(cut_note), CUT(cut_migration), CUT(lying_disk),
    };

    if (size < 0) return 1;
    setenv("ABDB_BACKENDS", dirname(dirname(programs)), 1); /* this is build/unit/powercut */
    print_message("# SEED=%u\n", chance);
    srand(chance);
    install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
