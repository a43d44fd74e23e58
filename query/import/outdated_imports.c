/* outdated_imports.c - files that an older version of their importer read; see outdated_imports.h.
 */
#include "query/import/outdated_imports.h"
#include "ingest/registry.h"

#include <string.h>

#include "ingest/importer.h"

enum { GROUPS_MAX = 1024 };

/* Readings that stand: of a file that gave something and is no part of this build, neither
 * withdrawn nor read again. */
#define STANDING                                                                                 \
    " FROM artifact a WHERE accepted + duplicate > 0 AND path NOT GLOB '(built in)*' AND sha256" \
    " NOT IN (SELECT target FROM withdrawn) AND sha256 || '?' || format || '?' || words NOT IN"  \
    " (SELECT target FROM withdrawn) AND NOT EXISTS (SELECT 1 FROM artifact n WHERE"             \
    " n.sha256 = a.sha256 AND n.format = a.format AND n.words = a.words AND n.importer >"        \
    " a.importer)"
/* A user's own map is noted among the words of --set, "map DIGEST" in a line of its own. */
#define OWN_MAP "instr(char(10) || words, char(10) || 'map ') > 0"

abdb_status abdb_find_outdated_imports(abdb_db *db, abdb_arena *arena, abdb_outdated_imports **list,
                                       size_t *count, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    abdb_outdated_imports *found = abdb_arena_alloc(arena, GROUPS_MAX * sizeof *found);
    int code = sqlite3_prepare_v2(db->sql,
                                  "SELECT format, " OWN_MAP ", importer, count(*)" STANDING
                                  " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
                                  -1, &s, NULL);

    *count = 0;
    *list = found;
    if (!found) return ABDB_FAIL(err, ABDB_NOMEM, "old readings");
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        const char *format;
        abdb_outdated_imports *group = &found[*count];

        code = sqlite3_step(s);
        if (code != SQLITE_ROW || *count == GROUPS_MAX) break;
        format = abdb_sql_text_or_empty(s, 0);
        *group = (abdb_outdated_imports){.own_map = sqlite3_column_int(s, 1),
                                         .was = sqlite3_column_int(s, 2),
                                         .files = sqlite3_column_int64(s, 3)};
        group->now = abdb_importer_version_of_format_with_maps(format, group->own_map);
        if (group->was >= group->now) continue; /* a format that is gone: 0 */
        group->format = abdb_arena_copy(arena, format, strlen(format));
        ++*count;
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE || code == SQLITE_ROW
               ? ABDB_OK
               : abdb_db_report_sqlite_error(db, err, "artifacts");
}

abdb_status abdb_fill_temp_table_of_outdated_imports(abdb_db *db, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_outdated_imports *list;
    size_t count;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(db,
                     "DROP TABLE IF EXISTS temp.again;"
                     "CREATE TEMP TABLE again (artifact_id INTEGER PRIMARY KEY)",
                     err));
    TRY(abdb_find_outdated_imports(db, &arena, &list, &count, err));
    for (size_t i = 0; i < count && st == ABDB_OK; i++) {
        char *sql = sqlite3_mprintf("INSERT INTO temp.again SELECT artifact_id" STANDING
                                    " AND format = %Q AND importer = %d AND (" OWN_MAP ") = %d",
                                    list[i].format, list[i].was, list[i].own_map);

        st = sql ? abdb_db_exec(db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "old readings");
        sqlite3_free(sql);
    }
done:
    abdb_arena_free(&arena);
    return st;
}
