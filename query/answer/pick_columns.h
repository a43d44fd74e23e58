/* pick_columns.h - a table of the columns that a person picked, in their order. */
#ifndef ABDB_QUERY_COLUMNS_H
#define ABDB_QUERY_COLUMNS_H

#include "query/answer/table.h"

/* out: the rows of a table with the columns that `names` lists, ',' between them, as a column or
 * its heading is called; the notes stay. For people marks stay with their columns, and the line of
 * common values above the table stays; where rows differ in these, a note is added. out borrows
 * the table's strings: free it first. ABDB_USAGE: no such column, or one named twice. */
ABDB_MUST_USE abdb_status abdb_table_copy_picked_columns(const abdb_table *table, const char *names,
                                                         bool for_people, abdb_table *out,
                                                         abdb_error *err);

#endif
