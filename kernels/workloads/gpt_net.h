/* gpt_net.h - a GPT-like network that learns, on the parts of a backend: its memory, a forward and
 * a backward pass, an update. */
#ifndef ABDB_WORKLOADS_GPT_NET_H
#define ABDB_WORKLOADS_GPT_NET_H

#include "kernels/workloads/gpt_shape.h"
#include "kernels/workloads/parts.h"
#include "kernels/workloads/workload.h"

/* What a layer keeps for its backward pass, of all rows. */
typedef struct {
    void *x, *norm1, *qkv, *att, *l, *h, *norm2, *up, *gelu;
} abdb_gpt_layer;

typedef struct {
    abdb_gpt_shape s;
    const abdb_run_context *stage;
    void *parts; /* of stage->parts */
    size_t size, wide, rows;
    char *memory, *p, *g;  /* everything; parameters and gradients of one micro-batch */
    char *w, *m, *v, *sum; /* wide: weights (p itself where the format is wide), moments,
                              gradients of all micro-batches (accumulation=1: NULL) */
    unsigned char *mask;   /* of the matrices of layers; NULL: none */
    abdb_gpt_layer *layer; /* recompute=yes: all share one but x */
    char *last, *normed, *logits, *dx, *dn, *dh, *dwide; /* activations and gradients of rows */
    int32_t *token, *target, *first, *order;
    int32_t *host; /* room for order and first in the host's memory, all else is the device's */
    size_t bytes, work; /* of memory; of working memory */
    size_t learned;     /* micro-batches since the last update */
    double step;        /* updates so far */
} abdb_gpt;

/* Bytes that it will take; it need not be opened. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_gpt_predict_memory_bytes(const abdb_run_context *stage,
                                                        const abdb_gpt_shape *s, double *out,
                                                        abdb_error *err);
/* Parameters are made by `seed`: uniform, with the deviation `deviation` of matrices (of those that
 * end a residual branch less by sqrt(2 layers)), vectors as GPT-2 begins; spread: vectors spread
 * too, so that mistakes show. stage must outlive it. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_gpt_alloc_and_init(abdb_gpt *g, const abdb_run_context *stage,
                                                  const abdb_gpt_shape *s, uint64_t seed,
                                                  double deviation, bool spread, abdb_error *err);
void abdb_gpt_free(abdb_gpt *g);
/* Forward and backward over token and target (micro x sequence): the sum of losses; gradients of
 * the mean loss of the micro-batch in g->g, and added to g->sum. What fails is the device. */
ABDB_MUST_USE abdb_status abdb_gpt_forward_backward_and_allreduce(abdb_gpt *g, const int32_t *token,
                                                                  const int32_t *target,
                                                                  double *loss, abdb_error *err);
/* Forgets accumulated gradients. */
ABDB_MUST_USE abdb_status abdb_gpt_clear_gradient_sums(abdb_gpt *g, abdb_error *err);
/* Weights by the mean of the gradients of the micro-batches. */
void abdb_gpt_adamw_update(abdb_gpt *g, double rate);
/* The gradient that an update will use, and how it is scaled there. */
const void *abdb_gpt_get_gradient_with_dtype_and_scale(const abdb_gpt *g, abdb_dtype *dtype,
                                                       double *scale);

/* As abdb_gpt_adamw_update has them. */
extern const double abdb_gpt_beta1, abdb_gpt_beta2, abdb_gpt_epsilon, abdb_gpt_decay;

#endif
