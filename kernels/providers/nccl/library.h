/* library.h - NVIDIA's library of collectives, loaded when it is used: its header is no part of the
 * toolkit, so that what is called of it is declared here, by the names and numbers of its manual
 * (NCCL User Guide, API; they are kept from version to version). */
#ifndef ABDB_PROVIDERS_NCCL_LIBRARY_H
#define ABDB_PROVIDERS_NCCL_LIBRARY_H

#include <cuda.h>
#include <stddef.h>

#include "schema/core/error.h"

typedef struct ncclComm *abdb_nccl_comm;
/* ncclDataType_t and ncclRedOp_t. */
enum {
    ABDB_NCCL_I8 = 0,
    ABDB_NCCL_I32 = 2,
    ABDB_NCCL_F16 = 6,
    ABDB_NCCL_F32 = 7,
    ABDB_NCCL_F64 = 8,
    ABDB_NCCL_BF16 = 9
};
enum { ABDB_NCCL_SUM = 0, ABDB_NCCL_MAX = 2, ABDB_NCCL_MIN = 3 };

/* Each gives ncclResult_t, 0: done. */
typedef struct {
    int (*version)(int *out); /* 22703: 2.27.3 */
    const char *(*error)(int code);
    int (*init_all)(abdb_nccl_comm *comm, int devices, const int *device);
    int (*destroy)(abdb_nccl_comm comm);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*all_reduce)(const void *in, void *out, size_t count, int type, int op,
                      abdb_nccl_comm comm, CUstream stream);
    int (*reduce)(const void *in, void *out, size_t count, int type, int op, int root,
                  abdb_nccl_comm comm, CUstream stream);
    int (*reduce_scatter)(const void *in, void *out, size_t part, int type, int op,
                          abdb_nccl_comm comm, CUstream stream);
    int (*all_gather)(const void *in, void *out, size_t part, int type, abdb_nccl_comm comm,
                      CUstream stream);
    int (*broadcast)(const void *in, void *out, size_t count, int type, int root,
                     abdb_nccl_comm comm, CUstream stream);
    int (*send)(const void *in, size_t count, int type, int to, abdb_nccl_comm comm,
                CUstream stream);
    int (*receive)(void *out, size_t count, int type, int from, abdb_nccl_comm comm,
                   CUstream stream);
} abdb_nccl_library;

/* Filled by abdb_nccl_load_library. */
extern abdb_nccl_library abdb_nccl;

/* Loads libnccl.so.2 ($ABDB_NCCL: another). ABDB_BACKEND: it is not there, or lacks a function. */
ABDB_MUST_USE abdb_status abdb_nccl_load_library(abdb_error *err);
/* "NCCL 2.27.3"; NULL before it was loaded. */
const char *abdb_nccl_name_and_version(void);
/* ABDB_OK, or ABDB_BACKEND with the failed call. */
ABDB_MUST_USE abdb_status abdb_nccl_check_result(int code, const char *what, abdb_error *err);

#endif
