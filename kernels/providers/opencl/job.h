/* job.h - the steps of an implementation's launch: kernels with their arguments, one after another,
 * and the memory between them. An implementation of this provider only fills a job. */
#ifndef ABDB_PROVIDERS_OPENCL_JOB_H
#define ABDB_PROVIDERS_OPENCL_JOB_H

#include "kernels/providers/opencl/device.h"

typedef struct {
    cl_kernel kernel;
    cl_program program;
    const char *name;
    cl_uint dims;
    size_t global[3], local[3];
} abdb_cl_step;

typedef struct {
    abdb_cl_device *d;
    const abdb_problem *p;
    abdb_cl_step *step;
    size_t steps, capacity;
    cl_mem *scratch;
    size_t scratches, scratch_room;
    char chosen[160];
    /* Of a job that does each kernel when it is added (steps are then kernels to use again):
     * scratch is taken from `work`, of which `used` bytes are; where counting_only, these are
     * counted and nothing else is done. */
    bool immediate, counting_only;
    cl_mem work;
    size_t used;
} abdb_cl_job;

/* How a kernel is run: the files of its program, the function, options of the compiler ("-DOP=1
 * ..."), groups and work-items of a group (0: 1). */
typedef struct {
    const char *file, *function, *options;
    size_t groups[3], items[3];
} abdb_cl_kernel_call;

/* An empty job for a problem; abdb_cl_job_free frees it, also after a failure. */
ABDB_MUST_USE abdb_status abdb_cl_job_new(abdb_cl_job **out, const abdb_problem *p,
                                          abdb_error *err);
/* Adds a kernel; an immediate job enqueues it at once, a counting one does nothing. Arguments by
 * letter: b a cl_mem (or data of a tensor), p an address of the device and a size of elements, as a
 * cl_mem and a ulong, the elements before it; l a size_t as ulong, i an int, f a double as float, d
 * a double. */
ABDB_MUST_USE abdb_status abdb_cl_issue_kernel(abdb_cl_job *job, const abdb_cl_kernel_call *call,
                                               abdb_error *err, const char *argument_kinds, ...);
/* Memory of the device for as long as the job, or until abdb_cl_free_scratch. */
ABDB_MUST_USE abdb_status abdb_cl_alloc_or_count_scratch(abdb_cl_job *job, size_t size, cl_mem *out,
                                                         abdb_error *err);
/* Of a job that does each kernel at once: scratch is free again. */
void abdb_cl_free_scratch(abdb_cl_job *job);
/* launch, chosen and close of implementations whose state is a job. */
abdb_status abdb_cl_job_launch(void *state, abdb_error *err);
const char *abdb_cl_job_chosen_text(const void *state);
void abdb_cl_job_free(void *state);
/* For the end of `prepare`: the job becomes the state, or is freed where st is not ABDB_OK. Returns
 * st.
 */
abdb_status abdb_cl_job_to_state_or_free(abdb_status st, abdb_cl_job *job, void **state);
/* Runs the job's steps so far at once, waits for them, and removes them from launches: for work
 * prepared beforehand. */
ABDB_MUST_USE abdb_status abdb_cl_run_and_clear_steps(abdb_cl_job *job, abdb_error *err);

/* `accepts`, or its last part: are all tensors of formats that the kernels and the device have? */
int abdb_cl_supports_tensor_formats(const abdb_problem *p, const char **why_not);
/* The option that names a format to common.cl: "-DF32", ... */
const char *abdb_cl_compile_option_of_dtype(abdb_dtype dtype);
/* Elements of a vector of a work-item: of the numbers that are computed with. */
size_t abdb_cl_vector_lanes(const abdb_cl_device *d, abdb_dtype dtype);
/* Work-items of a group of a kernel whose items stand side by side: the parameter `local`, else 1
 * on a processor and `usual` elsewhere. */
size_t abdb_cl_group_size_param_or_usual_1_on_cpu(const abdb_problem *p, size_t usual);
/* n / piece, rounded up. */
static inline size_t abdb_cl_ceil_divide(size_t n, size_t piece)
{
    return (n + piece - 1) / piece;
}

#endif
