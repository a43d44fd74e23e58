/* workload.h - whole applications made of kernels: training, generation, serving, recommendation.
 *
 * A workload has state (parameters, an optimizer, a cache) and repetitions of thousands of
 * launches; a repetition is what a sample times. It is kernels/workloads/NAME.c and a line in
 * registry.def; it computes by the parts that a backend offers (parts.h) and tells where the time
 * goes by spans (spans.h). kernels/harness/workload_cell.c runs it: shape, memory, check, open, and
 * then reset (untimed) and run until the samples are enough.
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
    /* Begins to add up what all ranks have in x (n numbers of f32 or f64, in the host's memory), in
     * place; the sums are the same bits on each. Several may be under way, begun in the same order
     * by all. */
    void (*start_allreduce)(const abdb_rank_group *c, abdb_dtype dtype, size_t n, void *x);
    /* Helps what was begun along, while the rank does something else. */
    void (*progress)(const abdb_rank_group *c);
    /* Waits for all that was begun. */
    void (*wait_allreduce)(const abdb_rank_group *c);
};

/* What a workload runs on. */
typedef struct {
    const abdb_problem *p; /* parameters; no tensors */
    abdb_device *device;
    const struct abdb_parts *parts; /* of the backend */
    abdb_spans *spans;
    const abdb_rank_group *crew; /* NULL: alone */
} abdb_run_context;

typedef struct {
    double ops, bytes; /* of one repetition, by the formula: what is needed, not what is done */
    double memory;     /* bytes that it takes at most, beside the program */
} abdb_effort;

/* One number that a workload tells beside its time. */
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
    const char *names; /* of its parameters, separated by blanks; scale=auto is one: as large as the
                               machine bears, which its other parameters then tell */
    abdb_dtype dtype;  /* where the parameter dtype does not say */
    /* Fills defaults of parameters. ABDB_USAGE: a parameter that it cannot have. */
    abdb_status (*resolve_params)(abdb_problem *p, const abdb_machine_caches *limits,
                                  abdb_error *err);
    /* Writes what it needs and the backend lacks, by name; "" where it lacks nothing. */
    void (*list_missing_parts)(const abdb_problem *p, const struct abdb_parts *parts, char *out,
                               size_t room);
    void (*count_work_and_memory)(const abdb_run_context *s, abdb_effort *out);
    /* Is what this stage's parts compute right? *error: the largest over its bound, at most 1
     * passes (NAN is none); `at`: the size at which it was looked at, as parameters, or NULL: its
     * own. Before anything is timed. */
    abdb_status (*check_results)(const abdb_run_context *s, double *error, const char **at,
                                 abdb_error *err);
    /* Makes the state of a stage that outlives it. ABDB_NOMEM. */
    abdb_status (*open)(void **state, const abdb_run_context *s, abdb_error *err);
    /* Before each repetition, untimed: what the next one begins from. */
    abdb_status (*reset)(void *state, abdb_error *err);
    abdb_status (*run)(void *state, abdb_error *err);
    /* After the last: its numbers, of which `median_s` is the time of a repetition; *sound becomes
     * false where what was computed cannot be right (a number that is not finite). */
    void (*report_metrics)(void *state, double median_s, abdb_metric_callback *tell, void *to,
                           bool *sound);
    /* Bytes that no repetition may change, such as weights. NULL: there are none. */
    void (*find_constant_memory)(const void *state, const void **data, size_t *bytes);
    void (*close)(void *state);
    bool supports_ranks; /* it can be one of several ranks: it has the parameter `ranks` */
    /* Two sizes, as parameters, that tell how long any cell of it takes (estimate_workload.c): of
     * one operations prevail, of the other bytes (NULL: they do not count); none: nobody can say.
     */
    const char *pilot_params[2];
} abdb_workload;
/* A workload on several ranks, as rank 0 runs it: what opens, resets, runs and closes it does so on
 * all of them. `device` and `parts` are those of a rank. */
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
