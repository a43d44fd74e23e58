/* machine_load.c - see machine_load.h. /proc/stat is read below $ABDB_SENSORS, where a test has put
 * its own. */
#include "kernels/programs/machine_load.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "kernels/programs/cpu_quota.h"
#include "schema/core/fixed_text.h"
#include "schema/core/number.h"

static const double busy_share = 0.1;     /* of the machine's processors, used by others */
enum { IDLE = 3, IOWAIT = 4, STEAL = 7 }; /* columns of /proc/stat; guests count as users */

/* The busy time of all processors since the machine started, in seconds. */
static double read_busy_processor_seconds(void)
{
    const char *root = getenv("ABDB_SENSORS");
    char path[PATH_MAX], line[512] = "";
    FILE *file = abdb_format_if_fits(path, sizeof path, "%s/proc/stat", root ? root : "")
                     ? fopen(path, "r")
                     : NULL;
    const char *at = line + 3;
    double ticks = 0, value;
    size_t size;
    int column = 0;

    if (file && !fgets(line, sizeof line, file)) *line = '\0';
    if (file) fclose(file);
    if (strncmp(line, "cpu ", 4) != 0) return NAN;
    for (; column <= STEAL && (size = abdb_double_parse_prefix(at, &value)); column++, at += size)
        if (column != IDLE && column != IOWAIT) ticks += value;
    return column > IDLE ? ticks / (double)sysconf(_SC_CLK_TCK) : NAN;
}

static double processor_seconds_of(int who)
{
    struct rusage used;

    if (getrusage(who, &used) != 0) return 0;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void abdb_read_machine_load(abdb_machine_load *out)
{
    *out = (abdb_machine_load){.at_s = abdb_clock_seconds(),
                               .busy_s = read_busy_processor_seconds(),
                               .own_s = processor_seconds_of(RUSAGE_SELF) +
                                        processor_seconds_of(RUSAGE_CHILDREN),
                               .throttled_s = abdb_cgroup_throttled_seconds()};
}

abdb_disturbance abdb_disturbance_since(const abdb_machine_load *begin)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    abdb_machine_load end;
    abdb_disturbance d;
    double wall_s;

    abdb_read_machine_load(&end);
    wall_s = end.at_s - begin->at_s;
    d.throttled_s = end.throttled_s - begin->throttled_s;
    d.other_load = ((end.busy_s - begin->busy_s) - (end.own_s - begin->own_s)) / wall_s;
    if (d.other_load < 0) d.other_load = 0; /* /proc/stat counts in ticks */
    if (!(wall_s > 0)) d.other_load = NAN;
    d.busy = d.other_load > busy_share * (double)(processors > 0 ? processors : 1);
    return d;
}

void abdb_disturbance_add_to_record(const abdb_disturbance *d, json_t *record)
{
    if (isfinite(d->other_load))
        json_object_set_new(record, "other_load", json_real(d->other_load));
    if (isfinite(d->throttled_s))
        json_object_set_new(record, "cpu_throttled_s", json_real(d->throttled_s));
    if (d->busy) json_object_set_new(record, "busy", json_true());
    if (d->throttled_s > 0) json_object_set_new(record, "throttled", json_true());
}
