/* schema_version.c - which tables and migrations this program has, or pretends to have; see db.h.
 */
#include <stddef.h>

#include "schema/store/db.h"

static const abdb_embedded *pretended_ddl, *pretended;

void abdb_schema_override_for_tests(const abdb_embedded *ddl, const abdb_embedded *migrations)
{
    pretended_ddl = ddl;
    pretended = migrations;
}

const abdb_embedded *abdb_schema_ddl_files(void)
{
    return pretended_ddl ? pretended_ddl : abdb_ddl;
}

const abdb_embedded *abdb_schema_migration_files(void)
{
    return pretended ? pretended : abdb_migrations;
}

int abdb_schema_version(void)
{
    int count = 1;

    while (abdb_schema_migration_files()[count - 1].name) count++;
    return count;
}
