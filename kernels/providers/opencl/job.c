/* job.c - kernels one after another; see job.h. */
#include "kernels/providers/opencl/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/opencl/memory.h"
#include "schema/core/array.h"

enum { LINE = 4096 }; /* where pieces of `work` begin: more than any device asks for */

abdb_status abdb_cl_job_new(abdb_cl_job **out, const abdb_problem *p, abdb_error *err)
{
    abdb_cl_job *job = calloc(1, sizeof *job);

    if (!job) return ABDB_FAIL(err, ABDB_NOMEM, "a job");
    job->d = (abdb_cl_device *)p->device;
    job->p = p;
    *out = job;
    return ABDB_OK;
}

/* One argument, or two, by its letter. */
static cl_int set_next_kernel_args_by_letter(const abdb_cl_device *d, cl_kernel kernel,
                                             cl_uint *next, char letter, va_list *more)
{
    cl_uint at = (*next)++;
    abdb_cl_buffer_offset place;
    cl_ulong whole;
    cl_int number;
    cl_float real;
    cl_double wide;

    switch (letter) {
    case 'b':
        place = abdb_cl_buffer_and_offset_of_address(d, va_arg(*more, void *));
        if (place.at) return CL_INVALID_MEM_OBJECT;
        return clSetKernelArg(kernel, at, sizeof place.memory, &place.memory);
    case 'p':
        place = abdb_cl_buffer_and_offset_of_address(d, va_arg(*more, void *));
        whole = va_arg(*more, size_t);
        if (place.at % whole) return CL_MISALIGNED_SUB_BUFFER_OFFSET;
        whole = place.at / whole;
        if (clSetKernelArg(kernel, at, sizeof place.memory, &place.memory) != CL_SUCCESS)
            return CL_INVALID_ARG_VALUE;
        return clSetKernelArg(kernel, (*next)++, sizeof whole, &whole);
    case 'l':
        whole = va_arg(*more, size_t);
        return clSetKernelArg(kernel, at, sizeof whole, &whole);
    case 'i':
        number = va_arg(*more, int);
        return clSetKernelArg(kernel, at, sizeof number, &number);
    case 'f':
        real = (cl_float)va_arg(*more, double);
        return clSetKernelArg(kernel, at, sizeof real, &real);
    case 'd': wide = va_arg(*more, double); return clSetKernelArg(kernel, at, sizeof wide, &wide);
    default: return CL_INVALID_ARG_VALUE;
    }
}

static void set_step_name_and_sizes(abdb_cl_step *step, const abdb_cl_kernel_call *call)
{
    step->name = call->function;
    for (cl_uint i = 0; i < 3; i++) {
        step->local[i] = call->items[i] ? call->items[i] : 1;
        step->global[i] = (call->groups[i] ? call->groups[i] : 1) * step->local[i];
        if (step->global[i] > 1 || i == 0) step->dims = i + 1;
    }
}

/* The options of a call, and the work-items of a group, which the compiler knows, too, unless the
 * device has no such groups: that is the launch's to say. */
static void write_call_compile_options(const abdb_cl_job *job, const abdb_cl_kernel_call *call,
                                       char *out, size_t room)
{
    size_t items = call->items[0] ? call->items[0] : 1, most = 1;

    clGetDeviceInfo(job->d->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    snprintf(out, room, "%s -DITEMS=%zu%s", call->options ? call->options : "", items,
             items <= most ? " -DREQUIRED" : "");
}

/* The step for a kernel: a new one, or of a job that does it at once that of before. */
static abdb_status reuse_step_if_immediate_or_create(abdb_cl_job *job, cl_program program,
                                                     const char *function, abdb_cl_step **out,
                                                     abdb_error *err)
{
    abdb_cl_step *more;
    char what[128];
    cl_int code;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; job->immediate && i < job->steps; i++) {
        *out = &job->step[i];
        if ((*out)->program == program && strcmp((*out)->name, function) == 0) return ABDB_OK;
    }
    more = abdb_array_reserve_one(job->step, job->steps, &job->capacity, sizeof *more);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a job");
    job->step = more;
    more += job->steps;
    *more = (abdb_cl_step){.program = program, .name = function};
    snprintf(what, sizeof what, "clCreateKernel of %s", function);
    more->kernel = clCreateKernel(program, function, &code);
    TRY(abdb_cl_check_result(code, what, err));
    job->steps++;
    *out = more;
done:
    return st;
}

/* Enqueues one kernel with an event of its own; an error names the kernel and its items. */
static abdb_status enqueue_step_with_event(abdb_cl_job *job, const abdb_cl_step *s, abdb_error *err)
{
    cl_event *event;
    char what[128];
    cl_int code;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_append_event(job->d, &event, err));
    code = clEnqueueNDRangeKernel(job->d->queue, s->kernel, s->dims, NULL, s->global, s->local, 0,
                                  NULL, event);
    snprintf(what, sizeof what, "clEnqueueNDRangeKernel of %s with %zu x %zu x %zu items", s->name,
             s->local[0], s->local[1], s->local[2]);
    TRY(abdb_cl_check_result(code, what, err));
done:
    return st;
}

abdb_status abdb_cl_issue_kernel(abdb_cl_job *job, const abdb_cl_kernel_call *call, abdb_error *err,
                                 const char *argument_kinds, ...)
{
    abdb_cl_step *step = NULL;
    cl_program program = NULL;
    cl_int code = CL_SUCCESS;
    cl_uint next = 0;
    char what[128] = "", options[512];
    va_list list;
    abdb_status st = ABDB_OK;

    if (job->counting_only) return ABDB_OK;
    write_call_compile_options(job, call, options, sizeof options);
    TRY(abdb_cl_build_or_reuse_program(job->d, call->file, options, &program, err));
    TRY(reuse_step_if_immediate_or_create(job, program, call->function, &step, err));
    set_step_name_and_sizes(step, call);
    va_start(list, argument_kinds);
    for (size_t i = 0; argument_kinds[i] && code == CL_SUCCESS; i++) {
        code =
            set_next_kernel_args_by_letter(job->d, step->kernel, &next, argument_kinds[i], &list);
        snprintf(what, sizeof what, "clSetKernelArg %zu of %s", i, call->function);
    }
    va_end(list);
    TRY(abdb_cl_check_result(code, what, err));
    if (job->immediate) TRY(enqueue_step_with_event(job, step, err));
done:
    return st;
}

abdb_status abdb_cl_alloc_or_count_scratch(abdb_cl_job *job, size_t size, cl_mem *out,
                                           abdb_error *err)
{
    cl_mem *more =
        abdb_array_reserve_one(job->scratch, job->scratches, &job->scratch_room, sizeof *more);
    cl_buffer_region region = {job->used, size};
    cl_int code;

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a job");
    job->scratch = more;
    *out = NULL;
    if (job->immediate) job->used += abdb_cl_ceil_divide(size, LINE) * LINE;
    if (job->counting_only) return ABDB_OK;
    if (job->immediate)
        *out = clCreateSubBuffer(job->work, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                 &region, &code);
    else
        *out = clCreateBuffer(job->d->context, CL_MEM_READ_WRITE, size, NULL, &code);
    if (code == CL_SUCCESS) more[job->scratches++] = *out;
    return abdb_cl_check_result(code, "memory between kernels", err);
}

void abdb_cl_free_scratch(abdb_cl_job *job)
{
    for (size_t i = 0; i < job->scratches; i++) clReleaseMemObject(job->scratch[i]);
    job->scratches = 0;
    job->used = 0;
}

abdb_status abdb_cl_job_launch(void *state, abdb_error *err)
{
    abdb_cl_job *job = state;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < job->steps; i++) TRY(enqueue_step_with_event(job, &job->step[i], err));
    TRY(abdb_cl_check_result(clFlush(job->d->queue), "clFlush", err));
done:
    return st;
}

static void release_and_clear_steps(abdb_cl_job *job)
{
    for (size_t i = 0; i < job->steps; i++) clReleaseKernel(job->step[i].kernel);
    job->steps = 0;
}

abdb_status abdb_cl_run_and_clear_steps(abdb_cl_job *job, abdb_error *err)
{
    abdb_device *d = &job->d->device;
    double time_s;
    abdb_status st = ABDB_OK;

    TRY(d->begin_timing(d, err));
    TRY(abdb_cl_job_launch(job, err));
    TRY(d->end_timing(d, &time_s, err));
    release_and_clear_steps(job);
done:
    return st;
}

const char *abdb_cl_job_chosen_text(const void *state)
{
    const abdb_cl_job *job = state;

    return *job->chosen ? job->chosen : NULL;
}

void abdb_cl_job_free(void *state)
{
    abdb_cl_job *job = state;

    release_and_clear_steps(job);
    abdb_cl_free_scratch(job);
    if (job->work) clReleaseMemObject(job->work);
    free(job->step);
    free(job->scratch);
    free(job);
}

abdb_status abdb_cl_job_to_state_or_free(abdb_status st, abdb_cl_job *job, void **state)
{
    if (st == ABDB_OK)
        *state = job;
    else if (job)
        abdb_cl_job_free(job);
    return st;
}

int abdb_cl_supports_tensor_formats(const abdb_problem *p, const char **why_not)
{
    bool doubles = ((const abdb_cl_device *)p->device)->doubles;

    for (int i = 0; i < p->tensors; i++) {
        *why_not = "the kernels for OpenCL have no such format yet";
        if (!abdb_cl_compile_option_of_dtype(p->tensor[i].dtype)) return 0;
        *why_not = "this OpenCL device has no f64 (cl_khr_fp64)";
        if (p->tensor[i].dtype == ABDB_F64 && !doubles) return 0;
    }
    return 1;
}

const char *abdb_cl_compile_option_of_dtype(abdb_dtype dtype)
{
    static const char *const options[ABDB_DTYPE_COUNT] = {
        [ABDB_F64] = "-DF64", [ABDB_F32] = "-DF32", [ABDB_BF16] = "-DBF16",
        [ABDB_F16] = "-DF16", [ABDB_I8] = "-DI8",   [ABDB_I32] = "-DI32"};

    return options[dtype];
}

size_t abdb_cl_vector_lanes(const abdb_cl_device *d, abdb_dtype dtype)
{
    return (size_t)d->wide / (dtype == ABDB_F64 ? 8 : 4);
}

size_t abdb_cl_group_size_param_or_usual_1_on_cpu(const abdb_problem *p, size_t usual)
{
    double asked = abdb_param_number(p, "local", 0);

    if (asked >= 1 && asked <= 1 << 20) return (size_t)asked;
    return ((const abdb_cl_device *)p->device)->processor ? 1 : usual;
}
