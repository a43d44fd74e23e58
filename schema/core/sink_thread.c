/* sink_thread.c - a sink in a thread of its own; see sink_thread.h. Records are copied into batches
 * of fixed room, which go to the thread when they are full and come back empty. A batch belongs to
 * one side at a time: batches from `emptied` to `filled` to the thread, the one being filled to the
 * reader; only the two counters are shared, under the lock. */
#include "schema/core/sink_thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/text.h"
#include "schema/core/timing.h"

enum { BATCHES = 4, BATCH_RECORDS = 2048, BATCH_BYTES = 1 << 20, FETCHED = 1024 };

typedef enum { RECORD_ENTRY, RECORD_FACT, RECORD_REJECT, RECORD_ROW_END } record_kind;

/* An entry without the room that it does not use: abdb_entry has arrays for 96 factors and 64
 * results, most entries a few of each. */
typedef struct {
    const char *field[ABDB_FIELD_COUNT];
    const char *locator, *environment, *role, *doubt;
    long line;
    abdb_key key[3];
    long long origin;
    abdb_process process;
    size_t pieces, factors, results, telemetries, spans, ranks, values_left_out, factors_left_out;
    abdb_factor *factor;
    abdb_result *result;
    abdb_telemetry *telemetry;
    abdb_span *span;
    abdb_rank *rank;
} packed_entry;

typedef struct {
    record_kind kind;
    void *record; /* packed_entry, abdb_fact or abdb_reject */
} queued;

typedef struct {
    char *bytes;
    size_t used;
    abdb_arena large; /* texts too large for the rest of bytes */
    queued record[BATCH_RECORDS];
    size_t count;
} batch;

struct abdb_sink_thread {
    const abdb_sink *inner;
    const abdb_keymaker *keys;
    batch batch[BATCHES];
    size_t filled, emptied; /* batches so far; the one being filled is batch[filled % BATCHES] */
    bool over;              /* nothing more will come */
    abdb_status status;     /* of the inner sink */
    abdb_error error;
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread;
    abdb_entry entry; /* of the thread: the one that is handed over */
};

/* --- copying ---------------------------------------------------------------------------------- */

/* Memory of the batch, aligned to 16 bytes as any type may want; NULL: none left. */
static void *batch_alloc(batch *b, size_t size)
{
    size_t need = (size + 15) / 16 * 16;
    void *at = b->bytes + b->used;

    if (need > BATCH_BYTES - b->used) return abdb_arena_alloc(&b->large, size);
    b->used += need;
    return at;
}

/* A copy of text; NULL stays NULL. *failed: no memory. */
static const char *batch_copy_text(batch *b, const char *text, bool *failed)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? batch_alloc(b, size) : NULL;

    *failed |= text && !copy;
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* Copies a result, its texts and samples into the batch. False: no memory. */
static bool pack_result(batch *b, abdb_result *to, const abdb_result *from)
{
    bool failed = false;

    *to = *from;
    to->metric = batch_copy_text(b, from->metric, &failed);
    to->statistic = batch_copy_text(b, from->statistic, &failed);
    to->raw_value = batch_copy_text(b, from->raw_value, &failed);
    to->raw_unit = batch_copy_text(b, from->raw_unit, &failed);
    to->cell = batch_copy_text(b, from->cell, &failed);
    to->spread = batch_copy_text(b, from->spread, &failed);
    to->formula = batch_copy_text(b, from->formula, &failed);
    to->fact = batch_copy_text(b, from->fact, &failed);
    if (from->samples) {
        abdb_sample *sample = batch_alloc(b, from->samples * sizeof *sample);

        if (!sample) return false;
        memcpy(sample, from->sample, from->samples * sizeof *sample);
        for (size_t i = 0; i < from->samples; i++)
            sample[i].mark = batch_copy_text(b, sample[i].mark, &failed);
        to->sample = sample;
    }
    return !failed;
}

/* Copies the readings of an entry and their texts into the batch. False: no memory. */
static bool pack_telemetry(batch *b, packed_entry *p, const abdb_entry *e)
{
    bool failed = false;

    p->telemetries = e->telemetries;
    p->telemetry = batch_alloc(b, e->telemetries * sizeof *p->telemetry);
    if (!p->telemetry) return false;
    for (size_t i = 0; i < e->telemetries; i++) {
        p->telemetry[i] = e->telemetry[i];
        p->telemetry[i].sensor = batch_copy_text(b, e->telemetry[i].sensor, &failed);
        p->telemetry[i].quantity = batch_copy_text(b, e->telemetry[i].quantity, &failed);
        p->telemetry[i].unit = batch_copy_text(b, e->telemetry[i].unit, &failed);
    }
    return !failed;
}

/* Copies the spans of an entry and their texts into the batch. False: no memory. */
static bool pack_spans(batch *b, packed_entry *p, const abdb_entry *e)
{
    bool failed = false;

    p->spans = e->spans;
    p->span = batch_alloc(b, e->spans * sizeof *p->span);
    if (!p->span) return false;
    for (size_t i = 0; i < e->spans; i++) {
        p->span[i] = e->span[i];
        p->span[i].name = batch_copy_text(b, e->span[i].name, &failed);
        p->span[i].within = batch_copy_text(b, e->span[i].within, &failed);
        p->span[i].kernel = batch_copy_text(b, e->span[i].kernel, &failed);
        p->span[i].provider = batch_copy_text(b, e->span[i].provider, &failed);
    }
    return !failed;
}

/* Copies the ranks of an entry and their texts into the batch. False: no memory. */
static bool pack_ranks(batch *b, packed_entry *p, const abdb_entry *e)
{
    bool failed = false;

    p->ranks = e->ranks;
    p->rank = batch_alloc(b, e->ranks * sizeof *p->rank);
    if (!p->rank) return false;
    for (size_t i = 0; i < e->ranks; i++) {
        p->rank[i] = e->rank[i];
        p->rank[i].host = batch_copy_text(b, e->rank[i].host, &failed);
        p->rank[i].device = batch_copy_text(b, e->rank[i].device, &failed);
        p->rank[i].binding = batch_copy_text(b, e->rank[i].binding, &failed);
    }
    return !failed;
}

/* Copies the process of an entry and its texts into the batch. False: no memory. */
static bool pack_process(batch *b, abdb_process *to, const abdb_process *from)
{
    bool failed = false;

    *to = *from;
    to->campaign = batch_copy_text(b, from->campaign, &failed);
    to->backend = batch_copy_text(b, from->backend, &failed);
    to->started = batch_copy_text(b, from->started, &failed);
    return !failed;
}

/* A copy of an entry in the batch, with room only for its own items. NULL: no memory. */
static packed_entry *pack_entry(batch *b, const abdb_entry *e)
{
    packed_entry *p = batch_alloc(b, sizeof *p);
    bool failed = false;

    if (!p) return NULL;
    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        p->field[i] = batch_copy_text(b, e->field[i], &failed);
    p->locator = batch_copy_text(b, e->locator, &failed);
    p->environment = batch_copy_text(b, e->environment, &failed);
    p->role = batch_copy_text(b, e->role, &failed);
    p->doubt = batch_copy_text(b, e->doubt, &failed);
    p->line = e->line;
    p->origin = e->origin;
    p->pieces = e->pieces;
    p->factors = e->factors;
    p->results = e->results;
    p->values_left_out = e->values_left_out;
    p->factors_left_out = e->factors_left_out;
    p->factor = batch_alloc(b, e->factors * sizeof *p->factor);
    p->result = batch_alloc(b, e->results * sizeof *p->result);
    if (!p->factor || !p->result) return NULL;
    for (size_t i = 0; i < e->factors; i++) {
        p->factor[i] = e->factor[i];
        p->factor[i].name = batch_copy_text(b, e->factor[i].name, &failed);
        p->factor[i].text = batch_copy_text(b, e->factor[i].text, &failed);
        p->factor[i].unit = batch_copy_text(b, e->factor[i].unit, &failed);
    }
    for (size_t i = 0; i < e->results; i++) failed |= !pack_result(b, &p->result[i], &e->result[i]);
    failed |= !pack_telemetry(b, p, e) || !pack_spans(b, p, e) || !pack_ranks(b, p, e) ||
              !pack_process(b, &p->process, &e->process);
    return failed ? NULL : p;
}

/* A copy of a fact and its texts in the batch. NULL: no memory. */
static abdb_fact *pack_fact(batch *b, const abdb_fact *f)
{
    abdb_fact *p = batch_alloc(b, sizeof *p);
    bool failed = false;

    if (!p) return NULL;
    *p = *f;
    p->table = batch_copy_text(b, f->table, &failed);
    p->locator = batch_copy_text(b, f->locator, &failed);
    p->fact = batch_copy_text(b, f->fact, &failed);
    for (size_t i = 0; i < f->columns; i++) {
        p->column[i].name = batch_copy_text(b, f->column[i].name, &failed);
        p->column[i].text = batch_copy_text(b, f->column[i].text, &failed);
    }
    return failed ? NULL : p;
}

/* A copy of a reject and its texts in the batch. NULL: no memory. */
static abdb_reject *pack_reject(batch *b, const abdb_reject *r)
{
    abdb_reject *p = batch_alloc(b, sizeof *p);
    bool failed = false;

    if (!p) return NULL;
    p->line = r->line;
    p->field = batch_copy_text(b, r->field, &failed);
    p->reason = batch_copy_text(b, r->reason, &failed);
    p->raw = batch_copy_text(b, r->raw, &failed);
    return failed ? NULL : p;
}

/* --- the thread ------------------------------------------------------------------------------- */

/* Spreads a packed entry out again, into the one entry that the thread has, and hands it on. */
static abdb_status unpack_entry_to_inner_sink(abdb_sink_thread *q, const packed_entry *p)
{
    abdb_entry *e = &q->entry;

    memcpy(e->field, p->field, sizeof e->field);
    e->locator = p->locator;
    e->environment = p->environment;
    e->role = p->role;
    e->doubt = p->doubt;
    e->line = p->line;
    e->origin = p->origin;
    e->process = p->process;
    e->telemetry = p->telemetry;
    e->telemetries = p->telemetries;
    e->span = p->span;
    e->spans = p->spans;
    e->rank = p->rank;
    e->ranks = p->ranks;
    memcpy(e->key, p->key, sizeof e->key);
    e->pieces = p->pieces;
    e->factors = p->factors;
    e->results = p->results;
    e->values_left_out = p->values_left_out;
    e->factors_left_out = p->factors_left_out;
    memcpy(e->factor, p->factor, p->factors * sizeof *e->factor);
    memcpy(e->result, p->result, p->results * sizeof *e->result);
    return q->inner->entry(q->inner->self, e, &q->error);
}

/* Hands a record of a batch to the sink behind the thread, by its kind. */
static abdb_status pass_record_to_inner_sink(abdb_sink_thread *q, const queued *r)
{
    switch (r->kind) {
    case RECORD_ENTRY: return unpack_entry_to_inner_sink(q, r->record);
    case RECORD_FACT: return q->inner->fact(q->inner->self, r->record, &q->error);
    case RECORD_REJECT: return q->inner->reject(q->inner->self, r->record, &q->error);
    default: return q->inner->row_end(q->inner->self, &q->error);
    }
}

/* Records were written by another processor and lie in its caches; the store looks their keys up
 * in memory that no cache holds. Twice AHEAD records before, the record is fetched; AHEAD before,
 * the store is told of its keys. */
static void prefetch_coming_records(const abdb_sink_thread *q, const batch *b, size_t i)
{
    enum { AHEAD = 8, LINE = 64 };
    const queued *r = i + AHEAD < b->count ? &b->record[i + AHEAD] : NULL;

    if (i + 2 * AHEAD < b->count && b->record[i + 2 * AHEAD].kind == RECORD_ENTRY) {
        const char *at = b->record[i + 2 * AHEAD].record;

        for (size_t k = 0; k < FETCHED; k += LINE) __builtin_prefetch(at + k);
    }
    if (r && r->kind == RECORD_ENTRY && q->keys->prefetch_keys)
        q->keys->prefetch_keys(q->inner->self, ((const packed_entry *)r->record)->key);
}

/* The thread: hands over one full batch after another until the queue is closed; after an error it
 * only empties them. */
static void *pass_batches_to_inner_sink_until_closed(void *self)
{
    abdb_sink_thread *q = self;

    for (;;) {
        batch *b;
        double from;
        abdb_status st = ABDB_OK;

        pthread_mutex_lock(&q->lock);
        while (q->emptied == q->filled && !q->over) pthread_cond_wait(&q->change, &q->lock);
        b = q->emptied == q->filled ? NULL : &q->batch[q->emptied % BATCHES];
        st = q->status;
        pthread_mutex_unlock(&q->lock);
        if (!b) return NULL;
        from = abdb_timing_now_if_enabled();
        for (size_t i = 0; i < b->count && st == ABDB_OK; i++) {
            prefetch_coming_records(q, b, i);
            st = pass_record_to_inner_sink(q, &b->record[i]);
        }
        abdb_timing_add_elapsed("store (beside reading)", from);
        b->count = b->used = 0;
        abdb_arena_free(&b->large);
        pthread_mutex_lock(&q->lock);
        q->status = st;
        q->emptied++;
        pthread_cond_signal(&q->change);
        pthread_mutex_unlock(&q->lock);
    }
}

/* --- the sink --------------------------------------------------------------------------------- */

/* The batch at hand goes to the thread; the next one is waited for. Returns the inner status. */
static abdb_status submit_batch_wait_for_free(abdb_sink_thread *q)
{
    abdb_status st;
    double from = abdb_timing_now_if_enabled();

    pthread_mutex_lock(&q->lock);
    q->filled++;
    pthread_cond_signal(&q->change);
    while (q->filled - q->emptied == BATCHES) pthread_cond_wait(&q->change, &q->lock);
    st = q->status;
    pthread_mutex_unlock(&q->lock);
    abdb_timing_add_elapsed("reading waits for storing", from);
    return st;
}

/* Adds a record to the batch that is filled and sends the batch when it is full. Returns an error
 * of the storing thread, too. */
static abdb_status enqueue_record_submit_full_batch(abdb_sink_thread *q, record_kind kind,
                                                    void *record, abdb_error *err)
{
    batch *b = &q->batch[q->filled % BATCHES];
    abdb_status st;

    if (kind != RECORD_ROW_END && !record) return ABDB_FAIL(err, ABDB_NOMEM, "a record");
    /* There is room: a full batch was sent when it became full. */
    b->record[b->count++] = (queued){kind, record};
    if (b->count < BATCH_RECORDS && b->used < BATCH_BYTES - BATCH_BYTES / 8) return ABDB_OK;
    st = submit_batch_wait_for_free(q);
    if (st != ABDB_OK && err) *err = q->error;
    return st;
}

static batch *batch_being_filled(abdb_sink_thread *q)
{
    return &q->batch[q->filled % BATCHES];
}

static abdb_status enqueue_entry_with_keys(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_sink_thread *q = self;
    packed_entry *packed = pack_entry(batch_being_filled(q), entry);

    if (packed) q->keys->make(q->keys->self, entry, packed->key, &packed->origin);
    return enqueue_record_submit_full_batch(q, RECORD_ENTRY, packed, err);
}

static abdb_status enqueue_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    return enqueue_record_submit_full_batch(self, RECORD_FACT,
                                            pack_fact(batch_being_filled(self), fact), err);
}

static abdb_status enqueue_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    return enqueue_record_submit_full_batch(self, RECORD_REJECT,
                                            pack_reject(batch_being_filled(self), reject), err);
}

static abdb_status enqueue_row_end(void *self, abdb_error *err)
{
    return enqueue_record_submit_full_batch(self, RECORD_ROW_END, NULL, err);
}

abdb_sink abdb_sink_thread_make_enqueuing_sink(abdb_sink_thread *q)
{
    return (abdb_sink){q, enqueue_entry_with_keys, enqueue_fact, enqueue_reject, enqueue_row_end};
}

/* Frees the queue and its batches; the thread has ended. */
static void free_sink_thread(abdb_sink_thread *q)
{
    for (size_t i = 0; i < BATCHES; i++) {
        free(q->batch[i].bytes);
        abdb_arena_free(&q->batch[i].large);
    }
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->change);
    free(q);
}

abdb_status abdb_sink_thread_start(abdb_sink_thread **out, const abdb_sink *inner,
                                   const abdb_keymaker *keys, abdb_error *err)
{
    abdb_sink_thread *q = calloc(1, sizeof *q);
    bool ready = q != NULL;

    *out = NULL;
    if (!q) return ABDB_FAIL(err, ABDB_NOMEM, "a queue");
    q->inner = inner;
    q->keys = keys;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->change, NULL);
    for (size_t i = 0; i < BATCHES; i++) ready &= (q->batch[i].bytes = malloc(BATCH_BYTES)) != NULL;
    if (!ready ||
        pthread_create(&q->thread, NULL, pass_batches_to_inner_sink_until_closed, q) != 0) {
        free_sink_thread(q);
        return ABDB_FAIL(err, ABDB_NOMEM, "a queue");
    }
    *out = q;
    return ABDB_OK;
}

abdb_status abdb_sink_thread_drain_and_join(abdb_sink_thread *q, abdb_error *err)
{
    abdb_status st;

    pthread_mutex_lock(&q->lock);
    q->filled += batch_being_filled(q)->count > 0;
    q->over = true;
    pthread_cond_signal(&q->change);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    st = q->status;
    if (st != ABDB_OK && err) *err = q->error;
    free_sink_thread(q);
    return st;
}
