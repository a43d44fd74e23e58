/* stream.c - the loops of STREAM (McCalpin) and BabelStream over arrays a, b, c of n elements, and
 * what else finds the bandwidth of a memory:
 *
 *   copy  c = a     scale  b = s c     add  c = a + b     triad  a = b + s c     dot  sum(a b)
 *   read  sum(a)    write  c = s       fma  c = a, f times (1 - 2^-12) c + 2^-13
 *
 * The arrays' roles are renamed so that x and y are read and z is written: launching twice gives
 * the same z. Work: 0, 1, 1, 2, 2, 1, 0, 2f operations and 2, 2, 3, 3, 2, 1, 1, 2 elements moved
 * per element, times `repeat`; write-allocate traffic is not counted. n=auto: arrays of four times
 * the last-level cache; level=L1, L2 or L3: all arrays together half of that cache of every thread
 * (of the shared one), and as many passes as move 64 MiB; each=e: e elements for each thread (weak
 * scaling). stores=nt: past the caches. unroll=u: u vectors a step of the loop. grain=g: g bytes
 * together, the next g far away, until all have been visited.
 *
 * Bound: 3u of the terms' magnitudes; (n + 2)u for dot and read; (f + 2)u for fma. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"
#include "schema/core/text.h"

/* GRAIN: elements; each thread's part of an array is a multiple of it, so that all have as much to
 * do. PASSES_BYTES: what the passes over a cache move together, long enough to be timed. FMAS_MAX:
 * operations on one element; the reference does them one after another. */
enum { X, Y, Z, GRAIN = 256, PASSES_BYTES = 64 << 20, FMAS_MAX = 1000000 };
static const double factor = 0.4; /* s of scale and triad */

/* Per element: operations, elements moved, arrays read. */
static const struct {
    const char *name;
    int ops, moved, reads;
} operations[] = {{"copy", 0, 2, 1}, {"scale", 1, 2, 1}, {"add", 1, 3, 2},   {"triad", 2, 3, 2},
                  {"dot", 2, 2, 2},  {"read", 1, 1, 1},  {"write", 0, 1, 0}, {"fma", 2, 2, 1}};
enum { COPY, SCALE, ADD, TRIAD, DOT, READ, WRITE, FMA, OPERATIONS };

/* -1: no such operation. */
static int stream_op_index_default_triad(const abdb_problem *p)
{
    const char *name = abdb_param_text(p, "op");

    for (int i = 0; i < OPERATIONS; i++)
        if (name && strcmp(name, operations[i].name) == 0) return i;
    return name ? -1 : TRIAD;
}

/* Elements of an array so that all arrays together fill half of a cache. */
static double elements_per_array_filling_half_of_cache(const char *level, int arrays,
                                                       size_t element_bytes,
                                                       const abdb_machine_caches *limits)
{
    double bytes = strcmp(level, "L1") == 0   ? 0.5 * (double)limits->l1 * limits->threads
                   : strcmp(level, "L2") == 0 ? 0.5 * (double)limits->l2 * limits->threads
                   : strcmp(level, "L3") == 0 ? 0.5 * (double)limits->last
                                              : NAN;
    double grain = GRAIN * (double)limits->threads;

    return fmax(1, floor(bytes / (double)(arrays * (int)element_bytes) / grain)) * grain;
}

static bool is_dot_or_read_reduction(int op)
{
    return op == DOT || op == READ;
}

/* The words of a parameter, where it is given. */
static abdb_status require_known_level_and_stores(const abdb_problem *p, abdb_error *err)
{
    static const char *const levels[] = {"L1", "L2", "L3", "memory", NULL};
    static const char *const stores[] = {"plain", "nt", NULL};
    const char *level = abdb_param_text(p, "level"), *kind = abdb_param_text(p, "stores");

    if (level && !abdb_text_is_in_list(level, levels))
        return ABDB_FAIL(err, ABDB_USAGE, "stream: level is L1, L2, L3 or memory");
    if (kind && !abdb_text_is_in_list(kind, stores))
        return ABDB_FAIL(err, ABDB_USAGE, "stream: stores is plain or nt");
    return ABDB_OK;
}

/* Elements of an array: as many as are asked for, as fill a cache, or as no cache holds. */
static abdb_status parse_or_choose_array_elements(abdb_problem *p,
                                                  const abdb_machine_caches *limits, int op,
                                                  abdb_dtype dtype, double *n, abdb_error *err)
{
    const char *text = abdb_param_text(p, "n"), *level = abdb_param_text(p, "level");
    size_t each;
    abdb_status st = ABDB_OK;

    if (abdb_param_text(p, "each")) {
        TRY(abdb_param_parse_size_and_store_default(p, "each", 1, 0x1p32, &each, err));
        *n = (double)each * abdb_param_number(p, "threads", limits->threads);
    } else if (text && strcmp(text, "auto") != 0)
        *n = abdb_param_number(p, "n", NAN);
    else if (level && strcmp(level, "memory") != 0)
        *n = elements_per_array_filling_half_of_cache(level, operations[op].moved,
                                                      abdb_dtype_size(dtype), limits);
    else
        *n = floor(abdb_array_bytes_beyond_caches(limits, operations[op].moved) /
                   (double)abdb_dtype_size(dtype));
    if (!(*n >= 1 && *n <= 0x1p32 && *n == floor(*n)))
        st = ABDB_FAIL(err, ABDB_USAGE, "stream: n wants a whole number up to 2^32, or auto");
done:
    return st;
}

/* How the writing loop is cut up: bytes that lie together, statements side by side. */
static abdb_status parse_and_require_grain_and_unroll(abdb_problem *p, int op, abdb_dtype dtype,
                                                      abdb_error *err)
{
    size_t grain = 0, unroll = 1;
    abdb_status st = ABDB_OK;

    if (abdb_param_text(p, "grain"))
        TRY(abdb_param_parse_size_and_store_default(p, "grain", 64, 1 << 20, &grain, err));
    if (grain && (grain % abdb_dtype_size(dtype) || is_dot_or_read_reduction(op)))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "stream: grain is whole elements, in bytes, of what is written"));
    if (!abdb_param_text(p, "unroll")) return ABDB_OK;
    TRY(abdb_param_parse_size_and_store_default(p, "unroll", 4, 16, &unroll, err));
    if (unroll & (unroll - 1) || is_dot_or_read_reduction(op))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "stream: unroll is 1, 2, 4, 8 or 16, of what is written"));
done:
    return st;
}

/* X and Y in, Z out, n elements each; those that the operation does not read have one element,
 * and so has the sum of dot and read. repeat=: passes, chosen for level= so that they move
 * PASSES_BYTES. */
static abdb_status stream_parse_params_and_setup_tensors(abdb_problem *p,
                                                         const abdb_machine_caches *limits,
                                                         abdb_error *err)
{
    const char *dtype_name = abdb_param_text(p, "dtype");
    int op = stream_op_index_default_triad(p);
    double n, repeat, passes;
    size_t fmas;
    abdb_dtype dtype;
    abdb_status st = ABDB_OK;

    if (op < 0)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "stream: no op '%s'; there are copy, scale, add, triad, dot, read, write"
                         " and fma",
                         abdb_param_text(p, "op"));
    TRY(abdb_dtype_parse_name(&dtype, dtype_name ? dtype_name : "f64", err));
    if (dtype != ABDB_F64 && dtype != ABDB_F32)
        return ABDB_FAIL(err, ABDB_USAGE, "stream: dtype is f64 or f32");
    TRY(require_known_level_and_stores(p, err));
    TRY(parse_or_choose_array_elements(p, limits, op, dtype, &n, err));
    TRY(parse_and_require_grain_and_unroll(p, op, dtype, err));
    passes = ceil(PASSES_BYTES / (n * operations[op].moved * (double)abdb_dtype_size(dtype)));
    repeat = abdb_param_number(p, "repeat", abdb_param_text(p, "level") ? passes : 1);
    if (!(repeat >= 1 && repeat <= 1e9 && repeat == floor(repeat)))
        return ABDB_FAIL(err, ABDB_USAGE, "stream: repeat wants a whole number");
    TRY(abdb_param_set_integer(p, "n", n, err));
    if (repeat > 1) TRY(abdb_param_set_integer(p, "repeat", repeat, err));
    if (op == FMA) TRY(abdb_param_parse_size_and_store_default(p, "fmas", 1, FMAS_MAX, &fmas, err));
    p->tensors = 3;
    for (int i = 0; i < 3; i++)
        p->tensor[i] =
            (abdb_tensor){.dtype = dtype,
                          .role = i == Z ? ABDB_OUT : ABDB_IN,
                          .rank = 1,
                          .dim = {i == Z && is_dot_or_read_reduction(op) ? 1 : (size_t)n},
                          .stride = {1}};
    /* An array that the operation does not read shrinks to one element. */
    if (operations[op].reads < 2) p->tensor[Y].dim[0] = 1;
    if (operations[op].reads < 1) p->tensor[X].dim[0] = 1;
done:
    return st;
}

static void stream_count_work(const abdb_problem *p, abdb_work *out)
{
    int op = stream_op_index_default_triad(p);
    double n = abdb_param_number(p, "n", 0) * abdb_param_number(p, "repeat", 1);

    out->ops = operations[op].ops * n * (op == FMA ? abdb_param_number(p, "fmas", 1) : 1);
    out->bytes = operations[op].moved * n * (double)abdb_dtype_size(p->tensor[X].dtype);
}

/* Elements of Z in long double, by the formulas at the head of this file; magnitude: the sum of
 * the terms' magnitudes. */
static void stream_reference_rows(const abdb_problem *p, int tensor, const size_t *row,
                                  size_t count, double *out, double *magnitude)
{
    int op = stream_op_index_default_triad(p);
    /* The factor as the format holds it: 0.4 has no exact binary form. */
    double s = p->tensor[X].dtype == ABDB_F32 ? (double)(float)factor : factor;

    (void)tensor;
    if (op == DOT || op == READ) {
        long double sum = 0;

        magnitude[0] = 0;
        for (size_t i = 0; i < p->tensor[X].dim[0]; i++) {
            long double term = (long double)abdb_tensor_get_f64(&p->tensor[X], i) *
                               (op == DOT ? abdb_tensor_get_f64(&p->tensor[Y], i) : 1);

            sum += term;
            magnitude[0] += fabs((double)term);
        }
        out[0] = (double)sum;
        return;
    }
    for (size_t r = 0; r < count; r++) {
        long double x = op == WRITE ? s : abdb_tensor_get_f64(&p->tensor[X], row[r]);
        double y = operations[op].reads == 2 ? abdb_tensor_get_f64(&p->tensor[Y], row[r]) : 0;

        magnitude[r] = fabs((double)x) + fabs(op == TRIAD ? s * y : y) + (op == FMA ? 0.5 : 0);
        for (double f = op == FMA ? abdb_param_number(p, "fmas", 1) : 0; f > 0; f--)
            x = (1 - 0x1p-12L) * x + 0x1p-13L;
        x = op == SCALE ? s * x : op == ADD ? x + y : op == TRIAD ? x + (long double)s * y : x;
        out[r] = (double)x;
    }
}

/* Whole numbers around 0, so that the sums of `dot` and `read` are exact: as large as sums of n of
 * them allow, 16 standard deviations at most, so that two that are left out seldom cancel. Of the
 * other operations every element is bound closely as it is. */
static bool stream_make_exact_inputs_of_dot_and_read(const abdb_problem *p, uint64_t seed)
{
    /* `whole`: up to here every whole number is exact in the format. `term`: a term's size at which
     * 16 sqrt(n) of them stay below that; of dot, a product of two numbers of sqrt(term). */
    double whole = p->tensor[X].dtype == ABDB_F64 ? 0x1p53 : 0x1p24,
           term = fmin(0x1p20, whole / (16 * sqrt((double)p->tensor[X].dim[0])));
    int most = (int)fmax(2, stream_op_index_default_triad(p) == DOT ? sqrt(term) : term);

    if (!is_dot_or_read_reduction(stream_op_index_default_triad(p))) return false;
    for (int t = X; t <= Y; t++)
        abdb_fill_nonzero_integers(&p->tensor[t], 2 * seed + (uint64_t)t, most);
    return true;
}

/* One sum may come out near 0, and then says nothing of the size of its terms. */
static double stream_norm_bound_or_infinity_for_sums(const abdb_problem *p, int tensor)
{
    return is_dot_or_read_reduction(stream_op_index_default_triad(p))
               ? INFINITY
               : abdb_sum_norm_bound(&p->tensor[tensor], abdb_param_number(p, "fmas", 1));
}

/* In units of the magnitude, u being the format's rounding: n + 2 of a sum, f + 2 of f steps,
 * else 3. */
static double stream_error_bound(const abdb_problem *p, int tensor)
{
    double u = abdb_dtype_unit_roundoff(p->tensor[X].dtype);

    (void)tensor;
    switch (stream_op_index_default_triad(p)) {
    case DOT:
    case READ: return ((double)p->tensor[X].dim[0] + 2) * u;
    case FMA: return (abdb_param_number(p, "fmas", 1) + 2) * u;
    default: return 3 * u; /* product, sum, and the reference rounded to double */
    }
}

/* Bytes, but of fma with its many operations on an element. */
static const char *stream_bottleneck(const abdb_problem *p)
{
    abdb_work w;

    stream_count_work(p, &w);
    return abdb_bottleneck_by_ops_per_element(
        w.ops, w.bytes / (double)abdb_dtype_size(p->tensor[X].dtype));
}

/* Memory's, not a cache's. */
static const char *stream_memory_bandwidth_metric_or_null(const abdb_problem *p)
{
    const char *level = abdb_param_text(p, "level");
    bool memory = !level || strcmp(level, "memory") == 0;

    return memory && strcmp(stream_bottleneck(p), "bytes") == 0 ? "memory_bandwidth" : NULL;
}

const abdb_kernel abdb_kernel_stream = {
    .name = "stream",
    .summary = "copy, scale, add, triad, dot, read, write, fma over arrays",
    .formula = "stream@1",
    .parameters =
        "op=copy|scale|add|triad|dot|read|write|fma (fmas=1)  n=auto (4 x last-level cache)  "
        "level=L1|L2|L3|memory  each=elements a thread  stores=plain|nt  unroll=4  grain=bytes  "
        "repeat=1  dtype=f64|f32",
    .names = "op n level each stores unroll grain repeat fmas",
    .setup_tensors = stream_parse_params_and_setup_tensors,
    .count_work = stream_count_work,
    .reference_rows = stream_reference_rows,
    .error_bound = stream_error_bound,
    .norm_bound = stream_norm_bound_or_infinity_for_sums,
    .bottleneck = stream_bottleneck,
    .ceiling_metric = stream_memory_bandwidth_metric_or_null,
    .make_exact_inputs = stream_make_exact_inputs_of_dot_and_read,
    .edge_sizes = abdb_stream_edge_sizes,
    .put_edge_values = abdb_stream_put_edge_values,
};
