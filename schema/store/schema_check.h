/* schema_check.h - is a database of the shape that this program makes? A file may come from
 * anybody: its tables must be abdb's own, its views are trusted only where their SQL equals this
 * program's. */
#ifndef ABDB_STORE_SHAPE_H
#define ABDB_STORE_SHAPE_H

#include <stdbool.h>

#include "schema/core/text.h"
#include "schema/store/db.h"

/* Compares the file's schema with schema/ddl and schema/views; blanks and comments do not count.
 * *views_current: all views are as this program makes them. require_tables: the tables must be of
 * this version (not where a migration comes first). ABDB_DB: a trigger on one of abdb's tables or
 * views, a table that differs or is missing, or something else under the name of one. Objects with
 * other names are not checked. */
ABDB_MUST_USE abdb_status abdb_schema_refuse_changed_tables_compare_views(abdb_db *db,
                                                                          bool require_tables,
                                                                          bool *views_current,
                                                                          abdb_error *err);
/* The names of this program's views, or of its tables, in the order in which they are made, as a
 * JSON array; out->failed: no memory. */
void abdb_schema_append_names_as_json(bool views, abdb_text *out);
/* The first letter of the next statement, after blanks and comments. */
const char *abdb_skip_sql_blanks_and_comments(const char *sql);

#endif
