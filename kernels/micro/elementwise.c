/* elementwise.c - what stands between the products of a network, over rows of `columns` elements:
 *
 *                                                                        operations an element
 *   softmax        y = exp(x - max) / sum exp(x - max)                                       4
 *   layernorm      y = (x - mean) / sqrt(variance + 1e-5) gamma + beta                       7
 *   rmsnorm        y = x / sqrt(mean(x^2) + 1e-5) gamma                                      4
 *   gelu           y = x s(2 sqrt(2/pi) (x + 0.044715 x^3)), s the logistic function:        9
 *                  the form of GPT-2 (Hendrycks and Gimpel 2016)
 *   silu           y = x s(x)                                                                4
 *   rotary         pairs (x[i], x[i + columns/2]) rotated by position x                      3
 *                  10000^(-2i/columns); row r is position r mod 2048 (Su et al. 2021)
 *   cross-entropy  y = log sum exp(x) - x[target], one number a row                          3
 *   adamw          parameter, gradient, two moments to parameter and moments                14
 *                  (Loshchilov and Hutter 2019; step 10)
 *
 * An exponential, a root, a division counts as one. Work: bytes of all tensors once, which bound
 * it. bf16, f16: sums in f32, results rounded once; adamw's moments are f32. All but adamw's arrays
 * are out of place, and so are its: launching twice gives the same.
 *
 * Bound: (n + 32) 2^-24 or 8 (sqrt(n) + 8) 2^-24, whichever is less, n being the columns where a
 * row is summed, else 1, of a magnitude that says how far an error of the argument of an
 * exponential reaches, and where the output is bf16 2^-8, f16 2^-11 of the result, f16 of 2^-14 at
 * least.
 *
 * So that mistakes show, a row of what is summed has one large number, at its end, its beginning or
 * anywhere; every eighth row of exponentials ends in one whose exponential f32 cannot hold; every
 * eighth row of a layer norm begins far from its mean; some rows of norms are so small that their
 * epsilon counts; gelu and silu see numbers up to 4; and half of adamw's parameters are as small as
 * its steps, half so large that decay counts.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"

/* Places of tensors: X is the input of all (of adamw the parameter); then, by operation, gamma and
 * beta, or the gradient G and the moments M and V. Outputs stand last, see
 * elementwise_parse_params_and_setup_tensors. */
enum { X, GAMMA, BETA, G = 1, M, V, POSITIONS = 2048, BEGINNING = 64 };
enum { SOFTMAX, LAYERNORM, RMSNORM, GELU, SILU, ROTARY, CROSS_ENTROPY, ADAMW };
static const char *const words[] = {"softmax", "layernorm",     "rmsnorm", "gelu", "silu",
                                    "rotary",  "cross-entropy", "adamw",   NULL};
static const double operations[] = {4, 7, 4, 9, 4, 3, 3, 14}, epsilon = 1e-5;
static const struct {
    double rate, beta1, beta2, epsilon, decay, step;
} adamw = {1e-3, 0.9, 0.999, 1e-8, 0.01, 10};

/* The number of a problem's op; elementwise_parse_params_and_setup_tensors has refused what is
 * none. */
static int elementwise_op_index(const abdb_problem *p)
{
    abdb_error err;
    int op;

    return abdb_param_choice_index_or_first(p, "op", words, &op, &err) == ABDB_OK ? op : -1;
}

/* X in and OUT out are rows x columns. Besides: layer norm has gain and shift, RMS norm a gain,
 * of `columns` numbers; rotary POSITIONS rows of cosines and sines; cross entropy one target and
 * one loss a row; AdamW gradients and two moments in, parameters and both moments out. */
static abdb_status elementwise_parse_params_and_setup_tensors(abdb_problem *p,
                                                              const abdb_machine_caches *limits,
                                                              abdb_error *err)
{
    size_t rows, columns, each;
    abdb_dtype dtype;
    int op;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_choice_index_or_first(p, "op", words, &op, err));
    TRY(abdb_param_parse_allowed_dtype(p, ABDB_F32, ABDB_NETWORK_DTYPES, &dtype, err));
    TRY(abdb_param_parse_size_and_store_default(p, "columns", op == ROTARY ? 128 : 4096, 1 << 24,
                                                &columns, err));
    if (op == ROTARY && columns % 2)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "elementwise: rotary wants an even number of columns"));
    each = columns * abdb_dtype_size(dtype);
    TRY(abdb_param_parse_size_and_store_default(
        p, "rows", ceil(abdb_array_bytes_beyond_caches(limits, 2) / (double)each) + 1, 1 << 28,
        &rows, err));
    p->tensors = 0;
    p->tensor[p->tensors++] = abdb_tensor_contiguous(dtype, ABDB_IN, rows, columns, 0, 0);
    if (op == LAYERNORM || op == RMSNORM)
        p->tensor[p->tensors++] = abdb_tensor_contiguous(dtype, ABDB_IN, columns, 0, 0, 0);
    if (op == LAYERNORM)
        p->tensor[p->tensors++] = abdb_tensor_contiguous(dtype, ABDB_IN, columns, 0, 0, 0);
    if (op == ROTARY) /* cosines, then sines of a position */
        p->tensor[p->tensors++] =
            abdb_tensor_contiguous(ABDB_F32, ABDB_IN, POSITIONS, columns, 0, 0);
    if (op == CROSS_ENTROPY)
        p->tensor[p->tensors++] = abdb_tensor_contiguous(ABDB_I32, ABDB_IN, rows, 0, 0, 0);
    for (int i = 0; op == ADAMW && i < 3; i++)
        p->tensor[p->tensors++] =
            abdb_tensor_contiguous(i ? ABDB_F32 : dtype, ABDB_IN, rows, columns, 0, 0);
    for (int i = 0; i < (op == ADAMW ? 3 : 1); i++)
        p->tensor[p->tensors++] =
            op == CROSS_ENTROPY
                ? abdb_tensor_contiguous(ABDB_F32, ABDB_OUT, rows, 1, 0, 0)
                : abdb_tensor_contiguous(i ? ABDB_F32 : dtype, ABDB_OUT, rows, columns, 0, 0);
done:
    return st;
}

/* Adds `shift` to every number, then makes one number of each row `size`, which weighs as much as
 * all others of it together. It stands in turn at the end, at the beginning and, twice, anywhere: a
 * loop that forgets an edge or a lane is seen. */
static void shift_and_add_row_spikes(const abdb_problem *p, uint64_t seed, double size,
                                     double shift)
{
    const abdb_tensor *t = &p->tensor[X];
    size_t columns = t->dim[1];

    for (size_t i = 0; shift != 0 && i < abdb_tensor_element_count(t); i++)
        abdb_tensor_set_rounded(t, i, abdb_tensor_get_f64(t, i) + shift);
    for (size_t r = 0; r < t->dim[0]; r++) {
        size_t at = r % 4 == 0   ? columns - 1
                    : r % 4 == 1 ? 0
                                 : (size_t)(abdb_random_bits_at(seed, r) % columns);

        abdb_tensor_set_rounded(t, r * columns + at, size);
    }
}

/* Every eighth row of more than BEGINNING numbers ends in one whose exponential is infinite in f32,
 * unless the largest number is taken off first: that of the whole row. */
static void add_exp_overflow_peaks(const abdb_problem *p)
{
    const abdb_tensor *t = &p->tensor[X];
    size_t columns = t->dim[1];

    for (size_t r = 4; columns > BEGINNING && r < t->dim[0]; r += 8)
        abdb_tensor_set_rounded(t, r * columns + columns - 1, 100);
}

/* Every eighth row of more than BEGINNING numbers begins with so many that are far from the others:
 * who takes one number of a row, or the mean of some, for the mean of all loses digits. */
static void shift_beginning_of_every_eighth_row(const abdb_problem *p)
{
    const abdb_tensor *t = &p->tensor[X];
    size_t columns = t->dim[1];

    for (size_t r = 6; columns > BEGINNING && r < t->dim[0]; r += 8)
        for (size_t i = r * columns; i < r * columns + BEGINNING; i++)
            abdb_tensor_set_rounded(t, i, abdb_tensor_get_f64(t, i) + sqrt((double)columns));
}

/* Each element of X times a number that depends on its row, and on whether its place is odd. */
static void scale_x_by_row_and_parity(const abdb_problem *p, double (*by)(size_t row, bool odd))
{
    const abdb_tensor *t = &p->tensor[X];
    size_t count = abdb_tensor_element_count(t);

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++)
        abdb_tensor_set_rounded(t, i, abdb_tensor_get_f64(t, i) * by(i / t->dim[1], i % 2));
}

/* Rows as they are, by 2^-4 and by 2^-8: the variance of the last is about 2^-16, that of epsilon
 * (1e-5), which then changes the result. */
static double norm_row_scale_by_row_mod_3(size_t row, bool odd)
{
    (void)odd;
    return row % 3 == 0 ? 1 : row % 3 == 1 ? 0x1p-4 : 0x1p-8;
}

/* From [-1, 1] to [-4, 4]: beyond that both are 0 or x to the last digit, and nothing of the
 * formula would show. */
static double activation_scale_constant_4(size_t row, bool odd)
{
    (void)row;
    (void)odd;
    return 4;
}

/* Every other parameter is about as small as a step of adamw (rate 1e-3), so that steps count; the
 * others are so large that decay does. */
static double adamw_scale_small_at_even_elements(size_t row, bool odd)
{
    (void)row;
    return odd ? 1 : 0x1p-8;
}

/* Makes rows in which mistakes show: one large number a row, numbers whose exponential overflows
 * f32, norms far from 0 or as small as their epsilon, parameters as small as AdamW's steps. Angle
 * of rotary: r 10000^(-2i / columns) at position r. */
static void elementwise_prepare_inputs_that_show_mistakes(const abdb_problem *p, uint64_t seed)
{
    const abdb_tensor *t = &p->tensor[1];
    size_t columns = p->tensor[X].dim[1];
    double wide = (double)columns;

    switch (elementwise_op_index(p)) {
    /* exp(log(columns) + 1) against `columns` numbers of exp(x), x in [-1, 1]. */
    case SOFTMAX:
        shift_and_add_row_spikes(p, seed, log(wide) + 1, 0);
        add_exp_overflow_peaks(p);
        break;
    case LAYERNORM:
        shift_and_add_row_spikes(p, seed, sqrt(wide / 3) + 1, 1);
        shift_beginning_of_every_eighth_row(p);
        scale_x_by_row_and_parity(p, norm_row_scale_by_row_mod_3);
        break;
    case RMSNORM:
        shift_and_add_row_spikes(p, seed, sqrt(wide / 3), 0);
        scale_x_by_row_and_parity(p, norm_row_scale_by_row_mod_3);
        break;
    case GELU:
    case SILU: scale_x_by_row_and_parity(p, activation_scale_constant_4); break;
    case ROTARY:
        for (size_t r = 0; r < POSITIONS; r++)
            for (size_t i = 0; i < columns / 2; i++) {
                double angle = (double)r * pow(10000, -2 * (double)i / (double)columns);

                abdb_tensor_set_rounded(t, r * columns + i, cos(angle));
                abdb_tensor_set_rounded(t, r * columns + columns / 2 + i, sin(angle));
            }
        break;
    case CROSS_ENTROPY:
        shift_and_add_row_spikes(p, seed, log(wide) + 1, 0);
        add_exp_overflow_peaks(p);
        for (size_t r = 0; r < t->dim[0]; r++)
            ((int32_t *)t->data)[r] = (int32_t)(abdb_random_bits_at(seed + 1, r) % columns);
        break;
    case ADAMW: /* a mean of squares is not negative */
        for (size_t i = 0; i < abdb_tensor_element_count(&p->tensor[V]); i++)
            ((float *)p->tensor[V].data)[i] = fabsf(((float *)p->tensor[V].data)[i]);
        scale_x_by_row_and_parity(p, adamw_scale_small_at_even_elements);
        break;
    default: break;
    }
}

static void elementwise_count_work(const abdb_problem *p, abdb_work *out)
{
    out->ops =
        operations[elementwise_op_index(p)] * (double)abdb_tensor_element_count(&p->tensor[X]);
    out->bytes = abdb_problem_tensor_bytes(p);
}

/* --- the reference, one row at a time --------------------------------------------------------- */

typedef struct {
    const abdb_problem *p;
    size_t row, columns;
    double *out, *magnitude;
} reference_row;

static double tensor_element_f64(const reference_row *r, int tensor, size_t row, size_t column)
{
    return abdb_tensor_get_f64(&r->p->tensor[tensor], row * r->columns + column);
}

/* Terms of the longest sum. */
static double longest_sum_term_count(const abdb_problem *p)
{
    int op = elementwise_op_index(p);
    bool summed = op == SOFTMAX || op == LAYERNORM || op == RMSNORM || op == CROSS_ENTROPY;

    return summed ? (double)p->tensor[X].dim[1] : 1;
}

/* What sums of a row may be wrong by: long ones less than the worst, since errors go to and fro. */
static double elementwise_sum_error_bound(const abdb_problem *p)
{
    double n = longest_sum_term_count(p);

    return fmin(n + 32, 8 * (sqrt(n) + 8)) * 0x1p-24;
}

/* Softmax, or (loss) cross entropy, with the largest number taken off first so that nothing
 * overflows. An error of an argument of magnitude `size` comes out of the exponential as a relative
 * error of that size: hence 1 + 2 size. What is less than a normal number of f32 may be nothing. */
static void reference_softmax_or_cross_entropy_row(const reference_row *r, bool cross_entropy)
{
    double most = -INFINITY, sum = 0, size = 0;

    for (size_t j = 0; j < r->columns; j++) {
        most = fmax(most, tensor_element_f64(r, X, r->row, j));
        if (isfinite(tensor_element_f64(r, X, r->row, j)))
            size = fmax(size, fabs(tensor_element_f64(r, X, r->row, j)));
    }
    for (size_t j = 0; j < r->columns; j++) sum += exp(tensor_element_f64(r, X, r->row, j) - most);
    if (cross_entropy) {
        size_t target = (size_t)abdb_tensor_get_f64(&r->p->tensor[1], r->row);

        r->out[0] = log(sum) + most - tensor_element_f64(r, X, r->row, target);
        r->magnitude[0] = fabs(log(sum)) + 2 * size + 1;
        return;
    }
    for (size_t j = 0; j < r->columns; j++) {
        r->out[j] = exp(tensor_element_f64(r, X, r->row, j) - most) / sum;
        r->magnitude[j] = r->out[j] * (1 + 2 * size) +
                          abdb_dtype_least_normal(ABDB_F32) / elementwise_sum_error_bound(r->p);
    }
}

/* Layer norm (centred) or RMS norm, in two passes as it is defined. */
static void reference_layernorm_or_rmsnorm_row(const reference_row *r, bool layernorm)
{
    double mean = 0, square = 0;

    for (size_t j = 0; layernorm && j < r->columns; j++)
        mean += tensor_element_f64(r, X, r->row, j) / (double)r->columns;
    for (size_t j = 0; j < r->columns; j++)
        square += pow(tensor_element_f64(r, X, r->row, j) - mean, 2) / (double)r->columns;
    for (size_t j = 0; j < r->columns; j++) {
        double x = tensor_element_f64(r, X, r->row, j), gamma = tensor_element_f64(r, GAMMA, 0, j),
               beta = layernorm ? tensor_element_f64(r, BETA, 0, j) : 0,
               scale = 1 / sqrt(square + epsilon);

        r->out[j] = (x - mean) * scale * gamma + beta;
        r->magnitude[j] = (fabs(x) + fabs(mean)) * scale * fabs(gamma) + fabs(beta);
    }
}

/* Element i of the lower half and i of the upper half are rotated together, by the cosine and the
 * sine that tensor 1 has for the row's position. */
static void reference_rotary_row(const reference_row *r)
{
    size_t half = r->columns / 2;

    for (size_t j = 0; j < r->columns; j++) {
        size_t i = j % half;
        double c = tensor_element_f64(r, 1, r->row % POSITIONS, i),
               s = tensor_element_f64(r, 1, r->row % POSITIONS, half + i),
               low = tensor_element_f64(r, X, r->row, i),
               high = tensor_element_f64(r, X, r->row, half + i);

        r->out[j] = j < half ? low * c - high * s : low * s + high * c;
        r->magnitude[j] = fabs(low) + fabs(high);
    }
}

/* Tensors 4, 5, 6: the parameter and both moments after a step. The parameter's magnitude has the
 * error of m relative to sqrt(v), which is large where v is small. */
static void reference_adamw_output_row(const reference_row *r, int tensor)
{
    for (size_t j = 0; j < r->columns; j++) {
        double p = tensor_element_f64(r, X, r->row, j), g = tensor_element_f64(r, G, r->row, j),
               m = adamw.beta1 * tensor_element_f64(r, M, r->row, j) + (1 - adamw.beta1) * g,
               v = adamw.beta2 * tensor_element_f64(r, V, r->row, j) + (1 - adamw.beta2) * g * g,
               move = m / (1 - pow(adamw.beta1, adamw.step)) /
                      (sqrt(v / (1 - pow(adamw.beta2, adamw.step))) + adamw.epsilon);

        r->out[j] = tensor == 5 ? m : tensor == 6 ? v : p - adamw.rate * (move + adamw.decay * p);
        r->magnitude[j] =
            tensor == 5 ? fabs(m) + fabs(g) + fabs(tensor_element_f64(r, M, r->row, j))
            : tensor == 6
                ? v
                : fabs(p) + adamw.rate * (fabs(move) + 1 +
                                          (fabs(g) + fabs(tensor_element_f64(r, M, r->row, j))) /
                                              (sqrt(v) + adamw.epsilon));
    }
}

/* Rows of an output in double, by the formula of op at the head of this file; GELU is the tanh
 * form x / (1 + exp(-z)), z = 2 sqrt(2 / pi) (x + 0.044715 x^3), SiLU has z = x. */
static void elementwise_reference_rows(const abdb_problem *p, int tensor, const size_t *row,
                                       size_t count, double *out, double *magnitude)
{
    int op = elementwise_op_index(p);
    size_t wide = p->tensor[tensor].dim[1];

    for (size_t i = 0; i < count; i++) {
        reference_row r = {p, row[i], p->tensor[X].dim[1], out + i * wide, magnitude + i * wide};

        if (op == SOFTMAX || op == CROSS_ENTROPY)
            reference_softmax_or_cross_entropy_row(&r, op == CROSS_ENTROPY);
        if (op == LAYERNORM || op == RMSNORM)
            reference_layernorm_or_rmsnorm_row(&r, op == LAYERNORM);
        if (op == ROTARY) reference_rotary_row(&r);
        if (op == ADAMW) reference_adamw_output_row(&r, tensor);
        for (size_t j = 0; (op == GELU || op == SILU) && j < wide; j++) {
            double x = tensor_element_f64(&r, X, row[i], j),
                   z = op == SILU ? x : 2 * sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x);

            r.out[j] = x / (1 + exp(-z));
            r.magnitude[j] = fabs(x) * (1 + fabs(z));
        }
        for (size_t j = 0; j < wide; j++)
            r.magnitude[j] = abdb_combine_error_magnitudes(
                &p->tensor[tensor], r.magnitude[j], r.out[j], elementwise_sum_error_bound(p));
    }
}

static double elementwise_error_bound(const abdb_problem *p, int tensor)
{
    return elementwise_sum_error_bound(p) +
           abdb_output_roundoff_or_0_if_accumulator(&p->tensor[tensor]);
}

static double elementwise_norm_bound(const abdb_problem *p, int tensor)
{
    return abdb_sum_norm_bound(&p->tensor[tensor], longest_sum_term_count(p));
}

/* Softmax of f32: of each row some numbers are the largest, the others far below: 1 / count, or 0.
 */
static bool elementwise_make_exact_softmax_rows(const abdb_problem *p, uint64_t seed)
{
    const abdb_tensor *x = &p->tensor[X];

    if (elementwise_op_index(p) != SOFTMAX || x->dtype != ABDB_F32) return false;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < abdb_tensor_element_count(x); i++)
        abdb_tensor_set_rounded(
            x, i, i % x->dim[1] == 0 || abdb_random_bits_at(seed, i) >> 63 ? 3 : -300);
    return true;
}

/* Quick exponentials are right to 20 bits. */
static double elementwise_exact_error_bound(const abdb_problem *p, int tensor)
{
    (void)p, (void)tensor;
    return 16 * 0x1p-24;
}

const abdb_kernel abdb_kernel_elementwise = {
    .name = "elementwise",
    .summary = "softmax, norms, activations, rotary embedding, cross entropy, AdamW",
    .formula = "elementwise@1",
    .parameters = "op=softmax|layernorm|rmsnorm|gelu|silu|rotary|cross-entropy|adamw  rows=auto (4 "
                  "x last-level "
                  "cache)  columns=4096 (rotary: 128)  stores=auto|plain|nt  dtype=f32|bf16|f16",
    .names = "op rows columns stores",
    .setup_tensors = elementwise_parse_params_and_setup_tensors,
    .count_work = elementwise_count_work,
    .reference_rows = elementwise_reference_rows,
    .error_bound = elementwise_error_bound,
    .norm_bound = elementwise_norm_bound,
    .prepare_inputs = elementwise_prepare_inputs_that_show_mistakes,
    .bottleneck = abdb_bottleneck_always_bytes,
    .make_exact_inputs = elementwise_make_exact_softmax_rows,
    .exact_error_bound = elementwise_exact_error_bound,
    .edge_sizes = abdb_elementwise_edge_sizes,
    .put_edge_values = abdb_elementwise_put_edge_values,
};
