/* network.c - tests of the kernels of networks: attention, layers, element-wise, embeddings,
 * blocks. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/kernel_check.h"

static const char *const formats[] = {"f32", "bf16", "f16"};

/* A problem by text, by every instruction set, and by the reference: at an aligned address by one
 * thread or one element beside it by two, in turn from problem to problem; with THOROUGH both. */
static void assert_right_on_every_isa_and_reference(const abdb_kernel *kernel,
                                                    const abdb_impl *impl,
                                                    const abdb_impl *reference, const char *text)
{
    static size_t turn;
    const char *thorough = getenv("THOROUGH");
    size_t ways = thorough && *thorough ? 2 : 1;
    char copy[256];
    abdb_problem p;

    turn++;
    for (size_t i = 0; i < ways * SETS; i++) {
        size_t set = i % SETS, two = (turn + turn / 8 + i + i / SETS) % 2;
        double error;

        snprintf(copy, sizeof copy, "%s isa=%s threads=%zu", text, sets[set], two + 1);
        p = parse_problem_splitting_text_in_place(kernel->name, copy);
        error = setup_and_run_at_offset_return_error_ratio(kernel, impl, &p, two);
        if (error > 1) fail_msg("%s %s (%s): error %g", kernel->name, text, sets[set], error);
    }
    snprintf(copy, sizeof copy, "%s threads=1", text);
    p = parse_problem_splitting_text_in_place(kernel->name, copy);
    if (setup_and_run_at_offset_return_error_ratio(kernel, reference, &p, 0) > 1)
        fail_msg("the reference of %s %s", kernel->name, text);
}

static void test_elementwise_matches_reference(void **state)
{
    static const char *const ops[] = {"softmax", "layernorm", "rmsnorm",       "gelu",
                                      "silu",    "rotary",    "cross-entropy", "adamw"};
    static const int sizes[][2] = {{1, 2}, {3, 34}, {7, 256}, {2, 1030}};

    (void)state;
    for (size_t i = 0; i < 8 * 4 * 3; i++) {
        char text[128];

        snprintf(text, sizeof text, "op=%s dtype=%s rows=%d columns=%d", ops[i % 8],
                 formats[i / 8 % 3], sizes[i / 24][0], sizes[i / 24][1]);
        assert_right_on_every_isa_and_reference(&abdb_kernel_elementwise, &abdb_vec_elementwise,
                                                &abdb_ref_elementwise, text);
    }
    assert_right_on_every_isa_and_reference(&abdb_kernel_elementwise, &abdb_vec_elementwise,
                                            &abdb_ref_elementwise,
                                            "op=softmax rows=5 columns=128 stores=plain");
}

static void test_attention_matches_reference(void **state)
{
    static const char *const texts[] = {
        "heads=1 sequence=1 d=4",
        "heads=2 sequence=33 d=10 causal=yes",
        "heads=4 kv_heads=2 queries=7 keys=300 d=64 causal=yes",
        "batch=2 heads=1 sequence=150 d=130",
        "batch=3 heads=6 kv_heads=2 queries=1 keys=77 d=64",
        "heads=5 kv_heads=1 queries=1 keys=129 d=32",
        "heads=1 queries=1 keys=1000 d=16",
        "heads=2 sequence=290 d=16 causal=yes",
        "heads=2 kv_heads=1 queries=150 keys=190 d=20 causal=yes",
    };

    (void)state;
    for (size_t i = 0; i < 9 * 3 * 3; i++) {
        static const char *const ways[] = {"algorithm=flash", "algorithm=plain", "pass=backward"};
        char text[160];

        snprintf(text, sizeof text, "%s dtype=%s %s", texts[i % 9], formats[i / 9 % 3],
                 ways[i / 27]);
        assert_right_on_every_isa_and_reference(&abdb_kernel_attention, &abdb_vec_attention_impl,
                                                &abdb_ref_attention, text);
    }
}

static void test_paged_attention_matches_reference(void **state)
{
    static const char *const texts[] = {"batch=3 heads=4 kv_heads=1 d=32 sequence=70 block=16",
                                        "batch=2 heads=6 kv_heads=2 d=64 sequence=129 block=32",
                                        "batch=1 heads=1 d=16 sequence=5 block=1",
                                        "batch=9 heads=9 kv_heads=1 d=48 sequence=64 block=8"};

    (void)state;
    for (size_t i = 0; i < 4 * 3 * 4; i++) {
        char text[160];

        snprintf(text, sizeof text, "%s dtype=%s layout=%s padding=%s", texts[i % 4],
                 formats[i / 4 % 3], i / 12 % 2 ? "table" : "list", i / 24 ? "0.6" : "0");
        assert_right_on_every_isa_and_reference(&abdb_kernel_paged, &abdb_vec_paged,
                                                &abdb_ref_paged, text);
    }
}

static void test_linear_layer_matches_reference(void **state)
{
    static const char *const texts[] = {
        "m=1 n=1 k=1",
        "m=3 n=33 k=20 sparsity=0.5",
        "m=70 n=40 k=64 sparsity=0.9 pattern=unstructured",
        "m=130 n=64 k=192 sparsity=0.6 pattern=block",
        "m=2 n=96 k=64 sparsity=0.99 pattern=block",
        "m=5 n=17 k=8 pattern=2:4",
        "m=9 n=70 k=300 weights=i8",
        "m=125 n=31 k=64 weights=i4",
        "m=1 n=65 k=320 weights=i4",
        "m=15 n=33 k=288 weights=i4",
        "m=7 n=100 k=1 weights=i8",
        "m=16 n=32 k=600 weights=i8",
        "m=13 n=70 k=33 weights=i8 activations=i8",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_right_on_every_isa_and_reference(&abdb_kernel_linear, &abdb_vec_linear_impl,
                                                &abdb_ref_linear, texts[i]);
}

static void test_bag_and_gups_match_reference(void **state)
{
    static const char *const texts[] = {"tables=1 rows=1 lookups=1 batch=1 bytes=4",
                                        "tables=3 rows=50 lookups=7 batch=5 bytes=60",
                                        "tables=2 rows=99 lookups=100 batch=3 bytes=256",
                                        "tables=4 rows=9 lookups=70 batch=2 bytes=1100",
                                        "tables=5 rows=20 lookups=3 batch=1 bytes=4096"};
    static const int fractions[] = {1, 2};

    (void)state;
    for (size_t i = 0; i < 5 * 2; i++) {
        char text[160];

        snprintf(text, sizeof text, "%s mode=%s", texts[i % 5], i / 5 ? "single" : "batched");
        assert_right_on_every_isa_and_reference(&abdb_kernel_embedding, &abdb_vec_embedding,
                                                &abdb_ref_embedding, text);
    }
    for (size_t i = 0; i < 2; i++) {
        char text[64];
        abdb_problem p;

        snprintf(text, sizeof text, "words=1024 updates=1000 parts=%d threads=%d", fractions[i],
                 fractions[i]);
        p = parse_problem_splitting_text_in_place("gups", text);
        assert_true(setup_and_run_at_offset_return_error_ratio(&abdb_kernel_gups, &abdb_vec_gups,
                                                               &p, 0) == 0);
    }
}

static void test_transformer_block_matches_reference(void **state)
{
    static const char *const texts[] = {"batch=1 sequence=1 d=32 heads=2",
                                        "batch=2 sequence=37 d=64 heads=4",
                                        "batch=1 sequence=150 d=96 heads=3"};

    (void)state;
    for (size_t i = 0; i < 3 * 3 * 2; i++) {
        char text[160];

        snprintf(text, sizeof text, "%s dtype=%s pass=%s", texts[i % 3], formats[i / 3 % 3],
                 i / 9 ? "backward" : "forward");
        assert_right_on_every_isa_and_reference(&abdb_kernel_block, &abdb_vec_block,
                                                &abdb_ref_block, text);
    }
}

/* --- properties ------------------------------------------------------------------------------- */

/* A problem that has run once. */
static abdb_problem make_filled_problem_launch_if_no_prepare(const abdb_kernel *kernel,
                                                             const abdb_impl *impl, char *text,
                                                             void **state)
{
    abdb_problem p = parse_problem_splitting_text_in_place(kernel->name, text);
    abdb_error err = {0};

    assert_ok(kernel->setup_tensors(&p, &limits, &err));
    for (int i = 0; i < p.tensors; i++) { /* aligned, as a backend gives them */
        size_t size = abdb_tensor_element_count(&p.tensor[i]) * abdb_dtype_size(p.tensor[i].dtype);

        p.tensor[i].data = aligned_alloc(64, (size + 63) / 64 * 64);
        if (p.tensor[i].role != ABDB_OUT) abdb_fill_tensor_uniform(&p.tensor[i], (unsigned)i);
    }
    if (kernel->prepare_inputs) kernel->prepare_inputs(&p, 0);
    *state = NULL;
    if (!impl->prepare) assert_ok(impl->launch(&p, &err));
    return p;
}

/* Prepares, launches and closes: what prepare packed is what there is now. */
static void prepare_launch_and_close(const abdb_impl *impl, abdb_problem *p)
{
    abdb_error err = {0};
    void *made;

    assert_ok(impl->prepare(&made, p, &err));
    assert_ok(impl->launch(made, &err));
    impl->close(made);
}

static void test_softmax_rows_sum_to_one(void **state)
{
    char text[] = "op=softmax rows=20 columns=333";
    abdb_problem p = make_filled_problem_launch_if_no_prepare(&abdb_kernel_elementwise,
                                                              &abdb_vec_elementwise, text, state);

    for (size_t j = 0; j < 150; j++) { /* masks: the largest number comes late */
        abdb_tensor_set_rounded(&p.tensor[0], 333 + j, -INFINITY);
        abdb_tensor_set_rounded(&p.tensor[0], 2 * 333 + j, -3e38);
    }
    prepare_launch_and_close(&abdb_vec_elementwise, &p);
    for (size_t j = 0; j < 2 * 150; j++)
        assert_true(abdb_tensor_get_f64(&p.tensor[1], (1 + j / 150) * 333 + j % 150) == 0);
    for (size_t r = 0; r < 20; r++) {
        double sum = 0;

        for (size_t j = 0; j < 333; j++) sum += abdb_tensor_get_f64(&p.tensor[1], r * 333 + j);
        assert_true(fabs(sum - 1) < 1e-5);
    }
    free_all_tensors(&p);
}

/* The sum of an output times fixed numbers. */
static double tensor_dot_product(const abdb_tensor *out, const abdb_tensor *weights)
{
    double sum = 0;

    for (size_t i = 0; i < abdb_tensor_element_count(out); i++)
        sum += abdb_tensor_get_f64(out, i) * abdb_tensor_get_f64(weights, i);
    return sum;
}

/* Along a random direction of one input the slope of forward is what backward says. */
static void assert_gradient_matches_difference(const abdb_impl *impl, abdb_problem *forward,
                                               int input, int output, const abdb_tensor *dy,
                                               const abdb_tensor *gradient)
{
    const double step = 1e-2;
    abdb_tensor *x = &forward->tensor[input];
    size_t n = abdb_tensor_element_count(x);
    double *was = calloc(n, sizeof *was), *way = calloc(n, sizeof *way), side[2], said = 0,
           size = 0;
    uint64_t random = 0x9E3779B97F4A7C15u;

    assert_true(was && way);
    for (size_t i = 0; i < n; i++) {
        was[i] = abdb_tensor_get_f64(x, i);
        way[i] = ((double)(abdb_xorshift64_next(&random) >> 11) * 0x1p-52 - 1) / sqrt((double)n);
        said += way[i] * abdb_tensor_get_f64(gradient, i);
        size += pow(abdb_tensor_get_f64(gradient, i), 2) / (double)n;
    }
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < n; j++)
            abdb_tensor_set_rounded(x, j, was[j] + (i ? step : -step) * way[j]);
        prepare_launch_and_close(impl, forward);
        side[i] = tensor_dot_product(&forward->tensor[output], dy);
    }
    for (size_t j = 0; j < n; j++) abdb_tensor_set_rounded(x, j, was[j]);
    if (!(fabs((side[1] - side[0]) / (2 * step) - said) < 0.02 * (sqrt(size) + fabs(said))))
        fail_msg("input %d: slope %g, backward says %g", input, (side[1] - side[0]) / (2 * step),
                 said);
    free(was);
    free(way);
}

static void test_attention_gradients_match_differences(void **state)
{
    char f[] = "heads=4 kv_heads=2 sequence=40 d=16 causal=yes",
         b[] = "heads=4 kv_heads=2 sequence=40 d=16 causal=yes pass=backward";
    abdb_problem forward = make_filled_problem_launch_if_no_prepare(
                     &abdb_kernel_attention, &abdb_vec_attention_impl, f, state),
                 backward = make_filled_problem_launch_if_no_prepare(
                     &abdb_kernel_attention, &abdb_vec_attention_impl, b, state);

    prepare_launch_and_close(&abdb_vec_attention_impl, &forward);
    for (int i = 0; i < 5; i++) { /* the same Q, K, V; O and L as forward made them */
        int to = i < 4 ? i : 5;

        memcpy(backward.tensor[to].data, forward.tensor[i].data,
               abdb_tensor_element_count(&forward.tensor[i]) * sizeof(float));
    }
    prepare_launch_and_close(&abdb_vec_attention_impl, &backward);
    for (int i = 0; i < 3; i++)
        assert_gradient_matches_difference(&abdb_vec_attention_impl, &forward, i, 3,
                                           &backward.tensor[4], &backward.tensor[6 + i]);
    free_all_tensors(&forward);
    free_all_tensors(&backward);
}

static void test_block_gradients_match_differences(void **state)
{
    char f[] = "batch=2 sequence=20 d=32 heads=2",
         b[] = "batch=2 sequence=20 d=32 heads=2 pass=backward";
    abdb_problem forward = make_filled_problem_launch_if_no_prepare(&abdb_kernel_block,
                                                                    &abdb_vec_block, f, state),
                 backward = make_filled_problem_launch_if_no_prepare(&abdb_kernel_block,
                                                                     &abdb_vec_block, b, state);

    for (int i = 0; i < 2; i++) /* the same x and parameters */
        memcpy(forward.tensor[i].data, backward.tensor[i].data,
               abdb_tensor_element_count(&forward.tensor[i]) * sizeof(float));
    prepare_launch_and_close(&abdb_vec_block, &backward);
    for (int i = 0; i < 2; i++)
        assert_gradient_matches_difference(&abdb_vec_block, &forward, i, 2, &backward.tensor[2],
                                           &backward.tensor[3 + i]);
    free_all_tensors(&forward);
    free_all_tensors(&backward);
}

/* A NaN of one query stays in its row; of a value it reaches those that see it. */
static void test_attention_nan_reaches_only_its_rows(void **state)
{
    static const char *const ways[] = {"algorithm=flash", "algorithm=plain"};

    for (size_t way = 0; way < 2; way++) {
        char text[128];
        abdb_problem p;

        snprintf(text, sizeof text, "heads=1 sequence=200 d=32 causal=yes %s", ways[way]);
        p = make_filled_problem_launch_if_no_prepare(&abdb_kernel_attention,
                                                     &abdb_vec_attention_impl, text, state);
        abdb_tensor_set_rounded(&p.tensor[0], 7 * 32 + 3, NAN);
        abdb_tensor_set_rounded(&p.tensor[2], 150 * 32 + 5, NAN);
        prepare_launch_and_close(&abdb_vec_attention_impl, &p);
        for (size_t i = 0; i < 200; i++)
            for (size_t j = 0; j < 32; j++) /* 0 times NaN: before the value all is possible */
                if (i >= 150 || j != 5)
                    assert_int_equal(isnan(abdb_tensor_get_f64(&p.tensor[3], i * 32 + j)) != 0,
                                     i == 7 || j == 5);
        free_all_tensors(&p);
    }
}

static void test_elementwise_nan_stays_in_its_row(void **state)
{
    static const char *const ops[] = {"softmax", "layernorm", "rmsnorm", "gelu", "silu"};

    for (size_t i = 0; i < 5 * 3; i++) {
        char text[96];
        abdb_problem p;
        size_t out;

        snprintf(text, sizeof text, "op=%s rows=3 columns=50 dtype=%s", ops[i % 5], formats[i / 5]);
        p = make_filled_problem_launch_if_no_prepare(&abdb_kernel_elementwise,
                                                     &abdb_vec_elementwise, text, state);
        out = (size_t)p.tensors - 1;
        abdb_tensor_set_rounded(&p.tensor[0], 50 + 20, NAN);
        abdb_tensor_set_rounded(&p.tensor[0], 49,
                                i < 10 ? -3e30 : -6e4); /* large numbers have a value */
        prepare_launch_and_close(&abdb_vec_elementwise, &p);
        for (size_t j = 0; j < 150; j++) {
            bool row = i % 5 < 3 ? j / 50 == 1 : j == 70;

            assert_int_equal(isnan(abdb_tensor_get_f64(&p.tensor[out], j)) != 0, row);
        }
        free_all_tensors(&p);
    }
}

/* The same numbers however it is asked for: tables at once or one by one, a list or a table. */
static void test_modes_and_layouts_give_same_output(void **state)
{
    char one[] = "tables=3 rows=50 lookups=9 batch=4 bytes=128 mode=single",
         all[] = "tables=3 rows=50 lookups=9 batch=4 bytes=128 mode=batched";
    abdb_problem a = make_filled_problem_launch_if_no_prepare(&abdb_kernel_embedding,
                                                              &abdb_vec_embedding, one, state),
                 b = make_filled_problem_launch_if_no_prepare(&abdb_kernel_embedding,
                                                              &abdb_vec_embedding, all, state);
    char list[] = "batch=3 heads=4 kv_heads=2 d=32 sequence=96 block=16 padding=0.5 layout=list",
         table[] = "batch=3 heads=4 kv_heads=2 d=32 sequence=96 block=16 padding=0.5 layout=table";
    abdb_problem c = make_filled_problem_launch_if_no_prepare(&abdb_kernel_paged, &abdb_vec_paged,
                                                              list, state),
                 d = make_filled_problem_launch_if_no_prepare(&abdb_kernel_paged, &abdb_vec_paged,
                                                              table, state);

    assert_memory_equal(a.tensor[2].data, b.tensor[2].data, 3 * 4 * 128);
    prepare_launch_and_close(&abdb_vec_paged, &c);
    prepare_launch_and_close(&abdb_vec_paged, &d);
    for (size_t i = 0; i < abdb_tensor_element_count(&c.tensor[5]); i++)
        assert_true(fabs(abdb_tensor_get_f64(&c.tensor[5], i) -
                         abdb_tensor_get_f64(&d.tensor[5], i)) < 1e-5);
    free_all_tensors(&a);
    free_all_tensors(&b);
    free_all_tensors(&c);
    free_all_tensors(&d);
}

static void test_impossible_parameters_are_refused(void **state)
{
    static const struct {
        const abdb_kernel *kernel;
        const char *text;
    } cases[] = {{&abdb_kernel_attention, "heads=3 kv_heads=2"},
                 {&abdb_kernel_attention, "causal=maybe"},
                 {&abdb_kernel_attention, "causal=yes queries=9 keys=8"},
                 {&abdb_kernel_attention, "dtype=i8"},
                 {&abdb_kernel_paged, "padding=1"},
                 {&abdb_kernel_paged, "heads=3 kv_heads=2"},
                 {&abdb_kernel_elementwise, "op=sigmoid"},
                 {&abdb_kernel_elementwise, "op=rotary columns=7"},
                 {&abdb_kernel_embedding, "bytes=6"},
                 {&abdb_kernel_gups, "words=7 parts=2"},
                 {&abdb_kernel_linear, "sparsity=1"},
                 {&abdb_kernel_linear, "pattern=2:4 sparsity=0.7"},
                 {&abdb_kernel_linear, "activations=i8"},
                 {&abdb_kernel_linear, "weights=i4 k=33"},
                 {&abdb_kernel_block, "d=100 heads=25"},
                 {&abdb_kernel_stream, "grain=3"},
                 {&abdb_kernel_stream, "unroll=3"},
                 {&abdb_kernel_gemm, "weights=folded"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        abdb_problem p;
        abdb_error err = {0};

        snprintf(text, sizeof text, "%s", cases[i].text);
        p = parse_problem_splitting_text_in_place(cases[i].kernel->name, text);
        if (cases[i].kernel->setup_tensors(&p, &limits, &err) != ABDB_USAGE)
            fail_msg("%s %s was accepted", cases[i].kernel->name, cases[i].text);
        assert_non_null(strstr(err.message, cases[i].kernel->name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elementwise_matches_reference),
                                       cmocka_unit_test(test_attention_matches_reference),
                                       cmocka_unit_test(test_paged_attention_matches_reference),
                                       cmocka_unit_test(test_linear_layer_matches_reference),
                                       cmocka_unit_test(test_bag_and_gups_match_reference),
                                       cmocka_unit_test(test_transformer_block_matches_reference),
                                       cmocka_unit_test(test_softmax_rows_sum_to_one),
                                       cmocka_unit_test(test_attention_gradients_match_differences),
                                       cmocka_unit_test(test_block_gradients_match_differences),
                                       cmocka_unit_test(test_attention_nan_reaches_only_its_rows),
                                       cmocka_unit_test(test_elementwise_nan_stays_in_its_row),
                                       cmocka_unit_test(test_modes_and_layouts_give_same_output),
                                       cmocka_unit_test(test_impossible_parameters_are_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
