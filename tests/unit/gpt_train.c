/* gpt_train.c - tests of what workloads compute: tokens of known entropy, gradients against
 * differences, a network that learns down to what its source allows. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "kernels/providers/vec/vec.h"
#include "kernels/workloads/gpt_check.h"
#include "kernels/workloads/token_source.h"
#include "tests/unit/check.h"

static double zero_clock(void)
{
    return 0;
}

/* --- tokens ----------------------------------------------------------------------------------- */

/* The mean of -log of how often one token follows another is the entropy that is said, and the
 * next token's frequencies alone say little. */
static void test_drawn_tokens_have_stated_entropy(void **state)
{
    enum { VOCABULARY = 16, LENGTH = 100, TIMES = 1000 };
    static double pairs[VOCABULARY][VOCABULARY], firsts[VOCABULARY];
    abdb_tokens t;
    abdb_error err = {0};
    int32_t token[LENGTH], target[LENGTH];
    double entropy = 0, n = 0;

    (void)state;
    assert_ok(abdb_tokens_read_file_or_use_markov_chain(&t, NULL, VOCABULARY, 9, &err));
    for (int i = 0; i < TIMES; i++) {
        abdb_tokens_draw_sequence_and_targets(&t, LENGTH, token, target);
        for (int j = 0; j < LENGTH; j++) {
            if (j) assert_int_equal(token[j], target[j - 1]);
            assert_true(token[j] >= 0 && token[j] < VOCABULARY);
            pairs[token[j]][target[j]]++;
            firsts[token[j]]++;
            n++;
        }
    }
    for (int a = 0; a < VOCABULARY; a++)
        for (int b = 0; b < VOCABULARY; b++)
            if (pairs[a][b] > 0) entropy -= pairs[a][b] / n * log(pairs[a][b] / firsts[a]);
    assert_true(fabs(abdb_tokens_chain_entropy_nats_or_nan(&t) - 1.75 * log(2)) < 1e-12);
    assert_true(fabs(entropy - abdb_tokens_chain_entropy_nats_or_nan(&t)) < 0.02);
    abdb_tokens_free(&t);
}

static const char *write_token_file_return_path(const char *name, const void *bytes, size_t size)
{
    static char path[64];
    FILE *file;

    snprintf(path, sizeof path, "/tmp/abdb-tokens-%ld-%s", (long)getpid(), name);
    file = fopen(path, "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    return path;
}

static void test_token_files_are_read_or_refused(void **state)
{
    uint16_t plain[] = {1, 2, 3, 4, 5, 6}, headed[512 + 4] = {0};
    const char *path;
    abdb_tokens t;
    abdb_error err = {0};
    int32_t token[3], target[3];

    (void)state;
    path = write_token_file_return_path("plain", plain, sizeof plain);
    assert_ok(abdb_tokens_read_file_or_use_markov_chain(&t, path, 7, 1, &err));
    assert_int_equal(t.count, 6);
    for (int i = 0; i < 20; i++) {
        abdb_tokens_draw_sequence_and_targets(&t, 3, token, target);
        assert_true(token[1] == token[0] + 1 && target[0] == token[1] && target[2] == token[2] + 1);
    }
    assert_true(isnan(abdb_tokens_chain_entropy_nats_or_nan(&t)));
    abdb_tokens_free(&t);
    assert_status(abdb_tokens_read_file_or_use_markov_chain(&t, path, 6, 1, &err), ABDB_FORMAT);
    assert_non_null(strstr(err.message, "token 6 at place 5"));
    unlink(path);
    path = write_token_file_return_path("odd", plain, 5);
    assert_status(abdb_tokens_read_file_or_use_markov_chain(&t, path, 7, 1, &err), ABDB_FORMAT);
    unlink(path);
    headed[0] = 20240520 & 0xFFFF;
    headed[1] = 20240520 >> 16;
    for (int i = 0; i < 4; i++) headed[512 + i] = (uint16_t)(i + 1);
    path = write_token_file_return_path("headed", headed, sizeof headed);
    assert_ok(abdb_tokens_read_file_or_use_markov_chain(&t, path, 7, 1, &err));
    assert_true(t.count == 4 && t.file[0] == 1 && t.file[3] == 4);
    abdb_tokens_free(&t);
    unlink(path);
    assert_status(abdb_tokens_read_file_or_use_markov_chain(&t, "/nowhere/tokens", 7, 1, &err),
                  ABDB_IO);
}

/* --- the network ------------------------------------------------------------------------------ */

static void init_gpt_run_context(abdb_run_context *stage, abdb_problem *p, abdb_spans *spans,
                                 const abdb_parts *parts)
{
    *p = (abdb_problem){.kernel = "gpt-train"};
    *spans = (abdb_spans){.now = zero_clock};
    *stage = (abdb_run_context){
        .p = p, .device = abdb_init_host_device(2), .parts = parts, .spans = spans};
}

static double gpt_error_over_bound_against_reference(const abdb_parts *parts,
                                                     const abdb_gpt_shape *shape)
{
    abdb_run_context stage;
    abdb_problem p;
    abdb_spans spans;
    abdb_error err = {0};
    double error = NAN;

    init_gpt_run_context(&stage, &p, &spans, parts);
    assert_ok(abdb_gpt_verify_small_model(&stage, shape, &error, &err));
    assert_true(!spans.overflowed && spans.deep == 0);
    return error;
}

/* Every tensor of parameters, with biases and without, computed again and not, masked and not. */
static void test_gpt_gradients_match_reference(void **state)
{
    static const abdb_gpt_shape shapes[] = {{.dtype = ABDB_F64, .bias = true},
                                            {.dtype = ABDB_F64, .recompute = true},
                                            {.dtype = ABDB_F64, .bias = true, .sparsity = 0.75},
                                            {.dtype = ABDB_F32, .bias = true},
                                            {.dtype = ABDB_BF16, .bias = true}};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        assert_true(gpt_error_over_bound_against_reference(&abdb_ref_parts, &shapes[i]) < 0.5);
    omp_set_num_threads(2); /* whose sums are put together */
    for (int bias = 0; bias < 2; bias++)
        for (int again = 0; again < 2; again++) {
            abdb_gpt_shape s = {
                .dtype = ABDB_F32, .bias = bias, .recompute = again, .sparsity = again ? 0.3 : 0};
            abdb_problem p = {.kernel = "gpt-train"};

            assert_true(gpt_error_over_bound_against_reference(&abdb_vec_parts, &s) < 0.5);
            s.dtype = ABDB_BF16;
            if (!abdb_vec_parts.why_refused(&p, ABDB_BF16, 16, 32))
                assert_true(gpt_error_over_bound_against_reference(&abdb_vec_parts, &s) < 0.5);
        }
    omp_set_num_threads(1);
}

typedef struct {
    abdb_gpt g;
    abdb_run_context stage;
    abdb_problem p;
    abdb_spans spans;
    abdb_tokens source;
} gpt_fixture;

static void open_gpt_with_token_source(gpt_fixture *l, const abdb_gpt_shape *s)
{
    abdb_error err = {0};

    init_gpt_run_context(&l->stage, &l->p, &l->spans, &abdb_vec_parts);
    assert_ok(abdb_tokens_read_file_or_use_markov_chain(&l->source, NULL, s->vocabulary, 1, &err));
    assert_ok(abdb_gpt_alloc_and_init(&l->g, &l->stage, s, 1, 0.02, false, &err));
}

static double train_one_step_return_mean_loss(gpt_fixture *l, double learning_rate)
{
    enum { ROWS = 128 };
    abdb_gpt *g = &l->g;
    abdb_error err = {0};
    int32_t token[ROWS], target[ROWS];
    double loss = 0, one = NAN;

    assert_true(g->rows <= ROWS);
    assert_ok(abdb_gpt_clear_gradient_sums(g, &err));
    for (size_t i = 0; i < g->s.accumulation; i++) {
        for (size_t b = 0; b < g->s.micro; b++)
            abdb_tokens_draw_sequence_and_targets(
                &l->source, g->s.sequence, token + b * g->s.sequence, target + b * g->s.sequence);
        assert_ok(abdb_gpt_forward_backward_and_allreduce(g, token, target, &one, &err));
        loss += one / (double)(g->rows * g->s.accumulation);
    }
    abdb_gpt_adamw_update(g, learning_rate);
    return loss;
}

/* Sums and updates of lengths that are no whole vectors, beside plain C; nothing behind is touched.
 */
static void test_odd_lengths_match_plain_loops(void **state)
{
    enum { MOST = 4096 + 48 };
    static _Alignas(64) float g[MOST], w[2][MOST], m[2][MOST], v[2][MOST], sum[2][MOST];
    static unsigned char mask[MOST];
    static const size_t n[] = {1, 15, 37, 4096, 4096 + 37};
    const abdb_parts *parts[] = {&abdb_ref_parts, &abdb_vec_parts};
    abdb_problem p = {.kernel = "gpt-train"};
    abdb_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        for (size_t j = 0; j < MOST; j++) {
            g[j] = (float)abdb_random_nonzero_integer(7, j, 100) / 100;
            mask[j] = j % 3 != 0;
            for (int k = 0; k < 2; k++) w[k][j] = m[k][j] = v[k][j] = sum[k][j] = 0.5f;
        }
        for (int k = 0; k < 2; k++) {
            void *self;

            assert_ok(parts[k]->open(&self, &p, ABDB_F32, &err));
            parts[k]->add_to_wide(self, n[i], g, sum[k]);
            parts[k]->adamw_update(self, &(abdb_part_adamw){.n = n[i],
                                                            .g = g,
                                                            .w = w[k],
                                                            .m = m[k],
                                                            .v = v[k],
                                                            .mask = mask,
                                                            .scale = 0.5,
                                                            .rate = 0.01,
                                                            .beta1 = 0.9,
                                                            .beta2 = 0.95,
                                                            .epsilon = 1e-8,
                                                            .decay = 0.1,
                                                            .step = 3});
            parts[k]->close(self);
        }
        for (size_t j = 0; j < MOST; j++) {
            assert_true(fabsf(sum[0][j] - sum[1][j]) < 1e-6f);
            assert_true(fabsf(w[0][j] - w[1][j]) < 1e-6f);
            assert_true(fabsf(m[0][j] - m[1][j]) < 1e-6f && fabsf(v[0][j] - v[1][j]) < 1e-6f);
            assert_true(j < n[i] ? mask[j] || w[1][j] == 0 : w[1][j] == 0.5f && sum[1][j] == 0.5f);
        }
    }
}

/* From ln(vocabulary) down to the entropy of the source, and not below it. */
static void test_loss_falls_to_source_entropy(void **state)
{
    enum { STEPS = 300, LAST = 40 };
    const abdb_gpt_shape s = {.layers = 1,
                              .d = 64,
                              .heads = 2,
                              .vocabulary = 32,
                              .sequence = 32,
                              .micro = 4,
                              .accumulation = 2,
                              .dtype = ABDB_F32,
                              .bias = true};
    gpt_fixture l;
    double first = 0, last = 0, floor, spread;

    (void)state;
    open_gpt_with_token_source(&l, &s);
    floor = abdb_tokens_chain_entropy_nats_or_nan(&l.source);
    for (int i = 0; i < STEPS; i++) {
        double loss = train_one_step_return_mean_loss(&l, 5e-3);

        if (i == 0) first = loss;
        if (i >= STEPS - LAST) last += loss / LAST;
    }
    abdb_gpt_free(&l.g);
    spread = 0.574 / sqrt(LAST * 8 * 32); /* of the mean of so many tokens */
    assert_true(fabs(first - log(32)) < 0.05);
    assert_true(last < floor + 0.05 && last > floor - 5 * spread);
}

/* Ranks that all have what this one has: sums are twice as much, as if others came last. */
typedef struct {
    float *late[64];
    size_t count[64], waiting, most;
} doubling_ranks;

static void queue_sum_to_be_doubled(const abdb_rank_group *c, abdb_dtype dtype, size_t n, void *x)
{
    doubling_ranks *t = c->self;

    assert_int_equal(dtype, ABDB_F32);
    assert_true(t->waiting < 64);
    t->late[t->waiting] = x;
    t->count[t->waiting++] = n;
    t->most = t->waiting > t->most ? t->waiting : t->most;
}

static void progress_allreduce_doing_nothing(const abdb_rank_group *c)
{
    (void)c;
}

static void double_all_queued_sums(const abdb_rank_group *c)
{
    doubling_ranks *t = c->self;

    for (; t->waiting; t->waiting--)
        for (size_t i = 0; i < t->count[t->waiting - 1]; i++) t->late[t->waiting - 1][i] *= 2;
}

/* Two ranks with the same tokens learn as one alone, bit for bit; each gradient is shared once. */
static void test_two_ranks_learn_as_one(void **state)
{
    (void)state;
    for (int how = 0; how < 8; how++) {
        abdb_gpt_shape s = {.layers = 3,
                            .d = 64,
                            .heads = 4,
                            .vocabulary = 50,
                            .sequence = 16,
                            .micro = 2,
                            .accumulation = how & 4 ? 2 : 1,
                            .dtype = how & 2 ? ABDB_BF16 : ABDB_F32,
                            .bias = true};
        abdb_problem p = {.kernel = "gpt-train"};
        doubling_ranks t = {.waiting = 0};
        abdb_rank_group crew = {.ranks = 2,
                                .self = &t,
                                .start_allreduce = queue_sum_to_be_doubled,
                                .progress = progress_allreduce_doing_nothing,
                                .wait_allreduce = double_all_queued_sums};
        gpt_fixture alone, one;
        double a, b;

        if (abdb_vec_parts.why_refused(&p, s.dtype, 16, 64)) continue;
        open_gpt_with_token_source(&alone, &s);
        s.ranks = 2;
        s.overlap = how & 1;
        open_gpt_with_token_source(&one, &s);
        one.stage.crew = &crew;
        for (int i = 0; i < 3; i++) {
            a = train_one_step_return_mean_loss(&alone, 1e-3);
            b = train_one_step_return_mean_loss(&one, 1e-3);
            assert_true(fabs(a - b) < (how & 2 ? 1e-2 : 1e-12));
        }
        assert_int_equal(t.waiting, 0);
        assert_int_equal(t.most, s.overlap ? 5 : 1);
        if (!(how & 2) || how & 4) { /* else what is added up is rounded once less */
            assert_memory_equal(alone.g.v, one.g.v, abdb_gpt_parameter_count(&s) * 4);
            assert_memory_equal(alone.g.w, one.g.w, abdb_gpt_parameter_count(&s) * 4);
        }
        abdb_gpt_free(&alone.g);
        abdb_gpt_free(&one.g);
    }
}

/* What is computed again is the same, and takes less memory; micro-batches add up. */
static void test_recompute_and_micro_batches_agree(void **state)
{
    abdb_gpt_shape s = {.layers = 3,
                        .d = 64,
                        .heads = 4,
                        .vocabulary = 50,
                        .sequence = 16,
                        .micro = 4,
                        .accumulation = 1,
                        .dtype = ABDB_F32,
                        .bias = true};
    gpt_fixture kept, again, parts;
    double a = 0, b = 0, c = 0;

    (void)state;
    open_gpt_with_token_source(&kept, &s);
    s.recompute = true;
    open_gpt_with_token_source(&again, &s);
    s.recompute = false;
    s.micro = 1;
    s.accumulation = 4;
    open_gpt_with_token_source(&parts, &s);
    for (int i = 0; i < 3; i++) {
        a = train_one_step_return_mean_loss(&kept, 1e-3);
        b = train_one_step_return_mean_loss(&again, 1e-3);
        c = train_one_step_return_mean_loss(&parts, 1e-3);
    }
    assert_true(a == b);
    assert_memory_equal(kept.g.p, again.g.p, abdb_gpt_parameter_count(&s) * 4);
    assert_true(again.g.bytes < kept.g.bytes);
    assert_true(fabs(a - c) < 1e-5);
    abdb_gpt_free(&kept.g);
    abdb_gpt_free(&again.g);
    abdb_gpt_free(&parts.g);
}

/* Parameters and operations of GPT-2 as they are published: 124 and 1558 million. */
static void test_gpt2_sizes_are_as_published(void **state)
{
    abdb_problem small = {.params = 0},
                 xl = {.params = 2, .param = {{"model", "gpt2-xl", NAN}, {"layers", "2", 2}}},
                 fit = {.kernel = "gpt-train",
                        .params = 3,
                        .param = {{"model", "gpt2-xl", NAN},
                                  {"scale", "auto", NAN},
                                  {"sequence", "1024", 1024}}},
                 odd = {.params = 3,
                        .param = {{"batch", "8", 8}, {"micro_batch", "3", 3}, {"heads", "5", 5}}};
    abdb_gpt_shape s;
    abdb_work work;
    abdb_error err = {0};
    size_t layers;

    (void)state;
    assert_ok(abdb_gpt_parse_and_scale_shape(&small, &s, &err));
    assert_int_equal(abdb_gpt_parameter_count(&s), 124439808);
    abdb_gpt_count_work(&s, &work);
    assert_true(work.ops == 6.0 * (12.0 * 12 * 768 * 768 + 50257.0 * 768) * 1024 +
                                12.0 * 768 * 12 * 1024 * 1025 / 2);
    assert_ok(abdb_gpt_parse_and_scale_shape(&xl, &s, &err));
    assert_int_equal(s.layers, 2);
    assert_string_equal(abdb_param_text(&xl, "layers_of"), "48");
    s.layers = 48;
    assert_int_equal(abdb_gpt_parameter_count(&s), 1557611200);
    /* as many layers as fit, and the same again, whatever the sequence */
    fit.device = abdb_init_host_device(2);
    assert_ok(abdb_gpt_parse_and_scale_shape(&fit, &s, &err));
    layers = s.layers;
    assert_true(layers >= 1 && layers < 48);
    assert_true(abdb_param_number(&fit, "layers", 0) == (double)layers);
    fit.param[2] = (abdb_param){"sequence", "128", 128};
    assert_ok(abdb_gpt_parse_and_scale_shape(&fit, &s, &err));
    assert_true(s.layers == layers && s.sequence == 128);
    assert_status(abdb_gpt_parse_and_scale_shape(&odd, &s, &err), ABDB_USAGE);
    assert_string_equal(err.message, "batch=8 is not micro_batch=3 x accumulation=2");
}

/* With a name: that test alone. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn_tokens_have_stated_entropy),
                                       cmocka_unit_test(test_token_files_are_read_or_refused),
                                       cmocka_unit_test(test_gpt2_sizes_are_as_published),
                                       cmocka_unit_test(test_gpt_gradients_match_reference),
                                       cmocka_unit_test(test_recompute_and_micro_batches_agree),
                                       cmocka_unit_test(test_odd_lengths_match_plain_loops),
                                       cmocka_unit_test(test_loss_falls_to_source_entropy),
                                       cmocka_unit_test(test_two_ranks_learn_as_one)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    omp_set_num_threads(1); /* small networks */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
