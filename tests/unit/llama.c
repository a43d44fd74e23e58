/* llama.c - tests of networks that generate text: logits by the cache against plain loops over the
 * whole, in every format and form of weights; shapes as they are published. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "kernels/providers/vec/vec.h"
#include "kernels/workloads/llama_check.h"
#include "kernels/workloads/parts.h"
#include "kernels/workloads/quantise.h"
#include "kernels/workloads/request_generator.h"
#include "tests/unit/check.h"

static double zero_clock(void)
{
    return 0;
}

static double llama_error_over_bound_against_loops(const abdb_parts *parts, abdb_llama_shape shape,
                                                   bool padded)
{
    abdb_problem p = {.kernel = "llama-generate"};
    abdb_spans spans = {.now = zero_clock};
    abdb_run_context stage = {&p, abdb_init_host_device(2), parts, &spans, NULL};
    abdb_error err = {0};
    double error = NAN;

    shape.base = shape.base > 0 ? shape.base : 5e5;
    shape.factor = shape.factor > 0 ? shape.factor : 8;
    assert_ok(abdb_llama_verify_small_model(&stage, &shape, padded, &error, &err));
    assert_true(!spans.overflowed && spans.deep == 0);
    return error;
}

static void test_cached_logits_match_plain_loops(void **state)
{
    static const abdb_llama_shape shapes[] = {{.dtype = ABDB_F64, .tied = true},
                                              {.dtype = ABDB_F64, .factor = 1, .base = 1e4},
                                              {.dtype = ABDB_F64, .form = ABDB_WEIGHTS_I8},
                                              {.dtype = ABDB_F32, .form = ABDB_WEIGHTS_I4},
                                              {.dtype = ABDB_F32, .tied = true},
                                              {.dtype = ABDB_BF16},
                                              {.dtype = ABDB_BF16, .form = ABDB_WEIGHTS_I4}};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        assert_true(llama_error_over_bound_against_loops(&abdb_ref_parts, shapes[i], i % 2) < 0.7);
    for (size_t i = 0; i < 8; i++) { /* forms, pages; with two threads the last two */
        abdb_llama_shape v = {.dtype = ABDB_F32, .form = (int)(i % 3), .tied = i % 2};

        omp_set_num_threads(i < 6 ? 1 : 2);
        assert_true(llama_error_over_bound_against_loops(&abdb_vec_parts, v, i % 2) < 0.7);
        v.dtype = ABDB_BF16;
        if (!abdb_vec_parts.decoder->why_refused(&(abdb_problem){.kernel = "x"}, ABDB_BF16, v.form,
                                                 32, 64))
            assert_true(llama_error_over_bound_against_loops(&abdb_vec_parts, v, i % 2) < 0.7);
    }
    omp_set_num_threads(1);
}

/* --- numbers of four and eight bits ----------------------------------------------------------- */

static void test_quantise_errs_half_a_step_at_most(void **state)
{
    float in[64];
    int8_t out[64];

    (void)state;
    for (int most = 7; most <= 127; most += 120)
        for (uint64_t seed = 0; seed < 50; seed++) {
            float scale;

            for (size_t i = 0; i < 64; i++)
                in[i] = (float)abdb_random_nonzero_integer(seed, i, 1000) / 997;
            scale = abdb_quantise_symmetric(in, 64, most, out);
            for (size_t i = 0; i < 64; i++) {
                assert_true(out[i] >= -most && out[i] <= most);
                assert_true(fabsf(in[i] - (float)out[i] * scale) <= scale * 0.5001f);
            }
        }
    memset(in, 0, sizeof in);
    assert_true(abdb_quantise_symmetric(in, 64, 7, out) == 0 && out[5] == 0);
}

/* --- weights as a backend lays them out ------------------------------------------------------- */

enum { WEIGHED_K = 8240, WEIGHED_N = 80, WEIGHED_M = 17 };

static float small_integer_weight_at(size_t k, size_t n)
{
    return (float)abdb_random_nonzero_integer(11, k * WEIGHED_N + n, 5) - 2;
}

static void copy_small_integer_weight_column(const void *from, size_t n, float *out)
{
    (void)from;
    for (size_t k = 0; k < WEIGHED_K; k++) out[k] = small_integer_weight_at(k, n);
}

/* A matrix longer than a pass of any table of blocks: each number is where a product, a row of the
 * table and `value` look for it. Small whole numbers, whose sums are exact in f32. */
static void assert_packed_weights_multiply_exactly(const char *isa, const char *blocks,
                                                   abdb_dtype dtype)
{
    static float x[WEIGHED_M * WEIGHED_K], y[WEIGHED_M * WEIGHED_N], rows[2 * WEIGHED_K];
    const abdb_decoder *d = abdb_vec_parts.decoder;
    abdb_problem p = {.kernel = "llama-generate",
                      .params = 2,
                      .param = {{"blocks", blocks, NAN}, {"isa", isa, NAN}}};
    abdb_weights w = {.k = WEIGHED_K, .n = WEIGHED_N};
    abdb_part_weight_gemm most = {.m = WEIGHED_M, .w = &w, .x = x, .y = y};
    abdb_tensor in = {.dtype = dtype, .data = x}, out = {.dtype = dtype, .data = y},
                table = {.dtype = dtype, .data = rows};
    int32_t token[2] = {WEIGHED_N - 1, 33};
    abdb_error err = {0};
    void *self;

    if (d->why_refused(&p, dtype, w.form, 32, WEIGHED_K)) return;
    assert_ok(d->open(&self, &p, dtype, &err));
    w.data = aligned_alloc(64, (d->weights_byte_size(self, &w) + 63) / 64 * 64);
    assert_non_null(w.data);
    memset(w.data, 0xff, d->weights_byte_size(self, &w)); /* every number a NaN */
    assert_ok(d->build_weights(self, &w, copy_small_integer_weight_column, NULL, &err));
    assert_ok(d->alloc_workspace(self, d->weight_gemm_work_bytes(self, &most), &err));
    for (size_t i = 0; i < WEIGHED_M * WEIGHED_K; i++)
        abdb_tensor_set_rounded(&in, i, (double)abdb_random_nonzero_integer(12, i, 3) - 1);
    for (size_t m = 1; m <= WEIGHED_M; m += m < 15 ? 5 : 1) {
        abdb_part_weight_gemm part = most;

        part.m = m;
        d->weight_gemm(self, &part);
        for (size_t i = 0; i < m; i++)
            for (size_t n = 0; n < WEIGHED_N; n++) {
                double sum = 0;

                for (size_t k = 0; k < WEIGHED_K; k++)
                    sum += abdb_tensor_get_f64(&in, i * WEIGHED_K + k) *
                           (double)small_integer_weight_at(k, n);
                if (dtype == ABDB_BF16)
                    sum = (double)abdb_bf16_to_f32(abdb_bf16_from_f32((float)sum));
                assert_true(abdb_tensor_get_f64(&out, i * WEIGHED_N + n) == sum);
            }
    }
    d->embed_tokens(self, &w, token, 2, rows);
    for (size_t i = 0; i < 2 * WEIGHED_K; i++) {
        size_t k = i % WEIGHED_K, n = (size_t)token[i / WEIGHED_K];

        assert_true(d->dequantise_weight(self, &w, k, n) == (double)small_integer_weight_at(k, n));
        assert_true(abdb_tensor_get_f64(&table, i) == (double)small_integer_weight_at(k, n));
    }
    free(w.data);
    d->close(self);
}

static void test_packed_weights_are_exact_on_every_isa(void **state)
{
    static const char *const isas[] = {"base", "avx2", "avx512", "amx", "neon"}, *const blocks[] = {
                                                                                     "zen", "intel",
                                                                                     "amx"};

    (void)state;
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++)
        for (size_t j = 0; j < sizeof blocks / sizeof blocks[0]; j++) {
            assert_packed_weights_multiply_exactly(isas[i], blocks[j], ABDB_F32);
            assert_packed_weights_multiply_exactly(isas[i], blocks[j], ABDB_BF16);
        }
}

/* --- the largest of a row --------------------------------------------------------------------- */

/* Wherever it lies, below 0 too; the first of equals; a NaN of either sign before all. */
static void test_pick_is_first_largest_or_nan(void **state)
{
    enum { LONG = 3000 };
    static const abdb_dtype dtypes[] = {ABDB_F32, ABDB_BF16};
    const abdb_decoder *decoders[] = {abdb_ref_parts.decoder, abdb_vec_parts.decoder};
    static float row[LONG];
    static uint16_t half[LONG];
    abdb_problem p = {.kernel = "llama-generate"};
    abdb_error err = {0};

    (void)state;
    for (size_t i = 0; i < 2 * 2 * 40; i++) {
        abdb_dtype dtype = dtypes[i % 2];
        size_t n = 1 + abdb_random_bits_at(i, 0) % LONG, at = abdb_random_bits_at(i, 1) % n, first;
        float offset = i % 3 ? 0 : -2000, largest = offset + 1001;
        int32_t got = -1;
        void *self;

        for (size_t j = 0; j < n; j++)
            row[j] = offset + (float)abdb_random_nonzero_integer(i + 7, j, 900);
        row[at] = largest;
        first = at;
        if (i % 5 == 0) row[n - 1] = largest; /* an equal one behind */
        if (i % 5 == 1) row[first = n / 2] = i % 2 ? NAN : -NAN;
        for (size_t j = 0; j < n; j++) half[j] = abdb_bf16_from_f32(row[j]);
        for (size_t j = n;
             j-- > 0 && dtype == ABDB_BF16 && i % 5 != 1;) /* what rounding made equal */
            if (abdb_bf16_to_f32(half[j]) == abdb_bf16_to_f32(half[at])) first = j;
        assert_ok(decoders[i / 2 % 2]->open(&self, &p, dtype, &err));
        decoders[i / 2 % 2]->argmax_rows(self, 1, n, dtype == ABDB_F32 ? (void *)row : half, &got);
        decoders[i / 2 % 2]->close(self);
        assert_int_equal(got, first);
    }
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* Parameters as they are published: 6.74, 13.02, 68.98, 1.236, 3.213, 8.03 and 70.55 thousand
 * million. */
static void test_parameter_counts_are_as_published(void **state)
{
    static const struct {
        const char *model;
        double parameters;
    } known[] = {{"llama-2-7b", 6738415616},    {"llama-2-13b", 13015864320},
                 {"llama-2-70b", 68976648192},  {"llama-3.2-1b", 1235814400},
                 {"llama-3.2-3b", 3212749824},  {"llama-3.1-8b", 8030261248},
                 {"llama-3.1-70b", 70553706496}};
    abdb_llama_shape s;
    abdb_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        abdb_problem p = {.params = 2,
                          .param = {{"model", known[i].model, NAN}, {"dtype", "bf16", NAN}}};
        abdb_work work;

        assert_ok(abdb_llama_parse_and_scale_shape(&p, &s, &err));
        assert_true(abdb_llama_parameter_count(&s) == known[i].parameters);
        /* a step of one token reads all but a table that only gives rows */
        assert_true(abdb_llama_weight_bytes_read_per_pass(&s) ==
                    2 * (known[i].parameters - (s.tied ? 0 : (double)(s.vocabulary * s.d))));
        abdb_llama_count_work_of_rows_and_tokens(&s, 1, 1, 101, 100, &work);
        assert_true(work.bytes == abdb_llama_weight_bytes_read_per_pass(&s) +
                                      101 * abdb_llama_kv_bytes_per_token(&s));
    }
}

/* A slice of the layers is told as one, and scale=auto takes as many as the machine bears. */
static void test_layer_slice_is_recorded_scale_auto_fits(void **state)
{
    abdb_problem part = {.params = 2,
                         .param = {{"model", "llama-3.1-70b", NAN}, {"layers", "4", 4}}},
                 fit = {.device = abdb_init_host_device(2),
                        .params = 2,
                        .param = {{"model", "llama-3.1-70b", NAN}, {"scale", "auto", NAN}}};
    abdb_llama_shape s;
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_llama_parse_and_scale_shape(&part, &s, &err));
    assert_int_equal(s.layers, 4);
    assert_string_equal(abdb_param_text(&part, "layers_of"), "80");
    assert_ok(abdb_llama_parse_and_scale_shape(&fit, &s, &err));
    assert_true(s.layers >= 1 && s.layers < 80);
    assert_true(abdb_param_number(&fit, "layers", 0) == (double)s.layers);
}

/* --- requests that come and go ---------------------------------------------------------------- */

enum { REQUESTS = 9, MOST = 20 };
static double clock_s;
static double advance_clock_1_ms(void)
{
    return clock_s += 0.001;
}

static void advance_clock(double seconds)
{
    clock_s += seconds;
}

typedef struct {
    abdb_problem p;
    abdb_spans spans;
    abdb_run_context stage;
    abdb_llama_random_weights made;
    abdb_llama g;
} llama_fixture;

static void init_small_random_llama(llama_fixture *s, abdb_llama_capacity limits)
{
    abdb_llama_weights_source source;
    abdb_error err = {0};

    *s = (llama_fixture){.p = {.kernel = "llama-serve"}, .spans = {.now = advance_clock_1_ms}};
    s->stage =
        (abdb_run_context){&s->p, abdb_init_host_device(1), &abdb_ref_parts, &s->spans, NULL};
    s->made = (abdb_llama_random_weights){.s = {.layers = 2,
                                                .d = 32,
                                                .heads = 4,
                                                .kv_heads = 2,
                                                .head = 8,
                                                .hidden = 32,
                                                .vocabulary = 50,
                                                .tied = true,
                                                .base = 1e4,
                                                .factor = 1,
                                                .dtype = ABDB_F64},
                                          .seed = 3,
                                          .deviation = 0.2};
    source = abdb_llama_weights_source_of_random(&s->made);
    assert_ok(abdb_llama_alloc_and_init(&s->g, &s->stage, &s->made.s, &limits, &source, &err));
}

static size_t prompt_length_of_request(size_t i)
{
    return 1 + i * 5 % 9;
}

static size_t output_length_of_request(size_t i)
{
    return 1 + i * 7 % 11;
}

/* What follows each prompt where it has the network to itself. */
static void generate_tokens_of_each_request_alone(int32_t prompt[][MOST], int32_t generated[][MOST])
{
    llama_fixture s;

    init_small_random_llama(&s, (abdb_llama_capacity){MOST, 1, MOST, MOST, 1, 1, false});
    for (size_t i = 0; i < REQUESTS; i++) {
        s.g.sequences = 1;
        s.g.past[0] = 0;
        s.g.first[1] = prompt_length_of_request(i);
        memcpy(s.g.token, prompt[i], prompt_length_of_request(i) * sizeof **prompt);
        for (size_t t = 0; t < output_length_of_request(i); t++) {
            abdb_llama_forward_and_pick_tokens(&s.g);
            generated[i][t] = s.g.picked[0];
            s.g.token[0] = s.g.picked[0];
            s.g.first[1] = 1;
        }
    }
    abdb_llama_free(&s.g);
}

/* Requests before number i that have not ended when it comes. */
static size_t count_requests_still_open(const abdb_request *request, size_t i)
{
    size_t n = 0;

    for (size_t j = 0; j < i; j++) n += request[j].last_s > request[i].arrival_s;
    return n;
}

/* However requests are batched, and wherever their blocks lie, each gets the same tokens; none is
 * let in beyond what the cache holds, and what waited is counted. */
static void test_batching_does_not_change_tokens(void **state)
{
    static int32_t prompt[REQUESTS][MOST], expected[REQUESTS][MOST], made[REQUESTS][MOST];

    (void)state;
    for (size_t i = 0; i < REQUESTS; i++)
        for (size_t t = 0; t < MOST; t++) prompt[i][t] = (int32_t)(abdb_random_bits_at(i, t) % 50);
    generate_tokens_of_each_request_alone(prompt, expected);
    for (size_t kind = 0; kind < 6; kind++) { /* closed, open, burst; list, padded table */
        abdb_request request[REQUESTS] = {{0}};
        abdb_error err = {0};
        llama_fixture s;
        abdb_batcher b;

        init_small_random_llama(&s, (abdb_llama_capacity){MOST, 4, MOST, 3, 11, 7, kind > 2});
        b = (abdb_batcher){.g = &s.g,
                           .request = request,
                           .count = REQUESTS,
                           .clients = kind % 3 ? 0 : 3,
                           .wait = advance_clock};
        memset(made, 0, sizeof made);
        for (size_t i = 0; i < REQUESTS; i++)
            request[i] = (abdb_request){.input = prompt_length_of_request(i),
                                        .output = output_length_of_request(i),
                                        .prompt = prompt[i],
                                        .made = made[i],
                                        .arrival_s = kind % 3 == 1 ? (double)i * 0.02 : 0};
        assert_ok(abdb_batcher_require_requests_fit_and_alloc(&b, &err));
        abdb_batcher_serve_all_requests(&b);
        assert_true(b.blocks == s.g.most.blocks && b.admitted == 0 && b.ended == REQUESTS);
        assert_true(b.held / b.steps <= (kind % 3 ? 4 : 3) && b.held / b.steps > 1);
        for (size_t i = 0; i < REQUESTS; i++) {
            assert_memory_equal(made[i], expected[i], output_length_of_request(i) * sizeof **made);
            assert_true(request[i].first_s > request[i].arrival_s);
            assert_true(output_length_of_request(i) == 1 ? request[i].last_s == request[i].first_s
                                                         : request[i].last_s > request[i].first_s);
            if (i) assert_true(request[i].first_s >= request[i - 1].first_s);
            assert_true(kind % 3 ||
                        count_requests_still_open(request, i) < 3); /* a user has one at a time */
        }
        assert_true(!s.spans.overflowed && s.spans.deep == 0);
        abdb_batcher_free(&b);
        request[4].output = MOST * 3;
        assert_status(abdb_batcher_require_requests_fit_and_alloc(&b, &err), ABDB_USAGE);
        abdb_llama_free(&s.g);
    }
}

/* Means, bounds, and gaps between arrivals as they are said. */
static void test_drawn_requests_have_stated_means(void **state)
{
    enum { MANY = 20000 };
    static abdb_request request[MANY];
    double last = 0, square = 0;

    (void)state;
    for (int kind = ABDB_LENGTHS_FIXED; kind <= ABDB_LENGTHS_LOGNORMAL; kind++) {
        double sum = 0;

        for (size_t i = 0; i < MANY; i++) {
            size_t n = abdb_draw_request_length(kind, 200, 5, i);

            assert_true(n >= 1 && n <= abdb_longest_request_length(kind, 200));
            assert_int_equal(n, abdb_draw_request_length(kind, 200, 5, i));
            sum += (double)n / MANY;
        }
        /* what is cut off above four times the mean is 2 % of it */
        assert_true(fabs(sum - 200) < (kind == ABDB_LENGTHS_LOGNORMAL ? 8 : 1));
    }
    abdb_draw_poisson_arrivals(50, 9, request, MANY);
    for (size_t i = 0; i < MANY; i++) {
        double gap = request[i].arrival_s - last;

        assert_true(gap > 0);
        square += gap * gap / MANY;
        last = request[i].arrival_s;
    }
    /* an exponential gap: the mean is 1 / rate, that of its square twice its square */
    assert_true(fabs(last / MANY * 50 - 1) < 0.03 && fabs(square * 2500 / 2 - 1) < 0.06);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cached_logits_match_plain_loops),
        cmocka_unit_test(test_quantise_errs_half_a_step_at_most),
        cmocka_unit_test(test_pick_is_first_largest_or_nan),
        cmocka_unit_test(test_parameter_counts_are_as_published),
        cmocka_unit_test(test_layer_slice_is_recorded_scale_auto_fits),
        cmocka_unit_test(test_packed_weights_are_exact_on_every_isa),
        cmocka_unit_test(test_batching_does_not_change_tokens),
        cmocka_unit_test(test_drawn_requests_have_stated_means)};

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    omp_set_num_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
