/* extension.c - the entry points of the loadable extension abdb.so: the functions of
 * schema/functions and the table-valued functions of this folder.
 *
 *   sqlite3_abdb_init         all of them. Who loads it lets SQL read files and start programs;
 *                             what else the connection may do is the host's business
 *   sqlite3_abdb_guard_init   those that touch no file and no program, and the connection is
 *                             restricted as those of abdb are: functions by list, no virtual
 *                             tables (authorizer.h)
 *   sqlite3_abdb_reader_init  that, and the connection only reads (abdb_guard)
 */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "query/program/tables/tables.h"
#include "schema/functions/authorizer.h"
#include "schema/functions/functions.h"

#define ENTRY_POINT(name)                                                        \
    __attribute__((visibility("default"))) int name(sqlite3 *db, char **message, \
                                                    const sqlite3_api_routines *api)
ENTRY_POINT(sqlite3_abdb_init);
ENTRY_POINT(sqlite3_abdb_guard_init);
ENTRY_POINT(sqlite3_abdb_reader_init);

static int register_functions(sqlite3 *db, int allow)
{
    int code = abdb_functions_register(db);

    return code == SQLITE_OK ? abdb_tables_register(db, allow) : code;
}

ENTRY_POINT(sqlite3_abdb_init)
{
    (void)message;
    SQLITE_EXTENSION_INIT2(api);
    return register_functions(db, ABDB_ALLOW_FILES | ABDB_ALLOW_PROGRAMS);
}

ENTRY_POINT(sqlite3_abdb_guard_init)
{
    int code;

    (void)message;
    SQLITE_EXTENSION_INIT2(api);
    code = abdb_sql_restrict(db);
    return code == SQLITE_OK ? register_functions(db, ABDB_ALLOW_NOTHING) : code;
}

ENTRY_POINT(sqlite3_abdb_reader_init)
{
    enum { VALUE_SIZE_MAX = 16 << 20 }; /* of a server that answers many */
    int code = sqlite3_abdb_guard_init(db, message, api);

    if (code != SQLITE_OK) return code;
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_SIZE_MAX);
    abdb_sql_authorize(db, ABDB_SQL_READING);
    return SQLITE_OK;
}
