/* row_ops.c - kernels over rows and elements; see row_ops.h. */
#include "kernels/providers/cuda/row_ops.h"

#include <stdint.h>
#include <stdio.h>

#include "kernels/providers/cuda/cu/thread_maps.h"

/* KEPT_MOST: bytes of a row that shared memory keeps, so that two blocks fit a processor of every
 * architecture. LANES: as in elementwise.cu. */
enum { KEPT_MOST = 64 << 10, LANES = 4, WARP = 32 };

abdb_status abdb_cu_add_kernel_of_dtype(abdb_cu_job *job, const char *file, const char *name,
                                        abdb_dtype dtype, size_t blocks, const void *argument,
                                        size_t size, abdb_error *err)
{
    char full[ABDB_CU_KERNEL_NAME];

    snprintf(full, sizeof full, "%s_%s", name, abdb_cu_kernel_name_suffix(dtype));
    return abdb_cu_load_and_add_kernel_step(
        job, &(abdb_cu_kernel_launch){file, full, {blocks}, ABDB_CU_THREADS, 0}, argument, size,
        err);
}

/* Do all of these begin at a multiple of 16 bytes, as do rows of so many? */
static bool row_op_is_16_byte_aligned(const abdb_cu_row_op *of, size_t row_bytes)
{
    uintptr_t all = (uintptr_t)of->x | (uintptr_t)of->p | (uintptr_t)of->q | (uintptr_t)of->y;

    return (all | row_bytes) % ABDB_CU_VECTOR == 0;
}

abdb_status abdb_cu_add_row_kernel(abdb_cu_job *job, const char *name, abdb_dtype dtype,
                                   size_t rows, const abdb_cu_row_op *of, abdb_error *err)
{
    size_t bytes = of->columns * abdb_dtype_size(dtype), threads;
    abdb_cu_row_op row = *of;
    char full[ABDB_CU_KERNEL_NAME];

    row.wide = row_op_is_16_byte_aligned(of, bytes);
    row.kept = bytes <= KEPT_MOST;
    threads = row.wide ? bytes / ABDB_CU_VECTOR : of->columns;
    threads = threads < ABDB_CU_THREADS ? (threads + WARP - 1) / WARP * WARP : ABDB_CU_THREADS;
    snprintf(full, sizeof full, "%s_%s", name, abdb_cu_kernel_name_suffix(dtype));
    return abdb_cu_load_and_add_kernel_step(
        job, &(abdb_cu_kernel_launch){"row_ops.cu", full, {rows}, threads, row.kept ? bytes : 0},
        &row, sizeof row, err);
}

abdb_status abdb_cu_add_elementwise_kernel(abdb_cu_job *job, const char *name, abdb_dtype dtype,
                                           const void *x, void *y, size_t n, abdb_error *err)
{
    abdb_cu_elements of = {x, y, n};

    return abdb_cu_add_kernel_of_dtype(job, "elementwise.cu", name, dtype,
                                       abdb_cu_blocks_for_pieces(n / LANES), &of, sizeof of, err);
}
