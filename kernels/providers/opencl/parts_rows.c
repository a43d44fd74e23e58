/* parts_rows.c - parts of networks by OpenCL: what is done row by row or number by number; see
 * parts.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/providers/opencl/memory.h"
#include "kernels/providers/opencl/parts.h"

enum { OPTIONS = 128 };

static abdb_status add_norm(abdb_cl_maker *s, const abdb_part_rows *x, abdb_error *err)
{
    char options[OPTIONS];
    abdb_cl_call call = abdb_cl_rows_call(s, "norm.cl", "norm", options, x->rows);

    snprintf(options, sizeof options, "%s -DCENTRED%s", s->format, x->shift ? "" : " -DNO_SHIFT");
    return abdb_cl_add(s->job, &call, err, "ppppl", x->x, s->size, x->gain, s->size,
                       x->shift ? x->shift : x->gain, s->size, x->out, s->size, x->columns);
}

static abdb_status add_norm_back(abdb_cl_maker *s, const abdb_part_rows *x, abdb_error *err)
{
    char options[OPTIONS];
    abdb_cl_call back = abdb_cl_rows_call(s, "norm_back.cl", "norm_back", options, x->rows),
                 sums = abdb_cl_columns_call(s, "norm_back.cl", "norm_sums", options, x->columns);
    cl_mem stats;
    abdb_status st = ABDB_OK;

    snprintf(options, sizeof options, "%s%s", s->format, x->add ? " -DON_TOP" : "");
    TRY(abdb_cl_pairs(s, x->rows, &stats, err));
    TRY(abdb_cl_add(s->job, &back, err, "pppppbl", x->kept, s->size, x->x, s->size, x->gain,
                    s->size, x->add ? x->add : x->x, s->size, x->out, s->size, stats, x->columns));
    if (x->dgain)
        TRY(abdb_cl_add(s->job, &sums, err, "ppbpplli", x->kept, s->size, x->x, s->size, stats,
                        x->dgain, s->size, x->dshift ? x->dshift : x->dgain, s->size, x->rows,
                        x->columns, x->dshift != NULL));
done:
    return st;
}

static abdb_status add_sums(abdb_cl_maker *s, const abdb_part_rows *x, const void *from,
                            abdb_error *err)
{
    abdb_cl_call call = abdb_cl_columns_call(s, "columns.cl", "columns", s->format, x->columns);

    return abdb_cl_add(s->job, &call, err, "ppll", from, s->size, x->dgain, s->size, x->rows,
                       x->columns);
}

static abdb_status add_gelu_back(abdb_cl_maker *s, const abdb_part_rows *x, abdb_error *err)
{
    size_t n = x->rows * x->columns;
    char options[OPTIONS];
    abdb_cl_call call = abdb_cl_pieces_call(s, "gate.cl", "back", options, n);
    abdb_status st = ABDB_OK;

    snprintf(options, sizeof options, "%s -DGELU -DCHUNK=%d", s->format, ABDB_CL_CHUNK);
    TRY(abdb_cl_add(s->job, &call, err, "ppl", x->x, s->size, x->out, s->size, n));
    if (x->dgain) TRY(add_sums(s, x, x->out, err));
done:
    return st;
}

static abdb_status add_rows(abdb_cl_maker *s, const abdb_part_rows *x, abdb_error *err)
{
    char options[OPTIONS];
    abdb_cl_call bias = abdb_cl_rows_call(s, "bias.cl", "lift", s->format, x->rows),
                 cross = abdb_cl_rows_call(s, "bias.cl", "crossed", s->format, x->rows),
                 gelu = abdb_cl_rows_call(s, "gate.cl", "biased", options, x->rows);

    snprintf(options, sizeof options, "%s -DGELU -DCHUNK=%d", s->format, ABDB_CL_CHUNK);
    switch (x->what) {
    case ABDB_ROWS_CROSS:
        return abdb_cl_add(s->job, &cross, err, "pppppli", x->x, s->size, x->gain ? x->gain : x->x,
                           s->size, x->kept, s->size, x->add, s->size, x->out, s->size, x->columns,
                           x->gain != NULL);
    case ABDB_ROWS_NORM: return add_norm(s, x, err);
    case ABDB_ROWS_BIAS:
        return abdb_cl_add(s->job, &bias, err, "pppplii", x->x, s->size, x->gain ? x->gain : x->x,
                           s->size, x->add ? x->add : x->x, s->size, x->out, s->size, x->columns,
                           x->gain != NULL, x->add != NULL);
    case ABDB_ROWS_GELU:
        return abdb_cl_add(s->job, &gelu, err, "pppli", x->kept, s->size,
                           x->gain ? x->gain : x->kept, s->size, x->out, s->size, x->columns,
                           x->gain != NULL);
    case ABDB_ROWS_GELU_BACK: return add_gelu_back(s, x, err);
    case ABDB_ROWS_NORM_BACK: return add_norm_back(s, x, err);
    case ABDB_ROWS_SUM: return add_sums(s, x, x->x, err);
    default: return ABDB_FAIL(err, ABDB_BACKEND, "rows of kind %d", x->what);
    }
}

void abdb_cl_part_rows(void *self, const abdb_part_rows *x)
{
    abdb_cl_maker *s = self;
    abdb_error err;

    if (s->status == ABDB_OK) abdb_cl_made(s, add_rows(s, x, &err), &err);
}

/* --- tokens ----------------------------------------------------------------------------------- */

static abdb_status add_embedding(abdb_cl_maker *s, const abdb_part_embedding *x, bool backward,
                                 abdb_error *err)
{
    const size_t whole = sizeof(int32_t);
    abdb_cl_call embed = abdb_cl_rows_call(s, "embed.cl", "embed", s->format, x->rows),
                 tokens = abdb_cl_rows_call(s, "embed.cl", "tokens", s->format, x->vocabulary),
                 places = abdb_cl_rows_call(s, "embed.cl", "places", s->format, x->sequence);
    abdb_status st = ABDB_OK;

    if (!backward)
        return abdb_cl_add(s->job, &embed, err, "ppppll", x->table, s->size, x->position, s->size,
                           x->token, whole, x->x, s->size, x->sequence, x->columns);
    TRY(abdb_cl_add(s->job, &tokens, err, "ppppl", x->table, s->size, x->first, whole, x->order,
                    whole, x->x, s->size, x->columns));
    TRY(abdb_cl_add(s->job, &places, err, "ppll", x->position, s->size, x->x, s->size, x->rows,
                    x->columns));
done:
    return st;
}

void abdb_cl_part_embedding(void *self, const abdb_part_embedding *x, bool backward)
{
    abdb_cl_maker *s = self;
    abdb_error err;

    if (s->status == ABDB_OK) abdb_cl_made(s, add_embedding(s, x, backward, &err), &err);
}

static abdb_status add_loss(abdb_cl_maker *s, const abdb_part_loss *x, double *sum, abdb_error *err)
{
    abdb_device *d = &s->job->d->device;
    abdb_cl_call call = abdb_cl_rows_call(s, "softmax.cl", "loss_back", s->format, x->rows);
    float *each = malloc(x->rows * sizeof *each);
    cl_mem losses;
    abdb_status st = ABDB_OK;

    if (!each) return ABDB_FAIL(err, ABDB_NOMEM, "losses");
    TRY(abdb_cl_pairs(s, x->rows, &losses, err));
    TRY(abdb_cl_add(s->job, &call, err, "ppblf", x->x, s->size, x->target, sizeof(int32_t), losses,
                    x->columns, x->scale));
    TRY(d->download(d, each, losses, x->rows * sizeof *each, err));
    *sum = 0;
    for (size_t r = 0; r < x->rows; r++) *sum += each[r];
done:
    free(each);
    return st;
}

double abdb_cl_part_loss(void *self, const abdb_part_loss *x)
{
    abdb_cl_maker *s = self;
    double sum = NAN;
    abdb_error err;

    if (s->status == ABDB_OK) abdb_cl_made(s, add_loss(s, x, &sum, &err), &err);
    return sum;
}

/* --- updates ---------------------------------------------------------------------------------- */

void abdb_cl_part_add(void *self, size_t n, const void *x, void *to)
{
    abdb_cl_maker *s = self;
    char options[OPTIONS] = "";
    abdb_cl_call call = abdb_cl_pieces_call(s, "update.cl", "add", options, n);
    abdb_error err;

    snprintf(options, sizeof options, "%s -DCHUNK=%d", s->format, ABDB_CL_CHUNK);
    if (s->status == ABDB_OK)
        abdb_cl_made(s, abdb_cl_add(s->job, &call, &err, "ppl", x, s->size, to, sizeof(float), n),
                     &err);
}

void abdb_cl_part_update(void *self, const abdb_part_update *x)
{
    abdb_cl_maker *s = self;
    const size_t wide = sizeof(float);
    char options[OPTIONS] = "";
    abdb_cl_call call = abdb_cl_pieces_call(s, "update.cl", "update", options, x->n);
    abdb_error err;

    if (s->status != ABDB_OK) return;
    snprintf(options, sizeof options, "%s -DCHUNK=%d%s%s%s", s->format, ABDB_CL_CHUNK,
             x->wide ? "" : " -DNARROW", x->out ? " -DOUT" : "", x->mask ? " -DMASKED" : "");
    abdb_cl_made(
        s,
        abdb_cl_add(s->job, &call, &err, "pppppplfffffffff", x->g, x->wide ? wide : s->size, x->w,
                    wide, x->m, wide, x->v, wide, x->out ? x->out : x->w, x->out ? s->size : wide,
                    x->mask ? x->mask : x->w, x->mask ? (size_t)1 : wide, x->n, x->scale, x->beta1,
                    1 - x->beta1, x->beta2, 1 - x->beta2, x->rate / (1 - pow(x->beta1, x->step)),
                    1 / sqrt(1 - pow(x->beta2, x->step)), x->epsilon, 1 - x->rate * x->decay),
        &err);
}
