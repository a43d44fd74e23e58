/* stream.cu - the loops of STREAM, by vectors of 16 bytes, four of them at once; sums of blocks, then
 * of their sums. */
#include "kernels/providers/cuda/cu/device.cuh"

enum { COPY, SCALE, ADD, TRIAD, WRITE, CHAIN };

template <int op, class T> static __device__ __forceinline__ T apply_stream_op(T x, T y, uint64_t fmas)
{
    const T s = T(0.4);

    if (op == SCALE) return s * x;
    if (op == ADD) return x + y;
    if (op == TRIAD) return x + s * y;
    if (op == WRITE) return s;
    if (op == CHAIN)
        for (uint64_t i = 0; i < fmas; i++) x = fma(T(1 - 0x1p-12), x, T(0x1p-13));
    return x;
}

template <int op, class T, bool past>
static __device__ __forceinline__ void run_stream_pass(const abdb_cu_pass &a)
{
    enum { LANES = ABDB_CU_VECTOR / sizeof(T) };
    const T *x = (const T *)a.x, *y = (const T *)a.y;
    T *z = (T *)a.z;
    uint64_t vectors = a.n / LANES, rest = abdb_cu_first_element_after_vectors(a.n, LANES) + threadIdx.x;
    vector16<T> p[ABDB_CU_EACH], q[ABDB_CU_EACH];

#pragma unroll
    for (int i = 0; i < ABDB_CU_EACH; i++) {
        uint64_t at = abdb_cu_piece_index_of_thread(blockIdx.x, threadIdx.x, i);

        if (at >= vectors) continue;
        if (op != WRITE) p[i].raw = load_streaming((const uint4 *)x + at);
        if (op == ADD || op == TRIAD) q[i].raw = load_streaming((const uint4 *)y + at);
    }
#pragma unroll
    for (int i = 0; i < ABDB_CU_EACH; i++) {
        uint64_t at = abdb_cu_piece_index_of_thread(blockIdx.x, threadIdx.x, i);

        if (at >= vectors) continue;
#pragma unroll
        for (int j = 0; j < LANES; j++) p[i].at[j] = apply_stream_op<op>(p[i].at[j], q[i].at[j], a.fmas);
        if (past)
            store_streaming((uint4 *)z + at, p[i].raw);
        else
            ((uint4 *)z)[at] = p[i].raw;
    }
    if (blockIdx.x == 0 && rest < a.n)
        z[rest] = apply_stream_op<op>(op == WRITE ? T(0) : x[rest], op == ADD || op == TRIAD ? y[rest] : T(0),
                          a.fmas);
}

template <bool dot, class T> static __device__ __forceinline__ void partial_sum_or_dot_of_block(const abdb_cu_partial_sums &a)
{
    enum { LANES = ABDB_CU_VECTOR / sizeof(T) };
    SHARED(T, room, 33);
    const T *x = (const T *)a.x, *y = (const T *)a.y;
    uint64_t vectors = a.n / LANES, rest = abdb_cu_first_element_after_vectors(a.n, LANES) + threadIdx.x;
    T sum = 0;

    for (uint64_t b = blockIdx.x; b < abdb_cu_blocks_for_pieces(vectors); b += gridDim.x) {
        vector16<T> p[ABDB_CU_EACH], q[ABDB_CU_EACH];

#pragma unroll
        for (int i = 0; i < ABDB_CU_EACH; i++) {
            uint64_t at = abdb_cu_piece_index_of_thread(b, threadIdx.x, i);

            p[i].raw = q[i].raw = uint4{0, 0, 0, 0};
            if (at >= vectors) continue;
            p[i].raw = load_streaming((const uint4 *)x + at);
            if (dot) q[i].raw = load_streaming((const uint4 *)y + at);
        }
#pragma unroll
        for (int i = 0; i < ABDB_CU_EACH; i++)
#pragma unroll
            for (int j = 0; j < LANES; j++)
                sum = dot ? fma(p[i].at[j], q[i].at[j], sum) : sum + p[i].at[j];
    }
    if (blockIdx.x == 0 && rest < a.n) sum += dot ? x[rest] * y[rest] : x[rest];
    sum = block_sum(sum, room);
    if (threadIdx.x == 0) ((T *)a.out)[blockIdx.x] = sum;
}

template <class T> static __device__ __forceinline__ void sum_partial_sums(const abdb_cu_partial_sums &a)
{
    SHARED(T, room, 33);
    T sum = 0;

    for (uint64_t i = threadIdx.x; i < a.n; i += blockDim.x) sum += ((const T *)a.x)[i];
    sum = block_sum(sum, room);
    if (threadIdx.x == 0) *(T *)a.out = sum;
}

#define PASS(name, op)                                     \
    KERNEL(name##_f32, abdb_cu_pass, ABDB_CU_THREADS)      \
    {                                                      \
        run_stream_pass<op, float, false>(a);                         \
    }                                                      \
    KERNEL(name##_f64, abdb_cu_pass, ABDB_CU_THREADS)      \
    {                                                      \
        run_stream_pass<op, double, false>(a);                        \
    }                                                      \
    KERNEL(name##_past_f32, abdb_cu_pass, ABDB_CU_THREADS) \
    {                                                      \
        run_stream_pass<op, float, true>(a);                          \
    }                                                      \
    KERNEL(name##_past_f64, abdb_cu_pass, ABDB_CU_THREADS) \
    {                                                      \
        run_stream_pass<op, double, true>(a);                         \
    }
PASS(copy, COPY)
PASS(scale, SCALE)
PASS(add, ADD)
PASS(triad, TRIAD)
PASS(write, WRITE)
PASS(fma, CHAIN)

KERNEL(read_f32, abdb_cu_partial_sums, ABDB_CU_THREADS)
{
    partial_sum_or_dot_of_block<false, float>(a);
}
KERNEL(read_f64, abdb_cu_partial_sums, ABDB_CU_THREADS)
{
    partial_sum_or_dot_of_block<false, double>(a);
}
KERNEL(dot_f32, abdb_cu_partial_sums, ABDB_CU_THREADS)
{
    partial_sum_or_dot_of_block<true, float>(a);
}
KERNEL(dot_f64, abdb_cu_partial_sums, ABDB_CU_THREADS)
{
    partial_sum_or_dot_of_block<true, double>(a);
}
KERNEL(total_f32, abdb_cu_partial_sums, ABDB_CU_THREADS)
{
    sum_partial_sums<float>(a);
}
KERNEL(total_f64, abdb_cu_partial_sums, ABDB_CU_THREADS)
{
    sum_partial_sums<double>(a);
}
