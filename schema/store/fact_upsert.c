/* fact_upsert.c - see fact_upsert.h. Rows of a file fill a few sets of columns, as some cells are
 * empty: to prepare a statement for each row would take most of the time of an import. */
#include "schema/store/fact_upsert.h"

#include <stdlib.h>
#include <string.h>

/* INSERT for the columns that the fact has; values are bound. */
static void build_fact_upsert_sql(const fact_table *kind_of_fact, const abdb_fact *fact,
                                  abdb_text *sql)
{
    abdb_text_clear(sql);
    abdb_text_printf(sql, "INSERT INTO %s (%s", kind_of_fact->table,
                     kind_of_fact->digest_key ? kind_of_fact->digest_key : "");
    for (size_t i = 0; i < fact->columns; i++)
        abdb_text_printf(sql, "%s\"%s\"", i || kind_of_fact->digest_key ? ", " : "",
                         fact->column[i].name);
    abdb_text_puts(sql, kind_of_fact->digest_key ? ") VALUES (?, ?, ?" : ") VALUES (?");
    for (size_t i = 1; i < fact->columns; i++) abdb_text_puts(sql, ", ?");
    abdb_text_puts(sql, ")");
    if (!kind_of_fact->conflict) { /* appended; existing rows stay unchanged */
        if (!kind_of_fact->digest_key) abdb_text_puts(sql, " ON CONFLICT DO NOTHING");
        return;
    }
    abdb_text_printf(sql, " ON CONFLICT (%s) DO UPDATE SET ", kind_of_fact->conflict);
    for (size_t i = 0; i < fact->columns; i++)
        abdb_text_printf(sql, "%s\"%s\" = coalesce(excluded.\"%s\", \"%s\")", i ? ", " : "",
                         fact->column[i].name, fact->column[i].name, fact->column[i].name);
    /* Only where a value changes: sqlite3_changes() is then 0 for an unchanged row. */
    abdb_text_puts(sql, " WHERE ");
    for (size_t i = 0; i < fact->columns; i++)
        abdb_text_printf(sql, "%sexcluded.\"%s\" <> coalesce(\"%s\", '')", i ? " OR " : "",
                         fact->column[i].name, fact->column[i].name);
}

/* Prepares the statement for cache->columns in place of the oldest one.*/
static abdb_status replace_oldest_statement(abdb_fact_upserts *cache, abdb_db *db,
                                            const fact_table *table, const abdb_fact *fact,
                                            sqlite3_stmt **out, abdb_error *err)
{
    size_t at = cache->next;
    char *columns = strdup(abdb_text_get(&cache->columns));

    build_fact_upsert_sql(table, fact, &cache->sql);
    if (!columns || cache->sql.failed) {
        free(columns);
        return ABDB_FAIL(err, ABDB_NOMEM, "a row of %s", fact->table);
    }
    cache->next = (cache->next + 1) % ABDB_FACT_UPSERTS;
    sqlite3_finalize(cache->item[at].statement);
    free(cache->item[at].columns);
    cache->item[at].table = table;
    cache->item[at].columns = columns;
    cache->item[at].statement = NULL;
    if (sqlite3_prepare_v2(db->sql, abdb_text_get(&cache->sql), -1, &cache->item[at].statement,
                           NULL) != SQLITE_OK) {
        cache->item[at].table = NULL;
        return abdb_db_report_sqlite_error(db, err, fact->table);
    }
    *out = cache->item[at].statement;
    return ABDB_OK;
}

abdb_status abdb_fact_upserts_get(abdb_fact_upserts *cache, abdb_db *db, const fact_table *table,
                                  const abdb_fact *fact, sqlite3_stmt **out, abdb_error *err)
{
    const char *columns;

    abdb_text_clear(&cache->columns);
    for (size_t i = 0; i < fact->columns; i++) {
        abdb_text_puts(&cache->columns, fact->column[i].name);
        abdb_text_puts(&cache->columns, " ");
    }
    if (cache->columns.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a row of %s", fact->table);
    columns = abdb_text_get(&cache->columns);
    for (size_t i = 0; i < ABDB_FACT_UPSERTS; i++)
        if (cache->item[i].table == table && strcmp(cache->item[i].columns, columns) == 0) {
            *out = cache->item[i].statement;
            return ABDB_OK;
        }
    return replace_oldest_statement(cache, db, table, fact, out, err);
}

void abdb_fact_upserts_free(abdb_fact_upserts *cache)
{
    for (size_t i = 0; i < ABDB_FACT_UPSERTS; i++) {
        sqlite3_finalize(cache->item[i].statement);
        free(cache->item[i].columns);
    }
    abdb_text_free(&cache->columns);
    abdb_text_free(&cache->sql);
    *cache = (abdb_fact_upserts){0};
}
