/* cmd_site.c - abdb site: the database as HTML pages. */
#include <string.h>
#include <sys/stat.h>

#include "query/answer/site/site.h"
#include "query/export/export_database.h"
#include "query/import/input_files.h"
#include "query/verbs/table_output.h"

/* Finds abdb.wasm and makes in scratch the database that try.html carries: a redacted export.
 * program stays empty where there is no abdb.wasm; its database does where that is too large, which
 * is printed. */
static abdb_status prepare_wasm_and_redacted_db_for_try_page(abdb_db *db, abdb_arena *arena,
                                                             abdb_scratch *scratch,
                                                             abdb_site_try *program,
                                                             abdb_error *err)
{
    abdb_redaction *redaction = NULL;
    struct stat info;
    abdb_status st = ABDB_OK;

    program->wasm = abdb_find_wasm_program(arena);
    if (!program->wasm) return ABDB_OK;
    TRY(abdb_redaction_open(&redaction, db, NULL, err));
    TRY(abdb_scratch_folder_create(scratch, err));
    TRY(abdb_export_to_new_database(db, NULL, redaction, scratch->path, err));
    TRY(abdb_export_unify_dates_delete_pseudonym_salt(scratch->path, db, err));
    if (stat(scratch->path, &info) != 0)
        TRY(ABDB_FAIL(err, ABDB_IO, "%s: it cannot be read", scratch->path));
    program->size = info.st_size;
    if (info.st_size <= ABDB_TRY_MOST)
        program->database = scratch->path;
    else
        abdb_print_stderr_remark("left out: try.html: the redacted database has %lld MB, and a page"
                                 " carries %d at most",
                                 program->size >> 20, ABDB_TRY_MOST >> 20);
done:
    abdb_redaction_close(redaction);
    return st;
}

int abdb_cmd_site(int argc, char **argv)
{
    abdb_error err;
    abdb_args args;
    abdb_arena arena = {0};
    abdb_db *db = NULL;
    abdb_scratch scratch = {0};
    abdb_site_try program = {0};
    const char *path, *slash;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "site", NULL, &err));
    if (args.positionals)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "site takes no '%s': abdb site --out DIR",
                      args.positional[0]));
    /* hundreds of queries and pictures: a busy machine takes minutes */
    if (!abdb_arg_value(&args, "timeout") && args.count < ABDB_GIVEN_MAX) {
        args.given[args.count].name = "timeout";
        args.given[args.count++].value = "600";
    }
    TRY(abdb_open_guarded_readonly_db(&args, &db, &err));
    path = abdb_arg_db_path(&args);
    slash = strrchr(path, '/');
    TRY(prepare_wasm_and_redacted_db_for_try_page(db, &arena, &scratch, &program, &err));
    TRY(abdb_site_write_folder_and_print_summary(
        db, slash ? slash + 1 : path,
        abdb_arg_value(&args, "out") ? abdb_arg_value(&args, "out") : "site", &program, &err));
done:
    abdb_db_close(db);
    abdb_scratch_remove(&scratch);
    abdb_arena_free(&arena);
    return st == ABDB_OK ? 0 : abdb_print_error_return_exit_code(&err);
}
