/* enqueue.h - how libraries of the emulated driver put work into its stream. */
#ifndef ABDB_TESTS_CUDA_ENQUEUE_H
#define ABDB_TESTS_CUDA_ENQUEUE_H

#include <cuda.h>

#include <functional>

namespace emulated
{

/* Does it now, or, while a stream is captured, whenever its graph is launched; 0, or an error. */
int enqueue_or_capture(std::function<int()> work);
/* The device on which memory was made, -1: none; and that of a stream. */
int device_of_memory_or_minus_1(const void *memory), device_of_stream(CUstream stream);

} // namespace emulated

#endif
