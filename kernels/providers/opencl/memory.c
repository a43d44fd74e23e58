/* memory.c - memory of an OpenCL device by address; see memory.h. */
#include "kernels/providers/opencl/memory.h"

#include <stdint.h>
#include <sys/mman.h>

#include "schema/core/array.h"

abdb_status abdb_cl_alloc_buffer_and_reserve_address(abdb_cl_device *d, size_t size, void **out,
                                                     abdb_error *err)
{
    abdb_cl_piece *more = abdb_array_reserve_one(d->piece, d->pieces, &d->piece_room, sizeof *more),
                  piece;
    cl_int code;
    abdb_status st = ABDB_OK;

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "memory");
    d->piece = more;
    piece.size = size ? size : 1;
    piece.memory = clCreateBuffer(d->context, CL_MEM_READ_WRITE, piece.size, NULL, &code);
    TRY(abdb_cl_check_result(code, "clCreateBuffer", err));
    piece.address =
        mmap(NULL, piece.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (piece.address == MAP_FAILED) {
        clReleaseMemObject(piece.memory);
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes of addresses", size));
    }
    more[d->pieces++] = piece;
    *out = piece.address;
done:
    return st;
}

void abdb_cl_release_buffer_and_address(abdb_cl_device *d, void *address)
{
    for (size_t i = 0; i < d->pieces; i++) {
        if (d->piece[i].address != address) continue;
        clReleaseMemObject(d->piece[i].memory);
        munmap(address, d->piece[i].size);
        d->piece[i] = d->piece[--d->pieces];
        return;
    }
}

abdb_cl_buffer_offset abdb_cl_buffer_and_offset_of_address(const abdb_cl_device *d,
                                                           const void *address)
{
    uintptr_t at = (uintptr_t)address;

    for (size_t i = 0; i < d->pieces; i++) {
        uintptr_t first = (uintptr_t)d->piece[i].address;

        if (at >= first && at - first < d->piece[i].size)
            return (abdb_cl_buffer_offset){d->piece[i].memory, at - first};
    }
    return (abdb_cl_buffer_offset){(cl_mem)at, 0};
}
