/* cmd_verify.c - abdb verify: does a picture, page or bundle still agree with the database? */
#include "query/answer/deadline.h"
#include "query/answer/provenance.h"
#include "query/answer/output.h"
#include "query/verbs/table_output.h"

int abdb_cmd_verify(int argc, char **argv)
{
    abdb_error err;
    abdb_args args;
    abdb_db *db = NULL;
    abdb_table table = {0};
    abdb_verify_outcome verdict = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "verify", NULL, &err));
    if (args.positionals != 1)
        TRY(ABDB_FAIL(&err, ABDB_USAGE,
                      "verify what? one picture, page, bundle or site at a time"));
    TRY(abdb_open_guarded_readonly_db(&args, &db, &err));
    TRY(abdb_verify_file_or_folder_provenance(
        db, args.positional[0], abdb_arg_value(&args, "signed-by"), &table, &verdict, &err));
    if (!table.rows && table.title && !abdb_arg_value(&args, "format") &&
        !abdb_arg_value(&args, "json") && !abdb_arg_value(&args, "out")) {
        abdb_deadline_cancel();
        abdb_print_sanitized(stdout, "%s\n", table.title);
        goto done;
    }
    TRY(abdb_print_table_by_options_end_deadline(&args, &table, &err));
    if (verdict.unsigned_bundle)
        TRY(ABDB_FAIL(&err, ABDB_VERIFY, "%s is not signed by a signer that %s lists",
                      args.positional[0], abdb_arg_value(&args, "signed-by")));
    if (verdict.edited)
        TRY(ABDB_FAIL(&err, ABDB_VERIFY, "%s was changed after abdb wrote it", args.positional[0]));
    if (verdict.changed)
        TRY(ABDB_FAIL(&err, ABDB_GATE, "%s: the facts of %s give another %s now",
                      args.positional[0], abdb_arg_db_path(&args),
                      verdict.is_site_page ? "page" : "figure"));
done:
    abdb_table_free(&table);
    abdb_db_close(db);
    return st == ABDB_OK ? 0 : abdb_print_error_return_exit_code(&err);
}
