/* attention.c - attention over heads, O = softmax(Q K^T / sqrt(d)) V, and its gradients:
 *
 *   pass=forward    Q, K, V to O and L, the logarithm of each row's sum of exponentials
 *   pass=backward   Q, K, V, O, dO and L to dQ, dK, dV; the scores are computed again from L
 *
 * Q, O: batch x heads x queries rows of d; K, V: batch x kv_heads x keys rows; a group of heads
 * shares keys and values (Ainslie et al. 2023). causal=yes: query i sees the keys up to i + keys -
 * queries. algorithm=plain keeps the whole matrix of scores, flash a block of it (Dao et al. 2022).
 *
 * Work: 4 d operations for each query and visible key (the causal half counts visible keys only),
 * 10 d backward (with recomputation); bytes of all tensors once.
 * To reveal mistakes, each query points at one key, its last, its first or any, which then has more
 * weight than all others, and equally at the first hidden key. Forward the scores of every other
 * query are far below 0, so that a score of 0 by mistake outweighs them. Backward O and L are
 * inputs like others: L is near forward's result, so that probabilities are realistic.
 *
 * Bound: (keys + queries + d + 64) 2^-24 of the sums of magnitudes, where an error of a score
 * counts as often as the score is large; and 2 u of bf16 and f16, whose probabilities are rounded
 * before they are multiplied and whose results are (backward 4 u: gradients too), of the sums of
 * magnitudes alone, u being 2^-8 and 2^-11. A probability below the least normal number, 2^-14 of
 * f16, counts as that, and so does a result. Scores of theirs that algorithm=plain keeps may be
 * rounded too. L: (d + 8) 2^-24 of a score's magnitudes, keys 2^-24 and 8 2^-24 |L|. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"
#include "kernels/micro/exact_attention.h"

/* Tensors forward: Q K V O L; backward: Q K V O dO L dQ dK dV, where O and L are inputs. */
enum { Q, K, V, O, L, OUT = 3, D_OUT = 4, L_IN = 5, DQ = 6, DK, DV };

typedef struct {
    size_t batch, heads, kv_heads, queries, keys, d;
    int causal, backward, plain;
} attention_sizes;

/* The sizes in the parameters, with defaults: queries and keys are `sequence`,
 * kv_heads is heads. heads is a multiple of kv_heads; of causal attention keys >= queries. */
static abdb_status attention_parse_params(abdb_problem *p, attention_sizes *s, abdb_error *err)
{
    static const char *const no_yes[] = {"no", "yes", NULL},
                             *const passes[] = {"forward", "backward", NULL},
                             *const algorithms[] = {"flash", "plain", NULL};
    double sequence = abdb_param_number(p, "sequence", 1024);
    abdb_status st = ABDB_OK;

    TRY(abdb_param_choice_index_or_first(p, "causal", no_yes, &s->causal, err));
    TRY(abdb_param_choice_index_or_first(p, "pass", passes, &s->backward, err));
    TRY(abdb_param_choice_index_or_first(p, "algorithm", algorithms, &s->plain, err));
    TRY(abdb_param_parse_size_and_store_default(p, "batch", 1, 1e6, &s->batch, err));
    TRY(abdb_param_parse_size_and_store_default(p, "heads", 8, 1e4, &s->heads, err));
    TRY(abdb_param_parse_size_and_store_default(p, "kv_heads", (double)s->heads, 1e4, &s->kv_heads,
                                                err));
    TRY(abdb_param_parse_size_and_store_default(p, "queries", sequence, 1e7, &s->queries, err));
    TRY(abdb_param_parse_size_and_store_default(p, "keys", sequence, 1e7, &s->keys, err));
    TRY(abdb_param_parse_size_and_store_default(p, "d", 64, 1024, &s->d, err));
    if (s->heads % s->kv_heads)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "attention: heads is no multiple of kv_heads"));
    if (s->causal && s->keys < s->queries)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "attention: causal=yes wants at least as many keys as queries"));
done:
    return st;
}

/* The sizes of a problem that has its shape. */
static attention_sizes attention_sizes_of_problem(const abdb_problem *p)
{
    abdb_problem copy = *p;
    abdb_error err;
    attention_sizes s = {0};

    (void)!attention_parse_params(&copy, &s, &err);
    return s;
}

/* Inputs Q, K, V, outputs O and L (log-sums); backward has inputs Q, K, V, O, dO, L and outputs
 * dQ, dK, dV. Rows of Q, O, L: batch, head, query; rows of K, V: batch, kv_head, key; columns: d,
 * of L one. */
static abdb_status attention_parse_params_and_setup_tensors(abdb_problem *p,
                                                            const abdb_machine_caches *limits,
                                                            abdb_error *err)
{
    size_t q, k;
    attention_sizes s;
    abdb_dtype dtype;
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(attention_parse_params(p, &s, err));
    TRY(abdb_param_parse_allowed_dtype(p, ABDB_F32, ABDB_NETWORK_DTYPES, &dtype, err));
    q = s.batch * s.heads * s.queries;
    k = s.batch * s.kv_heads * s.keys;
    p->tensors = s.backward ? 9 : 5;
    for (int i = 0; i < p->tensors; i++) {
        /* A gradient has the shape of its tensor; L has one number a query. */
        bool keys = i == K || i == V || i == DK || i == DV, one = i == (s.backward ? L_IN : L);
        bool out = i >= (s.backward ? DQ : O);

        p->tensor[i] = abdb_tensor_contiguous(one ? ABDB_F32 : dtype, out ? ABDB_OUT : ABDB_IN,
                                              keys ? k : q, one ? 1 : s.d, 0, 0);
    }
done:
    return st;
}

/* How many keys a query sees, from the first on: of a causal head the last query sees all. */
static size_t visible_key_count(const attention_sizes *s, size_t query)
{
    return s->causal ? query + 1 + s->keys - s->queries : s->keys;
}

/* First row of K that a row of Q looks at. */
static size_t first_key_row_of_query_row(const attention_sizes *s, size_t query_row)
{
    size_t head = query_row / s->queries;

    return (head / s->heads * s->kv_heads + head % s->heads / (s->heads / s->kv_heads)) * s->keys;
}

/* Which of the n keys that it sees a row of Q looks for: the last, the first or any. */
static size_t choose_last_first_or_random_key(size_t query_row, size_t visible_keys, uint64_t seed)
{
    uint64_t any = abdb_random_bits_at(seed, query_row);

    return any >> 62 == 0 ? visible_keys - 1 : any >> 62 == 1 ? 0 : (size_t)(any % visible_keys);
}

/* q = a (target key + hidden key) + q / 4. Elements of keys are uniform in [-1, 1], so key . key is
 * about d / 3, and a = 3 (log n + 1) / sqrt(d) makes the scores of the two keys about log(n) + 1:
 * each weighs e times as much as the n others together. */
static void aim_query_at_target_and_hidden_key(const abdb_problem *p, const attention_sizes *s,
                                               size_t query_row, uint64_t seed)
{
    size_t first = first_key_row_of_query_row(s, query_row),
           n = visible_key_count(s, query_row % s->queries),
           at = choose_last_first_or_random_key(query_row, n, seed);
    double a = 3 * (log((double)n) + 1) / sqrt((double)s->d);

    for (size_t i = 0; i < s->d; i++) {
        double key = abdb_tensor_get_f64(&p->tensor[K], (first + at) * s->d + i),
               hidden =
                   n < s->keys ? abdb_tensor_get_f64(&p->tensor[K], (first + n) * s->d + i) : 0,
               own = abdb_tensor_get_f64(&p->tensor[Q], query_row * s->d + i);

        abdb_tensor_set_rounded(&p->tensor[Q], query_row * s->d + i, a * (key + hidden) + own / 4);
    }
}

/* Lowers all scores of every other query by 12: keys begin with 1, and the query with
 * -12 sqrt(d). */
static void lower_scores_of_even_queries(const abdb_problem *p, const attention_sizes *s)
{
    for (size_t r = 0; r < p->tensor[K].dim[0]; r++)
        abdb_tensor_set_rounded(&p->tensor[K], r * s->d, 1);
    for (size_t r = 0; r < p->tensor[Q].dim[0]; r += 2)
        abdb_tensor_set_rounded(&p->tensor[Q], r * s->d, -12 * sqrt((double)s->d));
}

/* About the logarithm of the sum of a row's exponentials: of the key that it looks for as it is, of
 * the others as a normal distribution has them. */
static double estimate_log_sum_exp_of_aimed_query(const abdb_problem *p, const attention_sizes *s,
                                                  size_t query_row, uint64_t seed)
{
    size_t first = first_key_row_of_query_row(s, query_row),
           n = visible_key_count(s, query_row % s->queries),
           at = choose_last_first_or_random_key(query_row, n, seed);
    double score = 0, square = 0;

    for (size_t i = 0; i < s->d; i++) {
        double q = abdb_tensor_get_f64(&p->tensor[Q], query_row * s->d + i);

        score +=
            q * abdb_tensor_get_f64(&p->tensor[K], (first + at) * s->d + i) / sqrt((double)s->d);
        square += q * q / (3 * (double)s->d);
    }
    return log(exp(score) + (double)n * exp(square / 2));
}

/* Aims each query at one key, so that a wrong or missing key shows. Forward: lowers the scores
 * of even queries; backward: log-sums that fit the scores, and outputs half as large. */
static void attention_prepare_inputs_with_aimed_queries(const abdb_problem *p, uint64_t seed)
{
    attention_sizes s = attention_sizes_of_problem(p);
    size_t rows = s.batch * s.heads * s.queries;

    for (size_t r = 0; r < rows; r++) aim_query_at_target_and_hidden_key(p, &s, r, seed);
    if (!s.backward) {
        lower_scores_of_even_queries(p, &s);
        return;
    }
    for (size_t r = 0; r < rows; r++)
        abdb_tensor_set_rounded(&p->tensor[L_IN], r,
                                estimate_log_sum_exp_of_aimed_query(p, &s, r, seed));
    for (size_t i = 0; i < rows * s.d; i++) /* a mean of values is small */
        abdb_tensor_set_rounded(&p->tensor[OUT], i, abdb_tensor_get_f64(&p->tensor[OUT], i) / 2);
}

static void attention_count_work(const abdb_problem *p, abdb_work *out)
{
    attention_sizes s = attention_sizes_of_problem(p);
    double n = (double)s.queries, pairs = n * (double)s.keys - (s.causal ? n * (n - 1) / 2 : 0);

    out->ops = (s.backward ? 10 : 4) * (double)s.d * (double)(s.batch * s.heads) * pairs;
    out->bytes = abdb_problem_tensor_bytes(p);
}

/* The error bound of sums, relative to magnitudes; the next function bounds the rounding of numbers
 * before the last product and of the result. */
static double attention_sum_error_bound(const attention_sizes *s)
{
    return (double)(s->keys + s->queries + s->d + 64) * 0x1p-24;
}

static double attention_rounding_bound(const abdb_problem *p, const attention_sizes *s, int tensor)
{
    return abdb_output_roundoff_or_0_if_accumulator(&p->tensor[tensor]) * (s->backward ? 4 : 2);
}

/* How much an error of a score of that magnitude counts for, where the magnitude itself is 1. */
static double score_error_weight(const abdb_problem *p, const attention_sizes *s, int tensor,
                                 double score_magnitude)
{
    double each = s->plain ? attention_sum_error_bound(s) +
                                 abdb_output_roundoff_or_0_if_accumulator(&p->tensor[tensor])
                           : attention_sum_error_bound(s);

    return score_magnitude * each /
           (attention_sum_error_bound(s) + attention_rounding_bound(p, s, tensor));
}

/* The magnitude of a probability for its rounding error: at least the least normal number. */
static double probability_or_least_normal(const abdb_problem *p, int tensor, double probability)
{
    return abdb_output_roundoff_or_0_if_accumulator(&p->tensor[tensor]) > 0
               ? fmax(probability, abdb_dtype_least_normal(p->tensor[tensor].dtype))
               : probability;
}

/* --- the reference ---------------------------------------------------------------------------- */

/* The sum of a row of one tensor times a row of another, and of the magnitudes. */
static double dot_rows_with_magnitude(const abdb_problem *p, const attention_sizes *s, int tensor_a,
                                      size_t row_a, int tensor_b, size_t row_b, double *magnitude)
{
    double sum = 0;

    *magnitude = 0;
    for (size_t i = 0; i < s->d; i++) {
        double term = abdb_tensor_get_f64(&p->tensor[tensor_a], row_a * s->d + i) *
                      abdb_tensor_get_f64(&p->tensor[tensor_b], row_b * s->d + i);

        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

/* One row of O or L in double: s[j] = q . k[j] / sqrt(d) of the keys that the query sees, O =
 * sum of softmax(s)[j] v[j], L = log of the sum of exp(s[j]). NAN where memory is missing. */
static void attention_reference_output_or_logsum_row(const abdb_problem *p,
                                                     const attention_sizes *s, int tensor,
                                                     size_t row, double *out, double *magnitude)
{
    size_t first = first_key_row_of_query_row(s, row), n = visible_key_count(s, row % s->queries);
    double *score = malloc(n * sizeof *score), most = -INFINITY, sum = 0, size = 0, scale;

    for (size_t i = 0; i < (tensor == L ? 1 : s->d); i++) out[i] = magnitude[i] = NAN;
    if (!score) return; /* without memory nothing passes */
    scale = 1 / sqrt((double)s->d);
    for (size_t j = 0; j < n; j++) {
        double terms;

        score[j] = scale * dot_rows_with_magnitude(p, s, Q, row, K, first + j, &terms);
        size = fmax(size, scale * terms);
        most = fmax(most, score[j]);
    }
    for (size_t j = 0; j < n; j++) sum += score[j] = exp(score[j] - most);
    for (size_t i = 0; tensor == O && i < s->d; i++) {
        out[i] = 0;
        magnitude[i] = abdb_dtype_least_normal(p->tensor[tensor].dtype);
        for (size_t j = 0; j < n; j++) {
            double v = abdb_tensor_get_f64(&p->tensor[V], (first + j) * s->d + i),
                   by = score[j] / sum;

            out[i] += by * v;
            magnitude[i] += fabs(v) * probability_or_least_normal(p, tensor, by) *
                            (1 + score_error_weight(p, s, tensor, size));
        }
    }
    if (tensor == L) {
        out[0] = most + log(sum);
        magnitude[0] = (((double)s->d + 8) * size + (double)n + 8 * (fabs(most) + log(sum) + 1)) *
                       0x1p-24 / attention_sum_error_bound(s);
    }
    free(score);
}

/* Adds the share of one query and one key to a row of dQ, dK or dV. */
static void add_query_key_gradient(const abdb_problem *p, const attention_sizes *s, int tensor,
                                   size_t query, size_t key, double *out, double *magnitude)
{
    double scale = 1 / sqrt((double)s->d), terms, by_value, by_out;
    double probability = exp(scale * dot_rows_with_magnitude(p, s, Q, query, K, key, &terms) -
                             abdb_tensor_get_f64(&p->tensor[L_IN], query));
    double dscore = dot_rows_with_magnitude(p, s, D_OUT, query, V, key, &by_value);
    int other = tensor == DQ ? K : tensor == DK ? Q : D_OUT;
    double factor, size;

    dscore -= dot_rows_with_magnitude(p, s, D_OUT, query, OUT, query, &by_out);
    factor = tensor == DV ? probability : scale * probability * dscore;
    size = probability_or_least_normal(p, tensor, probability) *
           (1 + score_error_weight(p, s, tensor, scale * terms)) *
           (tensor == DV ? 1 : scale * (by_value + by_out));
    for (size_t i = 0; i < s->d; i++) {
        double x = abdb_tensor_get_f64(&p->tensor[other], (tensor == DQ ? key : query) * s->d + i);

        out[i] += factor * x;
        magnitude[i] += size * fabs(x);
    }
}

/* One row of dQ, dK or dV in double: the sum of the shares of all pairs of a query and a visible
 * key. A row of dK or dV has the queries of all heads that share its key. */
static void attention_reference_gradient_row(const abdb_problem *p, const attention_sizes *s,
                                             int tensor, size_t row, double *out, double *magnitude)
{
    size_t group = s->heads / s->kv_heads, head = row / s->keys;

    for (size_t i = 0; i < s->d; i++) {
        out[i] = 0;
        magnitude[i] = abdb_dtype_least_normal(p->tensor[tensor].dtype);
    }
    if (tensor == DQ) {
        size_t first = first_key_row_of_query_row(s, row);

        for (size_t j = 0; j < visible_key_count(s, row % s->queries); j++)
            add_query_key_gradient(p, s, tensor, row, first + j, out, magnitude);
        return;
    }
    for (size_t g = 0; g < group; g++) {
        size_t first =
            (head / s->kv_heads * s->heads + head % s->kv_heads * group + g) * s->queries;

        for (size_t i = 0; i < s->queries; i++)
            if (row % s->keys < visible_key_count(s, i))
                add_query_key_gradient(p, s, tensor, first + i, row, out, magnitude);
    }
}

/* See exact_attention.h; of f32, whose emulation by shorter formats it is to show. */
static bool attention_make_exact_inputs(const abdb_problem *p, uint64_t seed)
{
    attention_sizes s = attention_sizes_of_problem(p);
    const abdb_tensor *t = p->tensor;

    if (t[Q].dtype != ABDB_F32 || s.d < 2) return false;
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < t[K].dim[0]; row++) {
        const abdb_exact_head h = {seed, row / s.keys, s.keys};

        abdb_exact_attention_put_key(&t[K], row, &h, row % s.keys);
    }
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < t[Q].dim[0]; row++) {
        const abdb_exact_head h = {seed, first_key_row_of_query_row(&s, row) / s.keys, s.keys};

        abdb_exact_attention_put_query(&t[Q], row, &h, visible_key_count(&s, row % s.queries));
    }
    if (s.backward)
        abdb_exact_attention_fill_for_gradients(&t[V], &t[D_OUT], &t[O], &t[L_IN], seed + 4);
    else
        abdb_exact_attention_fill_values(&t[V], seed + 4);
    return true;
}

/* Quick exponentials are right to 20 bits; dK and dV add up the shares of all queries. */
static double attention_exact_error_bound(const abdb_problem *p, int tensor)
{
    attention_sizes s = attention_sizes_of_problem(p);

    if (!s.backward && tensor == L) return INFINITY;
    return (16 + (s.backward ? (double)(s.queries * s.heads / s.kv_heads) : 0)) * 0x1p-24;
}

static void attention_reference_rows(const abdb_problem *p, int tensor, const size_t *row,
                                     size_t count, double *out, double *magnitude)
{
    attention_sizes s = attention_sizes_of_problem(p);
    size_t wide = p->tensor[tensor].dim[1];

    for (size_t r = 0; r < count; r++)
        (s.backward ? attention_reference_gradient_row : attention_reference_output_or_logsum_row)(
            p, &s, tensor, row[r], out + r * wide, magnitude + r * wide);
}

static double attention_error_bound(const abdb_problem *p, int tensor)
{
    attention_sizes s = attention_sizes_of_problem(p);

    return attention_sum_error_bound(&s) + attention_rounding_bound(p, &s, tensor);
}

/* Scores are sums of d terms, some 16 large at most, whose error is that of their exponential. */
static double attention_norm_bound(const abdb_problem *p, int tensor)
{
    attention_sizes s = attention_sizes_of_problem(p);
    const char *algorithm = abdb_param_text(p, "algorithm");
    double scores = 16 * 8 * 0x1p-24 * (sqrt((double)s.d) + 8);

    if (algorithm && strcmp(algorithm, "plain") == 0)
        scores += 16 * abdb_output_roundoff_or_0_if_accumulator(&p->tensor[tensor]);
    return (s.backward ? 2 : 1) *
           (scores + abdb_sum_norm_bound(&p->tensor[tensor], (double)(s.keys + s.queries)));
}

/* Bytes where few queries share keys and values: one new token of up to 8 heads a kv_head. */
static const char *attention_bottleneck(const abdb_problem *p)
{
    abdb_work w;

    attention_count_work(p, &w);
    return abdb_bottleneck_by_ops_per_element(w.ops, abdb_problem_tensor_elements(p));
}

const abdb_kernel abdb_kernel_attention = {
    .name = "attention",
    .summary =
        "attention, forward and backward: plain or in blocks (flash), causal, grouped queries",
    .formula = "attention@1",
    .parameters = "pass=forward|backward  algorithm=flash|plain  batch=1  heads=8  kv_heads=heads  "
                  "sequence=1024 "
                  "(or queries, keys)  d=64  causal=no|yes  dtype=f32|bf16|f16",
    .names = "pass algorithm batch heads kv_heads sequence queries keys d causal",
    .setup_tensors = attention_parse_params_and_setup_tensors,
    .count_work = attention_count_work,
    .reference_rows = attention_reference_rows,
    .error_bound = attention_error_bound,
    .norm_bound = attention_norm_bound,
    .prepare_inputs = attention_prepare_inputs_with_aimed_queries,
    .pilot_sizes = "batch=1 heads=1 kv_heads=1 queries=512 keys=512",
    .bottleneck = attention_bottleneck,
    .make_exact_inputs = attention_make_exact_inputs,
    .exact_error_bound = attention_exact_error_bound,
    .edge_sizes = abdb_attention_edge_sizes,
};
