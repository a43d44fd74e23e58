/* latency_gups.cu - loads and updates in an order that nothing foresees: a walk of one thread, and updates
 * of a thread for each part of a table. */
#include "kernels/providers/cuda/cu/device.cuh"

KERNEL(latency, abdb_cu_latency, 32)
{
    int32_t at = 0;

    if (threadIdx.x != 0) return;
    for (uint64_t i = 0; i < a.hops; i++) at = a.next[at];
    *a.end = at;
}

static __device__ __forceinline__ uint64_t next_xorshift64(uint64_t state)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^ state << 17;
}

KERNEL(gups, abdb_cu_gups, 128)
{
    uint64_t part = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    uint64_t state = 0x9E3779B97F4A7C15u * (part + 1), *table = a.table + part * a.each;

    if (part >= a.parts) return;
    for (uint64_t i = 0; i < a.updates; i++) {
        state = next_xorshift64(state);
        table[state % a.each] ^= state;
    }
}
