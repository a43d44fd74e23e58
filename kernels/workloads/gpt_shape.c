/* gpt_shape.c - shapes of GPT-like networks; see gpt_shape.h. */
#include "kernels/workloads/gpt_shape.h"

#include <math.h>
#include <unistd.h>

/* GPT-2: Radford et al. 2019, table 2. MPT: llm-foundry, scripts/train/yamls/pretrain/mpt-*.yaml,
 * which have learned positions unless told otherwise, and no biases. GenSLM: as Emani et al. 2024
 * trained it on A100 and CS-2, section IV. The last is small enough to learn within seconds. */
static const struct {
    const char *name;
    size_t layers, d, heads, vocabulary, sequence;
    bool bias;
} models[] = {{"gpt2-small", 12, 768, 12, 50257, 1024, true},
              {"gpt2-medium", 24, 1024, 16, 50257, 1024, true},
              {"gpt2-large", 36, 1280, 20, 50257, 1024, true},
              {"gpt2-xl", 48, 1600, 25, 50257, 1024, true},
              {"genslm-1.5b", 24, 2048, 16, 70, 10240, true},
              {"genslm-13b", 40, 5120, 40, 70, 1024, true},
              {"mpt-125m", 12, 768, 12, 50368, 2048, false},
              {"mpt-350m", 24, 1024, 16, 50368, 2048, false},
              {"mpt-760m", 24, 1536, 12, 50368, 2048, false},
              {"mpt-1b", 24, 2048, 16, 50368, 2048, false},
              {"mpt-3b", 32, 2560, 32, 50368, 2048, false},
              {"mpt-7b", 32, 4096, 32, 50368, 2048, false},
              {"tiny", 2, 64, 2, 64, 32, true}};
enum { MODELS = sizeof models / sizeof models[0] };

/* *out: the number in `models` of model=, by default the first. */
static abdb_status parse_model_index(abdb_problem *p, size_t *out, abdb_error *err)
{
    const char *words[MODELS + 1] = {NULL};
    int which;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < MODELS; i++) words[i] = models[i].name;
    TRY(abdb_param_choice_index_and_store_default(p, "model", words, &which, err));
    *out = (size_t)which;
done:
    return st;
}

/* scale=auto: as many layers as let one sequence of the model's own length be learned in about two
 * seconds (at 2 x 10^11 operations a second and thread, more than most have), and weights, moments
 * and gradients take half of the memory that the machine has; at least one. It depends on the model
 * and the machine alone, so that cells of a plan that differ in other axes have as many. */
static size_t max_layers_fitting_train_time_and_memory(const abdb_gpt_shape *s, size_t sequence,
                                                       int threads)
{
    abdb_gpt_shape one = *s;
    double seconds = 2, rate = 2e11 * (threads < 1 ? 1 : threads), state = 4 * sizeof(float),
           bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
    abdb_work work;

    one.micro = one.accumulation = one.ranks = 1;
    one.sequence = sequence;
    for (; one.layers > 1; one.layers--) {
        abdb_gpt_count_work(&one, &work);
        if (work.ops <= seconds * rate && (double)abdb_gpt_parameter_count(&one) * state <= bytes)
            break;
    }
    return one.layers;
}

/* scale=auto: layers of the shape, and layers= of the problem, become as many as fit this
 * machine (max_layers_fitting_train_time_and_memory). */
static abdb_status scale_layers_to_machine_if_auto(abdb_problem *p, abdb_gpt_shape *s,
                                                   size_t sequence, abdb_error *err)
{
    static const char *const words[] = {"no", "auto", NULL};
    int which;
    abdb_status st = ABDB_OK;

    if (!abdb_param_text(p, "scale")) return ABDB_OK;
    TRY(abdb_param_choice_index_or_first(p, "scale", words, &which, err));
    if (which == 0) goto done;
    s->layers =
        max_layers_fitting_train_time_and_memory(s, sequence, p->device ? p->device->threads : 1);
    TRY(abdb_param_set_integer(p, "layers", (double)s->layers, err));
done:
    return st;
}

/* Sequences of an update: micro_batch x accumulation x ranks = batch; of the first, second and last
 * any one follows from the others. */
static abdb_status resolve_micro_batch_accumulation_and_batch(abdb_problem *p, abdb_gpt_shape *s,
                                                              abdb_error *err)
{
    size_t batch;
    double ranks = (double)s->ranks;
    double micro = abdb_param_number(p, "micro_batch", 0),
           times = abdb_param_number(p, "accumulation", 0), all = abdb_param_number(p, "batch", 0);
    abdb_status st = ABDB_OK;

    if (!(micro >= 1))
        micro = all >= 1 ? fmax(1, floor(all / ranks / (times >= 1 ? times : 1))) : 1;
    if (!(times >= 1)) times = all >= 1 ? fmax(1, floor(all / ranks / micro)) : 1;
    TRY(abdb_param_parse_size_and_store_default(p, "micro_batch", micro, 1 << 16, &s->micro, err));
    TRY(abdb_param_parse_size_and_store_default(p, "accumulation", times, 1 << 16, &s->accumulation,
                                                err));
    TRY(abdb_param_parse_size_and_store_default(
        p, "batch", (double)(s->micro * s->accumulation) * ranks, 1u << 31, &batch, err));
    if (batch != s->micro * s->accumulation * s->ranks)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "batch=%zu is not micro_batch=%zu x accumulation=%zu%s",
                      batch, s->micro, s->accumulation, s->ranks > 1 ? " x ranks" : ""));
done:
    return st;
}

/* They are told where they are asked for. */
static abdb_status parse_ranks_and_overlap(abdb_problem *p, abdb_gpt_shape *s, abdb_error *err)
{
    static const char *const switches[] = {"no", "yes", NULL};
    int which;
    abdb_status st = ABDB_OK;

    s->ranks = 1;
    if (abdb_param_text(p, "ranks"))
        TRY(abdb_param_parse_size_and_store_default(p, "ranks", 1, 65536, &s->ranks, err));
    TRY(abdb_param_choice_index_or_first(p, "overlap", switches, &which, err));
    s->overlap = which == 1;
done:
    return st;
}

abdb_status abdb_gpt_parse_and_scale_shape(abdb_problem *p, abdb_gpt_shape *s, abdb_error *err)
{
    static const char *const switches[] = {"no", "yes", NULL}, *const rotated[] = {"yes", "no",
                                                                                   NULL};
    const unsigned formats = 1 << ABDB_F64 | 1 << ABDB_F32 | 1 << ABDB_BF16;
    size_t model = 0;
    int which;
    abdb_status st = ABDB_OK;

    *s = (abdb_gpt_shape){0};
    TRY(parse_model_index(p, &model, err));
    TRY(abdb_param_parse_allowed_dtype(p, ABDB_F32, formats, &s->dtype, err));
    TRY(abdb_param_parse_size_note_overridden_model(p, "d", "d_of", models[model].d, 1 << 16, &s->d,
                                                    err));
    TRY(abdb_param_parse_size_note_overridden_model(p, "heads", "heads_of", models[model].heads,
                                                    1 << 10, &s->heads, err));
    TRY(abdb_param_parse_size_and_store_default(p, "layers", (double)models[model].layers, 1 << 10,
                                                &s->layers, err));
    TRY(abdb_param_set_integer(p, "layers_of", (double)models[model].layers, err));
    TRY(abdb_param_parse_size_note_overridden_model(
        p, "vocabulary", "vocabulary_of", models[model].vocabulary, 65536, &s->vocabulary, err));
    TRY(abdb_param_parse_size_and_store_default(p, "sequence", (double)models[model].sequence,
                                                1 << 20, &s->sequence, err));
    TRY(parse_ranks_and_overlap(p, s, err));
    TRY(resolve_micro_batch_accumulation_and_batch(p, s, err));
    TRY(abdb_param_choice_index_or_first(p, "bias", models[model].bias ? rotated : switches, &which,
                                         err));
    s->bias = models[model].bias ? which == 0 : which == 1;
    TRY(abdb_param_choice_index_or_first(p, "recompute", switches, &which, err));
    s->recompute = which == 1;
    s->sparsity = abdb_param_number(p, "sparsity", 0);
    if (!(s->sparsity >= 0 && s->sparsity < 1))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "sparsity is a share from 0 to below 1"));
    if (s->d % s->heads)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "d=%zu is no multiple of heads=%zu", s->d, s->heads));
    TRY(scale_layers_to_machine_if_auto(p, s, models[model].sequence, err));
    if (s->vocabulary < 4) TRY(ABDB_FAIL(err, ABDB_USAGE, "a vocabulary has at least 4 tokens"));
done:
    return st;
}

/* --- places ----------------------------------------------------------------------------------- */

size_t abdb_gpt_positions_offset(const abdb_gpt_shape *s)
{
    return s->vocabulary * s->d;
}

size_t abdb_gpt_matrix_offset(const abdb_gpt_shape *s, size_t layer, int which)
{
    static const size_t first[] = {0, 3, 4, 8, 12};

    return abdb_gpt_positions_offset(s) + s->sequence * s->d +
           (12 * layer + first[which]) * s->d * s->d;
}

size_t abdb_gpt_element_count_before_vectors(const abdb_gpt_shape *s)
{
    return abdb_gpt_matrix_offset(s, s->layers, 0);
}

size_t abdb_gpt_vector_offset(const abdb_gpt_shape *s, size_t layer, int which)
{
    static const size_t first[] = {0, 1, 2, 5, 6, 7, 8, 12, 13};

    return abdb_gpt_element_count_before_vectors(s) + (13 * layer + first[which]) * s->d;
}

size_t abdb_gpt_last_norm_gain_offset(const abdb_gpt_shape *s)
{
    return abdb_gpt_vector_offset(s, s->layers, 0);
}

size_t abdb_gpt_parameter_count(const abdb_gpt_shape *s)
{
    return abdb_gpt_last_norm_gain_offset(s) + 2 * s->d;
}

bool abdb_gpt_vector_is_bias(int vector)
{
    return vector != ABDB_GPT_GAIN1 && vector != ABDB_GPT_GAIN2;
}

size_t abdb_gpt_rank_count(const abdb_gpt_shape *s)
{
    return s->ranks ? s->ranks : 1;
}

void abdb_gpt_count_work(const abdb_gpt_shape *s, abdb_work *out)
{
    double rows = (double)(s->micro * s->accumulation * s->sequence * abdb_gpt_rank_count(s)),
           weights = (double)(12 * s->layers * s->d * s->d + s->vocabulary * s->d),
           seen = rows * (double)(s->sequence + 1) / 2, n = (double)abdb_gpt_parameter_count(s),
           size = (double)abdb_dtype_size(s->dtype),
           wide = s->dtype == ABDB_F64 ? sizeof(double) : sizeof(float);

    out->ops = 6 * weights * rows + 12 * (double)s->d * seen * (double)s->layers;
    out->bytes = (double)abdb_gpt_rank_count(s) * n *
                 ((double)s->accumulation * 3 * size + 2 * size + 6 * wide);
}
