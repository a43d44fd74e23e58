/* dlrm_net.c - an inference of a recommendation model; see dlrm_net.h. */
#include "kernels/workloads/dlrm_net.h"

static void *element_address(char *from, size_t element, size_t size)
{
    return from + element * size;
}

/* c = act(a w + bias) in a span: a is batch x in, w in x out, c batch x out. */
static void run_dense_layer(const abdb_dlrm *d, const char *name, const abdb_dlrm_layer *l,
                            const void *a, void *c)
{
    double m = (double)d->s.batch, n = (double)l->out, k = (double)l->in;

    abdb_span_enter(d->stage->spans, name, "gemm");
    d->stage->parts->gemm(d->parts,
                          &(abdb_part_gemm){.m = d->s.batch,
                                            .n = l->out,
                                            .k = l->in,
                                            .lda = l->lda,
                                            .ldc = l->ldc,
                                            .a = a,
                                            .b = l->w,
                                            .c = c,
                                            .bias = l->bias,
                                            .act = l->relu ? ABDB_ACT_RELU : ABDB_ACT_NONE,
                                            .packed = l->packed});
    abdb_span_leave_and_add_work(d->stage->spans, 2 * m * n * k,
                                 (double)d->size * (m * k + k * n + m * n));
}

static void run_mlp(const abdb_dlrm *d, const char *name, const abdb_dlrm_layer *of, size_t layers,
                    void *x, void *y)
{
    for (size_t i = 0; i < layers; i++) {
        void *out = i + 1 < layers ? d->hidden[i % 2] : y;

        run_dense_layer(d, name, &of[i], x, out);
        x = out;
    }
}

/* Writes the sums of all tables into x0, behind the output of the bottom layers: row b has table
 * t at (t + 1) width. */
static void run_embedding_bags(const abdb_dlrm *d)
{
    const abdb_dlrm_shape *s = &d->s;
    double n = (double)(s->batch * s->tables), lookups = (double)s->lookups,
           width = (double)s->width;

    abdb_span_enter(d->stage->spans, "embeddings", "embedding-bag");
    for (size_t t = 0; t < s->tables; t += d->each) {
        abdb_part_embedding_bags x = {.tables = s->tables - t < d->each ? s->tables - t : d->each,
                                      .rows = s->rows,
                                      .lookups = s->lookups,
                                      .batch = s->batch,
                                      .columns = s->width,
                                      .sample_stride = s->x0_stride,
                                      .table = d->tables[t / d->each],
                                      .index = d->index + t * s->batch * s->lookups,
                                      .out = element_address(d->x0, (t + 1) * s->width, d->size)};

        d->stage->parts->embedding_bags(d->parts, &x);
    }
    abdb_span_leave_and_add_work(
        d->stage->spans, n * (lookups - 1) * width,
        n * ((lookups + 1) * width * (double)d->size + lookups * sizeof(int32_t)));
}

/* x = x0 * (x V W + shift) + x, from x0 on. */
static void run_cross_layer(const abdb_dlrm *d, size_t i)
{
    const abdb_dlrm_shape *s = &d->s;
    char *x = i ? d->x : d->x0;
    double n = (double)(s->batch * s->joined);

    run_dense_layer(d, "cross products", &d->down[i], x, d->low);
    run_dense_layer(d, "cross products", &d->up[i], d->low, d->wide);
    abdb_span_enter(d->stage->spans, "cross sums", "elementwise");
    d->stage->parts->row_op(d->parts, &(abdb_part_row_op){.what = ABDB_ROWS_CROSS,
                                                          .rows = s->batch,
                                                          .columns = s->x0_stride,
                                                          .x = d->wide,
                                                          .gain = d->shift[i],
                                                          .kept = d->x0,
                                                          .add = x,
                                                          .out = d->x});
    abdb_span_leave_and_add_work(d->stage->spans, 3 * n, 4 * n * (double)d->size);
}

void abdb_dlrm_run_inference(const abdb_dlrm *d)
{
    const abdb_dlrm_shape *s = &d->s;

    abdb_span_enter(d->stage->spans, "inference", NULL);
    run_embedding_bags(d);
    run_mlp(d, "bottom MLP", d->bottom, s->bottoms, d->dense, d->x0);
    for (size_t i = 0; i < s->crosses; i++) run_cross_layer(d, i);
    run_mlp(d, "top MLP", d->top, s->tops, s->crosses ? d->x : d->x0, d->out);
    abdb_span_leave_and_add_work(d->stage->spans, 0, 0);
}
