/* device.cuh - what every file of device code begins with: number formats, sums over a block,
 * shared memory. Host compilers get these words from an emulation of their own (ABDB_EMULATED). */
#ifndef ABDB_PROVIDERS_CUDA_DEVICE_CUH
#define ABDB_PROVIDERS_CUDA_DEVICE_CUH

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/cu/thread_maps.h"

#ifndef ABDB_EMULATED
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL(name, args, most)  extern "C" __global__ void __launch_bounds__(most) name(args a)
#define SHARED(type, name, count) __shared__ type name[count]
#define DYNAMIC(name)             extern __shared__ __align__(16) unsigned char name[]

typedef __nv_bfloat16 bf16;
typedef __half f16;

static __device__ __forceinline__ float to_float(bf16 x)
{
    return __bfloat162float(x);
}
static __device__ __forceinline__ float to_float(f16 x)
{
    return __half2float(x);
}
static __device__ __forceinline__ void from_float(bf16 &to, float x)
{
    to = __float2bfloat16_rn(x);
}
static __device__ __forceinline__ void from_float(f16 &to, float x)
{
    to = __float2half_rn(x);
}
/* Within 2 ulp and what the argument's rounding makes of it. */
static __device__ __forceinline__ float exp_of_float(float x)
{
    return expf(x);
}
static __device__ __forceinline__ float exp2_of_float(float x)
{
    return exp2f(x);
}
static __device__ __forceinline__ float reciprocal_sqrt(float x)
{
    return 1 / sqrtf(x);
}
static __device__ __forceinline__ int dot4_i8_accumulate(unsigned a, unsigned b, int sum)
{
    return __dp4a((int)a, (int)b, sum);
}
/* Two f16 at once. */
static __device__ __forceinline__ unsigned fma_f16x2(unsigned a, unsigned b, unsigned c)
{
    unsigned d;

    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
/* Read once, written once: it need not stay in caches. */
template <class T> static __device__ __forceinline__ T load_streaming(const T *from)
{
    return __ldcs(from);
}
template <class T> static __device__ __forceinline__ void store_streaming(T *to, T value)
{
    __stcs(to, value);
}
#endif

enum { WARP_SIZE = 32, ALL_LANES = -1 };

static __device__ __forceinline__ float to_float(float x)
{
    return x;
}
static __device__ __forceinline__ void from_float(float &to, float x)
{
    to = x;
}

/* 16 bytes of numbers. */
template <class T> union vector16 {
    uint4 raw;
    T at[16 / sizeof(T)];

    __device__ vector16()
    {
    }
};

/* Numbers that lie together and are read at once. */
template <class T, int n> struct alignas(sizeof(T) * n) pack {
    T at[n];
};

/* The sum (or the largest) over a warp, in all lanes. */
template <class T> static __device__ __forceinline__ T warp_sum(T x)
{
    for (int m = WARP_SIZE / 2; m > 0; m /= 2) x += __shfl_xor_sync((unsigned)ALL_LANES, x, m);
    return x;
}
static __device__ __forceinline__ float warp_max(float x)
{
    for (int m = WARP_SIZE / 2; m > 0; m /= 2)
        x = fmaxf(x, __shfl_xor_sync((unsigned)ALL_LANES, x, m));
    return x;
}

/* The same over a block of up to 1024 threads, whole warps; `room` is shared, of 33 numbers. */
template <class T> static __device__ T block_sum(T x, T *room)
{
    unsigned warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE,
             warps = blockDim.x / WARP_SIZE;

    x = warp_sum(x);
    __syncthreads(); /* whoever still reads an earlier sum */
    if (lane == 0) room[warp] = x;
    __syncthreads();
    x = lane < warps ? room[lane] : T(0);
    return warp_sum(x);
}
static __device__ inline float block_max(float x, float *room)
{
    unsigned warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE,
             warps = blockDim.x / WARP_SIZE;

    x = warp_max(x);
    __syncthreads();
    if (lane == 0) room[warp] = x;
    __syncthreads();
    x = lane < warps ? room[lane] : -INFINITY;
    return warp_max(x);
}

#endif
