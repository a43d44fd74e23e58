/* gpt.c - workload gpt-train: steps of training of a GPT-like network. A repetition is `steps`
 * updates, each of batch = micro_batch x accumulation sequences; the network goes on learning from
 * one to the next. See gpt_shape.h for its shapes, gpt_net.h for what is computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/gpt_check.h"
#include "kernels/workloads/device_memory.h"
#include "kernels/workloads/token_source.h"

/* CURVE: points of the loss that are told. The deviation of GPT-2's first weights. */
enum { CURVE = 32, LOSSES = 1 << 20 };
static const double first_deviation = 0.02;

typedef struct {
    abdb_gpt g;
    abdb_tokens source;
    const abdb_rank_group *crew; /* NULL: alone */
    size_t steps, batch;         /* updates in a repetition; tokens of an update on this rank */
    int32_t *token, *target;     /* of a repetition, of this rank */
    int32_t *other;              /* a sequence of another rank */
    double rate, *loss;          /* mean of each update so far */
    size_t losses;
    double hardware, between, all; /* operations and seconds of the last repetition */
} gpt_training;

/* The network's shape, the steps and the checks of rate and tokens=. ABDB_USAGE: tokens=file
 * without ABDB_TOKENS. */
static abdb_status parse_gpt_params(abdb_problem *p, abdb_gpt_shape *s, size_t *steps,
                                    abdb_error *err)
{
    static const char *const sources[] = {"chain", "file", NULL};
    double rate = abdb_param_number(p, "rate", 6e-4);
    int source;
    abdb_status st = ABDB_OK;

    TRY(abdb_gpt_parse_and_scale_shape(p, s, err));
    TRY(abdb_param_parse_size_and_store_default(p, "steps", 1, 100000, steps, err));
    TRY(abdb_param_choice_index_or_first(p, "tokens", sources, &source, err));
    if (source == 1 && !getenv("ABDB_TOKENS"))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "tokens=file: set ABDB_TOKENS to a file of tokens of 16 "
                      "bits, such as llm.c and nanoGPT write"));
    if (!(rate > 0 && rate < 1)) TRY(ABDB_FAIL(err, ABDB_USAGE, "rate is above 0 and below 1"));
done:
    return st;
}

static abdb_status gpt_resolve_params(abdb_problem *p, const abdb_machine_caches *limits,
                                      abdb_error *err)
{
    abdb_gpt_shape s;
    size_t steps;

    (void)limits;
    return parse_gpt_params(p, &s, &steps, err);
}

/* The shape of parameters that have been looked at before. */
static abdb_gpt_shape gpt_shape_of_problem(const abdb_problem *p, size_t *steps)
{
    abdb_problem again = *p;
    abdb_gpt_shape s = {0};
    abdb_error err;

    (void)!parse_gpt_params(&again, &s, steps, &err);
    return s;
}

/* Writes into out what the backend lacks for training this network, its ranks included; "" where
 * nothing is missing. */
static void gpt_list_missing_parts(const abdb_problem *p, const abdb_parts *parts, char *out,
                                   size_t room)
{
    size_t steps, used = 0;
    abdb_gpt_shape s = gpt_shape_of_problem(p, &steps);
    const struct {
        const char *name;
        bool there;
    } wanted[] = {{"products", parts && parts->gemm},
                  {"attention with its gradient", parts && parts->attention},
                  {"rows with their gradients", parts && parts->row_op},
                  {"embeddings with their gradient", parts && parts->embedding},
                  {"cross entropy with its gradient", parts && parts->cross_entropy},
                  {"sums of gradients", parts && parts->add_to_wide},
                  {"AdamW with master weights", parts && parts->adamw_update}};
    const char *why = NULL;

    *out = '\0';
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!wanted[i].there && used < room)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", wanted[i].name);
    if (!used) why = parts->why_refused(p, s.dtype, s.d / s.heads, s.d);
    if (!used && !why && s.ranks > 1 && (!p->device || (size_t)p->device->limits.ranks < s.ranks))
        why = "so many ranks: the backend mpi has them (--ranks)";
    if (why) snprintf(out, room, "%s", why);
}

/* Tokens and losses of a repetition beside the network. */
static double token_and_target_buffer_bytes(const abdb_gpt_shape *s, size_t steps)
{
    return 2.0 * (double)(steps * s->micro * s->accumulation * s->sequence) * sizeof(int32_t) +
           2.0 * (double)s->sequence * sizeof(int32_t);
}

/* Operations and bytes of all steps of a repetition, and bytes of memory with the tokens;
 * INFINITY where they cannot be told. */
static void gpt_count_work_and_memory(const abdb_run_context *stage, abdb_effort *out)
{
    size_t steps = 1;
    abdb_gpt_shape s = gpt_shape_of_problem(stage->p, &steps);
    abdb_work work;
    abdb_error err;

    abdb_gpt_count_work(&s, &work);
    *out = (abdb_effort){work.ops * (double)steps, work.bytes * (double)steps, 0};
    if (abdb_gpt_predict_memory_bytes(stage, &s, &out->memory, &err) != ABDB_OK)
        out->memory = INFINITY;
    out->memory += token_and_target_buffer_bytes(&s, steps);
}

static abdb_status gpt_check_results_of_small_model(const abdb_run_context *stage, double *error,
                                                    const char **at, abdb_error *err)
{
    size_t steps;
    abdb_gpt_shape s = gpt_shape_of_problem(stage->p, &steps);

    *at = abdb_gpt_check_at;
    return abdb_gpt_verify_small_model(stage, &s, error, err);
}

/* Frees a state, also one that was opened in part. */
static void gpt_close_state(void *state)
{
    gpt_training *t = state;

    abdb_gpt_free(&t->g);
    abdb_tokens_free(&t->source);
    free(t->token);
    free(t->loss);
    free(t);
}

/* Makes network, moments and room for tokens and losses, and opens the source of tokens. On
 * failure nothing is left. */
static abdb_status gpt_open_state(void **state, const abdb_run_context *stage, abdb_error *err)
{
    gpt_training *t = calloc(1, sizeof *t);
    const char *source = abdb_param_text(stage->p, "tokens");
    abdb_gpt_shape s;
    abdb_status st = ABDB_OK;

    if (!t) return ABDB_FAIL(err, ABDB_NOMEM, "training");
    s = gpt_shape_of_problem(stage->p, &t->steps);
    t->batch = s.micro * s.accumulation * s.sequence;
    t->rate = abdb_param_number(stage->p, "rate", 6e-4);
    t->crew = abdb_gpt_rank_count(&s) > 1 ? stage->crew : NULL;
    t->token = calloc(2 * (t->steps * t->batch + s.sequence), sizeof *t->token);
    t->loss = calloc(LOSSES, sizeof *t->loss);
    if (!t->token || !t->loss) TRY(ABDB_FAIL(err, ABDB_NOMEM, "tokens"));
    t->target = t->token + t->steps * t->batch;
    t->other = t->target + t->steps * t->batch;
    TRY(abdb_tokens_read_file_or_use_markov_chain(
        &t->source, source && strcmp(source, "file") == 0 ? getenv("ABDB_TOKENS") : NULL,
        s.vocabulary, 1, err));
    TRY(abdb_gpt_alloc_and_init(&t->g, stage, &s, 1, first_deviation, false, err));
    *state = t;
done:
    if (st != ABDB_OK) gpt_close_state(t);
    return st;
}

static size_t training_rank_count(const gpt_training *t)
{
    return t->crew ? abdb_gpt_rank_count(&t->g.s) : 1;
}

/* Do all ranks have the same parameters, bit for bit? */
static abdb_status fail_if_ranks_have_different_weights(const gpt_training *t, abdb_error *err)
{
    const uint16_t *bits = (const uint16_t *)(const void *)t->g.p;
    size_t n = abdb_gpt_parameter_count(&t->g.s) * t->g.size / sizeof *bits;
    uint64_t hash = 0;
    double own, all;

    for (size_t i = 0; i < n; i++) hash = (hash ^ bits[i]) * 0x9E3779B97F4A7C15u;
    own = all = (double)(hash >> 24); /* 40 bits, whose sum over ranks is exact */
    t->crew->start_allreduce(t->crew, ABDB_F64, 1, &all);
    t->crew->wait_allreduce(t->crew);
    if (all == own * (double)training_rank_count(t)) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_BACKEND,
                     "after %zu updates ranks have other parameters than rank %d", t->losses,
                     t->crew->rank);
}

/* The next tokens: all ranks draw those of all, and keep their own. */
static abdb_status gpt_reset_draw_tokens_check_equal_weights(void *state, abdb_error *err)
{
    gpt_training *t = state;
    size_t length = t->g.s.sequence, ranks = training_rank_count(t),
           rank = t->crew ? (size_t)t->crew->rank : 0;

    for (size_t step = 0; step < t->steps; step++)
        for (size_t r = 0; r < ranks; r++)
            for (size_t at = 0; at < t->batch; at += length) {
                size_t to = step * t->batch + at;

                if (r > rank)
                    abdb_tokens_draw_sequence_and_targets(&t->source, length, t->other,
                                                          t->other + length);
                else /* what an earlier rank has is overwritten by what comes last: its own */
                    abdb_tokens_draw_sequence_and_targets(&t->source, length, t->token + to,
                                                          t->target + to);
            }
    return t->crew ? fail_if_ranks_have_different_weights(t, err) : ABDB_OK;
}

/* Each step: gradients from 0, summed over the micro-batches, then AdamW; the mean loss of a
 * token over all ranks is kept. */
static abdb_status gpt_run_training_steps_record_loss(void *state, abdb_error *err)
{
    gpt_training *t = state;
    size_t rows = t->g.rows, at = 0;
    abdb_status st = ABDB_OK;

    for (size_t step = 0; step < t->steps; step++) {
        double loss = 0, one;

        TRY(abdb_gpt_clear_gradient_sums(&t->g, err));
        for (size_t i = 0; i < t->g.s.accumulation; i++, at += rows) {
            TRY(abdb_gpt_forward_backward_and_allreduce(&t->g, t->token + at, t->target + at, &one,
                                                        err));
            loss += one;
        }
        abdb_gpt_adamw_update(&t->g, t->rate);
        if (t->crew) {
            t->crew->start_allreduce(t->crew, ABDB_F64, 1, &loss);
            t->crew->wait_allreduce(t->crew);
        }
        if (t->losses < LOSSES)
            t->loss[t->losses++] = loss / (double)(t->batch * training_rank_count(t));
    }
    TRY(abdb_parts_get_deferred_error(t->g.stage, t->g.parts, err));
done:
    return st;
}

/* A loss that is no number is wrong, and one far below what the source allows: more than six
 * standard deviations of the mean of a batch (0.574 of a token), so the network has seen what it
 * should foretell. */
static bool losses_are_finite_and_above_entropy(const gpt_training *t)
{
    double floor = abdb_tokens_chain_entropy_nats_or_nan(&t->source),
           tokens = (double)(t->batch * training_rank_count(t));

    for (size_t i = 0; i < t->losses; i++)
        if (!isfinite(t->loss[i]) || t->loss[i] < floor - 6 * 0.574 / sqrt(tokens)) return false;
    return true;
}

/* Tokens and operations a second of all ranks, the entropy of the tokens, and the loss at up to
 * CURVE steps. *sound: the losses are plausible. */
static void gpt_report_metrics_and_check_losses(void *state, double median_s,
                                                abdb_metric_callback *say, void *to, bool *sound)
{
    const gpt_training *t = state;
    const abdb_spans *spans = t->g.stage->spans;
    double operations = 0, floor = abdb_tokens_chain_entropy_nats_or_nan(&t->source);
    size_t points = t->losses < CURVE ? t->losses : CURVE;

    for (size_t i = 0; i < spans->count; i++) operations += spans->at[i].ops;
    say(to, &(abdb_workload_metric){
                "tokens_per_s", "median",
                (double)(t->steps * t->batch * training_rank_count(t)) / median_s, NAN});
    say(to, &(abdb_workload_metric){"hardware_flops_per_s", "median",
                                    (double)training_rank_count(t) * operations / median_s, NAN});
    if (isfinite(floor)) say(to, &(abdb_workload_metric){"loss_floor", "value", floor, NAN});
    for (size_t i = 0; i < points; i++) {
        size_t step = points > 1 ? i * (t->losses - 1) / (points - 1) : 0;

        if (isfinite(t->loss[step]))
            say(to, &(abdb_workload_metric){"loss", "value", t->loss[step], (double)step + 1});
    }
    *sound = losses_are_finite_and_above_entropy(t);
}

const abdb_workload abdb_workload_gpt = {
    .name = "gpt-train",
    .summary = "steps of training of a GPT-like network: forward, backward, AdamW",
    .formula = "gpt-train@1",
    .parameters =
        "model=gpt2-small (gpt2-medium, gpt2-large, gpt2-xl, genslm-1.5b, genslm-13b, "
        "mpt-125m to mpt-7b, tiny), of which layers, d, heads, vocabulary, sequence, bias "
        "can be others; micro_batch=1, accumulation=1, batch (their product); "
        "dtype=f32,bf16 (f64: ref); recompute=no,yes; sparsity=0 (share of the layers' "
        "weights held at 0); ranks=1 (mpi: those that there are, each with micro_batch x "
        "accumulation sequences), overlap=no,yes (their gradients are added up while others are "
        "made); tokens=chain,file ($ABDB_TOKENS); rate=6e-4; steps=1 "
        "(updates in a repetition); scale=no,auto (as many layers as fit)",
    .names = "model layers layers_of d heads vocabulary sequence bias micro_batch accumulation "
             "batch ranks overlap recompute sparsity tokens rate steps scale",
    .dtype = ABDB_F32,
    .resolve_params = gpt_resolve_params,
    .list_missing_parts = gpt_list_missing_parts,
    .count_work_and_memory = gpt_count_work_and_memory,
    .check_results = gpt_check_results_of_small_model,
    .open = gpt_open_state,
    .reset = gpt_reset_draw_tokens_check_equal_weights,
    .run = gpt_run_training_steps_record_loss,
    .report_metrics = gpt_report_metrics_and_check_losses,
    .close = gpt_close_state,
    .pilot_params = {"d=512 heads=8 layers=1 vocabulary=1024 sequence=256"},
    .supports_ranks = true};
