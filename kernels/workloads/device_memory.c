/* device_memory.c - memory of the device that a workload's state lies in; see device_memory.h. */
#include "kernels/workloads/device_memory.h"

#include <string.h>

abdb_status abdb_device_alloc_huge_pages_if_possible(const abdb_run_context *s, size_t bytes,
                                                     void **out, abdb_error *err)
{
    abdb_device *d = s->device;

    *out = NULL;
    return d->alloc(d, bytes, true, out, err) == ABDB_OK ? ABDB_OK
                                                         : d->alloc(d, bytes, false, out, err);
}

abdb_status abdb_device_alloc_zeroed(const abdb_run_context *s, size_t bytes, void **out,
                                     abdb_error *err)
{
    abdb_device *d = s->device;
    void *memory = NULL;
    abdb_status st = ABDB_OK;

    *out = NULL;
    TRY(abdb_device_alloc_huge_pages_if_possible(s, bytes, &memory, err));
    TRY(d->fill(d, memory, 0, bytes, err)); /* every page is touched */
    *out = memory;
done:
    if (st != ABDB_OK && memory) d->release(d, memory);
    return st;
}

abdb_status abdb_device_upload(const abdb_run_context *s, void *to, const void *from, size_t bytes,
                               abdb_error *err)
{
    if (!s->device->on_host) return s->device->upload(s->device, to, from, bytes, err);
    memcpy(to, from, bytes);
    return ABDB_OK;
}

abdb_status abdb_device_download(const abdb_run_context *s, void *to, const void *from,
                                 size_t bytes, abdb_error *err)
{
    if (!s->device->on_host) return s->device->download(s->device, to, from, bytes, err);
    memcpy(to, from, bytes);
    return ABDB_OK;
}

abdb_status abdb_device_clear_bytes(const abdb_run_context *s, void *to, size_t bytes,
                                    abdb_error *err)
{
    if (!s->device->on_host) return s->device->fill(s->device, to, 0, bytes, err);
    memset(to, 0, bytes);
    return ABDB_OK;
}

abdb_status abdb_device_spoil_bytes(const abdb_run_context *s, void *to, size_t bytes,
                                    abdb_error *err)
{
    /* A fill of the host's threads would count among those of the repetition. */
    if (!s->device->on_host) return s->device->fill(s->device, to, 0xFF, bytes, err);
    memset(to, 0xFF, bytes);
    return ABDB_OK;
}

abdb_status abdb_parts_get_deferred_error(const abdb_run_context *s, void *parts, abdb_error *err)
{
    return s->parts->check_failed ? s->parts->check_failed(parts, err) : ABDB_OK;
}
