/* migrate.c - tables from schema/ddl and schema/migrations; see db.h.
 *
 * schema/ddl are today's tables: a new file gets them at once. A file of schema/migrations takes an
 * older database one version on; facts are never rewritten, tables are only added to.
 */
#include <stdio.h>

#include "schema/store/db.h"

static abdb_status execute_schema_file(abdb_db *db, const abdb_embedded *file, const char *folder,
                                       abdb_error *err)
{
    abdb_status st = abdb_db_exec(db, file->text, err);

    return st == ABDB_OK ? st : abdb_error_prepend_context(err, "schema/%s/%s", folder, file->name);
}

abdb_status abdb_schema_create_or_migrate(abdb_db *db, int from, abdb_error *err)
{
    int to = abdb_schema_version();
    char pragma[96];
    abdb_status st = ABDB_OK;

    TRY(abdb_views_drop_made_by_abdb(
        db, err)); /* a table cannot be made anew under views that read it */
    for (int i = 0; from == 0 && abdb_schema_ddl_files()[i].name; i++)
        TRY(execute_schema_file(db, &abdb_schema_ddl_files()[i], "ddl", err));
    for (int i = from; from > 0 && i < to; i++)
        TRY(execute_schema_file(db, &abdb_schema_migration_files()[i - 1], "migrations", err));
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             ABDB_APPLICATION_ID, to);
    TRY(abdb_db_exec(db, pragma, err));
    TRY(abdb_db_exec(
        db, "INSERT OR IGNORE INTO meta VALUES ('pseudonyms', lower(hex(randomblob(16))))", err));
done:
    return st;
}
