/* launch.c - what the interface of a device costs: a kernel of abdb called directly, and sampled by
 * the harness, in turn in one process. launch PROVIDER KERNEL PAIRS key=value...: a line of both
 * times in seconds for each pair. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "kernels/providers/vec/vec.h"
#include "tests/bench/timing.h"

enum { DIRECT = 51 };

/* The median of stretches of launches without any device. */
static double median_s_of_direct_launches(const abdb_impl *impl, void *state, size_t batch)
{
    double time_s[DIRECT];
    abdb_error err;

    for (int i = 0; i < DIRECT; i++) {
        double begin_s = monotonic_now_s();

        for (size_t k = 0; k < batch; k++) (void)!impl->launch(state, &err);
        time_s[i] = (monotonic_now_s() - begin_s) / (double)batch;
    }
    qsort(time_s, DIRECT, sizeof *time_s, compare_double_ascending);
    return time_s[DIRECT / 2];
}

static double median_s_sampled_by_harness_or_exit(abdb_device *device, const abdb_impl *impl,
                                                  void *state, size_t *batch)
{
    static const volatile int never = 0;
    abdb_samples s;
    abdb_error err;
    double median;

    if (abdb_warm_up_and_sample_until_stable(device, impl, &state, 1, &abdb_sampling_quick, &never,
                                             &s, &err) != ABDB_OK) {
        fprintf(stderr, "launch: %s\n", err.message);
        exit(1);
    }
    qsort(s.time_s, s.count, sizeof *s.time_s, compare_double_ascending);
    median = s.time_s[s.count / 2];
    *batch = s.batch;
    abdb_samples_free(&s);
    return median;
}

int main(int argc, char **argv)
{
    static const abdb_impl *const all[] = {&abdb_ref_gemm, &abdb_ref_stream, &abdb_vec_gemm,
                                           &abdb_vec_stream};
    const abdb_impl *impl = NULL;
    abdb_instance_spec recipe = {.params = json_object()};
    abdb_instance copy;
    abdb_error err;

    if (argc < 4) return 2;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->provider, argv[1]) == 0 && strcmp(all[i]->kernel, argv[2]) == 0)
            impl = all[i];
    for (int i = 4; i < argc; i++) {
        char *value = strchr(argv[i], '=');

        if (!value) return 2;
        *value = '\0';
        json_object_set_new(recipe.params, argv[i], json_string(value + 1));
    }
    if (!impl) return 2;
    recipe.kernel = abdb_find_kernel_by_name(argv[2]);
    recipe.impl = impl;
    recipe.device = abdb_init_host_device(
        strcmp(argv[1], "ref") == 0 ? 1 : (int)strtol(getenv("OMP_NUM_THREADS"), NULL, 10));
    if (abdb_instance_alloc_fill_and_prepare(&copy, &recipe, &err) != ABDB_OK) {
        fprintf(stderr, "launch: %s\n", err.message);
        return 1;
    }
    for (long i = 0, pairs = strtol(argv[3], NULL, 10); i < pairs; i++) {
        size_t batch;
        double a = median_s_sampled_by_harness_or_exit(recipe.device, impl, copy.state, &batch),
               b = median_s_of_direct_launches(impl, copy.state, batch);

        printf("%.9g %.9g\n", a, b);
    }
    abdb_instance_free(&copy);
    json_decref(recipe.params);
    return 0;
}
