/* kernels.c - tests of plans, kernels, verification and the reference implementations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/exchange.h"
#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "kernels/providers/vec/vec.h"
#include "kernels/runner/plan.h"
#include "tests/unit/kernel_check.h"

static void test_plan_expands_ranges_to_cells(void **state)
{
    abdb_plan plan = {0};
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_plan_add_cells(
        &plan, "# all\ngemm dtype=f32,f64 n=256-1024*2 # squares\n\nstream n=1-3+1\n", &err));
    assert_int_equal(plan.cells, 9);
    assert_string_equal(plan.cell[0].name, "gemm dtype=f32 n=256");
    assert_string_equal(plan.cell[5].name, "gemm dtype=f64 n=1024");
    assert_string_equal(plan.cell[8].name, "stream n=3");
    abdb_plan_free(&plan);
}

static void test_malformed_plan_names_its_line(void **state)
{
    static const char *const texts[] = {"n=3",
                                        "gemm n",
                                        "gemm n=",
                                        "gemm n=8-4*2",
                                        "gemm n=1-9*1",
                                        "gemm n=1 n=2",
                                        "gemm n=1-1000000+1",
                                        "gemm n=,",
                                        "gemm =4"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        abdb_plan plan = {0};
        abdb_error err = {0};

        if (abdb_plan_add_cells(&plan, texts[i], &err) == ABDB_OK)
            fail_msg("'%s' was accepted", texts[i]);
        assert_non_null(strstr(err.message, "line 1"));
        abdb_plan_free(&plan);
    }
}

static void test_reference_gemm_of_odd_shapes(void **state)
{
    static const double shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {17, 1, 33}, {64, 48, 31}};

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        const double *s = shapes[i / 2];
        abdb_problem p = {.kernel = "gemm",
                          .params = 4,
                          .param = {{"m", "", s[0]},
                                    {"n", "", s[1]},
                                    {"k", "", s[2]},
                                    {"dtype", i % 2 ? "f64" : "f32", NAN}}};
        abdb_error err = {0};
        abdb_work work;

        assert_ok(abdb_kernel_gemm.setup_tensors(&p, &limits, &err));
        abdb_kernel_gemm.count_work(&p, &work);
        assert_true(work.ops == 2 * s[0] * s[1] * s[2]);
        allocate_tensors_fill_inputs_uniform(&p);
        assert_true(
            prepare_launch_return_error_bound_ratio(&abdb_kernel_gemm, &abdb_ref_gemm, &p) <= 1);
        free_all_tensors(&p);
    }
}

static void test_stream_counts_ops_and_bytes(void **state)
{
    static const struct {
        const char *op;
        double ops, bytes;
    } cases[] = {
        {"copy", 0, 16}, {"scale", 1, 16}, {"add", 1, 24}, {"triad", 2, 24}, {"dot", 2, 16}};

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        abdb_problem p = {.kernel = "stream",
                          .params = 2,
                          .param = {{"op", cases[i].op, NAN}, {"n", "1001", 1001}}};
        abdb_error err = {0};
        abdb_work work;

        assert_ok(abdb_kernel_stream.setup_tensors(&p, &limits, &err));
        abdb_kernel_stream.count_work(&p, &work);
        assert_true(work.ops == 1001 * cases[i].ops && work.bytes == 1001 * cases[i].bytes);
        allocate_tensors_fill_inputs_uniform(&p);
        assert_true(prepare_launch_return_error_bound_ratio(&abdb_kernel_stream, &abdb_ref_stream,
                                                            &p) <= 1);
        free_all_tensors(&p);
    }
}

static void test_wrong_gemm_element_is_found(void **state)
{
    abdb_problem p = {.kernel = "gemm", .params = 1, .param = {{"n", "8", 8}}};
    abdb_error err = {0};
    float *c;

    (void)state;
    assert_ok(abdb_kernel_gemm.setup_tensors(&p, &limits, &err));
    allocate_tensors_fill_inputs_uniform(&p);
    prepare_launch_return_error_bound_ratio(&abdb_kernel_gemm, &abdb_ref_gemm, &p);
    c = p.tensor[2].data;
    c[0] += 1e-4f;
    assert_true(largest_error_to_bound_ratio_of_all_rows(&abdb_kernel_gemm, &p, &p) > 1);
    c[0] = NAN;
    assert_true(isinf(largest_error_to_bound_ratio_of_all_rows(&abdb_kernel_gemm, &p, &p)));
    free_all_tensors(&p);
}

static void test_bad_sizes_and_types_are_refused(void **state)
{
    abdb_problem zero = {.params = 1, .param = {{"n", "0", 0}}};
    abdb_problem half = {.params = 1, .param = {{"n", "1.5", 1.5}}};
    abdb_problem op = {.params = 1, .param = {{"op", "quad", NAN}}};
    abdb_problem dtype = {.params = 1, .param = {{"dtype", "f8", NAN}}};
    static const abdb_param fmas[] = {
        {"fmas", "-1", -1}, {"fmas", "many", NAN}, {"fmas", "1e12", 1e12}};
    abdb_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof fmas / sizeof fmas[0]; i++) {
        abdb_problem fma = {.params = 2, .param = {{"op", "fma", NAN}, fmas[i]}};

        assert_status(abdb_kernel_stream.setup_tensors(&fma, &limits, &err), ABDB_USAGE);
    }
    assert_status(abdb_kernel_gemm.setup_tensors(&zero, &limits, &err), ABDB_USAGE);
    assert_status(abdb_kernel_gemm.setup_tensors(&half, &limits, &err), ABDB_USAGE);
    assert_status(abdb_kernel_stream.setup_tensors(&op, &limits, &err), ABDB_USAGE);
    assert_status(abdb_kernel_gemm.setup_tensors(&dtype, &limits, &err), ABDB_USAGE);
    assert_non_null(strstr(err.message, "f8"));
}

static void test_gemm_of_doubled_input_is_doubled(void **state)
{
    /* gemm(2A, B) = 2 gemm(A, B) exactly, in binary */
    abdb_problem p = {.kernel = "gemm", .params = 1, .param = {{"n", "16", 16}}};
    abdb_error err = {0};
    float once[256], *a, *c;

    (void)state;
    assert_ok(abdb_kernel_gemm.setup_tensors(&p, &limits, &err));
    allocate_tensors_fill_inputs_uniform(&p);
    prepare_launch_return_error_bound_ratio(&abdb_kernel_gemm, &abdb_ref_gemm, &p);
    a = p.tensor[0].data;
    c = p.tensor[2].data;
    memcpy(once, c, sizeof once);
    for (int i = 0; i < 256; i++) a[i] *= 2;
    prepare_launch_return_error_bound_ratio(&abdb_kernel_gemm, &abdb_ref_gemm, &p);
    for (int i = 0; i < 256; i++) assert_true(c[i] == 2 * once[i]);
    free_all_tensors(&p);
}

static void test_vec_stream_matches_reference(void **state)
{
    static const char *const ops[] = {"copy", "scale", "add",   "triad",
                                      "dot",  "read",  "write", "fma"};
    static const char *const stores[] = {"plain", "nt"}, *const dtypes[] = {"f32", "f64"};
    static const double sizes[] = {1, 3, 64, 255, 1000, 4099};

    (void)state;
    for (size_t op = 0; op < 8; op++)
        for (size_t i = 0; i < SETS * 2 * 2 * 6 * 2; i++) {
            char n[24];
            double size = sizes[i / (4 * SETS) % 6];
            abdb_problem p = {.kernel = "stream",
                              .params = 6,
                              .param = {{"op", ops[op], NAN},
                                        {"isa", sets[i % SETS], NAN},
                                        {"stores", stores[i / SETS % 2], NAN},
                                        {"dtype", dtypes[i / (2 * SETS) % 2], NAN},
                                        {"n", n, size},
                                        {"fmas", "5", 5}}};

            snprintf(n, sizeof n, "%.0f", size);
            assert_result_right_or_impl_rejects_problem(&abdb_kernel_stream, &abdb_vec_stream, &p,
                                                        i / (24 * SETS));
        }
}

static void test_vec_fma_matches_reference(void **state)
{
    static const char *const dtypes[] = {"f64", "f32", "bf16", "i8", "f16"};
    static const double widths[] = {16, 48, 1000, 4112};

    (void)state;
    for (size_t i = 0; i < 5 * 4 * SETS; i++) {
        char width[24];
        abdb_problem p = {.kernel = "fma",
                          .params = 4,
                          .param = {{"dtype", dtypes[i % 5], NAN},
                                    {"isa", sets[i / 5 % SETS], NAN},
                                    {"width", width, widths[i / (5 * SETS)]},
                                    {"n", "100", 100}}};

        snprintf(width, sizeof width, "%.0f", widths[i / (5 * SETS)]);
        assert_result_right_or_impl_rejects_problem(&abdb_kernel_fma, &abdb_vec_fma, &p, 0);
        p.params = 4;
        assert_true(setup_and_run_at_offset_return_error_ratio(&abdb_kernel_fma, &abdb_ref_fma, &p,
                                                               0) <= 1);
    }
}

static void test_vec_gather_scatter_match_reference(void **state)
{
    static const char *const ops[] = {"gather", "scatter"};
    static const double bytes[] = {4, 16, 60, 64, 192, 2048, 8256};

    (void)state;
    for (size_t i = 0; i < 2 * 7 * SETS * 2; i++) {
        char size[24];
        abdb_problem p = {.kernel = "gather",
                          .params = 5,
                          .param = {{"op", ops[i % 2], NAN},
                                    {"isa", sets[i / 14 % SETS], NAN},
                                    {"bytes", size, bytes[i / 2 % 7]},
                                    {"rows", "333", 333},
                                    {"fraction", "0.5", 0.5}}};

        snprintf(size, sizeof size, "%.0f", bytes[i / 2 % 7]);
        assert_result_right_or_impl_rejects_problem(&abdb_kernel_gather, &abdb_vec_gather, &p,
                                                    i / (14 * SETS));
        p.params = 5;
        assert_true(setup_and_run_at_offset_return_error_ratio(&abdb_kernel_gather,
                                                               &abdb_ref_gather, &p, 0) <= 1);
    }
}

static void test_latency_chain_returns_to_start(void **state)
{
    abdb_problem p = {
        .kernel = "latency", .params = 2, .param = {{"bytes", "6400", 6400}, {"hops", "100", 100}}};
    abdb_error err = {0};
    int32_t *end;

    (void)state;
    assert_true(setup_and_run_at_offset_return_error_ratio(&abdb_kernel_latency, &abdb_vec_latency,
                                                           &p, 0) <= 1);
    p.params = 2;
    assert_true(setup_and_run_at_offset_return_error_ratio(&abdb_kernel_latency, &abdb_ref_latency,
                                                           &p, 0) <= 1);
    /* one cycle through all lines: after as many hops as lines the walk is where it began */
    p.params = 2;
    assert_ok(abdb_kernel_latency.setup_tensors(&p, &limits, &err));
    allocate_tensors_fill_inputs_uniform(&p);
    abdb_kernel_latency.prepare_inputs(&p, 0);
    assert_ok(abdb_vec_latency.launch(&p, &err));
    end = p.tensor[1].data;
    assert_int_equal(*end, 0);
    free_all_tensors(&p);
}

/* A wrong result of each kernel is seen. */
static void test_wrong_gather_element_is_found(void **state)
{
    abdb_problem p = {.kernel = "gather", .params = 1, .param = {{"rows", "100", 100}}};
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_kernel_gather.setup_tensors(&p, &limits, &err));
    allocate_tensors_fill_inputs_uniform(&p);
    abdb_kernel_gather.prepare_inputs(&p, 0);
    assert_true(
        prepare_launch_return_error_bound_ratio(&abdb_kernel_gather, &abdb_vec_gather, &p) <= 1);
    abdb_tensor_set_rounded(&p.tensor[2], 0, 7);
    assert_true(largest_error_to_bound_ratio_of_all_rows(&abdb_kernel_gather, &p, &p) > 1);
    free_all_tensors(&p);
}

/* Products of every format that is not f64 or f32 are right. */
static void test_reference_gemm_of_every_format(void **state)
{
    static const char *const dtypes[] = {"bf16", "i8", "f16", "tf32", "e4m3", "e5m2"};

    (void)state;
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        abdb_problem p = {
            .kernel = "gemm",
            .params = 4,
            .param = {{"dtype", dtypes[i], NAN}, {"m", "17", 17}, {"n", "5", 5}, {"k", "33", 33}}};

        assert_true(setup_and_run_at_offset_return_error_ratio(&abdb_kernel_gemm, &abdb_ref_gemm,
                                                               &p, 0) <= 1);
    }
}

/* What bounds a cell, and the ceiling that it is made to find. */
static void test_cell_bottleneck_and_ceiling_match_table(void **state)
{
    static const char *const cases[][3] = {
        {"gemm n=256 dtype=f32", "operations", "peak_flops"},
        {"gemm n=256 dtype=i8", "operations", "peak_ops"},
        {"gemm n=256 batch=4 dtype=bf16", "operations", "peak_flops"},
        {"gemm m=1 n=4096 k=4096", "bytes", ""},
        {"gemm m=4096 n=1 k=4096", "bytes", ""},
        {"gemm m=4096 n=4096 k=1", "bytes", ""},
        {"gemm m=64 n=4096 k=4096", "operations", "peak_flops"},
        {"fma dtype=f64", "operations", "peak_flops"},
        {"fma dtype=i8", "operations", "peak_ops"},
        {"stream op=triad n=4096", "bytes", "memory_bandwidth"},
        {"stream op=dot level=memory n=4096", "bytes", "memory_bandwidth"},
        {"stream op=triad level=L1", "bytes", ""},
        {"stream op=fma fmas=4 n=4096", "bytes", "memory_bandwidth"},
        {"stream op=fma fmas=64 n=4096", "operations", ""},
        {"gather op=scatter", "bytes", ""},
        {"gups", "bytes", ""},
        {"embedding-bag", "bytes", ""},
        {"elementwise op=softmax", "bytes", ""},
        {"elementwise op=adamw", "bytes", ""},
        {"attention sequence=256", "operations", ""},
        {"attention sequence=256 pass=backward", "operations", ""},
        {"attention queries=1 keys=4096 heads=32 kv_heads=8", "bytes", ""},
        {"attention queries=1 keys=4096 heads=32 kv_heads=1", "operations", ""},
        {"paged-attention", "bytes", ""},
        {"paged-attention heads=32 kv_heads=1", "operations", ""},
        {"linear m=128", "operations", ""},
        {"linear m=1 weights=i4", "bytes", ""},
        {"linear m=1 sparsity=0.9", "bytes", ""},
        {"transformer-block batch=1 sequence=128 d=256 heads=4", "operations", ""},
        {"transformer-block batch=1 sequence=1 d=256 heads=4", "bytes", ""},
        {"latency level=L1", "", ""}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_plan plan = {0};
        abdb_error err = {0};
        const abdb_kernel *kernel;
        const char *bound, *ceiling;

        assert_ok(abdb_plan_add_cells(&plan, cases[i][0], &err));
        kernel = abdb_find_kernel_by_name(plan.cell[0].kernel);
        assert_non_null(kernel);
        abdb_problem p = {.kernel = kernel->name, .params = (int)plan.cell[0].params};
        for (size_t j = 0; j < plan.cell[0].params; j++) {
            const char *text = plan.cell[0].param[j].text;
            char *end;
            double number = strtod(text, &end);

            p.param[j] = (abdb_param){plan.cell[0].param[j].key, text, *end ? NAN : number};
        }
        assert_ok(kernel->setup_tensors(&p, &limits, &err));
        bound = kernel->bottleneck ? kernel->bottleneck(&p) : "";
        ceiling = kernel->ceiling_metric ? kernel->ceiling_metric(&p) : NULL;
        if (strcmp(bound, cases[i][1]) != 0 || strcmp(ceiling ? ceiling : "", cases[i][2]) != 0)
            fail_msg("%s: '%s', '%s'", cases[i][0], bound, ceiling ? ceiling : "");
        abdb_plan_free(&plan);
    }
}

/* Every kernel but the latency and those that wait for a wire says it. */
static void test_all_but_waiting_kernels_have_bottleneck(void **state)
{
    (void)state;
    for (size_t i = 0; abdb_kernels[i]; i++)
        assert_int_equal(abdb_kernels[i]->bottleneck == NULL,
                         strcmp(abdb_kernels[i]->name, "latency") == 0 ||
                             abdb_exchange_kind_of_kernel(abdb_kernels[i]->name) != ABDB_EXCHANGES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_expands_ranges_to_cells),
        cmocka_unit_test(test_malformed_plan_names_its_line),
        cmocka_unit_test(test_reference_gemm_of_odd_shapes),
        cmocka_unit_test(test_stream_counts_ops_and_bytes),
        cmocka_unit_test(test_vec_stream_matches_reference),
        cmocka_unit_test(test_vec_fma_matches_reference),
        cmocka_unit_test(test_vec_gather_scatter_match_reference),
        cmocka_unit_test(test_latency_chain_returns_to_start),
        cmocka_unit_test(test_wrong_gather_element_is_found),
        cmocka_unit_test(test_reference_gemm_of_every_format),
        cmocka_unit_test(test_cell_bottleneck_and_ceiling_match_table),
        cmocka_unit_test(test_all_but_waiting_kernels_have_bottleneck),
        cmocka_unit_test(test_wrong_gemm_element_is_found),
        cmocka_unit_test(test_bad_sizes_and_types_are_refused),
        cmocka_unit_test(test_gemm_of_doubled_input_is_doubled)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
