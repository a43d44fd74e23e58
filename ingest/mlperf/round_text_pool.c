/* round_text_pool.c - texts kept once, values in arrays that just fit; see round_text_pool.h.
 *
 * A round of inference has some 30,000 files with 500,000 names and values and, where power was
 * measured, 1,500,000 samples of meters.
 */
#include "ingest/mlperf/round_text_pool.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a, 64 bits. */
static size_t hash_text_fnv1a(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325ULL;

    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
    return (size_t)(hash ^ hash >> 32);
}

/* Where the text is, or would be. */
static const char **find_slot_of_text(const abdb_text_pool *pool, const char *text)
{
    size_t at = hash_text_fnv1a(text) & (pool->slots - 1);

    while (pool->slot[at] && strcmp(pool->slot[at], text) != 0) at = (at + 1) & (pool->slots - 1);
    return &pool->slot[at];
}

/* Doubles the slots of the pool and places every text anew. False: no memory, the pool is
 * unchanged. */
static bool grow_text_pool(abdb_text_pool *pool)
{
    abdb_text_pool more = *pool;

    more.slots = pool->slots ? 2 * pool->slots : 1024;
    more.slot = calloc(more.slots, sizeof *more.slot);
    if (!more.slot) return false;
    for (size_t i = 0; i < pool->slots; i++)
        if (pool->slot[i]) *find_slot_of_text(&more, pool->slot[i]) = pool->slot[i];
    free(pool->slot);
    *pool = more;
    return true;
}

const char *abdb_text_pool_intern(abdb_text_pool *pool, const char *text)
{
    const char **slot;

    if (4 * (pool->texts + 1) > 3 * pool->slots && !grow_text_pool(pool)) return NULL;
    slot = find_slot_of_text(pool, text);
    if (!*slot) {
        *slot = abdb_arena_copy(&pool->arena, text, strlen(text));
        pool->texts += *slot != NULL;
    }
    return *slot;
}

void abdb_text_pool_free(abdb_text_pool *pool)
{
    abdb_arena_free(&pool->arena);
    free(pool->slot);
    *pool = (abdb_text_pool){0};
}

abdb_status abdb_round_copy_values_to_pool(abdb_text_pool *pool, abdb_mlperf_values *out,
                                           const abdb_mlperf_values *read, abdb_error *err)
{
    *out = (abdb_mlperf_values){.arena = &pool->arena};
    if (read->pairs) out->pair = abdb_arena_alloc(&pool->arena, read->pairs * sizeof *out->pair);
    if (read->powers)
        out->power = abdb_arena_alloc(&pool->arena, read->powers * sizeof *out->power);
    if ((read->pairs && !out->pair) || (read->powers && !out->power))
        return ABDB_FAIL(err, ABDB_NOMEM, "a file of a round");
    for (size_t i = 0; i < read->pairs; i++) {
        out->pair[i].key = abdb_text_pool_intern(pool, read->pair[i].key);
        out->pair[i].text = abdb_text_pool_intern(pool, read->pair[i].text);
        if (!out->pair[i].key || !out->pair[i].text)
            return ABDB_FAIL(err, ABDB_NOMEM, "a file of a round");
    }
    if (read->powers) memcpy(out->power, read->power, read->powers * sizeof *out->power);
    out->room = out->pairs = read->pairs;
    out->power_room = out->powers = read->powers;
    return ABDB_OK;
}
