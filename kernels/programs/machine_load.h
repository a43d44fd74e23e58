/* machine_load.h - what disturbs a measured program: other programs, and its own quota. */
#ifndef ABDB_KERNELS_MACHINE_LOAD_H
#define ABDB_KERNELS_MACHINE_LOAD_H

#include <jansson.h>
#include <stdbool.h>

/* Counters at one moment; NAN: unknown. */
typedef struct {
    double at_s;        /* of the monotonic clock */
    double busy_s;      /* processor time of all programs, and of others on the host */
    double own_s;       /* of this process and of those that it waited for */
    double throttled_s; /* in which the cgroup had used up its quota */
} abdb_machine_load;

/* The disturbance between two moments; NAN: unknown. */
typedef struct {
    double other_load;  /* processors that other programs used */
    double throttled_s; /* time in which the quota was used up */
    bool busy;          /* others used more than a tenth of the machine */
} abdb_disturbance;

void abdb_read_machine_load(abdb_machine_load *out);
abdb_disturbance abdb_disturbance_since(const abdb_machine_load *begin);
/* Adds `other_load` and `cpu_throttled_s` where they are known, `busy` and `throttled` where true,
 * to a result record. */
void abdb_disturbance_add_to_record(const abdb_disturbance *d, json_t *record);

#endif
