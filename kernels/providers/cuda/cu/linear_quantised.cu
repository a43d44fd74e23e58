/* linear_quantised.cu - layers of quantised and of pruned weights. Quantised: tiles in shared memory, weights as
 * floats there; bytes by bytes on tensor cores. Pruned: a warp a column, lanes along the rows of X. */
#include "kernels/providers/cuda/cu/tensor_core.cuh"

enum { SIDE = 64, DEEP = 32, ACROSS = 16, GROUP = 32 };

/* Weight (k, n) as a number. */
template <bool halves>
static __device__ __forceinline__ float load_i8_raw_or_i4_dequantised(const abdb_cu_linear_quantised &a, uint64_t k, uint64_t n)
{
    int byte;

    if (!halves) return (float)((const int8_t *)a.w)[k * a.n + n];
    byte = ((const uint8_t *)a.w)[k / 2 * a.n + n];
    return (float)((k % 2 ? byte >> 4 : byte & 15) - 8) * a.scale[k / GROUP * a.n + n];
}

/* Tiles of each x 16 rows and 64 columns; a thread has `each` rows, 16 apart, and four columns. */
template <bool halves, int each> static __device__ void dequantising_gemm_tile(const abdb_cu_linear_quantised &a)
{
    enum { ROWS = each * ACROSS, PITCH = DEEP + 1 };
    SHARED(float, x_tile, ROWS *PITCH);
    SHARED(float, w_tile, DEEP *SIDE);
    uint64_t row = (uint64_t)blockIdx.y * ROWS, column = (uint64_t)blockIdx.x * SIDE;
    unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    float sum[each][4] = {};

    for (uint64_t k = 0; k < a.k; k += DEEP) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < ROWS * DEEP; i += blockDim.x) {
            uint64_t r = row + i / DEEP, c = k + i % DEEP;

            x_tile[i / DEEP * PITCH + i % DEEP] = r < a.m && c < a.k ? a.x[r * a.k + c] : 0;
        }
        for (unsigned i = threadIdx.x; i < DEEP * SIDE; i += blockDim.x) {
            uint64_t r = k + i / SIDE, c = column + i % SIDE;

            w_tile[i] = r < a.k && c < a.n ? load_i8_raw_or_i4_dequantised<halves>(a, r, c) : 0;
        }
        __syncthreads();
#pragma unroll 4
        for (int l = 0; l < DEEP; l++)
#pragma unroll
            for (int i = 0; i < each; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] = fmaf(x_tile[(y + ACROSS * i) * PITCH + l],
                                     w_tile[l * SIDE + x + ACROSS * j], sum[i][j]);
    }
#pragma unroll
    for (int i = 0; i < each; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            uint64_t r = row + y + ACROSS * i, c = column + x + ACROSS * j;

            if (r < a.m && c < a.n) a.y[r * a.n + c] = halves ? sum[i][j] : sum[i][j] * a.scale[c];
        }
}

KERNEL(linear_i8_1, abdb_cu_linear_quantised, ABDB_CU_THREADS)
{
    dequantising_gemm_tile<false, 1>(a);
}
KERNEL(linear_i8_4, abdb_cu_linear_quantised, ABDB_CU_THREADS)
{
    dequantising_gemm_tile<false, 4>(a);
}
KERNEL(linear_i4_1, abdb_cu_linear_quantised, ABDB_CU_THREADS)
{
    dequantising_gemm_tile<true, 1>(a);
}
KERNEL(linear_i4_4, abdb_cu_linear_quantised, ABDB_CU_THREADS)
{
    dequantising_gemm_tile<true, 4>(a);
}

/* Rows of bytes to shared memory, BYTES of each, zeros where there are none. */
enum { WARPS = 4, BYTES = 64, ROOM = BYTES + 16 };

static __device__ void load_byte_tile_async(int8_t *to, const int8_t *from, uint64_t first, uint64_t count,
                             uint64_t k, uint64_t depth)
{
    if (depth % 16 == 0) {
        for (unsigned i = threadIdx.x; i < SIDE * BYTES / 16; i += blockDim.x) {
            unsigned r = i / (BYTES / 16), c = i % (BYTES / 16) * 16;
            bool there = first + r < count && k + c < depth;

            copy_16_bytes_async(to + r * ROOM + c, there ? from + (first + r) * depth + k + c : from, there);
        }
        return;
    }
    for (unsigned i = threadIdx.x; i < SIDE * BYTES; i += blockDim.x) {
        unsigned r = i / BYTES, c = i % BYTES;

        to[r * ROOM + c] =
            first + r < count && k + c < depth ? from[(first + r) * depth + k + c] : 0;
    }
}

KERNEL(linear_int8, abdb_cu_linear_int8, WARPS *WARP_SIZE)
{
    SHARED(uint4, room, 2 * SIDE * ROOM / 16);
    int8_t *x_tile = (int8_t *)room, *w_tile = x_tile + SIDE * ROOM;
    uint64_t row = (uint64_t)blockIdx.y * SIDE, column = (uint64_t)blockIdx.x * SIDE;
    unsigned warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
    int sum[SIDE / 8][4] = {};

    for (uint64_t k = 0; k < a.k; k += BYTES) {
        __syncthreads();
        load_byte_tile_async(x_tile, a.x, row, a.m, k, a.k);
        load_byte_tile_async(w_tile, a.w, column, a.n, k, a.k);
        commit_async_copies();
        wait_async_copies<0>();
        __syncthreads();
#pragma unroll
        for (int l = 0; l < BYTES; l += 32) {
            const int8_t *p = x_tile + (warp * 16 + lane / 4) * ROOM + l + lane % 4 * 4;
            uint32_t x[4], w[2];

#pragma unroll
            for (int i = 0; i < 4; i++)
                x[i] = *(const uint32_t *)(p + i % 2 * 8 * ROOM + i / 2 * 16);
#pragma unroll
            for (int n = 0; n < SIDE / 8; n++) {
                p = w_tile + (n * 8 + lane / 4) * ROOM + l + lane % 4 * 4;
                w[0] = *(const uint32_t *)p;
                w[1] = *(const uint32_t *)(p + 16);
                mma_accumulate(sum[n], x, w);
            }
        }
    }
#pragma unroll
    for (int n = 0; n < SIDE / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint64_t r = row + warp * 16 + lane / 4 + i / 2 * 8,
                     c = column + n * 8 + lane % 4 * 2 + i % 2;

            if (r < a.m && c < a.n)
                a.y[r * a.n + c] = (float)sum[n][i] * a.x_scale[r] * a.w_scale[c];
        }
}

/* Columns of a block, and rows of X that it has: LINES of each lane. */
enum { COLUMNS = 8, LINES = 4, TALL = LINES * WARP_SIZE };

KERNEL(linear_sparse, abdb_cu_linear_sparse, ABDB_CU_THREADS)
{
    SHARED(float, tile, TALL *(COLUMNS + 1));
    unsigned warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
    uint64_t column = (uint64_t)blockIdx.x * COLUMNS + warp, row = (uint64_t)blockIdx.y * TALL;
    float sum[LINES] = {};

    if (column < a.n)
        for (int32_t i = a.start[column]; i < a.start[column + 1]; i++) {
            const float *x = a.x + (uint64_t)a.row[i] * a.m + row + lane;
            float w = a.weight[i];

#pragma unroll
            for (int l = 0; l < LINES; l++)
                if (row + lane + l * WARP_SIZE < a.m) sum[l] = fmaf(x[l * WARP_SIZE], w, sum[l]);
        }
#pragma unroll
    for (int l = 0; l < LINES; l++) tile[(lane + l * WARP_SIZE) * (COLUMNS + 1) + warp] = sum[l];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < TALL * COLUMNS; i += blockDim.x) {
        uint64_t r = row + i / COLUMNS, c = (uint64_t)blockIdx.x * COLUMNS + i % COLUMNS;

        if (r < a.m && c < a.n) a.y[r * a.n + c] = tile[i / COLUMNS * (COLUMNS + 1) + i % COLUMNS];
    }
}
