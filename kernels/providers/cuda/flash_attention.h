/* flash_attention.h - attention of heads, as parts of a job: by tensor cores where format and width
 * are theirs, else without. */
#ifndef ABDB_PROVIDERS_CUDA_HEADS_H
#define ABDB_PROVIDERS_CUDA_HEADS_H

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/launch.h"

/* Adds O, and the logarithms where they are wanted, of `batch` batches; `scale` is set here. */
ABDB_MUST_USE abdb_status abdb_cu_add_flash_or_plain_forward_kernel(abdb_cu_job *job,
                                                                    abdb_dtype dtype, size_t batch,
                                                                    const abdb_cu_attention *of,
                                                                    abdb_error *err);
/* Adds dQ, dK and dV; `means` and `scale` are set here. */
ABDB_MUST_USE abdb_status
abdb_cu_add_flash_or_plain_backward_kernels(abdb_cu_job *job, abdb_dtype dtype, size_t batch,
                                            const abdb_cu_attention_backward *of, abdb_error *err);

#endif
