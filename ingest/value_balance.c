/* value_balance.c - values read against values handed over, row by row; see value_balance.h. */
#include "ingest/value_balance.h"

#include <stdio.h>
#include <string.h>

static long count_left_out_values(const abdb_balance *b)
{
    return b->left_out ? b->left_out->values : 0;
}

static void reset_row_counts(abdb_balance *b)
{
    b->read_before = abdb_values_read_by_thread();
    b->left_before = count_left_out_values(b);
    b->handed = b->rejects = 0;
}

static abdb_status balance_row_values_and_reject_lost(abdb_balance *b, abdb_error *err)
{
    long read = abdb_values_read_by_thread() - b->read_before;
    long accounted = b->handed + count_left_out_values(b) - b->left_before,
         missing = read - accounted;
    char reason[120];
    abdb_reject fault = {.reason = reason};
    abdb_status st = ABDB_OK;

    b->read += missing > 0 ? read : accounted; /* one value may be part of two entries */
    if (missing > 0) {
        b->rejected += missing;
        if (!b->rejects) {
            b->lost += missing;
            snprintf(reason, sizeof reason,
                     "%ld values were read and came to nothing: a fault of abdb, please report it",
                     missing);
            st = b->inner.reject(b->inner.self, &fault, err);
        }
    }
    reset_row_counts(b);
    return st;
}

static const char *const tallied[ABDB_MARKS_TALLIED] = {
    "failed",    "contradiction", "implausible",   "above-ceiling",
    "withdrawn", "quarantined",   "unit-unproved", "unstable"};

const char *abdb_mark_name_tallied_at(size_t i)
{
    return tallied[i];
}

void abdb_mark_tally_add(abdb_mark_tally *to, const abdb_mark_tally *more)
{
    for (size_t i = 0; i < ABDB_MARKS_TALLIED; i++) {
        if (!to->mark[i].entries && more->mark[i].entries)
            memcpy(to->mark[i].first, more->mark[i].first, sizeof to->mark[i].first);
        to->mark[i].entries += more->mark[i].entries;
    }
}

static void count_marks_keep_first_example(abdb_mark_tally *tally, const abdb_entry *entry)
{
    const char *where = entry->locator ? entry->locator : "";

    for (size_t i = 0; entry->field[ABDB_FIELD_flags] && i < ABDB_MARKS_TALLIED; i++) {
        size_t size = 0;
        const char *problem = abdb_entry_find_problem_of_mark(entry, tallied[i], &size);

        if (!abdb_entry_has_mark(entry, tallied[i]) || tally->mark[i].entries++) continue;
        snprintf(tally->mark[i].first, sizeof tally->mark[i].first, "%.60s%s%.*s", where,
                 *where && problem ? ": " : "", (int)size, problem ? problem : "");
    }
}

static abdb_status count_entry_values_and_marks_and_pass(void *self, const abdb_entry *entry,
                                                         abdb_error *err)
{
    abdb_balance *b = self;

    b->handed += (long)(entry->results + entry->values_left_out);
    b->entries++;
    count_marks_keep_first_example(&b->marks, entry);
    return b->inner.entry(b->inner.self, entry, err);
}

static abdb_status forward_fact_to_inner_sink(void *self, const abdb_fact *fact, abdb_error *err)
{
    abdb_balance *b = self;

    return b->inner.fact(b->inner.self, fact, err);
}

static abdb_status count_and_pass_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    abdb_balance *b = self;

    b->rejects++;
    return b->inner.reject(b->inner.self, reject, err);
}

static abdb_status balance_values_and_pass_row_end(void *self, abdb_error *err)
{
    abdb_balance *b = self;
    abdb_status st = balance_row_values_and_reject_lost(b, err);

    return st == ABDB_OK ? b->inner.row_end(b->inner.self, err) : st;
}

abdb_sink abdb_balance_make_counting_sink(abdb_balance *b, const abdb_sink *inner,
                                          const abdb_left_out *left_out)
{
    *b = (abdb_balance){.inner = *inner, .left_out = left_out};
    reset_row_counts(b);
    return (abdb_sink){b, count_entry_values_and_marks_and_pass, forward_fact_to_inner_sink,
                       count_and_pass_reject, balance_values_and_pass_row_end};
}

abdb_status abdb_balance_reject_lost_values_of_last_row(abdb_balance *b, abdb_error *err)
{
    bool open = b->handed || b->rejects || abdb_values_read_by_thread() != b->read_before ||
                count_left_out_values(b) != b->left_before;

    return open ? balance_row_values_and_reject_lost(b, err) : ABDB_OK;
}
