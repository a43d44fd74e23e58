/* authorizer.c - restricts the statements of a connection; see authorizer.h. */
#include "schema/functions/authorizer.h"

#include <string.h>

const abdb_sql_function abdb_sql_functions[] = {
#define SQLITE(name, group)                     {name, "", "SQLite", group, "", NULL},
#define ABDB(name, arguments, group, meaning)   {name, arguments, "abdb", group, meaning, NULL},
#define TABLE(name, arguments, origin, meaning) {name, arguments, origin, "table", meaning, NULL},
#define REFUSED(name, reason)                   {name, "", "SQLite", "refused", "", reason},
#include "schema/functions/functions.def"
#undef SQLITE
#undef ABDB
#undef TABLE
#undef REFUSED
    {NULL, NULL, NULL, NULL, NULL, NULL}};

enum { TABLES_MAX = 64 };

const abdb_sql_function *abdb_sql_function_find(const char *name)
{
    for (const abdb_sql_function *f = abdb_sql_functions; name && f->name; f++)
        if (sqlite3_stricmp(f->name, name) == 0) return f;
    return NULL;
}

static bool is_listed_scalar_or_aggregate(const char *name)
{
    const abdb_sql_function *f = abdb_sql_function_find(name);

    return f && !f->refused && strcmp(f->group, "table") != 0;
}

/* --- authorizers: called by SQLite while it prepares a statement ------------------------------ */

/* a, b, c: table, column, database, as the action has it; the function is b. */
static int authorize_all_but_unlisted_functions(void *unused, int action, const char *a,
                                                const char *b, const char *c, const char *d)
{
    (void)unused, (void)a, (void)c, (void)d;
    return action != SQLITE_FUNCTION || is_listed_scalar_or_aggregate(b) ? SQLITE_OK : SQLITE_DENY;
}

/* Allows read-only statements and refuses all others. */
static int authorize_read_only_statements(void *unused, int action, const char *a, const char *b,
                                          const char *c, const char *d)
{
    static const char *const pragmas[] = {
        "table_info",       "table_xinfo",  "table_list",        "index_list",    "index_info",
        "foreign_key_list", "user_version", "application_id",    "function_list", "compile_options",
        "integrity_check",  "quick_check",  "foreign_key_check", "database_list", "encoding",
        "page_count",       "page_size",    "schema_version"};

    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return authorize_all_but_unlisted_functions(unused, action, a, b, c, d);
    case SQLITE_PRAGMA:
        for (size_t i = 0; i < sizeof pragmas / sizeof pragmas[0]; i++)
            if (a && sqlite3_stricmp(a, pragmas[i]) == 0 &&
                /* The first six take a name as their argument, integrity_check a number; of the
                 * others an argument would set something. */
                (!b || i < 6 || strcmp(pragmas[i], "integrity_check") == 0))
                return SQLITE_OK;
        return SQLITE_DENY;
    default: return SQLITE_DENY;
    }
}

/* The same, and temporary tables may be made and dropped. */
static int authorize_reads_and_temp_tables(void *unused, int action, const char *a, const char *b,
                                           const char *c, const char *d)
{
    switch (action) {
    case SQLITE_CREATE_TABLE: /* sqlite_stat1 */
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_ANALYZE:
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE: return c && strcmp(c, "temp") == 0 ? SQLITE_OK : SQLITE_DENY;
    default: return authorize_read_only_statements(unused, action, a, b, c, d);
    }
}

/* Prepares a question to each table function, which connects it; the answer is of no interest. */
static void prepare_query_of_each_table_function(sqlite3 *db)
{
    for (const abdb_sql_function *f = abdb_sql_functions; f->name; f++) {
        char *sql =
            strcmp(f->group, "table") == 0 ? sqlite3_mprintf("SELECT 1 FROM %w", f->name) : NULL;
        sqlite3_stmt *s = NULL;

        if (sql) sqlite3_prepare_v2(db, sql, -1, &s, NULL);
        sqlite3_finalize(s);
        sqlite3_free(sql);
    }
}

void abdb_sql_install_authorizer(sqlite3 *db, abdb_sql_rights rights)
{
    sqlite3_set_authorizer(db, authorize_all_but_unlisted_functions, NULL);
    if (rights == ABDB_SQL_ALL) return;
    prepare_query_of_each_table_function(db);
    sqlite3_set_authorizer(db,
                           rights == ABDB_SQL_READING ? authorize_read_only_statements
                                                      : authorize_reads_and_temp_tables,
                           NULL);
}

/* --- a new connection ------------------------------------------------------------------------- */

static int sqlite_encoding_from_name(const char *name)
{
    return strcmp(name, "utf16le") == 0   ? SQLITE_UTF16LE
           : strcmp(name, "utf16be") == 0 ? SQLITE_UTF16BE
                                          : SQLITE_UTF8;
}

/* A function as a connection has it registered. */
typedef struct {
    char name[256];
    int arguments, encoding;
} registered;

/* Finds functions of extensions that the list does not have: `room` of them at most, into out.
 * Returns SQLite's code. */
static int find_unlisted_functions(sqlite3 *db, registered *out, int room, int *count)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db, "PRAGMA function_list", -1, &s, NULL);

    *count = 0;
    while (code == SQLITE_OK && *count < room && sqlite3_step(s) == SQLITE_ROW) {
        /* columns: name, builtin, type, enc, narg, flags */
        registered *f = &out[*count];

        if (sqlite3_column_int(s, 1) || is_listed_scalar_or_aggregate(abdb_sql_text_or_empty(s, 0)))
            continue;
        sqlite3_snprintf(sizeof f->name, f->name, "%s", abdb_sql_text_or_empty(s, 0));
        f->encoding = sqlite_encoding_from_name(abdb_sql_text_or_empty(s, 3));
        f->arguments = sqlite3_column_int(s, 4);
        ++*count;
    }
    if (code != SQLITE_OK) return code;
    code = sqlite3_finalize(s);
    return *count == room ? SQLITE_OK : code;
}

/* Removes them from the connection: they hold pointers into modules that are dropped. */
static int remove_unlisted_functions(sqlite3 *db)
{
    enum { BATCH = 64, BATCHES_MAX = 64 };
    registered found[BATCH];
    int code = SQLITE_OK, count = BATCH;

    for (int batch = 0; code == SQLITE_OK && count == BATCH && batch < BATCHES_MAX; batch++) {
        code = find_unlisted_functions(db, found, BATCH, &count);
        for (int i = 0; code == SQLITE_OK && i < count; i++)
            code = sqlite3_create_function_v2(db, found[i].name, found[i].arguments,
                                              found[i].encoding, NULL, NULL, NULL, NULL, NULL);
    }
    return code == SQLITE_OK && count == BATCH ? SQLITE_ERROR : code;
}

/* Drops all modules of virtual tables but the allowed ones. */
static int drop_unlisted_virtual_table_modules(sqlite3 *db)
{
    const char *names[TABLES_MAX] = {NULL};
    size_t count = 0;

    for (const abdb_sql_function *f = abdb_sql_functions; f->name; f++)
        if (strcmp(f->group, "table") == 0 && count + 1 < TABLES_MAX) names[count++] = f->name;
    return sqlite3_drop_modules(db, names);
}

int abdb_sql_harden_connection(sqlite3 *db)
{
    int code;

    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    code = remove_unlisted_functions(db);
    if (code == SQLITE_OK) code = drop_unlisted_virtual_table_modules(db);
    if (code == SQLITE_OK) abdb_sql_install_authorizer(db, ABDB_SQL_ALL);
    return code;
}

int abdb_sql_open_hardened(sqlite3 **db, const char *path, int flags)
{
    int code = sqlite3_open_v2(path, db, flags, NULL);

    return code == SQLITE_OK ? abdb_sql_harden_connection(*db) : code;
}
