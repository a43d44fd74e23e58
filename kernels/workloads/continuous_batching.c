/* continuous_batching.c - requests come and go while others are in the network; see
 * continuous_batching.h. */
#include "kernels/workloads/continuous_batching.h"

#include <stdlib.h>
#include <string.h>

typedef struct abdb_batcher_slot {
    abdb_request *request; /* NULL: free */
    size_t past, made, blocks;
    int32_t next;
    double last_s;
} batch_slot;

static size_t cache_blocks_of_request(const abdb_batcher *b, const abdb_request *r)
{
    return (r->input + r->output + b->g->most.block - 1) / b->g->most.block;
}

abdb_status abdb_batcher_require_requests_fit_and_alloc(abdb_batcher *b, abdb_error *err)
{
    const abdb_llama_capacity *most = &b->g->most;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < b->count; i++)
        if (cache_blocks_of_request(b, &b->request[i]) >
                (most->width < most->blocks ? most->width : most->blocks) ||
            b->request[i].input > most->rows)
            TRY(ABDB_FAIL(err, ABDB_USAGE,
                          "a request of %zu and %zu tokens, and the cache has %zu blocks of %zu",
                          b->request[i].input, b->request[i].output, most->blocks, most->block));
    b->slot = calloc(most->sequences, sizeof *b->slot);
    b->page = calloc(most->sequences * most->width, sizeof *b->page);
    b->free = calloc(most->blocks, sizeof *b->free);
    if (!b->slot || !b->page || !b->free) TRY(ABDB_FAIL(err, ABDB_NOMEM, "requests"));
    /* In random order, as they lie once requests have come and gone. */
    abdb_random_permutation(b->free, most->blocks, 3);
    b->blocks = most->blocks;
done:
    if (st != ABDB_OK) abdb_batcher_free(b);
    return st;
}

void abdb_batcher_free(abdb_batcher *b)
{
    free(b->slot);
    free(b->page);
    free(b->free);
    b->slot = NULL;
    b->page = b->free = NULL;
}

static double seconds_since_start(const abdb_batcher *b)
{
    return b->g->stage->spans->now() - b->started_s;
}

/* Closed loop: as many are issued as clients have nothing in the system. */
static void issue_arrived_or_closed_loop_requests(abdb_batcher *b)
{
    double at = seconds_since_start(b);

    for (; b->clients && b->issued < b->count && b->issued - b->ended < b->clients; b->issued++)
        b->request[b->issued].arrival_s = at;
    for (; !b->clients && b->issued < b->count && b->request[b->issued].arrival_s <= at;
         b->issued++)
        ;
}

/* --- places ----------------------------------------------------------------------------------- */

static bool has_slot_and_cache_blocks(const abdb_batcher *b, const abdb_request *r)
{
    return b->admitted < b->g->most.sequences && cache_blocks_of_request(b, r) <= b->blocks;
}

/* Gives a request the first empty slot and takes its blocks off the free list into the slot's
 * row of pages. Returns the slot; there must be one, and enough blocks. */
static size_t admit_request_to_slot(abdb_batcher *b, abdb_request *r)
{
    size_t at = 0, width = b->g->most.width;

    while (b->slot[at].request) at++;
    b->slot[at] = (batch_slot){.request = r, .blocks = cache_blocks_of_request(b, r)};
    memset(b->page + at * width, 0, width * sizeof *b->page);
    for (size_t i = 0; i < b->slot[at].blocks; i++) b->page[at * width + i] = b->free[--b->blocks];
    b->admitted++;
    return at;
}

/* Empties a slot whose request has ended; its blocks are free again. */
static void release_slot_and_blocks(abdb_batcher *b, size_t slot)
{
    batch_slot *p = &b->slot[slot];

    for (size_t i = p->blocks; i-- > 0;)
        b->free[b->blocks++] = b->page[slot * b->g->most.width + i];
    p->request = NULL;
    b->admitted--;
    b->ended++;
}

/* A token has come for a place. */
static void record_token_and_release_if_last(abdb_batcher *b, size_t slot, int32_t token,
                                             double at_s)
{
    batch_slot *p = &b->slot[slot];
    abdb_request *r = p->request;

    if (r->made) r->made[p->made] = token;
    if (p->made == 0)
        r->first_s = at_s;
    else if (b->gap)
        abdb_latencies_add_if_room(b->gap, at_s - p->last_s);
    p->next = token;
    p->last_s = r->last_s = at_s;
    if (++p->made == r->output) release_slot_and_blocks(b, slot);
}

/* --- passes ----------------------------------------------------------------------------------- */

/* Sequence `i` of the pass that is being made is place `at`, with n tokens. */
static void append_slot_tokens_to_pass(abdb_batcher *b, size_t sequence, size_t slot,
                                       const int32_t *token, size_t n)
{
    abdb_llama *g = b->g;
    size_t width = g->most.width;

    memcpy(g->page + sequence * width, b->page + slot * width, width * sizeof *g->page);
    memcpy(g->token + g->first[sequence], token, n * sizeof *token);
    g->past[sequence] = b->slot[slot].past;
    g->first[sequence + 1] = g->first[sequence] + n;
    b->slot[slot].past += n;
}

/* Runs one pass over the sequences of n slots, and records the picked token of each; a request that
 * has all of its tokens leaves its slot. */
static void run_forward_pass_and_record_tokens(abdb_batcher *b, const size_t *slots, size_t n)
{
    double at_s;

    b->g->sequences = n;
    abdb_llama_forward_and_pick_tokens(b->g);
    at_s = seconds_since_start(b);
    for (size_t i = 0; i < n; i++)
        record_token_and_release_if_last(b, slots[i], b->g->picked[i], at_s);
}

/* Prompts that wait and fit; false: there are none. */
static bool admit_and_prefill_waiting_requests(abdb_batcher *b, size_t *slots)
{
    size_t n = 0, rows = 0;

    while (b->begun < b->issued && has_slot_and_cache_blocks(b, &b->request[b->begun]) &&
           rows + b->request[b->begun].input <= b->g->most.rows) {
        abdb_request *r = &b->request[b->begun++];

        slots[n] = admit_request_to_slot(b, r);
        append_slot_tokens_to_pass(b, n, slots[n], r->prompt, r->input);
        rows += r->input;
        n++;
    }
    if (!n) return false;
    abdb_span_enter(b->g->stage->spans, "prefill", NULL);
    run_forward_pass_and_record_tokens(b, slots, n);
    abdb_span_leave_and_add_work(b->g->stage->spans, 0, 0);
    return true;
}

/* One pass with one token of each running request; `slots` is room for their numbers. The
 * requests get their next tokens and times. */
static void decode_one_token_of_each_slot(abdb_batcher *b, size_t *slots)
{
    size_t n = 0;

    abdb_span_enter(b->g->stage->spans, "decode", NULL);
    for (size_t i = 0; i < b->g->most.sequences; i++) {
        if (!b->slot[i].request) continue;
        slots[n] = i;
        append_slot_tokens_to_pass(b, n, i, &b->slot[i].next, 1);
        n++;
    }
    b->steps++;
    b->held += (double)n;
    run_forward_pass_and_record_tokens(b, slots, n);
    abdb_span_leave_and_add_work(b->g->stage->spans, 0, 0);
}

/* Nothing is in: the next arrival is waited for. */
static void wait_for_next_arrival(abdb_batcher *b)
{
    abdb_spans *spans = b->g->stage->spans;
    double until = b->request[b->begun].arrival_s - seconds_since_start(b);

    abdb_span_enter(spans, "waiting", "none");
    if (until > 0) b->wait(until);
    abdb_span_leave_and_add_work(spans, 0, 0);
}

void abdb_batcher_serve_all_requests(abdb_batcher *b)
{
    size_t *at = calloc(b->g->most.sequences, sizeof *at);

    if (!at) return;
    b->begun = b->ended = b->issued = 0;
    b->steps = b->held = 0;
    b->started_s = b->g->stage->spans->now();
    while (b->ended < b->count) {
        issue_arrived_or_closed_loop_requests(b);
        if (admit_and_prefill_waiting_requests(b, at)) continue;
        if (b->admitted)
            decode_one_token_of_each_slot(b, at);
        else
            wait_for_next_arrival(b);
    }
    free(at);
}
