/* launch.c - what the interface of a device costs: a kernel of abdb called directly, and sampled by
 * the harness, in turn in one process; or sampled with and without looks at outputs and inputs
 * between samples. launch PROVIDER KERNEL PAIRS direct|unwatched key=value...: a line of both times
 * in seconds for each pair. */
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

static void exit_unless_ok(abdb_status st, const abdb_error *err)
{
    if (st == ABDB_OK) return;
    fprintf(stderr, "launch: %s\n", err->message);
    exit(1);
}

static double median_s_sampled_by_harness_or_exit(abdb_instance *copy, bool watched, size_t *batch)
{
    static const volatile int never = 0;
    abdb_sampling rule = abdb_sampling_quick;
    abdb_samples s;
    abdb_error err;
    double median;

    if (watched) {
        exit_unless_ok(abdb_instances_reset_launch_and_download(copy, 1, &err), &err);
        exit_unless_ok(abdb_sample_watch_digest_outputs_and_choose_spots_to_spoil(
                           &rule.watch, copy, abdb_clock_seconds(), rule.check_s / 4, 3, &err),
                       &err);
    }
    exit_unless_ok(abdb_warm_up_and_sample_until_stable(copy->p.device, copy->impl, &copy->state, 1,
                                                        &rule, &never, &s, &err),
                   &err);
    abdb_sample_watch_free(rule.watch);
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
    bool watched; /* against no looks at all, not direct calls */
    abdb_error err;

    if (argc < 5) return 2;
    watched = strcmp(argv[4], "unwatched") == 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->provider, argv[1]) == 0 && strcmp(all[i]->kernel, argv[2]) == 0)
            impl = all[i];
    for (int i = 5; i < argc; i++) {
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
    exit_unless_ok(abdb_instance_alloc_fill_and_prepare(&copy, &recipe, &err), &err);
    for (long i = 0, pairs = strtol(argv[3], NULL, 10); i < pairs; i++) {
        size_t batch;
        double a = median_s_sampled_by_harness_or_exit(&copy, watched, &batch),
               b = watched ? median_s_sampled_by_harness_or_exit(&copy, false, &batch)
                           : median_s_of_direct_launches(impl, copy.state, batch);

        printf("%.9g %.9g\n", a, b);
    }
    abdb_instance_release_and_clear(&copy);
    json_decref(recipe.params);
    return 0;
}
