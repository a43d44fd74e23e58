/* embedding_bag.c - embedding bags: all tables in one kernel, or a kernel each (mode=single); as a
 * part of a network all in one. */
#include <string.h>

#include "kernels/providers/opencl/opencl.h"
#include "kernels/providers/opencl/parts.h"

enum { TABLES, INDEX, OUT, ITEMS = 64 };

/* Sums of `count` tables from `first` on. */
static abdb_status add_embedding_bag_sums(abdb_cl_job *job, abdb_dtype dtype,
                                          const abdb_part_embedding_bags *x, size_t first_table,
                                          size_t table_count, abdb_error *err)
{
    size_t items = abdb_cl_group_size_param_or_usual_1_on_cpu(job->p, ITEMS),
           size = abdb_dtype_size(dtype);
    abdb_cl_kernel_call call = {"embedding_bag.cl",
                                "embedding_bag_sums",
                                abdb_cl_compile_option_of_dtype(dtype),
                                {abdb_cl_ceil_divide(x->batch, items), table_count},
                                {items}};

    return abdb_cl_issue_kernel(job, &call, err, "pppllllll", x->table, size, x->index,
                                sizeof *x->index, x->out, size, first_table, x->rows, x->batch,
                                x->lookups, x->columns, x->sample_stride);
}

void abdb_cl_part_embedding_bags(void *self, const abdb_part_embedding_bags *x)
{
    abdb_cl_builder *s = self;
    abdb_error err;

    if (s->status == ABDB_OK)
        abdb_cl_finish_part(s, add_embedding_bag_sums(s->job, s->dtype, x, 0, x->tables, &err),
                            &err);
}

/* A job of sums of looked-up rows: one launch for each table (mode=single), or for all. */
static abdb_status opencl_embedding_bag_prepare_job(void **state, const abdb_problem *p,
                                                    abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    const char *mode = abdb_param_text(p, "mode");
    const abdb_part_embedding_bags x = {.tables = t[INDEX].dim[0],
                                        .rows = t[TABLES].dim[0] / t[INDEX].dim[0],
                                        .lookups = t[INDEX].dim[2],
                                        .batch = t[INDEX].dim[1],
                                        .columns = t[TABLES].dim[1],
                                        .sample_stride = t[INDEX].dim[0] * t[TABLES].dim[1],
                                        .table = t[TABLES].data,
                                        .index = t[INDEX].data,
                                        .out = t[OUT].data};
    size_t together = mode && strcmp(mode, "single") == 0 ? 1 : x.tables;
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    for (size_t first = 0; first < x.tables; first += together)
        TRY(add_embedding_bag_sums(job, ABDB_F32, &x, first, together, err));
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

const abdb_impl abdb_cl_embedding = {"embedding-bag",
                                     "opencl",
                                     abdb_cl_supports_tensor_formats,
                                     opencl_embedding_bag_prepare_job,
                                     abdb_cl_job_launch,
                                     abdb_cl_job_chosen_text,
                                     abdb_cl_job_free};
