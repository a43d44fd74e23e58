/* fact_upsert.h - the statements that insert facts, one for each set of columns that a row fills.
 */
#ifndef ABDB_STORE_FACT_UPSERT_H
#define ABDB_STORE_FACT_UPSERT_H

#include "schema/core/record.h"
#include "schema/core/text.h"
#include "schema/store/db.h"

typedef struct {
    const char *table,
        *digest_key;      /* digest_key: columns of the key made from the content, or NULL */
    const char *conflict; /* columns that name a dictionary row: later words replace */
    const char *columns;  /* that a fact may fill, each after a blank */
} fact_table;

/* The statements used last; a new one takes the place of the oldest. Zeroed is empty. */
enum { ABDB_FACT_UPSERTS = 16 };
typedef struct {
    struct {
        const fact_table *table;
        char *columns; /* their names, each before a blank */
        sqlite3_stmt *statement;
    } item[ABDB_FACT_UPSERTS];
    size_t next;
    abdb_text columns, sql; /* of the fact at hand */
} abdb_fact_upserts;

/* The statement for the table and the columns of the fact, which have the names of the table's
 * columns. It stays the cache's; reset it after use. */
ABDB_MUST_USE abdb_status abdb_fact_upserts_get(abdb_fact_upserts *cache, abdb_db *db,
                                                const fact_table *table, const abdb_fact *fact,
                                                sqlite3_stmt **out, abdb_error *err);
void abdb_fact_upserts_free(abdb_fact_upserts *cache);

#endif
