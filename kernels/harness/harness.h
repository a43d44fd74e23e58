/* harness.h - the common part of all backends in C: the protocol, the clock, sampling,
 * verification and the description of the machine. protocol.md documents the protocol for backends
 * in other languages. */
#ifndef ABDB_KERNELS_HARNESS_H
#define ABDB_KERNELS_HARNESS_H

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>

#include "kernels/kernel.h"
#include "kernels/workloads/workload.h"

/* The main function of a backend: `describe`, or `run` with cells on standard input. */
int abdb_backend_main(const abdb_backend *backend, int argc, char **argv);

/* --- clock.c: CLOCK_MONOTONIC, measured ------------------------------------------------------- */
double abdb_clock_seconds(void);
typedef struct {
    double resolution_s, cost_s; /* smallest step seen, time of one reading */
} abdb_clock;
abdb_clock abdb_measure_clock_step_and_cost(void);

/* --- machine_info.c
 * -------------------------------------------------------------------------------- */
/* Size of the last-level cache in bytes as the system reports it; 32 MiB without a report. */
size_t abdb_last_level_cache_bytes_or_32_mib(void);
/* Caches of one core and the last level ($ABDB_LAST_LEVEL_BYTES, where it is set), and the threads
 * that kernels run on. */
abdb_machine_caches abdb_machine_cache_sizes_capped_if_virtual(int threads);
/* Memory that this process may still use, and all that the machine has, bytes. */
double abdb_memory_available_bytes_within_cgroup(void);
double abdb_memory_total_bytes(void);
/* Nodes of memory, at least 1. */
int abdb_numa_node_count(void);
/* A new reference to a JSON object that describes machine, device and build. */
json_t *abdb_describe_machine_json(const abdb_backend *backend, abdb_device *device);
/* Name of the processor, as the system has it. */
const char *abdb_processor_model_name(char *out, size_t room);
/* Name of this host's processors as a device, whose ceilings it shares with machines of the same
 * name alone: the processor, by family and model where a hypervisor hides its name, and how many
 * processors the machine has. */
const char *abdb_host_device_name(char *out, size_t room);
/* Upper bounds of the host's rates: its processors, each at a clock that none has, with two units
 * of its widest instructions; bytes of the nearest cache. */
void abdb_host_max_plausible_rates(double *ops_per_s, double *bytes_per_s);

/* --- memory_pool.c
 * --------------------------------------------------------------------------------- */
/* Memory freed by one cell is kept for the next, because the system needs longer to find and clear
 * pages than a cell to fill them, on a virtual machine several times as long. Unused with several
 * memory nodes: a page lies near the thread that touched it first. For one thread only. */
/* A block that begins on a page. NULL: the size is small, there are too many blocks, or no region:
 * the caller then takes other memory. */
void *abdb_memory_pool_alloc_or_null(size_t size);
/* False: it is not a block of the region. */
bool abdb_memory_pool_release_if_owned(void *memory);
/* Bytes that are kept for blocks to come. */
double abdb_memory_pool_touched_unused_bytes(void);
/* Gives the memory behind the last block back to the system. */
void abdb_memory_pool_return_unused_tail(void);

/* --- host_device.c
 * ----------------------------------------------------------------------------------- */
/* The host's processors as a device whose kernels run on so many threads; of this process, there is
 * one. */
abdb_device *abdb_init_host_device(int threads);

/* --- thread_count.c: how many threads libgomp was asked for
 * ------------------------------------------- */
/* Seconds of an empty parallel region of so many threads, the median of many. The value, from one
 * to fifty microseconds on the same processors, depends on how threads wait: OMP_WAIT_POLICY. */
double abdb_median_time_of_empty_parallel_region(int threads);
/* Processors of all places to which OpenMP binds threads; false: it binds none. A bound thread may
 * run in its own place only, and its child threads and processes inherit this limit. */
bool abdb_get_processors_of_openmp_places(cpu_set_t *out);
/* From now on the largest team counts. */
void abdb_thread_count_begin(void);
/* Threads of the largest team since then, 1 where there was none; ends the counting. */
int abdb_thread_count_end_max(void);

/* --- thread_params.c
 * -------------------------------------------------------------------------------- */
/* The parameter `threads` of a problem, 0 where it has none. ABDB_USAGE: no whole number from 1. */
ABDB_MUST_USE abdb_status abdb_parse_threads_param_or_0(const abdb_problem *p, int *out,
                                                        abdb_error *err);
/* *threads_run: threads used since abdb_thread_count_begin; ends the counting. ABDB_USAGE: the
 * problem requests another number. */
ABDB_MUST_USE abdb_status abdb_end_thread_count_and_require_requested(const abdb_problem *p,
                                                                      int *threads_run,
                                                                      abdb_error *err);

/* --- sensors.c: the state of the system, from /sys and /proc or $ABDB_SENSORS ----------------- */
enum { ABDB_ENERGY_WINDOW_S = 5 }; /* the shortest that counts */
void abdb_sensors_read_all_with_load_and_steal(abdb_sensors *out);
/* Clock, temperature and energy alone, which changes from sample to sample: quick. */
void abdb_sensors_read_clock_temperature_energy(abdb_sensors *out);
/* `read_sensors` of a device (kernel.h) that has the host's sensors; other devices call it first,
 * then read their own. how: the quick sensors, or all. */
void abdb_sensors_read_host_quick_or_all(abdb_device *d, int how, abdb_sensors *out);
/* Prints readings as telemetry: `first_s` is when the first sample began, power is the mean since
 * the counter of energy last moved. Values without a sensor are omitted. */
void abdb_print_sensor_telemetry(const char *cell, const abdb_sensors *reading, size_t count,
                                 double first_s);
/* Does a device count its energy? */
bool abdb_device_has_energy_counter(abdb_device *d);
/* Adds the energy and the time between two readings to the sums in a third. */
void abdb_sensors_add_energy_and_time_between(abdb_sensors *sum, const abdb_sensors *before,
                                              const abdb_sensors *after);
/* Adds the changes between two readings to a result; energy is divided by `launches`. */
void abdb_result_json_add_load_steal_and_energy(json_t *result, const abdb_sensors *before,
                                                const abdb_sensors *after, double launches);

/* --- sampling.c ------------------------------------------------------------------------------- */
typedef struct {
    int warm_ups, min_samples; /* launches before, samples at least */
    double warm_s; /* time of the launches before, at least: processors wake, clocks settle */
    double min_time_s, max_time_s,
        iqr_target;              /* time at least and at most; relative interquartile range */
    bool cold;                   /* caches are flushed between samples */
    double canary_s, shift_most; /* a fixed piece of work before and after; how far it may move */
    bool repeat_if_unsteady;     /* beyond that, samples are taken again */
    double check_s;              /* time to compare results, before and after */
    double single_sample_s;      /* one sample that took longer is enough; 0: none ever is */
    struct abdb_sample_watch *watch; /* looks at samples of the first copy, or NULL */
} abdb_sampling;
extern const abdb_sampling abdb_sampling_full, abdb_sampling_quick;
/* Samples that are taken even where the time is up, of launches of each_s. */
static inline size_t abdb_min_sample_count_after_time_limit(const abdb_sampling *rule,
                                                            double each_s)
{
    return rule->single_sample_s > 0 && each_s >= rule->single_sample_s ? 1 : 3;
}

/* ABDB_SAMPLES_FEW: samples of a rule at least; the runner marks results of fewer as imprecise. */
enum { ABDB_SAMPLES_FEW = 10, ABDB_SAMPLES_MAX = 20000, ABDB_READINGS_MAX = 16 };
typedef struct {
    double *time_s;      /* of one launch each */
    double *at_s;        /* since the first */
    size_t count, batch; /* batch: launches per sample */
    size_t launches;     /* all, including warm-up */
    double first_s;      /* when the first began */
    double *rank_s;      /* of a device of several ranks: of each sample the time of each of them */
    int ranks;           /* 0: it has none */
    abdb_sensors reading[ABDB_READINGS_MAX]; /* now and then, between samples */
    size_t readings;
    bool cancelled;
} abdb_samples;
/* Launches of prepared copies in turn until the rule is met. *stop ends it after the sample at
 * hand. ABDB_NOMEM, or the status of a failed launch. */
ABDB_MUST_USE abdb_status abdb_warm_up_and_sample_until_stable(
    abdb_device *device, const abdb_impl *impl, void *const *states, size_t copies,
    const abdb_sampling *rule, const volatile int *stop, abdb_samples *out, abdb_error *err);
void abdb_samples_free(abdb_samples *samples);

/* --- stability.c: did the machine stay the same meanwhile? ---------------------------------------
 */
/* Seconds of a fixed piece of work on all threads, a triad and multiply-adds, the same in every
 * process; done so often that all together take about `about_s`. */
double abdb_time_canary_round(double about_s);

/* --- rank_placement.c: the ranks of a result, their hosts and processors ---------------------- */
/* Number of hosts; whether ranks of a host share processors, and whether a host has more ranks than
 * processors for them. Not known where a rank reports no processors. */
typedef struct {
    int hosts;
    bool known, shared, oversubscribed;
} abdb_rank_sharing;
abdb_rank_sharing abdb_count_hosts_and_find_cpu_sharing(const abdb_rank_place *place, int ranks);
/* Adds the first `ranks` of the device to a result, with the times of each, and their sharing of
 * processors to its factors. */
void abdb_result_json_add_ranks_and_binding(json_t *result, abdb_device *device, int ranks,
                                            const abdb_samples *samples);

/* --- kernel_cell.c
 * ----------------------------------------------------------------------------------- */
const abdb_kernel *abdb_find_kernel_by_name(const char *name);
/* Runs a cell and prints its samples and result; *status: the status of its `end` record. */
ABDB_MUST_USE abdb_status abdb_run_and_print_kernel_cell(const abdb_backend *backend,
                                                         abdb_device *device, const char *cell,
                                                         json_t *request, const volatile int *stop,
                                                         const char **status, abdb_error *err);
/* Prints how much a cell would do, without doing it. */
ABDB_MUST_USE abdb_status abdb_print_kernel_estimate_record(const abdb_backend *backend,
                                                            abdb_device *device, const char *cell,
                                                            json_t *request, const char **status,
                                                            abdb_error *err);
/* --- challenge_answer.c --- */
/* Prints digests of some rows of a plain product of whole numbers made from a seed (rule 4.21 of
 * protocol.md): `seed` and `rows` of the request. ABDB_USAGE: it is another kernel, or has other
 * rows. */
ABDB_MUST_USE abdb_status abdb_print_challenge_answer(abdb_device *device, const char *cell,
                                                      json_t *request, const char **status,
                                                      abdb_error *err);
/* --- count_work.c --- */
/* The parameters of a formula: dtype, and the names of a list separated by blanks. The caller frees
 * the object. */
json_t *abdb_json_members_of_list(json_t *params, const char *names);
/* Prints how much a cell is by abdb's formula of that kernel or workload, with the formula. *status
 * is not-implemented where there is none; ABDB_USAGE also where parameters leave open how much. */
ABDB_MUST_USE abdb_status abdb_print_work_record(const abdb_backend *backend, abdb_device *device,
                                                 const char *cell, json_t *request,
                                                 const char **status, abdb_error *err);
/* Prints samples of a cell. */
void abdb_print_sample_records(const char *cell, const abdb_samples *samples);

/* --- workload_guard.c: memory that a workload must not change, one workload at a time --------- */
/* From here on the host's memory is allocated between guards, until _end, which gives the device
 * its own functions back; release such memory before _end. */
void abdb_workload_guard_begin(abdb_device *d);
void abdb_workload_guard_end(abdb_device *d);
/* These bytes may not change from now on. */
void abdb_workload_guard_keep_constant(const void *data, size_t bytes);
/* ABDB_VERIFY: a guard or constant memory has changed. */
ABDB_MUST_USE abdb_status abdb_workload_guard_require_unchanged(abdb_error *err);

/* --- workload_cell.c: a workload, which keeps its state from repetition to repetition --------- */
const abdb_workload *abdb_find_workload_by_name(const char *name);
/* Runs a cell of it and prints samples, spans, metrics and the result, as
 * abdb_run_and_print_kernel_cell does. */
ABDB_MUST_USE abdb_status abdb_run_and_print_workload_cell(const abdb_workload *workload,
                                                           const abdb_backend *backend,
                                                           abdb_device *device, const char *cell,
                                                           json_t *request,
                                                           const volatile int *stop,
                                                           const char **status, abdb_error *err);
/* Prints how much it would do, without doing it. */
ABDB_MUST_USE abdb_status abdb_print_workload_estimate_record(const abdb_workload *workload,
                                                              const abdb_backend *backend,
                                                              abdb_device *device, const char *cell,
                                                              json_t *request, const char **status,
                                                              abdb_error *err);
/* --- record_output.c -------------------------------------------------------------------------- */
/* From here on records have the standard output, and prints of libraries the standard error. False:
 * errno has the reason. */
bool abdb_records_take_stdout_divert_prints(void);
/* Prints a record as one line and drops the caller's reference; threads may call it at once. Of
 * one that could not be made (NULL) the process ends, code 6. */
void abdb_print_and_free_record(json_t *record);

/* --- verify.c --------------------------------------------------------------------------------- */
/* The expected output, piece by piece, kept for the next check of the same inputs. */
typedef struct {
    double *want, *magnitude; /* NULL: nothing is kept */
    unsigned char *known;     /* by piece */
} abdb_reference_cache;

enum { ABDB_KEPT_MOST = 8 << 20 }; /* elements of an output whose results are kept, at most */
typedef struct {
    const abdb_kernel *kernel;
    bool exact;      /* inputs of make_exact_inputs: an output is the reference, rounded once */
    bool edges;      /* inputs have edge values: an output is NaN or infinite as its reference is */
    uint64_t seed;   /* for the random choices of a check */
    double budget_s; /* after so many seconds the remaining rows are not compared */
    abdb_reference_cache *wanted; /* by tensor, or NULL: filled at first use,
                                     abdb_reference_cache_free gives it back */
} abdb_verify_options;
typedef struct {
    double error; /* the largest over its bound (NaN counts as infinite): at most 1 passes */
    double
        rows_checked_share; /* of all outputs' rows that one check has looked at, of every copy */
} abdb_verify_result;
/* Outputs `got` of a problem, both in the host's memory, against the reference of `p`, whose
 * tensors that are read and written are as they were before. On all threads. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_verify_outputs_against_reference(const abdb_verify_options *how,
                                                                const abdb_problem *p,
                                                                const abdb_problem *got,
                                                                abdb_verify_result *out,
                                                                abdb_error *err);
/* The error of an output's row in multiples of its bound: the worst of its elements. */
double abdb_worst_row_error_over_bound(const abdb_verify_options *how, const abdb_problem *p,
                                       const abdb_problem *got, int tensor, size_t row,
                                       const double *want, const double *magnitude);
void abdb_reference_cache_free(abdb_reference_cache *wanted);
/* The seed for choosing rows where not all are compared: of this process, or $ABDB_VERIFY_SEED. */
uint32_t abdb_verify_seed(void);
/* Fills a tensor with numbers uniform in [-1, 1], the same for each seed, on all threads. */
void abdb_fill_tensor_uniform(abdb_tensor *tensor, uint64_t seed);
/* The same, or zeros, or whole numbers from -4 to 3: other numbers, other power (factor fill). Of
 * edges a kernel puts values into uniform ones. */
enum { ABDB_FILL_UNIFORM, ABDB_FILL_ZEROS, ABDB_FILL_INTEGERS, ABDB_FILL_EDGES };
void abdb_fill_tensor_by_mode(abdb_tensor *tensor, uint64_t seed, int how);

/* --- tensor_guard.c: memory that a launch must not change ------------------------------------- */
/* A random seed of this process, so that no kernel can foresee the choices made by it. Never 0. */
uint64_t abdb_process_random_seed(void);
/* A digest of so many bytes. Other bytes have the same digest with a probability of about 2^-60;
 * other processes give other digests. */
uint64_t abdb_digest_memory_with_process_seed(const void *data, size_t size, bool all_threads);
/* Bytes before and behind a tensor of the host; the nearest ABDB_CANARY_BYTES are filled with a
 * pattern that no launch may change; 0 where a sanitizer finds such writes. */
enum { ABDB_CANARY_BYTES = 4096 };
size_t abdb_guard_bytes_before_tensor(bool huge);
void abdb_guard_fill_with_pattern(void *memory);
/* Bytes that are no longer as they were filled. */
size_t abdb_guard_count_changed_bytes(const void *memory);

/* --- problem_instance.c
 * ----------------------------------------------------------------------------------- */
/* The description from which a copy of a problem is made. */
typedef struct {
    const abdb_kernel *kernel;
    const abdb_impl *impl;
    abdb_device *device;
    json_t *params;        /* of the cell */
    const char *overrides; /* "name=value ...", or NULL */
    uint64_t seed;         /* of its inputs */
    bool exact;            /* inputs of kernel->make_exact_inputs, where it has them */
    bool edges;            /* inputs with kernel->put_edge_values; so with fill=edges */
} abdb_instance_spec;
/* One copy of a problem, prepared: tensors on the device; its inputs, and its outputs once they
 * were fetched, on the host. */
typedef struct {
    abdb_problem p, in, back;
    char override_names[128]; /* of parameters of p that the spec overrides */
    const abdb_kernel *kernel;
    const abdb_impl *impl;
    uint64_t seed;
    bool exact, edges;
    void *state;
    double prepare_s;
    abdb_reference_cache wanted[ABDB_TENSOR_MAX];
    size_t guard;                     /* bytes before and behind each tensor of the host */
    uint64_t digest[ABDB_TENSOR_MAX]; /* of inputs, as they were filled */
} abdb_instance;
/* Adds parameters to a problem; their texts point into the JSON. ABDB_USAGE, ABDB_LIMIT. */
ABDB_MUST_USE abdb_status abdb_problem_add_json_params(abdb_problem *p, json_t *params,
                                                       abdb_error *err);
/* Shapes, fills and prepares one; free it, also after a failure. Never move it: the states of
 * implementations point to it. */
ABDB_MUST_USE abdb_status abdb_instance_alloc_fill_and_prepare(abdb_instance *c,
                                                               const abdb_instance_spec *r,
                                                               abdb_error *err);
void abdb_instance_release_and_clear(abdb_instance *c);
/* Can one be made of it, of so many bytes at most, that its implementation takes? */
bool abdb_instance_is_possible(const abdb_instance_spec *r, double bytes_most);
/* How outputs of a copy are compared with the reference, in so many seconds. */
abdb_verify_options abdb_instance_verify_options(abdb_instance *c, double budget_s);
/* Spoils outputs, so that unwritten elements are found; restores tensors both read and written. */
ABDB_MUST_USE abdb_status abdb_instance_poison_outputs_restore_inouts(abdb_instance *c,
                                                                      abdb_error *err);
/* Inputs and the bytes around tensors are as they were filled? On all threads; of a device other
 * than the host its inputs are fetched. ABDB_VERIFY: a launch changed an input or wrote outside of
 * a tensor; the message names it. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_instance_require_inputs_guards_unchanged(abdb_instance *c,
                                                                        abdb_error *err);
/* Resets all copies, launches each once, one after another, and fetches their outputs. On the host
 * abdb_instance_require_inputs_guards_unchanged follows. */
ABDB_MUST_USE abdb_status abdb_instances_reset_launch_and_download(abdb_instance *copies,
                                                                   size_t count, abdb_error *err);
/* The same, and compares them; *out becomes the worst and the most of it and of them. */
ABDB_MUST_USE abdb_status abdb_instances_reset_launch_and_verify_all(abdb_instance *copies,
                                                                     size_t count, double budget_s,
                                                                     abdb_verify_result *out,
                                                                     abdb_error *err);
/* Are all numbers of the outputs that were fetched finite? */
bool abdb_instance_are_all_outputs_finite(const abdb_instance *c);

/* --- sample_watch.c: looks between samples ---------------------------------------------------- */
typedef struct abdb_sample_watch abdb_sample_watch;
/* Prepares looks at a copy that holds the outputs of a verified launch. began_s: when its cell
 * began; looks take at most 1 % of the time since then, but for one of the first `certain` samples
 * (of more than one also two of the next eight). check_s: seconds allowed for a comparison with the
 * reference where launches differ. Free *out, also after a failure. ABDB_NOMEM, or the status of a
 * failed launch. */
ABDB_MUST_USE abdb_status abdb_sample_watch_digest_outputs_and_choose_spots_to_spoil(
    abdb_sample_watch **out, abdb_instance *c, double began_s, double check_s, size_t certain,
    abdb_error *err);
/* Before a sample of about sample_s seconds: perhaps spoils elements of outputs, or changes one of
 * an input. */
void abdb_sample_watch_spoil_before_sample(abdb_sample_watch *w, double sample_s);
/* After it: checks the outputs, and restores the input. ABDB_VERIFY: an output is wrong. */
ABDB_MUST_USE abdb_status abdb_sample_watch_check_after_sample(abdb_sample_watch *w,
                                                               abdb_error *err);
/* After the last sample: launches of about launch_s seconds, whose outputs are compared, for a part
 * of that 1 %. ABDB_VERIFY: an output is wrong; else the status of a failed launch. */
ABDB_MUST_USE abdb_status abdb_sample_watch_launch_while_time_lasts(abdb_sample_watch *w,
                                                                    double launch_s,
                                                                    const volatile int *stop,
                                                                    abdb_error *err);
void abdb_sample_watch_free(abdb_sample_watch *w); /* may be NULL */

/* --- estimate.c ---------------------------------------------------------------------------------
 */
/* About how many seconds a cell of so many copies will take on this machine as it is now; small: it
 * is checked at the smaller size that its kernel names. Small problems are tried, and larger ones
 * that are quick, for a few seconds of all of them (estimate.c). */
double abdb_estimate_kernel_cell_seconds(const abdb_instance_spec *r, const abdb_problem *p,
                                         const abdb_sampling *rule, size_t copies,
                                         bool verified_at_small_size);

/* Seconds that the system needs to provide so many bytes of new memory of the host. */
double abdb_estimate_new_memory_seconds(abdb_device *d, double bytes);

/* The largest number of repetitions of a workload's cell: the spans of each are kept. */
enum { ABDB_REPETITIONS_MAX = 1000 };

/* --- estimate_workload.c -------------------------------------------------------------------------
 */
/* The same of a cell of a workload on one rank. NAN: it cannot be tried. */
double abdb_estimate_workload_seconds(const abdb_run_context *s, const abdb_workload *w,
                                      const abdb_effort *effort, const abdb_sampling *rule);

#endif
