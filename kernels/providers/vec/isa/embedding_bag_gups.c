/* embedding_bag_gups.c - sums of rows by index, and updates at random places. Both wait for memory
 * alone: what comes next is asked for (prefetched) before it is needed, so that many misses are
 * under way at once. See vec.h. */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

/* AHEAD_BYTES and AHEAD_MOST: rows asked for beforehand, about as many misses as a core has buffers
 * for, and no more than the first level keeps until they are used; AT_ONCE: vectors of sums held in
 * registers; WIDE: columns that are summed before the next of the same rows; KNOWN: random numbers
 * drawn ahead (the kernel allows 128). */
enum { LINE = 64, AHEAD_BYTES = 4096, AHEAD_MOST = 32, AT_ONCE = 8, WIDE = 2048, KNOWN = 128 };

/* Rows of a table that a bag names: `half`: bf16, else f32. */
typedef struct {
    const char *data; /* the first column of the first row */
    size_t row_bytes; /* from a row to the next */
    const int32_t *index;
    size_t lookups;
} indexed_rows;

/* Their sum, of so many vectors of columns from `column` on: put into out, or added to it. */
VEC_INLINE void sum_indexed_rows_at_columns(const indexed_rows *r, size_t column, float *out,
                                            const size_t vectors, bool add, const bool is_bf16)
{
    vec_f32 sum[AT_ONCE];

    _Pragma("GCC unroll 8") for (size_t v = 0; v < vectors; v++) sum[v] =
        add ? vec_load_f32(out + column + v * VEC_F32) : (vec_f32){0};
    for (size_t l = 0; l < r->lookups; l++) {
        const char *row = r->data + (size_t)r->index[l] * r->row_bytes;

        _Pragma("GCC unroll 8") for (size_t v = 0; v < vectors; v++) sum[v] +=
            is_bf16 ? vec_load_bf16((const uint16_t *)row + column + v * VEC_F32)
                    : vec_load_f32((const float *)row + column + v * VEC_F32);
    }
    _Pragma("GCC unroll 8") for (size_t v = 0; v < vectors; v++)
        vec_store_f32(out + column + v * VEC_F32, sum[v], false);
}

/* All columns of a piece of a bag. */
VEC_INLINE void sum_indexed_rows_all_columns(const indexed_rows *r, size_t columns, float *out,
                                             bool add, const bool is_bf16)
{
    size_t j = 0;

    for (; j + AT_ONCE * VEC_F32 <= columns; j += AT_ONCE * VEC_F32)
        sum_indexed_rows_at_columns(r, j, out, AT_ONCE, add, is_bf16);
    for (; j + 4 * VEC_F32 <= columns; j += 4 * VEC_F32)
        sum_indexed_rows_at_columns(r, j, out, 4, add, is_bf16);
    for (; j + VEC_F32 <= columns; j += VEC_F32)
        sum_indexed_rows_at_columns(r, j, out, 1, add, is_bf16);
    for (; j < columns; j++) {
        float sum = add ? out[j] : 0;

        for (size_t l = 0; l < r->lookups; l++) {
            const char *row = r->data + (size_t)r->index[l] * r->row_bytes;

            sum += is_bf16 ? abdb_bf16_to_f32(((const uint16_t *)row)[j]) : ((const float *)row)[j];
        }
        out[j] = sum;
    }
}

/* In place, or gcc takes it for a function without effect and leaves its calls out. Asks for the
 * rows (of `size` bytes) that lookups [from, to) of the index list name; `left` counts
 * the lookups until the next table begins. */
VEC_INLINE void prefetch_rows_of_lookups(const abdb_vec_bags *b, size_t size, size_t from,
                                         size_t to)
{
    size_t each = b->batch * b->lookups, table = from / each, left = (table + 1) * each - from;
    const char *rows = (const char *)b->table + table * b->rows * size;

    for (size_t i = from; i < to; i++) {
        const char *row = rows + (size_t)b->index[i] * size;

        for (size_t l = 0; l < size; l += LINE) vec_prefetch(row + l);
        if (--left == 0) {
            rows += b->rows * size;
            left = each;
        }
    }
}

static void store_row_as_bf16(const float *sums, uint16_t *out, size_t columns)
{
    size_t j = 0;

    for (; j + VEC_F32 <= columns; j += VEC_F32)
        vec_store_bf16(out + j, vec_load_f32(sums + j), false);
    if (j < columns)
        vec_store_part_bf16(out + j, vec_load_part_f32(sums + j, columns - j, 0), columns - j);
}

/* Bags [low, high): each is summed in pieces of as many rows as are asked for at once, while the
 * rows of the next piece come. f32 is summed where it goes, bf16 beside. */
VEC_INLINE void sum_bags_prefetching(const abdb_vec_bags *b, size_t low, size_t high,
                                     const bool is_bf16)
{
    const size_t size = is_bf16 ? sizeof(uint16_t) : sizeof(float), row = b->width * size;
    size_t end = high * b->lookups, asked = low * b->lookups;
    size_t ahead = AHEAD_BYTES / row + 1 < AHEAD_MOST ? AHEAD_BYTES / row + 1 : AHEAD_MOST;
    float sums[WIDE];

    for (size_t bag = low; bag < high; bag++) {
        size_t table = bag / b->batch, sample = bag % b->batch;
        const char *rows = (const char *)b->table + table * b->rows * row;
        char *out = (char *)b->out + (sample * b->sample_stride + table * b->width) * size;

        for (size_t j = 0; j < b->width; j += WIDE) {
            size_t columns = b->width - j < WIDE ? b->width - j : WIDE;
            float *to = is_bf16 ? sums : (float *)out + j;

            for (size_t from = 0; from < b->lookups; from += ahead) {
                size_t n = b->lookups - from < ahead ? b->lookups - from : ahead,
                       want = bag * b->lookups + from + n + ahead;
                indexed_rows r = {rows + j * size, row, b->index + bag * b->lookups + from, n};

                want = want < end ? want : end;
                if (asked < want) prefetch_rows_of_lookups(b, row, asked, want);
                asked = asked < want ? want : asked;
                sum_indexed_rows_all_columns(&r, columns, to, from > 0, is_bf16);
            }
            if (is_bf16) store_row_as_bf16(sums, (uint16_t *)out + j, columns);
        }
    }
}

/* Counted table by table. */
void VEC(embedding_bags)(const abdb_vec_bags *b, size_t low, size_t high)
{
    if (b->dtype == ABDB_BF16)
        sum_bags_prefetching(b, low, high, true);
    else
        sum_bags_prefetching(b, low, high, false);
}

/* The updates of one part of the table. */
void VEC(gups_updates)(uint64_t *word, size_t words, size_t updates, uint64_t seed)
{
    uint64_t state = seed, known[KNOWN];

    for (size_t i = 0; i < updates; i += KNOWN) {
        size_t n = updates - i < KNOWN ? updates - i : KNOWN;

        for (size_t j = 0; j < n; j++) {
            known[j] = abdb_xorshift64_next(&state);
            vec_prefetch((const char *)(word + known[j] % words));
        }
        for (size_t j = 0; j < n; j++) word[known[j] % words] ^= known[j];
    }
}
