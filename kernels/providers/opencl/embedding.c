/* embedding.c - embedding bags: all tables in one kernel, or a kernel each (mode=single). */
#include <string.h>

#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/opencl.h"

enum { TABLES, INDEX, OUT, ITEMS = 64 };

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    const char *mode = abdb_param_text(p, "mode");
    size_t tables = t[INDEX].dim[0], batch = t[INDEX].dim[1], lookups = t[INDEX].dim[2],
           rows = t[TABLES].dim[0] / tables, items = abdb_cl_local(p, ITEMS),
           together = mode && strcmp(mode, "single") == 0 ? 1 : tables;
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    for (size_t first = 0; first < tables; first += together)
        TRY(abdb_cl_add(
            job,
            &(abdb_cl_call){
                "bag.cl", "sums", "-DF32", {abdb_cl_pieces(batch, items), together}, {items}},
            err, "bbbllllll", t[TABLES].data, t[INDEX].data, t[OUT].data, first, rows, batch,
            lookups, t[TABLES].dim[1], tables));
done:
    return abdb_cl_hand(st, job, state);
}

const abdb_impl abdb_cl_embedding = {"embedding-bag", "opencl",       NULL,         prepare,
                                     abdb_cl_launch,  abdb_cl_chosen, abdb_cl_close};
