/* emulate.h - CUDA's words for a host compiler: files of device code become functions that threads
 * of our own run, one after another, with barriers, shuffles and products of tensor cores as the
 * manuals describe them (PTX ISA, "Matrix Fragments"; CUDA C++ Programming Guide). It stands before
 * each file of kernels/providers/cuda/cu (-include). */
#ifndef ABDB_TESTS_CUDA_EMULATE_H
#define ABDB_TESTS_CUDA_EMULATE_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <algorithm>

#define ABDB_EMULATED 1
#define __device__
#define __host__
#define __forceinline__ inline

struct uint3_ {
    unsigned x, y, z;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

namespace emulated
{

enum { WARP = 32, SLOT = 64 };

/* Of the thread that runs now. */
extern uint3_ thread, block, blocks, threads;
extern unsigned char *dynamic; /* shared memory that the launch asked for */

/* All threads of the block meet. */
void barrier();
/* All threads of a warp meet with `mine`, `size` bytes of it each; the last to come does `work` on
 * all of them (32 slots of SLOT bytes, in place); then each finds its slot again. */
void *exchange_in_warp_and_apply_work(const void *mine, size_t size,
                                      void (*work)(unsigned char (*slot)[SLOT]));
/* Static shared memory is spoiled before each block. */
void spoil_once_per_block(void *memory, size_t size);
/* What was thread-local to cp.async: copies that are under way, in groups. */
void queue_async_copy(void *to, const void *from, size_t size);
void commit_async_copies();
void wait_async_copies(int left);

struct entry {
    entry(const char *file, const char *name, void (*run)(const void *), size_t size, int most);
    const char *file, *name;
    void (*invoke)(const void *argument);
    size_t size; /* of the argument */
    int most;    /* threads of a block: __launch_bounds__ */
    int shared_most = 48 << 10;
    entry *next;
};

template <class T> T shuffle(T value, int from)
{
    static_assert(sizeof(T) <= SLOT, "a slot is too small");
    struct {
        T value;
        int from;
    } mine = {value, from};
    /* every lane's value is replaced by that of the lane it asks */
    const auto *got = (const decltype(mine) *)exchange_in_warp_and_apply_work(
        &mine, sizeof mine, [](unsigned char(*slot)[SLOT]) {
            decltype(mine) all[WARP];

            for (int i = 0; i < WARP; i++) std::memcpy(&all[i], slot[i], sizeof all[i]);
            for (int i = 0; i < WARP; i++)
                std::memcpy(slot[i], &all[all[i].from & 31].value, sizeof(T));
        });
    T out;

    std::memcpy(&out, got, sizeof out);
    return out;
}

inline int lane()
{
    return (int)(thread.x & 31);
}

} // namespace emulated

#define threadIdx     emulated::thread
#define blockIdx      emulated::block
#define gridDim       emulated::blocks
#define blockDim      emulated::threads
#define __syncthreads emulated::barrier
#define __restrict__ __restrict

template <class T> T __shfl_xor_sync(unsigned, T value, int mask)
{
    return emulated::shuffle(value, emulated::lane() ^ mask);
}
template <class T> T __shfl_sync(unsigned, T value, int from)
{
    return emulated::shuffle(value, from);
}
static inline void __syncwarp()
{
    (void)emulated::shuffle(0, 0);
}

/* A kernel that threads of the host run: its entry is found by file and name. */
#define KERNEL(name, args, most)                                                          \
    static void body_##name(args a);                                                      \
    static void run_##name(const void *argument)                                          \
    {                                                                                     \
        body_##name(*(const args *)argument);                                             \
    }                                                                                     \
    static emulated::entry entry_##name(__FILE__, #name, run_##name, sizeof(args), most); \
    static void body_##name(args a)

#define SHARED(type, name, count) \
    static type name[count];      \
    emulated::spoil_once_per_block(name, sizeof name)
#define DYNAMIC(name) unsigned char *const name = emulated::dynamic

/* --- numbers --- */

extern "C" uint16_t abdb_bf16_from_f32(float value);
extern "C" float abdb_bf16_to_f32(uint16_t bits);
extern "C" uint16_t abdb_f16_from_f32(float value);
extern "C" float abdb_f16_to_f32(uint16_t bits);

struct bf16 {
    uint16_t bits;
};
struct f16 {
    uint16_t bits;
};
static inline float to_float(bf16 x)
{
    return abdb_bf16_to_f32(x.bits);
}
static inline float to_float(f16 x)
{
    return abdb_f16_to_f32(x.bits);
}
static inline void from_float(bf16 &to, float x)
{
    to.bits = abdb_bf16_from_f32(x);
}
static inline void from_float(f16 &to, float x)
{
    to.bits = abdb_f16_from_f32(x);
}
static inline float exp_of_float(float x)
{
    return std::exp(x);
}
static inline float exp2_of_float(float x)
{
    return std::exp2(x);
}
static inline float reciprocal_sqrt(float x)
{
    return 1 / std::sqrt(x);
}
static inline int dot4_i8_accumulate(unsigned a, unsigned b, int sum)
{
    for (int i = 0; i < 4; i++) sum += (int8_t)(a >> 8 * i) * (int8_t)(b >> 8 * i);
    return sum;
}
/* f16 sums, rounded at each step, of two numbers side by side. */
static inline unsigned fma_f16x2(unsigned a, unsigned b, unsigned c)
{
    unsigned out = 0;

    for (int i = 0; i < 2; i++)
        out |= (unsigned)abdb_f16_from_f32(std::fma(abdb_f16_to_f32((uint16_t)(a >> 16 * i)),
                                                    abdb_f16_to_f32((uint16_t)(b >> 16 * i)),
                                                    abdb_f16_to_f32((uint16_t)(c >> 16 * i))))
               << 16 * i;
    return out;
}
template <class T> static inline T load_streaming(const T *from)
{
    return *from;
}
template <class T> static inline void store_streaming(T *to, T value)
{
    *to = value;
}

/* --- tensor cores --- */

namespace emulated
{

struct fragments {
    uint32_t a[4], b[2];
    float c[4];
};

/* Element (row, k) of A and (k, column) of B of m16n8k16, as the lanes have them. */
template <float (*value)(uint16_t)> void mma_m16n8k16_halves(unsigned char (*slot)[SLOT])
{
    float a[16][16], b[16][8];

    for (int lane = 0; lane < WARP; lane++) {
        fragments f;
        int group = lane >> 2, in = lane & 3;

        std::memcpy(&f, slot[lane], sizeof f);
        for (int half = 0; half < 2; half++) {
            for (int r = 0; r < 4; r++)
                a[group + (r & 1) * 8][in * 2 + half + (r >> 1) * 8] =
                    value((uint16_t)(f.a[r] >> 16 * half));
            for (int r = 0; r < 2; r++)
                b[in * 2 + half + r * 8][group] = value((uint16_t)(f.b[r] >> 16 * half));
        }
    }
    for (int lane = 0; lane < WARP; lane++) {
        fragments f;

        std::memcpy(&f, slot[lane], sizeof f);
        for (int i = 0; i < 4; i++) {
            int row = (lane >> 2) + (i >> 1) * 8, column = (lane & 3) * 2 + (i & 1);

            for (int k = 0; k < 16; k++) f.c[i] += a[row][k] * b[k][column];
        }
        std::memcpy(slot[lane], f.c, sizeof f.c);
    }
}

struct int_fragments {
    uint32_t a[4], b[2];
    int c[4];
};

/* m16n8k32 of i8. */
inline void mma_m16n8k32_i8(unsigned char (*slot)[SLOT])
{
    int8_t a[16][32], b[32][8];

    for (int lane = 0; lane < WARP; lane++) {
        int_fragments f;
        int group = lane >> 2, in = lane & 3;

        std::memcpy(&f, slot[lane], sizeof f);
        for (int i = 0; i < 4; i++) {
            for (int r = 0; r < 4; r++)
                a[group + (r & 1) * 8][in * 4 + i + (r >> 1) * 16] = (int8_t)(f.a[r] >> 8 * i);
            for (int r = 0; r < 2; r++) b[in * 4 + i + r * 16][group] = (int8_t)(f.b[r] >> 8 * i);
        }
    }
    for (int lane = 0; lane < WARP; lane++) {
        int_fragments f;

        std::memcpy(&f, slot[lane], sizeof f);
        for (int i = 0; i < 4; i++) {
            int row = (lane >> 2) + (i >> 1) * 8, column = (lane & 3) * 2 + (i & 1);

            for (int k = 0; k < 32; k++) f.c[i] += a[row][k] * b[k][column];
        }
        std::memcpy(slot[lane], f.c, sizeof f.c);
    }
}

/* Four matrices of 8 x 8 halves, whose rows the lanes point to. */
template <bool turned> void ldmatrix_x4(unsigned char (*slot)[SLOT])
{
    const uint16_t *row[WARP];

    for (int i = 0; i < WARP; i++) std::memcpy(&row[i], slot[i], sizeof row[i]);
    for (int lane = 0; lane < WARP; lane++) {
        uint32_t out[4];

        for (int m = 0; m < 4; m++) {
            int r = lane >> 2, c = (lane & 3) * 2;
            uint16_t low = turned ? row[m * 8 + c][r] : row[m * 8 + r][c],
                     high = turned ? row[m * 8 + c + 1][r] : row[m * 8 + r][c + 1];

            out[m] = low | (uint32_t)high << 16;
        }
        std::memcpy(slot[lane], out, sizeof out);
    }
}

} // namespace emulated

static inline void mma_accumulate(float c[4], const uint32_t a[4], const uint32_t b[2], bf16)
{
    emulated::fragments f = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}, {c[0], c[1], c[2], c[3]}};

    std::memcpy(c,
                emulated::exchange_in_warp_and_apply_work(
                    &f, sizeof f, emulated::mma_m16n8k16_halves<abdb_bf16_to_f32>),
                4 * sizeof *c);
}
static inline void mma_accumulate(float c[4], const uint32_t a[4], const uint32_t b[2], f16)
{
    emulated::fragments f = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}, {c[0], c[1], c[2], c[3]}};

    std::memcpy(c,
                emulated::exchange_in_warp_and_apply_work(
                    &f, sizeof f, emulated::mma_m16n8k16_halves<abdb_f16_to_f32>),
                4 * sizeof *c);
}
static inline void mma_accumulate(int c[4], const uint32_t a[4], const uint32_t b[2])
{
    emulated::int_fragments f = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}, {c[0], c[1], c[2], c[3]}};

    std::memcpy(c,
                emulated::exchange_in_warp_and_apply_work(&f, sizeof f, emulated::mma_m16n8k32_i8),
                4 * sizeof *c);
}
static inline void ldmatrix_x4(uint32_t out[4], const void *row)
{
    std::memcpy(
        out,
        emulated::exchange_in_warp_and_apply_work(&row, sizeof row, emulated::ldmatrix_x4<false>),
        16);
}
static inline void ldmatrix_x4_transposed(uint32_t out[4], const void *row)
{
    std::memcpy(
        out,
        emulated::exchange_in_warp_and_apply_work(&row, sizeof row, emulated::ldmatrix_x4<true>),
        16);
}

/* --- copies beside the work --- */

/* 16 bytes to shared memory, zeros where `there` is false. */
static inline void copy_16_bytes_async(void *to, const void *from, bool there)
{
    static const unsigned char zeros[16] = {0};

    emulated::queue_async_copy(to, there ? from : zeros, 16);
}
static inline void commit_async_copies()
{
    emulated::commit_async_copies();
}
template <int left> static inline void wait_async_copies()
{
    emulated::wait_async_copies(left);
}

#endif
