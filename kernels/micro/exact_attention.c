/* exact_attention.c - scores of 0 and of what is far below, out of pairs of columns; see
 * exact_attention.h. Of an even pair keys have numbers of all bits, of an odd one queries. */
#include "kernels/micro/exact_attention.h"

#include <math.h>

/* GAP: between the numbers of a pair; SMALL: what those of V and dO are multiplied by. */
enum { ALL_BITS = 24, GAP = 16, SMALL = 4 };
static const double far_below = 222; /* e^-222 is no number of f32 */

static double odd_number_of_all_bits(uint64_t seed, uint64_t i)
{
    return fabs(abdb_random_odd_integer(seed, i, ALL_BITS));
}

/* A power of 2 that makes a score of GAP far below 0. */
static double factor_of_scores(size_t d)
{
    return exp2(ceil(log2(far_below * sqrt((double)d) / GAP)));
}

/* The key that pair `pair` of columns is 0 for; of the first pair the first key, which all see. */
static size_t key_of_pair(const abdb_exact_head *h, size_t pair)
{
    return pair ? abdb_random_bits_at(h->seed + 1 + h->head, pair) % h->keys : 0;
}

static void put_pair(const abdb_tensor *t, size_t row, size_t pair, double one, double other)
{
    size_t at = row * t->dim[1] + 2 * pair;

    abdb_tensor_set_rounded(t, at, one);
    abdb_tensor_set_rounded(t, at + 1, other);
}

/* A pair whose sum is -GAP. */
static void put_pair_of_all_bits(const abdb_tensor *t, size_t row, size_t pair, uint64_t seed)
{
    double x = odd_number_of_all_bits(seed, row * t->dim[1] + pair);

    put_pair(t, row, pair, x, -x - GAP);
}

static void clear_row(const abdb_tensor *t, size_t row)
{
    for (size_t i = 0; i < t->dim[1]; i++) abdb_tensor_set_rounded(t, row * t->dim[1] + i, 0);
}

void abdb_exact_attention_put_key(const abdb_tensor *k, size_t row, const abdb_exact_head *h,
                                  size_t key)
{
    double factor = factor_of_scores(k->dim[1]);

    clear_row(k, row);
    for (size_t pair = 0; pair < k->dim[1] / 2; pair++) {
        bool found = key_of_pair(h, pair) == key;
        double x = odd_number_of_all_bits(h->seed, row * k->dim[1] + pair);

        if (pair % 2 == 0)
            put_pair(k, row, pair, x, found ? -x : -x - GAP);
        else
            put_pair(k, row, pair, found ? 0 : factor, found ? 0 : factor);
    }
}

void abdb_exact_attention_put_query(const abdb_tensor *q, size_t row, const abdb_exact_head *h,
                                    size_t visible)
{
    double factor = factor_of_scores(q->dim[1]);
    size_t pair = abdb_random_bits_at(h->seed + 2, row) % (q->dim[1] / 2);

    if (key_of_pair(h, pair) >= visible) pair = 0;
    clear_row(q, row);
    if (pair % 2 == 0)
        put_pair(q, row, pair, factor, factor);
    else
        put_pair_of_all_bits(q, row, pair, h->seed + 3);
}

void abdb_exact_attention_fill_values(const abdb_tensor *v, uint64_t seed)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < abdb_tensor_element_count(v); i++)
        abdb_tensor_set_rounded(v, i, abdb_random_odd_integer(seed, i, ALL_BITS));
}

void abdb_exact_attention_fill_for_gradients(const abdb_tensor *v, const abdb_tensor *d_out,
                                             const abdb_tensor *o, const abdb_tensor *l,
                                             uint64_t seed)
{
    size_t pairs = v->dim[1] / 2;

    for (size_t row = 0; row < v->dim[0]; row++) {
        clear_row(v, row);
        for (size_t pair = 0; pair < pairs; pair++)
            if (pair % 2 == 0)
                put_pair_of_all_bits(v, row, pair, seed);
            else
                put_pair(v, row, pair, SMALL, SMALL);
    }
    for (size_t row = 0; row < d_out->dim[0]; row++) {
        size_t pair = abdb_random_bits_at(seed + 1, row) % pairs;

        clear_row(d_out, row);
        clear_row(o, row);
        clear_row(l, row);
        if (pair % 2 == 0)
            put_pair(d_out, row, pair, SMALL, SMALL);
        else
            put_pair_of_all_bits(d_out, row, pair, seed + 2);
    }
}
