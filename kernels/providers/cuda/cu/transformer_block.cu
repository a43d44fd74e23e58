/* transformer_block.cu - steps of a transformer block beside products, norms and attention: biases on rows, sums
 * of columns, gradients of a norm. */
#include "kernels/providers/cuda/cu/device.cuh"

/* A thread has four elements, 256 apart; rows are of any number of columns. */
template <class T> static __device__ void broadcast_bias_plus_base(const abdb_cu_broadcast_bias &a)
{
#pragma unroll
    for (int i = 0; i < ABDB_CU_EACH; i++) {
        uint64_t at = abdb_cu_piece_index_of_thread(blockIdx.x, threadIdx.x, i);

        if (at >= a.n) break;
        from_float(((T *)a.to)[at], to_float(((const T *)a.bias)[at % a.columns]) +
                                        (a.base ? to_float(((const T *)a.base)[at]) : 0));
    }
}

/* A block has 32 columns; its warps take rows in turn. */
template <class T> static __device__ void sum_columns(const abdb_cu_column_sums &a)
{
    SHARED(float, room, ABDB_CU_THREADS);
    unsigned warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE,
             warps = blockDim.x / WARP_SIZE;
    uint64_t column = (uint64_t)blockIdx.x * WARP_SIZE + lane;
    float sum = 0;

    for (uint64_t r = warp; column < a.columns && r < a.rows; r += warps)
        sum += to_float(((const T *)a.from)[r * a.columns + column]);
    room[threadIdx.x] = sum;
    __syncthreads();
    if (warp != 0 || column >= a.columns) return;
    for (unsigned i = 1; i < warps; i++) sum += room[i * WARP_SIZE + lane];
    from_float(((T *)a.to)[column], sum);
}

/* A block a row: with hat = (x - mean) scale and back = dy gain, dx = base + scale (back - mean(back)
 * - hat mean(back hat)), hats = dy hat. */
template <class T> static __device__ void layernorm_backward_row_and_gain_terms(const abdb_cu_norm_backward &a)
{
    SHARED(float, room, 33);
    uint64_t row = blockIdx.x * a.columns, n = a.columns;
    const T *dy = (const T *)a.dy + row, *x = (const T *)a.x + row, *gain = (const T *)a.gain,
            *base = (const T *)a.base + row;
    T *dx = (T *)a.dx + row, *hats = (T *)a.hats + row;
    float sum = 0, along = 0, mean, scale;

    for (uint64_t i = threadIdx.x; i < n; i += blockDim.x) sum += to_float(x[i]);
    mean = block_sum(sum, room) / (float)n;
    sum = 0;
    for (uint64_t i = threadIdx.x; i < n; i += blockDim.x)
        sum += (to_float(x[i]) - mean) * (to_float(x[i]) - mean);
    scale = reciprocal_sqrt(block_sum(sum, room) / (float)n + 1e-5f);
    sum = 0;
    for (uint64_t i = threadIdx.x; i < n; i += blockDim.x) {
        float hat = (to_float(x[i]) - mean) * scale, back = to_float(dy[i]) * to_float(gain[i]);

        sum += back;
        along += back * hat;
        from_float(hats[i], to_float(dy[i]) * hat);
    }
    sum = block_sum(sum, room) / (float)n;
    along = block_sum(along, room) / (float)n;
    for (uint64_t i = threadIdx.x; i < n; i += blockDim.x) {
        float hat = (to_float(x[i]) - mean) * scale, back = to_float(dy[i]) * to_float(gain[i]);

        from_float(dx[i], to_float(base[i]) + scale * (back - sum - hat * along));
    }
}

#define STEPS(suffix, T)                                           \
    KERNEL(spread_##suffix, abdb_cu_broadcast_bias, ABDB_CU_THREADS)       \
    {                                                              \
        broadcast_bias_plus_base<T>(a);                                              \
    }                                                              \
    KERNEL(columns_##suffix, abdb_cu_column_sums, ABDB_CU_THREADS)     \
    {                                                              \
        sum_columns<T>(a);                                             \
    }                                                              \
    KERNEL(norm_back_##suffix, abdb_cu_norm_backward, ABDB_CU_THREADS) \
    {                                                              \
        layernorm_backward_row_and_gain_terms<T>(a);                                           \
    }
STEPS(f32, float)
STEPS(bf16, bf16)
STEPS(f16, f16)
