/* json_oom_reserve.c - memory for Jansson when there is no more; see json_oom_reserve.h. */
#include "query/verbs/json_oom_reserve.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "schema/core/error.h"

/* A line of a backend or of a file of records makes some tens of values and a text or two. */
enum { SMALL = 512, SMALLS = 256, LARGE = 32 << 10, LARGES = 16 };
static void *small[SMALLS], *large[LARGES];
static atomic_uint smalls, larges; /* that were taken */

static void *take_reserved_block(size_t size)
{
    unsigned at;

    if (size <= SMALL && (at = atomic_fetch_add(&smalls, 1)) < SMALLS) return small[at];
    if (size <= LARGE && (at = atomic_fetch_add(&larges, 1)) < LARGES) return large[at];
    return NULL;
}

static void *allocate_for_json_from_reserve_if_oom(size_t size)
{
    void *room = malloc(size);

    if (room || !size) return room;
    abdb_count_allocation_failure();
    return take_reserved_block(size);
}

void abdb_json_install_oom_reserve(void)
{
    for (size_t i = 0; i < SMALLS; i++) small[i] = malloc(SMALL);
    for (size_t i = 0; i < LARGES; i++) large[i] = malloc(LARGE);
    json_set_alloc_funcs(allocate_for_json_from_reserve_if_oom, free);
}
