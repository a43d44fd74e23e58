/* gpt_place.c - the memory of a GPT-like network that learns: how much, where, and what it begins
 * with. All but working memory is one piece, counted before it is made. See gpt_net.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/gpt_net.h"
#include "kernels/workloads/memory.h"

enum { LINE = 64, CHUNK = 1 << 18 };

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
    /* What ranks add up is wide too. */
    g->sum = s->accumulation > 1 || (abdb_gpt_ranks(s) > 1 && g->wide != g->size)
                 ? take(g, n * g->wide)
                 : NULL;
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
    abdb_part_product x[18] = {{.m = n, .n = v, .k = d, .tb = true},
                               {.m = v, .n = d, .k = n, .ta = true},
                               {.m = n, .n = d, .k = v}};
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

typedef struct {
    uint64_t seed;
    double deviation, spread; /* of matrices; of vectors */
} beginning;

/* Uniform with mean 0 and that deviation, element of a seed. */
static double uniform(uint64_t seed, size_t element, double deviation)
{
    double unit = (double)(abdb_random_at(seed, element) >> 11) * 0x1p-53;

    return (2 * unit - 1) * sqrt(3) * deviation;
}

/* Is an element of a matrix of a layer one that sparsity leaves? */
static bool is_kept(const abdb_gpt *g, const beginning *b, size_t element)
{
    return !g->mask ||
           (double)(abdb_random_at(b->seed + 1, element) >> 11) * 0x1p-53 >= g->s.sparsity;
}

static double of_matrix(const abdb_gpt *g, const beginning *b, size_t element)
{
    size_t tables = abdb_gpt_matrix(&g->s, 0, 0), d2 = g->s.d * g->s.d, within;

    if (element < tables) return uniform(b->seed, element, b->deviation);
    within = (element - tables) % (12 * d2) / d2;
    if (!is_kept(g, b, element)) return 0;
    if (within == 3 || within >= 8) /* it ends a residual branch */
        return uniform(b->seed, element, b->deviation / sqrt(2 * (double)g->s.layers));
    return uniform(b->seed, element, b->deviation);
}

/* Gains 1 and shifts 0, or spread around that; what the network has not is 0. */
static double of_vector(const abdb_gpt *g, const beginning *b, size_t element)
{
    size_t gain = abdb_gpt_gain(&g->s), first = abdb_gpt_matrices(&g->s), layer;
    int which = 0;
    bool bias = element >= gain + g->s.d;

    if (element < gain) {
        layer = (element - first) / (abdb_gpt_vector(&g->s, 1, 0) - first);
        while (which + 1 < ABDB_GPT_VECTORS && element >= abdb_gpt_vector(&g->s, layer, which + 1))
            which++;
        bias = abdb_gpt_is_bias(which);
    }
    return !bias + (!bias || g->s.bias ? uniform(b->seed, element, b->spread) : 0);
}

/* Elements [first, first + n) of the weights, in both formats, and of their mask. */
static abdb_status fill(abdb_gpt *g, const beginning *b, size_t first, size_t n, char *room,
                        abdb_error *err)
{
    size_t tables = abdb_gpt_matrix(&g->s, 0, 0), matrices = abdb_gpt_matrices(&g->s),
           low = first < tables ? tables : first,
           high = first + n < matrices ? first + n : matrices;
    char *narrow = room + n * g->wide, *mask = narrow + n * g->size;
    abdb_tensor w = {.dtype = abdb_parts_wide(g->s.dtype), .data = room},
                p = {.dtype = g->s.dtype, .data = narrow};
    abdb_status st = ABDB_OK;

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        size_t at = first + i;
        double value = at < matrices ? of_matrix(g, b, at) : of_vector(g, b, at);

        abdb_tensor_set(&w, i, value);
        abdb_tensor_set(&p, i, value);
        if (g->mask && at >= low && at < high) mask[at - low] = is_kept(g, b, at);
    }
    TRY(abdb_stage_give(g->stage, g->w + first * g->wide, room, n * g->wide, err));
    if (g->p != g->w)
        TRY(abdb_stage_give(g->stage, g->p + first * g->size, narrow, n * g->size, err));
    if (g->mask && high > low)
        TRY(abdb_stage_give(g->stage, g->mask + (low - tables), mask, high - low, err));
done:
    return st;
}

static abdb_status fill_all(abdb_gpt *g, const beginning *b, abdb_error *err)
{
    size_t n = abdb_gpt_parameters(&g->s);
    char *room = malloc(CHUNK * (g->wide + g->size + 1));
    abdb_status st = ABDB_OK;

    if (!room) return ABDB_FAIL(err, ABDB_NOMEM, "parameters");
    for (size_t first = 0; first < n; first += CHUNK)
        TRY(fill(g, b, first, n - first < CHUNK ? n - first : CHUNK, room, err));
done:
    free(room);
    return st;
}

abdb_status abdb_gpt_open(abdb_gpt *g, const abdb_stage *stage, const abdb_gpt_shape *s,
                          uint64_t seed, double deviation, bool spread, abdb_error *err)
{
    const beginning b = {seed, deviation, spread ? deviation : 0};
    void *memory;
    abdb_status st = ABDB_OK;

    TRY(begin(g, stage, s, err));
    g->layer = calloc(s->layers + 1, sizeof *g->layer);
    g->host = calloc(g->rows + s->vocabulary + 1, sizeof *g->host);
    if (!g->layer || !g->host) TRY(ABDB_FAIL(err, ABDB_NOMEM, "layers"));
    /* Gradients of what the network has not, and moments, are 0. */
    st = abdb_stage_alloc(stage, g->bytes, &memory, err);
    g->memory = memory;
    TRY(st);
    TRY(stage->parts->reserve(g->parts, g->work, err));
    place(g);
    TRY(fill_all(g, &b, err));
done:
    return st;
}

void abdb_gpt_close(abdb_gpt *g)
{
    if (g->memory) g->stage->device->release(g->stage->device, g->memory);
    if (g->parts) g->stage->parts->close(g->parts);
    free(g->layer);
    free(g->host);
    g->memory = NULL;
    g->parts = NULL;
    g->layer = NULL;
    g->host = NULL;
}
