/* attention_backward_plain.cu - gradients of attention in blocks without tensor cores, of any format and width; and
 * the means of dO O that both ways need. As attention_backward.cu: 64 queries against all keys, 64 keys against
 * all queries, 64 columns of the result a block. */
#include "kernels/providers/cuda/cu/device.cuh"

enum { SIDE = 64, PITCH = SIDE + 1, EACH = 4, ACROSS = 16 };

/* A warp a row: dO times O. */
template <class T> static __device__ void dot_do_with_o_per_row(const abdb_cu_attention_backward &a)
{
    uint64_t row = blockIdx.x * (uint64_t)(blockDim.x / WARP_SIZE) + threadIdx.x / WARP_SIZE,
             head = row / a.queries, query = row % a.queries, batch = head / a.heads;
    const T *o, *d_o;
    float sum = 0;

    head %= a.heads;
    o = (const T *)a.o.data + batch * a.o.batch + head * a.o.head + query * a.o.row;
    d_o = (const T *)a.d_o.data + batch * a.d_o.batch + head * a.d_o.head + query * a.d_o.row;
    if (row >= a.rows) return; /* a whole warp */
    for (uint32_t i = threadIdx.x % WARP_SIZE; i < a.d; i += WARP_SIZE)
        sum = fmaf(to_float(o[i]), to_float(d_o[i]), sum);
    sum = warp_sum(sum);
    if (threadIdx.x % WARP_SIZE == 0) a.means[row] = sum;
}

template <class T>
static __device__ void load_square_tile_as_float(float *to, const T *data, uint64_t row, uint32_t first, uint32_t count,
                             uint32_t from, uint32_t d)
{
    for (unsigned i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x) {
        unsigned r = i / SIDE, c = i % SIDE;

        to[r * PITCH + c] =
            first + r < count && from + c < d ? to_float(data[(first + r) * row + from + c]) : 0;
    }
}

/* c[i][j] += row EACH y + i of p times row x + ACROSS j of q. */
static __device__ __forceinline__ void add_row_by_row_products(float c[EACH][EACH], const float *p, const float *q)
{
    unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;

#pragma unroll 4
    for (int k = 0; k < SIDE; k++)
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++)
                c[i][j] =
                    fmaf(p[(y * EACH + i) * PITCH + k], q[(x + ACROSS * j) * PITCH + k], c[i][j]);
}

/* sum[i][j] += row EACH y + i of p times column x + ACROSS j of q. */
static __device__ __forceinline__ void add_row_by_column_products(float sum[EACH][EACH], const float *p,
                                               const float *q)
{
    unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;

#pragma unroll 4
    for (int k = 0; k < SIDE; k++)
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++)
                sum[i][j] =
                    fmaf(p[(y * EACH + i) * PITCH + k], q[k * PITCH + x + ACROSS * j], sum[i][j]);
}

/* One pair of heads: what attention_backward.cu calls sides. */
template <class T, bool keys>
static __device__ void accumulate_head_gradient_tile(const abdb_cu_attention_backward &a, const T *const from[4],
                                const uint64_t pitch[4], const float *logarithm, const float *mean,
                                float *memory, uint32_t block, float sum[EACH][EACH],
                                float values[EACH][EACH])
{
    float *t1 = memory, *t2 = t1 + SIDE * PITCH, *p = t2 + SIDE * PITCH, *dscore = p + SIDE * PITCH;
    uint32_t mine = keys ? a.keys : a.queries, others = keys ? a.queries : a.keys,
             end = block + SIDE < mine ? block + SIDE : mine,
             first = keys ? abdb_cu_first_query_seeing(block, a.queries, a.keys, a.causal) / SIDE * SIDE : 0,
             last = keys ? a.queries : abdb_cu_visible_key_count(end - 1, a.queries, a.keys, a.causal),
             column = blockIdx.y * SIDE;
    unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;

    for (; first < last; first += SIDE) {
        float score[EACH][EACH] = {}, value[EACH][EACH] = {};

        for (int which = 0; which < 2; which++)
            for (uint32_t c = 0; c < a.d; c += SIDE) {
                __syncthreads();
                load_square_tile_as_float(t1, from[which], pitch[which], block, mine, c, a.d);
                load_square_tile_as_float(t2, from[2 + which], pitch[2 + which], first, others, c, a.d);
                __syncthreads();
                add_row_by_row_products(which ? value : score, t1, t2);
            }
        for (int i = 0; i < EACH; i++)
            for (int j = 0; j < EACH; j++) {
                uint32_t row = block + y * EACH + i, other = first + x + ACROSS * j,
                         query = keys ? other : row, key = keys ? row : other;
                bool seen =
                    query < a.queries && key < abdb_cu_visible_key_count(query, a.queries, a.keys, a.causal);
                float one = seen ? exp_of_float(score[i][j] * a.scale - logarithm[query]) : 0;
                int at = (y * EACH + i) * PITCH + x + ACROSS * j;

                p[at] = one;
                dscore[at] = seen ? one * (value[i][j] - mean[query]) : 0;
            }
        __syncthreads();
        load_square_tile_as_float(t1, from[2], pitch[2], first, others, column, a.d);
        load_square_tile_as_float(t2, from[3], pitch[3], first, others, column, a.d);
        __syncthreads();
        add_row_by_column_products(sum, dscore, t1);
        if (keys) add_row_by_column_products(values, p, t2);
    }
}

template <class T>
static __device__ void write_scaled_gradient_tile(const abdb_cu_heads &to, uint32_t batch, uint32_t head, uint32_t block,
                             uint32_t count, uint32_t d, float by, const float sum[EACH][EACH])
{
    unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    T *out = (T *)to.data + batch * to.batch + head * to.head;

    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) {
            uint32_t row = block + y * EACH + i, column = blockIdx.y * SIDE + x + ACROSS * j;

            if (row < count && column < d) from_float(out[row * to.row + column], sum[i][j] * by);
        }
}

template <class T, bool keys> static __device__ void attention_gradient_of_q_or_kv(const abdb_cu_attention_backward &a)
{
    DYNAMIC(memory);
    uint32_t mine = keys ? a.keys : a.queries, heads = keys ? a.heads / a.group : a.heads,
             blocks = (mine + SIDE - 1) / SIDE, block = blockIdx.x % blocks * SIDE,
             head = blockIdx.x / blocks % heads, batch = blockIdx.x / blocks / heads;
    float sum[EACH][EACH] = {}, values[EACH][EACH] = {};

    for (uint32_t g = 0; g < (keys ? a.group : 1); g++) {
        uint32_t query = keys ? head * a.group + g : head, key = query / a.group;
        uint64_t at = ((uint64_t)batch * a.heads + query) * a.queries;
        const T *q = (const T *)a.q.data + batch * a.q.batch + query * a.q.head,
                *o = (const T *)a.d_o.data + batch * a.d_o.batch + query * a.d_o.head,
                *k = (const T *)a.k.data + batch * a.k.batch + key * a.k.head,
                *v = (const T *)a.v.data + batch * a.v.batch + key * a.v.head;
        const T *const from[4] = {keys ? k : q, keys ? v : o, keys ? q : k, keys ? o : v};
        const uint64_t pitch[4] = {keys ? a.k.row : a.q.row, keys ? a.v.row : a.d_o.row,
                                   keys ? a.q.row : a.k.row, keys ? a.d_o.row : a.v.row};

        accumulate_head_gradient_tile<T, keys>(a, from, pitch, a.logarithm + at, a.means + at, (float *)memory, block,
                          sum, values);
    }
    write_scaled_gradient_tile<T>(keys ? a.dk : a.dq, batch, head, block, mine, a.d, a.scale, sum);
    if (keys) write_scaled_gradient_tile<T>(a.dv, batch, head, block, mine, a.d, 1, values);
}

#define GRADIENTS(suffix, T)                                  \
    KERNEL(means_##suffix, abdb_cu_attention_backward, ABDB_CU_THREADS)   \
    {                                                         \
        dot_do_with_o_per_row<T>(a);                                          \
    }                                                         \
    KERNEL(queries_##suffix, abdb_cu_attention_backward, ABDB_CU_THREADS) \
    {                                                         \
        attention_gradient_of_q_or_kv<T, false>(a);                               \
    }                                                         \
    KERNEL(keys_##suffix, abdb_cu_attention_backward, ABDB_CU_THREADS)    \
    {                                                         \
        attention_gradient_of_q_or_kv<T, true>(a);                                \
    }
GRADIENTS(f32, float)
GRADIENTS(bf16, bf16)
GRADIENTS(f16, f16)
