/* empty.cu - a kernel that does nothing: what a launch costs. */
#include "kernels/providers/cuda/cu/device.cuh"

KERNEL(empty, abdb_cu_empty, 32)
{
    (void)a;
}
