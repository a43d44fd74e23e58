/* flash.cu - attention forward in blocks, by tensor cores (Dao 2023): four warps, each with 16 or 32
 * queries whose sums stay in registers; keys and values come while the other is worked on. */
#include "kernels/providers/cuda/cu/tensor_core.cuh"

enum { WARPS = 4 };
static __device__ const float log2_e = 1.4426950408889634f, log_2 = 0.6931471805599453f;

/* What a warp knows of its rows: 16 `tiles` of them, wide sums, scores of so many keys. Of each 16 rows
 * a lane has two, lane / 4 and that plus 8; of 8 columns two. */
template <int tiles, int wide, int keys> struct rows_of {
    float sum[tiles][wide / 8][4], score[tiles][keys / 8][4], most[tiles][2], all[tiles][2];
};

template <class T, int tiles, int wide, int keys>
static __device__ __forceinline__ void compute_score_tile(rows_of<tiles, wide, keys> &r, const T *q,
                                                   const T *k)
{
    int first = threadIdx.x / WARP_SIZE * tiles * 16;

#pragma unroll
    for (int m = 0; m < tiles; m++)
#pragma unroll
        for (int n = 0; n < keys / 8; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) r.score[m][n][i] = 0;
#pragma unroll
    for (int c = 0; c < wide / 16; c++) {
        uint32_t a[tiles][4], b[4];

#pragma unroll
        for (int m = 0; m < tiles; m++) load_operand_a<T, wide>(a[m], q, first + m * 16, c);
#pragma unroll
        for (int n = 0; n < keys / 16; n++) {
            load_two_operands_b<T, wide>(b, k, n * 16, c);
#pragma unroll
            for (int m = 0; m < tiles; m++) {
                mma_accumulate(r.score[m][2 * n], a[m], b, T());
                mma_accumulate(r.score[m][2 * n + 1], a[m], b + 2, T());
            }
        }
    }
}

/* Scores of keys that a query does not see become -infinity; first: of the tile's keys. */
template <int tiles, int wide, int keys>
static __device__ __forceinline__ void
mask_unseen_scores(rows_of<tiles, wide, keys> &r, const abdb_cu_attention &a, uint32_t query, uint32_t first)
{
#pragma unroll
    for (int m = 0; m < tiles; m++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t row = query + m * 16 + i / 2 * 8,
                     seen = abdb_cu_visible_key_count(row, a.queries, a.keys, a.causal);

#pragma unroll
            for (int n = 0; n < keys / 8; n++)
                if (first + n * 8 + threadIdx.x % 4 * 2 + i % 2 >= seen)
                    r.score[m][n][i] = -INFINITY;
        }
}

/* Scores to exponentials; sums become as much less as the largest score has grown. */
template <int tiles, int wide, int keys>
static __device__ __forceinline__ void update_online_softmax(rows_of<tiles, wide, keys> &r, float scale)
{
#pragma unroll
    for (int m = 0; m < tiles; m++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float now = r.most[m][h], less, sum = 0;

#pragma unroll
            for (int n = 0; n < keys / 8; n++)
                now = fmaxf(now, fmaxf(r.score[m][n][2 * h], r.score[m][n][2 * h + 1]));
            now = fmaxf(now, __shfl_xor_sync((unsigned)ALL_LANES, now, 1));
            now = fmaxf(now, __shfl_xor_sync((unsigned)ALL_LANES, now, 2));
            less = exp2_of_float((r.most[m][h] - now) * scale);
            r.most[m][h] = now;
#pragma unroll
            for (int n = 0; n < keys / 8; n++)
#pragma unroll
                for (int i = 2 * h; i < 2 * h + 2; i++)
                    sum += r.score[m][n][i] = exp2_of_float((r.score[m][n][i] - now) * scale);
            r.all[m][h] = r.all[m][h] * less + sum; /* of this lane's columns */
#pragma unroll
            for (int n = 0; n < wide / 8; n++)
#pragma unroll
                for (int i = 2 * h; i < 2 * h + 2; i++) r.sum[m][n][i] *= less;
        }
}

template <class T, int tiles, int wide, int keys>
static __device__ __forceinline__ void accumulate_weighted_values(rows_of<tiles, wide, keys> &r, const T *v)
{
#pragma unroll
    for (int c = 0; c < keys / 16; c++) {
        uint32_t p[tiles][4], b[4];

#pragma unroll
        for (int m = 0; m < tiles; m++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const float *s = r.score[m][2 * c + i / 2] + i % 2 * 2;

                p[m][i] = round_and_pack_two_16bit_floats<T>(s[0], s[1]);
            }
#pragma unroll
        for (int n = 0; n < wide / 16; n++) {
            load_two_b_transposed<T, wide>(b, v, n * 16, c);
#pragma unroll
            for (int m = 0; m < tiles; m++) {
                mma_accumulate(r.sum[m][2 * n], p[m], b, T());
                mma_accumulate(r.sum[m][2 * n + 1], p[m], b + 2, T());
            }
        }
    }
}

template <class T, int tiles, int wide, int keys>
static __device__ __forceinline__ void
write_normalised_rows_and_logsumexp(rows_of<tiles, wide, keys> &r, const abdb_cu_attention &a, uint32_t query, float scale)
{
    uint32_t blocks = (a.queries + WARPS * tiles * 16 - 1) / (WARPS * tiles * 16),
             head = blockIdx.x / blocks % a.heads, batch = blockIdx.x / blocks / a.heads;
    T *o = (T *)a.o.data + batch * a.o.batch + head * a.o.head;
    float *logarithm = a.logarithm + ((uint64_t)batch * a.heads + head) * a.queries;

#pragma unroll
    for (int m = 0; m < tiles; m++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            uint32_t row = query + m * 16 + h * 8;
            float all = r.all[m][h], by;

            all += __shfl_xor_sync((unsigned)ALL_LANES, all, 1);
            all += __shfl_xor_sync((unsigned)ALL_LANES, all, 2);
            by = 1 / all;
            if (row >= a.queries) continue;
            if (a.logarithm && threadIdx.x % 4 == 0)
                logarithm[row] = r.most[m][h] * scale * log_2 + logf(all);
#pragma unroll
            for (int n = 0; n < wide / 8; n++) {
                uint32_t column = n * 8 + threadIdx.x % 4 * 2;

                if (column < a.d)
                    *(uint32_t *)(o + row * a.o.row + column) =
                        round_and_pack_two_16bit_floats<T>(r.sum[m][n][2 * h] * by, r.sum[m][n][2 * h + 1] * by);
            }
        }
}

template <class T, int tiles, int wide, int keys>
static __device__ __forceinline__ void flash_attention_forward(const abdb_cu_attention &a)
{
    enum { ROWS = WARPS * tiles * 16, PITCH = pitch<wide>::value };
    DYNAMIC(memory);
    uint32_t blocks = (a.queries + ROWS - 1) / ROWS, block = blocks - 1 - blockIdx.x % blocks,
             head = blockIdx.x / blocks % a.heads, batch = blockIdx.x / blocks / a.heads,
             query = block * ROWS, last, own;
    const T *q = (const T *)a.q.data + batch * a.q.batch + head * a.q.head,
            *k = (const T *)a.k.data + batch * a.k.batch + head / a.group * a.k.head,
            *v = (const T *)a.v.data + batch * a.v.batch + head / a.group * a.v.head;
    T *q_tile = (T *)memory, *k_tile = q_tile + ROWS * PITCH, *v_tile = k_tile + keys * PITCH;
    float scale = a.scale * log2_e;
    rows_of<tiles, wide, keys> r;

#pragma unroll
    for (int m = 0; m < tiles; m++) {
        r.most[m][0] = r.most[m][1] = -INFINITY;
        r.all[m][0] = r.all[m][1] = 0;
#pragma unroll
        for (int n = 0; n < wide / 8; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) r.sum[m][n][i] = 0;
    }
    last = query + ROWS < a.queries ? query + ROWS - 1 : a.queries - 1;
    last = abdb_cu_visible_key_count(last, a.queries, a.keys, a.causal); /* keys that any row sees */
    own = query + threadIdx.x / WARP_SIZE * tiles * 16 + threadIdx.x % WARP_SIZE / 4;
    fetch_tile_async<T, ROWS, wide>(q_tile, q, a.q.row, query, a.queries, a.d);
    fetch_tile_async<T, keys, wide>(k_tile, k, a.k.row, 0, a.keys, a.d);
    commit_async_copies();
    for (uint32_t first = 0; first < last; first += keys) {
        wait_async_copies<0>();
        __syncthreads(); /* keys are there, and nobody needs the values before them */
        fetch_tile_async<T, keys, wide>(v_tile, v, a.v.row, first, a.keys, a.d);
        commit_async_copies();
        compute_score_tile<T>(r, q_tile, k_tile);
        if (first + keys > abdb_cu_visible_key_count(query, a.queries, a.keys, a.causal)) mask_unseen_scores(r, a, own, first);
        wait_async_copies<0>();
        __syncthreads(); /* values are there, and nobody needs these keys */
        if (first + keys < last)
            fetch_tile_async<T, keys, wide>(k_tile, k, a.k.row, first + keys, a.keys, a.d);
        commit_async_copies();
        update_online_softmax(r, scale);
        accumulate_weighted_values<T>(r, v_tile);
    }
    write_normalised_rows_and_logsumexp<T>(r, a, own, scale);
}

KERNEL(flash_64_bf16, abdb_cu_attention, WARPS *WARP_SIZE)
{
    flash_attention_forward<bf16, 2, 64, 64>(a);
}
KERNEL(flash_64_f16, abdb_cu_attention, WARPS *WARP_SIZE)
{
    flash_attention_forward<f16, 2, 64, 64>(a);
}
KERNEL(flash_128_bf16, abdb_cu_attention, WARPS *WARP_SIZE)
{
    flash_attention_forward<bf16, 2, 128, 32>(a);
}
KERNEL(flash_128_f16, abdb_cu_attention, WARPS *WARP_SIZE)
{
    flash_attention_forward<f16, 2, 128, 32>(a);
}
