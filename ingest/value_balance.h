/* value_balance.h - a sink that counts the values of importers, so that no value that they read is
 * lost.
 *
 * Each value that an importer takes out of its source is counted where all of them pass
 * (abdb_add_thread_values_read, by abdb_entry_add_result_or_count_left_out and its like), and each
 * that it hands over passes here. At the end of a row the two must be equal, or the difference
 * belongs to the rejects of the row. A value lost without a reject is a fault of the importer: the
 * row gets a reject with this reason. / */
#ifndef ABDB_INGEST_BALANCE_H
#define ABDB_INGEST_BALANCE_H

#include "ingest/importer.h"

/* Entries that carry a mark for which rankings leave them out, by mark. Zeroed is empty. */
enum { ABDB_MARKS_TALLIED = 8 };
typedef struct {
    struct {
        long entries;
        char first[240]; /* the place of the first, and its fault */
    } mark[ABDB_MARKS_TALLIED];
} abdb_mark_tally;
/* The name of a mark that is counted. */
const char *abdb_mark_name_tallied_at(size_t i);
void abdb_mark_tally_add(abdb_mark_tally *to, const abdb_mark_tally *more);

typedef struct {
    abdb_sink inner;
    const abdb_left_out *left_out;         /* values that the importer omits, by name, or NULL */
    long read_before, left_before, handed; /* of the row at hand */
    long rejects;
    long read, rejected,
        lost; /* of all rows: values; lost: faults of the importer, part of rejected */
    long entries;
    abdb_mark_tally marks;
} abdb_balance;

/* The sink for an importer, which must run in this thread; inner is copied. */
abdb_sink abdb_balance_make_counting_sink(abdb_balance *balance, const abdb_sink *inner,
                                          const abdb_left_out *left_out);
/* Ends the row that the importer left open, if any: the values read after the last row_end. */
ABDB_MUST_USE abdb_status abdb_balance_reject_lost_values_of_last_row(abdb_balance *balance,
                                                                      abdb_error *err);

#endif
