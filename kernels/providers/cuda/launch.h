/* launch.h - the steps of an implementation's launch: kernels with arguments, and products, one
 * after another, and the memory between them. An implementation of this provider only fills a job.
 */
#ifndef ABDB_PROVIDERS_CUDA_LAUNCH_H
#define ABDB_PROVIDERS_CUDA_LAUNCH_H

#include "kernels/providers/cuda/device.h"

/* Bytes of a kernel's arguments and of its name, at most. */
enum { ABDB_CU_ARGUMENTS = 512, ABDB_CU_KERNEL_NAME = 64 };

/* How a kernel is run: file, function, blocks, threads of a block, bytes of shared memory that it
 * needs besides its own. 0: 1 of blocks and threads. */
typedef struct {
    const char *file, *function;
    size_t grid[3], block, shared;
} abdb_cu_kernel_launch;

typedef struct {
    CUfunction kernel;
    abdb_cu_kernel_launch call;
    char name[ABDB_CU_KERNEL_NAME];
    double
        argument[ABDB_CU_ARGUMENTS / 8]; /* one struct of kernels/providers/cuda/cu/kernel_args.h */
    abdb_status (*host_call)(void *context, abdb_error *err); /* instead of a kernel */
    void *context;
    void (*free_context)(void *context);
} abdb_cu_step;

typedef struct {
    abdb_cu_device *d;
    const abdb_problem *p;
    abdb_cu_step *step;
    size_t steps, capacity;
    CUdeviceptr *scratch;
    size_t scratches, scratch_room;
    CUgraphExec graph; /* all steps, with the parameter graph=yes */
    char chosen[160];
} abdb_cu_job;

/* An empty job for a problem; abdb_cu_job_free frees it, also after a failure. */
ABDB_MUST_USE abdb_status abdb_cu_job_new(abdb_cu_job **out, const abdb_problem *p,
                                          abdb_error *err);
/* Adds a kernel, whose one argument is a copy of a struct. ABDB_USAGE: the device has no such grid
 * or so much shared memory. */
ABDB_MUST_USE abdb_status abdb_cu_load_and_add_kernel_step(abdb_cu_job *job,
                                                           const abdb_cu_kernel_launch *call,
                                                           const void *argument, size_t size,
                                                           abdb_error *err);
/* Adds a call of the host that enqueues more. free_context gets context when the job is freed, or
 * at once where the call cannot be appended. */
ABDB_MUST_USE abdb_status abdb_cu_add_host_call_or_free_context(
    abdb_cu_job *job, abdb_status (*host_call)(void *context, abdb_error *err), void *context,
    void (*free_context)(void *context), abdb_error *err);
/* Memory of the device for as long as the job. */
ABDB_MUST_USE abdb_status abdb_cu_alloc_scratch(abdb_cu_job *job, size_t size, void **out,
                                                abdb_error *err);
/* The same, filled with bytes of the host. */
ABDB_MUST_USE abdb_status abdb_cu_alloc_scratch_and_upload(abdb_cu_job *job, const void *from,
                                                           size_t size, void **out,
                                                           abdb_error *err);
/* launch, chosen and close of implementations whose state is a job. */
abdb_status abdb_cu_job_launch_graph_or_enqueue_steps(void *state, abdb_error *err);
const char *abdb_cu_job_chosen_text(const void *state);
void abdb_cu_job_free(void *state);
/* For the end of `prepare`: the job becomes the state (and a graph, if requested), or is freed
 * where st is not ABDB_OK. Returns st, or the graph's status. */
abdb_status abdb_cu_job_to_state_or_graph_or_free(abdb_status st, abdb_cu_job *job, void **state,
                                                  abdb_error *err);
/* Runs the job's steps so far at once, waits for them, and removes them from launches: for work
 * prepared beforehand. */
ABDB_MUST_USE abdb_status abdb_cu_run_steps_wait_and_clear(abdb_cu_job *job, abdb_error *err);

/* The end of a kernel's name: "f32", "bf16", "f16", "f64", "i8". */
const char *abdb_cu_kernel_name_suffix(abdb_dtype dtype);
/* n / piece, rounded up. */
static inline size_t abdb_cu_ceil_divide(size_t n, size_t piece)
{
    return (n + piece - 1) / piece;
}
/* Blocks for n pieces, at most: so many that every processor has work several times. */
size_t abdb_cu_block_count_capped_by_device(const abdb_cu_device *d, size_t pieces);
/* Measures the time of an empty kernel, launched and as a node of a graph. */
ABDB_MUST_USE abdb_status abdb_cu_measure_and_store_launch_cost(abdb_cu_device *d, abdb_error *err);

#endif
