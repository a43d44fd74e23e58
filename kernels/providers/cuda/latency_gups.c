/* latency_gups.c - what waits for single words: a walk by one thread, updates by a thread a part.
 */
#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/launch.h"

enum { WARP = 32, PARTS = 128 };

/* A job of one thread that follows the array `hops` times. */
static abdb_status cuda_latency_pointer_chase_prepare_job(void **state, const abdb_problem *p,
                                                          abdb_error *err)
{
    abdb_cu_latency of = {p->tensor[0].data, p->tensor[1].data,
                          (uint64_t)abdb_param_number(p, "hops", 1)};
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    TRY(abdb_cu_load_and_add_kernel_step(
        job, &(abdb_cu_kernel_launch){"latency_gups.cu", "latency", {1}, WARP, 0}, &of, sizeof of,
        err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

/* A job of random updates: a thread for each part of the table. */
static abdb_status cuda_gups_random_xor_prepare_job(void **state, const abdb_problem *p,
                                                    abdb_error *err)
{
    size_t parts = (size_t)abdb_param_number(p, "parts", 1);
    abdb_cu_gups of = {p->tensor[0].data, parts, p->tensor[0].dim[0] / parts,
                       (uint64_t)abdb_param_number(p, "updates", 1) / parts};
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    TRY(abdb_cu_load_and_add_kernel_step(
        job,
        &(abdb_cu_kernel_launch){
            "latency_gups.cu", "gups", {(parts + PARTS - 1) / PARTS}, PARTS, 0},
        &of, sizeof of, err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

const abdb_impl abdb_cu_latency_impl = {"latency",
                                        "cuda",
                                        NULL,
                                        cuda_latency_pointer_chase_prepare_job,
                                        abdb_cu_job_launch_graph_or_enqueue_steps,
                                        abdb_cu_job_chosen_text,
                                        abdb_cu_job_free};
const abdb_impl abdb_cu_gups_impl = {"gups",
                                     "cuda",
                                     NULL,
                                     cuda_gups_random_xor_prepare_job,
                                     abdb_cu_job_launch_graph_or_enqueue_steps,
                                     abdb_cu_job_chosen_text,
                                     abdb_cu_job_free};
