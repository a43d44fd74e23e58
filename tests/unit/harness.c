/* harness.c - tests of the harness: sensors, turns of samples, readings between them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "tests/unit/check.h"

/* A counter of energy that has begun again; a window too short; no sensor. */
static void energy(void **state)
{
    abdb_sensors before = {.at_s = 0, .energy_j = 100, .energy_most_j = 110},
                 after = {.at_s = 10, .energy_j = 5, .energy_most_j = 110};
    json_t *told = json_object();

    (void)state;
    before.load = before.stolen = before.ticks = after.stolen = after.ticks = NAN;
    after.clock_hz = after.temperature_c = NAN;
    abdb_sensors_tell(told, &before, &after, 3);
    assert_true(json_number_value(json_object_get(told, "energy_j")) == 5);
    assert_true(json_number_value(json_object_get(told, "power_w")) == 1.5);
    json_object_clear(told);
    after.at_s = 4;
    abdb_sensors_tell(told, &before, &after, 3);
    assert_null(json_object_get(told, "energy_j"));
    assert_non_null(json_object_get(told, "energy_reason"));
    json_object_clear(told);
    after.energy_j = NAN;
    abdb_sensors_tell(told, &before, &after, 3);
    assert_int_equal(json_object_size(told), 0);
    json_decref(told);
}

/* Copies are used in turn; every sample is kept; a request to stop ends it. */
static size_t turns[2];
static abdb_status take_turn(void *state, abdb_error *err)
{
    (void)err;
    turns[*(int *)state]++;
    return ABDB_OK;
}

/* The host, whose clock has this resolution. */
static abdb_device *host(double resolution_s)
{
    abdb_device *device = abdb_host_device(1);

    device->resolution_s = resolution_s;
    return device;
}
static void rotation(void **state)
{
    const abdb_impl impl = {"none", "test", NULL, NULL, take_turn, NULL, NULL};
    abdb_sampling rule = {.warm_ups = 1, .least = 10, .cap_s = 1, .iqr_target = 10};
    volatile int stop = 0;
    int first = 0, second = 1;
    void *copies[2] = {&first, &second};
    abdb_samples samples;
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_cell_measure(host(1e-9), &impl, copies, 2, &rule, &stop, &samples, &err));
    assert_true(samples.count >= 10 && !samples.cancelled);
    assert_int_equal(samples.launches, turns[0] + turns[1]);
    assert_true(turns[0] > 4 && turns[1] > 4 && turns[0] <= turns[1] + 2 &&
                turns[1] <= turns[0] + 2);
    abdb_samples_free(&samples);
    stop = 1;
    assert_ok(abdb_cell_measure(host(1e-9), &impl, copies, 2, &rule, &stop, &samples, &err));
    assert_true(samples.count == 0 && samples.cancelled); /* stopped before the first */
    abdb_samples_free(&samples);
}

/* One launch that the machine held up does not decide how many a sample has. */
static size_t launched;
static abdb_status stall_once(void *state, abdb_error *err)
{
    (void)state;
    (void)err;
    if (++launched == 3) usleep(5000); /* the first after warming up */
    return ABDB_OK;
}
static void stalled_launch(void **state)
{
    const abdb_impl impl = {"none", "test", NULL, NULL, stall_once, NULL, NULL};
    abdb_sampling rule = {.warm_ups = 2, .least = 10, .least_s = 0.2, .cap_s = 1, .iqr_target = 10};
    volatile int stop = 0;
    void *copies[1] = {NULL};
    abdb_samples samples;
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_cell_measure(host(1e-9), &impl, copies, 1, &rule, &stop, &samples, &err));
    assert_true(samples.batch > 10);
    assert_int_equal(samples.launches, launched);
    abdb_samples_free(&samples);
}

/* Readings of sensors: few however long it takes, in order, to the end; one look where there are
 * none. */
static void readings(void **state)
{
    const abdb_impl impl = {"none", "test", NULL, NULL, take_turn, NULL, NULL};
    /* the clock's steps are so long that samples last and are few */
    abdb_sampling rule = {.least = 10, .least_s = 2, .cap_s = 2.5, .iqr_target = 10};
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
    assert_ok(abdb_cell_measure(host(5e-6), &impl, copies, 1, &rule, &stop, &s, &err));
    assert_int_equal(s.readings, 1);
    abdb_samples_free(&s);
    snprintf(path, sizeof path, "mkdir -p %s/sys/class/thermal/thermal_zone0", folder);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/sys/class/thermal/thermal_zone0/temp", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("45000\n", file);
    fclose(file);
    assert_ok(abdb_cell_measure(host(5e-6), &impl, copies, 1, &rule, &stop, &s, &err));
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy), cmocka_unit_test(rotation),
                                       cmocka_unit_test(stalled_launch),
                                       cmocka_unit_test(readings)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
