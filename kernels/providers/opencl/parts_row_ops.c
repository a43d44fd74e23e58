/* parts_row_ops.c - parts of networks by OpenCL: what is done row by row or number by number; see
 * parts.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/providers/opencl/memory.h"
#include "kernels/providers/opencl/parts.h"

enum { OPTIONS = 128 };

/* Adds out = layernorm(x) gain (+ shift), rows x columns. */
static abdb_status add_layernorm_call(abdb_cl_builder *s, const abdb_part_row_op *x,
                                      abdb_error *err)
{
    char options[OPTIONS];
    abdb_cl_kernel_call call =
        abdb_cl_call_per_row(s, "norm.cl", "layernorm_or_rmsnorm", options, x->rows);

    snprintf(options, sizeof options, "%s -DCENTRED%s", s->format, x->shift ? "" : " -DNO_SHIFT");
    return abdb_cl_issue_kernel(s->job, &call, err, "ppppl", x->x, s->size, x->gain, s->size,
                                x->shift ? x->shift : x->gain, s->size, x->out, s->size,
                                x->columns);
}

/* Adds the gradient of a norm's input (+ add), and the sums over rows of those of gain and
 * shift. */
static abdb_status add_layernorm_backward_calls(abdb_cl_builder *s, const abdb_part_row_op *x,
                                                abdb_error *err)
{
    char options[OPTIONS];
    abdb_cl_kernel_call back = abdb_cl_call_per_row(s, "layernorm_backward.cl",
                                                    "layernorm_backward_rows", options, x->rows),
                        sums = abdb_cl_call_descriptor_for_column_vectors(
                            s, "layernorm_backward.cl", "layernorm_gain_shift_sums", options,
                            x->columns);
    cl_mem stats;
    abdb_status st = ABDB_OK;

    snprintf(options, sizeof options, "%s%s", s->format, x->add ? " -DON_TOP" : "");
    TRY(abdb_cl_row_workspace(s, x->rows, &stats, err));
    TRY(abdb_cl_issue_kernel(s->job, &back, err, "pppppbl", x->kept, s->size, x->x, s->size,
                             x->gain, s->size, x->add ? x->add : x->x, s->size, x->out, s->size,
                             stats, x->columns));
    if (x->dgain)
        TRY(abdb_cl_issue_kernel(s->job, &sums, err, "ppbpplli", x->kept, s->size, x->x, s->size,
                                 stats, x->dgain, s->size, x->dshift ? x->dshift : x->dgain,
                                 s->size, x->rows, x->columns, x->dshift != NULL));
done:
    return st;
}

static abdb_status add_column_sums_call(abdb_cl_builder *s, const abdb_part_row_op *x,
                                        const void *from, abdb_error *err)
{
    abdb_cl_kernel_call call = abdb_cl_call_descriptor_for_column_vectors(
        s, "column_sums.cl", "column_sums", s->format, x->columns);

    return abdb_cl_issue_kernel(s->job, &call, err, "ppll", from, s->size, x->dgain, s->size,
                                x->rows, x->columns);
}

/* Adds out *= gelu'(x), and the sums over rows where dgain is wanted. */
static abdb_status add_gelu_backward_calls(abdb_cl_builder *s, const abdb_part_row_op *x,
                                           abdb_error *err)
{
    size_t n = x->rows * x->columns;
    char options[OPTIONS];
    abdb_cl_kernel_call call = abdb_cl_call_descriptor_one_group_per_chunk(
        s, "activation.cl", "gelu_backward_in_place", options, n);
    abdb_status st = ABDB_OK;

    snprintf(options, sizeof options, "%s -DGELU -DCHUNK=%d", s->format, ABDB_CL_CHUNK);
    TRY(abdb_cl_issue_kernel(s->job, &call, err, "ppl", x->x, s->size, x->out, s->size, n));
    if (x->dgain) TRY(add_column_sums_call(s, x, x->out, err));
done:
    return st;
}

/* Adds the operation x->what (parts.h) on all rows. ABDB_BACKEND: there is no such one. */
static abdb_status add_row_op_call(abdb_cl_builder *s, const abdb_part_row_op *x, abdb_error *err)
{
    char options[OPTIONS];
    abdb_cl_kernel_call bias = abdb_cl_call_per_row(s, "bias.cl", "add_bias_and_residual",
                                                    s->format, x->rows),
                        cross = abdb_cl_call_per_row(s, "bias.cl", "combine_cross_layer", s->format,
                                                     x->rows),
                        gelu = abdb_cl_call_per_row(s, "activation.cl", "add_bias_then_gelu",
                                                    options, x->rows);

    snprintf(options, sizeof options, "%s -DGELU -DCHUNK=%d", s->format, ABDB_CL_CHUNK);
    switch (x->what) {
    case ABDB_ROWS_CROSS:
        return abdb_cl_issue_kernel(s->job, &cross, err, "pppppli", x->x, s->size,
                                    x->gain ? x->gain : x->x, s->size, x->kept, s->size, x->add,
                                    s->size, x->out, s->size, x->columns, x->gain != NULL);
    case ABDB_ROWS_NORM: return add_layernorm_call(s, x, err);
    case ABDB_ROWS_BIAS:
        return abdb_cl_issue_kernel(s->job, &bias, err, "pppplii", x->x, s->size,
                                    x->gain ? x->gain : x->x, s->size, x->add ? x->add : x->x,
                                    s->size, x->out, s->size, x->columns, x->gain != NULL,
                                    x->add != NULL);
    case ABDB_ROWS_GELU:
        return abdb_cl_issue_kernel(s->job, &gelu, err, "pppli", x->kept, s->size,
                                    x->gain ? x->gain : x->kept, s->size, x->out, s->size,
                                    x->columns, x->gain != NULL);
    case ABDB_ROWS_GELU_BACK: return add_gelu_backward_calls(s, x, err);
    case ABDB_ROWS_NORM_BACK: return add_layernorm_backward_calls(s, x, err);
    case ABDB_ROWS_SUM: return add_column_sums_call(s, x, x->x, err);
    default: return ABDB_FAIL(err, ABDB_BACKEND, "rows of kind %d", x->what);
    }
}

void abdb_cl_part_row_ops(void *self, const abdb_part_row_op *x)
{
    abdb_cl_builder *s = self;
    abdb_error err;

    if (s->status == ABDB_OK) abdb_cl_finish_part(s, add_row_op_call(s, x, &err), &err);
}

/* --- tokens ----------------------------------------------------------------------------------- */

/* Adds x[r] = table[token[r]] + position[r mod sequence], or the gradients of table and
 * position. */
static abdb_status add_embed_or_gradient_calls(abdb_cl_builder *s, const abdb_part_embedding *x,
                                               bool backward, abdb_error *err)
{
    const size_t whole = sizeof(int32_t);
    abdb_cl_kernel_call embed =
                            abdb_cl_call_per_row(s, "token_embedding.cl",
                                                 "embed_tokens_and_positions", s->format, x->rows),
                        tokens =
                            abdb_cl_call_per_row(s, "token_embedding.cl", "add_token_gradients",
                                                 s->format, x->vocabulary),
                        places =
                            abdb_cl_call_per_row(s, "token_embedding.cl", "sum_position_gradients",
                                                 s->format, x->sequence);
    abdb_status st = ABDB_OK;

    if (!backward)
        return abdb_cl_issue_kernel(s->job, &embed, err, "ppppll", x->table, s->size, x->position,
                                    s->size, x->token, whole, x->x, s->size, x->sequence,
                                    x->columns);
    TRY(abdb_cl_issue_kernel(s->job, &tokens, err, "ppppl", x->table, s->size, x->first, whole,
                             x->order, whole, x->x, s->size, x->columns));
    TRY(abdb_cl_issue_kernel(s->job, &places, err, "ppll", x->position, s->size, x->x, s->size,
                             x->rows, x->columns));
done:
    return st;
}

void abdb_cl_part_embed_or_gradients(void *self, const abdb_part_embedding *x, bool backward)
{
    abdb_cl_builder *s = self;
    abdb_error err;

    if (s->status == ABDB_OK)
        abdb_cl_finish_part(s, add_embed_or_gradient_calls(s, x, backward, &err), &err);
}

/* x becomes the gradient of the loss, times scale; *sum: the losses of all rows, which are
 * waited for. */
static abdb_status run_cross_entropy_gradient_and_sum_losses(abdb_cl_builder *s,
                                                             const abdb_part_cross_entropy *x,
                                                             double *sum, abdb_error *err)
{
    abdb_device *d = &s->job->d->device;
    abdb_cl_kernel_call call =
        abdb_cl_call_per_row(s, "softmax.cl", "cross_entropy_and_gradient", s->format, x->rows);
    float *each = malloc(x->rows * sizeof *each);
    cl_mem losses;
    abdb_status st = ABDB_OK;

    if (!each) return ABDB_FAIL(err, ABDB_NOMEM, "losses");
    TRY(abdb_cl_row_workspace(s, x->rows, &losses, err));
    TRY(abdb_cl_issue_kernel(s->job, &call, err, "ppblf", x->x, s->size, x->target, sizeof(int32_t),
                             losses, x->columns, x->scale));
    TRY(d->download(d, each, losses, x->rows * sizeof *each, err));
    *sum = 0;
    for (size_t r = 0; r < x->rows; r++) *sum += each[r];
done:
    free(each);
    return st;
}

double abdb_cl_part_cross_entropy_replace_by_grad(void *self, const abdb_part_cross_entropy *x)
{
    abdb_cl_builder *s = self;
    double sum = NAN;
    abdb_error err;

    if (s->status == ABDB_OK)
        abdb_cl_finish_part(s, run_cross_entropy_gradient_and_sum_losses(s, x, &sum, &err), &err);
    return sum;
}

/* --- updates ---------------------------------------------------------------------------------- */

void abdb_cl_part_add_to_float_sums(void *self, size_t n, const void *x, void *to)
{
    abdb_cl_builder *s = self;
    char options[OPTIONS] = "";
    abdb_cl_kernel_call call = abdb_cl_call_descriptor_one_group_per_chunk(
        s, "adamw_master.cl", "add_to_wide_sums", options, n);
    abdb_error err;

    snprintf(options, sizeof options, "%s -DCHUNK=%d", s->format, ABDB_CL_CHUNK);
    if (s->status == ABDB_OK)
        abdb_cl_finish_part(
            s, abdb_cl_issue_kernel(s->job, &call, &err, "ppl", x, s->size, to, sizeof(float), n),
            &err);
}

void abdb_cl_part_adamw_update(void *self, const abdb_part_adamw *x)
{
    abdb_cl_builder *s = self;
    const size_t wide = sizeof(float);
    char options[OPTIONS] = "";
    abdb_cl_kernel_call call = abdb_cl_call_descriptor_one_group_per_chunk(
        s, "adamw_master.cl", "adamw_master_update", options, x->n);
    abdb_error err;

    if (s->status != ABDB_OK) return;
    snprintf(options, sizeof options, "%s -DCHUNK=%d%s%s%s", s->format, ABDB_CL_CHUNK,
             x->wide ? "" : " -DNARROW", x->out ? " -DOUT" : "", x->mask ? " -DMASKED" : "");
    abdb_cl_finish_part(
        s,
        abdb_cl_issue_kernel(
            s->job, &call, &err, "pppppplfffffffff", x->g, x->wide ? wide : s->size, x->w, wide,
            x->m, wide, x->v, wide, x->out ? x->out : x->w, x->out ? s->size : wide,
            x->mask ? x->mask : x->w, x->mask ? (size_t)1 : wide, x->n, x->scale, x->beta1,
            1 - x->beta1, x->beta2, 1 - x->beta2, x->rate / (1 - pow(x->beta1, x->step)),
            1 / sqrt(1 - pow(x->beta2, x->step)), x->epsilon, 1 - x->rate * x->decay),
        &err);
}
