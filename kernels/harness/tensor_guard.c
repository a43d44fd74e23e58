/* tensor_guard.c - memory that a launch must not change: inputs, which are digested, and the bytes
 * before and behind each tensor of the host, which are filled with a pattern; see harness.h. */
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#include "kernels/harness/harness.h"

enum { PIECE = 1 << 16 };
/* NaN in every floating format, an index far out of range: a number that is read from there is seen
 * in the result. Other than what spoils outputs (problem_instance.c). */
static const unsigned char pattern[2] = {0xFF, 0x7F};

uint64_t abdb_process_random_seed(void)
{
    static uint64_t seed;

    if (!seed && getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed)
        seed = (uint64_t)(abdb_clock_seconds() * 1e9);
    return seed |= 1;
}

/* Both halves of a product, which depends on all bits of both. */
static uint64_t multiply_and_fold_128_to_64(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Of at most PIECE bytes, as a sum over pairs of words, each of which has keys of its place. */
static uint64_t digest_piece_by_keyed_products(const unsigned char *data, size_t size, uint64_t key)
{
    uint64_t sum = 0, word[2];

    for (size_t at = 0; at < size; at += sizeof word) {
        if (size - at < sizeof word) word[0] = word[1] = 0;
        memcpy(word, data + at, size - at < sizeof word ? size - at : sizeof word);
        sum += multiply_and_fold_128_to_64(word[0] ^ key, word[1] ^ (key + 0x9E3779B97F4A7C15U));
        key += 0xD1342543DE82EF95U;
    }
    return sum;
}

uint64_t abdb_digest_memory_with_process_seed(const void *data, size_t size, bool all_threads)
{
    uint64_t sum = 0, seed = abdb_process_random_seed();
    size_t pieces = (size + PIECE - 1) / PIECE;

#pragma omp parallel for reduction(+ : sum) schedule(static) if (all_threads && pieces > 1)
    for (size_t i = 0; i < pieces; i++) {
        size_t at = i * PIECE, left = size - at;

        sum += digest_piece_by_keyed_products((const unsigned char *)data + at,
                                              left < PIECE ? left : PIECE,
                                              abdb_random_bits_at(seed, i));
    }
    return sum;
}

size_t abdb_guard_bytes_before_tensor(bool huge)
{
#if defined __SANITIZE_ADDRESS__ /* finds accesses beyond a block of malloc */
    (void)huge;
    return 0;
#else
    return huge ? 2 << 20 : ABDB_CANARY_BYTES; /* a page: the tensor begins at one, too */
#endif
}

void abdb_guard_fill_with_pattern(void *memory)
{
    for (size_t i = 0; i < ABDB_CANARY_BYTES; i++)
        ((unsigned char *)memory)[i] = pattern[i % sizeof pattern];
}

size_t abdb_guard_count_changed_bytes(const void *memory)
{
    size_t changed = 0;

    for (size_t i = 0; i < ABDB_CANARY_BYTES; i++)
        changed += ((const unsigned char *)memory)[i] != pattern[i % sizeof pattern];
    return changed;
}
