/* memory_pool.c - memory of the host's tensors, kept from cell to cell; see harness.h. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/harness/harness.h"

/* Blocks of at least LEAST bytes, BLOCKS of them at a time; one page is between two, as it is
 * between blocks that malloc has from the system. */
enum { PAGE = 4096, LEAST = 1 << 20, BLOCKS = 64 };

typedef struct {
    size_t at, size; /* from the region's beginning, both of whole pages */
} pool_block;

static struct {
    unsigned char *base;     /* NULL: there is none */
    size_t room, touched;    /* of what was ever given out: the system has found pages for it */
    pool_block live[BLOCKS]; /* in the order of their places */
    size_t count;
    bool tried;
} region;

/* Reserved once, as large as all memory: pages come when they are touched. */
static bool reserve_pool_once_if_one_numa_node(void)
{
    if (region.tried) return region.base != NULL;
    region.tried = true;
#if !defined __SANITIZE_ADDRESS__ /* which sees what is beyond a block of malloc */
    if (abdb_numa_node_count() == 1) {
        size_t room = (size_t)abdb_memory_total_bytes() / PAGE * PAGE;
        void *base = mmap(NULL, room, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (base != MAP_FAILED) region.base = base, region.room = room;
    }
#endif
    return region.base != NULL;
}

void *abdb_memory_pool_alloc_or_null(size_t size)
{
    size_t i, at = 0;

    size = (size + PAGE - 1) / PAGE * PAGE;
    if (size < LEAST || region.count == BLOCKS || !reserve_pool_once_if_one_numa_node())
        return NULL;
    for (i = 0; i < region.count && region.live[i].at - at < size + PAGE; i++)
        at = region.live[i].at + region.live[i].size + PAGE;
    if (at > region.room || region.room - at < size) return NULL;
    memmove(&region.live[i + 1], &region.live[i], (region.count - i) * sizeof *region.live);
    region.live[i] = (pool_block){at, size};
    region.count++;
    if (at + size > region.touched) region.touched = at + size;
    return region.base + at;
}

bool abdb_memory_pool_release_if_owned(void *memory)
{
    size_t at = (size_t)((uintptr_t)memory - (uintptr_t)region.base);

    for (size_t i = 0; region.base && i < region.count; i++) {
        if (region.live[i].at != at) continue;
        region.count--;
        memmove(&region.live[i], &region.live[i + 1], (region.count - i) * sizeof *region.live);
        /* Others want to measure, too. */
        if (region.count == 0 &&
            (double)region.touched > abdb_memory_available_bytes_within_cgroup() / 2)
            abdb_memory_pool_return_unused_tail();
        return true;
    }
    return false;
}

double abdb_memory_pool_touched_unused_bytes(void)
{
    size_t used = 0;

    for (size_t i = 0; i < region.count; i++) used += region.live[i].size;
    return (double)(region.touched - used);
}

void abdb_memory_pool_return_unused_tail(void)
{
    size_t end = 0;

    if (region.count) end = region.live[region.count - 1].at + region.live[region.count - 1].size;
    if (region.touched > end) madvise(region.base + end, region.touched - end, MADV_DONTNEED);
    region.touched = end;
}
