/* encode_rows.h - rows of a database in the form that every machine shares: numbers of the file are
 * replaced by keys, which are made of content, so that rows of different databases can be joined.
 *
 * entry_id becomes entry_key, the numbers of descriptions, sets of factors, environments,
 * processes, specifications, prices and notes their keys; that of a quantity or an artifact is made
 * of its content; the key of a result is the key of its entry with its ordinal in it (exclusive or
 * of bits 40 and up). An accidental collision in 63 bits is refused by the store, never mixed. */
#ifndef ABDB_QUERY_CARRY_H
#define ABDB_QUERY_CARRY_H

#include "query/warehouse/store_client.h"
#include "schema/store/db.h"

/* Tables that are carried as they are: dictionaries, rules, claims, withdrawals. End: NULL. */
extern const char *const abdb_carry_plain[];
/* Tables whose number is their key: a push sends all rows of abdb_carry_few (notes, specifications,
 * prices), but only the rows of abdb_carry_many that the warehouse lacks. */
extern const char *const abdb_carry_few[], *const abdb_carry_many[];

/* Makes the numbers that carried rows need, for this connection: temporary tables
 * artifact_number and quantity_number, and SQL functions. */
ABDB_MUST_USE abdb_status abdb_create_temp_encoding_tables_and_function(abdb_db *db,
                                                                        abdb_error *err);
/* SQL that gives the rows of a keyed table in carried form; `where` may be "". The caller's to
 * free by sqlite3_free; NULL: no memory. */
char *abdb_build_keyed_table_sql(abdb_db *db, const char *table, const char *where);
/* SQL of a table's rows for the entries of temp.batch (entry_id, number); NULL: no such table. */
const char *abdb_encoding_sql_of_table(const char *table);

/* Sends a request WORD TABLE COLUMN... with the rows of sql, under its column names; *rows: their
 * number. The caller reads the answer. */
ABDB_MUST_USE abdb_status abdb_send_encoded_rows(abdb_store_client *link, abdb_db *db,
                                                 const char *request, const char *table,
                                                 const char *sql, long long *rows, abdb_error *err);
/* The samples of temp.batch, as arrays. */
ABDB_MUST_USE abdb_status abdb_send_encoded_samples_of_batch(abdb_store_client *link, abdb_db *db,
                                                             long long *rows, abdb_error *err);

#endif
