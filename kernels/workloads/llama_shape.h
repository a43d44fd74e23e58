/* llama_shape.h - the shapes of Llama-like networks, their work and memory.
 *
 * A layer (Touvron et al. 2023): x += attention(norm(x) Wqkv) Wo, x += (silu(g) u) Wd with
 * g, u = norm(x) Wgu; norms by the root of the mean square; queries and keys rotated by their
 * positions (Su et al. 2021), heads / kv_heads queries to a key; a last norm and a last matrix,
 * which is the table of tokens in networks with tied weights.
 */
#ifndef ABDB_WORKLOADS_LLAMA_SHAPE_H
#define ABDB_WORKLOADS_LLAMA_SHAPE_H

#include "kernels/kernel.h"

/* Matrices of a layer. */
enum { ABDB_LLAMA_QKV, ABDB_LLAMA_OUT, ABDB_LLAMA_UP, ABDB_LLAMA_DOWN, ABDB_LLAMA_MATRICES };

typedef struct {
    const char *name;
    size_t layers, d, heads, kv_heads, head, hidden, vocabulary; /* head: numbers of one */
    bool tied;
    double base;      /* of the angles of positions */
    double factor;    /* by which slow ones are slower; 1: none (Llama-3.1 and later) */
    size_t layers_of; /* of the whole network */
    abdb_dtype dtype; /* of activations and the cache */
    int form;         /* of weights: ABDB_WEIGHTS_SAME, ... */
} abdb_llama_shape;

/* Fills defaults of parameters. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_llama_parse_and_scale_shape(abdb_problem *p, abdb_llama_shape *out,
                                                           abdb_error *err);
/* Rows and columns of a matrix of a layer. */
void abdb_llama_matrix_rows_and_columns(const abdb_llama_shape *s, int which, size_t *k, size_t *n);
/* Parameters, norms and both tables (tied: one) too. */
double abdb_llama_parameter_count(const abdb_llama_shape *s);
/* Bytes that a step reads: all parameters but a table that only gives rows. Scales are f32. */
double abdb_llama_weight_bytes_read_per_pass(const abdb_llama_shape *s);
/* Bytes of keys and values of a token. */
double abdb_llama_kv_bytes_per_token(const abdb_llama_shape *s);
/* What a pass needs: `rows` tokens go through, of which `last` are asked for what follows; `seen`:
 * sum over rows of the tokens that each sees; `held`: tokens whose keys and values are read. */
void abdb_llama_count_work_of_rows_and_tokens(const abdb_llama_shape *s, double rows,
                                              double logit_rows, double visible_tokens,
                                              double cached_tokens, abdb_work *out);
/* Cosines and sines of positions [0, n): rows of `head` numbers, halves. */
void abdb_llama_fill_cos_sin_table(const abdb_llama_shape *s, size_t positions, float *out);

#endif
