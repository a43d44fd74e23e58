/* harness.h - what every backend written in C shares: the protocol, the clock, sampling,
 * verification and the description of the machine. protocol.md documents the protocol for backends
 * in other languages. */
#ifndef ABDB_KERNELS_HARNESS_H
#define ABDB_KERNELS_HARNESS_H

#include <jansson.h>
#include <stdbool.h>

#include "kernels/kernel.h"

/* The main function of a backend: `describe`, or `run` with cells on standard input. */
int abdb_backend_main(const abdb_backend *backend, int argc, char **argv);

/* --- clock.c: CLOCK_MONOTONIC, measured ----------------------------------------------------------
 */
double abdb_now_s(void);
typedef struct {
    double resolution_s, cost_s; /* smallest step seen, time of one reading */
} abdb_clock;
abdb_clock abdb_clock_measure(void);

/* --- machine.c
 * ------------------------------------------------------------------------------------ */
/* Size of the last-level cache in bytes, as the system tells it; 32 MiB when it does not. */
size_t abdb_cache_size(void);
/* Caches of one core and the last level, and the threads that a backend uses. */
abdb_limits abdb_machine_limits(const abdb_backend *backend);
/* Memory that this process may still use, bytes. */
double abdb_memory_available(void);
/* "AMD EPYC ..." : a new reference to a JSON object with everything known of machine and build. */
json_t *abdb_machine(const abdb_backend *backend);
/* Name of the processor. */
const char *abdb_processor(char *out, size_t room);

/* --- measure.c
 * ------------------------------------------------------------------------------------ */
typedef struct {
    int warm_ups, least; /* launches before, samples at least */
    double warm_s;       /* time of the launches before, at least: processors wake, clocks settle */
    double least_s, cap_s, iqr_target; /* time at least and at most; relative interquartile range */
    bool cold;                         /* caches are flushed between samples */
} abdb_sampling;
extern const abdb_sampling abdb_sampling_full, abdb_sampling_quick;

enum { ABDB_SAMPLES_MAX = 20000 };
typedef struct {
    double *time_s;      /* of one launch each */
    double *at_s;        /* since the first */
    size_t count, batch; /* batch: launches per sample */
    bool cancelled;
} abdb_samples;
/* Launches until the rule is met. *stop ends it after the sample at hand. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_measure(const abdb_impl *impl, void *state,
                                       const abdb_sampling *rule, const abdb_clock *clock,
                                       const volatile int *stop, abdb_samples *out,
                                       abdb_error *err);
void abdb_samples_free(abdb_samples *samples);

/* --- verify.c
 * ------------------------------------------------------------------------------------- */
/* Largest error over its bound in sampled rows of every output (NaN counts as infinite): at most 1
 * passes. */
ABDB_MUST_USE abdb_status abdb_verify(const abdb_kernel *kernel, const abdb_problem *p, double *out,
                                      abdb_error *err);
/* Fills a tensor with numbers uniform in [-1, 1] from a fixed seed. */
void abdb_fill(abdb_tensor *tensor, unsigned seed);

#endif
