/* batcher.c - requests come and go while others are in the network; see batcher.h. */
#include "kernels/workloads/batcher.h"

#include <stdlib.h>
#include <string.h>

typedef struct abdb_batcher_place {
    abdb_request *request; /* NULL: free */
    size_t past, made, blocks;
    int32_t next;
    double last_s;
} place;

static size_t blocks_of(const abdb_batcher *b, const abdb_request *r)
{
    return (r->input + r->output + b->g->most.block - 1) / b->g->most.block;
}

abdb_status abdb_batcher_open(abdb_batcher *b, abdb_error *err)
{
    const abdb_llama_size *most = &b->g->most;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < b->count; i++)
        if (blocks_of(b, &b->request[i]) >
                (most->width < most->blocks ? most->width : most->blocks) ||
            b->request[i].input > most->rows)
            TRY(ABDB_FAIL(err, ABDB_USAGE,
                          "a request of %zu and %zu tokens, and the cache has %zu blocks of %zu",
                          b->request[i].input, b->request[i].output, most->blocks, most->block));
    b->place = calloc(most->sequences, sizeof *b->place);
    b->page = calloc(most->sequences * most->width, sizeof *b->page);
    b->free = calloc(most->blocks, sizeof *b->free);
    if (!b->place || !b->page || !b->free) TRY(ABDB_FAIL(err, ABDB_NOMEM, "requests"));
    /* In random order, as they lie once requests have come and gone. */
    abdb_shuffle(b->free, most->blocks, 3);
    b->blocks = most->blocks;
done:
    if (st != ABDB_OK) abdb_batcher_close(b);
    return st;
}

void abdb_batcher_close(abdb_batcher *b)
{
    free(b->place);
    free(b->page);
    free(b->free);
    b->place = NULL;
    b->page = b->free = NULL;
}

static double now(const abdb_batcher *b)
{
    return b->g->stage->spans->now() - b->started_s;
}

/* Closed loop: as many are issued as clients have nothing in the system. */
static void issue(abdb_batcher *b)
{
    double at = now(b);

    for (; b->clients && b->issued < b->count && b->issued - b->ended < b->clients; b->issued++)
        b->request[b->issued].arrival_s = at;
    for (; !b->clients && b->issued < b->count && b->request[b->issued].arrival_s <= at;
         b->issued++)
        ;
}

/* --- places ----------------------------------------------------------------------------------- */

static bool has_room(const abdb_batcher *b, const abdb_request *r)
{
    return b->in < b->g->most.sequences && blocks_of(b, r) <= b->blocks;
}

static size_t enter(abdb_batcher *b, abdb_request *r)
{
    size_t at = 0, width = b->g->most.width;

    while (b->place[at].request) at++;
    b->place[at] = (place){.request = r, .blocks = blocks_of(b, r)};
    memset(b->page + at * width, 0, width * sizeof *b->page);
    for (size_t i = 0; i < b->place[at].blocks; i++) b->page[at * width + i] = b->free[--b->blocks];
    b->in++;
    return at;
}

static void leave(abdb_batcher *b, size_t at)
{
    place *p = &b->place[at];

    for (size_t i = p->blocks; i-- > 0;) b->free[b->blocks++] = b->page[at * b->g->most.width + i];
    p->request = NULL;
    b->in--;
    b->ended++;
}

/* A token has come for a place. */
static void take(abdb_batcher *b, size_t at, int32_t token, double at_s)
{
    place *p = &b->place[at];
    abdb_request *r = p->request;

    if (r->made) r->made[p->made] = token;
    if (p->made == 0)
        r->first_s = at_s;
    else if (b->gap)
        abdb_latencies_add(b->gap, at_s - p->last_s);
    p->next = token;
    p->last_s = r->last_s = at_s;
    if (++p->made == r->output) leave(b, at);
}

/* --- passes ----------------------------------------------------------------------------------- */

/* Sequence `i` of the pass that is being made is place `at`, with n tokens. */
static void add(abdb_batcher *b, size_t i, size_t at, const int32_t *token, size_t n)
{
    abdb_llama *g = b->g;
    size_t width = g->most.width;

    memcpy(g->page + i * width, b->page + at * width, width * sizeof *g->page);
    memcpy(g->token + g->first[i], token, n * sizeof *token);
    g->past[i] = b->place[at].past;
    g->first[i + 1] = g->first[i] + n;
    b->place[at].past += n;
}

static void pass(abdb_batcher *b, const size_t *at, size_t n)
{
    double at_s;

    b->g->sequences = n;
    abdb_llama_pass(b->g);
    at_s = now(b);
    for (size_t i = 0; i < n; i++) take(b, at[i], b->g->picked[i], at_s);
}

/* Prompts that wait and fit; false: there are none. */
static bool prefill(abdb_batcher *b, size_t *at)
{
    size_t n = 0, rows = 0;

    while (b->begun < b->issued && has_room(b, &b->request[b->begun]) &&
           rows + b->request[b->begun].input <= b->g->most.rows) {
        abdb_request *r = &b->request[b->begun++];

        at[n] = enter(b, r);
        add(b, n, at[n], r->prompt, r->input);
        rows += r->input;
        n++;
    }
    if (!n) return false;
    abdb_span_enter(b->g->stage->spans, "prefill", NULL);
    pass(b, at, n);
    abdb_span_leave(b->g->stage->spans, 0, 0);
    return true;
}

static void decode(abdb_batcher *b, size_t *at)
{
    size_t n = 0;

    abdb_span_enter(b->g->stage->spans, "decode", NULL);
    for (size_t i = 0; i < b->g->most.sequences; i++) {
        if (!b->place[i].request) continue;
        at[n] = i;
        add(b, n, i, &b->place[i].next, 1);
        n++;
    }
    b->steps++;
    b->held += (double)n;
    pass(b, at, n);
    abdb_span_leave(b->g->stage->spans, 0, 0);
}

/* Nothing is in: the next arrival is waited for. */
static void idle(abdb_batcher *b)
{
    abdb_spans *spans = b->g->stage->spans;
    double until = b->request[b->begun].arrival_s - now(b);

    abdb_span_enter(spans, "waiting", "none");
    if (until > 0) b->wait(until);
    abdb_span_leave(spans, 0, 0);
}

void abdb_batcher_run(abdb_batcher *b)
{
    size_t *at = calloc(b->g->most.sequences, sizeof *at);

    if (!at) return;
    b->begun = b->ended = b->issued = 0;
    b->steps = b->held = 0;
    b->started_s = b->g->stage->spans->now();
    while (b->ended < b->count) {
        issue(b);
        if (prefill(b, at)) continue;
        if (b->in)
            decode(b, at);
        else
            idle(b);
    }
    free(at);
}
