/* dlrm_shape.h - the shapes of recommendation models DLRM-DCNv2 (Naumov et al. 2019; Wang et al.
 * 2021; MLPerf inference, dlrm_v2): where numbers lie and what an inference does.
 *
 * Dense features go through the bottom MLP to a vector as wide as an embedding vector; it and the
 * sums of the tables' bags stand side by side, x0. Cross layers of low rank:
 * x = x0 * (x V W + bias) + x; the top MLP makes one number of it. Layers of MLPs are followed by
 * ReLU but for the last of the top.
 */
#ifndef ABDB_WORKLOADS_DLRM_SHAPE_H
#define ABDB_WORKLOADS_DLRM_SHAPE_H

#include "kernels/kernel.h"

enum { ABDB_DLRM_LAYERS = 6 };
typedef struct {
    size_t tables, rows, lookups, dense;
    size_t width;             /* numbers of an embedding vector */
    size_t joined, x0_stride; /* of x0: its numbers; elements from a sample's to the next one's */
    size_t bottoms, tops, crosses, rank;
    size_t bottom[ABDB_DLRM_LAYERS], top[ABDB_DLRM_LAYERS]; /* what each layer gives */
    size_t batch, steps;                                    /* samples at a time; times */
    abdb_dtype dtype;
} abdb_dlrm_shape;

/* Fills defaults of parameters. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_dlrm_parse_and_scale_shape(abdb_problem *p, abdb_dlrm_shape *out,
                                                          abdb_error *err);
/* Other tables, vectors or samples, and what follows from them. */
void abdb_dlrm_set_bottom_joined_padded_widths(abdb_dlrm_shape *s);
/* Of one inference: 2 operations for each weight and sample, additions of bags, 3 for each number
 * of x and cross layer. Bytes: each row looked up and its index, weights once, dense features and
 * results. */
void abdb_dlrm_count_work(const abdb_dlrm_shape *s, abdb_work *out);

#endif
