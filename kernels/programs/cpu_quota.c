/* cpu_quota.c - see cpu_quota.h. Files are below $ABDB_SENSORS, where a test has put its own. */
#include "kernels/programs/cpu_quota.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/fixed_text.h"
#include "schema/core/number.h"

enum { LINE = 1024 };

static FILE *open_below_sensor_root(const char *folder, const char *file)
{
    const char *root = getenv("ABDB_SENSORS");
    char path[PATH_MAX];

    return abdb_format_if_fits(path, sizeof path, "%s%s%s", root ? root : "", folder, file)
               ? fopen(path, "r")
               : NULL;
}

/* The numbers of the first line of a file, up to two; returns how many. */
static int read_numbers(const char *folder, const char *name, double out[2])
{
    FILE *file = open_below_sensor_root(folder, name);
    char line[LINE] = "";
    const char *at = line;
    int count = 0;
    size_t size;

    if (file && !fgets(line, sizeof line, file)) *line = '\0';
    if (file) fclose(file);
    while (count < 2 && (size = abdb_double_parse_prefix(at, &out[count]))) {
        at += size;
        count++;
    }
    return count;
}

/* The quota of one folder; NAN: none ("max", -1). */
static double read_quota_of_folder(const char *folder)
{
    double v2[2], quota[2], period[2];

    if (read_numbers(folder, "/cpu.max", v2) == 2) return v2[0] / v2[1];
    if (read_numbers(folder, "/cpu.cfs_quota_us", quota) && quota[0] > 0 &&
        read_numbers(folder, "/cpu.cfs_period_us", period) && period[0] > 0)
        return quota[0] / period[0];
    return NAN;
}

/* Calls visit for a folder and for those around it, up to the mount. */
static void visit_folders_up_to(const char *mount, const char *below,
                                void (*visit)(const char *folder, double *out), double *out)
{
    char folder[PATH_MAX];

    if (!abdb_format_if_fits(folder, sizeof folder, "%s%s", mount, below)) return;
    for (;;) {
        char *slash = strrchr(folder, '/');

        visit(folder, out);
        if (strlen(folder) <= strlen(mount) || !slash) return;
        *slash = '\0';
    }
}

/* Calls visit for the folder of each cgroup of this process that counts processor time. */
static void visit_cpu_cgroup_folders(void (*visit)(const char *folder, double *out), double *out)
{
    FILE *file = open_below_sensor_root("/proc/self/cgroup", "");
    char line[LINE];

    /* "0::/path" of v2, "4:cpu,cpuacct:/path" of v1. */
    while (file && fgets(line, sizeof line, file)) {
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;

        if (!path) continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (strcmp(path, "/") == 0) *path = '\0';
        if (!names[1])
            visit_folders_up_to("/sys/fs/cgroup", path, visit, out);
        else if (strcmp(names + 1, "cpu") == 0 || strcmp(names + 1, "cpu,cpuacct") == 0)
            visit_folders_up_to("/sys/fs/cgroup/cpu", path, visit, out);
    }
    if (file) fclose(file);
}

static void take_smaller_quota(const char *folder, double *least)
{
    *least = fmin(*least, read_quota_of_folder(folder)); /* fmin passes over NAN */
}

double abdb_smallest_cgroup_cpu_quota(void)
{
    double least = NAN;

    visit_cpu_cgroup_folders(take_smaller_quota, &least);
    return least;
}

/* Adds the time that a cgroup had to wait for its quota: throttled_usec of v2, throttled_time (in
 * ns) of v1. */
static void add_throttled_seconds(const char *folder, double *sum)
{
    FILE *file = open_below_sensor_root(folder, "/cpu.stat");
    char line[LINE];
    double value;

    while (file && fgets(line, sizeof line, file)) {
        bool v2 = strncmp(line, "throttled_usec ", 15) == 0;

        if ((v2 || strncmp(line, "throttled_time ", 15) == 0) &&
            abdb_double_parse_prefix(line + 15, &value))
            *sum = (isnan(*sum) ? 0 : *sum) + value * (v2 ? 1e-6 : 1e-9);
    }
    if (file) fclose(file);
}

double abdb_cgroup_throttled_seconds(void)
{
    double sum = NAN;

    visit_cpu_cgroup_folders(add_throttled_seconds, &sum);
    return sum;
}
