/* verify.c - mistakes of kernels that verification must see: stale outputs, outputs of another
 * copy, one element, one unit of roundoff, nothing done at all. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "kernels/providers/vec/vec.h"
#include "tests/unit/check.h"

/* What a wrong implementation does; `of` is a right one. */
enum {
    RIGHT,
    FIRST_ONLY,
    EVERY_OTHER,
    OF_ANOTHER,
    NOTHING,
    ONE_ELEMENT,
    ONE_UNIT,
    ZEROS,
    FEWER_BITS
};
static struct {
    int what;
    const abdb_impl *of;
    size_t launches;
    abdb_problem *other; /* of OF_ANOTHER: whose output is given */
    double budget_s;     /* of a check */
    int tensor, bits;    /* of FEWER_BITS: what loses so many of its lowest bits, of f32 */
} wrong = {.budget_s = 1e9};

static abdb_status prepare_with_problem_as_state(void **state, const abdb_problem *p,
                                                 abdb_error *err)
{
    (void)err;
    *state = (void *)(uintptr_t)p;
    return ABDB_OK;
}

/* The output of a problem: its last tensor. */
static abdb_tensor *last_tensor_of_problem(abdb_problem *p)
{
    return &p->tensor[p->tensors - 1];
}

static abdb_status prepare_launch_close_right_implementation(abdb_problem *p, abdb_error *err)
{
    void *own = p;
    abdb_status st = ABDB_OK;

    if (wrong.of->prepare) TRY(wrong.of->prepare(&own, p, err));
    st = wrong.of->launch(own, err);
    if (wrong.of->close) wrong.of->close(own);
done:
    return st;
}

/* The right implementation, of an input that has lost bits. */
static abdb_status launch_right_implementation_of_fewer_bits(const abdb_problem *p, abdb_error *err)
{
    abdb_problem less = *p;
    const abdb_tensor *t = &p->tensor[wrong.tensor];
    size_t count = abdb_tensor_element_count(t);
    uint32_t *cut = malloc(count * sizeof *cut);
    abdb_status st;

    assert_non_null(cut);
    for (size_t i = 0; i < count; i++)
        cut[i] = ((const uint32_t *)t->data)[i] >> wrong.bits << wrong.bits;
    less.tensor[wrong.tensor].data = cut;
    st = prepare_launch_close_right_implementation(&less, err);
    free(cut);
    return st;
}

static abdb_status launch_with_planted_mistake(void *state, abdb_error *err)
{
    abdb_problem *p = state;
    abdb_tensor *out = last_tensor_of_problem(p);
    /* One element near the middle: neither the first nor the last, which any check would look
     * at. */
    size_t at = abdb_tensor_element_count(out) / 2 + 1, nth = wrong.launches++;

    if (wrong.what == NOTHING || (wrong.what == FIRST_ONLY && nth > 0) ||
        (wrong.what == EVERY_OTHER && nth % 2))
        return ABDB_OK;
    if (wrong.what == FEWER_BITS) return launch_right_implementation_of_fewer_bits(p, err);
    if (prepare_launch_close_right_implementation(p, err) != ABDB_OK) return err->status;
    if (wrong.what == ONE_ELEMENT)
        abdb_tensor_set_rounded(out, at, abdb_tensor_get_f64(out, at) + 1);
    if (wrong.what == ONE_UNIT) ((uint16_t *)out->data)[at] ^= 1; /* of bf16 */
    if (wrong.what == ZEROS)
        memset(out->data, 0, abdb_tensor_element_count(out) * abdb_dtype_size(out->dtype));
    if (wrong.what == OF_ANOTHER && wrong.other && wrong.other != p)
        memcpy(out->data, last_tensor_of_problem(wrong.other)->data,
               abdb_tensor_element_count(out) * abdb_dtype_size(out->dtype));
    /* Two copies are launched in turn: `other` is the one before. */
    wrong.other = p;
    return ABDB_OK;
}

static const abdb_impl impl = {.provider = "wrong",
                               .prepare = prepare_with_problem_as_state,
                               .launch = launch_with_planted_mistake};

/* The error that a check finds of two copies after some launches; exact: of inputs whose result
 * is. */
static double error_verification_finds_of_mistake(const abdb_kernel *kernel,
                                                  const abdb_impl *right_impl, int mistake,
                                                  bool exact, const char *params)
{
    json_t *object = json_loads(params, 0, NULL);
    abdb_instance copies[2] = {{.state = NULL}, {.state = NULL}};
    abdb_verify_result checked = {0};
    abdb_error err = {0};

    assert_non_null(object);
    wrong.what = mistake;
    wrong.of = right_impl;
    wrong.launches = 0;
    wrong.other = NULL;
    for (size_t i = 0; i < 2; i++) {
        const abdb_instance_spec recipe = {.kernel = kernel,
                                           .impl = &impl,
                                           .device = abdb_init_host_device(2),
                                           .params = object,
                                           .seed = i,
                                           .exact = exact};

        assert_ok(abdb_instance_alloc_fill_and_prepare(&copies[i], &recipe, &err));
        if (exact) assert_true(copies[i].exact);
    }
    /* Twice: some mistakes are made from the second launch on only. */
    for (int i = 0; i < 2; i++)
        assert_ok(
            abdb_instances_reset_launch_and_verify_all(copies, 2, wrong.budget_s, &checked, &err));
    for (size_t i = 0; i < 2; i++) abdb_instance_release_and_clear(&copies[i]);
    json_decref(object);
    assert_true(checked.rows_checked_share == 1 ||
                checked.error > 1); /* all was looked at, or it was wrong */
    return checked.error;
}

static void test_stale_or_borrowed_outputs_are_found(void **state)
{
    static const int kinds[] = {FIRST_ONLY, EVERY_OTHER, OF_ANOTHER, NOTHING, ONE_ELEMENT, ZEROS};
    const char *params = "{\"n\":\"40\"}";

    (void)state;
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gemm, &abdb_ref_gemm, RIGHT, false,
                                                    params) <= 1);
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gemm, &abdb_ref_gemm, RIGHT, true,
                                                    params) <= 1);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        assert_true(error_verification_finds_of_mistake(&abdb_kernel_gemm, &abdb_ref_gemm, kinds[i],
                                                        false, params) > 1);
        assert_true(error_verification_finds_of_mistake(&abdb_kernel_gemm, &abdb_ref_gemm, kinds[i],
                                                        true, params) > 1);
    }
}

/* Attention over so many keys that the mean of their values is nearly nothing. */
static void test_zeros_for_attention_are_found(void **state)
{
    const char *params = "{\"dtype\":\"bf16\",\"batch\":\"1\",\"heads\":\"4\",\"kv_heads\":\"2\","
                         "\"d\":\"32\",\"sequence\":\"4096\"}";

    (void)state;
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_paged, &abdb_ref_paged, RIGHT,
                                                    false, params) <= 1);
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_paged, &abdb_ref_paged, ZEROS,
                                                    false, params) > 1);
}

static void test_one_wrong_bit_of_bf16_is_found(void **state)
{
    const char *params = "{\"dtype\":\"bf16\",\"m\":\"20\",\"n\":\"30\",\"k\":\"500\"}";

    (void)state;
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gemm, &abdb_ref_gemm, RIGHT, true,
                                                    params) <= 1);
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gemm, &abdb_ref_gemm, ONE_UNIT,
                                                    true, params) > 1);
}

/* Exact inputs need the bits of each input: 24 of a product, 20 of attention, whose gradients add
 * up in f32. */
static void test_dropped_bits_of_inputs_are_found(void **state)
{
    static const struct {
        const abdb_kernel *kernel;
        const abdb_impl *right;
        const char *params;
        int tensors, bits;
    } cells[] = {
        {&abdb_kernel_gemm, &abdb_ref_gemm, "{\"n\":\"40\"}", 2, 1},
        {&abdb_kernel_attention, &abdb_ref_attention,
         "{\"heads\":\"4\",\"kv_heads\":\"2\",\"queries\":\"30\",\"keys\":\"70\",\"d\":\"40\","
         "\"causal\":\"yes\"}",
         3, 5},
        {&abdb_kernel_attention, &abdb_ref_attention,
         "{\"heads\":\"4\",\"kv_heads\":\"2\",\"queries\":\"30\",\"keys\":\"70\",\"d\":\"40\","
         "\"pass\":\"backward\"}",
         3, 5},
        {&abdb_kernel_paged, &abdb_ref_paged,
         "{\"batch\":\"2\",\"heads\":\"4\",\"kv_heads\":\"2\",\"d\":\"32\",\"sequence\":\"96\","
         "\"block\":\"16\"}",
         3, 5}};

    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        assert_true(error_verification_finds_of_mistake(cells[i].kernel, cells[i].right, RIGHT,
                                                        true, cells[i].params) <= 1);
        wrong.bits = cells[i].bits;
        for (wrong.tensor = 0; wrong.tensor < cells[i].tensors; wrong.tensor++)
            assert_true(error_verification_finds_of_mistake(cells[i].kernel, cells[i].right,
                                                            FEWER_BITS, true, cells[i].params) > 1);
    }
}

/* Vectors that are only moved are all looked at, however little time there is. */
static void test_moved_vectors_are_checked_whole(void **state)
{
    static const char *const params[] = {
        "{\"rows\":\"200000\",\"bytes\":\"64\",\"fraction\":\"1\"}",
        "{\"op\":\"scatter\",\"rows\":\"200000\",\"bytes\":\"64\"}"};

    (void)state;
    wrong.budget_s = 0;
    for (int i = 0; i < 2; i++) {
        assert_true(error_verification_finds_of_mistake(&abdb_kernel_gather, &abdb_ref_gather,
                                                        RIGHT, false, params[i]) <= 1);
        assert_true(error_verification_finds_of_mistake(&abdb_kernel_gather, &abdb_ref_gather,
                                                        ONE_ELEMENT, false, params[i]) > 1);
        assert_true(error_verification_finds_of_mistake(&abdb_kernel_gather, &abdb_ref_gather,
                                                        NOTHING, false, params[i]) > 1);
    }
    wrong.budget_s = 1e9;
}

/* What is read and written is as it was before each launch. */
static void test_inout_tensors_are_restored(void **state)
{
    const char *scatter = "{\"op\":\"scatter\",\"rows\":\"300\",\"bytes\":\"64\"}",
               *updates = "{\"words\":\"1024\",\"updates\":\"4096\",\"parts\":\"2\"}";

    (void)state;
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gather, &abdb_ref_gather, RIGHT,
                                                    false, scatter) <= 1);
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gather, &abdb_ref_gather, NOTHING,
                                                    false, scatter) > 1);
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gather, &abdb_ref_gather,
                                                    ONE_ELEMENT, false, scatter) > 1);
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gups, &abdb_ref_gups, RIGHT, false,
                                                    updates) <= 1);
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gups, &abdb_ref_gups, NOTHING,
                                                    false, updates) > 1);
    assert_true(error_verification_finds_of_mistake(&abdb_kernel_gups, &abdb_ref_gups, FIRST_ONLY,
                                                    false, updates) > 1);
}

static double get_element_of_a(const abdb_problem *p, size_t i, size_t k)
{
    return abdb_tensor_get_f64(&p->tensor[0], i * p->tensor[0].dim[1] + k);
}

static double get_element_of_b(const abdb_problem *p, size_t k, size_t j)
{
    return abdb_tensor_get_f64(&p->tensor[1], k * p->tensor[1].dim[1] + j);
}

/* One wrong element of 90,000 marks its row and no other; so does one that is no whole number. */
static void test_freivalds_marks_only_the_wrong_row(void **state)
{
    enum { N = 300, K = 50 };
    static float a[N * K], b[K * N], c[N * N];
    abdb_problem p = {.tensors = 3,
                      .tensor = {abdb_tensor_contiguous(ABDB_F32, ABDB_IN, N, K, 0, 0),
                                 abdb_tensor_contiguous(ABDB_F32, ABDB_IN, K, N, 0, 0),
                                 abdb_tensor_contiguous(ABDB_F32, ABDB_OUT, N, N, 0, 0)}};
    abdb_freivalds_product q = {.p = &p,
                                .a = get_element_of_a,
                                .b = get_element_of_b,
                                .c = &p.tensor[2],
                                .rows = N,
                                .depth = K,
                                .columns = N};
    abdb_error err = {0};

    (void)state;
    p.tensor[0].data = a;
    p.tensor[1].data = b;
    p.tensor[2].data = c;
    for (size_t i = 0; i < N * K; i++) {
        a[i] = (float)abdb_random_nonzero_integer(1, i, 8);
        b[i] = (float)abdb_random_nonzero_integer(2, i, 8);
    }
    for (size_t i = 0; i < N * N; i++)
        for (size_t k = 0; k < K; k++) c[i] += a[i / N * K + k] * b[k * N + i % N];
    for (int kind = 0; kind < 4; kind++) {
        unsigned char marks[N] = {0};
        float *one = &c[123 * N + 17], was = *one;

        *one += kind == 1 ? 1 : kind == 2 ? 0.5f : kind == 3 ? NAN : 0;
        assert_ok(abdb_freivalds_mark_wrong_rows(&q, 7, marks, &err));
        for (size_t i = 0; i < N; i++) assert_int_equal(marks[i], kind > 0 && i == 123);
        *one = was;
    }
}

/* A reference that takes its time: how often it was asked, and for how many rows at once. */
static struct {
    size_t calls, most;
    double ops; /* of a launch */
} slow;

static void count_work_of_slow_kernel(const abdb_problem *p, abdb_work *out)
{
    (void)p;
    *out = (abdb_work){.ops = slow.ops};
}

static void sleep_5ms_count_calls_output_zeros(const abdb_problem *p, int tensor, const size_t *row,
                                               size_t n, double *out, double *magnitude)
{
    const struct timespec nap = {.tv_nsec = 5000000};

    (void)row;
    (void)magnitude;
    memset(out, 0, n * p->tensor[tensor].dim[1] * sizeof *out);
#pragma omp critical(slow)
    {
        slow.calls++;
        if (n > slow.most) slow.most = n;
    }
    nanosleep(&nap, NULL);
}

/* Comparisons end soon after their time is up, and no piece is longer than it must be. */
static void test_verification_keeps_time_budget(void **state)
{
    static float zeros[65536 * 16];
    static const abdb_kernel kernel = {.count_work = count_work_of_slow_kernel,
                                       .reference_rows = sleep_5ms_count_calls_output_zeros,
                                       .error_bound = abdb_error_bound_zero};
    const abdb_verify_options how = {.kernel = &kernel, .budget_s = 0.02};
    abdb_problem p = {.tensors = 1,
                      .tensor = {abdb_tensor_contiguous(ABDB_F32, ABDB_OUT, 65536, 16, 0, 0)}};
    abdb_verify_result checked;
    abdb_error err = {0};

    (void)state;
    p.tensor[0].data = zeros;
    assert_ok(abdb_verify_outputs_against_reference(&how, &p, &p, &checked, &err));
    assert_true(checked.error == 0 && checked.rows_checked_share > 0 &&
                checked.rows_checked_share < 1);
    assert_true(slow.calls >= 2 && slow.calls <= 5 * (size_t)omp_get_max_threads() + 2);
    assert_int_equal(slow.most, 256);
    slow.ops = 65536 * 1e7; /* long rows: few at once, however narrow */
    slow.most = 0;
    assert_ok(abdb_verify_outputs_against_reference(&how, &p, &p, &checked, &err));
    assert_int_equal(slow.most, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stale_or_borrowed_outputs_are_found),
                                       cmocka_unit_test(test_zeros_for_attention_are_found),
                                       cmocka_unit_test(test_one_wrong_bit_of_bf16_is_found),
                                       cmocka_unit_test(test_inout_tensors_are_restored),
                                       cmocka_unit_test(test_dropped_bits_of_inputs_are_found),
                                       cmocka_unit_test(test_moved_vectors_are_checked_whole),
                                       cmocka_unit_test(test_freivalds_marks_only_the_wrong_row),
                                       cmocka_unit_test(test_verification_keeps_time_budget)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
