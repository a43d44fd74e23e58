/* runner.h - starts a backend, hands it cells, watches it, and turns what it says into records.
 *
 * Contract, tested by number:
 * (1) Each cell of the list ends as exactly one entry: ok, not-implemented, failed, out-of-memory,
 *     no-device, cancelled, timeout, crash or bad-answer.
 * (2) Silence for SILENCE_S, or a cell over its time: SIGTERM to the process group, SIGKILL after
 *     GRACE_S, the cell is kept with status `timeout`, and a new process goes on with the next.
 * (3) A process that ends inside a cell: status `crash`, and a new process goes on. One that ends
 *     before its first record for want of an interpreter or a library (missing.h): `no-device`.
 * (4) Anything that is no record is ignored, and so are unknown kinds and fields. A record that
 *     breaks the protocol, one of another cell above all: status `bad-answer`, and a new process
 *     goes on (cell_validation.h).
 * (5) *stop: the cell at hand is told to finish its sample (SIGINT), with status `cancelled`;
 *     above 1 its group is killed at once. No process outlives abdb, however that ends
 * (child_process.h). (6) Text of a backend is data: it is stored without control characters, never
 * run.
 */
#ifndef ABDB_KERNELS_RUNNER_H
#define ABDB_KERNELS_RUNNER_H

#include <jansson.h>

#include "kernels/runner/launcher.h"
#include "kernels/runner/plan.h"
#include "schema/core/record.h"

enum { ABDB_PRECISE_LEAST = 10 }; /* samples: fewer are marked imprecise */
enum {
    ABDB_SILENCE_S = 30,
    ABDB_GRACE_S = 5,
    ABDB_CELL_TIMEOUT_S = 900,
    ABDB_QUICK_TIMEOUT_S = 300,
    ABDB_SCALED_TIMEOUT_S = 1800
};

typedef struct {
    const char *name, *path;     /* "openblas", ".../abdb-run-openblas" */
    const char *const *argument; /* of the program before the verb, up to a NULL; or NULL */
    const char *device;          /* ABDB_DEVICE, where it has several; or NULL */
    const char *campaign, *tag;  /* tag NULL: none */
    int threads, quick, energy;  /* threads 0: all allowed */
    bool foreign;                /* none of abdb's own: its results are marked self-verified */
    const char *counter;         /* abdb-run-ref, which counts the work of such again; or NULL */
    bool keep_environment;       /* its environment is ours: nothing is set for kernels */
    size_t repetition;           /* of the process, from 0 */
    long *starts;                /* of the program in this repetition so far, counted up; or NULL */
    const char *core_type;       /* OPENBLAS_CORETYPE, or NULL */
    /* Of what is measured: factors; NULL: not said. */
    const char *commit, *commit_date, *branch, *dirty, *program_digest;
    const char *node;                    /* where it is measured: a factor; NULL: not said */
    const abdb_launcher_command *launch; /* that starts its ranks; NULL: it is one process */
    double timeout_s;
    volatile const int *stop; /* 1: end after the sample at hand; more: at once; NULL: never */
    void (*progress)(void *self, const char *cell, size_t done, size_t total);
    /* Called where processes of the program had left its process group and were ended; or NULL. */
    void (*escaped)(void *self, const char *path, const char *processes);
    void *self;              /* of both */
    unsigned char *doubtful; /* of each cell that ran: 1 where its median is in doubt; or NULL */
} abdb_run_options;
/* Was it asked to end? */
static inline bool abdb_run_stop_requested(const abdb_run_options *options)
{
    return options->stop && *options->stop;
}

typedef struct {
    size_t ok, not_implemented, failed, crashed, unverified, cancelled, unsteady, busy, throttled,
        again, lost; /* backends that could not be run */
    size_t spreads, capacity;
    double *spread; /* of each measured cell: half of the interval of its median, relative */
} abdb_run_tally;
void abdb_run_tally_free(abdb_run_tally *tally);

/* Runs cells plan->cell[i] where todo[i], and hands each entry to sink. ABDB_BACKEND: the program
 * cannot be started, or speaks another protocol. */
ABDB_MUST_USE abdb_status abdb_backend_run_and_store_cells(const abdb_run_options *options,
                                                           const abdb_plan *plan,
                                                           const unsigned char *cells_to_run,
                                                           const abdb_sink *sink,
                                                           abdb_run_tally *tally, abdb_error *err);
typedef struct {
    double all_s, longest_s; /* of all cells that were asked for; of the longest one */
    size_t longest;          /* its place in the plan */
} abdb_run_estimate;
/* About how long the cells where todo[i] will take, as the backend counts their work; all_s is NAN
 * when it does not say. */
ABDB_MUST_USE abdb_status abdb_backend_ask_estimates_and_sum_seconds(
    const abdb_run_options *options, const abdb_plan *plan, const unsigned char *cells_to_ask,
    abdb_run_estimate *out, abdb_error *err);
/* What `describe` prints: an object with the members hello, environment and device, or NULL
 * members. The caller's reference. ABDB_BACKEND: it does not say so, or has no device: then the
 * object is there, too, with hello and no-device; without hello where what runs the program is not
 * installed. */
ABDB_MUST_USE abdb_status abdb_backend_run_describe_and_collect_records(
    const abdb_run_options *options, json_t **out, abdb_error *err);
/* The name under which a cell is stored: "openblas gemm dtype=f32 n=1024", of a backend with
 * several devices "torch cuda:1 gemm dtype=f32 n=1024", repetitions with " #2", ... From arena. */
const char *abdb_cell_stored_name(abdb_arena *arena, const char *backend, const char *device,
                                  const abdb_cell *cell, size_t repetition);
/* The line that asks a backend for a cell; free() it. NULL: no memory. */
char *abdb_cell_request_json_line(const abdb_run_options *options, const abdb_cell *cell);
/* Is a program asked in a cell for products by which abdb verifies it (challenge.h)? */
bool abdb_cell_request_has_challenge(const abdb_run_options *options, const abdb_cell *cell);
/* The kernels of OpenBLAS that this processor could run at best ("SkylakeX", "Haswell"), or NULL.
 */
const char *abdb_best_openblas_core_type(void);

#endif
