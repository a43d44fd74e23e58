/* dlrm_shape.c - shapes of recommendation models; see dlrm_shape.h. */
#include "kernels/workloads/dlrm_shape.h"

#include <math.h>
#include <unistd.h>

enum { LINE = 16 }; /* numbers that rows of x are a multiple of */

/* RM1 and RM2: KAIST, Gaudi 2, table 3, whose vectors of 256 bytes are 64 numbers of f32; dense
 * features are the 13 of Criteo's logs, which MLPerf's dlrm_v2 takes. The last is small. */
static const struct {
    const char *name;
    size_t tables, rows, lookups, dense, width, bottom[ABDB_DLRM_LAYERS], top[ABDB_DLRM_LAYERS],
        rank, crosses;
} models[] = {{"rm1", 10, 1000000, 10, 13, 64, {512, 256, 64}, {1024, 1024, 512, 256, 1}, 512, 3},
              {"rm2", 20, 1000000, 100, 13, 64, {256, 64, 64}, {128, 64, 1}, 64, 2},
              {"tiny", 4, 1000, 5, 13, 16, {32, 16}, {32, 1}, 8, 2}};
enum { MODELS = sizeof models / sizeof models[0] };

static size_t count_nonzero_layer_widths(const size_t *width)
{
    size_t n = 0;

    while (n < ABDB_DLRM_LAYERS && width[n]) n++;
    return n;
}

void abdb_dlrm_set_bottom_joined_padded_widths(abdb_dlrm_shape *s)
{
    s->bottom[s->bottoms - 1] = s->width;
    s->joined = (s->tables + 1) * s->width;
    s->x0_stride = (s->joined + LINE - 1) / LINE * LINE;
}

/* scale=auto: as many rows as let tables of vectors of 1 KiB take an eighth of the memory that the
 * machine has. It depends on the model and the machine alone, so that cells of a plan that differ
 * in other axes have as many. */
static abdb_status cap_rows_to_eighth_of_memory_if_auto(abdb_problem *p, abdb_dlrm_shape *s,
                                                        abdb_error *err)
{
    static const char *const words[] = {"no", "auto", NULL};
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 8, most;
    int which;
    abdb_status st = ABDB_OK;

    if (!abdb_param_text(p, "scale")) return ABDB_OK;
    TRY(abdb_param_choice_index_or_first(p, "scale", words, &which, err));
    if (which == 0) goto done;
    most = floor(bytes / (1024 * (double)s->tables));
    if (most < 1) most = 1;
    if ((double)s->rows > most) s->rows = (size_t)most;
    TRY(abdb_param_set_integer(p, "rows", (double)s->rows, err));
done:
    return st;
}

abdb_status abdb_dlrm_parse_and_scale_shape(abdb_problem *p, abdb_dlrm_shape *s, abdb_error *err)
{
    const unsigned formats = 1 << ABDB_F64 | 1 << ABDB_F32 | 1 << ABDB_BF16;
    const char *words[MODELS + 1] = {NULL};
    size_t size, bytes;
    int m;
    abdb_status st = ABDB_OK;

    *s = (abdb_dlrm_shape){0};
    for (size_t i = 0; i < MODELS; i++) words[i] = models[i].name;
    TRY(abdb_param_choice_index_and_store_default(p, "model", words, &m, err));
    TRY(abdb_param_parse_allowed_dtype(p, ABDB_F32, formats, &s->dtype, err));
    size = abdb_dtype_size(s->dtype);
    TRY(abdb_param_parse_size_note_overridden_model(p, "tables", "tables_of", models[m].tables,
                                                    4096, &s->tables, err));
    TRY(abdb_param_parse_size_and_store_default(p, "rows", (double)models[m].rows, 1e9, &s->rows,
                                                err));
    TRY(abdb_param_set_integer(p, "rows_of", (double)models[m].rows, err));
    TRY(abdb_param_parse_size_note_overridden_model(p, "lookups", "lookups_of", models[m].lookups,
                                                    1e5, &s->lookups, err));
    TRY(abdb_param_parse_size_and_store_default(p, "bytes", (double)(models[m].width * size), 65536,
                                                &bytes, err));
    TRY(abdb_param_parse_size_and_store_default(p, "batch", 64, 1e6, &s->batch, err));
    TRY(abdb_param_parse_size_and_store_default(p, "steps", 1, 100000, &s->steps, err));
    if (bytes % size)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "bytes=%zu is no multiple of %zu, what a number takes",
                      bytes, size));
    if ((double)s->tables * (double)s->rows > 2e9)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "all tables have up to 2 x 10^9 rows"));
    s->dense = models[m].dense;
    s->width = bytes / size;
    s->rank = models[m].rank;
    s->crosses = models[m].crosses;
    s->bottoms = count_nonzero_layer_widths(models[m].bottom);
    s->tops = count_nonzero_layer_widths(models[m].top);
    for (size_t i = 0; i < ABDB_DLRM_LAYERS; i++) {
        s->bottom[i] = models[m].bottom[i];
        s->top[i] = models[m].top[i];
    }
    TRY(cap_rows_to_eighth_of_memory_if_auto(p, s, err));
    abdb_dlrm_set_bottom_joined_padded_widths(s);
done:
    return st;
}

/* Weights of an MLP that takes so many numbers; *biases: of all its layers. */
static double count_mlp_weights_and_add_biases(size_t in, const size_t *width, size_t layers,
                                               double *biases)
{
    double n = 0;

    for (size_t i = 0; i < layers; in = width[i++]) {
        n += (double)in * (double)width[i];
        *biases += (double)width[i];
    }
    return n;
}

void abdb_dlrm_count_work(const abdb_dlrm_shape *s, abdb_work *out)
{
    double batch = (double)s->batch, size = (double)abdb_dtype_size(s->dtype), biases = 0,
           joined = (double)s->joined, crosses = (double)s->crosses,
           sums = (double)(s->tables * s->width), lookups = (double)s->lookups, weights;

    weights = count_mlp_weights_and_add_biases(s->dense, s->bottom, s->bottoms, &biases) +
              count_mlp_weights_and_add_biases(s->joined, s->top, s->tops, &biases) +
              crosses * 2 * joined * (double)s->rank;
    biases += crosses * joined;
    out->ops = batch * (2 * weights + sums * (lookups - 1) + 3 * crosses * joined);
    out->bytes = batch * (sums * lookups * size + (double)s->tables * lookups * sizeof(int32_t) +
                          (double)(s->dense + 1) * size) +
                 (weights + biases) * size;
}
