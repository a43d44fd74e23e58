/* edges.c - sizes and values at the edges of kernels; see edges.h. */
#include "kernels/micro/edges.h"

#include <math.h>
#include <string.h>

const char *const
    abdb_gemm_edge_sizes[] = {"m=1 n=1 k=1",     "m=1 n=65 k=3",    "m=33 n=1 k=17",
                              "m=7 n=15 k=65",   "m=5 n=16 k=64",   "m=49 n=129 k=257",
                              "m=24 n=48 k=513", "m=9 n=33 k=1100", NULL},
    *const abdb_stream_edge_sizes[] = {"n=1 repeat=1",
                                       "n=2 repeat=1",
                                       "n=15 repeat=1",
                                       "n=16 repeat=1",
                                       "n=17 repeat=1",
                                       "n=257 repeat=1",
                                       NULL},
    *const abdb_elementwise_edge_sizes[] = {"rows=9 columns=1",
                                            "rows=9 columns=2",
                                            "rows=9 columns=15",
                                            "rows=9 columns=16",
                                            "rows=9 columns=34",
                                            "rows=19 columns=130",
                                            NULL},
    *const abdb_attention_edge_sizes[] = {"batch=1 queries=1 keys=1",
                                          "batch=1 queries=1 keys=63",
                                          "batch=1 queries=2 keys=64",
                                          "batch=2 queries=3 keys=65",
                                          "batch=1 queries=33 keys=129",
                                          "batch=1 queries=65 keys=65",
                                          NULL},
    *const abdb_paged_edge_sizes[] = {"batch=7 sequence=40 block=16", "batch=7 sequence=5 block=1",
                                      "batch=7 sequence=129", NULL},
    *const abdb_linear_edge_sizes[] = {"m=1 n=1 k=1",     "m=1 n=32 k=64",   "m=5 n=33 k=96",
                                       "m=17 n=65 k=132", "m=33 n=64 k=192", NULL},
    *const abdb_embedding_edge_sizes[] = {"tables=1 rows=1 lookups=1 batch=1 bytes=4",
                                          "tables=2 rows=3 lookups=2 batch=3 bytes=60",
                                          "tables=2 rows=5 lookups=15 batch=2 bytes=64",
                                          "tables=3 rows=5 lookups=17 batch=5 bytes=132", NULL},
    *const abdb_gather_edge_sizes[] = {"rows=1 bytes=4", "rows=5 bytes=60", "rows=33 bytes=64",
                                       "rows=65 bytes=132", NULL},
    *const abdb_fma_edge_sizes[] = {"width=1 n=1", "width=15 n=2", "width=16 n=3", "width=33 n=17",
                                    NULL},
    *const abdb_gups_edge_sizes[] = {"words=1 parts=1 updates=1", "words=2 parts=1 updates=5",
                                     NULL},
    *const abdb_latency_edge_sizes[] = {"bytes=128 hops=1", "bytes=192 hops=3", NULL},
    *const abdb_block_edge_sizes[] = {"batch=1 sequence=1 d=32 heads=1",
                                      "batch=2 sequence=33 d=64 heads=2", NULL};

/* Is this the seed of every other try? */
static bool is_other_seed(uint64_t seed)
{
    return seed % 2 != 0;
}

/* The least number above 0 of f32 and f64. */
static double least_denormal(abdb_dtype dtype)
{
    return dtype == ABDB_F64 ? 0x1p-1074 : 0x1p-149;
}

/* --- products --------------------------------------------------------------------------------- */

static void set_a_element(const abdb_problem *p, const abdb_gemm *g, size_t i, size_t k,
                          double value)
{
    abdb_tensor_set_rounded(&p->tensor[0], g->ta ? k * g->m + i : i * g->k + k, value);
}

/* -128, and -127 at one depth: each sum is odd, and of more than 1024 terms above 2^24, so that who
 * adds up in f32 rounds it. */
static void put_largest_bytes(const abdb_problem *p, const abdb_gemm *g, size_t deep)
{
    for (int t = 0; t < 2; t++)
        memset(p->tensor[t].data, INT8_MIN, abdb_tensor_element_count(&p->tensor[t]));
    for (size_t i = 0; i < g->m; i++) set_a_element(p, g, i, deep, -127);
    for (size_t j = 0; j < g->n; j++)
        abdb_tensor_set_rounded(&p->tensor[1], g->tb ? j * g->k + deep : deep * g->n + j, -127);
}

void abdb_gemm_put_edge_values(const abdb_problem *p, const abdb_gemm *g, uint64_t seed)
{
    abdb_dtype dtype = p->tensor[0].dtype;
    size_t deep = abdb_random_bits_at(seed, 0) % g->k;

    for (int t = 0; t < p->tensors && g->act && g->m * g->n == 1; t++) /* a ReLU leaves them */
        for (size_t i = 0;
             p->tensor[t].role != ABDB_OUT && i < abdb_tensor_element_count(&p->tensor[t]); i++)
            abdb_tensor_set_rounded(&p->tensor[t], i,
                                    1 + fabs(abdb_tensor_get_f64(&p->tensor[t], i)) / 2);
    if (dtype == ABDB_I8) {
        if (is_other_seed(seed)) put_largest_bytes(p, g, deep);
        return;
    }
    if (dtype != ABDB_F64 && dtype != ABDB_F32 && dtype != ABDB_BF16 && dtype != ABDB_F16) return;
    if (g->m < 4 || g->act == ABDB_ACT_RELU) return;
    set_a_element(p, g, 1, deep, NAN);
    if (g->act || g->bf16x3) return; /* infinity less infinity is the rest of infinity */
    set_a_element(p, g, 3, deep, INFINITY);
    if (g->beta || g->bias || (dtype != ABDB_F64 && dtype != ABDB_F32)) return;
    abdb_fill_nonzero_integers(&p->tensor[1], seed, 4);
    for (size_t k = 0; k < g->k; k++)
        set_a_element(p, g, 2, k,
                      least_denormal(dtype) * abdb_random_nonzero_integer(seed + 1, k, 64));
}

/* One row of C, of the first matrix, whose elements are one product each, of an odd number of
 * bits_a bits in A and one of bits_b in B: a product that drops or splits bits rounds it otherwise.
 * Other rows of A are 0 where that row of B is used. */
static void put_row_of_full_precision(const abdb_problem *p, const abdb_gemm *g, uint64_t seed,
                                      int bits_a, int bits_b)
{
    size_t row = abdb_random_bits_at(seed, 0) % g->m, deep = abdb_random_bits_at(seed, 1) % g->k;

    for (size_t k = 0; k < g->k; k++) set_a_element(p, g, row, k, 0);
    for (size_t i = 0; i < g->m; i++)
        set_a_element(p, g, i, deep, i == row ? abdb_random_odd_integer(seed, 2, bits_a) : 0);
    for (size_t j = 0; j < g->n; j++)
        abdb_tensor_set_rounded(&p->tensor[1], g->tb ? j * g->k + deep : deep * g->n + j,
                                abdb_random_odd_integer(seed, j + 3, bits_b));
}

void abdb_gemm_put_full_precision_rows(const abdb_problem *p, const abdb_gemm *g, uint64_t seed)
{
    abdb_dtype dtype = p->tensor[0].dtype;
    bool plain = !g->beta && !g->bias && g->act <= ABDB_ACT_RELU;
    int all = dtype == ABDB_F64 ? 53 : 24, few = !plain ? 1 : dtype == ABDB_F64 ? 11 : 24;

    if (g->m < 8 || g->k < 8 || g->bf16x3 || (dtype != ABDB_F32 && dtype != ABDB_F64)) return;
    put_row_of_full_precision(p, g, seed, all, few);
    if (few < all) put_row_of_full_precision(p, g, seed + 1, few, all);
}

bool abdb_gemm_put_exact_positive_values(const abdb_problem *p, const abdb_gemm *g, uint64_t seed)
{
    double most = fmin(64, sqrt(0x1p22 / ((double)g->k + 2)));

    if (p->tensor[0].dtype != ABDB_F32 || g->k < 8 || most < 16) return false;
    for (int t = 0; t < p->tensors; t++)
        if (p->tensor[t].role != ABDB_OUT)
            abdb_fill_nonzero_integers(&p->tensor[t], 2 * seed + (uint64_t)t, (int)most - 8);
    for (int t = 0; t < p->tensors; t++)
        for (size_t i = 0;
             p->tensor[t].role != ABDB_OUT && i < abdb_tensor_element_count(&p->tensor[t]); i++)
            abdb_tensor_set_rounded(&p->tensor[t], i,
                                    8 + fabs(abdb_tensor_get_f64(&p->tensor[t], i)));
    abdb_gemm_put_full_precision_rows(p, g, 2 * seed + 500);
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < abdb_tensor_element_count(&p->tensor[t]); i++)
            abdb_tensor_set_rounded(&p->tensor[t], i, fabs(abdb_tensor_get_f64(&p->tensor[t], i)));
    return true;
}

void abdb_linear_put_edge_values(const abdb_problem *p, uint64_t seed)
{
    for (int t = 0; t < 2 && is_other_seed(seed); t++)
        if (p->tensor[t].dtype == ABDB_I8) /* i4 is -8 in each half of a byte of 0 */
            memset(p->tensor[t].data,
                   abdb_param_text_equals(p, "weights", "i4") && t == 1 ? 0 : INT8_MIN,
                   abdb_tensor_element_count(&p->tensor[t]));
}

void abdb_fma_put_edge_values(const abdb_problem *p, uint64_t seed)
{
    (void)seed;
    if (p->tensor[0].dtype != ABDB_I8) return;
    memset(p->tensor[0].data, INT8_MAX, p->tensor[0].dim[0]);
    memset(p->tensor[1].data, INT8_MIN, p->tensor[1].dim[0]);
}

/* --- moves ------------------------------------------------------------------------------------ */

void abdb_stream_put_edge_values(const abdb_problem *p, uint64_t seed)
{
    const abdb_tensor *x = &p->tensor[0];
    bool copy = abdb_param_text_equals(p, "op", "copy");
    const double values[] = {NAN, INFINITY, -INFINITY, -0.0, copy ? least_denormal(x->dtype) : 0};

    (void)seed;
    if (p->tensor[2].dim[0] == 1 || abdb_param_text_equals(p, "op", "write")) return;
    for (size_t i = 0; i < x->dim[0]; i += 3) abdb_tensor_set_rounded(x, i, values[i / 3 % 5]);
}

void abdb_gather_put_edge_values(const abdb_problem *p, uint64_t seed)
{
    uint32_t *word = p->tensor[0].data;

    for (size_t i = 0; i < abdb_tensor_element_count(&p->tensor[0]); i++)
        word[i] = (uint32_t)abdb_random_bits_at(seed + 1, i);
}

void abdb_embedding_put_edge_values(const abdb_problem *p, uint64_t seed)
{
    int32_t *index = p->tensor[1].data, rows = (int32_t)abdb_param_number(p, "rows", 1);

    for (size_t i = 0; i < abdb_tensor_element_count(&p->tensor[1]) && is_other_seed(seed); i++)
        index[i] = abdb_random_bits_at(seed, i) % 2 ? rows - 1 : 0;
}

/* --- rows of a network ------------------------------------------------------------------------ */

static void set_row(const abdb_tensor *t, size_t row, size_t first, size_t step, double value)
{
    for (size_t j = first; row < t->dim[0] && j < t->dim[1]; j += step)
        abdb_tensor_set_rounded(t, row * t->dim[1] + j, value);
}

/* Of parameters of 0, whose step is seen to the last digit: gradients and moments of 0, of about
 * epsilon (1e-8), and a second moment that alone is 0. */
static void put_small_second_moments(const abdb_problem *p)
{
    static const double values[][3] = {
        {0, 0, 0}, {1e-9, 2e-9, 0}, {0, 1e-8, 1e-16}, {-1e-8, 3e-9, 1e-18}};

    for (size_t i = 0; i < abdb_tensor_element_count(&p->tensor[0]); i++) {
        if (i % 5 == 4) continue;
        abdb_tensor_set_rounded(&p->tensor[0], i, 0);
        for (int t = 0; t < 3; t++) abdb_tensor_set_rounded(&p->tensor[t + 1], i, values[i % 5][t]);
    }
}

void abdb_elementwise_put_edge_values(const abdb_problem *p, uint64_t seed)
{
    const abdb_tensor *x = &p->tensor[0];
    bool softmax = !abdb_param_text(p, "op") || abdb_param_text_equals(p, "op", "softmax") ||
                   abdb_param_text_equals(p, "op", "cross-entropy"),
         activation =
             abdb_param_text_equals(p, "op", "gelu") || abdb_param_text_equals(p, "op", "silu");
    size_t any = abdb_random_bits_at(seed, 0) % x->dim[1];

    if (abdb_param_text_equals(p, "op", "adamw")) {
        put_small_second_moments(p);
        return;
    }
    set_row(x, 1, any, x->dim[1], NAN);
    if (softmax) set_row(x, 2, 1, 2, -INFINITY);
    if (activation) set_row(x, 2, any, x->dim[1], INFINITY);
    set_row(x, 3, 0, 1, 0.375);
    set_row(x, 4, 0, 1, 0);
    if (activation && x->dtype == ABDB_F32) set_row(x, 5, 0, 1, 6 * least_denormal(ABDB_F32));
    if (activation) set_row(x, 6, 0, 2, -100);
    if (activation) set_row(x, 6, 1, 2, 100);
}
