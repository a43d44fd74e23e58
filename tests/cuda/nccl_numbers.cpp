// nccl_numbers.cpp - what library.h says of NCCL by itself is what its header says, where that is at hand.
#include <cuda.h>
#if __has_include(<nccl.h>)
#include <nccl.h>

extern "C" {
#include "kernels/providers/nccl/library.h"
}

static_assert((int)ncclInt8 == ABDB_NCCL_I8 && (int)ncclInt32 == ABDB_NCCL_I32 &&
              (int)ncclFloat16 == ABDB_NCCL_F16);
static_assert((int)ncclFloat32 == ABDB_NCCL_F32 && (int)ncclFloat64 == ABDB_NCCL_F64 &&
              (int)ncclBfloat16 == ABDB_NCCL_BF16);
static_assert((int)ncclSum == ABDB_NCCL_SUM && (int)ncclMax == ABDB_NCCL_MAX &&
              (int)ncclMin == ABDB_NCCL_MIN && (int)ncclSuccess == 0);
#endif
