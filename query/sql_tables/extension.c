/* extension.c - the entry points of the loadable extension abdb.so: the functions of
 * schema/functions and the table-valued functions of this folder.
 *
 *   sqlite3_abdb_init        all of them. Then SQL can read files and start programs; the host
 *                            itself must restrict the connection where needed
 *   sqlite3_abdbguard_init   the functions that touch no file and no program; the connection is
 *                            restricted like abdb's own (authorizer.h)
 *   sqlite3_abdbreader_init  that for Datasette: the connection only reads, and texts may stand in
 *                            double quotes
 *
 * A host whose interface names no entry point loads the file by a link: SQLite makes the name from
 * the letters of abdb_guard.so and abdb_reader.so. The last two want a
 * connection that runs no statement, so SELECT load_extension() fails.
 */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "query/sql_tables/table_functions.h"
#include "schema/functions/authorizer.h"
#include "schema/functions/sql_functions.h"

#define ENTRY_POINT(name)                                                        \
    __attribute__((visibility("default"))) int name(sqlite3 *db, char **message, \
                                                    const sqlite3_api_routines *api)
ENTRY_POINT(sqlite3_abdb_init);
ENTRY_POINT(sqlite3_abdbguard_init);
ENTRY_POINT(sqlite3_abdbreader_init);

static int register_scalar_and_table_functions(sqlite3 *db, int allow)
{
    int code = abdb_sql_register_functions(db);

    return code == SQLITE_OK ? abdb_register_allowed_table_functions(db, allow) : code;
}

ENTRY_POINT(sqlite3_abdb_init)
{
    (void)message;
    SQLITE_EXTENSION_INIT2(api);
    return register_scalar_and_table_functions(db, ABDB_ALLOW_FILES | ABDB_ALLOW_PROGRAMS);
}

ENTRY_POINT(sqlite3_abdbguard_init)
{
    int code;

    (void)message;
    SQLITE_EXTENSION_INIT2(api);
    code = abdb_sql_harden_connection(db);
    return code == SQLITE_OK ? register_scalar_and_table_functions(db, ABDB_ALLOW_NOTHING) : code;
}

ENTRY_POINT(sqlite3_abdbreader_init)
{
    enum { VALUE_SIZE_MAX = 16 << 20 }; /* of a server that answers many */
    int code = sqlite3_abdbguard_init(db, message, api);

    if (code != SQLITE_OK) return code;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 1,
                      NULL); /* Datasette's own SQL has such texts */
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_SIZE_MAX);
    abdb_sql_install_authorizer(db, ABDB_SQL_READING);
    return SQLITE_OK;
}
