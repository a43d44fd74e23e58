/* absent.c - what abdb.wasm lacks: the verbs that write, measure or draw, and what they alone need.
 * Whoever types one reads which program has it. */
#include "ingest/registry.h"
#include "ingest/tables/table_map.h"
#include "query/answer/output.h"
#include "query/cli/command_line.h"
#include "query/cli/pager.h"
#include "query/help/completion.h"
#include "query/sql_tables/table_functions.h"
#include "schema/core/child_process.h"

static abdb_status fail_as_absent_in_wasm(const char *what, abdb_error *err)
{
    return ABDB_FAIL(err, ABDB_IO, "abdb.wasm has no %s: it reads and answers; install abdb", what);
}

/* A verb is absent unless its file is linked (WASM_VERBS in packages/wasm.mk): that one counts
 * then, as this definition is weak. */
#define VERB(name, printed, ...)                                     \
    __attribute__((weak)) int abdb_cmd_##name(int argc, char **argv) \
    {                                                                \
        abdb_error err;                                              \
                                                                     \
        (void)argc, (void)argv;                                      \
        (void)!fail_as_absent_in_wasm("`abdb " printed "`", &err);   \
        return abdb_print_error_return_exit_code(&err);              \
    }
#include "query/cli/commands.def"
#undef VERB

/* --- of help: importers and maps, which read files ---------------------------------------------- */

static const abdb_importer none = {.name = "none here",
                                   .summary = "the installed program lists what it reads"};
const abdb_importer *const abdb_importers[] = {&none, NULL};
extern const abdb_embedded abdb_maps[];
const abdb_embedded abdb_maps[] = {{NULL, NULL}};

abdb_status table_map_parse_text(table_map **out, const char *path, const char *text,
                                 abdb_error *err)
{
    (void)path, (void)text;
    *out = NULL;
    return fail_as_absent_in_wasm("map files", err);
}

void table_map_free(table_map *map)
{
    (void)map;
}

const char *table_map_summary(const table_map *map)
{
    (void)map;
    return "";
}

void abdb_print_completions(FILE *out, int words, char *const *word)
{
    (void)out, (void)words, (void)word;
}

abdb_status abdb_print_completion_script(FILE *out, const char *shell, abdb_error *err)
{
    (void)out, (void)shell;
    return fail_as_absent_in_wasm("completion of shells", err);
}

/* --- of output: there is no terminal -------------------------------------------------------------- */

void abdb_pipe_stdout_to_pager(void)
{
}

/* --- of SQL: what reads files and runs kernels (--allow-files, --allow-run) ------------------------ */

static abdb_status refuse_table_function_in_wasm(sqlite3 *db, const char *const *argument,
                                                 abdb_table *out, abdb_error *err)
{
    (void)db, (void)argument, (void)out;
    return fail_as_absent_in_wasm("SQL function of that name", err);
}

const abdb_table_function abdb_table_csv = {
    "abdb_csv",
    "CREATE TABLE x(line INTEGER, path HIDDEN, delimiter HIDDEN)",
    1,
    1,
    2,
    ABDB_ALLOW_FILES,
    refuse_table_function_in_wasm};
const abdb_table_function abdb_table_archive = {"abdb_archive",
                                                "CREATE TABLE x(member TEXT, path HIDDEN)",
                                                1,
                                                1,
                                                1,
                                                ABDB_ALLOW_FILES,
                                                refuse_table_function_in_wasm};
const abdb_table_function abdb_table_measure = {
    "abdb_measure",
    "CREATE TABLE x(cell TEXT, kernel HIDDEN, backend HIDDEN)",
    1,
    2,
    2,
    ABDB_ALLOW_PROGRAMS,
    refuse_table_function_in_wasm};
