/* gemm.c - matrix products by vec and ref: formats, sizes, transposition, what is added, the
 * activations; what NaN and the largest bytes do. */
#include <stdio.h>

#include "tests/unit/kernel_check.h"

static void test_vec_gemm_matches_reference(void **state)
{
    static const char *const dtypes[] = {"f32", "f64", "bf16", "i8", "f16"};
    static const char *const blocks[] = {"zen", "intel", "amx"};
    static const double sizes[][3] = {{1, 1, 1},      {1, 33, 7},     {13, 1, 5},
                                      {12, 32, 64},   {25, 65, 19},   {64, 16, 300},
                                      {130, 600, 40}, {37, 37, 8201}, {16, 70, 2100}};

    (void)state;
    for (size_t i = 0; i < 5 * SETS * 9 * 4; i++) {
        const double *size = sizes[i / (5 * SETS) % 9];
        size_t kind =
            i / (5 * SETS * 9); /* threads; shifted by an element; B packed beforehand; a batch */
        char text[3][24];
        abdb_problem p = {.kernel = "gemm",
                          .params = kind == 3 ? 9 : 8,
                          .param = {{"dtype", dtypes[i % 5], NAN},
                                    {"isa", sets[i / 5 % SETS], NAN},
                                    {"m", text[0], size[0]},
                                    {"n", text[1], size[1]},
                                    {"k", text[2], size[2]},
                                    {"threads", kind == 1 ? "1" : "2", kind == 1 ? 1 : 2},
                                    {"weights", kind >= 2 ? "packed" : "plain", NAN},
                                    {"blocks", blocks[i % 3], NAN},
                                    {"batch", i % 2 ? "3" : "5", i % 2 ? 3 : 5}}};

        if (kind == 3 && size[2] > 1000) continue;
        for (int j = 0; j < 3; j++) snprintf(text[j], sizeof text[j], "%.0f", size[j]);
        assert_result_right_or_impl_rejects_problem(&abdb_kernel_gemm, &abdb_vec_gemm, &p,
                                                    kind == 1);
    }
}

static const char *const transposes[] = {"nn", "nt", "tn", "tt"};
static const char *const epilogues[] = {"none", "bias",      "relu",      "gelu",
                                        "silu", "bias-relu", "bias-gelu", "bias-silu"};

/* Transposition, beta and epilogue of every format and instruction set; sizes are those of tiles,
 * edges of them, few rows, and more than one pass. */
static void test_gemm_options_match_reference(void **state)
{
    static const char *const dtypes[] = {"f32", "f64", "bf16", "i8", "f16"};
    static const double sizes[][3] = {{37, 75, 53}, {1, 1, 1},    {24, 64, 64},  {5, 100, 300},
                                      {50, 20, 34}, {16, 33, 17}, {20, 40, 4500}};
    size_t done = 0;

    (void)state;
    for (size_t i = 0; i < 4 * 2 * 8 * 5; i++) {
        size_t one = i % 4, beta = i / 4 % 2, last = i / 8 % 8, dtype = i / 64 % 5;
        const double *size = sizes[(i + i / 7 + i / 64) % 7];
        /* bf16 and bytes are of the last two sets, the others of the first three. */
        size_t set = dtype == 2 || dtype == 3 ? SETS - 1 - i / 4 % 2 : i / 4 % (SETS - 1);
        char text[3][24];
        abdb_problem p = {.kernel = "gemm",
                          .params = i % 3 ? 10 : 11,
                          .param = {{"dtype", dtypes[dtype], NAN},
                                    {"transpose", transposes[one], NAN},
                                    {"epilogue", epilogues[last], NAN},
                                    {"isa", sets[set], NAN},
                                    {"m", text[0], size[0]},
                                    {"n", text[1], size[1]},
                                    {"k", text[2], size[2]},
                                    {"beta", beta ? "1" : "0", (double)beta},
                                    {"threads", i % 5 ? "2" : "1", i % 5 ? 2 : 1},
                                    {"weights", i % 11 ? "plain" : "packed", NAN},
                                    {"batch", "2", 2}}};
        abdb_error err = {0};

        for (int j = 0; j < 3; j++) snprintf(text[j], sizeof text[j], "%.0f", size[j]);
        if (dtype == 3 && (strstr(epilogues[last], "gelu") || strstr(epilogues[last], "silu"))) {
            assert_status(abdb_kernel_gemm.setup_tensors(&p, &limits, &err), ABDB_USAGE);
            continue;
        }
        assert_result_right_or_impl_rejects_problem(&abdb_kernel_gemm, &abdb_vec_gemm, &p, i % 2);
        if (size[2] < 1000 && !strstr(p.param[9].text, "packed"))
            assert_result_right_or_impl_rejects_problem(&abdb_kernel_gemm, &abdb_ref_gemm, &p, 0);
        done++;
    }
    assert_int_equal(done, 320 - 32);
}

/* Work, by the formula: (2K + e) MN, and C twice where it is read too. */
static void test_gemm_work_counts_epilogue(void **state)
{
    static const struct {
        const char *epilogue, *beta;
        double each, bytes;
    } cases[] = {{"none", "0", 40, 212},      {"none", "1", 41, 224},     {"bias", "0", 41, 216},
                 {"relu", "0", 41, 212},      {"gelu", "0", 49, 212},     {"silu", "1", 45, 224},
                 {"bias-silu", "0", 45, 216}, {"bias-gelu", "1", 51, 228}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_problem p = {.kernel = "gemm",
                          .params = 7,
                          .param = {{"m", "3", 3},
                                    {"n", "2", 2},
                                    {"k", "20", 20},
                                    {"dtype", "bf16", NAN},
                                    {"transpose", "tn", NAN},
                                    {"epilogue", cases[i].epilogue, NAN},
                                    {"beta", cases[i].beta, NAN}}};
        abdb_error err = {0};
        abdb_work work;

        assert_ok(abdb_kernel_gemm.setup_tensors(&p, &limits, &err));
        abdb_kernel_gemm.count_work(&p, &work);
        assert_true(work.ops == 6 * cases[i].each);
        assert_true(work.bytes == cases[i].bytes);
        assert_int_equal(p.tensor[0].dim[0], 20);
        assert_null(i ? abdb_kernel_gemm.ceiling_metric(&p) : NULL);
    }
}

/* A NaN or an infinity in A reaches its row of C and no other. */
static void test_gemm_nan_reaches_only_its_row(void **state)
{
    abdb_problem p = {.kernel = "gemm", .params = 1, .param = {{"n", "40", 40}}};
    abdb_error err = {0};
    void *product;

    (void)state;
    assert_ok(abdb_kernel_gemm.setup_tensors(&p, &limits, &err));
    allocate_tensors_fill_inputs_uniform(&p);
    abdb_tensor_set_rounded(&p.tensor[0], 3 * 40 + 7, NAN);
    abdb_tensor_set_rounded(&p.tensor[0], 5 * 40 + 1, INFINITY);
    assert_ok(abdb_vec_gemm.prepare(&product, &p, &err));
    assert_ok(abdb_vec_gemm.launch(product, &err));
    abdb_vec_gemm.close(product);
    for (size_t i = 0; i < 40; i++)
        for (size_t j = 0; j < 40; j++) {
            double got = abdb_tensor_get_f64(&p.tensor[2], i * 40 + j);

            assert_true(i == 3 ? isnan(got) : i == 5 ? !isfinite(got) : isfinite(got));
        }
    free_all_tensors(&p);
}

/* Sums of the largest bytes, which f32 does not hold: few rows add up in it for a while. */
static void test_gemm_sums_of_largest_i8_are_exact(void **state)
{
    abdb_problem p = {
        .kernel = "gemm",
        .params = 4,
        .param = {{"dtype", "i8", NAN}, {"m", "2", 2}, {"n", "70", 70}, {"k", "3001", 3001}}};
    abdb_error err = {0};
    const char *why;
    void *product;

    (void)state;
    assert_ok(abdb_kernel_gemm.setup_tensors(&p, &limits, &err));
    if (!abdb_vec_gemm.accepts(&p, &why)) return;
    allocate_tensors_fill_inputs_uniform(&p);
    for (int t = 0; t < 2; t++)
        memset(p.tensor[t].data, 127, abdb_tensor_element_count(&p.tensor[t]));
    assert_ok(abdb_vec_gemm.prepare(&product, &p, &err));
    assert_ok(abdb_vec_gemm.launch(product, &err));
    abdb_vec_gemm.close(product);
    for (size_t i = 0; i < 140; i++)
        assert_int_equal(((int32_t *)p.tensor[2].data)[i], 127 * 127 * 3001);
    free_all_tensors(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vec_gemm_matches_reference),
                                       cmocka_unit_test(test_gemm_options_match_reference),
                                       cmocka_unit_test(test_gemm_work_counts_epilogue),
                                       cmocka_unit_test(test_gemm_nan_reaches_only_its_row),
                                       cmocka_unit_test(test_gemm_sums_of_largest_i8_are_exact)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
