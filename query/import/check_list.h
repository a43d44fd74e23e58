/* check_list.h - `import --check`: a published list of files and digests, and what was imported. */
#ifndef ABDB_QUERY_CHECK_LIST_H
#define ABDB_QUERY_CHECK_LIST_H

#include "query/answer/table.h"
#include "schema/core/text.h"
#include "schema/store/db.h"

/* Fills the table with the rows of the report listed-files: a state for each line of the list
 * (lines of sha256sum, in its usual or its BSD form; blank lines and # comments are skipped), and
 * the files that are gone from it. Lines that cannot be read have the state `unread`. *differing:
 * how many files are new, changed or gone; *unread: lines. ABDB_FORMAT: no line is of a list. */
ABDB_MUST_USE abdb_status abdb_tabulate_files_of_list(abdb_db *db, const char *list,
                                                      abdb_table *table, size_t *differing,
                                                      size_t *unread, abdb_error *err);

#endif
