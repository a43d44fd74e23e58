/* attention_plain.cu - attention in blocks without tensor cores, of any format and width: 64 queries, 64 keys
 * at a time, 128 columns of the result a block. And scores of whole heads to probabilities. */
#include "kernels/providers/cuda/cu/device.cuh"

enum { SIDE = 64, PITCH = SIDE + 1, WIDE = 128, EACH = 4, ACROSS = 16, COLUMNS = WIDE / ACROSS };

/* SIDE rows from `first` on, columns [from, from + SIDE) of them, zeros where there are none. */
template <int wide, int room, class T>
static __device__ void load_tile_as_float(float *to, const T *data, uint64_t row, uint32_t first, uint32_t count,
                             uint32_t from, uint32_t d)
{
    for (unsigned i = threadIdx.x; i < (unsigned)(SIDE * wide); i += blockDim.x) {
        unsigned r = i / wide, c = i % wide;

        to[r * room + c] =
            first + r < count && from + c < d ? to_float(data[(first + r) * row + from + c]) : 0;
    }
}

/* score[i][j] += row EACH y + i of p times row x + ACROSS j of q, tiles of SIDE columns. */
static __device__ __forceinline__ void add_score_products(float score[EACH][EACH], const float *p,
                                                    const float *q)
{
    unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;

#pragma unroll 4
    for (int c = 0; c < SIDE; c++) {
        float b[EACH];

#pragma unroll
        for (int j = 0; j < EACH; j++) b[j] = q[(x + ACROSS * j) * PITCH + c];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            float one = p[(y * EACH + i) * PITCH + c];

#pragma unroll
            for (int j = 0; j < EACH; j++) score[i][j] = fmaf(one, b[j], score[i][j]);
        }
    }
}

static __device__ __forceinline__ float sum_or_max_over_row(float x, bool take_max)
{
    for (int m = ACROSS / 2; m > 0; m /= 2) {
        float other = __shfl_xor_sync((unsigned)ALL_LANES, x, m);

        x = take_max ? fmaxf(x, other) : x + other;
    }
    return x;
}

template <class T> static __device__ void online_softmax_attention_tile(const abdb_cu_attention &a)
{
    DYNAMIC(memory);
    float *q_tile = (float *)memory, *k_tile = q_tile + SIDE * PITCH,
          *p_tile = k_tile + SIDE * PITCH, *v_tile = p_tile + SIDE * PITCH;
    uint32_t blocks = (a.queries + SIDE - 1) / SIDE, query = blockIdx.x % blocks * SIDE,
             head = blockIdx.x / blocks % a.heads, batch = blockIdx.x / blocks / a.heads,
             column = blockIdx.y * WIDE, last;
    unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    const T *q = (const T *)a.q.data + batch * a.q.batch + head * a.q.head,
            *k = (const T *)a.k.data + batch * a.k.batch + head / a.group * a.k.head,
            *v = (const T *)a.v.data + batch * a.v.batch + head / a.group * a.v.head;
    T *o = (T *)a.o.data + batch * a.o.batch + head * a.o.head;
    float sum[EACH][COLUMNS] = {}, most[EACH], all[EACH];

    for (int i = 0; i < EACH; i++) {
        most[i] = -INFINITY;
        all[i] = 0;
    }
    last = query + SIDE < a.queries ? query + SIDE - 1 : a.queries - 1;
    last = abdb_cu_visible_key_count(last, a.queries, a.keys, a.causal);
    for (uint32_t first = 0; first < last; first += SIDE) {
        float score[EACH][EACH] = {};

        for (uint32_t c = 0; c < a.d; c += SIDE) {
            __syncthreads();
            load_tile_as_float<SIDE, PITCH>(q_tile, q, a.q.row, query, a.queries, c, a.d);
            load_tile_as_float<SIDE, PITCH>(k_tile, k, a.k.row, first, a.keys, c, a.d);
            __syncthreads();
            add_score_products(score, q_tile, k_tile);
        }
        load_tile_as_float<WIDE, WIDE>(v_tile, v, a.v.row, first, a.keys, column, a.d);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            uint32_t seen = abdb_cu_visible_key_count(query + y * EACH + i, a.queries, a.keys, a.causal);
            float now = most[i], less, part = 0;

#pragma unroll
            for (int j = 0; j < EACH; j++) {
                score[i][j] = first + x + ACROSS * j < seen ? score[i][j] * a.scale : -INFINITY;
                now = fmaxf(now, score[i][j]);
            }
            now = sum_or_max_over_row(now, true);
            less = exp_of_float(most[i] - now);
            most[i] = now;
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                float p = exp_of_float(score[i][j] - now);

                part += p;
                p_tile[(y * EACH + i) * PITCH + x + ACROSS * j] = p;
            }
            all[i] = all[i] * less + sum_or_max_over_row(part, false);
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) sum[i][j] *= less;
        }
        __syncthreads();
#pragma unroll 4
        for (int key = 0; key < SIDE; key++) {
            float p[EACH];

#pragma unroll
            for (int i = 0; i < EACH; i++) p[i] = p_tile[(y * EACH + i) * PITCH + key];
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                float one = v_tile[key * WIDE + x + ACROSS * j];

#pragma unroll
                for (int i = 0; i < EACH; i++) sum[i][j] = fmaf(p[i], one, sum[i][j]);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        uint32_t row = query + y * EACH + i;

        if (row >= a.queries) continue;
        if (a.logarithm && x == 0 && blockIdx.y == 0)
            a.logarithm[((uint64_t)batch * a.heads + head) * a.queries + row] =
                most[i] + logf(all[i]);
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            if (column + x + ACROSS * j < a.d)
                from_float(o[row * a.o.row + column + x + ACROSS * j], sum[i][j] / all[i]);
    }
}

KERNEL(attention_f32, abdb_cu_attention, ABDB_CU_THREADS)
{
    online_softmax_attention_tile<float>(a);
}
KERNEL(attention_bf16, abdb_cu_attention, ABDB_CU_THREADS)
{
    online_softmax_attention_tile<bf16>(a);
}
KERNEL(attention_f16, abdb_cu_attention, ABDB_CU_THREADS)
{
    online_softmax_attention_tile<f16>(a);
}

/* A block a row. */
template <class T> static __device__ void softmax_scores_row_and_logsumexp(const abdb_cu_softmax_scores &a)
{
    SHARED(float, room, 33);
    const float *row = a.scores + (uint64_t)blockIdx.x * a.keys;
    T *out = (T *)a.out + (uint64_t)blockIdx.x * a.keys;
    uint32_t seen = abdb_cu_visible_key_count(blockIdx.x % a.queries, a.queries, a.keys, a.causal);
    float most = -INFINITY, sum = 0;

    for (uint32_t j = threadIdx.x; j < seen; j += blockDim.x) most = fmaxf(most, row[j]);
    most = block_max(most, room);
    for (uint32_t j = threadIdx.x; j < seen; j += blockDim.x)
        sum += exp_of_float((row[j] - most) * a.scale);
    sum = block_sum(sum, room);
    for (uint32_t j = threadIdx.x; j < a.keys; j += blockDim.x)
        from_float(out[j], j < seen ? exp_of_float((row[j] - most) * a.scale) / sum : 0);
    if (threadIdx.x == 0) a.logarithm[blockIdx.x] = most * a.scale + logf(sum);
}

KERNEL(softmax_scores_f32, abdb_cu_softmax_scores, ABDB_CU_THREADS)
{
    softmax_scores_row_and_logsumexp<float>(a);
}
KERNEL(softmax_scores_bf16, abdb_cu_softmax_scores, ABDB_CU_THREADS)
{
    softmax_scores_row_and_logsumexp<bf16>(a);
}
KERNEL(softmax_scores_f16, abdb_cu_softmax_scores, ABDB_CU_THREADS)
{
    softmax_scores_row_and_logsumexp<f16>(a);
}
