/* decode_attention.c - attention of new tokens: so many blocks share a head that every processor
 * has some. */
#include "kernels/providers/cuda/decode_attention.h"

#include <math.h>
#include <stdio.h>

#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/implementations.h"

/* GROUP, COLUMNS, WARPS: as in decode_attention.cu. CHUNK_LEAST: tokens of a block; WAVES: blocks
 * that each processor should have. */
enum { Q, K, V, INDEX, LENGTH, O };
enum { GROUP = 4, COLUMNS = 256, WARPS = 8, CHUNK_LEAST = 256, WAVES = 4 };

abdb_status abdb_cu_add_split_kv_decode_attention(abdb_cu_job *job, abdb_dtype dtype,
                                                  const abdb_cu_decode_attention *of, size_t tokens,
                                                  abdb_error *err)
{
    abdb_cu_decode_attention a = *of;
    size_t across = of->kv_heads * abdb_cu_ceil_divide(of->heads / of->kv_heads, GROUP) *
                    abdb_cu_ceil_divide(of->d, COLUMNS),
           wanted = abdb_cu_ceil_divide((size_t)job->d->processors * WAVES, across * of->batch),
           most = abdb_cu_ceil_divide(tokens, CHUNK_LEAST), heads = (size_t)of->batch * of->heads,
           shared = (GROUP * of->d + 2 * WARPS * GROUP + WARPS * GROUP * COLUMNS) * sizeof(float);
    char name[ABDB_CU_KERNEL_NAME];
    void *part = NULL;
    abdb_status st = ABDB_OK;

    a.splits = (uint32_t)(wanted < 1 ? 1 : wanted < most ? wanted : most);
    a.chunk = (uint32_t)abdb_cu_ceil_divide(tokens, a.splits);
    a.scale = (float)(1 / sqrt((double)of->d));
    if (a.splits > 1) {
        TRY(abdb_cu_alloc_scratch(job, heads * a.splits * (of->d + 2) * sizeof(float), &part, err));
        a.part = part;
    }
    snprintf(name, sizeof name, "decode_%s", abdb_cu_kernel_name_suffix(dtype));
    snprintf(job->chosen, sizeof job->chosen, "%u blocks share a head, %u tokens each", a.splits,
             a.chunk);
    TRY(abdb_cu_load_and_add_kernel_step(
        job,
        &(abdb_cu_kernel_launch){
            "decode_attention.cu", name, {a.splits, across, of->batch}, ABDB_CU_THREADS, shared},
        &a, sizeof a, err));
    if (a.splits == 1) goto done;
    snprintf(name, sizeof name, "together_%s", abdb_cu_kernel_name_suffix(dtype));
    TRY(abdb_cu_load_and_add_kernel_step(
        job, &(abdb_cu_kernel_launch){"decode_attention.cu", name, {heads}, ABDB_CU_THREADS, 0}, &a,
        sizeof a, err));
done:
    return st;
}

/* A job of attention over pages, as micro/paged.c defines it; a list has as many pages of each
 * request. */
static abdb_status cuda_paged_attention_prepare_split_kv_job(void **state, const abdb_problem *p,
                                                             abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    bool table = t[INDEX].rank == 2;
    size_t batch = t[LENGTH].dim[0], block = (size_t)abdb_param_number(p, "block", 1),
           width = table ? t[INDEX].dim[1] : t[INDEX].dim[0] / batch;
    abdb_cu_decode_attention of = {.q = t[Q].data,
                                   .k = t[K].data,
                                   .v = t[V].data,
                                   .index = t[INDEX].data,
                                   .length = t[LENGTH].data,
                                   .o = t[O].data,
                                   .batch = (uint32_t)batch,
                                   .heads = (uint32_t)(t[Q].dim[0] / batch),
                                   .kv_heads = (uint32_t)abdb_param_number(p, "kv_heads", 1),
                                   .d = (uint32_t)t[Q].dim[1],
                                   .block = (uint32_t)block,
                                   .width = (uint32_t)width,
                                   .table = table};
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    TRY(abdb_cu_add_split_kv_decode_attention(job, t[Q].dtype, &of, width * block, err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

const abdb_impl abdb_cu_paged = {"paged-attention",
                                 "cuda",
                                 NULL,
                                 cuda_paged_attention_prepare_split_kv_job,
                                 abdb_cu_job_launch_graph_or_enqueue_steps,
                                 abdb_cu_job_chosen_text,
                                 abdb_cu_job_free};
