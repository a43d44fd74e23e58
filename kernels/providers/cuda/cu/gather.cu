/* gather.cu - rows of a table by index: a group of threads a row, by vectors of 16, 8 or 4 bytes. */
#include "kernels/providers/cuda/cu/device.cuh"

/* Rows that a group has under way at once. */
enum { ROWS = 4 };

/* Group `thread / group` of a block has rows number + k x groups; its threads the vectors of them. */
template <class V, bool scatter> static __device__ __forceinline__ void gather_or_scatter_rows_of_group(const abdb_cu_indexed_rows &a)
{
    uint64_t width = a.width * sizeof(float) / sizeof(V);
    unsigned group = abdb_cu_threads_per_row_up_to_warp(width), groups = blockDim.x / group;
    uint64_t first = (blockIdx.x * (uint64_t)groups + threadIdx.x / group) * ROWS;
    unsigned in = threadIdx.x % group;
    uint64_t at[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; r++) at[r] = first + r < a.count ? (uint64_t)a.index[first + r] : 0;
    for (uint64_t c = in; c < width; c += group) {
        V v[ROWS];

#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (first + r < a.count)
                v[r] = load_streaming((const V *)a.from + (scatter ? first + r : at[r]) * width + c);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (first + r < a.count)
                store_streaming((V *)a.to + (scatter ? at[r] : first + r) * width + c, v[r]);
    }
}

KERNEL(gather_16, abdb_cu_indexed_rows, ABDB_CU_THREADS)
{
    gather_or_scatter_rows_of_group<uint4, false>(a);
}
KERNEL(gather_8, abdb_cu_indexed_rows, ABDB_CU_THREADS)
{
    gather_or_scatter_rows_of_group<double, false>(a);
}
KERNEL(gather_4, abdb_cu_indexed_rows, ABDB_CU_THREADS)
{
    gather_or_scatter_rows_of_group<float, false>(a);
}
KERNEL(scatter_16, abdb_cu_indexed_rows, ABDB_CU_THREADS)
{
    gather_or_scatter_rows_of_group<uint4, true>(a);
}
KERNEL(scatter_8, abdb_cu_indexed_rows, ABDB_CU_THREADS)
{
    gather_or_scatter_rows_of_group<double, true>(a);
}
KERNEL(scatter_4, abdb_cu_indexed_rows, ABDB_CU_THREADS)
{
    gather_or_scatter_rows_of_group<float, true>(a);
}
