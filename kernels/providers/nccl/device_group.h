/* device_group.h - the NVIDIA devices of this host as one device of abdb, each of them a rank: one
 * process drives all, and NCCL moves their data. */
#ifndef ABDB_PROVIDERS_NCCL_GROUP_H
#define ABDB_PROVIDERS_NCCL_GROUP_H

#include "kernels/exchange.h"
#include "kernels/providers/cuda/driver.h"
#include "kernels/providers/nccl/library.h"

enum { ABDB_NCCL_RANKS = 64, ABDB_NCCL_PIECES = 1024 };

typedef struct {
    CUdevice id;
    CUcontext context;
    CUstream stream;
    CUevent first, last;   /* of a stretch */
    CUevent before, after; /* of a launch for which ranks meet */
    CUdeviceptr flushed;
    char name[256];
} abdb_nccl_rank;

typedef struct {
    abdb_device device; /* first: a pointer to it is one to this */
    int count, ranks;   /* all; that tensors are spread over from now on */
    abdb_nccl_rank rank[ABDB_NCCL_RANKS];
    struct {
        CUdeviceptr part[ABDB_NCCL_RANKS];
        size_t size; /* bytes of each part; 0: there is no such piece */
        int ranks;
    } piece[ABDB_NCCL_PIECES];
    abdb_nccl_comm comm[ABDB_NCCL_RANKS + 1][ABDB_NCCL_RANKS]; /* of so many ranks, by rank */
    double rank_s[ABDB_NCCL_RANKS];                            /* of this stretch so far */
    bool together; /* something in it was launched without meeting: the stretch is timed whole */
} abdb_nccl_group;

/* All devices that the driver shows. ABDB_BACKEND: there is no driver, no device or no NCCL. */
ABDB_MUST_USE abdb_status abdb_nccl_open_all_devices_as_one(abdb_device **out, abdb_error *err);
/* What follows is of rank r's device. */
ABDB_MUST_USE abdb_status abdb_nccl_set_cuda_context_of_rank(abdb_nccl_group *g, int r,
                                                             abdb_error *err);
/* Communicators of the first `ranks`, made at the first use. */
ABDB_MUST_USE abdb_status abdb_nccl_ensure_communicators(abdb_nccl_group *g, int ranks,
                                                         abdb_error *err);
/* Waits until nothing is under way on the first `ranks`. */
ABDB_MUST_USE abdb_status abdb_nccl_synchronize_ranks(abdb_nccl_group *g, int ranks,
                                                      abdb_error *err);
/* The part that rank r has of a tensor's data. */
void *abdb_nccl_tensor_part_of_rank(const abdb_nccl_group *g, const void *data, int r);

/* collective.c: the kernels of exchange.h. */
extern const abdb_impl abdb_nccl_all_reduce, abdb_nccl_all_gather, abdb_nccl_reduce_scatter,
    abdb_nccl_all_to_all, abdb_nccl_reduce, abdb_nccl_broadcast, abdb_nccl_point;

#endif
