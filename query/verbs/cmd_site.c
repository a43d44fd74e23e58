/* cmd_site.c - abdb site: the database as HTML pages. */
#include <string.h>

#include "query/answer/site/site.h"
#include "query/verbs/table_output.h"

int abdb_cmd_site(int argc, char **argv)
{
    abdb_error err;
    abdb_args args;
    abdb_db *db = NULL;
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
    TRY(abdb_site_write(db, slash ? slash + 1 : path,
                        abdb_arg_value(&args, "out") ? abdb_arg_value(&args, "out") : "site",
                        &err));
done:
    abdb_db_close(db);
    return st == ABDB_OK ? 0 : abdb_print_error_return_exit_code(&err);
}
