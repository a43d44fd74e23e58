/* mlperf_footnotes.h - the footnotes that MLCommons requires below every table and figure with
 * results of MLPerf.
 */
#ifndef ABDB_QUERY_FOOTNOTES_H
#define ABDB_QUERY_FOOTNOTES_H

#include "query/answer/report.h"

/* Adds the footnotes of the MLPerf results that a table shows: it looks for their keys in the
 * columns `key`, `_facts`, `_facts_*` and `*_key`. Where rows of MLPerf are shown without a
 * key (by a column `evidence`, or from_mlperf), only the legend is added, with the way to get the
 * rest.
 */
ABDB_MUST_USE abdb_status abdb_add_mlperf_footnotes_as_table_notes(abdb_db *db, abdb_table *table,
                                                                   bool from_mlperf,
                                                                   abdb_error *err);

/* A report with its footnotes: abdb_report_run_into_table, and
 * abdb_add_mlperf_footnotes_as_table_notes unless its header has `footnotes: none`. */
ABDB_MUST_USE abdb_status abdb_report_run_with_footnotes(abdb_db *db, const abdb_report *report,
                                                         const char *const *value,
                                                         abdb_table *table, abdb_error *err);

#endif
