/* thread_maps.h - which thread has which element: shared by device code, by the host that chooses
 * grids, and by tests that count how often each element comes. Plain C. */
#ifndef ABDB_PROVIDERS_CUDA_MAPS_H
#define ABDB_PROVIDERS_CUDA_MAPS_H

#include <stdint.h>

#ifdef __CUDACC__
#define ABDB_CU_MAP static __host__ __device__ inline
#else
#define ABDB_CU_MAP static inline
#endif

/* Threads of a block, and pieces (vectors of 16 bytes, mostly) that each has at once. */
enum { ABDB_CU_THREADS = 256, ABDB_CU_EACH = 4, ABDB_CU_VECTOR = 16 };

/* Blocks that have n pieces among them, ABDB_CU_THREADS x ABDB_CU_EACH each; at least one. */
ABDB_CU_MAP uint64_t abdb_cu_blocks_for_pieces(uint64_t n)
{
    uint64_t each = (uint64_t)ABDB_CU_THREADS * ABDB_CU_EACH;

    return n ? (n + each - 1) / each : 1;
}

/* Piece number `i` of a thread: neighbours have neighbours, so that a warp reads 512 bytes. */
ABDB_CU_MAP uint64_t abdb_cu_piece_index_of_thread(uint64_t block, unsigned thread, unsigned i)
{
    return (block * ABDB_CU_EACH + i) * ABDB_CU_THREADS + thread;
}

/* What is left of n elements where a vector has `lanes`: the first that no vector has. */
ABDB_CU_MAP uint64_t abdb_cu_first_element_after_vectors(uint64_t n, unsigned lanes)
{
    return n / lanes * lanes;
}

/* A row of `width` vectors that a group of threads has together: threads of a group, a power of two
 * from 1 to 32, so that as few as can be have nothing to do. */
ABDB_CU_MAP unsigned abdb_cu_threads_per_row_up_to_warp(uint64_t width)
{
    unsigned group = 1;

    while (group < 32 && group < width) group *= 2;
    return group;
}

/* How many keys a query sees, from the first on; of a causal head the last query sees all. */
ABDB_CU_MAP uint32_t abdb_cu_visible_key_count(uint32_t query, uint32_t queries, uint32_t keys,
                                               uint32_t causal)
{
    uint64_t seen = (uint64_t)query + 1 + keys - queries;

    return !causal || seen > keys ? keys : (uint32_t)seen;
}

/* The first query that sees a key. */
ABDB_CU_MAP uint32_t abdb_cu_first_query_seeing(uint32_t key, uint32_t queries, uint32_t keys,
                                                uint32_t causal)
{
    return !causal || key + queries < keys ? 0 : key + queries - keys;
}

#endif
