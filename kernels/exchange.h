/* exchange.h - the exchange of a kernel of several ranks, described in one form for both of its
 * providers, MPI and NCCL. */
#ifndef ABDB_KERNELS_EXCHANGE_H
#define ABDB_KERNELS_EXCHANGE_H

#include "kernels/kernel.h"

typedef enum {
    ABDB_ALL_REDUCE,
    ABDB_ALL_GATHER,
    ABDB_REDUCE_SCATTER,
    ABDB_ALL_TO_ALL,
    ABDB_REDUCE,    /* at rank 0 */
    ABDB_BROADCAST, /* from rank 0 */
    ABDB_POINT,     /* between rank 0 and the last */
    ABDB_EXCHANGES
} abdb_exchange_kind;
typedef enum { ABDB_SUM, ABDB_MAX, ABDB_MIN } abdb_redop;
/* Of ABDB_POINT: a message there and back; `window` messages there, and an empty one back; as many
 * both ways at once, and an empty one each way. */
typedef enum { ABDB_PING_PONG, ABDB_ONE_WAY, ABDB_BOTH_WAYS } abdb_pattern;

/* One launch. Tensors are one after another the parts of all ranks. */
typedef struct {
    abdb_exchange_kind kind;
    abdb_dtype dtype;
    abdb_redop redop;
    abdb_pattern pattern;
    int ranks, window; /* window: messages of ABDB_POINT at once */
    size_t count;      /* elements of a message */
    bool apart;        /* ranks meet before each launch, which is not part of its time */
} abdb_exchange;

/* Fills the exchange of a problem of one of these kernels, after its tensors were set up. */
void abdb_exchange_from_problem(const abdb_problem *p, abdb_exchange *out);
/* Which kernel is that, by its name? ABDB_EXCHANGES: none of them. */
abdb_exchange_kind abdb_exchange_kind_of_kernel(const char *kernel);
/* Elements that a rank has of tensor `tensor` of such a problem. */
size_t abdb_exchange_elements_per_rank(const abdb_exchange *x, int tensor);

#endif
