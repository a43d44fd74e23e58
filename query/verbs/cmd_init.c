/* cmd_init.c - abdb init: an empty database, or an older one brought up to date. */
#include "query/cli/command_line.h"

int abdb_cmd_init(int argc, char **argv)
{
    abdb_db *db = NULL;
    abdb_writer *writer = NULL;
    abdb_busy_timeout patience;
    abdb_args args;
    abdb_error err;
    abdb_status st = ABDB_OK;
    int code = 0;

    TRY(abdb_args_parse(&args, argc, argv, "init", NULL, &err));
    if (args.positionals)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "init takes no path: name the file with --db %s",
                      args.positional[0]));
    TRY(abdb_busy_timeout_from_args(&args, &patience, &err));
    TRY(abdb_open_db_for_writing(&db, &writer, abdb_arg_db_path(&args), &patience, &err));
    TRY(abdb_writer_update_derived(writer, &err));
    abdb_print_sanitized(stdout, "%s: %s, version %d\n", db->path,
                         db->created    ? "made"
                         : db->migrated ? "migrated"
                                        : "up to date",
                         abdb_schema_version());
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    return code;
}
