/* problem.c - parameters, dtypes and tensors that every kernel needs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"

static const double balance_least = 16; /* operations an element; see kernel.h */

/* The formats: their name in parameters and results, bytes of an element, and the unit roundoff,
 * half the distance from 1 to the next larger number; whole numbers round nothing. */
static const struct {
    const char *name;
    size_t size;
    double roundoff;
} dtypes[ABDB_DTYPE_COUNT] = {[ABDB_F64] = {"f64", 8, 0x1p-53},
                              [ABDB_F32] = {"f32", 4, 0x1p-24},
                              [ABDB_BF16] = {"bf16", 2, 0x1p-8},
                              [ABDB_I8] = {"i8", 1, 0},
                              [ABDB_I32] = {"i32", 4, 0}};

const char *abdb_param_text(const abdb_problem *p, const char *name)
{
    for (int i = 0; i < p->params; i++)
        if (strcmp(p->param[i].name, name) == 0) return p->param[i].text;
    return NULL;
}

double abdb_param_number(const abdb_problem *p, const char *name, double fallback)
{
    for (int i = 0; i < p->params; i++)
        if (strcmp(p->param[i].name, name) == 0) return p->param[i].value;
    return fallback;
}

abdb_status abdb_param_set(abdb_problem *p, const char *name, double value, abdb_error *err)
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

abdb_status abdb_param_size(abdb_problem *p, const char *name, double fallback, double most,
                            size_t *out, abdb_error *err)
{
    double value = abdb_param_number(p, name, fallback);

    if (!(value >= 1 && value <= most && value == floor(value)))
        return ABDB_FAIL(err, ABDB_USAGE, "%s: %s wants a whole number from 1 to %.0f", p->kernel,
                         name, most);
    *out = (size_t)value;
    return abdb_param_set(p, name, value, err);
}

abdb_status abdb_param_word(const abdb_problem *p, const char *name, const char *const *words,
                            int *out, abdb_error *err)
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

abdb_status abdb_param_dtype(const abdb_problem *p, abdb_dtype fallback, unsigned allowed,
                             abdb_dtype *out, abdb_error *err)
{
    const char *name = abdb_param_text(p, "dtype");

    *out = fallback;
    if (name && abdb_dtype_find(out, name, err) != ABDB_OK) return err->status;
    if (!(allowed & 1u << *out))
        return ABDB_FAIL(err, ABDB_USAGE, "%s: not of dtype %s", p->kernel, dtypes[*out].name);
    return ABDB_OK;
}

abdb_tensor abdb_tensor_of(abdb_dtype dtype, abdb_role role, size_t d0, size_t d1, size_t d2,
                           size_t d3)
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

abdb_status abdb_dtype_find(abdb_dtype *out, const char *name, abdb_error *err)
{
    for (int i = 0; i < ABDB_DTYPE_COUNT; i++) {
        if (strcmp(dtypes[i].name, name) != 0) continue;
        *out = (abdb_dtype)i;
        return ABDB_OK;
    }
    return ABDB_FAIL(err, ABDB_USAGE, "no dtype '%s'; there are f64, f32, bf16 and i8", name);
}

const char *abdb_dtype_name(abdb_dtype dtype)
{
    return dtypes[dtype].name;
}

size_t abdb_dtype_size(abdb_dtype dtype)
{
    return dtypes[dtype].size;
}

double abdb_dtype_unit_roundoff(abdb_dtype dtype)
{
    return dtypes[dtype].roundoff;
}

/* The shifts 13, 7, 17 give the full period of 2^64 - 1. */
uint64_t abdb_random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* What other files call is not inlined in a library: the loops here have their own. */
static uint64_t random_at(uint64_t seed, uint64_t i)
{
    /* Seed and index each have an odd multiplier of their own, so that neighbours of either share
     * nothing after the three mixing steps. 0 becomes 1, because a xorshift never leaves it. */
    uint64_t z = (seed + 1) * 0xD1342543DE82EF95u + (i + 1) * 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return z ? z : 1;
}

static int whole_at(uint64_t seed, uint64_t i, int most)
{
    /* From -most to most - 1, then all that is not negative moves up by one: 0 is left out. The
     * upper bits, scaled by a product: a remainder would take a division. */
    int value = (int)((random_at(seed, i) >> 32) * (unsigned)(2 * most) >> 32) - most;

    return value < 0 ? value : value + 1;
}

uint64_t abdb_random_at(uint64_t seed, uint64_t i)
{
    return random_at(seed, i);
}

double abdb_random_whole(uint64_t seed, uint64_t i, int most)
{
    return whole_at(seed, i, most);
}

void abdb_fill_whole(const abdb_tensor *t, uint64_t seed, int most)
{
    size_t count = abdb_tensor_count(t);
    float *floats = t->data;

    if (t->dtype == ABDB_F32) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < count; i++) floats[i] = (float)whole_at(seed, i, most);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++) abdb_tensor_set(t, i, whole_at(seed, i, most));
}

void abdb_shuffle(int32_t *out, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)i;
    /* Fisher and Yates: each place takes one of those that are left, itself included. */
    for (size_t i = n; i-- > 1;) {
        size_t j = (size_t)(abdb_random_at(seed, i) % (i + 1));
        int32_t other = out[i];

        out[i] = out[j];
        out[j] = other;
    }
}

double abdb_near_sum(const abdb_tensor *out, double terms)
{
    /* Shorter formats sum in f32, and then round the result once. */
    double u = abdb_dtype_unit_roundoff(out->dtype == ABDB_F64 ? ABDB_F64 : ABDB_F32);

    return 8 * u * (sqrt(terms) + 8) + (out->dtype == ABDB_BF16 ? 0x1p-7 : 0);
}

double abdb_magnitude(double of_sums, double out, double sums, double rounded)
{
    return (of_sums * sums + fabs(out) * rounded) / (sums + rounded);
}

double abdb_rounded(const abdb_tensor *out)
{
    return out->dtype == ABDB_BF16 ? abdb_dtype_unit_roundoff(ABDB_BF16) : 0;
}

/* To nearest, ties to even: 0x7FFF, and 1 more where the last bit that stays is odd, carries
 * exactly when the lower half is above the middle, or on it. Rounded so, some NaNs would become
 * infinity or zero: they are cut off instead, with a bit set that keeps them NaN. */
uint16_t abdb_bf16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (isnan(value)) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float abdb_bf16_value(uint16_t bits)
{
    uint32_t whole = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &whole, sizeof value);
    return value;
}

double abdb_tensor_get(const abdb_tensor *t, size_t element)
{
    switch (t->dtype) {
    case ABDB_F64: return ((const double *)t->data)[element];
    case ABDB_F32: return (double)((const float *)t->data)[element];
    case ABDB_BF16: return (double)abdb_bf16_value(((const uint16_t *)t->data)[element]);
    case ABDB_I8: return ((const int8_t *)t->data)[element];
    default: return ((const int32_t *)t->data)[element];
    }
}

void abdb_tensor_set(const abdb_tensor *t, size_t element, double value)
{
    switch (t->dtype) {
    case ABDB_F64: ((double *)t->data)[element] = value; break;
    case ABDB_F32: ((float *)t->data)[element] = (float)value; break;
    case ABDB_BF16: ((uint16_t *)t->data)[element] = abdb_bf16((float)value); break;
    case ABDB_I8: ((int8_t *)t->data)[element] = (int8_t)lrint(value); break;
    default: ((int32_t *)t->data)[element] = (int32_t)lrint(value);
    }
}

double abdb_beyond_caches(const abdb_limits *limits, int arrays)
{
    return fmax(4.0 * (double)limits->last, 1.25 * (double)limits->claimed / arrays);
}

double abdb_problem_bytes(const abdb_problem *p)
{
    double bytes = 0;

    for (int i = 0; i < p->tensors; i++)
        bytes +=
            (double)abdb_tensor_count(&p->tensor[i]) * (double)abdb_dtype_size(p->tensor[i].dtype);
    return bytes;
}

double abdb_problem_elements(const abdb_problem *p)
{
    double elements = 0;

    for (int i = 0; i < p->tensors; i++) elements += (double)abdb_tensor_count(&p->tensor[i]);
    return elements;
}

double abdb_bound_exact(const abdb_problem *p, int tensor)
{
    (void)p;
    (void)tensor;
    return 0;
}

void abdb_row_range(const size_t *row, size_t n, size_t *low, size_t *high)
{
    *low = *high = row[0];
    for (size_t i = 1; i < n; i++) {
        *low = row[i] < *low ? row[i] : *low;
        *high = row[i] > *high ? row[i] : *high;
    }
}

const char *abdb_bound_operations(const abdb_problem *p)
{
    (void)p;
    return "operations";
}

const char *abdb_bound_bytes(const abdb_problem *p)
{
    (void)p;
    return "bytes";
}

const char *abdb_bound_work(double ops, double elements)
{
    return ops < balance_least * elements ? "bytes" : "operations";
}

const char *abdb_peak_of(abdb_dtype dtype)
{
    return dtype == ABDB_I8 || dtype == ABDB_I32 ? "peak_ops" : "peak_flops";
}

size_t abdb_tensor_count(const abdb_tensor *t)
{
    size_t count = 1;

    for (int i = 0; i < t->rank; i++) count *= t->dim[i];
    return count;
}
