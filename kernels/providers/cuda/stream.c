/* stream.c - STREAM: a kernel a pass, of a sum two. */
#include <stdio.h>
#include <string.h>

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/launch.h"

enum { PASSES_MOST = 1 << 16, NAME = 64 };

static bool is_dot_or_read_op(const abdb_problem *p)
{
    return abdb_param_text_equals(p, "op", "dot") || abdb_param_text_equals(p, "op", "read");
}

/* 1: the device can do the operation as asked; else 0 and *why_not. */
static int cuda_stream_accepts_memory_level_no_unroll(const abdb_problem *p, const char **why_not)
{
    const char *level = abdb_param_text(p, "level");

    *why_not = "a launch takes longer than a pass over a cache";
    if (level && strcmp(level, "memory") != 0) return 0;
    *why_not = "the device's scheduler decides on loops and order";
    if (abdb_param_text(p, "unroll") || abdb_param_text(p, "grain")) return 0;
    *why_not = "sums store one number";
    return !(abdb_param_text_equals(p, "stores", "nt") && is_dot_or_read_op(p));
}

/* The sums of blocks, then their sum. */
static abdb_status add_repeated_two_stage_sum_kernels(abdb_cu_job *job, const char *op, size_t n,
                                                      abdb_error *err)
{
    const abdb_tensor *t = job->p->tensor;
    size_t size = abdb_dtype_size(t[0].dtype),
           blocks = abdb_cu_block_count_capped_by_device(
               job->d, abdb_cu_blocks_for_pieces(n * size / ABDB_CU_VECTOR));
    char parts[NAME], total[NAME];
    abdb_cu_partial_sums of = {t[0].data, t[1].data, NULL, n},
                         all = {.out = t[2].data, .n = blocks};
    void *part;
    abdb_status st = ABDB_OK;

    snprintf(parts, sizeof parts, "%s_%s", op, abdb_cu_kernel_name_suffix(t[0].dtype));
    snprintf(total, sizeof total, "total_%s", abdb_cu_kernel_name_suffix(t[0].dtype));
    TRY(abdb_cu_alloc_scratch(job, blocks * size, &part, err));
    of.out = part;
    all.x = part;
    for (double r = abdb_param_number(job->p, "repeat", 1); r > 0; r--) {
        TRY(abdb_cu_load_and_add_kernel_step(
            job, &(abdb_cu_kernel_launch){"stream.cu", parts, {blocks}, ABDB_CU_THREADS, 0}, &of,
            sizeof of, err));
        TRY(abdb_cu_load_and_add_kernel_step(
            job, &(abdb_cu_kernel_launch){"stream.cu", total, {1}, ABDB_CU_THREADS, 0}, &all,
            sizeof all, err));
    }
done:
    return st;
}

/* A job of `repeat` passes over the arrays, or of a sum in two stages. */
static abdb_status cuda_stream_prepare_job(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    const char *op = abdb_param_text(p, "op");
    size_t n = (size_t)abdb_param_number(p, "n", 1), size = abdb_dtype_size(t[0].dtype);
    abdb_cu_pass of = {t[0].data, t[1].data, t[2].data, n,
                       (uint64_t)abdb_param_number(p, "fmas", 1)};
    char name[NAME];
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    if (!op) op = "triad";
    TRY(abdb_cu_job_new(&job, p, err));
    snprintf(job->chosen, sizeof job->chosen, "%d threads a block, %d vectors of 16 bytes each",
             ABDB_CU_THREADS, ABDB_CU_EACH);
    if (abdb_param_number(p, "repeat", 1) > PASSES_MOST)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "at most %d passes are launched together", PASSES_MOST));
    if (is_dot_or_read_op(p)) {
        TRY(add_repeated_two_stage_sum_kernels(job, op, n, err));
        goto done;
    }
    snprintf(name, sizeof name, "%s%s_%s", op,
             abdb_param_text_equals(p, "stores", "nt") ? "_past" : "",
             abdb_cu_kernel_name_suffix(t[0].dtype));
    for (double r = abdb_param_number(p, "repeat", 1); r > 0; r--)
        TRY(abdb_cu_load_and_add_kernel_step(
            job,
            &(abdb_cu_kernel_launch){"stream.cu",
                                     name,
                                     {abdb_cu_blocks_for_pieces(n * size / ABDB_CU_VECTOR)},
                                     ABDB_CU_THREADS,
                                     0},
            &of, sizeof of, err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

const abdb_impl abdb_cu_stream = {"stream",
                                  "cuda",
                                  cuda_stream_accepts_memory_level_no_unroll,
                                  cuda_stream_prepare_job,
                                  abdb_cu_job_launch_graph_or_enqueue_steps,
                                  abdb_cu_job_chosen_text,
                                  abdb_cu_job_free};
