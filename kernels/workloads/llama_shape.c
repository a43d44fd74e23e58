/* llama_shape.c - shapes of Llama-like networks; see llama_shape.h. */
#include "kernels/workloads/llama_shape.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/workloads/decoder.h"
#include "kernels/workloads/quantise.h"

/* Llama-2: Touvron et al. 2023, tables 1 and 2 and the released params.json. Llama-3.1: Grattafiori
 * et al. 2024, table 3; 3.2: the released config.json, which gives the factor 32 for positions, 3.1
 * 8. stories: karpathy/llama2.c, README. The last is for tests. */
static const abdb_llama_shape models[] = {
    {"llama-3.2-1b", 16, 2048, 32, 8, 64, 8192, 128256, true, 5e5, 32, 0, 0, 0},
    {"llama-3.2-3b", 28, 3072, 24, 8, 128, 8192, 128256, true, 5e5, 32, 0, 0, 0},
    {"llama-3.1-8b", 32, 4096, 32, 8, 128, 14336, 128256, false, 5e5, 8, 0, 0, 0},
    {"llama-3.1-70b", 80, 8192, 64, 8, 128, 28672, 128256, false, 5e5, 8, 0, 0, 0},
    {"llama-2-7b", 32, 4096, 32, 32, 128, 11008, 32000, false, 1e4, 1, 0, 0, 0},
    {"llama-2-13b", 40, 5120, 40, 40, 128, 13824, 32000, false, 1e4, 1, 0, 0, 0},
    {"llama-2-70b", 80, 8192, 64, 8, 128, 28672, 32000, false, 1e4, 1, 0, 0, 0},
    {"stories-15m", 6, 288, 6, 6, 48, 768, 32000, true, 1e4, 1, 0, 0, 0},
    {"stories-110m", 12, 768, 12, 12, 64, 2048, 32000, true, 1e4, 1, 0, 0, 0},
    {"tiny", 2, 64, 4, 2, 16, 128, 256, true, 5e5, 8, 0, 0, 0}};
enum { MODELS = sizeof models / sizeof models[0] };

/* scale=auto: as many layers as let weights take half of the memory that the machine has, be read
 * in about half a second (at 10^10 bytes a second and thread, as most have), and 64 sequences of
 * 400 tokens, the largest load of the published ones, be made in about 150 s (at 2 x 10^11
 * operations); at least one. It depends on the model and the machine alone, so that cells of a plan
 * have as many. */
static size_t max_layers_fitting_memory_bandwidth_and_ops(const abdb_llama_shape *s, int threads)
{
    abdb_llama_shape one = *s;
    double all = threads < 1 ? 1 : threads, seconds = 150, load = 64 * 400,
           bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2,
           most = fmin(bytes, 1e10 * all / 2), ops = seconds * 2e11 * all;

    while (one.layers > 1 && (abdb_llama_weight_bytes_read_per_pass(&one) > most ||
                              2 * load * abdb_llama_parameter_count(&one) > ops))
        one.layers--;
    return one.layers;
}

/* layers=, or with scale=auto as many as fit this machine
 * (max_layers_fitting_memory_bandwidth_and_ops); layers_of keeps the model's own number. */
static abdb_status parse_layers_or_scale_to_machine(abdb_problem *p, abdb_llama_shape *s,
                                                    abdb_error *err)
{
    static const char *const words[] = {"no", "auto", NULL};
    int scale = 0;
    abdb_status st = ABDB_OK;

    s->layers_of = s->layers;
    TRY(abdb_param_set_integer(p, "layers_of", (double)s->layers_of, err));
    TRY(abdb_param_parse_size_and_store_default(p, "layers", (double)s->layers, 1 << 10, &s->layers,
                                                err));
    if (abdb_param_text(p, "scale"))
        TRY(abdb_param_choice_index_or_first(p, "scale", words, &scale, err));
    if (!scale) goto done;
    s->layers = max_layers_fitting_memory_bandwidth_and_ops(s, p->device ? p->device->threads : 1);
    TRY(abdb_param_set_integer(p, "layers", (double)s->layers, err));
done:
    return st;
}

abdb_status abdb_llama_parse_and_scale_shape(abdb_problem *p, abdb_llama_shape *s, abdb_error *err)
{
    static const char *const forms[] = {"same", "i8", "i4", NULL}, *const sources[] = {
                                                                       "made", "file", NULL};
    const unsigned formats = 1 << ABDB_F64 | 1 << ABDB_F32 | 1 << ABDB_BF16;
    const char *names[MODELS + 1] = {NULL};
    int model, source;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < MODELS; i++) names[i] = models[i].name;
    TRY(abdb_param_choice_index_and_store_default(p, "model", names, &model, err));
    *s = models[model];
    TRY(abdb_param_parse_allowed_dtype(p, ABDB_F32, formats, &s->dtype, err));
    TRY(abdb_param_choice_index_and_store_default(p, "weights", forms, &s->form, err));
    TRY(abdb_param_choice_index_and_store_default(p, "source", sources, &source, err));
    if (source == 1 && !getenv("ABDB_WEIGHTS"))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "source=file: set ABDB_WEIGHTS to a file of safetensors or GGUF with all of "
                      "the model's weights"));
    TRY(parse_layers_or_scale_to_machine(p, s, err));
    TRY(abdb_param_parse_size_note_overridden_model(p, "vocabulary", "vocabulary_of", s->vocabulary,
                                                    1 << 24, &s->vocabulary, err));
done:
    return st;
}

void abdb_llama_matrix_rows_and_columns(const abdb_llama_shape *s, int which, size_t *k, size_t *n)
{
    *k = which == ABDB_LLAMA_OUT ? s->heads * s->head : which == ABDB_LLAMA_DOWN ? s->hidden : s->d;
    *n = which == ABDB_LLAMA_QKV  ? (s->heads + 2 * s->kv_heads) * s->head
         : which == ABDB_LLAMA_UP ? 2 * s->hidden
                                  : s->d;
}

/* Numbers of the matrices of a layer, and scales that they have. */
static double count_layer_weights_and_scales(const abdb_llama_shape *s, double *scales)
{
    double numbers = 0;

    *scales = 0;
    for (int i = 0; i < ABDB_LLAMA_MATRICES; i++) {
        size_t k, n;

        abdb_llama_matrix_rows_and_columns(s, i, &k, &n);
        numbers += (double)k * (double)n;
        *scales += s->form == ABDB_WEIGHTS_I8   ? (double)n
                   : s->form == ABDB_WEIGHTS_I4 ? (double)(k / ABDB_QUANTISE_GROUP * n)
                                                : 0;
    }
    return numbers;
}

static double count_norm_gains(const abdb_llama_shape *s)
{
    return (double)((2 * s->layers + 1) * s->d);
}

double abdb_llama_parameter_count(const abdb_llama_shape *s)
{
    double scales, table = (double)s->vocabulary * (double)s->d;

    return (double)s->layers * count_layer_weights_and_scales(s, &scales) + count_norm_gains(s) +
           (s->tied ? 1 : 2) * table;
}

double abdb_llama_weight_bytes_read_per_pass(const abdb_llama_shape *s)
{
    double size = (double)abdb_dtype_size(s->dtype),
           each = s->form == ABDB_WEIGHTS_I8   ? 1
                  : s->form == ABDB_WEIGHTS_I4 ? 0.5
                                               : size,
           scales, numbers = count_layer_weights_and_scales(s, &scales), v = (double)s->vocabulary,
           d = (double)s->d;

    if (s->form == ABDB_WEIGHTS_I8) scales += v / (double)s->layers;
    if (s->form == ABDB_WEIGHTS_I4) scales += v * d / ABDB_QUANTISE_GROUP / (double)s->layers;
    return each * ((double)s->layers * numbers + v * d) + 4 * (double)s->layers * scales +
           size * count_norm_gains(s);
}

double abdb_llama_kv_bytes_per_token(const abdb_llama_shape *s)
{
    return 2 * (double)(s->layers * s->kv_heads * s->head) * (double)abdb_dtype_size(s->dtype);
}

void abdb_llama_count_work_of_rows_and_tokens(const abdb_llama_shape *s, double rows,
                                              double logit_rows, double visible_tokens,
                                              double cached_tokens, abdb_work *out)
{
    double scales, numbers = count_layer_weights_and_scales(s, &scales);

    out->ops = 2 * (double)s->layers * numbers * rows +
               2 * (double)s->vocabulary * (double)s->d * logit_rows +
               4 * (double)(s->layers * s->heads * s->head) * visible_tokens;
    out->bytes = abdb_llama_weight_bytes_read_per_pass(s) +
                 abdb_llama_kv_bytes_per_token(s) * (rows + cached_tokens);
}

/* The angle by which pair i of a head turns from one position to the next. Since Llama-3.1 those
 * that turn less than once in 8192 positions are slower by the factor, those that turn more than
 * four times as they were, and those between are mixed (the released code of llama-models,
 * apply_scaling: low_freq_factor 1, high_freq_factor 4, 8192 positions of training). */
static double rotary_angle_per_position(const abdb_llama_shape *s, size_t i)
{
    const double low = 1, high = 4, trained = 8192;
    double a = pow(s->base, -2 * (double)i / (double)s->head), turns, mix;

    if (s->factor <= 1) return a;
    turns = trained * a / (2 * M_PI);
    mix = fmin(1, fmax(0, (turns - low) / (high - low)));
    return a * (mix + (1 - mix) / s->factor);
}

void abdb_llama_fill_cos_sin_table(const abdb_llama_shape *s, size_t positions, float *out)
{
    size_t half = s->head / 2;

    for (size_t i = 0; i < half; i++) {
        double a = rotary_angle_per_position(s, i);

        for (size_t t = 0; t < positions; t++) {
            out[t * s->head + i] = (float)cos(a * (double)t);
            out[t * s->head + half + i] = (float)sin(a * (double)t);
        }
    }
}
