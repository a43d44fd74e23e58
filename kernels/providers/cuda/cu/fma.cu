/* fma.cu - multiply-adds in registers: a thread has several sums, so that each waits for none. Of
 * bf16 a step adds two products in f32, of i8 four in i32, of f16 one in f16, two elements at once.
 * What is multiplied is turned by 0 places of a word, which no compiler knows: each step is done. */
#include "kernels/providers/cuda/cu/device.cuh"

enum { CHAINS = 8, PERIOD = 16 };

template <class T> static __device__ void run_fma_chains(const abdb_cu_fma &a)
{
    uint64_t low = (blockIdx.x * (uint64_t)blockDim.x) * CHAINS + threadIdx.x;
    const T by = T(1 - 0x1p-12), more = T(0x1p-13);
    T v[CHAINS];

#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        uint64_t at = low + c * blockDim.x;

        v[c] = at < a.width ? ((const T *)a.x)[at] : T(0);
    }
    for (uint64_t s = 0; s < a.n; s++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++) v[c] = fma(by, v[c], more);
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        uint64_t at = low + c * blockDim.x;

        if (at < a.width) ((T *)a.z)[at] = v[c];
    }
}

KERNEL(fma_f32, abdb_cu_fma, ABDB_CU_THREADS)
{
    run_fma_chains<float>(a);
}
KERNEL(fma_f64, abdb_cu_fma, ABDB_CU_THREADS)
{
    run_fma_chains<double>(a);
}

static __device__ __forceinline__ unsigned rotate_bits_left(unsigned x, int by)
{
    return x << by | (by ? x >> (32 - by) : 0);
}

KERNEL(fma_bf16, abdb_cu_fma, ABDB_CU_THREADS)
{
    uint64_t low = (blockIdx.x * (uint64_t)blockDim.x) * CHAINS + threadIdx.x;
    float x[CHAINS][2], y[CHAINS][2], sum[CHAINS];

#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        uint64_t at = low + c * blockDim.x, from = at < a.width ? at : 0;

        for (int j = 0; j < 2; j++) {
            x[c][j] = to_float(((const bf16 *)a.x)[2 * from + j]);
            y[c][j] = to_float(((const bf16 *)a.y)[2 * (from % PERIOD) + j]);
        }
        sum[c] = 0;
    }
    for (uint64_t s = 0; s < a.n; s++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            sum[c] = fmaf(x[c][1], y[c][1], fmaf(x[c][0], y[c][0], sum[c]));
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        uint64_t at = low + c * blockDim.x;

        if (at < a.width) ((float *)a.z)[at] = sum[c];
    }
}

KERNEL(fma_i8, abdb_cu_fma, ABDB_CU_THREADS)
{
    uint64_t low = (blockIdx.x * (uint64_t)blockDim.x) * CHAINS + threadIdx.x;
    unsigned x[CHAINS], y[CHAINS];
    int sum[CHAINS];

#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        uint64_t at = low + c * blockDim.x, from = at < a.width ? at : 0;

        x[c] = ((const unsigned *)a.x)[from];
        y[c] = ((const unsigned *)a.y)[from % PERIOD];
        sum[c] = 0;
    }
    for (uint64_t s = 0; s < a.n; s++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            sum[c] = dot4_i8_accumulate(x[c], y[c], sum[c]);
            y[c] = rotate_bits_left(y[c], a.none);
        }
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        uint64_t at = low + c * blockDim.x;

        if (at < a.width) ((int *)a.z)[at] = sum[c];
    }
}

/* Two elements a word; of an odd width the last by itself. */
KERNEL(fma_f16, abdb_cu_fma, ABDB_CU_THREADS)
{
    uint64_t low = (blockIdx.x * (uint64_t)blockDim.x) * CHAINS + threadIdx.x;
    const uint16_t *from = (const uint16_t *)a.x, *by = (const uint16_t *)a.y;
    unsigned x[CHAINS], y[CHAINS], sum[CHAINS];

#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        uint64_t at = 2 * (low + c * blockDim.x), first = at < a.width ? at : 0,
                 second = at + 1 < a.width ? at + 1 : first;

        x[c] = from[first] | (unsigned)from[second] << 16;
        y[c] = by[first % PERIOD] | (unsigned)by[second % PERIOD] << 16;
        sum[c] = 0;
    }
    for (uint64_t s = 0; s < a.n; s++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++) sum[c] = fma_f16x2(x[c], y[c], sum[c]);
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        uint64_t at = 2 * (low + c * blockDim.x);

        if (at < a.width) ((uint16_t *)a.z)[at] = (uint16_t)sum[c];
        if (at + 1 < a.width) ((uint16_t *)a.z)[at + 1] = (uint16_t)(sum[c] >> 16);
    }
}
