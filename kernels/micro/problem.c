/* problem.c - parameters and tensors that every kernel needs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"

static const double balance_least = 16; /* operations an element; see kernel.h */

const char *abdb_param_text(const abdb_problem *p, const char *name)
{
    for (int i = 0; i < p->params; i++)
        if (strcmp(p->param[i].name, name) == 0) return p->param[i].text;
    return NULL;
}

bool abdb_param_text_equals(const abdb_problem *p, const char *name, const char *word)
{
    const char *text = abdb_param_text(p, name);

    return text && strcmp(text, word) == 0;
}

double abdb_param_number(const abdb_problem *p, const char *name, double fallback)
{
    for (int i = 0; i < p->params; i++)
        if (strcmp(p->param[i].name, name) == 0) return p->param[i].value;
    return fallback;
}

int abdb_problem_rank_count(const abdb_problem *p)
{
    return (int)abdb_param_number(p, "ranks", 1);
}

abdb_status abdb_param_set_integer(abdb_problem *p, const char *name, double value, abdb_error *err)
{
    int i = 0;

    while (i < p->params && strcmp(p->param[i].name, name) != 0) i++;
    if (i == ABDB_PARAM_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d parameters", ABDB_PARAM_MAX);
    if (i == p->params) p->params++;
    snprintf(p->text[i], sizeof p->text[i], "%.0f", value);
    p->param[i] = (abdb_param){name, p->text[i], value};
    return ABDB_OK;
}

abdb_status abdb_param_parse_size_and_store_default(abdb_problem *p, const char *name,
                                                    double fallback, double maximum, size_t *out,
                                                    abdb_error *err)
{
    double value = abdb_param_number(p, name, fallback);

    if (!(value >= 1 && value <= maximum && value == floor(value)))
        return ABDB_FAIL(err, ABDB_USAGE, "%s: %s wants a whole number from 1 to %.0f", p->kernel,
                         name, maximum);
    *out = (size_t)value;
    return abdb_param_set_integer(p, name, value, err);
}

abdb_status abdb_param_choice_index_or_first(const abdb_problem *p, const char *name,
                                             const char *const *words, int *out, abdb_error *err)
{
    const char *text = abdb_param_text(p, name);
    char all[256] = "";

    *out = 0;
    if (!text) return ABDB_OK;
    for (int i = 0; words[i]; i++) {
        size_t size = strlen(all);

        if (strcmp(words[i], text) == 0) {
            *out = i;
            return ABDB_OK;
        }
        snprintf(all + size, sizeof all - size, "%s%s",
                 i == 0         ? ""
                 : words[i + 1] ? ", "
                                : " or ",
                 words[i]);
    }
    return ABDB_FAIL(err, ABDB_USAGE, "%s: no %s '%s'; it is %s", p->kernel, name, text, all);
}

abdb_status abdb_param_choice_index_and_store_default(abdb_problem *p, const char *name,
                                                      const char *const *words, int *out,
                                                      abdb_error *err)
{
    abdb_status st = abdb_param_choice_index_or_first(p, name, words, out, err);

    if (st != ABDB_OK || abdb_param_text(p, name)) return st;
    if (p->params == ABDB_PARAM_MAX) return ABDB_FAIL(err, ABDB_LIMIT, "too many parameters");
    p->param[p->params++] = (abdb_param){name, words[*out], NAN};
    return ABDB_OK;
}

abdb_status abdb_param_parse_size_note_overridden_model(abdb_problem *p, const char *name,
                                                        const char *name_of, size_t model,
                                                        double most, size_t *out, abdb_error *err)
{
    abdb_status st =
        abdb_param_parse_size_and_store_default(p, name, (double)model, most, out, err);

    if (st == ABDB_OK && *out != model) st = abdb_param_set_integer(p, name_of, (double)model, err);
    return st;
}

abdb_status abdb_param_parse_allowed_dtype(const abdb_problem *p, abdb_dtype fallback,
                                           unsigned allowed, abdb_dtype *out, abdb_error *err)
{
    const char *name = abdb_param_text(p, "dtype");

    *out = fallback;
    if (name && abdb_dtype_parse_name(out, name, err) != ABDB_OK) return err->status;
    if (!(allowed & 1u << *out))
        return ABDB_FAIL(err, ABDB_USAGE, "%s: not of dtype %s", p->kernel, abdb_dtype_name(*out));
    return ABDB_OK;
}

abdb_tensor abdb_tensor_contiguous(abdb_dtype dtype, abdb_role role, size_t d0, size_t d1,
                                   size_t d2, size_t d3)
{
    const size_t dim[4] = {d0, d1, d2, d3};
    abdb_tensor t = {.dtype = dtype, .role = role};
    ptrdiff_t stride = 1;

    while (t.rank < 4 && dim[t.rank]) {
        t.dim[t.rank] = dim[t.rank];
        t.rank++;
    }
    for (int i = t.rank; i-- > 0; stride *= (ptrdiff_t)t.dim[i]) t.stride[i] = stride;
    return t;
}

/* The shifts 13, 7, 17 give the full period of 2^64 - 1. */
uint64_t abdb_xorshift64_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* What other files call is not inlined in a library: the loops here have their own. */
static uint64_t splitmix64_bits_at(uint64_t seed, uint64_t i)
{
    /* Seed and index each have an odd multiplier of their own, so that neighbours of either share
     * nothing after the three mixing steps. 0 becomes 1, because a xorshift never leaves it. */
    uint64_t z = (seed + 1) * 0xD1342543DE82EF95u + (i + 1) * 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return z ? z : 1;
}

static int random_nonzero_integer_at(uint64_t seed, uint64_t i, int most)
{
    /* From -most to most - 1, then all that is not negative moves up by one: 0 is left out. The
     * upper bits, scaled by a product: a remainder would take a division. */
    int value = (int)((splitmix64_bits_at(seed, i) >> 32) * (unsigned)(2 * most) >> 32) - most;

    return value < 0 ? value : value + 1;
}

uint64_t abdb_random_bits_at(uint64_t seed, uint64_t index)
{
    return splitmix64_bits_at(seed, index);
}

double abdb_random_nonzero_integer(uint64_t seed, uint64_t index, int most)
{
    return random_nonzero_integer_at(seed, index, most);
}

double abdb_random_odd_integer(uint64_t seed, uint64_t i, int bits)
{
    uint64_t random = splitmix64_bits_at(seed, i), high = (uint64_t)1 << (bits - 1);
    double value = (double)(high | (random % (high / 2 + 1)) | 1);

    return random >> 63 ? -value : value;
}

void abdb_fill_nonzero_integers(const abdb_tensor *t, uint64_t seed, int most)
{
    size_t count = abdb_tensor_element_count(t);
    float *floats = t->data;

    if (t->dtype == ABDB_F32) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < count; i++)
            floats[i] = (float)random_nonzero_integer_at(seed, i, most);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++)
        abdb_tensor_set_rounded(t, i, random_nonzero_integer_at(seed, i, most));
}

void abdb_random_permutation(int32_t *out, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)i;
    /* Fisher and Yates: each place takes one of those that are left, itself included. */
    for (size_t i = n; i-- > 1;) {
        size_t j = (size_t)(abdb_random_bits_at(seed, i) % (i + 1));
        int32_t other = out[i];

        out[i] = out[j];
        out[j] = other;
    }
}

double abdb_sum_norm_bound(const abdb_tensor *out, double terms)
{
    /* Shorter formats sum in f32, and then round the result once. */
    double u = abdb_dtype_unit_roundoff(out->dtype == ABDB_F64 ? ABDB_F64 : ABDB_F32);

    return 8 * u * (sqrt(terms) + 8) + 2 * abdb_output_roundoff_or_0_if_accumulator(out);
}

double abdb_combine_error_magnitudes(const abdb_tensor *t, double sum_magnitude, double value,
                                     double sum_bound)
{
    double rounded = abdb_output_roundoff_or_0_if_accumulator(t),
           of_rounded = fmax(fabs(value), abdb_dtype_least_normal(t->dtype));

    return (sum_magnitude * sum_bound + of_rounded * rounded) / (sum_bound + rounded);
}

double abdb_output_roundoff_or_0_if_accumulator(const abdb_tensor *out)
{
    return abdb_dtype_accumulator(out->dtype) == out->dtype ? 0
                                                            : abdb_dtype_unit_roundoff(out->dtype);
}

double abdb_array_bytes_beyond_caches(const abdb_machine_caches *limits, int arrays)
{
    return fmax(4.0 * (double)limits->last, 1.25 * (double)limits->claimed / arrays);
}

double abdb_problem_tensor_bytes(const abdb_problem *p)
{
    double bytes = 0;

    for (int i = 0; i < p->tensors; i++)
        bytes += (double)abdb_tensor_element_count(&p->tensor[i]) *
                 (double)abdb_dtype_size(p->tensor[i].dtype);
    return bytes;
}

double abdb_problem_tensor_elements(const abdb_problem *p)
{
    double elements = 0;

    for (int i = 0; i < p->tensors; i++)
        elements += (double)abdb_tensor_element_count(&p->tensor[i]);
    return elements;
}

double abdb_error_bound_zero(const abdb_problem *p, int tensor)
{
    (void)p;
    (void)tensor;
    return 0;
}

void abdb_min_and_max_row(const size_t *row, size_t n, size_t *low, size_t *high)
{
    *low = *high = row[0];
    for (size_t i = 1; i < n; i++) {
        *low = row[i] < *low ? row[i] : *low;
        *high = row[i] > *high ? row[i] : *high;
    }
}

const char *abdb_bottleneck_always_operations(const abdb_problem *p)
{
    (void)p;
    return "operations";
}

const char *abdb_bottleneck_always_bytes(const abdb_problem *p)
{
    (void)p;
    return "bytes";
}

const char *abdb_bottleneck_by_ops_per_element(double ops, double elements)
{
    return ops < balance_least * elements ? "bytes" : "operations";
}

const char *abdb_peak_metric_of_dtype(abdb_dtype dtype)
{
    return dtype == ABDB_I8 || dtype == ABDB_I32 ? "peak_ops" : "peak_flops";
}

size_t abdb_tensor_element_count(const abdb_tensor *t)
{
    size_t count = 1;

    for (int i = 0; i < t->rank; i++) count *= t->dim[i];
    return count;
}
