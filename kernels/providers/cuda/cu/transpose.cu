/* transpose.cu - matrices of bytes or floats with rows for columns, by tiles of 32 x 32 in shared memory. */
#include "kernels/providers/cuda/cu/device.cuh"

enum { TILE = 32, LINES = ABDB_CU_THREADS / TILE };

template <class T> static __device__ __forceinline__ void transpose_matrix_tile(const abdb_cu_transpose &a)
{
    enum { PITCH = TILE + (sizeof(T) == 1 ? 4 : 1) };
    SHARED(T, tile, TILE * PITCH);
    const T *from = (const T *)a.from + blockIdx.z * a.rows * a.columns;
    T *to = (T *)a.to + blockIdx.z * a.rows * a.columns;
    unsigned x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    uint64_t column = (uint64_t)blockIdx.x * TILE, row = (uint64_t)blockIdx.y * TILE;

    for (unsigned i = y; i < TILE; i += LINES)
        if (row + i < a.rows && column + x < a.columns)
            tile[i * PITCH + x] = from[(row + i) * a.columns + column + x];
    __syncthreads();
    for (unsigned i = y; i < TILE; i += LINES)
        if (column + i < a.columns && row + x < a.rows)
            to[(column + i) * a.rows + row + x] = tile[x * PITCH + i];
}

KERNEL(transpose_bytes, abdb_cu_transpose, ABDB_CU_THREADS)
{
    transpose_matrix_tile<unsigned char>(a);
}
KERNEL(transpose_floats, abdb_cu_transpose, ABDB_CU_THREADS)
{
    transpose_matrix_tile<float>(a);
}
