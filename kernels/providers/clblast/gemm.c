/* gemm.c - the matrix product by CLBlast: CLBlastSgemm and CLBlastDgemm, row-major,
 * with the parameters that it has for the device. */
#include "kernels/providers/clblast/clblast.h"

#include <string.h>

#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/memory.h"

#include <clblast_c.h>

/* 1: CLBlast has this product (f32, f64, one at a time) on this device; else 0 and *why_not. */
static int clblast_gemm_accepts_plain_f32_f64_auto_tiles(const abdb_problem *p,
                                                         const char **why_not)
{
    const char *tiles = abdb_param_text(p, "tiles");

    *why_not = "CLBlast has no packed products, and batches of another kind";
    if (p->tensor[0].rank == 3 || abdb_gemm_from_problem(p).packed) return 0;
    *why_not = "CLBlast has no epilogues of a product";
    if (abdb_gemm_has_bias_or_activation(p)) return 0;
    *why_not = "CLBlast chooses its tiles itself";
    if (tiles && strcmp(tiles, "auto") != 0) return 0;
    *why_not = "CLBlast has products of f32 and f64";
    if (p->tensor[0].dtype != ABDB_F64 && p->tensor[0].dtype != ABDB_F32) return 0;
    return abdb_cl_supports_tensor_formats(p, why_not);
}

/* Enqueues C = A B + beta C; a marker before it and the event of its last kernel bound its time. */
static abdb_status clblast_gemm_enqueue_with_events(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    abdb_cl_device *d = (abdb_cl_device *)p->device;
    cl_mem a = abdb_cl_buffer_and_offset_of_address(d, p->tensor[0].data).memory,
           b = abdb_cl_buffer_and_offset_of_address(d, p->tensor[1].data).memory,
           c = abdb_cl_buffer_and_offset_of_address(d, p->tensor[2].data).memory;
    abdb_gemm g = abdb_gemm_from_problem(p);
    CLBlastTranspose ta = g.ta ? CLBlastTransposeYes : CLBlastTransposeNo,
                     tb = g.tb ? CLBlastTransposeYes : CLBlastTransposeNo;
    size_t m = g.m, n = g.n, k = g.k, lda = g.ta ? m : k, ldb = g.tb ? k : n;
    CLBlastStatusCode code;
    cl_event *event;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_append_event(d, &event, err)); /* CLBlast tells of the last of its kernels only */
    TRY(abdb_cl_check_result(clEnqueueMarkerWithWaitList(d->queue, 0, NULL, event),
                             "clEnqueueMarkerWithWaitList", err));
    TRY(abdb_cl_append_event(d, &event, err));
    if (p->tensor[0].dtype == ABDB_F64)
        code = CLBlastDgemm(CLBlastLayoutRowMajor, ta, tb, m, n, k, 1, a, 0, lda, b, 0, ldb, g.beta,
                            c, 0, n, &d->queue, event);
    else
        code = CLBlastSgemm(CLBlastLayoutRowMajor, ta, tb, m, n, k, 1, a, 0, lda, b, 0, ldb,
                            (float)g.beta, c, 0, n, &d->queue, event);
    if (code != CLBlastSuccess) /* below -64 and above -1024: what OpenCL answered */
        TRY(ABDB_FAIL(err, ABDB_BACKEND, "CLBlast answers %d (%s)", (int)code,
                      abdb_cl_error_name((cl_int)code)));
done:
    return st;
}

const abdb_impl abdb_clblast_gemm = {"gemm",
                                     "clblast",
                                     clblast_gemm_accepts_plain_f32_f64_auto_tiles,
                                     NULL,
                                     clblast_gemm_enqueue_with_events,
                                     NULL,
                                     NULL};
