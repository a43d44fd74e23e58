/* schema_check.h - is a database of the shape that this program makes? A file may come from
 * anybody: its tables must be abdb's own, its views are trusted only where they say what this
 * program's say. */
#ifndef ABDB_STORE_SHAPE_H
#define ABDB_STORE_SHAPE_H

#include <stdbool.h>

#include "schema/core/text.h"
#include "schema/store/db.h"

/* Compares what the file holds with schema/ddl and schema/views; blanks and comments do not count.
 * *views: are all views there, as this program makes them? tables: must the tables be those of
 * today too (not where a migration comes first)? ABDB_DB: a trigger on one of abdb's tables or
 * views, a table that is another or missing, or something else under the name of one. Whatever has
 * a name of its own is nobody's business. */
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
