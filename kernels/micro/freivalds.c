/* freivalds.c - is a matrix the product of two others? Freivalds' check, modulo a prime; see
 * abdb_freivalds_mark_wrong_rows in kernel.h.
 * // With a vector r of random numbers, C r is compared with A (B r): three products with a vector
 * instead of one with a matrix. All is done modulo the prime 2^61 - 1, where nothing rounds and a
 * row that differs anywhere gives another sum but with a probability of 2^-61. */
#include <math.h>
#include <stdlib.h>

#include "kernels/kernel.h"

/* A Mersenne prime: 2^61 is 1 modulo it, so a remainder is the lower 61 bits plus those above. */
static const uint64_t prime = ((uint64_t)1 << 61) - 1;

/* The remainder of any x below 2^64: after the fold it is at most prime + 7, so one subtraction is
 * enough. */
static uint64_t mod_mersenne61(uint64_t x)
{
    x = (x & prime) + (x >> 61);
    return x >= prime ? x - prime : x;
}

static uint64_t multiply_mod_mersenne61(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    /* Of two remainders, below 2^122: both halves are below 2^61, and their sum fits. */
    wide w = (wide)a * b;

    return mod_mersenne61((uint64_t)(w & prime) + (uint64_t)(w >> 61));
}

/* A whole number as a remainder, a negative one counted down from the prime. False: x has a
 * fraction, is NaN, or is so large that doubles no longer hold every whole number. */
static bool exact_integer_to_mersenne61(double x, uint64_t *out)
{
    if (!(fabs(x) < 0x1p53) || x != floor(x)) return false;
    *out = x < 0 ? prime - (uint64_t)-x : (uint64_t)x;
    return true;
}

abdb_status abdb_freivalds_mark_wrong_rows(const abdb_freivalds_product *q, uint64_t seed,
                                           unsigned char *marks, abdb_error *err)
{
    uint64_t *r = calloc(q->columns + q->depth, sizeof *r), *t = r ? r + q->columns : NULL, x;

    if (!r) return ABDB_FAIL(err, ABDB_NOMEM, "a check of a product");
    for (size_t j = 0; j < q->columns; j++) r[j] = mod_mersenne61(abdb_random_bits_at(seed, j));
    /* t = B r. B is an input that `exact` made of whole numbers, so none is left out here. */
    for (size_t k = 0; k < q->depth; k++)
        for (size_t j = 0; j < q->columns; j++)
            if (exact_integer_to_mersenne61(q->b(q->p, q->first_b + k, j), &x))
                t[k] = mod_mersenne61(t[k] + multiply_mod_mersenne61(x, r[j]));
    for (size_t i = 0; i < q->rows; i++) {
        uint64_t is = 0, should = 0;
        bool ok = true;

        for (size_t j = 0; j < q->columns && ok; j++) {
            ok = exact_integer_to_mersenne61(
                abdb_tensor_get_f64(q->c, (q->first_c + i) * q->columns + j), &x);
            if (ok) is = mod_mersenne61(is + multiply_mod_mersenne61(x, r[j]));
        }
        for (size_t k = 0; k < q->depth && ok; k++) {
            ok = exact_integer_to_mersenne61(q->a(q->p, q->first_a + i, k), &x);
            if (ok) should = mod_mersenne61(should + multiply_mod_mersenne61(x, t[k]));
        }
        for (size_t j = 0; q->plus && j < q->columns && ok; j++) {
            ok = exact_integer_to_mersenne61(q->plus(q->p, q->first_c + i, j), &x);
            if (ok) should = mod_mersenne61(should + multiply_mod_mersenne61(x, r[j]));
        }
        if (!ok || is != should) marks[i] = 1;
    }
    free(r);
    return ABDB_OK;
}
