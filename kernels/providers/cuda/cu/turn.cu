/* turn.cu - matrices of bytes with rows for columns, by tiles of 32 x 32 through shared memory. */
#include "kernels/providers/cuda/cu/device.cuh"

enum { TILE = 32, LINES = ABDB_CU_THREADS / TILE };

KERNEL(turn_bytes, abdb_cu_turn, ABDB_CU_THREADS)
{
    SHARED(unsigned char, tile, TILE *(TILE + 4));
    const unsigned char *from = (const unsigned char *)a.from + blockIdx.z * a.rows * a.columns;
    unsigned char *to = (unsigned char *)a.to + blockIdx.z * a.rows * a.columns;
    unsigned x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    uint64_t column = (uint64_t)blockIdx.x * TILE, row = (uint64_t)blockIdx.y * TILE;

    for (unsigned i = y; i < TILE; i += LINES)
        if (row + i < a.rows && column + x < a.columns)
            tile[i * (TILE + 4) + x] = from[(row + i) * a.columns + column + x];
    __syncthreads();
    for (unsigned i = y; i < TILE; i += LINES)
        if (column + i < a.columns && row + x < a.rows)
            to[(column + i) * a.rows + row + x] = tile[x * (TILE + 4) + i];
}
