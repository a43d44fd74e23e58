/* attention_backward.cu - gradients of attention in blocks, by tensor cores: once with 64 queries of a block
 * against all keys (dQ), once with 64 keys against all queries (dK, dV). Probabilities are computed
 * again from the logarithms. Nothing is added up by atomics: the result is the same each time. */
#include "kernels/providers/cuda/cu/tensor_core.cuh"

enum { WARPS = 4, ROWS = WARPS * 16, OTHERS = 32 };

/* Rows of a block (queries, or keys) and those that it goes through: a1 b1 are scores, a2 b2 is
 * dO . V; `to` gets gradients of scores x b1, `to_values` probabilities x b2. */
template <class T> struct sides {
    const T *a1, *a2, *b1, *b2;
    uint64_t a1_row, a2_row, b1_row, b2_row;
    const float *logarithm, *means; /* of the queries of this head */
};

/* c = rows of a warp in `a` times rows of b. */
template <class T, int wide>
static __device__ __forceinline__ void mma_warp_rows_by_tile_rows(float c[OTHERS / 8][4], const T *a, const T *b)
{
#pragma unroll
    for (int n = 0; n < OTHERS / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) c[n][i] = 0;
#pragma unroll
    for (int k = 0; k < wide / 16; k++) {
        uint32_t x[4], y[4];

        load_operand_a<T, wide>(x, a, threadIdx.x / WARP_SIZE * 16, k);
#pragma unroll
        for (int n = 0; n < OTHERS / 16; n++) {
            load_two_operands_b<T, wide>(y, b, n * 16, k);
            mma_accumulate(c[2 * n], x, y, T());
            mma_accumulate(c[2 * n + 1], x, y + 2, T());
        }
    }
}

/* sum += c, rounded, times the tile b. */
template <class T, int wide>
static __device__ __forceinline__ void accumulate_rounded_product_with_tile(float sum[wide / 8][4], const float c[OTHERS / 8][4],
                                               const T *b)
{
#pragma unroll
    for (int k = 0; k < OTHERS / 16; k++) {
        uint32_t x[4], y[4];

#pragma unroll
        for (int i = 0; i < 4; i++)
            x[i] = round_and_pack_two_16bit_floats<T>(c[2 * k + i / 2][i % 2 * 2], c[2 * k + i / 2][i % 2 * 2 + 1]);
#pragma unroll
        for (int n = 0; n < wide / 16; n++) {
            load_two_b_transposed<T, wide>(y, b, n * 16, k);
            mma_accumulate(sum[2 * n], x, y, T());
            mma_accumulate(sum[2 * n + 1], x, y + 2, T());
        }
    }
}

/* Turns scores into probabilities, and dO . V into gradients of scores. own: the lane's first row; first: of the
 * others. */
template <class T, bool keys>
static __device__ __forceinline__ void scores_to_probs_and_dscores(float score[OTHERS / 8][4], float value[OTHERS / 8][4],
                                             const abdb_cu_attention_backward &a, const sides<T> &s,
                                             uint32_t own, uint32_t first)
{
    const float log2_e = 1.4426950408889634f;

#pragma unroll
    for (int n = 0; n < OTHERS / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t row = own + i / 2 * 8, other = first + n * 8 + threadIdx.x % 4 * 2 + i % 2,
                     query = keys ? other : row, key = keys ? row : other;
            bool seen = query < a.queries && key < abdb_cu_visible_key_count(query, a.queries, a.keys, a.causal);
            float p = seen ? exp2_of_float((score[n][i] * a.scale - s.logarithm[query]) * log2_e) : 0;

            score[n][i] = p;
            value[n][i] = seen ? p * (value[n][i] - s.means[query]) : 0;
        }
}

template <class T, int wide>
static __device__ __forceinline__ void write_scaled_rows(T *to, uint64_t pitch_of, const float sum[wide / 8][4],
                                             uint32_t own, uint32_t count, uint32_t d, float by)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        uint32_t row = own + h * 8;

        if (row >= count) continue;
#pragma unroll
        for (int n = 0; n < wide / 8; n++) {
            uint32_t column = n * 8 + threadIdx.x % 4 * 2;

            if (column < d)
                *(uint32_t *)(to + row * pitch_of + column) =
                    round_and_pack_two_16bit_floats<T>(sum[n][2 * h] * by, sum[n][2 * h + 1] * by);
        }
    }
}

/* Others from `first` to `last`, added to the sums. */
template <class T, int wide, bool keys>
static __device__ __forceinline__ void accumulate_gradients_over_rows(const abdb_cu_attention_backward &a, const sides<T> &s,
                                                  float sum[wide / 8][4], float values[wide / 8][4],
                                                  T *memory, uint32_t own, uint32_t block,
                                                  uint32_t first, uint32_t last)
{
    enum { TILE = ROWS * pitch<wide>::value };
    T *a1 = memory, *a2 = a1 + TILE, *b1 = a2 + TILE, *b2 = b1 + OTHERS * pitch<wide>::value;
    uint32_t mine = keys ? a.keys : a.queries, others = keys ? a.queries : a.keys;

    __syncthreads(); /* nobody needs the tiles of another head */
    fetch_tile_async<T, ROWS, wide>(a1, s.a1, s.a1_row, block, mine, a.d);
    fetch_tile_async<T, ROWS, wide>(a2, s.a2, s.a2_row, block, mine, a.d);
    for (; first < last; first += OTHERS) {
        float score[OTHERS / 8][4], value[OTHERS / 8][4];

        fetch_tile_async<T, OTHERS, wide>(b1, s.b1, s.b1_row, first, others, a.d);
        fetch_tile_async<T, OTHERS, wide>(b2, s.b2, s.b2_row, first, others, a.d);
        commit_async_copies();
        wait_async_copies<0>();
        __syncthreads();
        mma_warp_rows_by_tile_rows<T, wide>(score, a1, b1);
        mma_warp_rows_by_tile_rows<T, wide>(value, a2, b2);
        scores_to_probs_and_dscores<T, keys>(score, value, a, s, own, first);
        accumulate_rounded_product_with_tile<T, wide>(sum, value, b1);
        if (keys) accumulate_rounded_product_with_tile<T, wide>(values, score, b2);
        __syncthreads();
    }
}

template <class T, int wide, bool keys>
static __device__ __forceinline__ void flash_backward_of_q_or_kv_tile(const abdb_cu_attention_backward &a)
{
    DYNAMIC(memory);
    uint32_t mine = keys ? a.keys : a.queries, heads = keys ? a.heads / a.group : a.heads,
             blocks = (mine + ROWS - 1) / ROWS, block = blockIdx.x % blocks * ROWS,
             head = blockIdx.x / blocks % heads, batch = blockIdx.x / blocks / heads,
             own = block + threadIdx.x / WARP_SIZE * 16 + threadIdx.x % WARP_SIZE / 4;
    float sum[wide / 8][4], values[wide / 8][4];

#pragma unroll
    for (int n = 0; n < wide / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) sum[n][i] = values[n][i] = 0;
    for (uint32_t g = 0; g < (keys ? a.group : 1); g++) {
        uint32_t query = keys ? head * a.group + g : head, key = query / a.group;
        uint64_t at = ((uint64_t)batch * a.heads + query) * a.queries;
        const T *q = (const T *)a.q.data + batch * a.q.batch + query * a.q.head,
                *o = (const T *)a.d_o.data + batch * a.d_o.batch + query * a.d_o.head,
                *k = (const T *)a.k.data + batch * a.k.batch + key * a.k.head,
                *v = (const T *)a.v.data + batch * a.v.batch + key * a.v.head;
        sides<T> of_queries = {q,           o,       k,
                               v,           a.q.row, a.d_o.row,
                               a.k.row,     a.v.row, a.logarithm + at,
                               a.means + at},
                 of_keys = {
                     k,           v, q, o, a.k.row, a.v.row, a.q.row, a.d_o.row, a.logarithm + at,
                     a.means + at};
        uint32_t end = block + ROWS < mine ? block + ROWS : mine,
                 first =
                     keys ? abdb_cu_first_query_seeing(block, a.queries, a.keys, a.causal) / OTHERS * OTHERS : 0,
                 last = keys ? a.queries : abdb_cu_visible_key_count(end - 1, a.queries, a.keys, a.causal);

        accumulate_gradients_over_rows<T, wide, keys>(a, keys ? of_keys : of_queries, sum, values, (T *)memory, own,
                                  block, first, last);
    }
    if (keys) {
        write_scaled_rows<T, wide>((T *)a.dk.data + batch * a.dk.batch + head * a.dk.head, a.dk.row, sum, own,
                       mine, a.d, a.scale);
        write_scaled_rows<T, wide>((T *)a.dv.data + batch * a.dv.batch + head * a.dv.head, a.dv.row, values,
                       own, mine, a.d, 1);
    } else {
        write_scaled_rows<T, wide>((T *)a.dq.data + batch * a.dq.batch + head * a.dq.head, a.dq.row, sum, own,
                       mine, a.d, a.scale);
    }
}

#define BACKWARD_KERNELS(wide, suffix, T)                                         \
    KERNEL(queries_##wide##_##suffix, abdb_cu_attention_backward, WARPS *WARP_SIZE) \
    {                                                                   \
        flash_backward_of_q_or_kv_tile<T, wide, false>(a);                                      \
    }                                                                   \
    KERNEL(keys_##wide##_##suffix, abdb_cu_attention_backward, WARPS *WARP_SIZE)    \
    {                                                                   \
        flash_backward_of_q_or_kv_tile<T, wide, true>(a);                                       \
    }
BACKWARD_KERNELS(64, bf16, bf16)
BACKWARD_KERNELS(64, f16, f16)
BACKWARD_KERNELS(128, bf16, bf16)
BACKWARD_KERNELS(128, f16, f16)
