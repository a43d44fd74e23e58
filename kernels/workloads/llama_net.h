/* llama_net.h - a Llama-like network that generates, on the parts of a backend: its memory, and a
 * pass of tokens of several sequences through it, by a cache of keys and values in blocks. */
#ifndef ABDB_WORKLOADS_LLAMA_NET_H
#define ABDB_WORKLOADS_LLAMA_NET_H

#include "kernels/workloads/decoder.h"
#include "kernels/workloads/llama_shape.h"
#include "kernels/workloads/workload.h"

/* Where numbers of a network come from; `made` (NULL: all) may lack some. */
typedef struct {
    /* Column of a matrix: of layer `layer`, `which` of ABDB_LLAMA_...; or layer = layers: the table
     * (0; its column is a token's row) or the last matrix (1). Several threads call it at once. */
    void (*column)(const void *self, size_t layer, int which, size_t column, float *out);
    /* A norm's gains: 2 x layer (before attention), 2 x layer + 1, 2 x layers: the last. */
    void (*gains)(const void *self, size_t norm, float *out);
    const void *self;
} abdb_llama_weights_source;

/* How large it may become. */
typedef struct {
    size_t rows, sequences;      /* of a pass, at most */
    size_t length;               /* tokens of a sequence, at most */
    size_t block, blocks, width; /* tokens of a block; all blocks; blocks of a row of pages */
    bool padded;                 /* as abdb_part_kv_attention has it */
} abdb_llama_capacity;

typedef struct {
    abdb_llama_shape s;
    abdb_llama_capacity most;
    const abdb_run_context *stage;
    const abdb_decoder *decoder;
    void *self; /* of decoder */
    size_t size, bytes, work;
    char *memory;
    abdb_weights *matrix; /* layers x ABDB_LLAMA_MATRICES, the table, the last matrix */
    char *gains;          /* 2 layers + 1 norms */
    char *keys, *values;  /* of all layers */
    float *turn;
    char *x, *n, *qkv, *att, *wide, *gated, *end; /* activations */
    char *logits;                                 /* sequences x vocabulary */
    /* What a pass is given, in the host's memory: */
    size_t sequences, *first, *past;
    int32_t *page, *token;
    int32_t *picked; /* the output: the next token of each sequence */
} abdb_llama;

/* Bytes that it will take. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_llama_predict_memory_bytes(const abdb_run_context *stage,
                                                          const abdb_llama_shape *s,
                                                          const abdb_llama_capacity *most,
                                                          double *out, abdb_error *err);
/* stage must outlive it. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_llama_alloc_and_init(abdb_llama *g, const abdb_run_context *stage,
                                                    const abdb_llama_shape *s,
                                                    const abdb_llama_capacity *most,
                                                    const abdb_llama_weights_source *source,
                                                    abdb_error *err);
void abdb_llama_free(abdb_llama *g);
/* Runs tokens of all sequences: g->token has the tokens of sequence i at first[i] to first[i + 1],
 * past[i] came before, and only it uses the blocks in its row of pages. past[i] grows. */
void abdb_llama_forward_and_pick_tokens(abdb_llama *g);
/* What the pass that was described needs. */
void abdb_llama_count_pass_work(const abdb_llama *g, abdb_work *out);

/* Numbers made by a seed: matrices uniform with the deviation `deviation`, divided by
 * sqrt(2 layers) at the end of a residual branch; gains 1, spread by `spread`. */
typedef struct {
    abdb_llama_shape s;
    uint64_t seed;
    double deviation, spread;
} abdb_llama_random_weights;
abdb_llama_weights_source
abdb_llama_weights_source_of_random(const abdb_llama_random_weights *made);

#endif
