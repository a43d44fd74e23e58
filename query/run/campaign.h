/* campaign.h - the turns of a campaign: which cells by which backend, one after another, and the
 * printed summary. */
#ifndef ABDB_QUERY_CAMPAIGN_H
#define ABDB_QUERY_CAMPAIGN_H

#include "kernels/runner/gemm_search.h"
#include "query/run/schedule.h"
#include "query/run/spool_writer.h"

/* Where cells go. */
typedef struct {
    abdb_db *db;
    abdb_writer *writer;
    abdb_spool_writer *spool; /* --spool: instead of the database */
    bool quiet, says_failed;  /* says_failed: print the reason of the next cell that fails */
    bool resumed;             /* --resume: a changed program is refused */
    const char *backend;
} abdb_cell_store;

typedef struct {
    const abdb_args *args;
    const abdb_plan *plan;
    const abdb_schedule *lanes;
    abdb_run_options *o;
    abdb_cell_store *k;
    abdb_run_tally *tally;
    unsigned char *todo;
    const volatile int *stop;
    unsigned char *lost; /* by lane: its backend cannot be run, the others go on */
    bool again; /* cells whose median is in doubt are measured again, twice at most (--gate) */
} abdb_campaign;

/* Prints a remark where the newest run of the database is dated after now: the new results will
 * not be run=latest, which goes by date. */
ABDB_MUST_USE abdb_status abdb_campaign_warn_if_clock_behind(abdb_db *db, abdb_error *err);
/* A name for a campaign that begins now, with the key of its plan and options. */
void abdb_campaign_make_name(const char *key, char out[64]);
/* Cells of one repetition by all lanes. */
size_t abdb_campaign_count_cells(const abdb_campaign *t);
/* Tells how far it is; self is the keeper. */
void abdb_show_cell_progress_unless_quiet(void *self, const char *cell, size_t done, size_t total);
/* All cells by one lane after another, or (--interleave, --builds) cell by cell by all, to and fro.
* A backend that cannot be run is reported, and the others go on. ABDB_BACKEND: none is left. */
ABDB_MUST_USE abdb_status abdb_campaign_run_repetition(const abdb_campaign *t, abdb_error *err);
/* Each backend searches its fastest product, and the result is printed. */
ABDB_MUST_USE abdb_status abdb_campaign_search_and_print_fastest_gemm(const abdb_campaign *t,
                                                                      double budget_s,
                                                                      abdb_error *err);
/* Prints the expected duration, where it is at least so many seconds. */
void abdb_campaign_print_estimate(const abdb_campaign *t, size_t repetitions, double least_s);
/* Prints the measured cells, and the smallest difference that they could show. */
void abdb_campaign_print_summary(const abdb_campaign *t, const char *spool);

#endif
