/* generate.c - workload llama-generate: prompts go through a Llama-like network (prefill), then
 * tokens come one after another (decode), each the most likely. A repetition is a batch of prompts
 * and all that follows them; each has other tokens. See llama_shape.h for the shapes, llama_net.h
 * for what is computed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/llama_check.h"
#include "kernels/workloads/llama_run.h"

typedef struct {
    abdb_llama_shape s;
    size_t batch, input, output, group; /* group: prompts that go together */
    abdb_llama_capacity most;
} generate_params;

/* What is timed in each repetition. */
enum { FIRST, EACH, GAP, PREFILLS, KINDS };
typedef struct {
    abdb_llama_run run;
    generate_params w;
    int32_t *page, *prompt, *next; /* batch rows */
    size_t turns;                  /* repetitions so far */
    double prefill_s, decode_s;    /* of the last repetition */
    abdb_latencies time[KINDS];
    abdb_work prefill, decode; /* of a repetition */
} generate_state;

/* What the parameters ask for. group: prompts that one prefill pass takes, as many as
 * ABDB_LLAMA_PREFILL tokens hold, at least one. */
static abdb_status parse_generate_params(abdb_problem *p, generate_params *w, abdb_error *err)
{
    static const char *const layouts[] = {"contiguous", "list", "table", NULL};
    size_t block = 1, rows;
    int pages;
    abdb_status st = ABDB_OK;

    TRY(abdb_llama_parse_and_scale_shape(p, &w->s, err));
    TRY(abdb_param_parse_size_and_store_default(p, "batch", 1, 4096, &w->batch, err));
    TRY(abdb_param_parse_size_and_store_default(p, "input_tokens", 100, 1 << 17, &w->input, err));
    TRY(abdb_param_parse_size_and_store_default(p, "output_tokens", 100, 1 << 17, &w->output, err));
    TRY(abdb_param_choice_index_and_store_default(p, "layout", layouts, &pages, err));
    if (pages != ABDB_PAGES_CONTIGUOUS)
        TRY(abdb_param_parse_size_and_store_default(p, "block", 128, 1 << 16, &block, err));
    w->group = ABDB_LLAMA_PREFILL / w->input;
    w->group = w->group < 1 ? 1 : w->group > w->batch ? w->batch : w->group;
    rows = w->group * w->input > w->batch ? w->group * w->input : w->batch;
    w->most = abdb_llama_cache_capacity(rows, w->batch, w->input + w->output, pages, block);
done:
    return st;
}

static abdb_status generate_resolve_params(abdb_problem *p, const abdb_machine_caches *limits,
                                           abdb_error *err)
{
    generate_params w;

    (void)limits;
    return parse_generate_params(p, &w, err);
}

/* Of parameters that have been looked at before. */
static generate_params generate_params_of_problem(const abdb_problem *p)
{
    abdb_problem again = *p;
    generate_params w = {0};
    abdb_error err;

    (void)!parse_generate_params(&again, &w, &err);
    return w;
}

static void generate_list_missing_parts(const abdb_problem *p, const abdb_parts *parts, char *out,
                                        size_t room)
{
    generate_params w = generate_params_of_problem(p);

    abdb_llama_list_missing_parts(p, &w.s, parts, out, room);
}

static void add_ops_and_bytes(abdb_work *to, abdb_work more)
{
    to->ops += more.ops;
    to->bytes += more.bytes;
}

/* All passes of prompts, and all steps after them. */
static void count_prefill_and_decode_work(const generate_params *w, abdb_work *prefill,
                                          abdb_work *decode)
{
    double n = (double)w->input, batch = (double)w->batch;

    *prefill = *decode = (abdb_work){0, 0};
    for (size_t done = 0; done < w->batch; done += w->group) {
        double group = (double)(w->batch - done < w->group ? w->batch - done : w->group);
        abdb_work pass;

        abdb_llama_count_work_of_rows_and_tokens(&w->s, group * n, group, group * n * (n + 1) / 2,
                                                 0, &pass);
        add_ops_and_bytes(prefill, pass);
    }
    for (size_t i = 1; i < w->output; i++) {
        double past = n + (double)i - 1;
        abdb_work step;

        abdb_llama_count_work_of_rows_and_tokens(&w->s, batch, batch, batch * (past + 1),
                                                 batch * past, &step);
        add_ops_and_bytes(decode, step);
    }
}

/* Operations and bytes of prefill and decoding, and bytes of memory; INFINITY where they cannot
 * be told. */
static void generate_count_work_and_memory(const abdb_run_context *stage, abdb_effort *out)
{
    generate_params w = generate_params_of_problem(stage->p);
    abdb_work prefill, decode;
    abdb_error err;

    count_prefill_and_decode_work(&w, &prefill, &decode);
    *out = (abdb_effort){prefill.ops + decode.ops, prefill.bytes + decode.bytes, 0};
    if (abdb_llama_predict_memory_bytes(stage, &w.s, &w.most, &out->memory, &err) != ABDB_OK)
        out->memory = INFINITY;
}

static abdb_status generate_check_results_of_small_model(const abdb_run_context *stage,
                                                         double *error, const char **at,
                                                         abdb_error *err)
{
    generate_params w = generate_params_of_problem(stage->p);

    *at = abdb_llama_check_at;
    return abdb_llama_verify_small_model(stage, &w.s, w.most.padded, error, err);
}

/* Frees a state, also one that was opened in part. */
static void generate_close_state(void *state)
{
    generate_state *t = state;

    abdb_llama_run_free(&t->run);
    free(t->page);
    free(t->prompt);
    free(t->next);
    abdb_latencies_free(t->time, KINDS);
    free(t);
}

/* Makes the network and the arrays of a batch. On failure nothing is left. */
static abdb_status generate_open_state(void **state, const abdb_run_context *stage, abdb_error *err)
{
    generate_state *t = calloc(1, sizeof *t);
    const generate_params *w;
    abdb_status st = ABDB_OK;

    if (!t) return ABDB_FAIL(err, ABDB_NOMEM, "generation");
    t->w = generate_params_of_problem(stage->p);
    w = &t->w;
    count_prefill_and_decode_work(w, &t->prefill, &t->decode);
    t->page = calloc(w->most.blocks, sizeof *t->page);
    t->prompt = calloc(w->batch * w->input, sizeof *t->prompt);
    t->next = calloc(w->batch, sizeof *t->next);
    if (!t->page || !t->prompt || !t->next) TRY(ABDB_FAIL(err, ABDB_NOMEM, "tokens"));
    TRY(abdb_latencies_alloc(t->time, KINDS, err));
    /* Blocks in random order, as they lie once requests have come and gone. */
    abdb_random_permutation(t->page, w->most.blocks, 3);
    TRY(abdb_llama_run_init_from_file_or_random(&t->run, stage, &w->s, &w->most, err));
    *state = t;
done:
    if (st != ABDB_OK) generate_close_state(t);
    return st;
}

/* Draws other prompts, and times a read of all weights (mbu). What the first repetition, which
 * warms up, took is forgotten. */
static abdb_status generate_reset_draw_next_prompts(void *state, abdb_error *err)
{
    generate_state *t = state;
    size_t n = t->w.batch * t->w.input;

    if (t->turns == 1) {
        abdb_latencies_clear(t->time, KINDS);
        abdb_latencies_clear(&t->run.read, 1);
    }
    for (size_t i = 0; i < n; i++)
        t->prompt[i] = (int32_t)(abdb_random_bits_at(t->turns, i) % t->w.s.vocabulary);
    t->turns++;
    abdb_llama_run_record_weight_read_time(&t->run);
    return abdb_llama_run_spoil_logits(&t->run, err);
}

/* Prompts [from, from + n). */
static void prefill_and_store_first_tokens(generate_state *t, size_t from, size_t n)
{
    abdb_llama *g = &t->run.g;
    size_t width = g->most.width, length = t->w.input;

    g->sequences = n;
    memcpy(g->page, t->page + from * width, n * width * sizeof *g->page);
    memcpy(g->token, t->prompt + from * length, n * length * sizeof *g->token);
    for (size_t i = 0; i < n; i++) {
        g->past[i] = 0;
        g->first[i + 1] = (i + 1) * length;
    }
    abdb_llama_forward_and_pick_tokens(g);
    memcpy(t->next + from, g->picked, n * sizeof *t->next);
}

/* Output tokens 2 to the last of all sequences, one pass each; the time between passes goes to
 * time[GAP]. begun: when the first tokens were there. */
static void decode_remaining_tokens_and_record_gaps(generate_state *t, double begun)
{
    abdb_llama *g = &t->run.g;
    double (*now)(void) = g->stage->spans->now, last = begun;

    g->sequences = t->w.batch;
    memcpy(g->page, t->page, t->w.batch * g->most.width * sizeof *g->page);
    for (size_t i = 0; i < t->w.batch; i++) {
        g->past[i] = t->w.input;
        g->first[i + 1] = i + 1;
    }
    for (size_t step = 1; step < t->w.output; step++) {
        double at;

        memcpy(g->token, t->next, t->w.batch * sizeof *g->token);
        abdb_llama_forward_and_pick_tokens(g);
        memcpy(t->next, g->picked, t->w.batch * sizeof *t->next);
        at = now();
        abdb_latencies_add_if_room(&t->time[GAP], at - last);
        last = at;
    }
}

/* Prefills all prompts, group by group, then decodes; keeps the time to first token, of prefill
 * and of a decoded token. */
static abdb_status generate_run_prefill_and_decode(void *state, abdb_error *err)
{
    generate_state *t = state;
    abdb_spans *spans = t->run.g.stage->spans;
    double begun = spans->now(), filled, done;

    (void)err;
    abdb_span_enter(spans, "prefill", NULL);
    for (size_t from = 0; from < t->w.batch; from += t->w.group) {
        size_t n = t->w.batch - from < t->w.group ? t->w.batch - from : t->w.group;
        double at;

        prefill_and_store_first_tokens(t, from, n);
        at = spans->now() - begun;
        for (size_t i = 0; i < n; i++) abdb_latencies_add_if_room(&t->time[FIRST], at);
    }
    abdb_span_leave_and_add_work(spans, 0, 0);
    filled = spans->now();
    abdb_latencies_add_if_room(&t->time[PREFILLS], filled - begun);
    if (t->w.output < 2) return ABDB_OK;
    abdb_span_enter(spans, "decode", NULL);
    decode_remaining_tokens_and_record_gaps(t, filled);
    abdb_span_leave_and_add_work(spans, 0, 0);
    done = spans->now();
    abdb_latencies_add_if_room(&t->time[EACH], (done - filled) / (double)(t->w.output - 1));
    return ABDB_OK;
}

/* Tokens a second of all, of prefill and of decoding, quantiles of TTFT, TPOT and ITL, and bytes
 * read a second beside the measured bandwidth (mbu). *sound:
 * abdb_llama_run_last_logits_and_picks_valid. */
static void generate_report_metrics_and_check_outputs(void *state, double median_s,
                                                      abdb_metric_callback *say, void *to,
                                                      bool *sound)
{
    generate_state *t = state;
    double batch = (double)t->w.batch, steps = (double)t->w.output - 1,
           prefill_s = abdb_latencies_median(&t->time[PREFILLS]),
           each_s = abdb_latencies_median(&t->time[EACH]),
           read = abdb_llama_run_median_read_bandwidth(&t->run),
           decode = t->decode.bytes / steps / each_s;

    say(to, &(abdb_workload_metric){"tokens_per_s", "median",
                                    batch * (double)t->w.output / median_s, NAN});
    say(to, &(abdb_workload_metric){"prefill_tokens_per_s", "median",
                                    batch * (double)t->w.input / prefill_s, NAN});
    say(to,
        &(abdb_workload_metric){"prefill_flops_per_s", "median", t->prefill.ops / prefill_s, NAN});
    abdb_latencies_report_median_p90_p99(&t->time[FIRST], "ttft_s", say, to);
    if (t->w.output > 1) {
        say(to, &(abdb_workload_metric){"decode_tokens_per_s", "median", batch / each_s, NAN});
        say(to, &(abdb_workload_metric){"decode_bytes_per_s", "median", decode, NAN});
        if (isfinite(read) && read > 0)
            say(to, &(abdb_workload_metric){"mbu", "median", decode / read, NAN});
        abdb_latencies_report_median_p90_p99(&t->time[EACH], "tpot_s", say, to);
        abdb_latencies_report_median_p90_p99(&t->time[GAP], "itl_s", say, to);
    }
    if (isfinite(read) && read > 0)
        say(to, &(abdb_workload_metric){"read_bytes_per_s", "median", read, NAN});
    *sound = abdb_llama_run_last_logits_and_picks_valid(&t->run);
}

static void generate_find_weights(const void *state, const void **data, size_t *bytes)
{
    abdb_llama_run_find_weights(&((const generate_state *)state)->run, data, bytes);
}

const abdb_workload abdb_workload_generate = {
    .name = "llama-generate",
    .summary = "text generated by a Llama-like network: prefill of prompts, decode token by token",
    .formula = "llama-generate@1",
    .parameters =
        "model=llama-3.2-1b (llama-3.2-3b, llama-3.1-8b, llama-3.1-70b, llama-2-7b, llama-2-13b, "
        "llama-2-70b, stories-15m, stories-110m, tiny), of which layers and vocabulary can be "
        "others; batch=1, input_tokens=100, output_tokens=100 (of each prompt); dtype=f32,bf16 "
        "(f64: ref; of activations and the cache); weights=same,i8,i4; "
        "source=made,file ($ABDB_WEIGHTS: safetensors or GGUF); layout=contiguous,list,table (of "
        "the "
        "cache; table: padded to the longest) with block=128; "
        "scale=no,auto (as many layers as fit)",
    .names =
        "model layers layers_of vocabulary batch input_tokens output_tokens weights source layout "
        "block scale",
    .dtype = ABDB_F32,
    .resolve_params = generate_resolve_params,
    .list_missing_parts = generate_list_missing_parts,
    .count_work_and_memory = generate_count_work_and_memory,
    .check_results = generate_check_results_of_small_model,
    .open = generate_open_state,
    .reset = generate_reset_draw_next_prompts,
    .run = generate_run_prefill_and_decode,
    .report_metrics = generate_report_metrics_and_check_outputs,
    .find_constant_memory = generate_find_weights,
    .close = generate_close_state,
    .pilot_params = {"model=stories-110m layers=4 vocabulary=2048 input_tokens=128 output_tokens=1",
                     "model=stories-110m vocabulary=2048 input_tokens=1 output_tokens=5"}};
