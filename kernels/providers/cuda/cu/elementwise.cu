/* elementwise.cu - what is done to each element by itself: gelu, silu and their derivatives, rotary embedding,
 * AdamW. A thread has packs of four numbers. */
#include "kernels/providers/cuda/cu/device.cuh"

enum { LANES = 4 };

/* x s(z), s the logistic function. */
template <bool gelu> static __device__ __forceinline__ float gelu_or_silu(float x)
{
    float z = gelu ? 1.5957691216057308f * (x + 0.044715f * x * x * x) : x;

    return x / (1 + exp_of_float(-z));
}

/* The derivative of x s(z) of gelu: s + x s (1 - s) z'. */
static __device__ __forceinline__ float gelu_derivative_at(float x)
{
    float s = 1 / (1 + exp_of_float(-1.5957691216057308f * (x + 0.044715f * x * x * x)));

    return s + x * s * (1 - s) * 1.5957691216057308f * (1 + 0.134145f * x * x);
}

/* Calls `one` with the number of each pack that a thread has, then of single elements. */
template <class F, class G> static __device__ __forceinline__ void for_each_pack_and_leftover_of_thread(uint64_t n, F many, G one)
{
    uint64_t packs = n / LANES, rest = abdb_cu_first_element_after_vectors(n, LANES) + threadIdx.x;

#pragma unroll
    for (int i = 0; i < ABDB_CU_EACH; i++) {
        uint64_t at = abdb_cu_piece_index_of_thread(blockIdx.x, threadIdx.x, i);

        if (at < packs) many(at);
    }
    if (blockIdx.x == 0 && rest < n) one(rest);
}

template <class T, bool gelu> static __device__ void apply_gelu_or_silu(const abdb_cu_elements &a)
{
    for_each_pack_and_leftover_of_thread(
        a.n,
        [&](uint64_t i) {
            pack<T, LANES> v = ((const pack<T, LANES> *)a.x)[i];

#pragma unroll
            for (int j = 0; j < LANES; j++) from_float(v.at[j], gelu_or_silu<gelu>(to_float(v.at[j])));
            ((pack<T, LANES> *)a.y)[i] = v;
        },
        [&](uint64_t i) { from_float(((T *)a.y)[i], gelu_or_silu<gelu>(to_float(((const T *)a.x)[i]))); });
}

template <class T> static __device__ void multiply_by_gelu_derivative(const abdb_cu_elements &a)
{
    for_each_pack_and_leftover_of_thread(
        a.n,
        [&](uint64_t i) {
            pack<T, LANES> v = ((const pack<T, LANES> *)a.x)[i], d = ((pack<T, LANES> *)a.y)[i];

#pragma unroll
            for (int j = 0; j < LANES; j++)
                from_float(d.at[j], to_float(d.at[j]) * gelu_derivative_at(to_float(v.at[j])));
            ((pack<T, LANES> *)a.y)[i] = d;
        },
        [&](uint64_t i) {
            T *d = (T *)a.y + i;

            from_float(*d, to_float(*d) * gelu_derivative_at(to_float(((const T *)a.x)[i])));
        });
}

/* Pack number i: of row i / (packs of a half), its place in both halves. */
template <class T, int lanes> static __device__ void apply_rotary(const abdb_cu_rotary &a)
{
    uint64_t half = a.columns / 2, packs = half / lanes;

#pragma unroll
    for (int k = 0; k < ABDB_CU_EACH; k++) {
        uint64_t i = abdb_cu_piece_index_of_thread(blockIdx.x, threadIdx.x, k), row = i / packs,
                 at = row * a.columns + i % packs * lanes, angle;
        pack<T, lanes> low, high;

        if (row >= a.rows) continue;
        angle = row % a.positions * a.columns + i % packs * lanes;
        low = *(const pack<T, lanes> *)((const T *)a.x + at);
        high = *(const pack<T, lanes> *)((const T *)a.x + at + half);
#pragma unroll
        for (int j = 0; j < lanes; j++) {
            float c = a.turn[angle + j], s = a.turn[angle + half + j], x = to_float(low.at[j]),
                  y = to_float(high.at[j]);

            from_float(low.at[j], x * c - y * s);
            from_float(high.at[j], x * s + y * c);
        }
        *(pack<T, lanes> *)((T *)a.y + at) = low;
        *(pack<T, lanes> *)((T *)a.y + at + half) = high;
    }
}

static __device__ __forceinline__ float adamw_update_moments_return_param(const abdb_cu_adamw &a, float p, float g, float *m,
                                             float *v)
{
    *m = 0.9f * *m + (1 - 0.9f) * g;
    *v = 0.999f * *v + 0.001f * g * g;
    return p - 1e-3f * (*m * a.by_m / (sqrtf(*v * a.by_v) + 1e-8f) + 0.01f * p);
}

template <class T> static __device__ void apply_adamw(const abdb_cu_adamw &a)
{
    for_each_pack_and_leftover_of_thread(
        a.n,
        [&](uint64_t i) {
            pack<T, LANES> p = ((const pack<T, LANES> *)a.p)[i],
                           g = ((const pack<T, LANES> *)a.g)[i];
            pack<float, LANES> m = ((const pack<float, LANES> *)a.m)[i],
                               v = ((const pack<float, LANES> *)a.v)[i];

#pragma unroll
            for (int j = 0; j < LANES; j++)
                from_float(p.at[j],
                           adamw_update_moments_return_param(a, to_float(p.at[j]), to_float(g.at[j]), &m.at[j], &v.at[j]));
            ((pack<T, LANES> *)a.p_out)[i] = p;
            ((pack<float, LANES> *)a.m_out)[i] = m;
            ((pack<float, LANES> *)a.v_out)[i] = v;
        },
        [&](uint64_t i) {
            float m = a.m[i], v = a.v[i];

            from_float(((T *)a.p_out)[i], adamw_update_moments_return_param(a, to_float(((const T *)a.p)[i]),
                                               to_float(((const T *)a.g)[i]), &m, &v));
            a.m_out[i] = m;
            a.v_out[i] = v;
        });
}

#define FLAT(suffix, T)                                       \
    KERNEL(gelu_##suffix, abdb_cu_elements, ABDB_CU_THREADS)      \
    {                                                         \
        apply_gelu_or_silu<T, true>(a);                                    \
    }                                                         \
    KERNEL(silu_##suffix, abdb_cu_elements, ABDB_CU_THREADS)      \
    {                                                         \
        apply_gelu_or_silu<T, false>(a);                                   \
    }                                                         \
    KERNEL(gelu_back_##suffix, abdb_cu_elements, ABDB_CU_THREADS) \
    {                                                         \
        multiply_by_gelu_derivative<T>(a);                                         \
    }                                                         \
    KERNEL(adamw_##suffix, abdb_cu_adamw, ABDB_CU_THREADS)    \
    {                                                         \
        apply_adamw<T>(a);                                          \
    }                                                         \
    KERNEL(rotary_##suffix, abdb_cu_rotary, ABDB_CU_THREADS)  \
    {                                                         \
        if (a.wide)                                           \
            apply_rotary<T, LANES>(a);                               \
        else                                                  \
            apply_rotary<T, 1>(a);                                   \
    }
FLAT(f32, float)
FLAT(bf16, bf16)
FLAT(f16, f16)
