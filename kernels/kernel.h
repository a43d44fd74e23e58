/* kernel.h - the mathematics (kernel), how fast (impl), where (device), a program (backend).
 *
 * A kernel knows no clock and no library: parameters to tensors, work, reference, tolerance. An
 * implementation is one way to compute it. A device owns memory and the clock of its samples. A
 * backend is a program that offers implementations on a device; it speaks the protocol of
 * kernels/harness/protocol.md.
 */
#ifndef ABDB_KERNELS_KERNEL_H
#define ABDB_KERNELS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "schema/core/error.h"

enum { ABDB_RANK_MAX = 6, ABDB_TENSOR_MAX = 16, ABDB_PARAM_MAX = 24 };
typedef enum { ABDB_F64, ABDB_F32, ABDB_BF16, ABDB_I8, ABDB_I32, ABDB_DTYPE_COUNT } abdb_dtype;
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

typedef struct {
    const char *kernel;
    int params, tensors;
    abdb_param param[ABDB_PARAM_MAX];
    char text[ABDB_PARAM_MAX][24]; /* of the parameters that shape() set */
    abdb_tensor tensor[ABDB_TENSOR_MAX];
} abdb_problem;

typedef struct {
    double ops, bytes; /* of one launch, by the formula */
} abdb_work;

/* What a shape may depend on: caches in bytes (one core's, the last level whole) and threads. */
typedef struct {
    size_t l1, l2, last;
    int threads;
} abdb_limits;

typedef struct {
    const char *name, *summary;
    const char *formula;    /* identifier@version of work() */
    const char *parameters; /* for people: names, meaning, defaults */
    /* Parameters to tensors (without data); fills defaults. ABDB_USAGE: a parameter that it cannot
     * have. */
    abdb_status (*shape)(abdb_problem *p, const abdb_limits *limits, abdb_error *err);
    void (*work)(const abdb_problem *p, abdb_work *out);
    /* Rows row[0..n) of output `tensor` in double from the inputs as they are, and the magnitude
     * that the bound is relative to, n x (elements of a row) each. A row is all but the first
     * dimension. */
    void (*reference)(const abdb_problem *p, int tensor, const size_t *row, size_t n, double *out,
                      double *magnitude);
    double (*bound)(const abdb_problem *p); /* |error| <= bound x magnitude */
    /* Fills inputs that are no uniform numbers (indices) after the others. NULL: there are none. */
    void (*fill)(const abdb_problem *p);
    /* Parameters "name=value ..." at which the whole is verified where the problem itself is
     * larger: its own check would take far longer than the measurement. NULL: every problem is. */
    const char *small;
    /* What bounds the rate of a problem: "operations" or "bytes". NULL: neither does. */
    const char *(*bounded_by)(const abdb_problem *p);
    /* The ceiling of a machine that a problem is made to find: "peak_flops", "peak_ops" or
     * "memory_bandwidth", else NULL. NULL: none of them is. */
    const char *(*ceiling)(const abdb_problem *p);
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
    void (*launch)(void *state);              /* timed; allocates nothing */
    const char *(*chosen)(const void *state); /* what the library picked, or NULL */
    void (*close)(void *state);               /* NULL: nothing to close */
} abdb_impl;

typedef struct {
    const char *name, *summary;
    const abdb_impl *const *native; /* end: NULL; provider "ref" only in the backend ref */
    const char *(*library)(void);   /* name and version of what it links, or NULL */
    int (*threads)(void);           /* that its kernels use */
} abdb_backend;

/* The text of a parameter, or NULL; its number, or fallback. */
const char *abdb_param_text(const abdb_problem *p, const char *name);
double abdb_param_number(const abdb_problem *p, const char *name, double fallback);
/* Sets a parameter to a whole number. ABDB_LIMIT: too many parameters. */
ABDB_MUST_USE abdb_status abdb_param_set(abdb_problem *p, const char *name, double value,
                                         abdb_error *err);
/* A parameter that is a whole number from 1 to most, `fallback` where it is not given; it is set,
 * so that the result states it. ABDB_USAGE: it is none. */
ABDB_MUST_USE abdb_status abdb_param_size(abdb_problem *p, const char *name, double fallback,
                                          double most, size_t *out, abdb_error *err);
/* Which of the words (end: NULL) a parameter is; the first where it is not given. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_param_word(const abdb_problem *p, const char *name,
                                          const char *const *words, int *out, abdb_error *err);
/* The parameter's dtype, or `fallback`; `allowed`: bits 1 << dtype. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_param_dtype(const abdb_problem *p, abdb_dtype fallback,
                                           unsigned allowed, abdb_dtype *out, abdb_error *err);
/* A contiguous tensor without data; dimensions of 0 end the list. */
abdb_tensor abdb_tensor_of(abdb_dtype dtype, abdb_role role, size_t d0, size_t d1, size_t d2,
                           size_t d3);
ABDB_MUST_USE abdb_status abdb_dtype_find(abdb_dtype *out, const char *name, abdb_error *err);
const char *abdb_dtype_name(abdb_dtype dtype);
size_t abdb_dtype_size(abdb_dtype dtype);
double abdb_dtype_unit_roundoff(abdb_dtype dtype); /* 2^-53, 2^-24, 2^-8; 0 of whole numbers */
double abdb_tensor_get(const abdb_tensor *t, size_t element); /* contiguous, in double */
void abdb_tensor_set(const abdb_tensor *t, size_t element, double value); /* rounded to nearest */
/* The next of a sequence of 64 random bits: xorshift64, Marsaglia 2003; the state is not 0. */
uint64_t abdb_random_next(uint64_t *state);
/* bf16: the upper half of a float, rounded to nearest even; its value. */
uint16_t abdb_bf16(float value);
float abdb_bf16_value(uint16_t bits);
size_t abdb_tensor_count(const abdb_tensor *t);
/* Of all tensors, each once. */
double abdb_problem_bytes(const abdb_problem *p);
double abdb_problem_elements(const abdb_problem *p);

/* For `bounded_by`: what holds for all problems of a kernel. */
const char *abdb_bound_operations(const abdb_problem *p);
const char *abdb_bound_bytes(const abdb_problem *p);
/* What bounds so many operations on so many elements that are moved: bytes below 16 operations an
 * element. A vector unit does more than that in the time in which a memory moves an element (the
 * best balanced processors do 20, accelerators some hundred), so below it memory is waited for on
 * every machine; above it the kernel has a chance of the peak, which it is then held against. */
const char *abdb_bound_work(double ops, double elements);
/* The peak that operations on a dtype are held against: "peak_ops" of whole numbers. */
const char *abdb_peak_of(abdb_dtype dtype);

#endif
