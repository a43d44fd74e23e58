/* gpt_place.c - the memory of a GPT-like network that learns: how much, where, and what it begins
 * with. All but working memory is one piece, counted before it is made. See gpt_net.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/gpt_net.h"

enum { LINE = 64 };

/* The next piece; NULL while they are only counted. */
static void *take(abdb_gpt *g, size_t bytes)
{
    char *piece = g->memory ? g->memory + g->bytes : NULL;

    g->bytes += (bytes + LINE - 1) / LINE * LINE;
    return piece;
}

/* All but x, which each layer has. */
static void place_layer(abdb_gpt *g, abdb_gpt_layer *a)
{
    size_t row = g->rows * g->s.d * g->size;

    a->norm1 = take(g, row);
    a->qkv = take(g, 3 * row);
    a->att = take(g, row);
    a->l = take(g, g->rows * g->s.heads * g->wide);
    a->h = take(g, row);
    a->norm2 = take(g, row);
    a->up = take(g, 4 * row);
    a->gelu = take(g, 4 * row);
}

static void place_layers(abdb_gpt *g)
{
    abdb_gpt_layer shared = {0};

    if (g->s.recompute) place_layer(g, &shared);
    for (size_t i = 0; i < g->s.layers; i++) {
        abdb_gpt_layer mine = shared;

        if (!g->s.recompute) place_layer(g, &mine);
        mine.x = take(g, g->rows * g->s.d * g->size);
        if (g->memory) g->layer[i] = mine;
    }
}

/* Called twice: to count the bytes, and with g->memory to set the places. */
static void place(abdb_gpt *g)
{
    const abdb_gpt_shape *s = &g->s;
    size_t n = abdb_gpt_parameters(s), row = g->rows * s->d * g->size;

    g->bytes = 0;
    g->p = take(g, n * g->size);
    g->g = take(g, n * g->size);
    g->w = g->wide == g->size ? g->p : take(g, n * g->wide);
    g->m = take(g, n * g->wide);
    g->v = take(g, n * g->wide);
    g->sum = s->accumulation > 1 ? take(g, n * g->wide) : NULL;
    g->mask = s->sparsity > 0 ? take(g, abdb_gpt_matrices(s) - abdb_gpt_matrix(s, 0, 0)) : NULL;
    place_layers(g);
    g->last = take(g, row);
    g->normed = take(g, row);
    g->logits = take(g, g->rows * s->vocabulary * g->size);
    g->dx = take(g, row);
    g->dn = take(g, row);
    g->dh = take(g, row);
    g->dwide = take(g, 4 * row);
    g->token = take(g, g->rows * sizeof *g->token);
    g->target = take(g, g->rows * sizeof *g->target);
    g->order = take(g, g->rows * sizeof *g->order);
    g->first = take(g, (s->vocabulary + 1) * sizeof *g->first);
}

/* The most that any part works in. */
static size_t work_of(const abdb_gpt *g)
{
    const abdb_parts *parts = g->stage->parts;
    size_t n = g->rows, d = g->s.d, v = g->s.vocabulary,
           most = parts->room_of_rows(g->parts, 4 * d);
    const size_t wide[] = {d, 3 * d, 4 * d};
    abdb_part_attention attention = {
        .batch = g->s.micro, .heads = g->s.heads, .sequence = g->s.sequence, .d = d / g->s.heads};
    abdb_part_product x[18] = {{n, v, d, false, true, NULL, NULL, NULL},
                               {v, d, n, true, false, NULL, NULL, NULL},
                               {n, d, v, false, false, NULL, NULL, NULL}};
    size_t count = 3;

    for (size_t i = 0; i < 3; i++) {
        x[count++] = (abdb_part_product){.m = n, .n = wide[i], .k = d};
        x[count++] = (abdb_part_product){.m = n, .n = d, .k = wide[i]};
        x[count++] = (abdb_part_product){.m = n, .n = d, .k = wide[i], .tb = true};
        x[count++] = (abdb_part_product){.m = n, .n = wide[i], .k = d, .tb = true};
        x[count++] = (abdb_part_product){.m = i == 2 ? wide[i] : d, .n = d, .k = n, .ta = true};
    }
    for (size_t i = 0; i < count; i++) {
        size_t each = parts->room_of_product(g->parts, &x[i]);

        most = each > most ? each : most;
    }
    for (size_t i = 1; i < 3; i++) { /* gradients of wide matrices */
        size_t each = parts->room_of_product(
            g->parts, &(abdb_part_product){.m = d, .n = wide[i], .k = n, .ta = true});

        most = each > most ? each : most;
    }
    for (int back = 0; back < 2; back++) {
        size_t each = parts->room_of_attention(g->parts, &attention, back == 1);

        most = each > most ? each : most;
    }
    return most;
}

/* Everything that is known before memory is made. */
static abdb_status begin(abdb_gpt *g, const abdb_stage *stage, const abdb_gpt_shape *s,
                         abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *g = (abdb_gpt){.s = *s, .stage = stage, .rows = s->micro * s->sequence};
    g->size = abdb_dtype_size(s->dtype);
    g->wide = abdb_dtype_size(abdb_parts_wide(s->dtype));
    TRY(stage->parts->open(&g->parts, stage->p, s->dtype, err));
    g->work = work_of(g);
    place(g);
done:
    return st;
}

abdb_status abdb_gpt_bytes(const abdb_stage *stage, const abdb_gpt_shape *s, double *out,
                           abdb_error *err)
{
    abdb_gpt g;
    abdb_status st = ABDB_OK;

    TRY(begin(&g, stage, s, err));
    *out = (double)g.bytes + (double)g.work;
done:
    abdb_gpt_close(&g);
    return st;
}

/* --- what it begins with ---------------------------------------------------------------------- */

static void set(abdb_gpt *g, size_t element, double value)
{
    abdb_tensor p = {.dtype = g->s.dtype, .data = g->p},
                w = {.dtype = abdb_parts_wide(g->s.dtype), .data = g->w};

    abdb_tensor_set(&w, element, value);
    abdb_tensor_set(&p, element, value);
}

/* Uniform with mean 0 and that deviation, element of a seed. */
static double uniform(uint64_t seed, size_t element, double deviation)
{
    double unit = (double)(abdb_random_at(seed, element) >> 11) * 0x1p-53;

    return (2 * unit - 1) * sqrt(3) * deviation;
}

static void fill_matrices(abdb_gpt *g, uint64_t seed, double deviation)
{
    size_t tables = abdb_gpt_matrix(&g->s, 0, 0), end = abdb_gpt_matrices(&g->s),
           layer = 12 * g->s.d * g->s.d, d2 = g->s.d * g->s.d;
    double narrow = deviation / sqrt(2 * (double)g->s.layers);

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < end; i++) {
        size_t within = i < tables ? 0 : (i - tables) % layer / d2;
        bool residual = i >= tables && (within == 3 || within >= 8);
        double value = uniform(seed, i, residual ? narrow : deviation);

        if (g->mask && i >= tables) {
            g->mask[i - tables] =
                (double)(abdb_random_at(seed + 1, i) >> 11) * 0x1p-53 >= g->s.sparsity;
            value = g->mask[i - tables] ? value : 0;
        }
        set(g, i, value);
    }
}

/* Gains 1 and shifts 0, or spread around that; what the network has not is 0. */
static void fill_vectors(abdb_gpt *g, uint64_t seed, double spread)
{
    size_t d = g->s.d, at = abdb_gpt_gain(&g->s);

    for (size_t i = 0; i < g->s.layers; i++)
        for (int v = 0; v < ABDB_GPT_VECTORS; v++) {
            size_t first = abdb_gpt_vector(&g->s, i, v),
                   end = v + 1 < ABDB_GPT_VECTORS ? abdb_gpt_vector(&g->s, i, v + 1)
                                                  : abdb_gpt_vector(&g->s, i + 1, 0);
            bool has = g->s.bias || !abdb_gpt_is_bias(v);

            for (size_t j = first; j < end; j++)
                set(g, j, !abdb_gpt_is_bias(v) + (has ? uniform(seed, j, spread) : 0));
        }
    for (size_t j = 0; j < 2 * d; j++)
        set(g, at + j, (j < d) + (j < d || g->s.bias ? uniform(seed, at + j, spread) : 0));
}

abdb_status abdb_gpt_open(abdb_gpt *g, const abdb_stage *stage, const abdb_gpt_shape *s,
                          uint64_t seed, double deviation, bool spread, abdb_error *err)
{
    void *memory;
    abdb_status st = ABDB_OK;

    TRY(begin(g, stage, s, err));
    g->layer = calloc(s->layers + 1, sizeof *g->layer);
    if (!g->layer) TRY(ABDB_FAIL(err, ABDB_NOMEM, "layers"));
    /* In large pages, where the system has them. */
    if (stage->device->alloc(stage->device, g->bytes, true, &memory, err) != ABDB_OK)
        TRY(stage->device->alloc(stage->device, g->bytes, false, &memory, err));
    g->memory = memory;
    /* Every page is touched; gradients of what the network has not, and moments, are 0. */
    TRY(stage->device->fill(stage->device, memory, 0, g->bytes, err));
    TRY(stage->parts->reserve(g->parts, g->work, err));
    place(g);
    fill_matrices(g, seed, deviation);
    fill_vectors(g, seed, spread ? deviation : 0);
done:
    return st;
}

void abdb_gpt_close(abdb_gpt *g)
{
    if (g->memory) g->stage->device->release(g->stage->device, g->memory);
    if (g->parts) g->stage->parts->close(g->parts);
    free(g->layer);
    g->memory = NULL;
    g->parts = NULL;
    g->layer = NULL;
}
