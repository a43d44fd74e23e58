/* cmd_merge.c - abdb merge: other databases' facts into this one. */
#include "query/cli/command_line.h"
#include "schema/core/outguard.h"

int abdb_cmd_merge(int argc, char **argv)
{
    abdb_db *db = NULL;
    abdb_writer *writer = NULL;
    abdb_busy_timeout patience;
    abdb_args args;
    abdb_error err;
    int code = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "merge", NULL, &err));
    if (!args.positionals) TRY(ABDB_FAIL(&err, ABDB_USAGE, "merge what? abdb merge OTHER.db..."));
    for (int i = 0; i < args.positionals; i++)
        if (abdb_outguard_paths_are_same_file(args.positional[i], abdb_arg_db_path(&args)))
            TRY(ABDB_FAIL(&err, ABDB_USAGE,
                          "%s is the database %s itself: name another to merge into it, or give"
                          " --db",
                          args.positional[i], abdb_arg_db_path(&args)));
    TRY(abdb_busy_timeout_from_args(&args, &patience, &err));
    TRY(abdb_open_db_for_writing(&db, &writer, abdb_arg_db_path(&args), &patience, &err));
    for (int i = 0; i < args.positionals; i++) {
        abdb_counts counts = {0};

        st = abdb_merge_database(db, args.positional[i], &counts, &err);
        if (st != ABDB_OK) {
            abdb_error_prepend_context(&err, "%s", args.positional[i]);
            goto done;
        }
        abdb_print_sanitized(stdout, "%s: %ld entries new, %ld there already\n", args.positional[i],
                             counts.accepted, counts.duplicate);
    }
    TRY(abdb_writer_update_derived(writer, &err));
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    return code;
}
