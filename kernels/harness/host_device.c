/* host_device.c - the host's processors as a device: its memory is where everything is, work is
 * done when a launch returns, the clock is CLOCK_MONOTONIC; see kernel.h. */
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
} host_device;

/* Memory at a page, from the pool where that has some, or huge: in large pages. ABDB_NOMEM;
 * ABDB_USAGE: the system gives no large pages. */
static abdb_status host_alloc_from_pool_or_huge_pages(abdb_device *d, size_t size, bool huge,
                                                      void **out, abdb_error *err)
{
    size_t alignment = huge ? HUGE_PAGE : ALIGNMENT;

    (void)d;
    size = (size + alignment - 1) / alignment * alignment;
    *out = huge ? NULL : abdb_memory_pool_alloc_or_null(size);
    if (!*out) *out = aligned_alloc(alignment, size);
    if (!*out) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes", size);
    if (huge && madvise(*out, size, MADV_HUGEPAGE) != 0) {
        free(*out);
        *out = NULL;
        return ABDB_FAIL(err, ABDB_USAGE, "this system gives no huge pages");
    }
    return ABDB_OK;
}

static void host_release_to_pool_or_free(abdb_device *d, void *memory)
{
    (void)d;
    if (!abdb_memory_pool_release_if_owned(memory)) free(memory);
}

static double host_available_and_pooled_bytes(abdb_device *d)
{
    (void)d;
    return abdb_memory_available_bytes_within_cgroup() + abdb_memory_pool_touched_unused_bytes();
}

/* On all threads, each its own later part: a page lies near the thread that touches it first. */
static abdb_status host_fill_bytes_parallel(abdb_device *d, void *to, unsigned char byte,
                                            size_t size, abdb_error *err)
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
static abdb_status host_flush_caches_by_overwriting_twice_llc(abdb_device *d, abdb_error *err)
{
    host_device *h = (host_device *)d;
    size_t size = 2 * (d->limits.claimed ? d->limits.claimed : d->limits.last);

    if (!h->flushed) h->flushed = malloc(size);
    if (!h->flushed) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes to flush the caches", size);
    (void)!host_fill_bytes_parallel(d, h->flushed, h->value++, size, err);
    /* Keeps the compiler from removing these writes as never read. */
    __asm__ volatile("" : : "r"(h->flushed) : "memory");
    return ABDB_OK;
}

static abdb_status host_begin_timing(abdb_device *d, abdb_error *err)
{
    (void)err;
    ((host_device *)d)->started_s = abdb_clock_seconds();
    return ABDB_OK;
}

static abdb_status host_end_timing(abdb_device *d, double *time_s, abdb_error *err)
{
    (void)err;
    *time_s = abdb_clock_seconds() - ((host_device *)d)->started_s;
    return ABDB_OK;
}

abdb_device *abdb_init_host_device(int threads)
{
    static host_device h;
    abdb_clock clock = abdb_measure_clock_step_and_cost();

    h.device = (abdb_device){.name = abdb_host_device_name(h.name, sizeof h.name),
                             .clock = "CLOCK_MONOTONIC",
                             .resolution_s = clock.resolution_s,
                             .cost_s = clock.cost_s,
                             .threads = threads < 1 ? 1 : threads,
                             .limits = abdb_machine_cache_sizes_capped_if_virtual(threads),
                             .on_host = true,
                             .alloc = host_alloc_from_pool_or_huge_pages,
                             .release = host_release_to_pool_or_free,
                             .available = host_available_and_pooled_bytes,
                             .fill = host_fill_bytes_parallel,
                             .flush_caches = host_flush_caches_by_overwriting_twice_llc,
                             .begin_timing = host_begin_timing,
                             .end_timing = host_end_timing,
                             .read_sensors = abdb_sensors_read_host_quick_or_all};
    abdb_host_max_plausible_rates(&h.device.most_ops_per_s, &h.device.most_bytes_per_s);
    return &h.device;
}
