/* dlrm.c - tests of recommendation models: their numbers against plain loops in double, tables
 * in several pieces of memory, and what an inference is said to do. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "kernels/providers/vec/vec.h"
#include "kernels/workloads/dlrm_check.h"
#include "tests/unit/check.h"

static double zero_clock(void)
{
    return 0;
}

static double dlrm_error_over_bound_against_loops(const abdb_parts *parts, const char *model,
                                                  abdb_dtype dtype, size_t width, size_t batch)
{
    abdb_run_context stage;
    abdb_problem p;
    abdb_spans spans;
    abdb_dlrm_shape s;
    abdb_error err = {0};
    const char *at;
    double error = NAN;

    spans = (abdb_spans){.now = zero_clock};
    stage = (abdb_run_context){
        .p = &p, .device = abdb_init_host_device(2), .parts = parts, .spans = &spans};
    p = (abdb_problem){.kernel = "dlrm", .params = 1, .param = {{"model", model, NAN}}};
    assert_ok(abdb_dlrm_parse_and_scale_shape(&p, &s, &err));
    s.dtype = dtype;
    s.width = width;
    s.batch = batch;
    s.rows = 50;
    abdb_dlrm_set_bottom_joined_padded_widths(&s);
    assert_ok(abdb_dlrm_verify_small_model(&stage, &s, &error, &at, &err));
    assert_true(!spans.overflowed && spans.deep == 0);
    return error;
}

enum { MOST = 400000 };
static int refused;

/* The host, whose pieces of memory are small. */
static abdb_status allocate_small_or_count_refusal(abdb_device *d, size_t size, bool huge,
                                                   void **out, abdb_error *err)
{
    abdb_device *host = abdb_init_host_device(2);

    (void)d;
    if (size <= MOST) return host->alloc(host, size, huge, out, err);
    refused++;
    return ABDB_FAIL(err, ABDB_NOMEM, "no such piece");
}

/* Tables in several pieces, the last with fewer, give what they give in one. */
static void test_split_tables_give_same_output(void **state)
{
    abdb_device small = *abdb_init_host_device(2);
    abdb_problem p = {.kernel = "dlrm", .params = 1, .param = {{"model", "tiny", NAN}}};
    abdb_dlrm_shape s;
    abdb_error err = {0};
    float out[2][5];

    (void)state;
    assert_ok(abdb_dlrm_parse_and_scale_shape(&p, &s, &err));
    s.tables = 3;
    s.width = 40; /* a table takes 160000 bytes */
    s.batch = 5;
    abdb_dlrm_set_bottom_joined_padded_widths(&s);
    small.alloc = allocate_small_or_count_refusal;
    refused = 0;
    for (int i = 0; i < 2; i++) {
        abdb_spans spans = {.now = zero_clock};
        abdb_run_context stage = {.p = &p,
                                  .device = i ? &small : abdb_init_host_device(2),
                                  .parts = &abdb_ref_parts,
                                  .spans = &spans};
        abdb_dlrm d;
        double error;

        assert_ok(abdb_dlrm_alloc_and_init(&d, &stage, &s, 3, &err));
        assert_int_equal(d.each, i ? 2 : 3);
        assert_ok(abdb_dlrm_draw_features_and_indices(&d, 7, &err));
        abdb_dlrm_run_inference(&d);
        assert_ok(abdb_dlrm_verify_spread_samples_of_batch(&d, 5, &error, &err));
        assert_true(error < 0.5);
        memcpy(out[i], d.out, sizeof out[i]);
        abdb_dlrm_free(&d);
    }
    assert_true(refused > 0);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    s.rows = 1000000; /* not even one table: nothing is left behind */
    {
        abdb_spans spans = {.now = zero_clock};
        abdb_run_context stage = {
            .p = &p, .device = &small, .parts = &abdb_ref_parts, .spans = &spans};
        abdb_dlrm d;

        assert_status(abdb_dlrm_alloc_and_init(&d, &stage, &s, 3, &err), ABDB_NOMEM);
        abdb_dlrm_free(&d);
    }
}

static int held_pieces;

static abdb_status allocate_and_count(abdb_device *d, size_t size, bool huge, void **out,
                                      abdb_error *err)
{
    abdb_device *host = abdb_init_host_device(2);

    (void)d;
    held_pieces++;
    return host->alloc(host, size, huge, out, err);
}

static void release_and_count(abdb_device *d, void *memory)
{
    abdb_device *host = abdb_init_host_device(2);

    (void)d;
    held_pieces--;
    host->release(host, memory);
}

static abdb_status always_fail_to_fill(abdb_device *d, void *data, unsigned char byte, size_t size,
                                       abdb_error *err)
{
    (void)d;
    (void)data;
    (void)byte;
    (void)size;
    return ABDB_FAIL(err, ABDB_BACKEND, "the device is gone");
}

/* A device that gives memory but cannot clear it: the memory is given back. */
static void test_memory_released_if_fill_fails(void **state)
{
    abdb_device broken = *abdb_init_host_device(2);
    abdb_problem p = {.kernel = "dlrm", .params = 1, .param = {{"model", "tiny", NAN}}};
    abdb_spans spans = {.now = zero_clock};
    abdb_run_context stage = {
        .p = &p, .device = &broken, .parts = &abdb_ref_parts, .spans = &spans};
    abdb_dlrm_shape s;
    abdb_dlrm d;
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_dlrm_parse_and_scale_shape(&p, &s, &err));
    abdb_dlrm_set_bottom_joined_padded_widths(&s);
    broken.alloc = allocate_and_count;
    broken.release = release_and_count;
    broken.fill = always_fail_to_fill;
    held_pieces = 0;
    assert_status(abdb_dlrm_alloc_and_init(&d, &stage, &s, 3, &err), ABDB_BACKEND);
    abdb_dlrm_free(&d);
    assert_int_equal(held_pieces, 0);
}

/* Vectors of no whole lines, few and many samples. */
static void test_dlrm_matches_plain_loops(void **state)
{
    static const size_t width[] = {4, 7, 16, 40, 300}, batch[] = {1, 3, 33};
    abdb_problem p = {.kernel = "dlrm"};

    (void)state;
    assert_true(dlrm_error_over_bound_against_loops(&abdb_ref_parts, "tiny", ABDB_F64, 12, 5) <
                0.5);
    assert_true(dlrm_error_over_bound_against_loops(&abdb_ref_parts, "tiny", ABDB_BF16, 12, 5) <
                0.5);
    omp_set_num_threads(2);
    for (size_t w = 0; w < sizeof width / sizeof width[0]; w++)
        for (size_t b = 0; b < sizeof batch / sizeof batch[0]; b++) {
            assert_true(dlrm_error_over_bound_against_loops(&abdb_vec_parts, "tiny", ABDB_F32,
                                                            width[w], batch[b]) < 0.5);
            if (!abdb_vec_parts.why_refused(&p, ABDB_BF16, 2, 16))
                assert_true(dlrm_error_over_bound_against_loops(&abdb_vec_parts, "tiny", ABDB_BF16,
                                                                width[w], batch[b]) < 0.5);
        }
    assert_true(dlrm_error_over_bound_against_loops(&abdb_vec_parts, "rm1", ABDB_F32, 64, 64) <
                0.5);
    assert_true(dlrm_error_over_bound_against_loops(&abdb_vec_parts, "rm2", ABDB_F32, 64, 17) <
                0.5);
    omp_set_num_threads(1);
}

/* RM1's weights and additions, counted by hand from table 3. */
static void test_dlrm_work_matches_hand_count(void **state)
{
    abdb_problem p = {.params = 1, .param = {{"batch", "2", 2}}},
                 odd = {.params = 1, .param = {{"bytes", "30", 30}}};
    abdb_dlrm_shape s;
    abdb_work work;
    abdb_error err = {0};
    double weights = 13 * 512 + 512 * 256 + 256 * 64 + 3 * 2 * 704 * 512 + 704 * 1024 +
                     1024 * 1024 + 1024 * 512 + 512 * 256 + 256;

    (void)state;
    assert_ok(abdb_dlrm_parse_and_scale_shape(&p, &s, &err));
    abdb_dlrm_count_work(&s, &work);
    assert_true(work.ops == 2 * (2 * weights + 10 * 64 * 9 + 3 * 3 * 704));
    assert_true(work.bytes == 2 * (10 * 10 * 260 + 14 * 4) + 4 * (weights + 832 + 2817 + 3 * 704));
    assert_status(abdb_dlrm_parse_and_scale_shape(&odd, &s, &err), ABDB_USAGE);
}

/* With a name: that test alone. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dlrm_matches_plain_loops),
                                       cmocka_unit_test(test_split_tables_give_same_output),
                                       cmocka_unit_test(test_memory_released_if_fill_fails),
                                       cmocka_unit_test(test_dlrm_work_matches_hand_count)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    omp_set_num_threads(1); /* small networks */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
