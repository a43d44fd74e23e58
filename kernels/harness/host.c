/* host.c - the host's processors as a device: its memory is where everything is, work is done when
 * a launch returns, the clock is CLOCK_MONOTONIC; see kernel.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/harness/harness.h"

enum { ALIGNMENT = 4096, HUGE_PAGE = 2 << 20, PIECE = 1 << 20 };

typedef struct {
    abdb_device device;
    double started_s;
    unsigned char *flushed; /* twice the last-level cache, once it was needed */
    unsigned char value;
    char name[256];
} host;

static abdb_status alloc(abdb_device *d, size_t size, bool huge, void **out, abdb_error *err)
{
    size_t alignment = huge ? HUGE_PAGE : ALIGNMENT;

    (void)d;
    size = (size + alignment - 1) / alignment * alignment;
    *out = huge ? NULL : abdb_region_alloc(size);
    if (!*out) *out = aligned_alloc(alignment, size);
    if (!*out) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes", size);
    if (huge && madvise(*out, size, MADV_HUGEPAGE) != 0) {
        free(*out);
        *out = NULL;
        return ABDB_FAIL(err, ABDB_USAGE, "this system gives no huge pages");
    }
    return ABDB_OK;
}

static void release(abdb_device *d, void *memory)
{
    (void)d;
    if (!abdb_region_release(memory)) free(memory);
}

static double available(abdb_device *d)
{
    (void)d;
    return abdb_memory_available() + abdb_region_kept();
}

/* On all threads, each the part that it will work on: who touches a page first has it near. */
static abdb_status fill(abdb_device *d, void *to, unsigned char byte, size_t size, abdb_error *err)
{
    size_t pieces = (size + PIECE - 1) / PIECE;

    (void)err;
#pragma omp parallel for num_threads(d->threads) schedule(static)
    for (size_t i = 0; i < pieces; i++) {
        size_t at = i * PIECE;

        memset((char *)to + at, byte, size - at < PIECE ? size - at : PIECE);
    }
    return ABDB_OK;
}

/* Writes twice the last level, as large as the system claims it, on all threads: nothing of the
 * operands is left in a cache, and threads of the pool are awake for the launch that follows. */
static abdb_status flush(abdb_device *d, abdb_error *err)
{
    host *h = (host *)d;
    size_t size = 2 * (d->limits.claimed ? d->limits.claimed : d->limits.last);

    if (!h->flushed) h->flushed = malloc(size);
    if (!h->flushed) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes to flush the caches", size);
    (void)!fill(d, h->flushed, h->value++, size, err);
    /* The compiler must not find that nobody reads what was written. */
    __asm__ volatile("" : : "r"(h->flushed) : "memory");
    return ABDB_OK;
}

static abdb_status begin(abdb_device *d, abdb_error *err)
{
    (void)err;
    ((host *)d)->started_s = abdb_now_s();
    return ABDB_OK;
}

static abdb_status end(abdb_device *d, double *time_s, abdb_error *err)
{
    (void)err;
    *time_s = abdb_now_s() - ((host *)d)->started_s;
    return ABDB_OK;
}

abdb_device *abdb_host_device(int threads)
{
    static host h;
    abdb_clock clock = abdb_clock_measure();

    h.device = (abdb_device){.name = abdb_host_name(h.name, sizeof h.name),
                             .clock = "CLOCK_MONOTONIC",
                             .resolution_s = clock.resolution_s,
                             .cost_s = clock.cost_s,
                             .threads = threads < 1 ? 1 : threads,
                             .limits = abdb_machine_limits(threads),
                             .on_host = true,
                             .alloc = alloc,
                             .release = release,
                             .available = available,
                             .fill = fill,
                             .flush = flush,
                             .begin = begin,
                             .end = end,
                             .sense = abdb_sensors_of_host};
    return &h.device;
}
