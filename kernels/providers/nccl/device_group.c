/* device_group.c - memory, streams and clocks of all devices; see device_group.h. A tensor's parts
 * lie on the first `ranks` of them, in their order. */
#include "kernels/providers/nccl/device_group.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"

static abdb_nccl_group group; /* of this process, there is one */

/* What stands for a piece of memory is the place of its number in this list. */
static char handle[ABDB_NCCL_PIECES];

static int nccl_handle_to_piece_index(const void *memory)
{
    return (int)((const char *)memory - handle);
}

void *abdb_nccl_tensor_part_of_rank(const abdb_nccl_group *g, const void *data, int r)
{
    return (void *)(uintptr_t)g->piece[nccl_handle_to_piece_index(data)].part[r];
}

abdb_status abdb_nccl_set_cuda_context_of_rank(abdb_nccl_group *g, int r, abdb_error *err)
{
    return abdb_cu_check_result(abdb_cu.cuCtxSetCurrent_(g->rank[r].context), "cuCtxSetCurrent",
                                err);
}

abdb_status abdb_nccl_synchronize_ranks(abdb_nccl_group *g, int ranks, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (int r = 0; r < ranks; r++) {
        TRY(abdb_nccl_set_cuda_context_of_rank(g, r, err));
        TRY(abdb_cu_check_result(abdb_cu.cuStreamSynchronize_(g->rank[r].stream),
                                 "cuStreamSynchronize", err));
    }
done:
    return st;
}

abdb_status abdb_nccl_ensure_communicators(abdb_nccl_group *g, int ranks, abdb_error *err)
{
    int ids[ABDB_NCCL_RANKS];

    if (g->comm[ranks][0]) return ABDB_OK;
    for (int r = 0; r < ranks; r++) ids[r] = g->rank[r].id;
    return abdb_nccl_check_result(abdb_nccl.init_all(g->comm[ranks], ranks, ids), "ncclCommInitAll",
                                  err);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Gives back the parts of all ranks, also of a piece that was made in part. */
static void nccl_release_parts(abdb_device *d, void *memory)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    int at = nccl_handle_to_piece_index(memory);
    abdb_error ignored;

    for (int r = 0; r < g->piece[at].ranks; r++)
        if (g->piece[at].part[r] && abdb_nccl_set_cuda_context_of_rank(g, r, &ignored) == ABDB_OK)
            abdb_cu.cuMemFree_(g->piece[at].part[r]);
    memset(&g->piece[at], 0, sizeof g->piece[at]);
}

/* An equal part of `size` bytes on every device; *out is a handle. On failure nothing is left. */
static abdb_status nccl_alloc_equal_parts(abdb_device *d, size_t size, bool huge, void **out,
                                          abdb_error *err)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    int at = 0;
    abdb_status st = ABDB_OK;

    if (huge) return ABDB_FAIL(err, ABDB_USAGE, "CUDA leaves pages to its driver");
    while (at < ABDB_NCCL_PIECES && g->piece[at].size) at++;
    if (at == ABDB_NCCL_PIECES) return ABDB_FAIL(err, ABDB_LIMIT, "too many tensors at once");
    if (!size || size % (size_t)g->ranks)
        return ABDB_FAIL(err, ABDB_USAGE, "%zu bytes are no equal parts for %d ranks", size,
                         g->ranks);
    g->piece[at].size = size / (size_t)g->ranks;
    g->piece[at].ranks = g->ranks;
    for (int r = 0; r < g->ranks; r++) {
        TRY(abdb_nccl_set_cuda_context_of_rank(g, r, err));
        TRY(abdb_cu_check_result(abdb_cu.cuMemAlloc_(&g->piece[at].part[r], g->piece[at].size),
                                 "cuMemAlloc", err));
    }
    *out = &handle[at];
done:
    if (st != ABDB_OK) nccl_release_parts(d, &handle[at]);
    return st;
}

/* Of all ranks together, as much as the one with least has. */
static double nccl_available_bytes_by_least_rank(abdb_device *d)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    double least = INFINITY;
    abdb_error ignored;

    for (int r = 0; r < g->ranks; r++) {
        size_t left = 0, all = 0;

        if (abdb_nccl_set_cuda_context_of_rank(g, r, &ignored) != ABDB_OK ||
            abdb_cu.cuMemGetInfo_(&left, &all) != CUDA_SUCCESS)
            return 0;
        least = fmin(least, (double)left);
    }
    return least * g->ranks;
}

/* Brings the r-th part of the host's memory to rank r. */
static abdb_status nccl_scatter_upload(abdb_device *d, void *to, const void *from, size_t size,
                                       abdb_error *err)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    size_t part = g->piece[nccl_handle_to_piece_index(to)].size;
    abdb_status st = ABDB_OK;

    (void)size;
    for (int r = 0; r < g->piece[nccl_handle_to_piece_index(to)].ranks; r++) {
        TRY(abdb_nccl_set_cuda_context_of_rank(g, r, err));
        TRY(abdb_cu_check_result(
            abdb_cu.cuMemcpyHtoD_(g->piece[nccl_handle_to_piece_index(to)].part[r],
                                  (const char *)from + (size_t)r * part, part),
            "cuMemcpyHtoD", err));
    }
done:
    return st;
}

/* Brings the part of rank r to the r-th part of the host's memory. */
static abdb_status nccl_gather_download(abdb_device *d, void *to, const void *from, size_t size,
                                        abdb_error *err)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    size_t part = g->piece[nccl_handle_to_piece_index(from)].size;
    abdb_status st = ABDB_OK;

    (void)size;
    for (int r = 0; r < g->piece[nccl_handle_to_piece_index(from)].ranks; r++) {
        TRY(abdb_nccl_set_cuda_context_of_rank(g, r, err));
        TRY(abdb_cu_check_result(
            abdb_cu.cuMemcpyDtoH_((char *)to + (size_t)r * part,
                                  g->piece[nccl_handle_to_piece_index(from)].part[r], part),
            "cuMemcpyDtoH", err));
    }
done:
    return st;
}

/* Sets every byte of all parts, and waits. */
static abdb_status nccl_fill_parts(abdb_device *d, void *to, unsigned char byte, size_t size,
                                   abdb_error *err)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    int at = nccl_handle_to_piece_index(to);
    abdb_status st = ABDB_OK;

    (void)size;
    for (int r = 0; r < g->piece[at].ranks; r++) {
        TRY(abdb_nccl_set_cuda_context_of_rank(g, r, err));
        TRY(abdb_cu_check_result(abdb_cu.cuMemsetD8Async_(g->piece[at].part[r], byte,
                                                          g->piece[at].size, g->rank[r].stream),
                                 "cuMemsetD8Async", err));
    }
    TRY(abdb_nccl_synchronize_ranks(g, g->piece[at].ranks, err));
done:
    return st;
}

/* Writes twice the last level of each. */
static abdb_status nccl_flush_caches(abdb_device *d, abdb_error *err)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    size_t size = 2 * d->limits.last;
    abdb_status st = ABDB_OK;

    for (int r = 0; r < g->ranks; r++) {
        abdb_nccl_rank *of = &g->rank[r];

        TRY(abdb_nccl_set_cuda_context_of_rank(g, r, err));
        if (!of->flushed)
            TRY(abdb_cu_check_result(abdb_cu.cuMemAlloc_(&of->flushed, size), "cuMemAlloc", err));
        TRY(abdb_cu_check_result(abdb_cu.cuMemsetD8Async_(of->flushed, 0, size, of->stream),
                                 "cuMemsetD8Async", err));
    }
    TRY(abdb_nccl_synchronize_ranks(g, g->ranks, err));
done:
    return st;
}

static abdb_status nccl_set_rank_count_of_new_tensors(abdb_device *d, int ranks, abdb_error *err)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;

    if (ranks > g->count)
        return ABDB_FAIL(err, ABDB_USAGE, "%d of the %d devices that there are", ranks, g->count);
    g->ranks = ranks;
    return ABDB_OK;
}

/* --- the clock -------------------------------------------------------------------------------- */

/* Waits for all ranks, then records the first event in every stream. */
static abdb_status nccl_begin_timing(abdb_device *d, abdb_error *err)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    abdb_status st = ABDB_OK;

    g->together = false;
    memset(g->rank_s, 0, sizeof g->rank_s);
    TRY(abdb_nccl_synchronize_ranks(g, g->ranks, err));
    for (int r = 0; r < g->ranks; r++) {
        TRY(abdb_nccl_set_cuda_context_of_rank(g, r, err));
        TRY(abdb_cu_check_result(abdb_cu.cuEventRecord_(g->rank[r].first, g->rank[r].stream),
                                 "cuEventRecord", err));
    }
done:
    return st;
}

/* The time of the slowest rank: of its launches one by one, where ranks met before each, else of
 * the whole stretch. */
static abdb_status nccl_end_timing_of_slowest_rank(abdb_device *d, double *time_s, abdb_error *err)
{
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    abdb_status st = ABDB_OK;

    *time_s = 0;
    for (int r = 0; g->together && r < g->ranks; r++) {
        TRY(abdb_nccl_set_cuda_context_of_rank(g, r, err));
        TRY(abdb_cu_check_result(abdb_cu.cuEventRecord_(g->rank[r].last, g->rank[r].stream),
                                 "cuEventRecord", err));
    }
    TRY(abdb_nccl_synchronize_ranks(g, g->ranks, err));
    for (int r = 0; r < g->ranks; r++) {
        float ms = 0;

        if (g->together)
            TRY(abdb_cu_check_result(
                abdb_cu.cuEventElapsedTime_(&ms, g->rank[r].first, g->rank[r].last),
                "cuEventElapsedTime", err));
        g->rank_s[r] += 1e-3 * (double)ms;
        *time_s = fmax(*time_s, g->rank_s[r]);
    }
done:
    return st;
}

/* --- what is told ----------------------------------------------------------------------------- */

static void nccl_get_host_and_device_name(abdb_device *d, int rank, abdb_rank_place *out)
{
    *out = (abdb_rank_place){"1", ((abdb_nccl_group *)d)->rank[rank].name, ""};
}

/* Tells the driver's version, the number of devices, and the variables that change NCCL's
 * choices. */
static void nccl_describe_driver(abdb_device *d,
                                 void (*tell)(void *to, const char *key, const char *text),
                                 void *to)
{
    static const char *const variables[] = {
        "NCCL_ALGO",          "NCCL_PROTO",    "NCCL_P2P_DISABLE",    "NCCL_SHM_DISABLE",
        "NCCL_MAX_NCHANNELS", "NCCL_NTHREADS", "CUDA_VISIBLE_DEVICES"};
    abdb_nccl_group *g = (abdb_nccl_group *)d;
    int version = 0;
    char text[64];

    abdb_cu.cuDriverGetVersion_(&version);
    snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    tell(to, "cuda_driver", text);
    snprintf(text, sizeof text, "%d", g->count);
    tell(to, "nccl_devices", text);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i])) tell(to, variables[i], getenv(variables[i]));
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Makes device r's context, stream and events, and reads its name. */
static abdb_status create_rank_context_stream_events(abdb_nccl_group *g, int r, abdb_error *err)
{
    abdb_nccl_rank *of = &g->rank[r];
    CUevent *const events[] = {&of->first, &of->last, &of->before, &of->after};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_check_result(abdb_cu.cuDeviceGet_(&of->id, r), "cuDeviceGet", err));
    TRY(abdb_cu_check_result(abdb_cu.cuDeviceGetName_(of->name, sizeof of->name, of->id),
                             "cuDeviceGetName", err));
    TRY(abdb_cu_check_result(abdb_cu.cuDevicePrimaryCtxRetain_(&of->context, of->id),
                             "cuDevicePrimaryCtxRetain", err));
    TRY(abdb_nccl_set_cuda_context_of_rank(g, r, err));
    TRY(abdb_cu_check_result(abdb_cu.cuStreamCreate_(&of->stream, CU_STREAM_NON_BLOCKING),
                             "cuStreamCreate", err));
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        TRY(abdb_cu_check_result(abdb_cu.cuEventCreate_(events[i], CU_EVENT_DEFAULT),
                                 "cuEventCreate", err));
done:
    return st;
}

/* What one begin and end cost, of the host's time. */
static double measure_timing_overhead_s(abdb_device *d)
{
    abdb_error ignored;
    double start = abdb_clock_seconds(), time_s;
    enum { TIMES = 100 };

    for (int i = 0; i < TIMES; i++)
        if (nccl_begin_timing(d, &ignored) != ABDB_OK ||
            nccl_end_timing_of_slowest_rank(d, &time_s, &ignored) != ABDB_OK)
            break;
    return (abdb_clock_seconds() - start) / TIMES;
}

abdb_status abdb_nccl_open_all_devices_as_one(abdb_device **out, abdb_error *err)
{
    abdb_nccl_group *g = &group;
    int count = 0, l2 = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_load_libraries(err));
    TRY(abdb_cu_check_result(abdb_cu.cuDeviceGetCount_(&count), "cuDeviceGetCount", err));
    if (count == 0) TRY(ABDB_FAIL(err, ABDB_BACKEND, "there is no CUDA device"));
    TRY(abdb_nccl_load_library(err));
    g->count = count < ABDB_NCCL_RANKS ? count : ABDB_NCCL_RANKS;
    for (int r = 0; r < g->count; r++) TRY(create_rank_context_stream_events(g, r, err));
    abdb_cu.cuDeviceGetAttribute_(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, g->rank[0].id);
    g->ranks = 1;
    g->device = (abdb_device){.name = g->rank[0].name,
                              .clock = "CUDA events",
                              .resolution_s = 0.5e-6, /* of cuEventElapsedTime, by its manual */
                              .limits = {.l1 = (size_t)l2,
                                         .l2 = (size_t)l2,
                                         .last = (size_t)l2,
                                         .threads = 1,
                                         .ranks = g->count},
                              .alloc = nccl_alloc_equal_parts,
                              .release = nccl_release_parts,
                              .available = nccl_available_bytes_by_least_rank,
                              .upload = nccl_scatter_upload,
                              .download = nccl_gather_download,
                              .fill = nccl_fill_parts,
                              .flush_caches = nccl_flush_caches,
                              .begin_timing = nccl_begin_timing,
                              .end_timing = nccl_end_timing_of_slowest_rank,
                              .read_sensors = abdb_sensors_read_host_quick_or_all,
                              .describe = nccl_describe_driver,
                              .use_ranks = nccl_set_rank_count_of_new_tensors,
                              .get_rank_place = nccl_get_host_and_device_name,
                              .rank_s = g->rank_s};
    g->device.cost_s = measure_timing_overhead_s(&g->device);
    *out = &g->device;
done:
    return st;
}
