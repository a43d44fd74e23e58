/* llama_run.h - common code of workloads of Llama-like networks: missing parts, made weights, the
 * bandwidth of reading the same weights, and whether the results can be right. */
#ifndef ABDB_WORKLOADS_LLAMA_RUN_H
#define ABDB_WORKLOADS_LLAMA_RUN_H

#include "kernels/workloads/latencies.h"
#include "kernels/workloads/llama_net.h"
#include "kernels/workloads/parts.h"

/* Tokens of prompts that go through the network together, of whole prompts. */
enum { ABDB_LLAMA_PREFILL = 2048 };
/* How pages of the cache are chosen. */
enum { ABDB_PAGES_CONTIGUOUS, ABDB_PAGES_LIST, ABDB_PAGES_TABLE };
/* Blocks for `sequences` of up to `length` tokens; `block`: tokens of one, where they are not in
 * one piece. */
abdb_llama_capacity abdb_llama_cache_capacity(size_t rows, size_t sequences, size_t length,
                                              int pages, size_t block);
/* As abdb_workload has it. */
void abdb_llama_list_missing_parts(const abdb_problem *p, const abdb_llama_shape *s,
                                   const abdb_parts *parts, char *out, size_t room);

typedef struct {
    abdb_llama g;
    abdb_llama_random_weights made;
    abdb_latencies read; /* seconds for `bytes` of weights, each once */
    size_t bytes;
} abdb_llama_run;
/* ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_llama_run_init_from_file_or_random(abdb_llama_run *r,
                                                                  const abdb_run_context *stage,
                                                                  const abdb_llama_shape *s,
                                                                  const abdb_llama_capacity *most,
                                                                  abdb_error *err);
void abdb_llama_run_free(abdb_llama_run *r);
/* Reads weights once and notes the time. */
void abdb_llama_run_record_weight_read_time(abdb_llama_run *r);
/* Bytes a second of reading the weights, the median. */
double abdb_llama_run_median_read_bandwidth(abdb_llama_run *r);
/* The weights, which no pass may change. */
void abdb_llama_run_find_weights(const abdb_llama_run *r, const void **data, size_t *bytes);
/* Logits become NaN, so that a pass which leaves them is not valid. */
ABDB_MUST_USE abdb_status abdb_llama_run_spoil_logits(abdb_llama_run *r, abdb_error *err);
/* Are the logits of the last pass finite, and the picked tokens words of the vocabulary? */
bool abdb_llama_run_last_logits_and_picks_valid(const abdb_llama_run *r);

#endif
