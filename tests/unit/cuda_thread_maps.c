/* cuda_thread_maps.c - which thread of a CUDA device has which element: each comes exactly once,
 * whatever the size; a map with a mistake is seen. Needs no CUDA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdbool.h>

#include <cmocka.h>

#include "kernels/providers/cuda/cu/thread_maps.h"

enum { MOST = 9000 };
static const uint64_t sizes[] = {0,    1,    2,    3,    31,   32,   255,  256,  257, 1023,
                                 1024, 1025, 2047, 2048, 4095, 4096, 4097, 8191, 8999};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

typedef uint64_t (*element_map)(uint64_t block, unsigned thread, unsigned i);

/* Do all n pieces come once from the grid for them, and no block in vain? */
static bool map_covers_each_element_once(uint64_t n, uint64_t blocks, element_map element_of)
{
    unsigned char times[MOST] = {0};
    bool last_has_some = n == 0;

    for (uint64_t b = 0; b < blocks; b++)
        for (unsigned t = 0; t < ABDB_CU_THREADS; t++)
            for (unsigned i = 0; i < ABDB_CU_EACH; i++) {
                uint64_t at = element_of(b, t, i);

                if (at >= n) continue;
                times[at]++;
                last_has_some |= b == blocks - 1;
            }
    for (uint64_t i = 0; i < n; i++)
        if (times[i] != 1) return false;
    return last_has_some;
}

static uint64_t map_with_step_too_short(uint64_t block, unsigned thread, unsigned i)
{
    return (block * ABDB_CU_EACH + i) * (ABDB_CU_THREADS - 1) + thread;
}

static uint64_t map_with_overlapping_blocks(uint64_t block, unsigned thread, unsigned i)
{
    return (block * (ABDB_CU_EACH - 1) + i) * ABDB_CU_THREADS + thread;
}

static bool map_covers_every_size(element_map element_of, int64_t blocks_added)
{
    for (size_t i = 0; i < SIZES; i++)
        if (!map_covers_each_element_once(
                sizes[i], (uint64_t)((int64_t)abdb_cu_blocks_for_pieces(sizes[i]) + blocks_added),
                element_of))
            return false;
    return true;
}

static void test_grid_covers_each_element_once(void **state)
{
    (void)state;
    assert_true(map_covers_every_size(abdb_cu_piece_index_of_thread, 0));
    assert_false(map_covers_every_size(abdb_cu_piece_index_of_thread, -1));
    assert_false(map_covers_every_size(abdb_cu_piece_index_of_thread, 1));
    assert_false(map_covers_every_size(map_with_step_too_short, 0));
    assert_false(map_covers_every_size(map_with_overlapping_blocks, 0));
}

/* Vectors and what is left of them are all elements, and the rest fits one block. */
static void test_vector_rest_is_less_than_a_vector(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (unsigned lanes = 1; lanes <= 16; lanes *= 2) {
            uint64_t rest = abdb_cu_first_element_after_vectors(sizes[i], lanes);

            assert_true(rest <= sizes[i] && rest % lanes == 0);
            assert_true(sizes[i] - rest < lanes && lanes <= ABDB_CU_THREADS);
        }
}

/* Lanes of a group have each vector of a row once; a block has whole groups. */
static void test_lane_group_covers_row_once(void **state)
{
    (void)state;
    for (uint64_t width = 1; width < 300; width++) {
        unsigned group = abdb_cu_threads_per_row_up_to_warp(width), times = 0;

        assert_true(group >= 1 && group <= 32 && ABDB_CU_THREADS % group == 0);
        assert_true(group == 32 || group >= width);
        assert_true(group == 1 || group / 2 < width);
        for (unsigned in = 0; in < group; in++)
            for (uint64_t c = in; c < width; c += group) times++;
        assert_int_equal(times, width);
    }
}

/* The first query that sees a key sees it, and the one before does not. */
static void test_causal_key_and_query_maps_agree(void **state)
{
    (void)state;
    for (uint32_t queries = 1; queries < 40; queries++)
        for (uint32_t keys = queries; keys < 60; keys += 7)
            for (uint32_t causal = 0; causal < 2; causal++) {
                assert_int_equal(abdb_cu_visible_key_count(queries - 1, queries, keys, causal),
                                 keys);
                for (uint32_t k = 0; k < keys; k++) {
                    uint32_t first = abdb_cu_first_query_seeing(k, queries, keys, causal);

                    assert_true(first < queries);
                    assert_true(k < abdb_cu_visible_key_count(first, queries, keys, causal));
                    assert_true(first == 0 ||
                                k >= abdb_cu_visible_key_count(first - 1, queries, keys, causal));
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grid_covers_each_element_once),
                                       cmocka_unit_test(test_vector_rest_is_less_than_a_vector),
                                       cmocka_unit_test(test_lane_group_covers_row_once),
                                       cmocka_unit_test(test_causal_key_and_query_maps_agree)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
