/* bag.c - sums of rows by index, and updates at random places. Both wait for memory alone: what
 * comes next is asked for (prefetched) before it is needed, so that many misses are under way at
 * once. See vec.h. */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

/* AHEAD_BYTES and AHEAD_MOST: rows asked for beforehand, about as many misses as a core has buffers
 * for, and no more than the first level keeps until they are used; AT_ONCE: vectors of sums held in
 * registers; KNOWN: random numbers drawn ahead (the kernel allows 128). */
enum { LINE = 64, AHEAD_BYTES = 8192, AHEAD_MOST = 32, AT_ONCE = 8, KNOWN = 128 };

/* Columns [from, from + vectors) of the sum of the rows of a bag. */
VEC_INLINE void add_up(const float *table, size_t width, const int32_t *index, size_t lookups,
                       float *out, const size_t vectors)
{
    vec_f32 sum[AT_ONCE];

    _Pragma("GCC unroll 8") for (size_t v = 0; v < vectors; v++) sum[v] = (vec_f32){0};
    for (size_t l = 0; l < lookups; l++) {
        const float *row = table + (size_t)index[l] * width;

        _Pragma("GCC unroll 8") for (size_t v = 0; v < vectors; v++) sum[v] +=
            vec_get_f32(row + v * VEC_F32);
    }
    _Pragma("GCC unroll 8") for (size_t v = 0; v < vectors; v++)
        vec_put_f32(out + v * VEC_F32, sum[v], false);
}

/* Asks for the rows (of `size` bytes) that lookups [from, to) of the index list name; `left` counts
 * the lookups until the next table begins. */
static void ask(const abdb_vec_bags *b, size_t size, size_t from, size_t to)
{
    size_t each = b->batch * b->lookups, table = from / each, left = (table + 1) * each - from;
    const char *rows = (const char *)b->table + table * b->rows * size;

    for (size_t i = from; i < to; i++) {
        const char *row = rows + (size_t)b->index[i] * size;

        for (size_t l = 0; l < size; l += LINE) vec_ask(row + l);
        if (--left == 0) {
            rows += b->rows * size;
            left = each;
        }
    }
}

/* Bags of bf16: so many columns at a time over all lookups of a bag; rows are asked for with the
 * first of them. */
static void bags_bf16(const abdb_vec_bags *b, size_t low, size_t high)
{
    size_t end = high * b->lookups, row = b->width * sizeof(uint16_t);
    size_t ahead = AHEAD_BYTES / row + 1 < AHEAD_MOST ? AHEAD_BYTES / row + 1 : AHEAD_MOST;

    ask(b, row, low * b->lookups, low * b->lookups + ahead < end ? low * b->lookups + ahead : end);
    for (size_t bag = low; bag < high; bag++) {
        size_t table = bag / b->batch, sample = bag % b->batch, first = bag * b->lookups;
        const uint16_t *rows = (const uint16_t *)b->table + table * b->rows * b->width;
        uint16_t *out = (uint16_t *)b->out + sample * b->apart + table * b->width;
        size_t whole = b->width / VEC_F32 * VEC_F32;

        for (size_t j = 0; j < whole; j += AT_ONCE * VEC_F32) {
            size_t vectors = (whole - j) / VEC_F32 < AT_ONCE ? (whole - j) / VEC_F32 : AT_ONCE;
            vec_f32 sum[AT_ONCE] = {{0}};

            for (size_t l = 0; l < b->lookups; l++) {
                const uint16_t *at = rows + (size_t)b->index[first + l] * b->width + j;

                if (j == 0 && first + l + ahead < end)
                    ask(b, row, first + l + ahead, first + l + ahead + 1);
                for (size_t v = 0; v < vectors; v++) sum[v] += vec_get_bf16(at + v * VEC_F32);
            }
            for (size_t v = 0; v < vectors; v++) vec_put_bf16(out + j + v * VEC_F32, sum[v], false);
        }
        for (size_t j = whole; j < b->width; j++) {
            float sum = 0;

            for (size_t l = 0; l < b->lookups; l++)
                sum += abdb_bf16_value(rows[(size_t)b->index[first + l] * b->width + j]);
            out[j] = abdb_bf16(sum);
        }
    }
}

/* The bags [low, high), counted table by table. A bag at hand is summed in pieces, and as many rows
 * are asked for as it takes. */
void VEC(bags)(const abdb_vec_bags *b, size_t low, size_t high)
{
    size_t end = high * b->lookups, row = b->width * sizeof(float);
    size_t ahead = AHEAD_BYTES / row + 1 < AHEAD_MOST ? AHEAD_BYTES / row + 1 : AHEAD_MOST;
    size_t asked = low * b->lookups;

    if (b->dtype == ABDB_BF16) {
        bags_bf16(b, low, high);
        return;
    }
    for (size_t bag = low; bag < high; bag++) {
        size_t table = bag / b->batch, sample = bag % b->batch;
        const float *rows = (const float *)b->table + table * b->rows * b->width;
        float *out = (float *)b->out + sample * b->apart + table * b->width;

        for (size_t from = 0; from < b->lookups; from += ahead) {
            size_t n = b->lookups - from < ahead ? b->lookups - from : ahead, j = 0,
                   want = bag * b->lookups + from + n + ahead;
            const int32_t *index = b->index + bag * b->lookups + from;
            /* The first piece of a bag is written to out, later ones are summed here and added. */
            float piece[AT_ONCE * VEC_F32];

            want = want < end ? want : end;
            if (asked < want) ask(b, row, asked, want);
            asked = asked < want ? want : asked;
            for (; j < b->width; j += AT_ONCE * VEC_F32) {
                size_t left = b->width - j;
                bool whole = left >= AT_ONCE * VEC_F32;
                float *to = from ? piece : out + j;

                if (whole) {
                    add_up(rows + j, b->width, index, n, to, AT_ONCE);
                    left = AT_ONCE * VEC_F32;
                } else {
                    size_t k = 0;

                    for (; k + 4 * VEC_F32 <= left; k += 4 * VEC_F32)
                        add_up(rows + j + k, b->width, index, n, to + k, 4);
                    for (; k + VEC_F32 <= left; k += VEC_F32)
                        add_up(rows + j + k, b->width, index, n, to + k, 1);
                    for (; k < left; k++) {
                        to[k] = 0;
                        for (size_t l = 0; l < n; l++)
                            to[k] += rows[(size_t)index[l] * b->width + j + k];
                    }
                }
                for (size_t k = 0; from && k < left; k++) out[j + k] += piece[k];
            }
        }
    }
}

/* The updates of one part of the table. */
void VEC(updates)(uint64_t *word, size_t words, size_t updates, uint64_t seed)
{
    uint64_t state = seed, known[KNOWN];

    for (size_t i = 0; i < updates; i += KNOWN) {
        size_t n = updates - i < KNOWN ? updates - i : KNOWN;

        for (size_t j = 0; j < n; j++) {
            known[j] = abdb_random_next(&state);
            vec_ask((const char *)(word + known[j] % words));
        }
        for (size_t j = 0; j < n; j++) word[known[j] % words] ^= known[j];
    }
}
