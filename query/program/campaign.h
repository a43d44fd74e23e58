/* campaign.h - the turns of a campaign: which cells by which backend, one after another, and what
 * is said of it. */
#ifndef ABDB_QUERY_CAMPAIGN_H
#define ABDB_QUERY_CAMPAIGN_H

#include "kernels/runner/search.h"
#include "query/program/lanes.h"
#include "query/program/spooling.h"

/* Where cells go. */
typedef struct {
    abdb_db *db;
    abdb_writer *writer;
    abdb_spooling *spool;    /* --spool: instead of the database */
    bool quiet, says_failed; /* says_failed: the reason of the next cell that fails is said */
    const char *backend;
} abdb_keeper;

typedef struct {
    const abdb_args *args;
    const abdb_plan *plan;
    const abdb_lanes *lanes;
    abdb_run_options *o;
    abdb_keeper *k;
    abdb_run_tally *tally;
    unsigned char *todo;
    const volatile int *stop;
    unsigned char *lost; /* by lane: its backend cannot be run, the others go on */
    bool again; /* cells whose median is in doubt are measured again, twice at most (--gate) */
} abdb_turns;

/* Prints a remark where the newest run of the database is dated after now: what is measured now
 * will not be run=latest, which goes by date. */
ABDB_MUST_USE abdb_status abdb_campaign_check_clock(abdb_db *db, abdb_error *err);
/* Tells how far it is; self is the keeper. */
void abdb_turns_progress(void *self, const char *cell, size_t done, size_t total);
/* All cells by one lane after another, or (--interleave, --builds) cell by cell by all, to and fro.
 * A backend that cannot be run is said, and the others go on. ABDB_BACKEND: none is left. */
ABDB_MUST_USE abdb_status abdb_turns_once(const abdb_turns *t, abdb_error *err);
/* Each backend searches its fastest product, and what it found is printed. */
ABDB_MUST_USE abdb_status abdb_turns_search(const abdb_turns *t, double budget_s, abdb_error *err);
/* Says how long it will take, where it is at least so many seconds. */
void abdb_turns_announce(const abdb_turns *t, size_t repetitions, double least_s);
/* What was measured, and how much of a difference it could have shown. */
void abdb_turns_summary(const abdb_turns *t, const char *spool);

#endif
