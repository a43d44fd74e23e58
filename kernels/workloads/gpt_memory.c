/* gpt_memory.c - the memory of a GPT-like network that learns: how much, where, and what it begins
 * with. All but working memory is one piece, counted before it is made. See gpt_net.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/gpt_net.h"
#include "kernels/workloads/device_memory.h"

enum { LINE = 64, CHUNK = 1 << 18 };

/* The next piece; NULL while they are only counted. */
static void *carve_or_count_bytes(abdb_gpt *g, size_t bytes)
{
    char *piece = g->memory ? g->memory + g->bytes : NULL;

    g->bytes += (bytes + LINE - 1) / LINE * LINE;
    return piece;
}

/* All but x, which each layer has. */
static void lay_out_layer_activations(abdb_gpt *g, abdb_gpt_layer *a)
{
    size_t row = g->rows * g->s.d * g->size;

    a->norm1 = carve_or_count_bytes(g, row);
    a->qkv = carve_or_count_bytes(g, 3 * row);
    a->att = carve_or_count_bytes(g, row);
    a->l = carve_or_count_bytes(g, g->rows * g->s.heads * g->wide);
    a->h = carve_or_count_bytes(g, row);
    a->norm2 = carve_or_count_bytes(g, row);
    a->up = carve_or_count_bytes(g, 4 * row);
    a->gelu = carve_or_count_bytes(g, 4 * row);
}

/* Places what each layer keeps for the backward pass; with recomputation all layers share it but
 * their input x. */
static void lay_out_activations_of_all_layers(abdb_gpt *g)
{
    abdb_gpt_layer shared = {0};

    if (g->s.recompute) lay_out_layer_activations(g, &shared);
    for (size_t i = 0; i < g->s.layers; i++) {
        abdb_gpt_layer mine = shared;

        if (!g->s.recompute) lay_out_layer_activations(g, &mine);
        mine.x = carve_or_count_bytes(g, g->rows * g->s.d * g->size);
        if (g->memory) g->layer[i] = mine;
    }
}

/* Called twice: to count the bytes, and with g->memory to set the places. */
static void lay_out_or_count_memory(abdb_gpt *g)
{
    const abdb_gpt_shape *s = &g->s;
    size_t n = abdb_gpt_parameter_count(s), row = g->rows * s->d * g->size;

    g->bytes = 0;
    g->p = carve_or_count_bytes(g, n * g->size);
    g->g = carve_or_count_bytes(g, n * g->size);
    g->w = g->wide == g->size ? g->p : carve_or_count_bytes(g, n * g->wide);
    g->m = carve_or_count_bytes(g, n * g->wide);
    g->v = carve_or_count_bytes(g, n * g->wide);
    /* What ranks add up is wide too. */
    g->sum = s->accumulation > 1 || (abdb_gpt_rank_count(s) > 1 && g->wide != g->size)
                 ? carve_or_count_bytes(g, n * g->wide)
                 : NULL;
    g->mask = s->sparsity > 0 ? carve_or_count_bytes(g, abdb_gpt_element_count_before_vectors(s) -
                                                            abdb_gpt_matrix_offset(s, 0, 0))
                              : NULL;
    lay_out_activations_of_all_layers(g);
    g->last = carve_or_count_bytes(g, row);
    g->normed = carve_or_count_bytes(g, row);
    g->logits = carve_or_count_bytes(g, g->rows * s->vocabulary * g->size);
    g->dx = carve_or_count_bytes(g, row);
    g->dn = carve_or_count_bytes(g, row);
    g->dh = carve_or_count_bytes(g, row);
    g->dwide = carve_or_count_bytes(g, 4 * row);
    g->token = carve_or_count_bytes(g, g->rows * sizeof *g->token);
    g->target = carve_or_count_bytes(g, g->rows * sizeof *g->target);
    g->order = carve_or_count_bytes(g, g->rows * sizeof *g->order);
    g->first = carve_or_count_bytes(g, (s->vocabulary + 1) * sizeof *g->first);
}

/* The most that any part works in. */
static size_t largest_workspace_bytes(const abdb_gpt *g)
{
    const abdb_parts *parts = g->stage->parts;
    size_t n = g->rows, d = g->s.d, v = g->s.vocabulary,
           most = parts->row_op_work_bytes(g->parts, 4 * d);
    const size_t wide[] = {d, 3 * d, 4 * d};
    abdb_part_attention attention = {
        .batch = g->s.micro, .heads = g->s.heads, .sequence = g->s.sequence, .d = d / g->s.heads};
    abdb_part_gemm x[18] = {{.m = n, .n = v, .k = d, .tb = true},
                            {.m = v, .n = d, .k = n, .ta = true},
                            {.m = n, .n = d, .k = v}};
    size_t count = 3;

    for (size_t i = 0; i < 3; i++) {
        x[count++] = (abdb_part_gemm){.m = n, .n = wide[i], .k = d};
        x[count++] = (abdb_part_gemm){.m = n, .n = d, .k = wide[i]};
        x[count++] = (abdb_part_gemm){.m = n, .n = d, .k = wide[i], .tb = true};
        x[count++] = (abdb_part_gemm){.m = n, .n = wide[i], .k = d, .tb = true};
        x[count++] = (abdb_part_gemm){.m = i == 2 ? wide[i] : d, .n = d, .k = n, .ta = true};
    }
    for (size_t i = 0; i < count; i++) {
        size_t each = parts->gemm_work_bytes(g->parts, &x[i]);

        most = each > most ? each : most;
    }
    for (size_t i = 1; i < 3; i++) { /* gradients of wide matrices */
        size_t each = parts->gemm_work_bytes(
            g->parts, &(abdb_part_gemm){.m = d, .n = wide[i], .k = n, .ta = true});

        most = each > most ? each : most;
    }
    for (int back = 0; back < 2; back++) {
        size_t each = parts->attention_work_bytes(g->parts, &attention, back == 1);

        most = each > most ? each : most;
    }
    return most;
}

/* Everything that is known before memory is made. */
static abdb_status open_parts_and_count_memory(abdb_gpt *g, const abdb_run_context *stage,
                                               const abdb_gpt_shape *s, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *g = (abdb_gpt){.s = *s, .stage = stage, .rows = s->micro * s->sequence};
    g->size = abdb_dtype_size(s->dtype);
    g->wide = abdb_dtype_size(abdb_wide_dtype_f64_or_f32(s->dtype));
    TRY(stage->parts->open(&g->parts, stage->p, s->dtype, err));
    g->work = largest_workspace_bytes(g);
    lay_out_or_count_memory(g);
done:
    return st;
}

abdb_status abdb_gpt_predict_memory_bytes(const abdb_run_context *stage, const abdb_gpt_shape *s,
                                          double *out, abdb_error *err)
{
    abdb_gpt g;
    abdb_status st = ABDB_OK;

    TRY(open_parts_and_count_memory(&g, stage, s, err));
    *out = (double)g.bytes + (double)g.work;
done:
    abdb_gpt_free(&g);
    return st;
}

/* --- what it begins with ---------------------------------------------------------------------- */

typedef struct {
    uint64_t seed;
    double deviation, spread; /* of matrices; of vectors */
} init_options;

/* Uniform with mean 0 and that deviation, element of a seed. */
static double uniform_random_with_deviation(uint64_t seed, size_t element, double deviation)
{
    double unit = (double)(abdb_random_bits_at(seed, element) >> 11) * 0x1p-53;

    return (2 * unit - 1) * sqrt(3) * deviation;
}

/* Is an element of a matrix of a layer one that sparsity leaves? */
static bool is_weight_kept_by_sparsity(const abdb_gpt *g, const init_options *b, size_t element)
{
    return !g->mask ||
           (double)(abdb_random_bits_at(b->seed + 1, element) >> 11) * 0x1p-53 >= g->s.sparsity;
}

/* Element `element` of all matrices: uniform with the deviation asked, smaller by sqrt(2 layers)
 * in products that end a residual branch, 0 where sparsity removed it. */
static double initial_matrix_value(const abdb_gpt *g, const init_options *b, size_t element)
{
    size_t tables = abdb_gpt_matrix_offset(&g->s, 0, 0), d2 = g->s.d * g->s.d, within;

    if (element < tables) return uniform_random_with_deviation(b->seed, element, b->deviation);
    within = (element - tables) % (12 * d2) / d2;
    if (!is_weight_kept_by_sparsity(g, b, element)) return 0;
    if (within == 3 || within >= 8) /* it ends a residual branch */
        return uniform_random_with_deviation(b->seed, element,
                                             b->deviation / sqrt(2 * (double)g->s.layers));
    return uniform_random_with_deviation(b->seed, element, b->deviation);
}

/* Gains 1 and shifts 0, or spread around that; what the network has not is 0. */
static double initial_vector_value(const abdb_gpt *g, const init_options *b, size_t element)
{
    size_t gain = abdb_gpt_last_norm_gain_offset(&g->s),
           first = abdb_gpt_element_count_before_vectors(&g->s), layer;
    int which = 0;
    bool bias = element >= gain + g->s.d;

    if (element < gain) {
        layer = (element - first) / (abdb_gpt_vector_offset(&g->s, 1, 0) - first);
        while (which + 1 < ABDB_GPT_VECTORS &&
               element >= abdb_gpt_vector_offset(&g->s, layer, which + 1))
            which++;
        bias = abdb_gpt_vector_is_bias(which);
    }
    return !bias +
           (!bias || g->s.bias ? uniform_random_with_deviation(b->seed, element, b->spread) : 0);
}

/* Draws weights [first, first + n) and writes them to the device, in both formats, with their
 * mask. */
static abdb_status init_and_upload_weight_range(abdb_gpt *g, const init_options *b, size_t first,
                                                size_t n, char *room, abdb_error *err)
{
    size_t tables = abdb_gpt_matrix_offset(&g->s, 0, 0),
           matrices = abdb_gpt_element_count_before_vectors(&g->s),
           low = first < tables ? tables : first,
           high = first + n < matrices ? first + n : matrices;
    char *narrow = room + n * g->wide, *mask = narrow + n * g->size;
    abdb_tensor w = {.dtype = abdb_wide_dtype_f64_or_f32(g->s.dtype), .data = room},
                p = {.dtype = g->s.dtype, .data = narrow};
    abdb_status st = ABDB_OK;

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        size_t at = first + i;
        double value =
            at < matrices ? initial_matrix_value(g, b, at) : initial_vector_value(g, b, at);

        abdb_tensor_set_rounded(&w, i, value);
        abdb_tensor_set_rounded(&p, i, value);
        if (g->mask && at >= low && at < high)
            mask[at - low] = is_weight_kept_by_sparsity(g, b, at);
    }
    TRY(abdb_device_upload(g->stage, g->w + first * g->wide, room, n * g->wide, err));
    if (g->p != g->w)
        TRY(abdb_device_upload(g->stage, g->p + first * g->size, narrow, n * g->size, err));
    if (g->mask && high > low)
        TRY(abdb_device_upload(g->stage, g->mask + (low - tables), mask, high - low, err));
done:
    return st;
}

/* Makes all parameters on the host, CHUNK at a time, and brings them to the device. */
static abdb_status init_and_upload_parameters(abdb_gpt *g, const init_options *b, abdb_error *err)
{
    size_t n = abdb_gpt_parameter_count(&g->s);
    char *room = malloc(CHUNK * (g->wide + g->size + 1));
    abdb_status st = ABDB_OK;

    if (!room) return ABDB_FAIL(err, ABDB_NOMEM, "parameters");
    for (size_t first = 0; first < n; first += CHUNK)
        TRY(init_and_upload_weight_range(g, b, first, n - first < CHUNK ? n - first : CHUNK, room,
                                         err));
done:
    free(room);
    return st;
}

abdb_status abdb_gpt_alloc_and_init(abdb_gpt *g, const abdb_run_context *stage,
                                    const abdb_gpt_shape *s, uint64_t seed, double deviation,
                                    bool spread_vectors, abdb_error *err)
{
    const init_options b = {seed, deviation, spread_vectors ? deviation : 0};
    void *memory;
    abdb_status st = ABDB_OK;

    TRY(open_parts_and_count_memory(g, stage, s, err));
    g->layer = calloc(s->layers + 1, sizeof *g->layer);
    g->host = calloc(g->rows + s->vocabulary + 1, sizeof *g->host);
    if (!g->layer || !g->host) TRY(ABDB_FAIL(err, ABDB_NOMEM, "layers"));
    /* Gradients of what the network has not, and moments, are 0. */
    TRY(abdb_device_alloc_zeroed(stage, g->bytes, &memory, err));
    g->memory = memory;
    TRY(stage->parts->alloc_workspace(g->parts, g->work, err));
    lay_out_or_count_memory(g);
    TRY(init_and_upload_parameters(g, &b, err));
done:
    return st;
}

void abdb_gpt_free(abdb_gpt *g)
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
