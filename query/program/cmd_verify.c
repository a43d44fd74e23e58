/* cmd_verify.c - abdb verify: does a picture, page or bundle still say what the database says? */
#include "query/answer/deadline.h"
#include "query/answer/proof.h"
#include "query/answer/say.h"
#include "query/program/screen.h"

int abdb_cmd_verify(int argc, char **argv)
{
    abdb_error err;
    abdb_args args;
    abdb_db *db = NULL;
    abdb_table table = {0};
    abdb_verdict_of verdict = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "verify", NULL, &err));
    if (args.positionals != 1)
        TRY(ABDB_FAIL(&err, ABDB_USAGE,
                      "verify what? one picture, page, bundle or site at a time"));
    TRY(abdb_open_guarded(&args, &db, &err));
    TRY(abdb_proof_check(db, args.positional[0], &table, &verdict, &err));
    if (!table.rows && table.title && !abdb_arg(&args, "format") && !abdb_arg(&args, "json") &&
        !abdb_arg(&args, "out")) {
        abdb_deadline_end();
        abdb_say(stdout, "%s\n", table.title);
        goto done;
    }
    TRY(abdb_print_table(&args, &table, &err));
    if (verdict.edited)
        TRY(ABDB_FAIL(&err, ABDB_VERIFY, "%s was changed after abdb wrote it", args.positional[0]));
    if (verdict.changed)
        TRY(ABDB_FAIL(&err, ABDB_GATE, "%s: the facts of %s give another %s now",
                      args.positional[0], abdb_arg_db(&args), verdict.page ? "page" : "figure"));
done:
    abdb_table_free(&table);
    abdb_db_close(db);
    return st == ABDB_OK ? 0 : abdb_report_error(&err);
}
