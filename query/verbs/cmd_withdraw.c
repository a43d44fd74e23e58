/* cmd_withdraw.c - abdb withdraw: an import or a fact is taken back, with a reason. */
#include "query/cli/command_line.h"

int abdb_cmd_withdraw(int argc, char **argv)
{
    abdb_db *db = NULL;
    abdb_writer *writer = NULL;
    abdb_text told = {0};
    abdb_busy_timeout patience;
    abdb_args args;
    abdb_error err;
    const char *reason;
    int code = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "withdraw", NULL, &err));
    reason = abdb_arg_value(&args, "reason");
    if (args.positionals != 1)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "withdraw what? one file, fact or key at a time"));
    if (!reason || !*reason)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "--reason is missing: readers will want to know why"));
    TRY(abdb_busy_timeout_from_args(&args, &patience, &err));
    TRY(abdb_db_open_with_timeout(&db, abdb_arg_db_path(&args), ABDB_WRITE, &patience, &err));
    TRY(abdb_writer_open(&writer, db, &err));
    TRY(abdb_withdraw_only_target_of_name(db, args.positional[0], reason, &told, &err));
    TRY(abdb_writer_update_derived(writer, &err));
    abdb_print_sanitized(stdout, "%s\n", abdb_text_get(&told));
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    abdb_text_free(&told);
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    return code;
}
