/* sql_marks.h - the marks of a report's text that stand for SQL: `-- @offers` and `-- @prices`,
 * which report.h explains. */
#ifndef ABDB_QUERY_SQL_MARKS_H
#define ABDB_QUERY_SQL_MARKS_H

#include "schema/core/text.h"

/* A copy of the text with the SQL in the place of each mark; from arena. NULL: no memory. */
char *abdb_report_expand_sql_marks(abdb_arena *arena, const char *text);

#endif
