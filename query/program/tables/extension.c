/* extension.c - the entry point of the loadable extension abdb.so: the functions of
 * schema/functions and the table-valued functions of this folder. Who loads it lets it read files
 * and start programs. */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "query/program/tables/tables.h"
#include "schema/functions/functions.h"

__attribute__((visibility("default"))) int sqlite3_abdb_init(sqlite3 *db, char **message,
                                                             const sqlite3_api_routines *api);
int sqlite3_abdb_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    int code;

    (void)message;
    SQLITE_EXTENSION_INIT2(api);
    code = abdb_functions_register(db);
    if (code == SQLITE_OK) code = abdb_tables_register(db, ABDB_ALLOW_FILES | ABDB_ALLOW_PROGRAMS);
    return code;
}
