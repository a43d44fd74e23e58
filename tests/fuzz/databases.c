/* databases.c - a database that somebody changed: bytes, whole pages, or cells that hold what no
 * abdb would write, and then one of the verbs that read, or a merge from it.
 *
 * The first byte picks the verb; what follows are changes of eight bytes each: what kind, and where
 * and how. So a small input stands for a large file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query/answer/report.h"
#include "query/answer/search_path.h"
#include "query/cli/command_line.h"
#include "tests/fuzz/fuzz.h"

enum {
    CHANGE = 8,
    CHANGES_MOST = 24,
    PAGE = 4096,
    WORDS_MOST = 16,
    VERBS_MOST = 160,
    SELDOM = 64,
    CELLS_MOST = 1024,
    LOG = 18 /* in a file's header: how it is written */
};

/* A verb with its words; the database is named behind them. */
static const char *const verbs[] = {
    "rank --workload llama2-70b-99 --scenario Server",
    "rank --workload gemm -o json",
    "compare device=H100-SXM device=A100-SXM-80GB --exploratory",
    "compare suite=mlperf-inference,round=v5.0 suite=mlperf-inference,round=v5.1 --exploratory",
    "compare run=latest~1 run=latest",
    "explain db.t2.gaudi2.rate",
    "explain 00000000000000000000000000000000",
    "choose 1000/s --workload llama2-70b-99",
    "export -o csv",
    "export -o jsonl",
    "export -o sql",
    "export --redacted --list",
    "doctor --json",
    "verify x.svg",
    "note",
    "withdraw nothing",
    "audit claims",
    "audit conflicts",
    "audit plausibility",
    "audit gaps",
    "audit doubts",
    "audit ratios",
    "query --search power",
    "query --schema v_result",
    "plot peaks --type svg --out /dev/null",
    "plot samples --type svg --out /dev/null",
    "plot history --type svg --out /dev/null",
    "plot roofline --type svg --out /dev/null",
    "merge",
    "merge",
    "site --timeout 0",
};

static char path[128];
static const char *all[VERBS_MOST];
static size_t count;
static abdb_arena arena;
static sqlite3 *whole; /* as it is before any change */

typedef struct {
    const char *table, *column;
} cell;
static cell cells[CELLS_MOST];
static size_t cells_count;

static void close_original_db(void)
{
    sqlite3_close(whole);
    abdb_arena_free(&arena);
}

/* A file that never changes: what is changed there is copied and rolled back. */
static void open_original_db_without_checks(void)
{
    if (sqlite3_open(fuzz_import_fixtures_once_get_db_path(), &whole) != SQLITE_OK ||
        sqlite3_exec(whole,
                     "PRAGMA journal_mode = MEMORY; PRAGMA ignore_check_constraints = ON; PRAGMA"
                     " foreign_keys = OFF; PRAGMA cache_size = -65536",
                     NULL, NULL, NULL) != SQLITE_OK)
        fuzz_abort_promise_broken("the target's own database", sqlite3_errmsg(whole));
}

static void collect_columns_of_original_tables(void)
{
    static const char list[] =
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type ="
        " 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid";
    sqlite3_stmt *s = NULL;

    if (sqlite3_prepare_v2(whole, list, -1, &s, NULL) != SQLITE_OK)
        fuzz_abort_promise_broken("the target's own database", sqlite3_errmsg(whole));
    while (sqlite3_step(s) == SQLITE_ROW && cells_count < CELLS_MOST)
        cells[cells_count++] =
            (cell){abdb_arena_printf(&arena, "%s", abdb_sql_text_or_empty(s, 0)),
                   abdb_arena_printf(&arena, "%s", abdb_sql_text_or_empty(s, 1))};
    sqlite3_finalize(s);
}

static void open_db_and_list_verbs_once(void)
{
    const char *names[128];
    size_t reports;

    if (whole) return;
    open_original_db_without_checks();
    collect_columns_of_original_tables();
    atexit(close_original_db);
    snprintf(path, sizeof path, "%s/changed.db", fuzz_get_or_create_scratch_folder());
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) all[count++] = verbs[i];
    reports = abdb_list_own_and_shipped_report_names(names, sizeof names / sizeof *names, &arena);
    for (size_t i = 0; i < reports && count < VERBS_MOST; i++)
        all[count++] = abdb_arena_printf(&arena, "query %s -o csv", names[i]);
}

static size_t read_big_endian(const unsigned char *at, size_t bytes)
{
    size_t out = 0;

    for (size_t i = 0; i < bytes; i++) out = out << 8 | at[i];
    return out;
}

static void change_bytes_or_pages_of_image(unsigned char *image, size_t size,
                                           const unsigned char *change)
{
    size_t at = read_big_endian(change + 1, 4) % size, pages = size / PAGE;

    switch (change[0] % 4) {
    case 0: image[at] ^= change[5] ? change[5] : 0xff; break;
    case 1: image[at] = change[5]; break;
    case 2: /* a page in the place of another, not the first: it would be refused at once */
        memmove(image + PAGE * (1 + at % (pages - 1)),
                image + PAGE * (1 + read_big_endian(change + 5, 2) % (pages - 1)), PAGE);
        break;
    default: /* near the start of a page, where its cells are listed */
        image[at / PAGE * PAGE + change[5] % 64 + (at < PAGE ? 100 : 0)] = change[6];
    }
}

/* A cell becomes what the types of the table, but not its checks, let it be. */
static void update_cells_with_odd_value(const unsigned char *change)
{
    static const char *const values[] = {"NULL",
                                         "''",
                                         "'\x1b[31m'",
                                         "-1",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "1e308",
                                         "-1e308",
                                         "0",
                                         "1e-320",
                                         "CAST(x'ff00fe' AS TEXT)",
                                         "'<script>'",
                                         "'a' || char(10) || 'b'",
                                         "replace(hex(zeroblob(40000)), '0', 'x')",
                                         "CAST(x'610062' AS TEXT)",
                                         "'{\"a\":[1'"};
    const cell *c = &cells[read_big_endian(change + 1, 2) % cells_count];
    char *sql =
        sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s WHERE rowid %% %d = %d", c->table,
                        c->column, values[change[3] % (sizeof values / sizeof *values)],
                        1 + change[4] % 16, change[5] % (1 + change[4] % 16));

    sqlite3_exec(whole, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

/* The file with its cells changed: an image of what would be committed, which never is. */
static unsigned char *serialize_changed_cells_roll_back(const unsigned char *data, size_t changes,
                                                        sqlite3_int64 *size)
{
    unsigned char *image;

    sqlite3_exec(whole, "BEGIN", NULL, NULL, NULL);
    for (size_t i = 0; i < changes; i++)
        if (data[i * CHANGE] % 8 >= 4) update_cells_with_odd_value(data + i * CHANGE);
    image = sqlite3_serialize(whole, "main", size, 0);
    sqlite3_exec(whole, "ROLLBACK", NULL, NULL, NULL);
    if (!image) fuzz_abort_promise_broken("a copy", path);
    image[LOG] = image[LOG + 1] = 2; /* as abdb's have: with a log */
    return image;
}

static void write_changed_db_file(const unsigned char *data, size_t changes)
{
    static const char *const tails[] = {"-wal", "-shm", "-journal"};
    sqlite3_int64 size;
    unsigned char *image = serialize_changed_cells_roll_back(data, changes, &size);
    FILE *file = fopen(path, "wb");
    char name[160];

    for (size_t i = 0; i < changes; i++)
        if (data[i * CHANGE] % 8 < 4)
            change_bytes_or_pages_of_image(image, (size_t)size, data + i * CHANGE);
    if (!file || fwrite(image, 1, (size_t)size, file) != (size_t)size || fclose(file) != 0)
        fuzz_abort_promise_broken("a file", path);
    sqlite3_free(image);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        snprintf(name, sizeof name, "%s%s", path, tails[i]);
        remove(name);
    }
}

static int call_abdb_command_by_first_word(int argc, char **argv)
{
#define VERB(name, ...) \
    if (strcmp(argv[0], #name) == 0) return abdb_cmd_##name(argc, argv);
#define VERB_AS(name, printed, ...)
#include "query/cli/commands.def"
#undef VERB_AS
#undef VERB
    fuzz_abort_promise_broken("a verb of the list", argv[0]);
}

static void run_verb_line_on_changed_db(const char *command_line)
{
    char words[256], into[160], *rest = words, *argv[WORDS_MOST + 1] = {NULL}, *one;
    int argc = 0;
    static char word_db[] = "--db", word_out[] = "--out";

    snprintf(words, sizeof words, "%s", command_line);
    while ((one = strsep(&rest, " ")) && argc < WORDS_MOST - 4) argv[argc++] = one;
    if (strcmp(argv[0], "site") == 0) {
        snprintf(into, sizeof into, "%s/site", fuzz_get_or_create_scratch_folder());
        argv[argc++] = word_out;
        argv[argc++] = into;
    }
    if (strcmp(argv[0], "merge") == 0) { /* from it, into one that is whole */
        argv[argc++] = path;
        snprintf(into, sizeof into, "%s/merged.db", fuzz_get_or_create_scratch_folder());
        fuzz_create_db_with_vocabulary(into);
        argv[argc++] = word_db;
        argv[argc++] = into;
    } else {
        argv[argc++] = word_db;
        argv[argc++] = path;
    }
    (void)call_abdb_command_by_first_word(argc, argv);
    if (strcmp(argv[0], "merge") == 0) remove(into);
    fflush(stdout);
}

/* Some take a hundred times as long as the rest: one in SELDOM that ask for them, and the first. */
static bool is_quick_verb_or_turn_of_slow_one(const char *verb)
{
    static const char *const slow[] = {"site --timeout 0", "export --redacted --list"};
    static size_t asked[sizeof slow / sizeof *slow];

    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        if (strcmp(verb, slow[i]) == 0) return asked[i]++ % SELDOM == 0;
    return true;
}

FUZZ_TARGET(fuzz_run_verb_on_db_with_changed_bytes)
{
    size_t changes = size ? (size - 1) / CHANGE : 0;

    (void)word;
    open_db_and_list_verbs_once();
    if (!size || !is_quick_verb_or_turn_of_slow_one(all[data[0] % count])) return;
    write_changed_db_file(data + 1, changes < CHANGES_MOST ? changes : CHANGES_MOST);
    fuzz_set_output_of_fake_program(NULL, 0);
    run_verb_line_on_changed_db(all[data[0] % count]);
}
