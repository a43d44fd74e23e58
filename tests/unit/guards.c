/* guards.c - mistakes of kernels beside their results: inputs that change, writes outside of
 * tensors, bits that are dropped, outputs that are right only when they are checked. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "tests/unit/check.h"

enum {
    RIGHT,
    ROUNDS_INPUT,
    ONE_BIT_OF_INPUT,
    BEFORE,
    BEHIND,
    FAR_BEHIND,
    DROPS_BITS,
    THREE_BF16,
    IF_SPOILED,
    HALF_LATER,
    RACE,
    OLD_INPUTS
};
static struct {
    int what, bits;
    unsigned long launches;
    json_t *params; /* to whose texts a problem points */
} wrong;

static float rounded_to_bf16(float x)
{
    return abdb_bf16_to_f32(abdb_bf16_from_f32(x));
}

/* A product of f32 as six of bf16, which is what libraries sell as f32. */
static void multiply_f32_as_six_bf16_products(const abdb_problem *p)
{
    size_t n = p->tensor[0].dim[0];
    const float *a = p->tensor[0].data, *b = p->tensor[1].data;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;

            for (size_t k = 0; k < n; k++) {
                float x = a[i * n + k], y = b[k * n + j], x1 = rounded_to_bf16(x),
                      x2 = rounded_to_bf16(x - x1), x3 = rounded_to_bf16(x - x1 - x2),
                      y1 = rounded_to_bf16(y), y2 = rounded_to_bf16(y - y1),
                      y3 = rounded_to_bf16(y - y1 - y2);

                sum += x1 * y3 + x2 * y2 + x3 * y1;
                sum += x1 * y2 + x2 * y1;
                sum += x1 * y1;
            }
            ((float *)p->tensor[2].data)[i * n + j] = sum;
        }
}

/* A copy of an input whose lowest bits are 0. */
static void *copy_without_lowest_bits(const abdb_tensor *t, int bits)
{
    size_t count = abdb_tensor_element_count(t);
    uint64_t mask = ~(((uint64_t)1 << bits) - 1);
    void *out = malloc(count * abdb_dtype_size(t->dtype));

    assert_non_null(out);
    memcpy(out, t->data, count * abdb_dtype_size(t->dtype));
    for (size_t i = 0; i < count; i++)
        if (t->dtype == ABDB_F64)
            ((uint64_t *)out)[i] &= mask;
        else
            ((uint32_t *)out)[i] &= (uint32_t)mask;
    return out;
}

static abdb_status launch_without_lowest_bits(const abdb_problem *p, abdb_error *err)
{
    abdb_problem own = *p;
    abdb_status st;

    for (int t = 0; t < 2; t++)
        own.tensor[t].data = copy_without_lowest_bits(&p->tensor[t], wrong.bits);
    st = abdb_ref_gemm.launch(&own, err);
    for (int t = 0; t < 2; t++) free(own.tensor[t].data);
    return st;
}

static abdb_status launch_with_planted_mistake(void *state, abdb_error *err)
{
    abdb_problem *p = state;
    float *a = p->tensor[0].data, *c = p->tensor[2].data;
    size_t of_a = abdb_tensor_element_count(&p->tensor[0]),
           of_c = abdb_tensor_element_count(&p->tensor[2]);
    abdb_problem part = *p;

    wrong.launches++;
    if (wrong.what == DROPS_BITS) return launch_without_lowest_bits(p, err);
    if (wrong.what == THREE_BF16) {
        multiply_f32_as_six_bf16_products(p);
        return ABDB_OK;
    }
    if (wrong.what == IF_SPOILED && !isnan(c[0])) return ABDB_OK;
    if (wrong.what == ROUNDS_INPUT)
        for (size_t i = 0; i < of_a; i++) a[i] = rounded_to_bf16(a[i]);
    if (wrong.what == ONE_BIT_OF_INPUT) ((uint32_t *)p->tensor[1].data)[of_a / 3] ^= 1;
    for (int t = 0; wrong.what == OLD_INPUTS && t < 2; t++) {
        static float old[2][24 * 24];

        if (wrong.launches == 1) memcpy(old[t], p->tensor[t].data, sizeof old[t]);
        part.tensor[t].data = old[t];
    }
    if (abdb_ref_gemm.launch(&part, err) != ABDB_OK) return err->status;
    if (wrong.what == HALF_LATER && wrong.launches > 4)
        memset(c + of_c / 2, 0xFF, of_c / 2 * sizeof *c);
    if (wrong.what == RACE && abdb_random_bits_at(7, wrong.launches) % 100 == 0) c[of_c / 2] += 1;
    if (wrong.what == BEFORE) c[-1] = 0;
    if (wrong.what == BEHIND) ((char *)(c + of_c))[0] = 1;
    if (wrong.what == FAR_BEHIND) ((char *)(c + of_c))[4095] = 1;
    return ABDB_OK;
}

static const abdb_impl impl = {.provider = "wrong", .launch = launch_with_planted_mistake};

static void make_gemm_instance_with_planted_mistake(abdb_instance *c, const char *params,
                                                    bool exact, int mistake, int bits)
{
    abdb_instance_spec recipe = {.kernel = &abdb_kernel_gemm,
                                 .impl = &impl,
                                 .device = abdb_init_host_device(2),
                                 .params = wrong.params = json_loads(params, 0, NULL),
                                 .seed = 5,
                                 .exact = exact};
    abdb_error err = {0};

    wrong.what = mistake;
    wrong.bits = bits;
    wrong.launches = 0;
    assert_ok(abdb_instance_alloc_fill_and_prepare(c, &recipe, &err));
    assert_true(c->exact == exact);
}

/* What a check of two launches gives; the error in *error. */
static abdb_status launch_twice_and_verify_gemm(const char *params, bool exact, int mistake,
                                                int bits, double *error)
{
    abdb_instance c;
    abdb_verify_result checked = {0};
    abdb_error err = {0};
    abdb_status st = ABDB_OK;

    make_gemm_instance_with_planted_mistake(&c, params, exact, mistake, bits);
    for (int i = 0; i < 2 && st == ABDB_OK; i++)
        st = abdb_instances_reset_launch_and_verify_all(&c, 1, 1e9, &checked, &err);
    *error = checked.error;
    abdb_instance_release_and_clear(&c);
    json_decref(wrong.params);
    return st;
}

static void test_changed_inputs_and_writes_outside_are_found(void **state)
{
    static const char *const sizes[] = {"{\"n\":\"24\"}", "{\"n\":\"520\"}"}; /* pool: from 1 MiB */
    double error;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int all = i ? BEHIND : FAR_BEHIND;

        assert_int_equal(launch_twice_and_verify_gemm(sizes[i], false, RIGHT, 0, &error), ABDB_OK);
        assert_true(error <= 1);
        for (int mistake = ROUNDS_INPUT; mistake <= all; mistake++) {
            if (abdb_guard_bytes_before_tensor(false) == 0 && mistake >= BEFORE) continue;
            assert_int_equal(launch_twice_and_verify_gemm(sizes[i], false, mistake, 0, &error),
                             ABDB_VERIFY);
        }
    }
}

/* With numbers that need all bits, each product of fewer is wrong, whichever bits those are. */
static void test_dropped_and_split_bits_are_found(void **state)
{
    static const char *const params[] = {"{\"n\":\"40\",\"dtype\":\"f32\"}",
                                         "{\"n\":\"40\",\"dtype\":\"f32\",\"transpose\":\"tt\"}",
                                         "{\"n\":\"40\",\"dtype\":\"f64\"}",
                                         "{\"n\":\"40\",\"dtype\":\"f64\",\"transpose\":\"tn\"}"};
    double error;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(launch_twice_and_verify_gemm(params[i], true, RIGHT, 0, &error), ABDB_OK);
        assert_true(error <= 1);
        for (int bits = 1; bits <= (i < 2 ? 16 : 40); bits += 3) {
            assert_int_equal(
                launch_twice_and_verify_gemm(params[i], true, DROPS_BITS, bits, &error), ABDB_OK);
            assert_true(error > 1);
        }
    }
    assert_int_equal(launch_twice_and_verify_gemm(params[0], true, THREE_BF16, 0, &error), ABDB_OK);
    assert_true(error > 1);
}

/* Two digests differ where one bit does, wherever, or two words change places. */
static void test_digest_changes_with_any_bit_or_word_swap(void **state)
{
    enum { SIZE = 200000 };
    unsigned char *data = malloc(SIZE);
    uint64_t first;

    (void)state;
    assert_non_null(data);
    for (size_t i = 0; i < SIZE; i++) data[i] = (unsigned char)abdb_random_bits_at(3, i);
    first = abdb_digest_memory_with_process_seed(data, SIZE - 3, true);
    assert_true(first == abdb_digest_memory_with_process_seed(data, SIZE - 3, false));
    for (size_t i = 0; i < SIZE - 3; i += 997) {
        data[i] ^= (unsigned char)(1 << i % 8);
        assert_true(first != abdb_digest_memory_with_process_seed(data, SIZE - 3, true));
        data[i] ^= (unsigned char)(1 << i % 8);
    }
    data[SIZE - 1] ^= 1; /* behind the end */
    assert_true(first == abdb_digest_memory_with_process_seed(data, SIZE - 3, true));
    for (size_t i = 0; i < 8; i++) {
        unsigned char was = data[i];

        data[i] = data[i + 8];
        data[i + 8] = was;
    }
    assert_true(first != abdb_digest_memory_with_process_seed(data, SIZE - 3, true));
    free(data);
}

/* Does sampling of a verified copy find the mistake? */
static bool sampling_finds_planted_mistake(int mistake)
{
    abdb_sampling rule = {
        .warm_ups = 3, .min_samples = 10, .min_time_s = 0.02, .max_time_s = 0.02, .iqr_target = 10};
    abdb_instance c;
    abdb_verify_result checked = {0};
    abdb_samples samples;
    volatile int stop = 0;
    abdb_error err = {0};
    abdb_status st;
    void *state;

    make_gemm_instance_with_planted_mistake(&c, "{\"n\":\"24\"}", false, mistake, 0);
    assert_ok(abdb_instances_reset_launch_and_verify_all(&c, 1, 1e9, &checked, &err));
    assert_true(checked.error <= 1);
    /* As of a quick cell that began a second ago: looks have a share of that. */
    assert_ok(abdb_sample_watch_digest_outputs_and_choose_spots_to_spoil(
        &rule.watch, &c, abdb_clock_seconds() - 1, 0.1, 3, &err));
    state = c.state;
    st = abdb_warm_up_and_sample_until_stable(c.p.device, &impl, &state, 1, &rule, &stop, &samples,
                                              &err);
    if (st == ABDB_OK) abdb_samples_free(&samples);
    assert_true(st == ABDB_OK || st == ABDB_VERIFY);
    /* An input that was changed is as it was. */
    assert_ok(abdb_instance_require_inputs_guards_unchanged(&c, &err));
    abdb_sample_watch_free(rule.watch);
    abdb_instance_release_and_clear(&c);
    json_decref(wrong.params);
    return st == ABDB_VERIFY;
}

static void test_output_checks_between_samples_find_cheats(void **state)
{
    enum { TIMES = 20 };
    int raced = 0, found[3] = {0};

    (void)state;
    for (int i = 0; i < TIMES; i++) {
        assert_false(sampling_finds_planted_mistake(RIGHT));
        found[0] += sampling_finds_planted_mistake(IF_SPOILED);
        found[1] += sampling_finds_planted_mistake(HALF_LATER);
        found[2] += sampling_finds_planted_mistake(OLD_INPUTS);
        raced += sampling_finds_planted_mistake(RACE);
    }
    print_message("one wrong element in one launch of 100: found in %d of %d runs of 20 ms\n",
                  raced, TIMES);
    /* A machine that does other work leaves little time to look. */
    for (int k = 0; k < 3; k++) assert_true(4 * found[k] >= 3 * TIMES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changed_inputs_and_writes_outside_are_found),
        cmocka_unit_test(test_dropped_and_split_bits_are_found),
        cmocka_unit_test(test_digest_changes_with_any_bit_or_word_swap),
        cmocka_unit_test(test_output_checks_between_samples_find_cheats)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
