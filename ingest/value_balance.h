/* value_balance.h - a sink that holds importers to account: of the values that they read none
 * vanishes.
 *
 * Each value that an importer takes out of its source is counted where all of them pass
 * (abdb_add_thread_values_read, by abdb_entry_add_result_or_count_left_out and its like), and each
 * that it hands over passes here. At the end of a row the two must be equal, or the rest is what
 * the rejects of the row kept out. What came to nothing without a reject is a fault of the
 * importer: the row gets one that says so. / */
#ifndef ABDB_INGEST_BALANCE_H
#define ABDB_INGEST_BALANCE_H

#include "ingest/importer.h"

/* Entries that carry a mark for which rankings leave them out, by mark. Zeroed is empty. */
enum { ABDB_MARKS_TALLIED = 7 };
typedef struct {
    struct {
        long entries;
        char first[240]; /* where the first stands, and what is wrong with it */
    } mark[ABDB_MARKS_TALLIED];
} abdb_mark_tally;
/* The name of a mark that is counted. */
const char *abdb_mark_name_tallied_at(size_t i);
void abdb_mark_tally_add(abdb_mark_tally *to, const abdb_mark_tally *more);

typedef struct {
    abdb_sink inner;
    const abdb_left_out *left_out;         /* what the importer passes over by name, or NULL */
    long read_before, left_before, handed; /* of the row at hand */
    long rejects;
    long read, rejected,
        lost; /* of all rows: values; lost: those that are faults, among rejected */
    long entries;
    abdb_mark_tally marks;
} abdb_balance;

/* The sink for an importer, which must run in this thread; inner is copied. */
abdb_sink abdb_balance_make_counting_sink(abdb_balance *balance, const abdb_sink *inner,
                                          const abdb_left_out *left_out);
/* Ends the row that the importer left open, if it did: what was read behind the last row_end. */
ABDB_MUST_USE abdb_status abdb_balance_reject_lost_values_of_last_row(abdb_balance *balance,
                                                                      abdb_error *err);

#endif
