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
#include "tests/unit/check.h"

static double now(void)
{
    return 0;
}

static double error_of(const abdb_parts *parts, abdb_llama_shape s, bool padded)
{
    abdb_problem p = {.kernel = "llama-generate"};
    abdb_spans spans = {.now = now};
    abdb_stage stage = {&p, abdb_host_device(2), parts, &spans};
    abdb_error err = {0};
    double error = NAN;

    s.base = s.base > 0 ? s.base : 5e5;
    s.factor = s.factor > 0 ? s.factor : 8;
    assert_ok(abdb_llama_check(&stage, &s, padded, &error, &err));
    assert_true(!spans.overflowed && spans.deep == 0);
    return error;
}

static void logits(void **state)
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
        assert_true(error_of(&abdb_ref_parts, shapes[i], i % 2) < 0.5);
    for (int threads = 1; threads < 3; threads++)
        for (int form = ABDB_WEIGHTS_SAME; form <= ABDB_WEIGHTS_I4; form++)
            for (int padded = 0; padded < 2; padded++) {
                abdb_llama_shape s = {.dtype = ABDB_F32, .form = form, .tied = padded};

                omp_set_num_threads(threads);
                assert_true(error_of(&abdb_vec_parts, s, padded) < 0.5);
                s.dtype = ABDB_BF16;
                if (!abdb_vec_parts.decoder->refuses(&(abdb_problem){.kernel = "x"}, ABDB_BF16,
                                                     form, 32, 64))
                    assert_true(error_of(&abdb_vec_parts, s, padded) < 0.5);
            }
    omp_set_num_threads(1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(logits)};

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    omp_set_num_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
