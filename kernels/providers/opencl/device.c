/* device.c - memory, queue and clock of an OpenCL device; see device.h. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/opencl/device_selection.h"
#include "kernels/providers/opencl/memory.h"
#include "schema/core/array.h"

enum { PATTERN = 128 }; /* the longest that clEnqueueFillBuffer takes */

static abdb_status opencl_alloc(abdb_device *d, size_t size, bool huge, void **out, abdb_error *err)
{
    if (huge) return ABDB_FAIL(err, ABDB_USAGE, "OpenCL leaves pages to its driver");
    return abdb_cl_alloc_buffer_and_reserve_address((abdb_cl_device *)d, size, out, err);
}

static void opencl_release(abdb_device *d, void *memory)
{
    abdb_cl_release_buffer_and_address((abdb_cl_device *)d, memory);
}

static double opencl_total_or_half_host_bytes(abdb_device *d)
{
    abdb_cl_device *c = (abdb_cl_device *)d;
    cl_ulong size = 0;

    if (c->processor)
        return abdb_memory_available_bytes_within_cgroup() / 2; /* the host keeps a copy of all */
    clGetDeviceInfo(c->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof size, &size, NULL);
    return (double)size;
}

static abdb_status opencl_upload(abdb_device *d, void *to, const void *from, size_t size,
                                 abdb_error *err)
{
    abdb_cl_device *c = (abdb_cl_device *)d;
    abdb_cl_buffer_offset p = abdb_cl_buffer_and_offset_of_address(c, to);

    return abdb_cl_check_result(
        clEnqueueWriteBuffer(c->queue, p.memory, CL_TRUE, p.at, size, from, 0, NULL, NULL),
        "clEnqueueWriteBuffer", err);
}

static abdb_status opencl_download(abdb_device *d, void *to, const void *from, size_t size,
                                   abdb_error *err)
{
    abdb_cl_device *c = (abdb_cl_device *)d;
    abdb_cl_buffer_offset p = abdb_cl_buffer_and_offset_of_address(c, from);

    return abdb_cl_check_result(
        clEnqueueReadBuffer(c->queue, p.memory, CL_TRUE, p.at, size, to, 0, NULL, NULL),
        "clEnqueueReadBuffer", err);
}

/* Sets every byte, by patterns of PATTERN bytes as far as they fit, and waits. */
static abdb_status opencl_fill_and_wait(abdb_device *d, void *to, unsigned char byte, size_t size,
                                        abdb_error *err)
{
    abdb_cl_device *c = (abdb_cl_device *)d;
    abdb_cl_buffer_offset p = abdb_cl_buffer_and_offset_of_address(c, to);
    unsigned char pattern[PATTERN];
    size_t whole = p.at % PATTERN ? 0 : size / PATTERN * PATTERN;
    abdb_status st = ABDB_OK;

    memset(pattern, byte, sizeof pattern);
    if (whole)
        TRY(abdb_cl_check_result(
            clEnqueueFillBuffer(c->queue, p.memory, pattern, PATTERN, p.at, whole, 0, NULL, NULL),
            "clEnqueueFillBuffer", err));
    if (size > whole)
        TRY(abdb_cl_check_result(clEnqueueFillBuffer(c->queue, p.memory, pattern, 1, p.at + whole,
                                                     size - whole, 0, NULL, NULL),
                                 "clEnqueueFillBuffer", err));
    TRY(abdb_cl_check_result(clFinish(c->queue), "clFinish", err));
done:
    return st;
}

/* Overwrites twice the last cache's size, so that no operand is left in it. */
static abdb_status opencl_flush_caches(abdb_device *d, abdb_error *err)
{
    abdb_cl_device *c = (abdb_cl_device *)d;
    size_t size = 2 * (d->limits.claimed ? d->limits.claimed : d->limits.last);
    abdb_status st = ABDB_OK;

    if (!c->flushed) TRY(abdb_cl_alloc_buffer_and_reserve_address(c, size, &c->flushed, err));
    TRY(opencl_fill_and_wait(d, c->flushed, 0, size, err));
done:
    return st;
}

/* --- a timed stretch -------------------------------------------------------------------------- */

abdb_status abdb_cl_append_event(abdb_cl_device *d, cl_event **out, abdb_error *err)
{
    cl_event *more = abdb_array_reserve_one(d->event, d->events, &d->capacity, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "events of launches");
    d->event = more;
    more[d->events] = NULL;
    *out = &more[d->events++];
    return ABDB_OK;
}

static void release_launch_events(abdb_cl_device *c)
{
    for (size_t i = 0; i < c->events; i++)
        if (c->event[i]) clReleaseEvent(c->event[i]);
    c->events = 0;
}

/* The threads of libgomp, which made inputs or checked outputs, would spin beside the device's. */
static abdb_status opencl_begin_timing(abdb_device *d, abdb_error *err)
{
    abdb_cl_device *c = (abdb_cl_device *)d;

    if (c->processor) omp_pause_resource_all(omp_pause_soft);
    release_launch_events(c);
    return abdb_cl_check_result(clFinish(c->queue), "clFinish", err);
}

/* Did any launch of the stretch fail? */
static abdb_status require_no_launch_failed(abdb_cl_device *c, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < c->events; i++) {
        cl_int status = CL_COMPLETE;

        if (!c->event[i]) continue;
        clGetEventInfo(c->event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                       NULL);
        TRY(abdb_cl_check_result(status < 0 ? status : CL_SUCCESS, "a kernel ended", err));
    }
done:
    return st;
}

/* From the start of the first kernel to the end of the last, by the device's clock. */
static abdb_status opencl_end_timing(abdb_device *d, double *time_s, abdb_error *err)
{
    abdb_cl_device *c = (abdb_cl_device *)d;
    cl_ulong first = 0, last = 0;
    cl_int waited = clFinish(c->queue);
    abdb_status st = ABDB_OK;

    *time_s = 0;
    TRY(require_no_launch_failed(c, err));
    TRY(abdb_cl_check_result(waited, "clFinish", err));
    if (c->events) {
        TRY(abdb_cl_check_result(clGetEventProfilingInfo(c->event[0], CL_PROFILING_COMMAND_START,
                                                         sizeof first, &first, NULL),
                                 "clGetEventProfilingInfo", err));
        TRY(abdb_cl_check_result(clGetEventProfilingInfo(c->event[c->events - 1],
                                                         CL_PROFILING_COMMAND_END, sizeof last,
                                                         &last, NULL),
                                 "clGetEventProfilingInfo", err));
        *time_s = 1e-9 * (double)(last - first);
    }
done:
    release_launch_events(c);
    return st;
}

/* What the host tells is told of its processors only. */
static void opencl_read_host_sensors_load_only_for_gpu(abdb_device *d, int how, abdb_sensors *out)
{
    abdb_sensors_read_host_quick_or_all(d, how, out);
    if (!((abdb_cl_device *)d)->processor)
        out->clock_hz = out->temperature_c = out->energy_j = out->energy_most_j = NAN;
}

/* Tells what the driver says of platform and device, the variables that change it, and all
 * devices to choose from. */
static void opencl_describe_device(abdb_device *d,
                                   void (*tell)(void *to, const char *key, const char *text),
                                   void *to)
{
    static const struct {
        const char *key;
        cl_device_info what;
    } texts[] = {{"opencl_device", CL_DEVICE_NAME},
                 {"opencl_vendor", CL_DEVICE_VENDOR},
                 {"opencl_version", CL_DEVICE_VERSION},
                 {"opencl_driver", CL_DRIVER_VERSION},
                 {"opencl_extensions", CL_DEVICE_EXTENSIONS}};
    static const char *const variables[] = {"ABDB_OPENCL_DEVICE", "ABDB_OPENCL_OPTIONS",
                                            "OCL_ICD_VENDORS", "POCL_MAX_PTHREAD_COUNT",
                                            "POCL_AFFINITY"};
    abdb_cl_device *c = (abdb_cl_device *)d;
    char text[4096];
    cl_uint units = 0, hertz = 0;
    cl_ulong memory = 0;

    clGetPlatformInfo(c->platform, CL_PLATFORM_NAME, sizeof text, text, NULL);
    tell(to, "opencl_platform", text);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (clGetDeviceInfo(c->id, texts[i].what, sizeof text, text, NULL) == CL_SUCCESS)
            tell(to, texts[i].key, text);
    clGetDeviceInfo(c->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(c->id, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof hertz, &hertz, NULL);
    clGetDeviceInfo(c->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    snprintf(text, sizeof text, "%u", units);
    tell(to, "opencl_compute_units", text);
    snprintf(text, sizeof text, "%u MHz", hertz);
    tell(to, "opencl_clock", text);
    snprintf(text, sizeof text, "%.1f GiB", (double)memory / 0x1p30);
    tell(to, "opencl_memory", text);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i])) tell(to, variables[i], getenv(variables[i]));
    abdb_cl_report_all_device_names(tell, to);
}

/* --- opening ---------------------------------------------------------------------------------- */

/* What one begin and end cost. */
static double measure_begin_end_cost_s(abdb_device *d)
{
    abdb_error err;
    double start = abdb_clock_seconds(), time_s;
    enum { TIMES = 100 };

    for (int i = 0; i < TIMES; i++)
        if (opencl_begin_timing(d, &err) != ABDB_OK ||
            opencl_end_timing(d, &time_s, &err) != ABDB_OK)
            break;
    return (abdb_clock_seconds() - start) / TIMES;
}

/* Sizes of caches and compute units; of a processor those of the host. A last cache below 32 MiB
 * counts as 32 MiB. */
static abdb_machine_caches read_cache_and_unit_limits(const abdb_cl_device *c)
{
    cl_uint units = 1;
    cl_ulong cache = 0, local = 0;
    abdb_machine_caches l;

    clGetDeviceInfo(c->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    if (c->processor) return abdb_machine_cache_sizes_capped_if_virtual((int)units);
    clGetDeviceInfo(c->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache, NULL);
    clGetDeviceInfo(c->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    l = (abdb_machine_caches){
        .l1 = local, .l2 = cache / units, .last = cache, .threads = (int)units};
    if (l.last < 32 << 20) l.last = 32 << 20; /* some tell of a part only */
    return l;
}

/* Makes the device's context and a queue that times its kernels. */
static abdb_status create_context_and_queue(abdb_cl_device *c, abdb_error *err)
{
    cl_int code;
    abdb_status st = ABDB_OK;

    c->context = clCreateContext(NULL, 1, &c->id, NULL, NULL, &code);
    TRY(abdb_cl_check_result(code, "clCreateContext", err));
    c->queue = clCreateCommandQueue(c->context, c->id, CL_QUEUE_PROFILING_ENABLE, &code);
    TRY(abdb_cl_check_result(code, "clCreateCommandQueue", err));
done:
    return st;
}

abdb_status abdb_cl_open_device(abdb_device **out, abdb_error *err)
{
    static abdb_cl_device c; /* of this process, there is one */
    size_t step_ns = 1;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_select_device_and_capabilities(&c, err));
    TRY(create_context_and_queue(&c, err));
    clGetDeviceInfo(c.id, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof step_ns, &step_ns, NULL);
    c.device = (abdb_device){.name = c.name,
                             .clock = "OpenCL profiling events",
                             .resolution_s = 1e-9 * (double)step_ns,
                             .limits = read_cache_and_unit_limits(&c),
                             .driver_threads = true,
                             .alloc = opencl_alloc,
                             .release = opencl_release,
                             .available = opencl_total_or_half_host_bytes,
                             .upload = opencl_upload,
                             .download = opencl_download,
                             .fill = opencl_fill_and_wait,
                             .flush_caches = opencl_flush_caches,
                             .begin_timing = opencl_begin_timing,
                             .end_timing = opencl_end_timing,
                             .read_sensors = opencl_read_host_sensors_load_only_for_gpu,
                             .describe = opencl_describe_device};
    if (c.processor) c.device.threads = c.device.limits.threads;
    c.device.cost_s = measure_begin_end_cost_s(&c.device);
    *out = &c.device;
done:
    return st;
}
