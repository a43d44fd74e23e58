/* harness.c - tests of the harness: sensors, turns of samples, readings between them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "tests/unit/check.h"

/* A counter of energy that has begun again; a window too short; no sensor. */
static void test_energy_counter_may_wrap(void **state)
{
    abdb_sensors before = {.at_s = 0, .energy_j = 100, .energy_most_j = 110},
                 after = {.at_s = 10, .energy_j = 5, .energy_most_j = 110};
    json_t *told = json_object();

    (void)state;
    before.load = before.stolen = before.ticks = after.stolen = after.ticks = NAN;
    after.clock_hz = after.temperature_c = NAN;
    abdb_result_json_add_load_steal_and_energy(told, &before, &after, 3);
    assert_true(json_number_value(json_object_get(told, "energy_j")) == 5);
    assert_true(json_number_value(json_object_get(told, "power_w")) == 1.5);
    json_object_clear(told);
    after.at_s = 4;
    abdb_result_json_add_load_steal_and_energy(told, &before, &after, 3);
    assert_null(json_object_get(told, "energy_j"));
    assert_non_null(json_object_get(told, "energy_reason"));
    json_object_clear(told);
    after.energy_j = NAN;
    abdb_result_json_add_load_steal_and_energy(told, &before, &after, 3);
    assert_int_equal(json_object_size(told), 0);
    json_decref(told);
}

/* Large blocks lie apart in one region, whose gaps are used again, and what is released is kept
 * until it is trimmed; small ones are of malloc. */
static void test_memory_pool_reuses_and_trims(void **state)
{
    const size_t size = 3 << 20, apart = (3 << 20) + 4096;
    abdb_device *device = abdb_init_host_device(1);
    abdb_error err = {0};
    char *a, *b, *c, *again;
    void *small, *huge;
    double available;

    (void)state;
    if (!(a = abdb_memory_pool_alloc_or_null(size)))
        skip(); /* several nodes of memory, or a sanitizer */
    assert_true(abdb_memory_pool_release_if_owned(a));
    available = device->available(device);
    assert_ok(device->alloc(device, size - 1, false, (void **)&a, &err));
    assert_ok(device->alloc(device, size, false, (void **)&b, &err));
    assert_ok(device->alloc(device, size, false, (void **)&c, &err));
    assert_ok(device->alloc(device, 1000, false, &small, &err));
    assert_true((uintptr_t)a % 4096 == 0 && b == a + apart && c == b + apart);
    memset(a, 1, size);
    memset(b, 2, size);
    memset(c, 3, size);
    assert_true(a[size - 1] == 1 && b[0] == 2 && b[size - 1] == 2 && c[0] == 3);
    device->release(device, b);
    assert_null(abdb_memory_pool_alloc_or_null(1000));
    again = abdb_memory_pool_alloc_or_null(2 << 20);
    assert_ptr_equal(again, b);
    assert_true(abdb_memory_pool_touched_unused_bytes() >= 1 << 20);
    if (device->alloc(device, size, true, &huge, &err) == ABDB_OK) {
        assert_false(abdb_memory_pool_release_if_owned(huge));
        free(huge);
    }
    device->release(device, again);
    device->release(device, c);
    abdb_memory_pool_return_unused_tail();
    assert_true(abdb_memory_pool_touched_unused_bytes() == 0 && a[0] == 1);
    device->release(device, a);
    device->release(device, small);
    assert_true(abdb_memory_pool_touched_unused_bytes() >= (double)size);
    assert_true(device->available(device) > available / 2);
    abdb_memory_pool_return_unused_tail();
    assert_true(abdb_memory_pool_touched_unused_bytes() == 0);
    assert_false(abdb_memory_pool_release_if_owned(a));
}

/* Copies are used in turn; every sample is kept; a request to stop ends it. */
static size_t turns[2];
static abdb_status count_launch_of_copy(void *state, abdb_error *err)
{
    (void)err;
    turns[*(int *)state]++;
    return ABDB_OK;
}

/* The host, whose clock has this resolution. */
static abdb_device *set_host_device_resolution(double resolution_s)
{
    abdb_device *device = abdb_init_host_device(1);

    device->resolution_s = resolution_s;
    return device;
}
static void test_cold_launches_need_a_hundred_steps_of_the_clock(void **state)
{
    const abdb_impl impl = {"none", "test", NULL, NULL, count_launch_of_copy, NULL, NULL};
    abdb_sampling rule = {.min_samples = 3, .max_time_s = 0.1, .iqr_target = 10, .cold = true};
    volatile int stop = 0;
    int copy = 0;
    void *copies[1] = {&copy};
    abdb_samples samples;
    abdb_error err = {0};

    (void)state;
    assert_status(abdb_warm_up_and_sample_until_stable(set_host_device_resolution(1), &impl, copies,
                                                       1, &rule, &stop, &samples, &err),
                  ABDB_USAGE);
    assert_non_null(strstr(err.message, "cache=cold: a launch of "));
    assert_ok(abdb_warm_up_and_sample_until_stable(set_host_device_resolution(1e-12), &impl, copies,
                                                   1, &rule, &stop, &samples, &err));
    abdb_samples_free(&samples);
    turns[0] = turns[1] = 0;
}
static void test_copies_take_turns_until_stopped(void **state)
{
    const abdb_impl impl = {"none", "test", NULL, NULL, count_launch_of_copy, NULL, NULL};
    abdb_sampling rule = {.warm_ups = 1, .min_samples = 10, .max_time_s = 1, .iqr_target = 10};
    volatile int stop = 0;
    int first = 0, second = 1;
    void *copies[2] = {&first, &second};
    abdb_samples samples;
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_warm_up_and_sample_until_stable(set_host_device_resolution(1e-9), &impl, copies,
                                                   2, &rule, &stop, &samples, &err));
    assert_true(samples.count >= 10 && !samples.cancelled);
    assert_int_equal(samples.launches, turns[0] + turns[1]);
    assert_true(turns[0] > 4 && turns[1] > 4 && turns[0] <= turns[1] + 2 &&
                turns[1] <= turns[0] + 2);
    abdb_samples_free(&samples);
    stop = 1;
    assert_ok(abdb_warm_up_and_sample_until_stable(set_host_device_resolution(1e-9), &impl, copies,
                                                   2, &rule, &stop, &samples, &err));
    assert_true(samples.count == 0 && samples.cancelled); /* stopped before the first */
    abdb_samples_free(&samples);
}

/* One launch that the machine held up does not decide how many a sample has. */
static size_t launched;
static abdb_status launch_that_stalls_at_third(void *state, abdb_error *err)
{
    (void)state;
    (void)err;
    if (++launched == 3) usleep(5000); /* the first after warming up */
    return ABDB_OK;
}
static void test_one_stall_does_not_shrink_batch(void **state)
{
    const abdb_impl impl = {"none", "test", NULL, NULL, launch_that_stalls_at_third, NULL, NULL};
    abdb_sampling rule = {
        .warm_ups = 2, .min_samples = 10, .min_time_s = 0.2, .max_time_s = 1, .iqr_target = 10};
    volatile int stop = 0;
    void *copies[1] = {NULL};
    abdb_samples samples;
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_warm_up_and_sample_until_stable(set_host_device_resolution(1e-9), &impl, copies,
                                                   1, &rule, &stop, &samples, &err));
    assert_true(samples.batch > 10);
    assert_int_equal(samples.launches, launched);
    abdb_samples_free(&samples);
}

/* Where the time is up three samples are taken all the same, and one of launches that take long
 * where the rule says so. */
static abdb_status launch_that_sleeps_20_ms(void *state, abdb_error *err)
{
    struct timespec wait = {0, 20000000};

    (void)state, (void)err;
    nanosleep(&wait, NULL);
    return ABDB_OK;
}

static void test_slow_launches_still_get_samples(void **state)
{
    const abdb_impl impl = {"none", "test", NULL, NULL, launch_that_sleeps_20_ms, NULL, NULL};
    static const struct {
        double alone_s;
        size_t samples;
    } each[] = {{0, 3}, {0.015, 1}, {1, 3}};
    volatile int stop = 0;
    void *copies[1] = {NULL};
    abdb_samples samples;
    abdb_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        abdb_sampling rule = {.warm_ups = 1,
                              .min_samples = 10,
                              .max_time_s = 0.001,
                              .iqr_target = 10,
                              .single_sample_s = each[i].alone_s};

        assert_ok(abdb_warm_up_and_sample_until_stable(set_host_device_resolution(1e-9), &impl,
                                                       copies, 1, &rule, &stop, &samples, &err));
        assert_int_equal(samples.count, each[i].samples);
        abdb_samples_free(&samples);
    }
}

/* Readings of sensors: few however long it takes, in order, to the end; one look where there are
 * none. */
static void test_sensor_readings_are_few_and_spread(void **state)
{
    const abdb_impl impl = {"none", "test", NULL, NULL, count_launch_of_copy, NULL, NULL};
    /* the clock's steps are so long that samples last and are few */
    abdb_sampling rule = {.min_samples = 10, .min_time_s = 2, .max_time_s = 2.5, .iqr_target = 10};
    volatile int stop = 0;
    int first = 0;
    void *copies[1] = {&first};
    char folder[] = "/tmp/abdb-sensors-XXXXXX", path[128];
    FILE *file;
    abdb_samples s;
    abdb_error err = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("ABDB_SENSORS", folder, 1);
    assert_ok(abdb_warm_up_and_sample_until_stable(set_host_device_resolution(5e-6), &impl, copies,
                                                   1, &rule, &stop, &s, &err));
    assert_int_equal(s.readings, 1);
    abdb_samples_free(&s);
    snprintf(path, sizeof path, "mkdir -p %s/sys/class/thermal/thermal_zone0", folder);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/sys/class/thermal/thermal_zone0/temp", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("45000\n", file);
    fclose(file);
    assert_ok(abdb_warm_up_and_sample_until_stable(set_host_device_resolution(5e-6), &impl, copies,
                                                   1, &rule, &stop, &s, &err));
    assert_true(s.readings > 4 && s.readings <= ABDB_READINGS_MAX);
    assert_true(s.reading[0].at_s <= s.first_s);
    assert_true(s.reading[s.readings - 1].at_s > s.first_s + 1.5);
    for (size_t i = 0; i < s.readings; i++) {
        assert_true(s.reading[i].temperature_c == 45);
        if (i)
            assert_true(s.reading[i].at_s - s.reading[i - 1].at_s > 0.19); /* every second went */
    }
    abdb_samples_free(&s);
    unsetenv("ABDB_SENSORS");
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

/* An empty region asks for all threads; so does what flushes the caches, so that they are awake
 * when the clock starts. */
static void test_flush_wakes_all_threads(void **state)
{
    abdb_device *device = abdb_init_host_device(3);
    abdb_error err = {0};
    double region_s;

    (void)state;
    abdb_thread_count_begin();
    region_s = abdb_median_time_of_empty_parallel_region(3);
    assert_int_equal(abdb_thread_count_end_max(), 3);
    assert_true(region_s > 0 && region_s < 1);
    abdb_thread_count_begin();
    assert_ok(device->flush_caches(device, &err));
    assert_int_equal(abdb_thread_count_end_max(), 3);
}

/* --- hot <= rotate <= cold: a device that counts ---------------------------------------------- */

/* Its clock ticks by what a launch finds in its cache: a tick where all is there, ten where nothing
 * is. The cache holds what was used last. */
enum { CACHE = 64 << 10, HELD_MAX = 64 };
static const double tick_s = 1e-4;
static struct {
    abdb_device device;
    const void *held[HELD_MAX]; /* the last used first */
    size_t count, each, flushes;
    double now_s, begin_s;
} counting;

static abdb_status flush_simulated_cache(abdb_device *d, abdb_error *err)
{
    (void)d;
    (void)err;
    counting.count = 0;
    counting.flushes++;
    counting.now_s += 1000 * tick_s; /* no sample may hold it */
    return ABDB_OK;
}

static abdb_status begin_simulated_timing(abdb_device *d, abdb_error *err)
{
    (void)d;
    (void)err;
    counting.begin_s = counting.now_s;
    return ABDB_OK;
}

static abdb_status end_simulated_timing(abdb_device *d, double *time_s, abdb_error *err)
{
    (void)d;
    (void)err;
    *time_s = counting.now_s - counting.begin_s;
    return ABDB_OK;
}

static abdb_status launch_and_advance_simulated_clock(void *state, abdb_error *err)
{
    size_t at = 0, most = CACHE / counting.each;

    while (at < counting.count && counting.held[at] != state) at++;
    counting.now_s += tick_s * (at < counting.count ? 1 : 10);
    if (at == counting.count && counting.count < most) counting.count++;
    if (at == counting.count) at--;
    memmove(counting.held + 1, counting.held, at * sizeof *counting.held);
    counting.held[0] = state;
    return abdb_ref_stream.launch(state, err);
}

/* The median of a cell's samples, in ticks. */
static double run_cell_return_ticks_per_launch(const char *cache, FILE *records)
{
    const abdb_impl impl = {"stream",
                            "ref",
                            NULL,
                            abdb_ref_stream.prepare,
                            launch_and_advance_simulated_clock,
                            NULL,
                            abdb_ref_stream.close};
    const abdb_impl *const native[] = {&impl, NULL};
    const abdb_backend backend = {.name = "counting", .native = native};
    json_t *asked = json_pack("{s:s,s:{s:s,s:s,s:s},s:b}", "kernel", "stream", "params", "op",
                              "triad", "n", "2048", "cache", cache, "quick", true);
    long from = ftell(records);
    double all[ABDB_SAMPLES_MAX];
    volatile int stop = 0;
    const char *status;
    abdb_error err = {0};
    char line[4096];
    size_t n = 0;

    counting.count = 0;
    counting.each = 3 * 4 * 2048;
    assert_ok(abdb_run_and_print_kernel_cell(&backend, &counting.device, "x", asked, &stop, &status,
                                             &err));
    fseek(records, from, SEEK_SET);
    while (fgets(line, sizeof line, records)) {
        json_t *record = json_loads(line, 0, NULL);

        if (strcmp(json_string_value(json_object_get(record, "kind")), "sample") == 0)
            all[n++] = json_number_value(json_object_get(record, "time_s"));
        json_decref(record);
    }
    json_decref(asked);
    assert_true(n >= ABDB_SAMPLES_FEW);
    for (size_t i = 1; i < n; i++) /* the device knows no noise */
        assert_true(fabs(all[i] - all[0]) < 1e-3 * tick_s);
    return all[0] / tick_s;
}

static void test_hot_is_faster_than_rotate_and_cold(void **state)
{
    FILE *records = tmpfile();
    int out = dup(STDOUT_FILENO);
    double hot, rotate, cold;

    (void)state;
    assert_true(records && dup2(fileno(records), STDOUT_FILENO) >= 0 &&
                abdb_records_take_stdout_divert_prints());
    dup2(out, STDOUT_FILENO);
    close(out);
    counting.device = *abdb_init_host_device(1);
    counting.device.limits = (abdb_machine_caches){
        .l1 = 1 << 10, .l2 = 2 << 10, .last = CACHE, .threads = 1, .claimed = CACHE};
    counting.device.flush_caches = flush_simulated_cache;
    counting.device.begin_timing = begin_simulated_timing;
    counting.device.end_timing = end_simulated_timing;
    hot = run_cell_return_ticks_per_launch("hot", records);
    rotate = run_cell_return_ticks_per_launch("rotate", records);
    assert_int_equal(counting.flushes, 0);
    cold = run_cell_return_ticks_per_launch("cold", records);
    assert_true(counting.flushes >= ABDB_SAMPLES_FEW);
    /* a virtual machine that can count on a quarter of what it claims, and may have all of it */
    counting.device.limits.last = CACHE / 4;
    assert_true(fabs(run_cell_return_ticks_per_launch("rotate", records) - 10) < 1e-3);
    fclose(records);
    assert_true(fabs(hot - 1) < 1e-3);
    assert_true(fabs(rotate - 10) < 1e-3);
    assert_true(fabs(cold - 10) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_counter_may_wrap),
        cmocka_unit_test(test_memory_pool_reuses_and_trims),
        cmocka_unit_test(test_cold_launches_need_a_hundred_steps_of_the_clock),
        cmocka_unit_test(test_copies_take_turns_until_stopped),
        cmocka_unit_test(test_one_stall_does_not_shrink_batch),
        cmocka_unit_test(test_slow_launches_still_get_samples),
        cmocka_unit_test(test_sensor_readings_are_few_and_spread),
        cmocka_unit_test(test_flush_wakes_all_threads),
        cmocka_unit_test(test_hot_is_faster_than_rotate_and_cold)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
