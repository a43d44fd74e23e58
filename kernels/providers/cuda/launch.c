/* launch.c - kernels one after another; see launch.h. */
#include "kernels/providers/cuda/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "schema/core/array.h"

/* USUAL_SHARED: bytes of shared memory that a kernel has without asking. WAVES: blocks that each
 * processor gets of what could have any number. */
enum { USUAL_SHARED = 48 << 10, WAVES = 16, EMPTY = 1000 };

abdb_status abdb_cu_job_new(abdb_cu_job **out, const abdb_problem *p, abdb_error *err)
{
    abdb_cu_job *job = calloc(1, sizeof *job);

    if (!job) return ABDB_FAIL(err, ABDB_NOMEM, "a job");
    job->d = (abdb_cu_device *)p->device;
    job->p = p;
    *out = job;
    return ABDB_OK;
}

abdb_status abdb_cu_load_kernel_function(abdb_cu_device *d, const char *file, const char *name,
                                         CUfunction *out, abdb_error *err)
{
    size_t i = 0;
    char what[160];
    abdb_status st = ABDB_OK;

    while (abdb_cu_images[i].name && strcmp(abdb_cu_images[i].name, file) != 0) i++;
    if (!abdb_cu_images[i].name || i >= ABDB_CU_MODULES)
        return ABDB_FAIL(err, ABDB_BACKEND, "no kernels of %s in this program", file);
    if (!d->module[i]) {
        snprintf(what, sizeof what, "cuModuleLoadData of %s", file);
        TRY(abdb_cu_check_result(abdb_cu.cuModuleLoadData_(&d->module[i], abdb_cu_images[i].image),
                                 what, err));
    }
    snprintf(what, sizeof what, "cuModuleGetFunction of %s in %s", name, file);
    TRY(abdb_cu_check_result(abdb_cu.cuModuleGetFunction_(out, d->module[i], name), what, err));
done:
    return st;
}

/* A step more, empty. */
static abdb_status append_empty_step(abdb_cu_job *job, abdb_cu_step **out, abdb_error *err)
{
    abdb_cu_step *more =
        abdb_array_reserve_one(job->step, job->steps, &job->capacity, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a job");
    job->step = more;
    *out = &more[job->steps++];
    **out = (abdb_cu_step){0};
    return ABDB_OK;
}

/* What every device has at most: 2^31 - 1 blocks in x, 65535 in y and z, 1024 threads. */
static abdb_status reject_oversized_grid_or_shared_memory(const abdb_cu_job *job,
                                                          const abdb_cu_kernel_launch *c,
                                                          abdb_error *err)
{
    if (c->grid[0] > INT32_MAX || c->grid[1] > UINT16_MAX || c->grid[2] > UINT16_MAX ||
        c->block > 1024)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "%s wants %zu x %zu x %zu blocks of %zu threads, which no device has",
                         c->function, c->grid[0], c->grid[1], c->grid[2], c->block);
    if (c->shared > (size_t)job->d->shared_most)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "%s wants %zu bytes of shared memory, this device has %d for a block",
                         c->function, c->shared, job->d->shared_most);
    return ABDB_OK;
}

abdb_status abdb_cu_load_and_add_kernel_step(abdb_cu_job *job, const abdb_cu_kernel_launch *call,
                                             const void *argument, size_t size, abdb_error *err)
{
    abdb_cu_step *s = NULL;
    abdb_status st = ABDB_OK;

    if (size > ABDB_CU_ARGUMENTS) TRY(ABDB_FAIL(err, ABDB_LIMIT, "arguments of %zu bytes", size));
    TRY(reject_oversized_grid_or_shared_memory(job, call, err));
    TRY(append_empty_step(job, &s, err));
    s->call = *call;
    snprintf(s->name, sizeof s->name, "%s", call->function);
    s->call.function = NULL; /* the caller's */
    for (int i = 0; i < 3; i++)
        if (!s->call.grid[i]) s->call.grid[i] = 1;
    if (!s->call.block) s->call.block = 1;
    memcpy(s->argument, argument, size);
    TRY(abdb_cu_load_kernel_function(job->d, call->file, call->function, &s->kernel, err));
    if (call->shared > USUAL_SHARED)
        TRY(abdb_cu_check_result(
            abdb_cu.cuFuncSetAttribute_(s->kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        (int)call->shared),
            "cuFuncSetAttribute of the shared memory", err));
done:
    return st;
}

/* Adds a step that calls host_call(context) when the job is launched; on failure, too, context
 * is freed. */
abdb_status abdb_cu_add_host_call_or_free_context(
    abdb_cu_job *job, abdb_status (*host_call)(void *what, abdb_error *err), void *context,
    void (*free_context)(void *what), abdb_error *err)
{
    abdb_cu_step *s = NULL;
    abdb_status st = append_empty_step(job, &s, err);

    if (st != ABDB_OK) {
        free_context(context);
        return st;
    }
    s->free_context = free_context;
    s->host_call = host_call;
    s->context = context;
    return ABDB_OK;
}

abdb_status abdb_cu_alloc_scratch(abdb_cu_job *job, size_t size, void **out, abdb_error *err)
{
    CUdeviceptr *more =
        abdb_array_reserve_one(job->scratch, job->scratches, &job->scratch_room, sizeof *more);
    abdb_status st = ABDB_OK;

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a job");
    job->scratch = more;
    TRY(abdb_cu_check_result(abdb_cu.cuMemAlloc_(&more[job->scratches], size ? size : 1),
                             "cuMemAlloc", err));
    *out = (void *)(uintptr_t)more[job->scratches++];
done:
    return st;
}

abdb_status abdb_cu_alloc_scratch_and_upload(abdb_cu_job *job, const void *from, size_t size,
                                             void **out, abdb_error *err)
{
    abdb_device *d = &job->d->device;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_alloc_scratch(job, size, out, err));
    if (size) TRY(d->upload(d, *out, from, size, err));
done:
    return st;
}

/* Enqueues all steps in order; an error names the kernel and its grid. */
static abdb_status enqueue_job_steps(abdb_cu_job *job, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < job->steps; i++) {
        abdb_cu_step *s = &job->step[i];
        const abdb_cu_kernel_launch *c = &s->call;
        void *arguments[] = {s->argument};
        CUresult code;

        if (s->host_call) {
            TRY(s->host_call(s->context, err));
            continue;
        }
        code = abdb_cu.cuLaunchKernel_(s->kernel, (unsigned)c->grid[0], (unsigned)c->grid[1],
                                       (unsigned)c->grid[2], (unsigned)c->block, 1, 1,
                                       (unsigned)c->shared, job->d->stream, arguments, NULL);
        if (code != CUDA_SUCCESS) {
            char what[192];

            snprintf(what, sizeof what,
                     "cuLaunchKernel of %s with %zu x %zu x %zu blocks of %zu threads", s->name,
                     c->grid[0], c->grid[1], c->grid[2], c->block);
            TRY(abdb_cu_check_result(code, what, err));
        }
    }
done:
    return st;
}

abdb_status abdb_cu_job_launch_graph_or_enqueue_steps(void *state, abdb_error *err)
{
    abdb_cu_job *job = state;

    if (!job->graph) return enqueue_job_steps(job, err);
    return abdb_cu_check_result(abdb_cu.cuGraphLaunch_(job->graph, job->d->stream), "cuGraphLaunch",
                                err);
}

/* What a job does, as one graph. */
static abdb_status capture_steps_as_graph(abdb_cu_job *job, abdb_error *err)
{
    CUgraph graph = NULL;
    abdb_status st = ABDB_OK, caught;

    TRY(abdb_cu_check_result(
        abdb_cu.cuStreamBeginCapture_(job->d->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
        "cuStreamBeginCapture", err));
    caught = enqueue_job_steps(job, err);
    /* Whatever happened, the stream must leave its capturing. */
    st = abdb_cu_check_result(abdb_cu.cuStreamEndCapture_(job->d->stream, &graph),
                              "cuStreamEndCapture",
                              caught == ABDB_OK ? err : &(abdb_error){.message = ""});
    if (caught != ABDB_OK) st = caught;
    TRY(st);
    TRY(abdb_cu_check_result(abdb_cu.cuGraphInstantiate_(&job->graph, graph, 0),
                             "cuGraphInstantiate", err));
done:
    if (graph) abdb_cu.cuGraphDestroy_(graph);
    return st;
}

static void free_and_clear_steps(abdb_cu_job *job)
{
    for (size_t i = 0; i < job->steps; i++)
        if (job->step[i].context) job->step[i].free_context(job->step[i].context);
    job->steps = 0;
}

abdb_status abdb_cu_run_steps_wait_and_clear(abdb_cu_job *job, abdb_error *err)
{
    abdb_device *d = &job->d->device;
    double time_s;
    abdb_status st = ABDB_OK;

    TRY(d->begin_timing(d, err));
    TRY(enqueue_job_steps(job, err));
    TRY(d->end_timing(d, &time_s, err));
    free_and_clear_steps(job);
done:
    return st;
}

const char *abdb_cu_job_chosen_text(const void *state)
{
    const abdb_cu_job *job = state;

    return *job->chosen ? job->chosen : NULL;
}

void abdb_cu_job_free(void *state)
{
    abdb_cu_job *job = state;

    if (job->graph) abdb_cu.cuGraphExecDestroy_(job->graph);
    free_and_clear_steps(job);
    for (size_t i = 0; i < job->scratches; i++) abdb_cu.cuMemFree_(job->scratch[i]);
    free(job->step);
    free(job->scratch);
    free(job);
}

abdb_status abdb_cu_job_to_state_or_graph_or_free(abdb_status st, abdb_cu_job *job, void **state,
                                                  abdb_error *err)
{
    const char *graph = st == ABDB_OK ? abdb_param_text(job->p, "graph") : NULL;

    if (graph && strcmp(graph, "yes") == 0) st = capture_steps_as_graph(job, err);
    if (st == ABDB_OK)
        *state = job;
    else if (job)
        abdb_cu_job_free(job);
    return st;
}

const char *abdb_cu_kernel_name_suffix(abdb_dtype dtype)
{
    return abdb_dtype_name(dtype);
}

size_t abdb_cu_block_count_capped_by_device(const abdb_cu_device *d, size_t pieces)
{
    size_t most = (size_t)(d->processors > 0 ? d->processors : 1) * WAVES;

    return pieces < 1 ? 1 : pieces < most ? pieces : most;
}

/* --- what a launch costs --- */

/* Seconds of one of the EMPTY launches of a job; 0 where they cannot be timed. */
static double time_empty_launch_s_or_0(abdb_cu_job *job, abdb_error *err)
{
    abdb_device *d = &job->d->device;
    double time_s = 0;

    for (int turn = 0; turn < 2; turn++) /* the first warms up */
        if (d->begin_timing(d, err) != ABDB_OK ||
            abdb_cu_job_launch_graph_or_enqueue_steps(job, err) != ABDB_OK ||
            d->end_timing(d, &time_s, err) != ABDB_OK)
            return 0;
    return time_s / EMPTY;
}

abdb_status abdb_cu_measure_and_store_launch_cost(abdb_cu_device *d, abdb_error *err)
{
    abdb_problem p = {.device = &d->device};
    abdb_cu_empty nothing = {0};
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, &p, err));
    for (int i = 0; i < EMPTY; i++)
        TRY(abdb_cu_load_and_add_kernel_step(
            job, &(abdb_cu_kernel_launch){.file = "empty.cu", .function = "empty", .block = 32},
            &nothing, sizeof nothing, err));
    d->launch_s = time_empty_launch_s_or_0(job, err);
    TRY(capture_steps_as_graph(job, err));
    d->graph_s = time_empty_launch_s_or_0(job, err);
done:
    if (job) abdb_cu_job_free(job);
    return st;
}
