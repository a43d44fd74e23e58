/* rows.cu - softmax, cross entropy and norms: a block has a row, which it reads once where shared
 * memory holds it. */
#include "kernels/providers/cuda/cu/device.cuh"

/* A row as packs of numbers, in shared memory once it was read. */
template <class T, int lanes> struct row_of {
    const pack<T, lanes> *from;
    pack<T, lanes> *kept;
    uint64_t count; /* packs */

    __device__ row_of(const abdb_cu_row &a, unsigned char *memory)
        : from((const pack<T, lanes> *)((const T *)a.x + blockIdx.x * a.columns)),
          kept(a.kept ? (pack<T, lanes> *)memory : nullptr), count(a.columns / lanes)
    {
        for (uint64_t i = threadIdx.x; kept && i < count; i += blockDim.x) kept[i] = from[i];
        /* each thread reads again what it has written itself: nobody waits */
    }
    __device__ pack<T, lanes> at(uint64_t i) const
    {
        return kept ? kept[i] : from[i];
    }
};

template <class T, int lanes>
static __device__ float largest(const row_of<T, lanes> &r, float *room)
{
    float most = -INFINITY;

    for (uint64_t i = threadIdx.x; i < r.count; i += blockDim.x) {
        pack<T, lanes> v = r.at(i);

#pragma unroll
        for (int j = 0; j < lanes; j++) most = fmaxf(most, to_float(v.at[j]));
    }
    return block_most(most, room);
}

template <class T, int lanes>
static __device__ float exponentials(const row_of<T, lanes> &r, float most, float *room)
{
    float sum = 0;

    for (uint64_t i = threadIdx.x; i < r.count; i += blockDim.x) {
        pack<T, lanes> v = r.at(i);

#pragma unroll
        for (int j = 0; j < lanes; j++) sum += fast_exp(to_float(v.at[j]) - most);
    }
    return block_sum(sum, room);
}

template <class T, int lanes>
static __device__ void softmax(const abdb_cu_row &a, unsigned char *memory, float *room)
{
    row_of<T, lanes> r(a, memory);
    pack<T, lanes> *y = (pack<T, lanes> *)((T *)a.y + blockIdx.x * a.columns);
    float most = largest(r, room), by = 1 / exponentials(r, most, room);

    for (uint64_t i = threadIdx.x; i < r.count; i += blockDim.x) {
        pack<T, lanes> v = r.at(i);

#pragma unroll
        for (int j = 0; j < lanes; j++)
            from_float(v.at[j], fast_exp(to_float(v.at[j]) - most) * by);
        y[i] = v;
    }
}

template <class T, int lanes>
static __device__ void loss(const abdb_cu_row &a, unsigned char *memory, float *room)
{
    row_of<T, lanes> r(a, memory);
    float most = largest(r, room), sum = exponentials(r, most, room);

    if (threadIdx.x == 0) {
        uint64_t target = (uint64_t)((const int32_t *)a.p)[blockIdx.x];

        ((float *)a.y)[blockIdx.x] =
            logf(sum) + most - to_float(((const T *)a.x)[blockIdx.x * a.columns + target]);
    }
}

template <class T, int lanes>
static __device__ void moments(const row_of<T, lanes> &r, uint64_t columns, bool centred,
                               float *room, float *mean, float *scale)
{
    float sum = 0;

    for (uint64_t i = threadIdx.x; centred && i < r.count; i += blockDim.x) {
        pack<T, lanes> v = r.at(i);

#pragma unroll
        for (int j = 0; j < lanes; j++) sum += to_float(v.at[j]);
    }
    *mean = centred ? block_sum(sum, room) / (float)columns : 0;
    sum = 0;
    for (uint64_t i = threadIdx.x; i < r.count; i += blockDim.x) {
        pack<T, lanes> v = r.at(i);

#pragma unroll
        for (int j = 0; j < lanes; j++) {
            float x = to_float(v.at[j]) - *mean;

            sum = fmaf(x, x, sum);
        }
    }
    *scale = reciprocal_root(block_sum(sum, room) / (float)columns + 1e-5f);
}

template <class T, int lanes, bool centred>
static __device__ void norm(const abdb_cu_row &a, unsigned char *memory, float *room)
{
    row_of<T, lanes> r(a, memory);
    const pack<T, lanes> *gain = (const pack<T, lanes> *)a.p, *shift = (const pack<T, lanes> *)a.q;
    pack<T, lanes> *y = (pack<T, lanes> *)((T *)a.y + blockIdx.x * a.columns);
    float mean, scale;

    moments(r, a.columns, centred, room, &mean, &scale);
    for (uint64_t i = threadIdx.x; i < r.count; i += blockDim.x) {
        pack<T, lanes> v = r.at(i), g = gain[i], s;

        if (centred) s = shift[i];
#pragma unroll
        for (int j = 0; j < lanes; j++)
            from_float(v.at[j], (to_float(v.at[j]) - mean) * scale * to_float(g.at[j]) +
                                    (centred ? to_float(s.at[j]) : 0));
        y[i] = v;
    }
}

#define WIDE(T) (16 / (int)sizeof(T))
#define ROW(name, T, many, single)             \
    KERNEL(name, abdb_cu_row, ABDB_CU_THREADS) \
    {                                          \
        DYNAMIC(memory);                       \
        SHARED(float, room, 33);               \
        if (a.wide)                            \
            many(a, memory, room);             \
        else                                   \
            single(a, memory, room);           \
    }
#define ROWS(suffix, T)                                                      \
    ROW(softmax_##suffix, T, (softmax<T, WIDE(T)>), (softmax<T, 1>))         \
    ROW(loss_##suffix, T, (loss<T, WIDE(T)>), (loss<T, 1>))                  \
    ROW(layernorm_##suffix, T, (norm<T, WIDE(T), true>), (norm<T, 1, true>)) \
    ROW(rmsnorm_##suffix, T, (norm<T, WIDE(T), false>), (norm<T, 1, false>))
ROWS(f32, float)
ROWS(bf16, bf16)
ROWS(f16, f16)
