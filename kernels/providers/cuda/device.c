/* device.c - memory, stream and clock of a CUDA device; see device.h. Tensors' data are addresses
 * of the device. */
#include "kernels/providers/cuda/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/cuda/launch.h"
#include "kernels/providers/cuda/nvml.h"
#include "schema/core/text.h"

/* Bytes of memory that cuBLAS may use: what NVIDIA's manual advises for Hopper. */
enum { WORKSPACE = 32 << 20 };

/* Memory of the device, at least one byte. ABDB_USAGE: large pages are asked for. */
static abdb_status cuda_alloc(abdb_device *d, size_t size, bool huge, void **out, abdb_error *err)
{
    CUdeviceptr at = 0;
    abdb_status st = ABDB_OK;

    (void)d;
    if (huge) return ABDB_FAIL(err, ABDB_USAGE, "CUDA leaves pages to its driver");
    TRY(abdb_cu_check_result(abdb_cu.cuMemAlloc_(&at, size ? size : 1), "cuMemAlloc", err));
    *out = (void *)(uintptr_t)at;
done:
    return st;
}

static void cuda_release(abdb_device *d, void *memory)
{
    (void)d;
    abdb_cu.cuMemFree_(abdb_cu_device_pointer(memory));
}

static double cuda_available_bytes(abdb_device *d)
{
    size_t left = 0, all = 0;

    (void)d;
    if (abdb_cu.cuMemGetInfo_(&left, &all) != CUDA_SUCCESS) return 0;
    return (double)left;
}

static abdb_status cuda_upload(abdb_device *d, void *to, const void *from, size_t size,
                               abdb_error *err)
{
    (void)d;
    return abdb_cu_check_result(abdb_cu.cuMemcpyHtoD_(abdb_cu_device_pointer(to), from, size),
                                "cuMemcpyHtoD", err);
}

static abdb_status cuda_download(abdb_device *d, void *to, const void *from, size_t size,
                                 abdb_error *err)
{
    (void)d;
    return abdb_cu_check_result(abdb_cu.cuMemcpyDtoH_(to, abdb_cu_device_pointer(from), size),
                                "cuMemcpyDtoH", err);
}

/* Sets every byte and waits for it. */
static abdb_status cuda_fill_and_wait(abdb_device *d, void *to, unsigned char byte, size_t size,
                                      abdb_error *err)
{
    abdb_cu_device *c = (abdb_cu_device *)d;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_check_result(
        abdb_cu.cuMemsetD8Async_(abdb_cu_device_pointer(to), byte, size, c->stream),
        "cuMemsetD8Async", err));
    TRY(abdb_cu_check_result(abdb_cu.cuStreamSynchronize_(c->stream), "cuStreamSynchronize", err));
done:
    return st;
}

/* Writes twice the second level, which is the last; the first levels are emptied by each launch. */
static abdb_status cuda_flush_l2_cache(abdb_device *d, abdb_error *err)
{
    abdb_cu_device *c = (abdb_cu_device *)d;
    size_t size = 2 * d->limits.last;
    abdb_status st = ABDB_OK;

    if (!c->flushed)
        TRY(abdb_cu_check_result(abdb_cu.cuMemAlloc_(&c->flushed, size), "cuMemAlloc", err));
    TRY(cuda_fill_and_wait(d, (void *)(uintptr_t)c->flushed, 0, size, err));
done:
    return st;
}

/* Waits for what was enqueued, then records the first event. */
static abdb_status cuda_begin_timing(abdb_device *d, abdb_error *err)
{
    abdb_cu_device *c = (abdb_cu_device *)d;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_check_result(abdb_cu.cuStreamSynchronize_(c->stream), "cuStreamSynchronize", err));
    TRY(abdb_cu_check_result(abdb_cu.cuEventRecord_(c->first, c->stream), "cuEventRecord", err));
done:
    return st;
}

/* Between the two events, by the device's clock; what a kernel did wrong is told here. */
static abdb_status cuda_end_timing(abdb_device *d, double *time_s, abdb_error *err)
{
    abdb_cu_device *c = (abdb_cu_device *)d;
    float time_ms = 0;
    abdb_status st = ABDB_OK;

    *time_s = 0;
    TRY(abdb_cu_check_result(abdb_cu.cuEventRecord_(c->last, c->stream), "cuEventRecord", err));
    TRY(abdb_cu_check_result(abdb_cu.cuEventSynchronize_(c->last), "a kernel ended", err));
    TRY(abdb_cu_check_result(abdb_cu.cuEventElapsedTime_(&time_ms, c->first, c->last),
                             "cuEventElapsedTime", err));
    *time_s = 1e-3 * (double)time_ms;
done:
    return st;
}

/* Load and stolen time are the host's, the rest the device's. */
static void cuda_read_host_and_nvml_sensors(abdb_device *d, int how, abdb_sensors *out)
{
    abdb_sensors_read_host_quick_or_all(d, how, out);
    abdb_nvml_read_sensors(out);
}

int abdb_cu_device_attribute(const abdb_cu_device *d, CUdevice_attribute what)
{
    int value = 0;

    return abdb_cu.cuDeviceGetAttribute_(&value, what, d->id) == CUDA_SUCCESS ? value : 0;
}

/* Tells what the driver says of the device, the cost of a launch, the variables that change it,
 * and what NVML says. */
static void cuda_describe_device(abdb_device *d,
                                 void (*tell)(void *to, const char *key, const char *text),
                                 void *to)
{
    static const struct {
        const char *key, *unit;
        CUdevice_attribute what;
    } numbers[] = {
        {"cuda_processors", "", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {"cuda_clock", " kHz", CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
        {"cuda_memory_clock", " kHz", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
        {"cuda_memory_bus", " bits", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
        {"cuda_l2", " bytes", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
        {"cuda_shared_memory", " bytes", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
        {"cuda_ecc", "", CU_DEVICE_ATTRIBUTE_ECC_ENABLED},
        {"cuda_compute_mode", "", CU_DEVICE_ATTRIBUTE_COMPUTE_MODE}};
    static const char *const variables[] = {"ABDB_CUDA_DEVICE",       "ABDB_CUDA_DRIVER",
                                            "CUDA_VISIBLE_DEVICES",   "CUDA_DEVICE_ORDER",
                                            "NVIDIA_TF32_OVERRIDE",   "CUDA_MODULE_LOADING",
                                            "CUBLAS_WORKSPACE_CONFIG"};
    abdb_cu_device *c = (abdb_cu_device *)d;
    int version = 0;
    size_t memory = 0;
    char text[128];

    tell(to, "cuda_device", c->name);
    tell(to, "cuda_bus", c->bus);
    abdb_cu.cuDriverGetVersion_(&version);
    snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    tell(to, "cuda_driver", text);
    snprintf(text, sizeof text, "%d.%d", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    tell(to, "cuda_toolkit", text);
    snprintf(text, sizeof text, "%d.%d", c->architecture / 10, c->architecture % 10);
    tell(to, "cuda_architecture", text);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(text, sizeof text, "%d%s", abdb_cu_device_attribute(c, numbers[i].what),
                 numbers[i].unit);
        tell(to, numbers[i].key, text);
    }
    abdb_cu.cuDeviceTotalMem_(&memory, c->id);
    snprintf(text, sizeof text, "%.1f GiB", (double)memory / 0x1p30);
    tell(to, "cuda_memory", text);
    snprintf(text, sizeof text, "%.3g s", c->launch_s);
    tell(to, "cuda_launch", text);
    snprintf(text, sizeof text, "%.3g s", c->graph_s);
    tell(to, "cuda_graph_launch", text);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i])) tell(to, variables[i], getenv(variables[i]));
    abdb_nvml_describe_device(tell, to);
}

/* --- opening ---------------------------------------------------------------------------------- */

const char *abdb_cu_selectable_device_lines(void)
{
    static abdb_text lines;
    char name[256];
    CUdevice id;
    int count = 0;

    if (getenv("ABDB_CUDA_DEVICE") || !abdb_cu.cuDeviceGetCount_ ||
        abdb_cu.cuDeviceGetCount_(&count) != CUDA_SUCCESS)
        return NULL;
    for (int i = 0; i < count; i++)
        if (abdb_cu.cuDeviceGet_(&id, i) == CUDA_SUCCESS &&
            abdb_cu.cuDeviceGetName_(name, sizeof name, id) == CUDA_SUCCESS)
            abdb_text_printf(&lines, "%d %s\n", i, name);
    return abdb_text_get(&lines);
}

/* The number that the user names by either variable, of which this backend's own counts first. */
static abdb_status choose_cuda_device_by_env_store_name_and_bus(abdb_cu_device *c, abdb_error *err)
{
    const char *own = getenv("ABDB_CUDA_DEVICE"), *asked = own ? own : getenv("ABDB_DEVICE");
    unsigned long long number = 0;
    bool any = !own && asked && !*asked; /* ABDB_DEVICE= says nothing */
    size_t digits = asked ? abdb_digits_parse_prefix(asked, 10, &number) : 0;
    int count = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_check_result(abdb_cu.cuDeviceGetCount_(&count), "cuDeviceGetCount", err));
    if (count == 0) TRY(ABDB_FAIL(err, ABDB_BACKEND, "there is no CUDA device"));
    if (asked && !any && (!digits || asked[digits] || number >= (unsigned)count))
        TRY(ABDB_FAIL(err, ABDB_BACKEND, "no CUDA device is number '%s' (%s): there are %d, from 0",
                      asked, own ? "ABDB_CUDA_DEVICE" : "ABDB_DEVICE", count));
    TRY(abdb_cu_check_result(abdb_cu.cuDeviceGet_(&c->id, (int)number), "cuDeviceGet", err));
    TRY(abdb_cu_check_result(abdb_cu.cuDeviceGetName_(c->name, sizeof c->name, c->id),
                             "cuDeviceGetName", err));
    if (abdb_cu.cuDeviceGetPCIBusId_(c->bus, sizeof c->bus, c->id) != CUDA_SUCCESS) *c->bus = 0;
done:
    return st;
}

/* Makes the device's context, one stream, and the events before and after a launch. */
static abdb_status create_context_stream_events(abdb_cu_device *c, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_check_result(abdb_cu.cuDevicePrimaryCtxRetain_(&c->context, c->id),
                             "cuDevicePrimaryCtxRetain", err));
    TRY(abdb_cu_check_result(abdb_cu.cuCtxSetCurrent_(c->context), "cuCtxSetCurrent", err));
    TRY(abdb_cu_check_result(abdb_cu.cuStreamCreate_(&c->stream, CU_STREAM_NON_BLOCKING),
                             "cuStreamCreate", err));
    TRY(abdb_cu_check_result(abdb_cu.cuEventCreate_(&c->first, CU_EVENT_BLOCKING_SYNC),
                             "cuEventCreate", err));
    TRY(abdb_cu_check_result(abdb_cu.cuEventCreate_(&c->last, CU_EVENT_DEFAULT), "cuEventCreate",
                             err));
done:
    return st;
}

/* Handles of cuBLAS and cuBLASLt, with memory of ours, so that a launch allocates nothing; without
 * a library its products are not implemented. */
static abdb_status create_cublas_handles(abdb_cu_device *c, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!abdb_cu.blas && !abdb_cu.lt) return ABDB_OK;
    TRY(abdb_cu_check_result(abdb_cu.cuMemAlloc_(&c->workspace, WORKSPACE), "cuMemAlloc", err));
    if (abdb_cu.blas) {
        TRY(abdb_cublas_check_status(abdb_cu.cublasCreate_(&c->blas), "cublasCreate", err));
        TRY(abdb_cublas_check_status(abdb_cu.cublasSetStream_(c->blas, c->stream),
                                     "cublasSetStream", err));
        TRY(abdb_cublas_check_status(
            abdb_cu.cublasSetWorkspace_(c->blas, (void *)(uintptr_t)c->workspace, WORKSPACE),
            "cublasSetWorkspace", err));
    }
    if (abdb_cu.lt)
        TRY(abdb_cublas_check_status(abdb_cu.cublasLtCreate_(&c->lt), "cublasLtCreate", err));
done:
    return st;
}

size_t abdb_cu_workspace_bytes(void)
{
    return WORKSPACE;
}

/* Sets processors, architecture, shared memory and the sizes of caches; l1 is the shared memory
 * of a processor, l2 its part of the L2. */
static void store_architecture_and_cache_sizes(abdb_cu_device *c)
{
    int l2 = abdb_cu_device_attribute(c, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);

    c->processors = abdb_cu_device_attribute(c, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    c->architecture =
        10 * abdb_cu_device_attribute(c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
        abdb_cu_device_attribute(c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    c->shared_most =
        abdb_cu_device_attribute(c, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    c->device.limits =
        (abdb_machine_caches){.l1 = (size_t)abdb_cu_device_attribute(
                                  c, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
                              .l2 = (size_t)(l2 / (c->processors ? c->processors : 1)),
                              .last = (size_t)l2,
                              .threads = c->processors};
}

/* What one begin and end cost, of the host's time. */
static double measure_event_timing_cost_s(abdb_device *d)
{
    abdb_error err;
    double start = abdb_clock_seconds(), time_s;
    enum { TIMES = 100 };

    for (int i = 0; i < TIMES; i++)
        if (cuda_begin_timing(d, &err) != ABDB_OK || cuda_end_timing(d, &time_s, &err) != ABDB_OK)
            break;
    return (abdb_clock_seconds() - start) / TIMES;
}

abdb_status abdb_cu_open_device(abdb_device **out, abdb_error *err)
{
    static abdb_cu_device c; /* of this process, there is one */
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_load_libraries(err));
    TRY(choose_cuda_device_by_env_store_name_and_bus(&c, err));
    c.device = (abdb_device){.name = c.name,
                             .clock = "CUDA events",
                             .resolution_s = 0.5e-6, /* of cuEventElapsedTime, by its manual */
                             .alloc = cuda_alloc,
                             .release = cuda_release,
                             .available = cuda_available_bytes,
                             .upload = cuda_upload,
                             .download = cuda_download,
                             .fill = cuda_fill_and_wait,
                             .flush_caches = cuda_flush_l2_cache,
                             .begin_timing = cuda_begin_timing,
                             .end_timing = cuda_end_timing,
                             .read_sensors = cuda_read_host_and_nvml_sensors,
                             .describe = cuda_describe_device};
    store_architecture_and_cache_sizes(&c);
    TRY(create_context_stream_events(&c, err));
    TRY(create_cublas_handles(&c, err));
    abdb_nvml_load_and_find_device(c.bus);
    c.device.cost_s = measure_event_timing_cost_s(&c.device);
    TRY(abdb_cu_measure_and_store_launch_cost(&c, err));
    *out = &c.device;
done:
    return st;
}
