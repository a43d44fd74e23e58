/* product.c - is a matrix the product of two others? Freivalds' check, modulo a prime; see
 * abdb_suspect_product in kernel.h. */
#include <math.h>
#include <stdlib.h>

#include "kernels/kernel.h"

static const uint64_t prime = ((uint64_t)1 << 61) - 1;

static uint64_t reduced(uint64_t x)
{
    x = (x & prime) + (x >> 61);
    return x >= prime ? x - prime : x;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide w = (wide)a * b;

    return reduced((uint64_t)(w & prime) + (uint64_t)(w >> 61));
}

/* A whole number as a remainder; false: it is none. */
static bool whole(double x, uint64_t *out)
{
    if (!(fabs(x) < 0x1p53) || x != floor(x)) return false;
    *out = x < 0 ? prime - (uint64_t)-x : (uint64_t)x;
    return true;
}

abdb_status abdb_suspect_product(const abdb_product *q, uint64_t seed, unsigned char *marks,
                                 abdb_error *err)
{
    uint64_t *r = calloc(q->columns + q->depth, sizeof *r), *t = r ? r + q->columns : NULL, x;

    if (!r) return ABDB_FAIL(err, ABDB_NOMEM, "a check of a product");
    for (size_t j = 0; j < q->columns; j++) r[j] = reduced(abdb_random_at(seed, j));
    for (size_t k = 0; k < q->depth; k++)
        for (size_t j = 0; j < q->columns; j++)
            if (whole(q->b(q->p, q->first_b + k, j), &x)) t[k] = reduced(t[k] + times(x, r[j]));
    for (size_t i = 0; i < q->rows; i++) {
        uint64_t is = 0, should = 0;
        bool ok = true;

        for (size_t j = 0; j < q->columns && ok; j++) {
            ok = whole(abdb_tensor_get(q->c, (q->first_c + i) * q->columns + j), &x);
            if (ok) is = reduced(is + times(x, r[j]));
        }
        for (size_t k = 0; k < q->depth && ok; k++) {
            ok = whole(q->a(q->p, q->first_a + i, k), &x);
            if (ok) should = reduced(should + times(x, t[k]));
        }
        if (!ok || is != should) marks[i] = 1;
    }
    free(r);
    return ABDB_OK;
}
