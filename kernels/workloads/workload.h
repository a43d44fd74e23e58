/* workload.h - whole applications made of kernels: training, generation, serving, recommendation.
 *
 * A workload has state (parameters, an optimizer, a cache) and repetitions of thousands of
 * launches; a repetition is what a sample times. It is kernels/workloads/NAME.c and a line in
 * registry.def; it computes by the parts that a backend offers (parts.h) and reports the time of
 * each step in spans (spans.h). kernels/harness/workload_cell.c runs it: shape, memory, check,
 * open, and then reset (untimed) and run until the samples are enough.
 */
#ifndef ABDB_WORKLOADS_WORKLOAD_H
#define ABDB_WORKLOADS_WORKLOAD_H

#include "kernels/kernel.h"
#include "kernels/workloads/spans.h"

/* Ranks that do the same together, each with a state of its own (a copy of the model). */
typedef struct abdb_rank_group abdb_rank_group;
struct abdb_rank_group {
    int rank, ranks;
    void *self;
    /* Begins to add up the arrays x of all ranks (n numbers of f32 or f64, in the host's memory) in
     * place; the sums have the same bits on each rank. Several may run at once, begun in the same
     * order by all. */
    void (*start_allreduce)(const abdb_rank_group *c, abdb_dtype dtype, size_t n, void *x);
    /* Advances the sums that were begun, while the rank does other work. */
    void (*progress)(const abdb_rank_group *c);
    /* Waits for all sums that were begun. */
    void (*wait_allreduce)(const abdb_rank_group *c);
};

/* The parameters, device, parts, spans and ranks of a run. */
typedef struct {
    const abdb_problem *p; /* parameters; no tensors */
    abdb_device *device;
    const struct abdb_parts *parts; /* of the backend */
    abdb_spans *spans;
    const abdb_rank_group *crew; /* NULL: alone */
} abdb_run_context;

typedef struct {
    double ops, bytes; /* of one repetition, by the formula: needed work, not executed work */
    double memory;     /* bytes that it takes at most, beside the program */
} abdb_effort;

/* One number that a workload reports beside its time. */
typedef struct {
    const char *metric, *statistic; /* a name of schema/core/metric.def; "value", "p99", ... */
    double value, x;                /* x: place in a series (a step), NAN: none */
} abdb_workload_metric;
/* Takes one; at most ABDB_METRICS_MAX of a cell are kept, and more is an error of the workload. */
enum { ABDB_METRICS_MAX = 44 };
typedef void abdb_metric_callback(void *to, const abdb_workload_metric *metric);

/* Functions that return a status leave the reason in `err`. */
typedef struct abdb_workload {
    const char *name, *summary;
    const char *formula;    /* identifier@version of the effort */
    const char *parameters; /* for people: names, meaning, defaults */
    const char *names; /* of its parameters, separated by blanks; with scale=auto, the largest size
                               for the machine, the other parameters are set to that size */
    abdb_dtype dtype;  /* where the parameter dtype is not given */
    /* Fills defaults of parameters. ABDB_USAGE: a parameter that it cannot have. */
    abdb_status (*resolve_params)(abdb_problem *p, const abdb_machine_caches *limits,
                                  abdb_error *err);
    /* Writes the names of needed parts that the backend lacks; "" where it has all. */
    void (*list_missing_parts)(const abdb_problem *p, const struct abdb_parts *parts, char *out,
                               size_t room);
    void (*count_work_and_memory)(const abdb_run_context *s, abdb_effort *out);
    /* Are the results of the backend's parts right? *error: the largest over its bound, at most 1
     * passes (NAN fails); `at`: the size of the check, as parameters, or NULL: the workload's own.
     * Before anything is timed. */
    abdb_status (*check_results)(const abdb_run_context *s, double *error, const char **at,
                                 abdb_error *err);
    /* Makes the state of a stage that outlives it. ABDB_NOMEM. */
    abdb_status (*open)(void **state, const abdb_run_context *s, abdb_error *err);
    /* Before each repetition, untimed: sets the state that the repetition begins from. */
    abdb_status (*reset)(void *state, abdb_error *err);
    abdb_status (*run)(void *state, abdb_error *err);
    /* After the last repetition: reports its numbers; `median_s`: the time of a repetition; *sound
     * becomes false where a result cannot be right (a number that is not finite). */
    void (*report_metrics)(void *state, double median_s, abdb_metric_callback *tell, void *to,
                           bool *sound);
    /* Bytes that no repetition may change, such as weights. NULL: there are none. */
    void (*find_constant_memory)(const void *state, const void **data, size_t *bytes);
    void (*close)(void *state);
    bool supports_ranks; /* it can be one of several ranks: it has the parameter `ranks` */
    /* Two sizes, as parameters, for estimates of any cell's time (estimate_workload.c): operations
     * dominate the first, bytes the second (NULL: they do not count); none: there is no estimate.
     */
    const char *pilot_params[2];
} abdb_workload;
/* A workload on several ranks, as rank 0 runs it: open, reset, run and close act on all of them.
 * `device` and `parts` belong to one rank. */
typedef struct abdb_rank_workload {
    const abdb_workload *workload;
    abdb_device *device;
    const struct abdb_parts *parts;
} abdb_rank_workload;

#define WORKLOAD(name, printed) extern const abdb_workload abdb_workload_##name;
#include "kernels/workloads/registry.def"
#undef WORKLOAD
extern const abdb_workload *const abdb_workloads[]; /* end: NULL */

#endif
