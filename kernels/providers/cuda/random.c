/* random.c - what waits for single words: a walk by one thread, updates by a thread a part. */
#include "kernels/providers/cuda/cu/args.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/launch.h"

enum { WARP = 32, PARTS = 128 };

static abdb_status prepare_latency(void **state, const abdb_problem *p, abdb_error *err)
{
    abdb_cu_latency of = {p->tensor[0].data, p->tensor[1].data,
                          (uint64_t)abdb_param_number(p, "hops", 1)};
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    TRY(abdb_cu_add(job, &(abdb_cu_call){"random.cu", "latency", {1}, WARP, 0}, &of, sizeof of,
                    err));
done:
    return abdb_cu_hand(st, job, state, err);
}

static abdb_status prepare_gups(void **state, const abdb_problem *p, abdb_error *err)
{
    size_t parts = (size_t)abdb_param_number(p, "parts", 1);
    abdb_cu_gups of = {p->tensor[0].data, parts, p->tensor[0].dim[0] / parts,
                       (uint64_t)abdb_param_number(p, "updates", 1) / parts};
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    TRY(abdb_cu_add(job,
                    &(abdb_cu_call){"random.cu", "gups", {(parts + PARTS - 1) / PARTS}, PARTS, 0},
                    &of, sizeof of, err));
done:
    return abdb_cu_hand(st, job, state, err);
}

const abdb_impl abdb_cu_latency_impl = {
    "latency", "cuda", NULL, prepare_latency, abdb_cu_launch, abdb_cu_chosen, abdb_cu_close};
const abdb_impl abdb_cu_gups_impl = {"gups",         "cuda",         NULL,         prepare_gups,
                                     abdb_cu_launch, abdb_cu_chosen, abdb_cu_close};
