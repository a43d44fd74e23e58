/* fma.c - the peak of fused multiply-adds in registers, by dtype, on all threads:
 *
 *   f64, f32  z = x, n times z = (1 - 2^-12) z + 2^-13             2 operations a step and element
 *   bf16      z = 0, n times z = z + a0 b0 + a1 b1, z in f32       4 operations
 *   f16       z = 0, n times z = z + a b, z in f16                 2 operations
 *   i8        z = 0, n times z = z + a0 b0 + ... + a3 b3, in i32   8 operations; a is not negative
 *
 * over `width` elements z, bound by operations; b repeats every 16 elements of z, so that registers
 * hold it. The recurrence forgets its start slowly, so that a step left out is seen. Of f16 it
 * would stand still: a and b are whole numbers instead, and n at most 2048, so that z, which is a
 * whole number up to 2048, is exact. Work: operations as above, bytes of the tensors once.
 *
 * Bound: (n + 4)u of |x| + 1/2; (n + 4) u of the sum of magnitudes, u of z; f16, i8 exact. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"

/* PERIOD: elements of z after which b repeats; 16 lanes of 32 bits are one register of AVX-512. */
enum { X, Y, Z, WIDTH = 4096, STEPS = 4096, PERIOD = 16, STEPS_MOST = 8192 };
enum { F16_WHOLE = 2048 }; /* whole numbers up to it are exact in f16 */

/* Products that one step adds to an element of z. */
static int fma_products_per_step(const abdb_problem *p)
{
    return p->tensor[X].dtype == ABDB_BF16 ? 2 : p->tensor[X].dtype == ABDB_I8 ? 4 : 1;
}

static bool is_f32_or_f64_recurrence(const abdb_problem *p)
{
    return p->tensor[X].dtype == ABDB_F64 || p->tensor[X].dtype == ABDB_F32;
}

/* Z has `width` sums; X has 1, 2 (bf16) or 4 (i8) numbers for each, Y as many for PERIOD sums,
 * after which they repeat. n: steps. */
static abdb_status fma_parse_params_and_setup_tensors(abdb_problem *p,
                                                      const abdb_machine_caches *limits,
                                                      abdb_error *err)
{
    abdb_dtype dtype, sum;
    size_t width, wide, n;
    bool half;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_parse_allowed_dtype(
        p, ABDB_F32, ABDB_NETWORK_DTYPES | 1u << ABDB_F64 | 1u << ABDB_I8, &dtype, err));
    half = dtype == ABDB_F16;
    TRY(abdb_param_parse_size_and_store_default(p, "width", WIDTH * (double)limits->threads, 1e8,
                                                &width, err));
    TRY(abdb_param_parse_size_and_store_default(p, "n", half ? F16_WHOLE : STEPS,
                                                half ? F16_WHOLE : STEPS_MOST, &n, err));
    sum = half ? ABDB_F16 : abdb_dtype_accumulator(dtype);
    wide = width * (dtype == ABDB_BF16 ? 2 : dtype == ABDB_I8 ? 4 : 1);
    p->tensors = 3;
    for (int i = 0; i < 3; i++)
        p->tensor[i] = (abdb_tensor){.dtype = i == Z ? sum : dtype,
                                     .role = i == Z ? ABDB_OUT : ABDB_IN,
                                     .rank = 1,
                                     .dim = {i == Z   ? width
                                             : i == Y ? PERIOD * wide / width
                                                      : wide},
                                     .stride = {1}};
done:
    return st;
}

/* Whole numbers as large as leaves sums exact: 3 at most. */
static void fill_inputs_small_integers(const abdb_problem *p, uint64_t seed)
{
    double most = p->tensor[X].dtype == ABDB_F16
                      ? floor(sqrt(F16_WHOLE / abdb_param_number(p, "n", F16_WHOLE)))
                      : 3;

    for (int t = X; t <= Y; t++)
        abdb_fill_nonzero_integers(&p->tensor[t], 2 * seed + (uint64_t)t, (int)fmin(3, most));
}

/* vpdpbusd multiplies unsigned by signed bytes: x is made non-negative, so that both readings
 * agree. */
static void fma_prepare_inputs_for_f16_and_i8(const abdb_problem *p, uint64_t seed)
{
    int8_t *x = p->tensor[X].data;

    if (p->tensor[X].dtype == ABDB_F16) fill_inputs_small_integers(p, seed);
    if (p->tensor[X].dtype != ABDB_I8) return;
    for (size_t i = 0; i < p->tensor[X].dim[0]; i++)
        if (x[i] < 0) x[i] = (int8_t)(x[i] == INT8_MIN ? INT8_MAX : -x[i]);
}

static void fma_count_work(const abdb_problem *p, abdb_work *out)
{
    out->ops = 2.0 * fma_products_per_step(p) * (double)p->tensor[Z].dim[0] *
               abdb_param_number(p, "n", STEPS);
    out->bytes = abdb_problem_tensor_bytes(p);
}

/* f32 and f64: n steps of z = (1 - 2^-12) z + 2^-13 that begin with x. Else z = n times the
 * products of x and y of one step. */
static void fma_reference_rows(const abdb_problem *p, int tensor, const size_t *row, size_t count,
                               double *out, double *magnitude)
{
    double n = abdb_param_number(p, "n", STEPS);
    int each = fma_products_per_step(p);

    (void)tensor;
    for (size_t r = 0; r < count; r++) {
        long double z = 0;

        magnitude[r] = 0;
        if (is_f32_or_f64_recurrence(p)) {
            /* It tends to 1/2; |x| + 1/2, the magnitude, bounds each of its terms. */
            z = abdb_tensor_get_f64(&p->tensor[X], row[r]);
            magnitude[r] = fabs((double)z) + 0.5;
            for (double i = 0; i < n; i++) z = (1 - 0x1p-12L) * z + 0x1p-13L;
        }
        for (int i = 0; i < each && !is_f32_or_f64_recurrence(p); i++) {
            double term =
                abdb_tensor_get_f64(&p->tensor[X], row[r] * (size_t)each + (size_t)i) *
                abdb_tensor_get_f64(&p->tensor[Y], row[r] % PERIOD * (size_t)each + (size_t)i);

            z += (long double)term * n;
            magnitude[r] += fabs(term) * n;
        }
        out[r] = (double)z;
    }
}

/* Sums of products of small whole numbers are exact; the recurrence's never are. */
static bool fma_make_exact_inputs_unless_recurrence(const abdb_problem *p, uint64_t seed)
{
    if (is_f32_or_f64_recurrence(p)) return false;
    if (p->tensor[X].dtype != ABDB_I8) fill_inputs_small_integers(p, seed);
    return true;
}

/* Steps that are all alike round all alike: of sums of products the other bound stands alone. */
static double fma_norm_bound_infinite_unless_recurrence(const abdb_problem *p, int tensor)
{
    return is_f32_or_f64_recurrence(p)
               ? abdb_sum_norm_bound(&p->tensor[tensor], abdb_param_number(p, "n", STEPS))
               : INFINITY;
}

static double fma_error_bound(const abdb_problem *p, int tensor)
{
    (void)tensor;
    return (abdb_param_number(p, "n", STEPS) + 4) * abdb_dtype_unit_roundoff(p->tensor[Z].dtype);
}

static const char *fma_ceiling_metric(const abdb_problem *p)
{
    return abdb_peak_metric_of_dtype(p->tensor[X].dtype);
}

const abdb_kernel abdb_kernel_fma = {
    .name = "fma",
    .summary = "fused multiply-adds in registers: the peak of the vector units",
    .formula = "fma@1",
    .parameters = "dtype=f64|f32|bf16|f16|i8  width=4096 a thread  n=4096 steps (f16: 2048)",
    .names = "n width",
    .setup_tensors = fma_parse_params_and_setup_tensors,
    .count_work = fma_count_work,
    .reference_rows = fma_reference_rows,
    .error_bound = fma_error_bound,
    .norm_bound = fma_norm_bound_infinite_unless_recurrence,
    .prepare_inputs = fma_prepare_inputs_for_f16_and_i8,
    .pilot_sizes = "width=16384",
    .bottleneck = abdb_bottleneck_always_operations,
    .ceiling_metric = fma_ceiling_metric,
    .make_exact_inputs = fma_make_exact_inputs_unless_recurrence,
    .edge_sizes = abdb_fma_edge_sizes,
    .put_edge_values = abdb_fma_put_edge_values,
};
