/* workload_guard.c - what repetitions of a workload must leave alone: the bytes before and behind
 * each piece of the host's memory that it takes, and what it calls constant; see harness.h. */
#include <string.h>

#include "kernels/harness/harness.h"

enum { PIECES = 64 }; /* that are guarded; further ones are not */

/* Of one cell: there is one at a time. */
static struct {
    abdb_device inner; /* as it allocates without guards */
    struct {
        char *data;
        size_t size;
    } piece[PIECES];
    const void *constant;
    size_t constant_bytes;
    uint64_t digest;
} guarded;

/* A place in the list of pieces whose data is that; PIECES: none. */
static size_t find_piece(const void *data)
{
    size_t i = 0;

    while (i < PIECES && guarded.piece[i].data != data) i++;
    return i;
}

static abdb_status alloc_between_guards(abdb_device *d, size_t size, bool huge, void **out,
                                        abdb_error *err)
{
    size_t i = find_piece(NULL);
    abdb_status st = ABDB_OK;

    if (i == PIECES) return guarded.inner.alloc(d, size, huge, out, err);
    TRY(guarded.inner.alloc(d, size + 2 * ABDB_CANARY_BYTES, huge, out, err));
    *out = (char *)*out + ABDB_CANARY_BYTES;
    guarded.piece[i].data = *out;
    guarded.piece[i].size = size;
    abdb_guard_fill_with_pattern((char *)*out - ABDB_CANARY_BYTES);
    abdb_guard_fill_with_pattern((char *)*out + size);
done:
    return st;
}

static void release_with_guards(abdb_device *d, void *memory)
{
    size_t i = memory ? find_piece(memory) : PIECES;

    if (i < PIECES) {
        memory = (char *)memory - ABDB_CANARY_BYTES;
        guarded.piece[i].data = NULL;
    }
    guarded.inner.release(d, memory);
}

void abdb_workload_guard_begin(abdb_device *d)
{
    if (!d->on_host || !abdb_guard_bytes_before_tensor(false)) return;
    memset(&guarded, 0, sizeof guarded);
    guarded.inner = *d;
    d->alloc = alloc_between_guards;
    d->release = release_with_guards;
}

void abdb_workload_guard_keep_constant(const void *data, size_t bytes)
{
    guarded.constant = data;
    guarded.constant_bytes = bytes;
    guarded.digest = abdb_digest_memory_with_process_seed(data, bytes, false);
}

abdb_status abdb_workload_guard_require_unchanged(abdb_error *err)
{
    for (size_t i = 0; i < PIECES; i++) {
        const char *data = guarded.piece[i].data;
        size_t before, behind;

        if (!data) continue;
        before = abdb_guard_count_changed_bytes(data - ABDB_CANARY_BYTES);
        behind = abdb_guard_count_changed_bytes(data + guarded.piece[i].size);
        if (before || behind)
            return ABDB_FAIL(err, ABDB_VERIFY,
                             "wrong workload: it wrote %zu bytes before and %zu behind %zu of its "
                             "memory",
                             before, behind, guarded.piece[i].size);
    }
    if (guarded.constant && abdb_digest_memory_with_process_seed(
                                guarded.constant, guarded.constant_bytes, false) != guarded.digest)
        return ABDB_FAIL(err, ABDB_VERIFY, "wrong workload: input changed (its weights)");
    return ABDB_OK;
}

void abdb_workload_guard_end(abdb_device *d)
{
    if (d->alloc != alloc_between_guards) return;
    d->alloc = guarded.inner.alloc;
    d->release = guarded.inner.release;
    guarded.constant = NULL;
}
