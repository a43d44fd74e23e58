/* tensor_core.cuh - products of tensor cores, and how their operands get there (PTX ISA: mma, ldmatrix,
 * cp.async). A warp has a product of 16 x 16 (i8: 32) times 16 x 8 at once. */
#ifndef ABDB_PROVIDERS_CUDA_TENSOR_CUH
#define ABDB_PROVIDERS_CUDA_TENSOR_CUH

#include "kernels/providers/cuda/cu/device.cuh"

#ifndef ABDB_EMULATED
/* c += a b; the last argument says of which format they are. */
static __device__ __forceinline__ void mma_accumulate(float c[4], const uint32_t a[4],
                                                const uint32_t b[2], bf16)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ __forceinline__ void mma_accumulate(float c[4], const uint32_t a[4],
                                                const uint32_t b[2], f16)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
static __device__ __forceinline__ void mma_accumulate(int c[4], const uint32_t a[4], const uint32_t b[2])
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Four matrices of 8 x 8 halves from shared memory; lane i points to row i % 8 of matrix i / 8. */
static __device__ __forceinline__ void ldmatrix_x4(uint32_t out[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}
/* The same, each matrix transposed. */
static __device__ __forceinline__ void ldmatrix_x4_transposed(uint32_t out[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

/* 16 bytes to shared memory beside the work, zeros where `there` is false; nothing is read then. */
static __device__ __forceinline__ void copy_16_bytes_async(void *to, const void *from, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(there ? 16 : 0)
                 : "memory");
}
/* What was copied so far is a group; waits until at most `left` groups are under way. */
static __device__ __forceinline__ void commit_async_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int left> static __device__ __forceinline__ void wait_async_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}
#endif

/* Two numbers as halves of a word, the first in the lower half. */
template <class T> static __device__ __forceinline__ uint32_t round_and_pack_two_16bit_floats(float low, float high)
{
    pack<T, 2> v;
    uint32_t word;

    from_float(v.at[0], low);
    from_float(v.at[1], high);
    memcpy(&word, &v, sizeof word);
    return word;
}

/* --- tiles of rows of `wide` numbers in shared memory, 16 bytes apart from one another so that eight
 * rows lie in eight different groups of banks --- */
template <int wide> struct pitch {
    enum { value = wide + 8 };
};

/* A tile of `rows` rows from row `first` on, of `count` there are; columns from d on are 0. */
template <class T, int rows, int wide>
static __device__ __forceinline__ void fetch_tile_async(T *to, const T *from, uint64_t row,
                                                  uint32_t first, uint32_t count, uint32_t d)
{
    enum { PIECES = wide / 8 };

    for (unsigned i = threadIdx.x; i < rows * PIECES; i += blockDim.x) {
        unsigned r = i / PIECES, c = i % PIECES * 8;
        bool there = first + r < count && c < d;

        copy_16_bytes_async(to + r * pitch<wide>::value + c, there ? from + (first + r) * row + c : from,
                   there);
    }
}

/* Operand A: rows 16 m to 16 m + 15, columns 16 k to 16 k + 15 of a tile. */
template <class T, int wide>
static __device__ __forceinline__ void load_operand_a(uint32_t out[4], const T *tile, int row, int k)
{
    unsigned lane = threadIdx.x % WARP_SIZE;

    ldmatrix_x4(out, tile + (row + lane % 16) * pitch<wide>::value + k * 16 + lane / 16 * 8);
}

/* Two operands B side by side, whose columns are rows of a tile: out[0..1] and out[2..3]. */
template <class T, int wide>
static __device__ __forceinline__ void load_two_operands_b(uint32_t out[4], const T *tile, int row, int k)
{
    unsigned lane = threadIdx.x % WARP_SIZE;

    ldmatrix_x4(out, tile + (row + lane % 8 + lane / 16 * 8) * pitch<wide>::value + k * 16 +
                           lane / 8 % 2 * 8);
}

/* The same of a tile whose rows are k. */
template <class T, int wide>
static __device__ __forceinline__ void load_two_b_transposed(uint32_t out[4], const T *tile, int column,
                                                     int k)
{
    unsigned lane = threadIdx.x % WARP_SIZE;

    ldmatrix_x4_transposed(out, tile + (k * 16 + lane % 16) * pitch<wide>::value + column + lane / 16 * 8);
}

#endif
