/* sensors.c - load, stolen time, clock, temperature and energy, read from Linux; see harness.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/number.h"

enum { PATH_SIZE = 512, ZONES = 64 };

/* A path under the root of all sensor files: $ABDB_SENSORS, where a test has put its own. */
static const char *prefix_sensor_root(char out[PATH_SIZE], const char *path)
{
    const char *root = getenv("ABDB_SENSORS");

    snprintf(out, PATH_SIZE, "%s%s", root ? root : "", path);
    return out;
}

/* Reads the first line of a file. False: there is none. */
static bool read_first_line_under_sensor_root(const char *path, char *line, size_t room)
{
    char full[PATH_SIZE];
    FILE *file = fopen(prefix_sensor_root(full, path), "r");
    bool got = file && fgets(line, (int)room, file);

    if (file) fclose(file);
    return got;
}

static bool read_number_under_sensor_root(const char *path, double *out)
{
    char line[128];

    return read_first_line_under_sensor_root(path, line, sizeof line) &&
           abdb_double_parse_prefix(line, out) > 0;
}

/* Time that the hypervisor gave to others, and all time, of all processors. */
static void read_stolen_and_total_ticks(abdb_sensors *s)
{
    /* Columns of the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq,
     * steal; in ticks since the start. What follows (guest) is counted in user already. */
    double tick, ticks = 0;
    char line[512];
    const char *at = line;

    s->stolen = s->ticks = NAN;
    if (!read_first_line_under_sensor_root("/proc/stat", line, sizeof line) ||
        strncmp(line, "cpu", 3) != 0)
        return;
    at += 3;
    for (int i = 0; i < 8; i++) {
        size_t size = abdb_double_parse_prefix(at, &tick);

        if (!size) return;
        at += size;
        ticks += tick;
    }
    s->stolen = tick;
    s->ticks = ticks;
}

/* The largest of a number that several zones, clocks or packages have, or (sum) all of them
 * together; NAN: none has it. Numbering may begin at 0 or 1 and has no gaps. */
static double max_or_sum_over_zones(const char *path_before_number, const char *path_after_number,
                                    bool use_sum)
{
    double all = NAN, one;

    for (int i = 0; i < ZONES; i++) {
        char path[PATH_SIZE];

        snprintf(path, sizeof path, "%s%d%s", path_before_number, i, path_after_number);
        if (!read_number_under_sensor_root(path, &one)) {
            if (i) break;
            continue;
        }
        all = isnan(all) ? one : use_sum ? all + one : fmax(all, one);
    }
    return all;
}

/* Micro-joules to joules, of all packages of processors; domains inside of a package (cores,
 * memory) have longer names and are not counted twice. */
static double sum_rapl_packages_as_joules(const char *counter_file)
{
    return 1e-6 * max_or_sum_over_zones("/sys/class/powercap/intel-rapl:", counter_file, true);
}

void abdb_sensors_read_clock_temperature_energy(abdb_sensors *s)
{
    s->at_s = abdb_clock_seconds();
    s->load = s->stolen = s->ticks = NAN;
    s->clock_hz = 1e3 * max_or_sum_over_zones("/sys/devices/system/cpu/cpu",
                                              "/cpufreq/scaling_cur_freq", false);
    s->temperature_c =
        1e-3 * max_or_sum_over_zones("/sys/class/thermal/thermal_zone", "/temp", false);
    s->energy_j = sum_rapl_packages_as_joules("/energy_uj");
    s->energy_most_j = sum_rapl_packages_as_joules("/max_energy_range_uj");
    s->part = NULL;
    s->memory_clock_hz = s->power_w = s->throttle = NAN;
}

void abdb_sensors_read_all_with_load_and_steal(abdb_sensors *s)
{
    abdb_sensors_read_clock_temperature_energy(s);
    if (!read_number_under_sensor_root("/proc/loadavg", &s->load)) s->load = NAN;
    read_stolen_and_total_ticks(s);
}

/* Joules from one reading to a later one, whose counter may have begun again; NAN: no counter. */
static double joules_between_readings_with_wraparound(const abdb_sensors *before,
                                                      const abdb_sensors *after)
{
    double used = after->energy_j - before->energy_j;

    return used < 0 ? used + after->energy_most_j : used;
}

static void set_json_number_if_finite(json_t *record, const char *key, double value)
{
    if (isfinite(value)) json_object_set_new(record, key, json_real(value));
}

bool abdb_device_has_energy_counter(abdb_device *d)
{
    abdb_sensors now;

    d->read_sensors(d, ABDB_SENSE_QUICK, &now);
    return isfinite(now.energy_j);
}

void abdb_sensors_add_energy_and_time_between(abdb_sensors *sum, const abdb_sensors *before,
                                              const abdb_sensors *after)
{
    sum->energy_j += joules_between_readings_with_wraparound(before, after);
    sum->at_s += after->at_s - before->at_s;
}

void abdb_result_json_add_load_steal_and_energy(json_t *record, const abdb_sensors *before,
                                                const abdb_sensors *after, double launches)
{
    double window = after->at_s - before->at_s,
           used = joules_between_readings_with_wraparound(before, after);
    double ticks = after->ticks - before->ticks;

    /* Of before, because the measurement itself is a load. */
    set_json_number_if_finite(record, "load", before->load);
    /* some hypervisors count back at times */
    set_json_number_if_finite(record, "steal",
                              ticks > 0 ? fmax(0, after->stolen - before->stolen) / ticks : NAN);
    set_json_number_if_finite(record, "clock_hz", after->clock_hz);
    set_json_number_if_finite(record, "temperature_c", after->temperature_c);
    if (isnan(used)) return; /* no sensor: nothing is said, no rated power stands in for it */
    if (window < ABDB_ENERGY_WINDOW_S) {
        json_object_set_new(record, "energy_reason", json_string("the window is shorter than 5 s"));
        return;
    }
    set_json_number_if_finite(record, "energy_j", used / launches);
    set_json_number_if_finite(record, "power_w", used / window);
    json_object_set_new(record, "energy_scope", json_string(after->part ? after->part : "package"));
}

static void print_telemetry_record_if_finite(const char *cell, const char *sensor,
                                             const char *quantity, const char *unit, double t_s,
                                             double value)
{
    if (isfinite(value))
        abdb_print_and_free_record(json_pack("{s:s,s:s,s:s,s:s,s:s,s:f,s:f}", "kind", "telemetry",
                                             "cell", cell, "sensor", sensor, "quantity", quantity,
                                             "unit", unit, "t_s", t_s, "value", value));
}

void abdb_print_sensor_telemetry(const char *cell, const abdb_sensors *reading, size_t count,
                                 double first_s)
{
    const abdb_sensors *from = reading; /* where the counter of energy last moved */

    for (size_t i = 0; i < count; i++) {
        const abdb_sensors *now = &reading[i];
        double t_s = now->at_s - first_s, used = joules_between_readings_with_wraparound(from, now);
        const char *part = now->part;

        print_telemetry_record_if_finite(cell, part ? part : "cpu", "clock", "Hz", t_s,
                                         now->clock_hz);
        print_telemetry_record_if_finite(cell, part ? part : "memory", "memory clock", "Hz", t_s,
                                         now->memory_clock_hz);
        print_telemetry_record_if_finite(cell, part ? part : "thermal", "temperature", "degC", t_s,
                                         now->temperature_c);
        print_telemetry_record_if_finite(cell, part ? part : "package", "power reading", "W", t_s,
                                         now->power_w);
        print_telemetry_record_if_finite(cell, part ? part : "cpu", "throttle reasons", "bits", t_s,
                                         now->throttle);
        if (!(used > 0)) continue;
        print_telemetry_record_if_finite(cell, part ? part : "package", "power", "W", t_s,
                                         used / (now->at_s - from->at_s));
        from = now;
    }
}

void abdb_sensors_read_host_quick_or_all(abdb_device *d, int how, abdb_sensors *out)
{
    (void)d;
    if (how == ABDB_SENSE_QUICK)
        abdb_sensors_read_clock_temperature_energy(out);
    else
        abdb_sensors_read_all_with_load_and_steal(out);
}
