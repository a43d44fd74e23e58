/* continuous_batching.h - continuous batching (Yu et al. 2022, Kwon et al. 2023): requests come and
 * go while others are in the network. A request is let in when there are a place and blocks of the
 * cache for all that it will become; prompts that wait go first, in the order of arrival, then
 * every request that is in gets its next token. What waited is counted from its arrival on. */
#ifndef ABDB_WORKLOADS_BATCHER_H
#define ABDB_WORKLOADS_BATCHER_H

#include "kernels/workloads/latencies.h"
#include "kernels/workloads/llama_net.h"

/* Times in seconds from the beginning on. */
typedef struct {
    size_t input, output;  /* tokens, each at least 1 */
    const int32_t *prompt; /* input of them */
    int32_t *made;         /* room for output of them, or NULL */
    double arrival_s;      /* open loop: given; closed loop: when a client issued it */
    double first_s, last_s;
} abdb_request;

typedef struct {
    /* Of the user: */
    abdb_llama *g;
    abdb_request *request; /* by arrival */
    size_t count;
    size_t clients; /* closed loop: so many, each issues when its last one ended; 0: open */
    void (*wait)(double seconds);
    abdb_latencies *gap; /* between tokens of a request, or NULL */
    /* Its own: */
    struct abdb_batcher_slot *slot;        /* g->most.sequences */
    int32_t *page, *free;                  /* rows of pages of places; a stack of free blocks */
    size_t blocks, admitted, begun, ended; /* free blocks; requests in the network, begun, ended */
    size_t issued;
    double started_s;
    double steps, held; /* steps of decode, and the sum of requests that were in them */
} abdb_batcher;

/* After g, request, ... are set. ABDB_NOMEM; ABDB_USAGE: a request that no empty cache holds. */
ABDB_MUST_USE abdb_status abdb_batcher_require_requests_fit_and_alloc(abdb_batcher *b,
                                                                      abdb_error *err);
/* Until all requests have ended. */
void abdb_batcher_serve_all_requests(abdb_batcher *b);
void abdb_batcher_free(abdb_batcher *b);

#endif
