/* device_memory.h - memory of the device that a workload's state lies in. Parts (parts.h) read and
 * write it; the host gives and takes copies, and does not follow its addresses: where the device is
 * no host's, they lead nowhere. One may be reckoned with: a piece begins so many bytes behind
 * another.
 */
#ifndef ABDB_WORKLOADS_MEMORY_H
#define ABDB_WORKLOADS_MEMORY_H

#include "kernels/workloads/parts.h"
#include "kernels/workloads/workload.h"

/* So many bytes, in large pages where the system has them; device->release gives them back.
 * ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_device_alloc_huge_pages_if_possible(const abdb_run_context *s,
                                                                   size_t bytes, void **out,
                                                                   abdb_error *err);
/* So many bytes, all 0, in large pages where the system has them; device->release gives them back.
 * ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_device_alloc_zeroed(const abdb_run_context *s, size_t bytes,
                                                   void **out, abdb_error *err);
/* The host's memory to the device's, and back; all bytes become 0. They wait for what was asked of
 * the device before. */
ABDB_MUST_USE abdb_status abdb_device_upload(const abdb_run_context *s, void *to, const void *from,
                                             size_t bytes, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_device_download(const abdb_run_context *s, void *to,
                                               const void *from, size_t bytes, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_device_clear_bytes(const abdb_run_context *s, void *to, size_t bytes,
                                                  abdb_error *err);
/* All bytes become 0xFF, NaN in every floating format. */
ABDB_MUST_USE abdb_status abdb_device_spoil_bytes(const abdb_run_context *s, void *to, size_t bytes,
                                                  abdb_error *err);
/* What parts have failed at since they were opened, if any. */
ABDB_MUST_USE abdb_status abdb_parts_get_deferred_error(const abdb_run_context *s, void *parts,
                                                        abdb_error *err);

#endif
