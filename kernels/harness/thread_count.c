/* thread_count.c - how many threads a launch really runs on, so that no result stands under a
 * number of threads that it did not have, and what asking for them costs. Our kernels and the
 * libraries all ask libgomp for threads by its function GOMP_parallel. A function of that name here
 * is found first by the linker, notes how many threads come, and goes on to libgomp's own. What
 * asks another pool is not seen: then the backend's word stands. */
#include <dlfcn.h>
#include <omp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "kernels/harness/harness.h"
#include "schema/core/stats.h"

enum { REGIONS_FIRST = 3, REGIONS = 101, REGIONS_FEW = 11 };
static const double regions_s = 0.02; /* no longer than that, but a few */

typedef void parallel_region(void *data);
typedef void parallel_launcher(parallel_region *inside, void *data, unsigned threads,
                               unsigned flags);
typedef struct {
    parallel_region *inside;
    void *data;
} region_call;

static atomic_int most; /* 0: nobody counts */

void abdb_thread_count_begin(void)
{
    atomic_store(&most, 1);
}

int abdb_thread_count_end_max(void)
{
    return atomic_exchange(&most, 0);
}

static void record_max_team_size_and_run_region(void *data)
{
    const region_call *c = data;

    if (omp_get_thread_num() == 0 && omp_get_num_threads() > atomic_load(&most))
        atomic_store(&most, omp_get_num_threads());
    c->inside(c->data);
}

void GOMP_parallel(parallel_region *inside, void *data, unsigned threads, unsigned flags);

/* Stands before libgomp's function of that name: counts the threads of a parallel region while a
 * count is wanted, then calls it. */
void GOMP_parallel(parallel_region *inside, void *data, unsigned threads, unsigned flags)
{
    static _Atomic(parallel_launcher *) real;
    region_call c = {inside, data};
    parallel_launcher *next = atomic_load(&real);

    if (!next) {
        /* Through a void pointer, since ISO C has no cast from it to a function. */
        void *found = dlsym(RTLD_NEXT, "GOMP_parallel");

        next = *(parallel_launcher **)&found;
        atomic_store(&real, next);
    }
    if (atomic_load_explicit(&most, memory_order_relaxed))
        next(record_max_team_size_and_run_region, &c, threads, flags);
    else
        next(inside, data, threads, flags);
}

double abdb_median_time_of_empty_parallel_region(int threads)
{
    double time_s[REGIONS], begin_s = 0;
    abdb_summary summary;
    size_t n = 0;

    for (int i = 0; i < REGIONS_FIRST + REGIONS; i++) {
        double first_s = abdb_clock_seconds();

        if (i == REGIONS_FIRST) begin_s = first_s;
        if (n >= REGIONS_FEW && first_s - begin_s > regions_s) break;
#pragma omp parallel num_threads(threads)
        __asm__ volatile("" : : : "memory");
        if (i >= REGIONS_FIRST) time_s[n++] = abdb_clock_seconds() - first_s;
    }
    return abdb_sort_and_summarise(time_s, n, &summary, NULL) == ABDB_OK ? summary.median : 0;
}

bool abdb_get_processors_of_openmp_places(cpu_set_t *out)
{
    int places = omp_get_num_places();

    CPU_ZERO(out);
    for (int i = 0; i < places; i++) {
        int count = omp_get_place_num_procs(i), *number = calloc((size_t)count, sizeof *number);

        if (number) omp_get_place_proc_ids(i, number);
        for (int j = 0; number && j < count; j++) CPU_SET((size_t)number[j], out);
        free(number);
    }
    return places > 0;
}
