/* dlrm_net.h - a recommendation model on the parts of a backend: its memory and an inference. */
#ifndef ABDB_WORKLOADS_DLRM_NET_H
#define ABDB_WORKLOADS_DLRM_NET_H

#include "kernels/workloads/dlrm_shape.h"
#include "kernels/workloads/parts.h"
#include "kernels/workloads/workload.h"

enum { ABDB_DLRM_PIECES = 16 };

/* A product with what follows it: w is in x out. */
typedef struct {
    size_t in, out, lda, ldc;
    bool relu;
    char *w, *bias; /* bias: NULL where there is none */
    char *packed;   /* w as the backend wants it; NULL: as it is */
} abdb_dlrm_layer;

typedef struct {
    abdb_dlrm_shape s;
    const abdb_run_context *stage;
    void *parts;                    /* of stage->parts */
    char *memory;                   /* everything but the tables, of the device */
    char *tables[ABDB_DLRM_PIECES]; /* `each` in a piece of memory, one after another */
    size_t each;
    abdb_dlrm_layer bottom[ABDB_DLRM_LAYERS], top[ABDB_DLRM_LAYERS], down[ABDB_DLRM_LAYERS],
        up[ABDB_DLRM_LAYERS];                /* down, up: of cross layers, V and W */
    char *shift[ABDB_DLRM_LAYERS];           /* of cross layers */
    char *dense, *x0, *x, *low, *wide, *out; /* batch rows of x0, x, wide `apart` apart */
    char *hidden[2];
    int32_t *index; /* by table, sample and lookup */
    void *room;     /* of the host, for what goes to the device; NULL where that is the host */
    size_t size, bytes, work;
} abdb_dlrm;

/* Bytes that it will take; it need not be opened. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_dlrm_predict_memory_bytes(const abdb_run_context *stage,
                                                         const abdb_dlrm_shape *s, double *out,
                                                         abdb_error *err);
/* Weights and tables are made by `seed`, uniform, so that numbers stay about as large from layer to
 * layer. stage must outlive it. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_dlrm_alloc_and_init(abdb_dlrm *d, const abdb_run_context *stage,
                                                   const abdb_dlrm_shape *s, uint64_t seed,
                                                   abdb_error *err);
void abdb_dlrm_free(abdb_dlrm *d);
/* Draws dense features and indices, uniform. What the device says. */
ABDB_MUST_USE abdb_status abdb_dlrm_draw_features_and_indices(abdb_dlrm *d, uint64_t seed,
                                                              abdb_error *err);
/* From dense, tables and index to out: a number for each sample of the batch. */
void abdb_dlrm_run_inference(const abdb_dlrm *d);

#endif
