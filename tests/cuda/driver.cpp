// driver.cpp - a CUDA driver without a device: the functions of libcuda that abdb calls, with
// memory of the host and kernels by emulate.cpp. It refuses what an architecture
// ($ABDB_EMULATED_ARCH: 75, 80, 90, 100) has not. Memory has a page that nobody may touch behind it.
// $ABDB_EMULATED=dry: nothing is run. $ABDB_EMULATED_LOG: a line for each launch.
#include <cuda.h>

#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "tests/cuda/emulate_run.h"
#include "tests/cuda/enqueue.h"

namespace
{

struct architecture {
    int number, shared_block, shared_processor, processors, l2;
};
// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
const architecture architectures[] = {{75, 64 << 10, 64 << 10, 4, 1 << 20},
                                      {80, 163 << 10, 164 << 10, 4, 1 << 20},
                                      {90, 227 << 10, 228 << 10, 6, 1 << 20},
                                      {100, 227 << 10, 228 << 10, 6, 1 << 20}};

const architecture &emulated_architecture()
{
    const char *asked = std::getenv("ABDB_EMULATED_ARCH");

    for (const architecture &a : architectures)
        if (asked && std::atoi(asked) == a.number) return a;
    return architectures[1];
}

const char *fault = "";
struct allocation {
    size_t size; // as it was asked for
    int device;
};
std::map<char *, allocation> pieces;
// Contexts and streams are numbers of devices from 1 on; an event remembers where it was made.
int current;
struct recorded_event {
    timespec at;
    int device;
};
void *handle_of_device(int device)
{
    return (void *)(intptr_t)(device + 1);
}
emulated::entry *entries;

struct kernel_launch {
    emulated::entry *kernel;
    uint3_ grid;
    unsigned threads, shared;
    std::vector<unsigned char> argument;
};
typedef std::vector<std::function<CUresult()>> captured_graph;
captured_graph *captured; // while a stream is captured

CUresult run_launch_keep_fault(kernel_launch &l)
{
    const char *how = std::getenv("ABDB_EMULATED"), *wrong;

    if (how && std::string(how) == "dry") return CUDA_SUCCESS;
    wrong = emulated::run_kernel_blocks_return_error(l.kernel, l.argument.data(), l.grid, l.threads,
                                                     l.shared);
    if (!wrong) return CUDA_SUCCESS;
    fault = wrong;
    return CUDA_ERROR_LAUNCH_FAILED;
}

void append_launch_to_log(const kernel_launch &l)
{
    const char *path = std::getenv("ABDB_EMULATED_LOG");
    FILE *file = path ? std::fopen(path, "a") : nullptr;

    if (!file) return;
    std::fprintf(file, "%s %s %u %u %u %u %u\n", l.kernel->file, l.kernel->name, l.grid.x, l.grid.y,
                 l.grid.z, l.threads, l.shared);
    std::fclose(file);
}

} // namespace

int emulated::enqueue_or_capture(std::function<int()> work)
{
    if (!captured) return work();
    captured->push_back([work] { return (CUresult)work(); });
    return 0;
}

int emulated::device_of_memory_or_minus_1(const void *memory)
{
    auto next = pieces.upper_bound((char *)(uintptr_t)memory);

    if (next == pieces.begin()) return -1;
    --next;
    return (const char *)memory < next->first + next->second.size ? next->second.device : -1;
}

int emulated::device_of_stream(CUstream stream)
{
    return (int)(intptr_t)stream - 1;
}

emulated::entry::entry(const char *f, const char *n, void (*r)(const void *), size_t s, int m)
    : file(f), name(n), invoke(r), size(s), most(m), next(entries)
{
    entries = this;
}

extern "C" {

CUresult cuInit(unsigned)
{
    return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *version)
{
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count)
{
    const char *asked = std::getenv("ABDB_EMULATED_DEVICES");

    *count = asked ? std::atoi(asked) : 1;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int number)
{
    *device = number;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int room, CUdevice)
{
    const char *asked = std::getenv("ABDB_EMULATED_NAME");

    std::snprintf(name, (size_t)room, "%s", asked ? asked : "emulated CUDA device");
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char *id, int room, CUdevice device)
{
    std::snprintf(id, (size_t)room, "0000:%02x:00.0", (unsigned)device);
    return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t *size, CUdevice)
{
    *size = (size_t)1 << 30;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute what, CUdevice)
{
    switch (what) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = emulated_architecture().processors;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = emulated_architecture().number / 10;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = emulated_architecture().number % 10;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *value = emulated_architecture().shared_block;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        *value = emulated_architecture().shared_processor;
        break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = emulated_architecture().l2; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    *context = (CUcontext)handle_of_device(device);
    return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context)
{
    current = (int)(intptr_t)context - 1;
    return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize(void)
{
    return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned)
{
    *stream = (CUstream)handle_of_device(current);
    return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream)
{
    return CUDA_SUCCESS;
}

// --- graphs ---------------------------------------------------------------------------------------

CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode)
{
    captured = new captured_graph;
    return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream, CUgraph *graph)
{
    *graph = (CUgraph)captured;
    captured = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long)
{
    *out = (CUgraphExec) new captured_graph(*(captured_graph *)graph);
    return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream)
{
    for (auto &one : *(captured_graph *)graph) {
        CUresult code = one();

        if (code != CUDA_SUCCESS) return code;
    }
    return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec graph)
{
    delete (captured_graph *)graph;
    return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph)
{
    delete (captured_graph *)graph;
    return CUDA_SUCCESS;
}

// --- events ---------------------------------------------------------------------------------------

CUresult cuEventCreate(CUevent *event, unsigned)
{
    *event = (CUevent) new recorded_event{{}, current};
    return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream)
{
    recorded_event *e = (recorded_event *)event;

    if (e->device != emulated::device_of_stream(stream)) return CUDA_ERROR_INVALID_VALUE;
    clock_gettime(CLOCK_MONOTONIC, &e->at);
    return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent)
{
    return CUDA_SUCCESS;
}
CUresult cuEventElapsedTime_v2(float *ms, CUevent first, CUevent last)
{
    const timespec *a = &((const recorded_event *)first)->at,
                   *b = &((const recorded_event *)last)->at;

    *ms = (float)(1e3 * (double)(b->tv_sec - a->tv_sec) + 1e-6 * (double)(b->tv_nsec - a->tv_nsec));
    return CUDA_SUCCESS;
}

// --- memory ---------------------------------------------------------------------------------------

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + 15) / 16 * 16,
           mapped = (whole + page - 1) / page * page;
    char *at = (char *)mmap(nullptr, mapped + page, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    mprotect(at + mapped, page, PROT_NONE);
    at += mapped - whole;
    std::memset(at, 0xA5, whole);
    pieces[at] = {size, current};
    *out = (CUdeviceptr)(uintptr_t)at;
    return CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr memory)
{
    char *at = (char *)(uintptr_t)memory;
    auto found = pieces.find(at);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (found == pieces.end()) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = found->second.size; i % 16; i++) // what stands behind the last element
        if ((unsigned char)at[i] != 0xA5) {
            std::fprintf(stderr, "emulated: a kernel wrote behind its memory\n");
            std::abort();
        }
    munmap((void *)((uintptr_t)at / page * page),
           (found->second.size + 15) / 16 * 16 + ((uintptr_t)at % page) + page);
    pieces.erase(found);
    return CUDA_SUCCESS;
}
CUresult cuMemGetInfo_v2(size_t *left, size_t *all)
{
    *left = *all = (size_t)1 << 30;
    return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
    std::memcpy((void *)(uintptr_t)to, from, size);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
    std::memcpy(to, (void *)(uintptr_t)from, size);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream)
{
    std::memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, size);
    return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t size, CUstream stream)
{
    if (emulated::device_of_memory_or_minus_1((void *)(uintptr_t)to) !=
        emulated::device_of_stream(stream))
        return CUDA_ERROR_INVALID_VALUE;
    std::memset((void *)(uintptr_t)to, byte, size);
    return CUDA_SUCCESS;
}

// --- kernels --------------------------------------------------------------------------------------

// The image must be one for every architecture that the program says it has: a fat binary.
CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    unsigned first;

    std::memcpy(&first, image, sizeof first);
    if (first != 0xBA55ED50) return CUDA_ERROR_INVALID_IMAGE;
    *out = (CUmodule)image;
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *out, CUmodule, const char *name)
{
    for (emulated::entry *e = entries; e; e = e->next)
        if (std::string(e->name) == name) {
            *out = (CUfunction)e;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute what, int value)
{
    emulated::entry *e = (emulated::entry *)f;

    if (what != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
    if (value > emulated_architecture().shared_block) return CUDA_ERROR_INVALID_VALUE;
    e->shared_most = value;
    return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute, CUfunction)
{
    *value = 0;
    return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty,
                        unsigned tz, unsigned shared, CUstream, void **arguments, void **)
{
    emulated::entry *e = (emulated::entry *)f;
    unsigned char *a = (unsigned char *)arguments[0];
    kernel_launch l = {e, {x, y, z}, tx, shared, std::vector<unsigned char>(a, a + e->size)};

    if (!x || !y || !z || x > 2147483647u || y > 65535 || z > 65535 || ty != 1 || tz != 1 ||
        tx < 1 || tx > 1024 || (int)tx > e->most || tx % 32 || (int)shared > e->shared_most)
        return CUDA_ERROR_INVALID_VALUE;
    append_launch_to_log(l);
    return (CUresult)emulated::enqueue_or_capture(
        [l]() mutable { return (int)run_launch_keep_fault(l); });
}
CUresult cuGetErrorName(CUresult code, const char **name)
{
    *name = code == CUDA_ERROR_INVALID_VALUE   ? "CUDA_ERROR_INVALID_VALUE"
            : code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == CUDA_ERROR_NOT_FOUND     ? "CUDA_ERROR_NOT_FOUND"
            : code == CUDA_ERROR_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED"
                                               : "CUDA_ERROR";
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult code, const char **text)
{
    *text = code == CUDA_ERROR_LAUNCH_FAILED ? fault : "of the emulated driver";
    return CUDA_SUCCESS;
}

} // extern "C"
