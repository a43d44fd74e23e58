/* embedding_bag.cu - sums of rows of embedding tables: a group of threads has a bag, by vectors of 16 bytes or
 * floats; the rows of several lookups are under way at once. */
#include "kernels/providers/cuda/cu/device.cuh"

enum { AHEAD = 8 };

template <int lanes> static __device__ void sum_embedding_bags(const abdb_cu_embedding_bag &a)
{
    uint64_t width = a.width / lanes;
    unsigned group = abdb_cu_threads_per_row_up_to_warp(width), groups = blockDim.x / group, in = threadIdx.x % group;
    uint64_t sample = blockIdx.x * (uint64_t)groups + threadIdx.x / group,
             table = a.first + blockIdx.y;
    const pack<float, lanes> *from =
        (const pack<float, lanes> *)(a.table + table * a.rows * a.width);
    const int32_t *index;

    if (sample >= a.batch) return;
    index = a.index + (table * a.batch + sample) * a.lookups;
    for (uint64_t c = in; c < width; c += group) {
        pack<float, lanes> sum = {};

        for (uint64_t l = 0; l < a.lookups; l += AHEAD) {
            pack<float, lanes> v[AHEAD];

#pragma unroll
            for (int i = 0; i < AHEAD; i++)
                if (l + i < a.lookups) v[i] = from[(uint64_t)index[l + i] * width + c];
#pragma unroll
            for (int i = 0; i < AHEAD; i++)
                if (l + i < a.lookups)
#pragma unroll
                    for (int j = 0; j < lanes; j++) sum.at[j] += v[i].at[j];
        }
        ((pack<float, lanes> *)(a.out + (sample * a.tables + table) * a.width))[c] = sum;
    }
}

KERNEL(embedding_bag_4, abdb_cu_embedding_bag, ABDB_CU_THREADS)
{
    sum_embedding_bags<4>(a);
}
KERNEL(embedding_bag_1, abdb_cu_embedding_bag, ABDB_CU_THREADS)
{
    sum_embedding_bags<1>(a);
}
