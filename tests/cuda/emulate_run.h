/* emulate_run.h - what the emulated driver asks of emulate.cpp. */
#ifndef ABDB_TESTS_CUDA_EMULATE_RUN_H
#define ABDB_TESTS_CUDA_EMULATE_RUN_H

#include "tests/cuda/emulate.h"

namespace emulated
{

/* Runs all blocks of a kernel; NULL, or what was wrong. */
const char *run_kernel_blocks_return_error(const entry *e, const void *with, const uint3_ &grid,
                                           unsigned count, size_t shared);

} // namespace emulated

#endif
