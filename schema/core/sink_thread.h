/* sink_thread.h - a sink that hands its records to another sink in a thread of its own, so that
 * reading and storing overlap. Records are copied; their order stays. Errors of the other sink come
 * back late: at the next record, or when the queue is closed.
 */
#ifndef ABDB_CORE_QUEUE_H
#define ABDB_CORE_QUEUE_H

#include "schema/core/record.h"

typedef struct abdb_sink_thread abdb_sink_thread;

/* make: run by the reading thread for each entry, to save time of the storing thread; fills key and
 * origin. prefetch_keys: run by the storing thread with the keys of an entry that inner (its self)
 * gets a little later, or NULL. */
typedef struct {
    void *self;
    void (*make)(void *self, const abdb_entry *entry, abdb_key key[3], long long *origin);
    void (*prefetch_keys)(const void *inner, const abdb_key key[3]);
} abdb_keymaker;

/* inner and keys must stay until the queue is closed. ABDB_NOMEM: no memory or no thread. */
ABDB_MUST_USE abdb_status abdb_sink_thread_start(abdb_sink_thread **out, const abdb_sink *inner,
                                                 const abdb_keymaker *keys, abdb_error *err);
abdb_sink abdb_sink_thread_make_enqueuing_sink(abdb_sink_thread *queue);
/* Waits until everything was handed over, or an error stopped it, which is returned. */
ABDB_MUST_USE abdb_status abdb_sink_thread_drain_and_join(abdb_sink_thread *queue, abdb_error *err);

#endif
