/* decode_attention.cu - attention of one new token of each request over pages: a block has some tokens of a
 * request and one head of keys, for all heads that share it, GROUP at a time. Each warp reads whole
 * rows, several at once; what blocks and warps found is put together at the end. */
#include "kernels/providers/cuda/cu/device.cuh"

enum { GROUP = 4, WARPS = ABDB_CU_THREADS / 32, AHEAD = 4, COLUMNS = 8 };

/* Row of token j of request b. */
static __device__ __forceinline__ uint64_t paged_kv_row_of_token(const abdb_cu_decode_attention &a, uint32_t b, uint32_t kv,
                                                  uint32_t j)
{
    uint64_t page = a.index ? (uint64_t)a.index[(uint64_t)b * a.width + j / a.block] : b;

    return (page * a.kv_heads + kv) * a.block + j % a.block;
}

/* What was found of some tokens: columns lane, lane + 32, ... of each head of the group. */
struct partial_softmax {
    float most[GROUP], all[GROUP], sum[GROUP][COLUMNS];
};

/* Adds what another has found. */
static __device__ __forceinline__ float merge_softmax_partial_return_own_factor(float *most, float *all, float other_most,
                                             float other_all, float *other_factor)
{
    float now = fmaxf(*most, other_most), mine = now == -INFINITY ? 0 : exp_of_float(*most - now);

    *other_factor = now == -INFINITY ? 0 : exp_of_float(other_most - now);
    *all = *all * mine + other_all * *other_factor;
    *most = now;
    return mine;
}

/* Keys of `AHEAD` tokens from j on against the queries of a group; width: numbers of a lane. */
template <class T>
static __device__ __forceinline__ void attend_to_tokens_online(const abdb_cu_decode_attention &a, partial_softmax &f, const float *q,
                                            uint32_t b, uint32_t kv, uint32_t j, uint32_t end,
                                            uint32_t seen, uint32_t column)
{
    unsigned lane = threadIdx.x % WARP_SIZE;
    const T *key[AHEAD], *value[AHEAD];
    float score[AHEAD][GROUP] = {};

#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        uint64_t at = paged_kv_row_of_token(a, b, kv, j + i < end ? j + i : end - 1) * a.d;

        key[i] = (const T *)a.k + at;
        value[i] = (const T *)a.v + at;
    }
    for (uint32_t c = lane; c < a.d; c += WARP_SIZE) {
        float k[AHEAD];

#pragma unroll
        for (int i = 0; i < AHEAD; i++) k[i] = to_float(key[i][c]);
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            float one = q[g * a.d + c];

#pragma unroll
            for (int i = 0; i < AHEAD; i++) score[i][g] = fmaf(one, k[i], score[i][g]);
        }
    }
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        float now = f.most[g], less;

#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            score[i][g] = warp_sum(score[i][g]) * a.scale;
            if (j + i >= end || j + i >= seen) score[i][g] = -INFINITY;
            now = fmaxf(now, score[i][g]);
        }
        less = now == -INFINITY ? 1 : exp_of_float(f.most[g] - now);
        f.most[g] = now;
        f.all[g] *= less;
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            score[i][g] = now == -INFINITY ? 0 : exp_of_float(score[i][g] - now);
            f.all[g] += score[i][g];
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) f.sum[g][c] *= less;
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        uint32_t at = column + c * WARP_SIZE + lane;

        if (at >= a.d) break;
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            float v = to_float(value[i][at]);

#pragma unroll
            for (int g = 0; g < GROUP; g++) f.sum[g][c] = fmaf(score[i][g], v, f.sum[g][c]);
        }
    }
}

/* Grid: x, splits; y, kv heads x groups of GROUP x pieces of columns; z, requests. */
template <class T> static __device__ void decode_attention_split(const abdb_cu_decode_attention &a)
{
    DYNAMIC(memory);
    float *q = (float *)memory, *most = q + GROUP * a.d, *all = most + WARPS * GROUP,
          *sum = all + WARPS * GROUP;
    uint32_t share = a.heads / a.kv_heads, groups = (share + GROUP - 1) / GROUP,
             pieces = (a.d + COLUMNS * WARP_SIZE - 1) / (COLUMNS * WARP_SIZE),
             column = blockIdx.y % pieces * COLUMNS * WARP_SIZE, kv = blockIdx.y / pieces / groups,
             head = kv * share + blockIdx.y / pieces % groups * GROUP, b = blockIdx.z,
             warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
    uint32_t seen = a.length ? (uint32_t)a.length[b] : a.block,
             tokens = a.table ? a.width * a.block : seen, first = blockIdx.x * a.chunk,
             end = first + a.chunk < tokens ? first + a.chunk : tokens,
             left = (kv + 1) * share - head, count = left < GROUP ? left : (uint32_t)GROUP;
    partial_softmax f;

    for (unsigned i = threadIdx.x; i < GROUP * a.d; i += blockDim.x)
        q[i] = i / a.d < count
                   ? to_float(((const T *)a.q)[((uint64_t)b * a.heads + head) * a.d + i])
                   : 0;
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        f.most[g] = -INFINITY;
        f.all[g] = 0;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) f.sum[g][c] = 0;
    }
    __syncthreads();
    for (uint32_t j = first + warp * AHEAD; j < end; j += WARPS * AHEAD)
        attend_to_tokens_online<T>(a, f, q, b, kv, j, end, seen, column);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        if (lane == 0) {
            most[warp * GROUP + g] = f.most[g];
            all[warp * GROUP + g] = f.all[g];
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            sum[((warp * GROUP + g) * COLUMNS + c) * WARP_SIZE + lane] = f.sum[g][c];
    }
    __syncthreads();
    /* a thread has a column of a head */
    for (unsigned i = threadIdx.x; i < count * COLUMNS * WARP_SIZE; i += blockDim.x) {
        unsigned g = i / (COLUMNS * WARP_SIZE), c = i % (COLUMNS * WARP_SIZE);
        float m = -INFINITY, w = 0, s = 0;

        for (int k = 0; k < WARPS; k++) {
            float by, mine = merge_softmax_partial_return_own_factor(&m, &w, most[k * GROUP + g], all[k * GROUP + g], &by);

            s = s * mine + sum[(k * GROUP + g) * COLUMNS * WARP_SIZE + c] * by;
        }
        if (column + c >= a.d) continue;
        if (a.splits == 1) {
            from_float(((T *)a.o)[((uint64_t)b * a.heads + head + g) * a.d + column + c], s / w);
            if (a.logarithm && column + c == 0)
                a.logarithm[(uint64_t)b * a.heads + head + g] = m + logf(w);
        } else {
            float *part =
                a.part + (((uint64_t)b * a.heads + head + g) * a.splits + blockIdx.x) * (a.d + 2);

            part[column + c] = s;
            if (column + c == 0) {
                part[a.d] = m;
                part[a.d + 1] = w;
            }
        }
    }
}

/* A block a head of a request: parts to the result. */
template <class T> static __device__ void merge_splits_of_head(const abdb_cu_decode_attention &a)
{
    const float *part = a.part + (uint64_t)blockIdx.x * a.splits * (a.d + 2);

    for (uint32_t c = threadIdx.x; c < a.d; c += blockDim.x) {
        float m = -INFINITY, w = 0, s = 0;

        for (uint32_t k = 0; k < a.splits; k++) {
            const float *p = part + (uint64_t)k * (a.d + 2);
            float by, mine = merge_softmax_partial_return_own_factor(&m, &w, p[a.d], p[a.d + 1], &by);

            s = s * mine + p[c] * by;
        }
        from_float(((T *)a.o)[(uint64_t)blockIdx.x * a.d + c], s / w);
        if (a.logarithm && c == 0) a.logarithm[blockIdx.x] = m + logf(w);
    }
}

#define DECODE(suffix, T)                                      \
    KERNEL(decode_##suffix, abdb_cu_decode_attention, ABDB_CU_THREADS)   \
    {                                                          \
        decode_attention_split<T>(a);                                          \
    }                                                          \
    KERNEL(together_##suffix, abdb_cu_decode_attention, ABDB_CU_THREADS) \
    {                                                          \
        merge_splits_of_head<T>(a);                                        \
    }
DECODE(f32, float)
DECODE(bf16, bf16)
DECODE(f16, f16)
