/* row_ops.cu - softmax, cross entropy and norms: a block has a row, which it reads once where shared
 * memory holds it. */
#include "kernels/providers/cuda/cu/device.cuh"

/* A row as packs of numbers, in shared memory once it was read. */
template <class T, int lanes> struct cached_row {
    const pack<T, lanes> *from;
    pack<T, lanes> *kept;
    uint64_t count; /* packs */

    __device__ cached_row(const abdb_cu_row_op &a, unsigned char *memory)
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
static __device__ float row_max(const cached_row<T, lanes> &r, float *room)
{
    float most = -INFINITY;

    for (uint64_t i = threadIdx.x; i < r.count; i += blockDim.x) {
        pack<T, lanes> v = r.at(i);

#pragma unroll
        for (int j = 0; j < lanes; j++) most = fmaxf(most, to_float(v.at[j]));
    }
    return block_max(most, room);
}

template <class T, int lanes>
static __device__ float row_sum_of_exponentials(const cached_row<T, lanes> &r, float most, float *room)
{
    float sum = 0;

    for (uint64_t i = threadIdx.x; i < r.count; i += blockDim.x) {
        pack<T, lanes> v = r.at(i);

#pragma unroll
        for (int j = 0; j < lanes; j++) sum += exp_of_float(to_float(v.at[j]) - most);
    }
    return block_sum(sum, room);
}

template <class T, int lanes>
static __device__ void softmax_row(const abdb_cu_row_op &a, unsigned char *memory, float *room)
{
    cached_row<T, lanes> r(a, memory);
    pack<T, lanes> *y = (pack<T, lanes> *)((T *)a.y + blockIdx.x * a.columns);
    float most = row_max(r, room), by = 1 / row_sum_of_exponentials(r, most, room);

    for (uint64_t i = threadIdx.x; i < r.count; i += blockDim.x) {
        pack<T, lanes> v = r.at(i);

#pragma unroll
        for (int j = 0; j < lanes; j++)
            from_float(v.at[j], exp_of_float(to_float(v.at[j]) - most) * by);
        y[i] = v;
    }
}

template <class T, int lanes>
static __device__ void cross_entropy_row(const abdb_cu_row_op &a, unsigned char *memory, float *room)
{
    cached_row<T, lanes> r(a, memory);
    float most = row_max(r, room), sum = row_sum_of_exponentials(r, most, room);

    if (threadIdx.x == 0) {
        uint64_t target = (uint64_t)((const int32_t *)a.p)[blockIdx.x];

        ((float *)a.y)[blockIdx.x] =
            logf(sum) + most - to_float(((const T *)a.x)[blockIdx.x * a.columns + target]);
    }
}

template <class T, int lanes>
static __device__ void cached_row_mean_and_inv_std(const cached_row<T, lanes> &r, uint64_t columns, bool centred,
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
    *scale = reciprocal_sqrt(block_sum(sum, room) / (float)columns + 1e-5f);
}

template <class T, int lanes, bool centred>
static __device__ void layernorm_or_rmsnorm_row(const abdb_cu_row_op &a, unsigned char *memory, float *room)
{
    cached_row<T, lanes> r(a, memory);
    const pack<T, lanes> *gain = (const pack<T, lanes> *)a.p, *shift = (const pack<T, lanes> *)a.q;
    pack<T, lanes> *y = (pack<T, lanes> *)((T *)a.y + blockIdx.x * a.columns);
    float mean, scale;

    cached_row_mean_and_inv_std(r, a.columns, centred, room, &mean, &scale);
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
    KERNEL(name, abdb_cu_row_op, ABDB_CU_THREADS) \
    {                                          \
        DYNAMIC(memory);                       \
        SHARED(float, room, 33);               \
        if (a.wide)                            \
            many(a, memory, room);             \
        else                                   \
            single(a, memory, room);           \
    }
#define ROWS(suffix, T)                                                      \
    ROW(softmax_##suffix, T, (softmax_row<T, WIDE(T)>), (softmax_row<T, 1>))         \
    ROW(loss_##suffix, T, (cross_entropy_row<T, WIDE(T)>), (cross_entropy_row<T, 1>))                  \
    ROW(layernorm_##suffix, T, (layernorm_or_rmsnorm_row<T, WIDE(T), true>), (layernorm_or_rmsnorm_row<T, 1, true>)) \
    ROW(rmsnorm_##suffix, T, (layernorm_or_rmsnorm_row<T, WIDE(T), false>), (layernorm_or_rmsnorm_row<T, 1, false>))
ROWS(f32, float)
ROWS(bf16, bf16)
ROWS(f16, f16)
