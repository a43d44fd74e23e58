/* warehouse_schema.h - the tables and views of a warehouse: made by the first who pushes, brought
 * up to date by --upgrade. */
#ifndef ABDB_STORES_SCHEMA_H
#define ABDB_STORES_SCHEMA_H

#include "schema/core/embedded.h"
#include "stores/pg/pg_connection.h"

/* From the Makefile: schema/ddl in PostgreSQL's words, schema/dialect, schema/views. */
extern const abdb_embedded abdb_pg_tables[], abdb_pg_dialect[], abdb_views[];
/* The text of a file of schema/dialect. */
const char *abdb_find_dialect_sql_or_empty(const char *name);

/* make: where there is no warehouse, one is made; upgrade: one that is there is brought to this
 * build's tables, views and rights, whatever of them was dropped. *outcome: "made", "current",
 * "upgraded", or "other": it is another build's and was left as it is. Warnings for the user are
 * added to `message`, each sentence behind "; ". ABDB_IO: the user lacks a right, or the
 * warehouse a table. */
ABDB_MUST_USE abdb_status abdb_warehouse_check_create_or_upgrade(abdb_server *s, bool make,
                                                                 bool upgrade, const char **outcome,
                                                                 abdb_text *message,
                                                                 abdb_error *err);

#endif
