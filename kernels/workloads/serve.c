/* serve.c - workload llama-serve: requests of many users to a Llama-like network, batched as they
 * come (continuous_batching.h). A repetition is a number of requests from the first arrival to the
 * last token. Goodput counts requests within the limits of MLPerf Inference (inference_rules.adoc
 * of mlcommons/inference_policies, commit ac93e89c, table of datacenter benchmarks): of Llama2-70b
 * 2 s to the first token and 200 ms for each after it, interactive 450 ms and 40 ms; of Llama3.1-8B
 * 2 s and 100 ms, interactive 500 ms and 30 ms. There they hold for the 99th percentile of all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/workloads/llama_check.h"
#include "kernels/workloads/llama_run.h"
#include "kernels/workloads/request_generator.h"

enum { CLOSED, POISSON };
static const struct {
    const char *model;
    double ttft_s, tpot_s, interactive_ttft_s, interactive_tpot_s;
} limits[] = {{"llama-3.1-8b", 2, 0.1, 0.5, 0.03}, {"llama-2-70b", 2, 0.2, 0.45, 0.04}};

typedef struct {
    abdb_llama_shape s;
    size_t batch, input, output, requests, clients, seed;
    int lengths, arrivals, limit;
    double rate;
    abdb_llama_capacity most;
} serve_params;

/* What is timed or counted in each repetition. */
enum { FIRST, EACH, WHOLE, GAP, GOOD, INTERACTIVE, RATE, ALL, HELD, KINDS };
typedef struct {
    abdb_llama_run run;
    abdb_batcher b;
    serve_params w;
    abdb_request *request;
    int32_t *prompt;
    size_t turns;
    abdb_latencies time[KINDS];
} serve_state;

/* The size of the cache: by default as many blocks as a full batch of the longest requests
 * takes, never fewer than one such request. */
static abdb_status parse_layout_block_and_cache_capacity(abdb_problem *p, serve_params *w,
                                                         abdb_error *err)
{
    static const char *const layouts[] = {"list", "table", NULL};
    size_t block, blocks, rows;
    int table;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_choice_index_and_store_default(p, "layout", layouts, &table, err));
    TRY(abdb_param_parse_size_and_store_default(p, "block", 128, 1 << 16, &block, err));
    rows = abdb_longest_request_length(w->lengths, w->input);
    if (rows < ABDB_LLAMA_PREFILL) rows = ABDB_LLAMA_PREFILL;
    if (rows < w->batch) rows = w->batch;
    w->most = abdb_llama_cache_capacity(rows, w->batch,
                                        abdb_longest_request_length(w->lengths, w->input) +
                                            abdb_longest_request_length(w->lengths, w->output),
                                        table ? ABDB_PAGES_TABLE : ABDB_PAGES_LIST, block);
    TRY(abdb_param_parse_size_and_store_default(p, "cache_blocks", (double)w->most.blocks, 1 << 24,
                                                &blocks, err));
    w->most.blocks = blocks;
    if (blocks < w->most.width)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "the longest request takes %zu blocks of %zu tokens",
                      w->most.width, block));
done:
    return st;
}

/* What the parameters ask for: lengths, arrivals, limits of latency, batch, and as many requests
 * as keep the batch full for most of the time. */
static abdb_status parse_serve_params(abdb_problem *p, serve_params *w, abdb_error *err)
{
    static const char *const lengths[] = {"fixed", "uniform", "lognormal", NULL},
                             *const arrivals[] = {"closed", "poisson", NULL},
                             *const of_8b[] = {"llama-3.1-8b", "llama-2-70b", NULL},
                             *const of_70b[] = {"llama-2-70b", "llama-3.1-8b", NULL};
    bool first;
    abdb_status st = ABDB_OK;

    TRY(abdb_llama_parse_and_scale_shape(p, &w->s, err));
    first = strncmp(w->s.name, "llama-2", 7) == 0;
    TRY(abdb_param_choice_index_and_store_default(p, "limits", first ? of_70b : of_8b, &w->limit,
                                                  err));
    w->limit = first ? !w->limit : w->limit;
    TRY(abdb_param_choice_index_and_store_default(p, "lengths", lengths, &w->lengths, err));
    TRY(abdb_param_choice_index_and_store_default(p, "arrivals", arrivals, &w->arrivals, err));
    TRY(abdb_param_parse_size_and_store_default(p, "batch", 8, 4096, &w->batch, err));
    if (w->arrivals == CLOSED)
        TRY(abdb_param_parse_size_and_store_default(p, "concurrency", (double)w->batch, 1 << 16,
                                                    &w->clients, err));
    w->rate = abdb_param_number(p, "rate", 1);
    if (!(w->rate > 0) || (w->arrivals == CLOSED && abdb_param_text(p, "rate")))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "rate is requests a second, above 0, and goes with arrivals=poisson"));
    if (w->arrivals == POISSON && !abdb_param_text(p, "rate"))
        TRY(abdb_param_set_integer(p, "rate", w->rate, err));
    /* so many that a load is there for most of the time: twice the places, twice the users */
    TRY(abdb_param_parse_size_and_store_default(
        p, "requests", fmin(1 << 16, fmax(32, 2 * fmax((double)w->batch, (double)w->clients))),
        1 << 16, &w->requests, err));
    TRY(abdb_param_parse_size_and_store_default(p, "input_tokens", 100, 1 << 15, &w->input, err));
    TRY(abdb_param_parse_size_and_store_default(p, "output_tokens", 100, 1 << 15, &w->output, err));
    TRY(abdb_param_parse_size_and_store_default(p, "seed", 1, 1 << 30, &w->seed, err));
    TRY(parse_layout_block_and_cache_capacity(p, w, err));
done:
    return st;
}

static abdb_status serve_resolve_params(abdb_problem *p, const abdb_machine_caches *of,
                                        abdb_error *err)
{
    serve_params w = {0};

    (void)of;
    return parse_serve_params(p, &w, err);
}

/* Of parameters that have been looked at before. */
static serve_params serve_params_of_problem(const abdb_problem *p)
{
    abdb_problem again = *p;
    serve_params w = {0};
    abdb_error err;

    (void)!parse_serve_params(&again, &w, &err);
    return w;
}

static void serve_list_missing_parts(const abdb_problem *p, const abdb_parts *parts, char *out,
                                     size_t room)
{
    serve_params w = serve_params_of_problem(p);

    abdb_llama_list_missing_parts(p, &w.s, parts, out, room);
}

static size_t draw_input_length(const serve_params *w, size_t request)
{
    return abdb_draw_request_length(w->lengths, w->input, w->seed, request);
}

static size_t draw_output_length(const serve_params *w, size_t request)
{
    return abdb_draw_request_length(w->lengths, w->output, w->seed + 1, request);
}

/* Of all requests: their operations; their keys and values; and weights as often as full passes of
 * prompts and full batches of tokens would read them. */
static void serve_count_work_and_memory(const abdb_run_context *stage, abdb_effort *out)
{
    serve_params w = serve_params_of_problem(stage->p);
    double inputs = 0, outputs = 0, weights = abdb_llama_weight_bytes_read_per_pass(&w.s);
    abdb_error err;

    *out = (abdb_effort){0};
    for (size_t i = 0; i < w.requests; i++) {
        double n = (double)draw_input_length(&w, i), m = (double)draw_output_length(&w, i) - 1;
        abdb_work in, steps;

        inputs += n;
        outputs += m;
        abdb_llama_count_work_of_rows_and_tokens(&w.s, n, 1, n * (n + 1) / 2, 0, &in);
        abdb_llama_count_work_of_rows_and_tokens(&w.s, m, m, m * n + m * (m + 1) / 2,
                                                 m * n + m * (m - 1) / 2, &steps);
        out->ops += in.ops + steps.ops;
        out->bytes += in.bytes + steps.bytes - 2 * weights;
    }
    out->bytes += weights * (ceil(inputs / ABDB_LLAMA_PREFILL) + ceil(outputs / (double)w.batch));
    if (abdb_llama_predict_memory_bytes(stage, &w.s, &w.most, &out->memory, &err) != ABDB_OK)
        out->memory = INFINITY;
}

static abdb_status serve_check_results_of_small_model(const abdb_run_context *stage, double *error,
                                                      const char **at, abdb_error *err)
{
    serve_params w = serve_params_of_problem(stage->p);

    *at = abdb_llama_check_at;
    return abdb_llama_verify_small_model(stage, &w.s, w.most.padded, error, err);
}

/* Frees a state, also one that was opened in part. */
static void serve_close_state(void *state)
{
    serve_state *t = state;

    abdb_batcher_free(&t->b);
    abdb_llama_run_free(&t->run);
    free(t->request);
    free(t->prompt);
    abdb_latencies_free(t->time, KINDS);
    free(t);
}

static void sleep_seconds(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

    (void)!nanosleep(&time, NULL);
}

/* Makes all requests with their lengths and, of poisson arrivals, their times. */
static abdb_status draw_request_lengths_and_arrivals(serve_state *t, abdb_error *err)
{
    const serve_params *w = &t->w;
    size_t most = abdb_longest_request_length(w->lengths, w->input);

    t->request = calloc(w->requests, sizeof *t->request);
    t->prompt = calloc(w->requests * most, sizeof *t->prompt);
    if (!t->request || !t->prompt) return ABDB_FAIL(err, ABDB_NOMEM, "requests");
    for (size_t i = 0; i < w->requests; i++)
        t->request[i] = (abdb_request){.input = draw_input_length(w, i),
                                       .output = draw_output_length(w, i),
                                       .prompt = t->prompt + i * most};
    if (w->arrivals == POISSON)
        abdb_draw_poisson_arrivals(w->rate, w->seed + 2, t->request, w->requests);
    return ABDB_OK;
}

/* Makes requests, network and batcher. On failure nothing is left. */
static abdb_status serve_open_state(void **state, const abdb_run_context *stage, abdb_error *err)
{
    serve_state *t = calloc(1, sizeof *t);
    abdb_status st = ABDB_OK;

    if (!t) return ABDB_FAIL(err, ABDB_NOMEM, "a service");
    t->w = serve_params_of_problem(stage->p);
    TRY(draw_request_lengths_and_arrivals(t, err));
    TRY(abdb_latencies_alloc(t->time, KINDS, err));
    TRY(abdb_llama_run_init_from_file_or_random(&t->run, stage, &t->w.s, &t->w.most, err));
    t->b = (abdb_batcher){.g = &t->run.g,
                          .request = t->request,
                          .count = t->w.requests,
                          .clients = t->w.clients,
                          .wait = sleep_seconds,
                          .gap = &t->time[GAP]};
    TRY(abdb_batcher_require_requests_fit_and_alloc(&t->b, err));
    *state = t;
done:
    if (st != ABDB_OK) serve_close_state(t);
    return st;
}

/* Other tokens in requests of the same lengths; what the first repetition, which warms up, took is
 * forgotten. */
static abdb_status serve_reset_draw_next_prompts(void *state, abdb_error *err)
{
    serve_state *t = state;
    size_t most = abdb_longest_request_length(t->w.lengths, t->w.input);

    if (t->turns == 1) abdb_latencies_clear(t->time, KINDS);
    for (size_t i = 0; i < t->w.requests * most; i++)
        t->prompt[i] = (int32_t)(abdb_random_bits_at(t->turns, i) % t->w.s.vocabulary);
    t->turns++;
    return abdb_llama_run_spoil_logits(&t->run, err);
}

/* Serves all requests once; keeps each one's times, and tokens, requests and requests within
 * their limits a second. */
static abdb_status serve_run_all_requests_record_latencies(void *state, abdb_error *err)
{
    serve_state *t = state;
    double tokens = 0, good = 0, interactive = 0, last = 0;

    (void)err;
    abdb_batcher_serve_all_requests(&t->b);
    for (size_t i = 0; i < t->w.requests; i++) {
        const abdb_request *r = &t->request[i];
        double first = r->first_s - r->arrival_s,
               each = r->output > 1 ? (r->last_s - r->first_s) / (double)(r->output - 1) : 0;

        abdb_latencies_add_if_room(&t->time[FIRST], first);
        abdb_latencies_add_if_room(&t->time[WHOLE], r->last_s - r->arrival_s);
        if (r->output > 1) abdb_latencies_add_if_room(&t->time[EACH], each);
        good += first <= limits[t->w.limit].ttft_s && each <= limits[t->w.limit].tpot_s;
        interactive += first <= limits[t->w.limit].interactive_ttft_s &&
                       each <= limits[t->w.limit].interactive_tpot_s;
        tokens += (double)r->output;
        last = fmax(last, r->last_s);
    }
    abdb_latencies_add_if_room(&t->time[RATE], tokens / last);
    abdb_latencies_add_if_room(&t->time[ALL], (double)t->w.requests / last);
    abdb_latencies_add_if_room(&t->time[GOOD], good / last);
    abdb_latencies_add_if_room(&t->time[INTERACTIVE], interactive / last);
    if (t->b.steps > 0) abdb_latencies_add_if_room(&t->time[HELD], t->b.held / t->b.steps);
    return ABDB_OK;
}

static void report_median_if_any(abdb_latencies *of, const char *metric, abdb_metric_callback *say,
                                 void *to)
{
    if (of->count)
        say(to, &(abdb_workload_metric){metric, "median", abdb_latencies_median(of), NAN});
}

/* Reports medians of the rates over the repetitions and quantiles of TTFT, TPOT, ITL and
 * latency. *sound: abdb_llama_run_last_logits_and_picks_valid. */
static void serve_report_metrics_and_check_outputs(void *state, double median_s,
                                                   abdb_metric_callback *say, void *to, bool *sound)
{
    serve_state *t = state;

    (void)median_s;
    report_median_if_any(&t->time[RATE], "tokens_per_s", say, to);
    report_median_if_any(&t->time[ALL], "requests_per_s", say, to);
    report_median_if_any(&t->time[GOOD], "goodput_requests_per_s", say, to);
    report_median_if_any(&t->time[INTERACTIVE], "goodput_interactive_requests_per_s", say, to);
    report_median_if_any(&t->time[HELD], "requests_in_flight", say, to);
    abdb_latencies_report_median_p90_p99(&t->time[FIRST], "ttft_s", say, to);
    abdb_latencies_report_median_p90_p99(&t->time[EACH], "tpot_s", say, to);
    abdb_latencies_report_median_p90_p99(&t->time[GAP], "itl_s", say, to);
    abdb_latencies_report_median_p90_p99(&t->time[WHOLE], "latency_s", say, to);
    *sound = abdb_llama_run_last_logits_and_picks_valid(&t->run);
}

static void serve_find_weights(const void *state, const void **data, size_t *bytes)
{
    abdb_llama_run_find_weights(&((const serve_state *)state)->run, data, bytes);
}

const abdb_workload abdb_workload_serve = {
    .name = "llama-serve",
    .summary = "requests to a Llama-like network, batched as they come over a cache in blocks",
    .formula = "llama-serve@1",
    .parameters =
        "model, layers, vocabulary, dtype, weights, source, scale as of llama-generate; "
        "arrivals=closed "
        "(concurrency=batch users, each with one request at a time) or poisson (rate=1 a second); "
        "requests=32 of a repetition; input_tokens=100, output_tokens=100 (means) with "
        "lengths=fixed,uniform,lognormal by seed=1; batch=8 (requests in the network at most); "
        "layout=list,table with block=128 and cache_blocks (enough for the longest of all); "
        "limits=llama-3.1-8b,llama-2-70b (of MLPerf, for goodput)",
    .names =
        "model layers layers_of vocabulary batch input_tokens output_tokens weights source layout "
        "block cache_blocks scale arrivals concurrency rate requests lengths seed limits",
    .dtype = ABDB_F32,
    .resolve_params = serve_resolve_params,
    .list_missing_parts = serve_list_missing_parts,
    .count_work_and_memory = serve_count_work_and_memory,
    .check_results = serve_check_results_of_small_model,
    .open = serve_open_state,
    .reset = serve_reset_draw_next_prompts,
    .run = serve_run_all_requests_record_latencies,
    .report_metrics = serve_report_metrics_and_check_outputs,
    .find_constant_memory = serve_find_weights,
    .close = serve_close_state,
    .pilot_params = {
        "model=stories-110m layers=4 vocabulary=2048 requests=1 batch=1 input_tokens=128 "
        "output_tokens=1",
        "model=stories-110m vocabulary=2048 requests=1 batch=1 input_tokens=1 "
        "output_tokens=5"}};
