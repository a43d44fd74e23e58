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

/* --- clock.c: CLOCK_MONOTONIC, measured ------------------------------------------------------- */
double abdb_now_s(void);
typedef struct {
    double resolution_s, cost_s; /* smallest step seen, time of one reading */
} abdb_clock;
abdb_clock abdb_clock_measure(void);

/* --- machine.c -------------------------------------------------------------------------------- */
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

/* --- sensors.c: what the system tells of its state, under /sys and /proc or $ABDB_SENSORS ----- */
enum { ABDB_ENERGY_WINDOW_S = 5 }; /* the shortest that counts */
typedef struct {
    double at_s, load, stolen, ticks, clock_hz, temperature_c, energy_j; /* NAN: not told */
    double energy_most_j; /* where the counter begins again */
} abdb_sensors;
void abdb_sensors_read(abdb_sensors *out);
/* Clock, temperature and energy alone, which changes from sample to sample: quick. */
void abdb_sensors_glance(abdb_sensors *out);
/* Prints readings as telemetry: `first_s` is when the first sample began, power is the mean since
 * the counter of energy last moved. What no sensor tells is left out. */
void abdb_sensors_print(const char *cell, const abdb_sensors *reading, size_t count,
                        double first_s);
/* Is there a counter of energy here? */
bool abdb_sensors_energy(void);
/* Adds to a result what changed between two readings; energy of each of `launches`. */
void abdb_sensors_tell(json_t *result, const abdb_sensors *before, const abdb_sensors *after,
                       double launches);

/* --- measure.c -------------------------------------------------------------------------------- */
typedef struct {
    int warm_ups, least; /* launches before, samples at least */
    double warm_s;       /* time of the launches before, at least: processors wake, clocks settle */
    double least_s, cap_s, iqr_target; /* time at least and at most; relative interquartile range */
    bool cold;                         /* caches are flushed between samples */
    double canary_s, shift_most; /* a fixed piece of work before and after; how far it may move */
    bool again;                  /* beyond that, samples are taken again */
} abdb_sampling;
extern const abdb_sampling abdb_sampling_full, abdb_sampling_quick;

enum { ABDB_SAMPLES_MAX = 20000, ABDB_READINGS_MAX = 16 };
typedef struct {
    double *time_s;                          /* of one launch each */
    double *at_s;                            /* since the first */
    size_t count, batch;                     /* batch: launches per sample */
    size_t launches;                         /* all of them, those of warming up too */
    double first_s;                          /* when the first began */
    abdb_sensors reading[ABDB_READINGS_MAX]; /* now and then, between samples */
    size_t readings;
    bool cancelled;
} abdb_samples;
/* Launches until the rule is met, of prepared copies in turn. *stop ends it after the sample at
 * hand. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_cell_measure(const abdb_impl *impl, void *const *states,
                                            size_t copies, const abdb_sampling *rule,
                                            const abdb_clock *clock, const volatile int *stop,
                                            abdb_samples *out, abdb_error *err);
void abdb_samples_free(abdb_samples *samples);

/* --- steady.c: did the machine stay the same meanwhile? --------------------------------------- */
/* Seconds that a fixed piece of work takes on all threads, a triad and multiply-adds: chosen once,
 * so that it takes about `about_s`. */
double abdb_canary(double about_s);

/* --- cell.c ----------------------------------------------------------------------------------- */
const abdb_kernel *abdb_kernel_find(const char *name);
/* Runs a cell and prints its samples and result; *status is what its end is called. */
ABDB_MUST_USE abdb_status abdb_cell_run(const abdb_backend *backend, const char *cell,
                                        json_t *request, const volatile int *stop,
                                        const char **status, abdb_error *err);
/* Prints how much a cell would do, without doing it. */
ABDB_MUST_USE abdb_status abdb_cell_estimate(const abdb_backend *backend, const char *cell,
                                             json_t *request, const char **status, abdb_error *err);
/* backend.c: prints a record and drops the reference. */
/* From here on records have the standard output, and prints of libraries the standard error. False:
 * errno says why not. */
bool abdb_records_open(void);
void abdb_print_record(json_t *record);

/* --- verify.c --------------------------------------------------------------------------------- */
/* Largest error over its bound in sampled rows of every output (NaN counts as infinite): at most 1
 * passes. */
ABDB_MUST_USE abdb_status abdb_verify(const abdb_kernel *kernel, const abdb_problem *p, double *out,
                                      abdb_error *err);
/* Fills a tensor with numbers uniform in [-1, 1] from a fixed seed. */
void abdb_fill(abdb_tensor *tensor, unsigned seed);
/* The same, or zeros, or whole numbers from -4 to 3: other numbers, other power (factor fill). */
enum { ABDB_FILL_UNIFORM, ABDB_FILL_ZEROS, ABDB_FILL_INTEGERS };
void abdb_fill_with(abdb_tensor *tensor, unsigned seed, int how);

#endif
