/* kernel.h - the mathematics (kernel), how fast (impl), where (device), a program (backend).
 *
 * A kernel knows no clock and no library: parameters to tensors, work, reference, tolerance. An
 * implementation is one way to compute it. A device owns memory and the clock of its samples. A
 * backend is a program that offers implementations on a device; it speaks the protocol of
 * kernels/harness/protocol.md.
 */
#ifndef ABDB_KERNELS_KERNEL_H
#define ABDB_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/core/error.h"

enum { ABDB_RANK_MAX = 6, ABDB_TENSOR_MAX = 16, ABDB_PARAM_MAX = 24 };
typedef enum {
    ABDB_F64,
    ABDB_F32,
    ABDB_TF32,
    ABDB_BF16,
    ABDB_F16,
    ABDB_E4M3,
    ABDB_E5M2,
    ABDB_I8,
    ABDB_I32,
    ABDB_DTYPE_COUNT
} abdb_dtype;
/* Formats of a network's kernels other than products, for abdb_param_parse_allowed_dtype. */
enum { ABDB_NETWORK_DTYPES = 1 << ABDB_F32 | 1 << ABDB_BF16 | 1 << ABDB_F16 };
typedef enum { ABDB_IN, ABDB_OUT, ABDB_INOUT } abdb_role;

typedef struct {
    abdb_dtype dtype;
    abdb_role role;
    int rank;
    size_t dim[ABDB_RANK_MAX];
    ptrdiff_t stride[ABDB_RANK_MAX]; /* in elements */
    void *data;                      /* of the device */
} abdb_tensor;

/* A parameter is a factor of the result; text is kept as given. */
typedef struct {
    const char *name, *text;
    double value; /* NAN when text is no number */
} abdb_param;

typedef struct abdb_device abdb_device;

typedef struct {
    const char *kernel;
    abdb_device *device; /* that the tensors' data belong to */
    int params, tensors;
    abdb_param param[ABDB_PARAM_MAX];
    char text[ABDB_PARAM_MAX][24]; /* of the parameters that shape() set */
    abdb_tensor tensor[ABDB_TENSOR_MAX];
} abdb_problem;

typedef struct {
    double ops, bytes; /* of one launch, by the formula */
} abdb_work;

/* Inputs of a shape: caches in bytes (one core's, the last level whole) and threads. A virtual
 * machine may claim a last level that it shares with others: `last` is the part that it can rely
 * on, `claimed` the size that the system reports (0: the same). */
typedef struct {
    size_t l1, l2, last;
    int threads;
    size_t claimed;
    int ranks; /* that work together, at most; 0: it is one alone */
} abdb_machine_caches;

/* --- where: a device ------------------------------------------------------------------------- */

/* Readings of sensors; NAN: no reading. */
typedef struct {
    double at_s, load, stolen, ticks, clock_hz, temperature_c, energy_j;
    double energy_most_j; /* where the counter begins again */
    const char *part;     /* has this clock, temperature, energy: "gpu"; NULL: the processors */
    double memory_clock_hz, power_w;
    double throttle; /* the maker's bits for reasons that limit the clock; 0: no such reason */
} abdb_sensors;
enum { ABDB_SENSE_ALL, ABDB_SENSE_QUICK }; /* quick: values that change between samples */

/* Where a rank works. host: a number of the run, never a name; binding: processors of that host,
 * "0-3,8"; "": it has none, or they are not known. */
typedef struct {
    const char *host, *device, *binding;
} abdb_rank_place;

/* Memory, a queue that works in order, and the clock of its samples. The host's processors are one
 * device (kernels/harness/host_device.c). Functions that return a status leave the reason in `err`.
 */
struct abdb_device {
    const char *name;            /* as the system calls it */
    const char *clock;           /* that begin and end read: "CLOCK_MONOTONIC" */
    double resolution_s, cost_s; /* of that clock: its smallest step, one begin and end */
    double min_sample_s;         /* shortest stretch that makes a sample; 0: the clock decides */
    int threads;                 /* of the host that kernels run on; 0: it has none */
    abdb_machine_caches limits;
    double most_ops_per_s, most_bytes_per_s; /* no launch can be faster, of whatever format; 0: not
                                                known */
    bool on_host;        /* the host reads and writes its memory where it is: nothing is copied */
    bool driver_threads; /* a driver starts them, uncounted: `threads` is the driver's number */
    /* Memory, aligned to 4096 bytes; huge: in pages of 2 MiB, ABDB_USAGE where there are none. */
    abdb_status (*alloc)(abdb_device *d, size_t size, bool huge, void **out, abdb_error *err);
    void (*release)(abdb_device *d, void *memory);
    double (*available)(abdb_device *d); /* bytes */
    /* The host's memory to the device's and back; not called where on_host. They wait. */
    abdb_status (*upload)(abdb_device *d, void *to, const void *from, size_t size, abdb_error *err);
    abdb_status (*download)(abdb_device *d, void *to, const void *from, size_t size,
                            abdb_error *err);
    /* Every byte of a piece of memory becomes `byte`. */
    abdb_status (*fill)(abdb_device *d, void *to, unsigned char byte, size_t size, abdb_error *err);
    /* Leaves no operand in any cache, and the device's processors awake. ABDB_NOMEM. */
    abdb_status (*flush_caches)(abdb_device *d, abdb_error *err);
    /* A timed stretch: launches between the two calls are enqueued; `end_timing` waits for them
     * once and returns their time, or the status of a failure. */
    abdb_status (*begin_timing)(abdb_device *d, abdb_error *err);
    abdb_status (*end_timing)(abdb_device *d, double *time_s, abdb_error *err);
    void (*read_sensors)(abdb_device *d, int how, abdb_sensors *out);
    /* Passes each property of the device to `tell`; NULL: it has a name only. */
    void (*describe)(abdb_device *d, void (*tell)(void *to, const char *key, const char *text),
                     void *to);
    /* Of several ranks (processes or accelerators, each with memory of its own) that one device
     * drives, limits.ranks of them; NULL where it is one alone. Tensors that are made from now on
     * lie on the first `ranks`, on each an equal part, in their order. */
    abdb_status (*use_ranks)(abdb_device *d, int ranks, abdb_error *err);
    void (*get_rank_place)(abdb_device *d, int rank, abdb_rank_place *out);
    const double *rank_s; /* of the last stretch, seconds of each rank: its time is the longest */
};

/* --- the mathematics: a kernel --------------------------------------------------------------- */

/* All of these read and write tensors in the host's memory. */
typedef struct {
    const char *name, *summary;
    const char *formula;    /* identifier@version of work() */
    const char *parameters; /* for people: names, meaning, defaults */
    const char *names;      /* of its parameters, separated by blanks */
    /* Parameters to tensors (without data); fills defaults. ABDB_USAGE: a parameter that it cannot
     * have. */
    abdb_status (*setup_tensors)(abdb_problem *p, const abdb_machine_caches *limits,
                                 abdb_error *err);
    void (*count_work)(const abdb_problem *p, abdb_work *out);
    /* Rows row[0..n) of output `tensor` in double from the inputs as they are (of what is read and
     * written: as it was before the launch), and the magnitude that the bound is relative to, n x
     * (elements of a row) each. A row is all but the first dimension. */
    void (*reference_rows)(const abdb_problem *p, int tensor, const size_t *row, size_t n,
                           double *out, double *magnitude);
    bool all_rows_at_once; /* the reference of one row costs as much as that of all */
    /* Of each element of an output: |error| <= bound x magnitude. */
    double (*error_bound)(const abdb_problem *p, int tensor);
    /* Norm of the error <= near x norm of the result, over all elements together: a bound that
     * mistakes cannot hide in where sums cancel. NULL: the other bound alone. */
    double (*norm_bound)(const abdb_problem *p, int tensor);
    /* Turns inputs, uniform numbers in [-1, 1], into the kernel's inputs: indices, and values that
     * reveal mistakes. A `seed` gives the same each time. NULL: inputs stay uniform numbers. */
    void (*prepare_inputs)(const abdb_problem *p, uint64_t seed);
    /* Makes inputs whose result is exact in whatever order it is computed, so that an output must
     * be the reference, rounded once. False: there are none, and nothing was changed; or NULL. */
    bool (*make_exact_inputs)(const abdb_problem *p, uint64_t seed);
    /* How far an output of such inputs may be from the reference, relative to it. NULL: not at all;
     * INFINITY: it is not exact. */
    double (*exact_error_bound)(const abdb_problem *p, int tensor);
    /* Small problems "name=value ..." at the edges of loops and blocks, which are verified before
     * the first sample on the host; impossible sizes are omitted. End: NULL. NULL: none.
     */
    const char *const *edge_sizes;
    /* Puts values at the edges of the contract into prepared inputs: infinities, NaN, numbers near
     * 0, the largest sums. The reference gives their correct results. NULL: there are none. */
    void (*put_edge_values)(const abdb_problem *p, uint64_t seed);
    /* After make_exact_inputs, or with the bound abdb_error_bound_zero: checks the whole of an
     * output, `got`, in less work than the kernel's, and marks the rows that cannot be right. A
     * wrong row stays unmarked with a probability below 1e-9. NULL, or ABDB_USAGE: there is no such
     * check (of this problem). ABDB_NOMEM. */
    abdb_status (*mark_suspect_rows)(const abdb_problem *p, const abdb_tensor *got, uint64_t seed,
                                     unsigned char *marks, abdb_error *err);
    /* Parameters "name=value ..." at which the whole is verified where the problem itself is
     * larger: its own check would take far longer than the measurement. NULL: every problem is. */
    const char *small_params;
    /* Sizes "name=value ..." that replace a large problem's own, so that a quick trial gives the
     * time of its operations; other sizes stay. NULL: there is no such trial. */
    const char *pilot_sizes;
    /* The bound of a problem's rate: "operations" or "bytes". NULL: neither bounds it. */
    const char *(*bottleneck)(const abdb_problem *p);
    /* The ceiling of a machine that a problem is made to find: "peak_flops", "peak_ops" or
     * "memory_bandwidth", else NULL. NULL: none of them is. */
    const char *(*ceiling_metric)(const abdb_problem *p);
} abdb_kernel;
#define KERNEL(name, printed, ref) extern const abdb_kernel abdb_kernel_##name;
#include "kernels/registry.def"
#undef KERNEL
extern const abdb_kernel *const abdb_kernels[]; /* end: NULL */

typedef struct {
    const char *kernel, *provider;
    /* 0: a row "not-implemented". NULL: accepts every problem. */
    int (*accepts)(const abdb_problem *p, const char **why_not);
    /* Timed apart. NULL: nothing to prepare, the state is the problem itself. */
    abdb_status (*prepare)(void **state, const abdb_problem *p, abdb_error *err);
    /* Timed; allocates nothing. It may only enqueue: the device's `end_timing` waits. */
    abdb_status (*launch)(void *state, abdb_error *err);
    const char *(*chosen)(const void *state); /* what the library picked, or NULL */
    void (*close)(void *state);               /* NULL: nothing to close */
} abdb_impl;

struct abdb_workload;
struct abdb_rank_workload;
typedef struct {
    const char *name, *summary;
    const char *names; /* of parameters that all its kernels have, separated by blanks, or NULL */
    const char *products; /* words of the parameter `products` besides own; NULL: none */
    /* End: NULL; several of one kernel differ in `provider`, and each is measured. Provider "ref"
     * is in the backend ref only. */
    const abdb_impl *const *native;
    const char *(*library)(void); /* name and version of what it links, or NULL */
    int (*threads)(void);         /* of the host that its kernels use */
    bool has_ranks; /* mpirun or srun may start several processes: rank 0 prints the records */
    /* Its device. NULL: the host's processors. ABDB_BACKEND: there is none. */
    abdb_status (*open)(abdb_device **out, abdb_error *err);
    /* Lines "id name", all that ABDB_DEVICE can choose; `open` may set it. NULL: there is one. */
    const char *devices;
    /* Parts of networks that workloads are made of (kernels/workloads/parts.h). NULL: it has none.
     */
    const struct abdb_parts *parts;
    /* Of a device of several ranks: fills *out with a workload on all of them (abdb_rank_workload
     * of kernels/workloads/workload.h). NULL: it has no ranks. */
    void (*wrap_for_ranks)(const struct abdb_workload *workload, struct abdb_rank_workload *out);
} abdb_backend;

/* --- number formats: kernels/micro/format.c --------------------------------------------------- */

/* Floating point: sign, exponent, mantissa without its leading 1, from the bit `shift` on. Whole
 * numbers: exponent is 0. */
typedef struct {
    const char *name;
    size_t size; /* bytes of an element */
    int mantissa, exponent, bias, shift;
    bool
        no_infinity; /* the largest exponent is one of numbers, but for NaN, all of whose bits are 1
                         (e4m3); what is too large becomes NaN */
    abdb_dtype sums; /* the format that products of it are added up in */
} abdb_format;
const abdb_format *abdb_dtype_format(abdb_dtype dtype);
ABDB_MUST_USE abdb_status abdb_dtype_parse_name(abdb_dtype *out, const char *name, abdb_error *err);
const char *abdb_dtype_name(abdb_dtype dtype);
size_t abdb_dtype_size(abdb_dtype dtype);
abdb_dtype abdb_dtype_accumulator(abdb_dtype dtype);
double abdb_dtype_unit_roundoff(abdb_dtype dtype); /* 2^-24 of f32; 0 of whole numbers */
double abdb_dtype_least_normal(abdb_dtype dtype);  /* the least normal number: 2^-126 of f32 */
double abdb_dtype_round_value(abdb_dtype dtype,
                              double value); /* as abdb_tensor_set_rounded does, its value */
/* The bits of a floating format of up to 32 bits, rounded to nearest even; their value. Slow. */
uint32_t abdb_format_round_and_encode_bits(abdb_dtype dtype, double value);
double abdb_format_decode_bits(abdb_dtype dtype, uint32_t bits);
/* bf16, the upper half of a float; f16: the same, quick. A NaN stays one. */
uint16_t abdb_bf16_from_f32(float value);
float abdb_bf16_to_f32(uint16_t bits);
uint16_t abdb_f16_from_f32(float value);
float abdb_f16_to_f32(uint16_t bits);

/* --- parameters, tensors and common functions of references ----------------------------------- */

/* Ranks that a problem is spread over: its parameter of that name; 1 where it has none. */
int abdb_problem_rank_count(const abdb_problem *p);
/* The text of a parameter, or NULL; its number, or fallback. */
const char *abdb_param_text(const abdb_problem *p, const char *name);
double abdb_param_number(const abdb_problem *p, const char *name, double fallback);
/* Is the parameter given, and this word? */
bool abdb_param_text_equals(const abdb_problem *p, const char *name, const char *word);
/* Sets a parameter to a whole number. ABDB_LIMIT: too many parameters. */
ABDB_MUST_USE abdb_status abdb_param_set_integer(abdb_problem *p, const char *name, double value,
                                                 abdb_error *err);
/* A parameter that is a whole number from 1 to most, `fallback` where it is not given; it is set,
 * so that the result states it. ABDB_USAGE: it is none. */
ABDB_MUST_USE abdb_status abdb_param_parse_size_and_store_default(abdb_problem *p, const char *name,
                                                                  double fallback, double most,
                                                                  size_t *out, abdb_error *err);
/* Which of the words (end: NULL) a parameter is; the first where it is not given. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_param_choice_index_or_first(const abdb_problem *p, const char *name,
                                                           const char *const *words, int *out,
                                                           abdb_error *err);
/* The same; the word is set, so that the result states it. ABDB_LIMIT: too many parameters. */
ABDB_MUST_USE abdb_status abdb_param_choice_index_and_store_default(abdb_problem *p,
                                                                    const char *name,
                                                                    const char *const *words,
                                                                    int *out, abdb_error *err);
/* A size that a model has, or another that is given instead: then NAME_of is set to the model's, so
 * that readers do not confuse the two. As abdb_param_parse_size_and_store_default. */
ABDB_MUST_USE abdb_status abdb_param_parse_size_note_overridden_model(abdb_problem *p,
                                                                      const char *name,
                                                                      const char *name_of,
                                                                      size_t model, double most,
                                                                      size_t *out, abdb_error *err);
/* The parameter's dtype, or `fallback`; `allowed`: bits 1 << dtype. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_param_parse_allowed_dtype(const abdb_problem *p, abdb_dtype fallback,
                                                         unsigned allowed, abdb_dtype *out,
                                                         abdb_error *err);
/* A contiguous tensor without data; dimensions of 0 end the list. */
abdb_tensor abdb_tensor_contiguous(abdb_dtype dtype, abdb_role role, size_t d0, size_t d1,
                                   size_t d2, size_t d3);
double abdb_tensor_get_f64(const abdb_tensor *t, size_t element); /* contiguous, in double */
/* Rounded once to the nearest number of the format, of two to the even one. */
void abdb_tensor_set_rounded(const abdb_tensor *t, size_t element, double value);
/* The next of a sequence of 64 random bits: xorshift64, Marsaglia 2003; the state is not 0. */
uint64_t abdb_xorshift64_next(uint64_t *state);
/* Random bits number `i` of a seed, never the state 0: SplitMix64, Steele, Lea and Flood 2014. */
uint64_t abdb_random_bits_at(uint64_t seed, uint64_t i);
/* A whole number other than 0 from -most to most, number `i` of a seed. */
double abdb_random_nonzero_integer(uint64_t seed, uint64_t i, int most);
/* An odd whole number of exactly so many bits, positive or not, in the lower half of that range: a
 * dropped bit changes it. */
double abdb_random_odd_integer(uint64_t seed, uint64_t i, int bits);
/* Fills a tensor with numbers of abdb_random_nonzero_integer, on all threads. */
void abdb_fill_nonzero_integers(const abdb_tensor *t, uint64_t seed, int most);
/* The numbers from 0 to n - 1 in random order. */
void abdb_random_permutation(int32_t *out, size_t n, uint64_t seed);
/* For `norm_bound`: the rounding error of sums of `terms` terms, in f64 or f32, whose errors have
 * both signs: 8 u (sqrt(terms) + 8), and twice abdb_output_roundoff_or_0_if_accumulator (Higham and
 * Mary 2019). */
double abdb_sum_norm_bound(const abdb_tensor *out, double terms);
/* For `reference_rows` and `error_bound`: the magnitude of element `out` of `t`, where sums may be
 * wrong by `sums` relative to `of_sums`; the error bound is then sums +
 * abdb_output_roundoff_or_0_if_accumulator(t). A number below the least normal one is rounded like
 * the least normal one. */
double abdb_combine_error_magnitudes(const abdb_tensor *t, double of_sums, double out, double sums);
/* The unit roundoff of an output to whose format sums of longer numbers are rounded, 0 of others.
 */
double abdb_output_roundoff_or_0_if_accumulator(const abdb_tensor *out);
/* For `mark_suspect_rows`: marks row i of `rows` unless the sum over j of c(i, j) r_j is the sum
 * over k of a(i, k) times the sum over j of b(k, j) r_j, plus that over j of plus(i, j) r_j, modulo
 * 2^61 - 1, for random r (Freivalds 1977). A row of a, c or plus with an element that is no whole
 * number is marked; b has none: exact inputs are whole. A wrong row is missed with a probability of
 * 2^-61. Work: rows x depth + depth x columns + rows x columns. plus NULL: nothing is added. */
typedef struct {
    const abdb_problem *p;
    double (*a)(const abdb_problem *p, size_t i, size_t k),
        (*b)(const abdb_problem *p, size_t k, size_t j),
        (*plus)(const abdb_problem *p, size_t i, size_t j);
    const abdb_tensor *c;
    size_t first_a, first_b, first_c; /* rows of a, rows of b, rows of c before the first */
    size_t rows, depth, columns;
} abdb_freivalds_product;
ABDB_MUST_USE abdb_status abdb_freivalds_mark_wrong_rows(const abdb_freivalds_product *product,
                                                         uint64_t seed, unsigned char *marks,
                                                         abdb_error *err);
/* The product of a problem of the kernel gemm: C = act(A B + beta C + bias), `batch` times. */
enum { ABDB_ACT_NONE, ABDB_ACT_RELU, ABDB_ACT_GELU, ABDB_ACT_SILU };
typedef struct {
    size_t m, n, k, batch;
    bool ta, tb; /* A is stored K x M, B is stored N x K */
    bool beta;   /* to what is in C */
    bool packed;
    bool bf16x3; /* of f32, by three products of bf16 */
    int act;
    const abdb_tensor *bias; /* of n elements, one for each column, or NULL */
} abdb_gemm;
abdb_gemm abdb_gemm_from_problem(const abdb_problem *p);
/* For `accepts` of libraries without them: has the problem a bias or an activation? */
bool abdb_gemm_has_bias_or_activation(const abdb_problem *p);
size_t abdb_tensor_element_count(const abdb_tensor *t);
/* Bytes of each of so many arrays of the same size that no cache holds: four times the last level,
 * as STREAM requires, and together a quarter more than the claimed size. */
double abdb_array_bytes_beyond_caches(const abdb_machine_caches *limits, int arrays);
/* Of all tensors, each once. */
double abdb_problem_tensor_bytes(const abdb_problem *p);
double abdb_problem_tensor_elements(const abdb_problem *p);

/* For `error_bound` of kernels whose results are exact: 0. */
double abdb_error_bound_zero(const abdb_problem *p, int tensor);
/* For references of all rows between two: the least and the largest of row[0..n), n >= 1. */
void abdb_min_and_max_row(const size_t *row, size_t n, size_t *low, size_t *high);

/* For `bottleneck` of kernels with the same bottleneck in all problems. */
const char *abdb_bottleneck_always_operations(const abdb_problem *p);
const char *abdb_bottleneck_always_bytes(const abdb_problem *p);
/* The bottleneck of so many operations on so many moved elements: bytes below 16 operations an
 * element. A vector unit does more than that in the time in which a memory moves an element (the
 * best balanced processors do 20, accelerators some hundred), so below it memory is waited for on
 * every machine; above it the kernel has a chance of the peak, which it is then held against. */
const char *abdb_bottleneck_by_ops_per_element(double ops, double elements);
/* The peak that operations on a dtype are held against: "peak_ops" of whole numbers. */
const char *abdb_peak_metric_of_dtype(abdb_dtype dtype);

#endif
