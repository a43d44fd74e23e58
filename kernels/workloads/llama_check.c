/* llama_check.c - a small network's logits, token by token, against plain loops in double over the
 * whole sequence; see llama_check.h. */
#include "kernels/workloads/llama_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/device_memory.h"
#include "kernels/workloads/llama_reference.h"
#include "kernels/workloads/quantise.h"

enum {
    LAYERS = 2,
    WIDTH = 64,
    HEADS = 4,
    KV_HEADS = 2,
    HEAD = 32,
    HIDDEN = 96,
    VOCABULARY = 83,
    SEQUENCES = 3,
    STEPS = 7,
    LONGEST = 21 + STEPS,
    BLOCK = 4,
    WIDE = (LONGEST + BLOCK - 1) / BLOCK,
    BLOCKS = SEQUENCES * WIDE + 1
};
const char *const abdb_llama_check_at =
    "layers=2 d=64 heads=4 kv_heads=2 hidden=96 vocabulary=83 block=4 batch=3 input=1,6,21 "
    "output=7";
/* Tokens of the first pass and of the second; then one at a time. */
static const size_t pieces[2][SEQUENCES] = {{6, 1, 13}, {1, 1, 8}};

/* What logits may be wrong by, relative to their length: of f64 what angles in f32 make, of f32
 * some ten times what was seen, of bf16 three times (a chain of about 16 products, each with sums
 * rounded to the format). */
static double logits_error_bound(abdb_dtype dtype)
{
    return dtype == ABDB_F64 ? 1e-6 : dtype == ABDB_F32 ? 2e-5 : 8e-2;
}

typedef struct {
    abdb_llama g;
    abdb_llama_f64_weights numbers;
    int32_t token[SEQUENCES][LONGEST + 1];
    size_t length[SEQUENCES];
    double *expected[SEQUENCES]; /* logits of each token */
    double *got;                 /* SEQUENCES x VOCABULARY */
    char *room;                  /* the same, in the format */
    double error;
} llama_verification;

/* A worse error is kept; NaN is the worst. */
static void update_worst_error(llama_verification *c, double error)
{
    if (!(error <= c->error)) c->error = isnan(error) ? INFINITY : error;
}

/* --- weights: is what was stored near what it was made from? ---------------------------------- */

/* Half of a scale, and what rounding adds; of the format of activations its unit roundoff. */
static double allowed_quantisation_error_of_weight(const abdb_llama *g, const float *column,
                                                   size_t k, size_t i)
{
    size_t group = g->s.form == ABDB_WEIGHTS_I4 ? ABDB_QUANTISE_GROUP : k, from = i / group * group;
    double largest = 0;

    if (g->s.form == ABDB_WEIGHTS_SAME)
        return abdb_dtype_unit_roundoff(g->s.dtype) * fabs((double)column[i]);
    for (size_t j = from; j < from + group; j++) largest = fmax(largest, fabs((double)column[j]));
    return largest / (g->s.form == ABDB_WEIGHTS_I4 ? 7 : 127) * (0.5 + 1e-6);
}

/* The k x n matrix as the decoder holds it, in double; a weight further from its source than the
 * form allows makes the error infinite. NULL: no memory. */
static double *dequantise_and_check_matrix(llama_verification *c,
                                           const abdb_llama_weights_source *source,
                                           const abdb_weights *w, size_t layer, int which)
{
    double *out = calloc(w->k * w->n, sizeof *out), most;
    float *column = calloc(w->k, sizeof *column);

    for (size_t j = 0; j < w->n && out && column; j++) {
        source->column(source->self, layer, which, j, column);
        for (size_t i = 0; i < w->k; i++) {
            out[i * w->n + j] = c->g.decoder->dequantise_weight(c->g.self, w, i, j);
            most = allowed_quantisation_error_of_weight(&c->g, column, w->k, i);
            if (!(fabs(out[i * w->n + j] - (double)column[i]) <= most))
                update_worst_error(c, INFINITY);
        }
    }
    free(column);
    if (column) return out;
    free(out);
    return NULL;
}

/* Takes all matrices and gains as the decoder holds them, for the reference, and checks the
 * matrices against their source. */
static abdb_status dequantise_weights_and_check_source(llama_verification *c,
                                                       const abdb_llama_weights_source *source,
                                                       abdb_error *err)
{
    const abdb_llama *g = &c->g;
    size_t count = LAYERS * ABDB_LLAMA_MATRICES, norms = 2 * LAYERS + 1;
    float gains[WIDTH];
    abdb_status st = ABDB_OK;

    c->numbers.matrix = calloc(count, sizeof *c->numbers.matrix);
    c->numbers.gains = calloc(norms * WIDTH, sizeof *c->numbers.gains);
    if (!c->numbers.matrix || !c->numbers.gains) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    for (size_t i = 0; i < count; i++) {
        c->numbers.matrix[i] = dequantise_and_check_matrix(
            c, source, &g->matrix[i], i / ABDB_LLAMA_MATRICES, (int)(i % ABDB_LLAMA_MATRICES));
        if (!c->numbers.matrix[i]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    }
    c->numbers.table = dequantise_and_check_matrix(c, source, &g->matrix[count], LAYERS, 0);
    c->numbers.last =
        dequantise_and_check_matrix(c, source, &g->matrix[count + 1], LAYERS, !g->s.tied);
    if (!c->numbers.table || !c->numbers.last) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    for (size_t i = 0; i < norms; i++) {
        source->gains(source->self, i, gains);
        for (size_t j = 0; j < WIDTH; j++)
            c->numbers.gains[i * WIDTH + j] = abdb_dtype_round_value(g->s.dtype, (double)gains[j]);
    }
done:
    return st;
}

/* --- logits ----------------------------------------------------------------------------------- */

/* Copies logits from the device: rows of c->got. */
static abdb_status download_logits(llama_verification *c, abdb_error *err)
{
    size_t n = SEQUENCES * VOCABULARY;
    abdb_tensor t = {.dtype = c->g.s.dtype, .data = c->room};
    abdb_status st = ABDB_OK;

    TRY(abdb_device_download(c->g.stage, c->room, c->g.logits, n * c->g.size, err));
    for (size_t i = 0; i < n; i++) c->got[i] = abdb_tensor_get_f64(&t, i);
done:
    return st;
}

/* Those of sequence i after its last token; and is what was picked the largest? */
static void update_error_by_logits_and_picked_token(llama_verification *c, size_t sequence)
{
    const double *got = c->got + sequence * VOCABULARY,
                 *expected = c->expected[sequence] + (c->length[sequence] - 1) * VOCABULARY;
    double apart = 0, size = 0, largest = got[0];
    size_t first = 0;

    for (size_t j = 0; j < VOCABULARY; j++) {
        apart += pow(got[j] - expected[j], 2);
        size += pow(expected[j], 2);
        if (got[j] > largest) {
            largest = got[j];
            first = j;
        }
    }
    if (!(size > 0) || (size_t)c->g.picked[sequence] != first) update_worst_error(c, INFINITY);
    update_worst_error(c, sqrt(apart / size) / logits_error_bound(c->g.s.dtype));
}

/* Prompts, one of them in two passes, then one token each after another, whatever was picked. */
static abdb_status run_passes_and_compare_logits(llama_verification *c, bool compare_logits,
                                                 abdb_error *err)
{
    abdb_llama *g = &c->g;
    abdb_status st = ABDB_OK;

    g->sequences = SEQUENCES;
    for (size_t i = 0; i < SEQUENCES; i++) c->length[i] = g->past[i] = 0;
    for (size_t step = 0; step <= STEPS; step++) {
        for (size_t i = 0; i < SEQUENCES; i++) {
            size_t n = step < 2 ? pieces[step][i] : 1;

            g->first[i + 1] = g->first[i] + n;
            memcpy(g->token + g->first[i], c->token[i] + c->length[i], n * sizeof *g->token);
            c->length[i] += n;
        }
        abdb_llama_forward_and_pick_tokens(g);
        if (!compare_logits) continue;
        TRY(download_logits(c, err));
        for (size_t i = 0; i < SEQUENCES; i++) update_error_by_logits_and_picked_token(c, i);
    }
done:
    return st;
}

/* Tokens by a seed; blocks in random order. */
static void draw_tokens_and_pages(llama_verification *c, uint64_t seed)
{
    int32_t order[BLOCKS];

    abdb_random_permutation(order, BLOCKS, seed);
    for (size_t i = 0; i < SEQUENCES; i++) {
        for (size_t t = 0; t <= LONGEST; t++)
            c->token[i][t] =
                (int32_t)(abdb_random_bits_at(seed, i * (LONGEST + 1) + t) % (uint64_t)VOCABULARY);
        for (size_t b = 0; b < WIDE; b++) c->g.page[i * WIDE + b] = order[i * WIDE + b];
    }
}

/* The logits of all tokens of every sequence by the reference, into c->expected. */
static abdb_status compute_reference_logits(llama_verification *c, abdb_error *err)
{
    for (size_t i = 0; i < SEQUENCES; i++) {
        c->expected[i] = calloc((LONGEST + 1) * VOCABULARY, sizeof(double));
        if (!c->expected[i] ||
            !abdb_llama_reference_logits(&c->g.s, &c->numbers, c->token[i],
                                         pieces[0][i] + pieces[1][i] + STEPS - 1, c->expected[i]))
            return ABDB_FAIL(err, ABDB_NOMEM, "a check");
    }
    return ABDB_OK;
}

/* Frees a check, also one that was begun in part. */
static void free_verification(llama_verification *c)
{
    for (size_t i = 0; c->numbers.matrix && i < LAYERS * ABDB_LLAMA_MATRICES; i++)
        free(c->numbers.matrix[i]);
    free(c->numbers.matrix);
    free(c->numbers.table);
    free(c->numbers.last);
    free(c->numbers.gains);
    for (size_t i = 0; i < SEQUENCES; i++) free(c->expected[i]);
    free(c->got);
    free(c->room);
    abdb_llama_free(&c->g);
    free(c);
}

abdb_status abdb_llama_verify_small_model(const abdb_run_context *stage, const abdb_llama_shape *of,
                                          bool padded, double *error, abdb_error *err)
{
    llama_verification *c = calloc(1, sizeof *c);
    abdb_llama_random_weights made = {.seed = 7, .deviation = 0.15, .spread = 0.3};
    abdb_llama_weights_source source;
    abdb_status st = ABDB_OK;

    if (!c) return ABDB_FAIL(err, ABDB_NOMEM, "a check");
    made.s = *of;
    made.s.layers = LAYERS;
    made.s.d = WIDTH;
    made.s.heads = HEADS;
    made.s.kv_heads = KV_HEADS;
    made.s.head = HEAD;
    made.s.hidden = HIDDEN;
    made.s.vocabulary = VOCABULARY;
    source = abdb_llama_weights_source_of_random(&made);
    TRY(abdb_llama_alloc_and_init(&c->g, stage, &made.s,
                                  &(abdb_llama_capacity){.rows = 20,
                                                         .sequences = SEQUENCES,
                                                         .length = LONGEST,
                                                         .block = BLOCK,
                                                         .blocks = BLOCKS,
                                                         .width = WIDE,
                                                         .padded = padded},
                                  &source, err));
    c->got = calloc(SEQUENCES * VOCABULARY, sizeof *c->got);
    c->room = calloc(SEQUENCES * VOCABULARY, c->g.size);
    if (!c->got || !c->room) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    TRY(dequantise_weights_and_check_source(c, &source, err));
    draw_tokens_and_pages(c, 5); /* what others leave in the cache */
    TRY(run_passes_and_compare_logits(c, false, err));
    draw_tokens_and_pages(c, 6);
    TRY(compute_reference_logits(c, err));
    TRY(run_passes_and_compare_logits(c, true, err));
    *error = c->error;
done:
    free_verification(c);
    return st;
}
