/* program_changes.h - is a program of abdb run --command still the one that its tag began with? */
#ifndef ABDB_QUERY_PROGRAM_CHANGES_H
#define ABDB_QUERY_PROGRAM_CHANGES_H

#include "schema/core/record.h"
#include "schema/store/db.h"

/* Compares the program of a result with earlier results of its campaign, tag and cell. Another one
 * is refused when they are resumed (ABDB_USAGE), else reported on standard error. */
ABDB_MUST_USE abdb_status abdb_refuse_or_report_changed_program(abdb_db *db,
                                                                const abdb_entry *entry,
                                                                bool resumed, abdb_error *err);

#endif
