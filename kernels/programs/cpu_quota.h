/* cpu_quota.h - the processors that a cgroup allows this process, and its waits for them. */
#ifndef ABDB_KERNELS_CPU_QUOTA_H
#define ABDB_KERNELS_CPU_QUOTA_H

/* The smallest quota of the process's cgroup and those around it (v1 and v2), in processors. NAN:
 * no quota, or none that can be read. */
double abdb_smallest_cgroup_cpu_quota(void);
/* The time so far in which these cgroups had used up their quota. NAN: no file tells it. */
double abdb_cgroup_throttled_seconds(void);

#endif
