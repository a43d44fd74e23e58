/* flash_attention.c - which kernel has the attention of heads, and its grid; see
 * flash_attention.h. */
#include "kernels/providers/cuda/flash_attention.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/row_ops.h"

/* As in flash.cu, and in attention_backward.cu, attention_plain.cu and attention_backward_plain.cu.
 */
enum { ROWS = 128, THREADS = 128, PAD = 8 };
enum { SIDE = 64, WIDE = 128, WARP = 32, OTHERS = 32 };

/* Do all rows begin at multiples of 16 bytes, and do they fit the tensor cores' kernels? */
static bool heads_aligned_and_fit_tensor_core_kernels(abdb_dtype dtype,
                                                      const abdb_cu_heads *const *all, size_t count,
                                                      size_t d)
{
    bool fits = dtype != ABDB_F32 && d <= 128 && d % 8 == 0;

    for (size_t i = 0; i < count; i++)
        fits &=
            ((uintptr_t)all[i]->data | 2 * (all[i]->batch | all[i]->head | all[i]->row)) % 16 == 0;
    return fits;
}

abdb_status abdb_cu_add_flash_or_plain_forward_kernel(abdb_cu_job *job, abdb_dtype dtype,
                                                      size_t batch, const abdb_cu_attention *of,
                                                      abdb_error *err)
{
    const abdb_cu_heads *const all[] = {&of->q, &of->k, &of->v, &of->o};
    abdb_cu_attention a = *of;
    size_t heads = batch * of->heads, wide = of->d <= 64 ? 64 : 128, keys = wide == 64 ? 64 : 32;
    char name[ABDB_CU_KERNEL_NAME];

    a.scale = (float)(1 / sqrt((double)of->d));
    if (heads_aligned_and_fit_tensor_core_kernels(dtype, all, sizeof all / sizeof all[0], of->d)) {
        snprintf(name, sizeof name, "flash_%zu_%s", wide, abdb_cu_kernel_name_suffix(dtype));
        snprintf(job->chosen, sizeof job->chosen, "tensor cores, %d queries, %zu keys at a time",
                 ROWS, keys);
        return abdb_cu_load_and_add_kernel_step(
            job,
            &(abdb_cu_kernel_launch){"flash.cu",
                                     name,
                                     {abdb_cu_ceil_divide(of->queries, ROWS) * heads},
                                     THREADS,
                                     (ROWS + 2 * keys) * (wide + PAD) * 2},
            &a, sizeof a, err);
    }
    snprintf(name, sizeof name, "attention_%s", abdb_cu_kernel_name_suffix(dtype));
    snprintf(job->chosen, sizeof job->chosen, "no tensor cores, %d queries, %d keys at a time",
             SIDE, SIDE);
    return abdb_cu_load_and_add_kernel_step(
        job,
        &(abdb_cu_kernel_launch){
            "attention_plain.cu",
            name,
            {abdb_cu_ceil_divide(of->queries, SIDE) * heads, abdb_cu_ceil_divide(of->d, WIDE)},
            ABDB_CU_THREADS,
            (3 * SIDE * (SIDE + 1) + SIDE * WIDE) * sizeof(float)},
        &a, sizeof a, err);
}

/* A kernel for the rows of queries or of keys. */
static abdb_status add_backward_kernel_of_q_or_kv(abdb_cu_job *job, abdb_dtype dtype, size_t heads,
                                                  size_t rows, const char *queries_or_keys,
                                                  bool tensor, const abdb_cu_attention_backward *a,
                                                  abdb_error *err)
{
    size_t wide = a->d <= 64 ? 64 : 128;
    char name[ABDB_CU_KERNEL_NAME];

    if (tensor) {
        snprintf(name, sizeof name, "%s_%zu_%s", queries_or_keys, wide,
                 abdb_cu_kernel_name_suffix(dtype));
        return abdb_cu_load_and_add_kernel_step(
            job,
            &(abdb_cu_kernel_launch){"attention_backward.cu",
                                     name,
                                     {abdb_cu_ceil_divide(rows, SIDE) * heads},
                                     THREADS,
                                     (2 * SIDE + 2 * OTHERS) * (wide + PAD) * 2},
            a, sizeof *a, err);
    }
    snprintf(name, sizeof name, "%s_%s", queries_or_keys, abdb_cu_kernel_name_suffix(dtype));
    return abdb_cu_load_and_add_kernel_step(
        job,
        &(abdb_cu_kernel_launch){
            "attention_backward_plain.cu",
            name,
            {abdb_cu_ceil_divide(rows, SIDE) * heads, abdb_cu_ceil_divide(a->d, SIDE)},
            ABDB_CU_THREADS,
            4 * SIDE * (SIDE + 1) * sizeof(float)},
        a, sizeof *a, err);
}

abdb_status abdb_cu_add_flash_or_plain_backward_kernels(abdb_cu_job *job, abdb_dtype dtype,
                                                        size_t batch,
                                                        const abdb_cu_attention_backward *of,
                                                        abdb_error *err)
{
    const abdb_cu_heads *const all[] = {&of->q,   &of->k,  &of->v,  &of->o,
                                        &of->d_o, &of->dq, &of->dk, &of->dv};
    abdb_cu_attention_backward a = *of;
    bool tensor =
        heads_aligned_and_fit_tensor_core_kernels(dtype, all, sizeof all / sizeof all[0], of->d);
    void *means;
    abdb_status st = ABDB_OK;

    a.scale = (float)(1 / sqrt((double)of->d));
    a.rows = (uint64_t)batch * of->heads * of->queries;
    TRY(abdb_cu_alloc_scratch(job, a.rows * sizeof(float), &means, err));
    a.means = means;
    TRY(abdb_cu_add_kernel_of_dtype(job, "attention_backward_plain.cu", "means", dtype,
                                    abdb_cu_ceil_divide(a.rows, ABDB_CU_THREADS / WARP), &a,
                                    sizeof a, err));
    TRY(add_backward_kernel_of_q_or_kv(job, dtype, batch * of->heads, of->queries, "queries",
                                       tensor, &a, err));
    TRY(add_backward_kernel_of_q_or_kv(job, dtype, batch * (of->heads / of->group), of->keys,
                                       "keys", tensor, &a, err));
    snprintf(job->chosen, sizeof job->chosen, "%s, %d rows against %d others",
             tensor ? "tensor cores" : "no tensor cores", SIDE, tensor ? OTHERS : SIDE);
done:
    return st;
}
