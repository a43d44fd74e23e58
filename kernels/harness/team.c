/* team.c - how many threads a launch really runs on, so that no result stands under a number of
 * threads that it did not have. Our kernels and the libraries all ask libgomp for threads by its
 * function GOMP_parallel. A function of that name here is found first by the linker, notes how many
 * threads come, and goes on to libgomp's own. What asks another pool is not seen: then the
 * backend's word stands. */
#include <dlfcn.h>
#include <omp.h>
#include <stdatomic.h>
#include <stddef.h>

#include "kernels/harness/harness.h"

typedef void region(void *data);
typedef void parallel(region *inside, void *data, unsigned threads, unsigned flags);
typedef struct {
    region *inside;
    void *data;
} call;

static atomic_int most; /* 0: nobody counts */

void abdb_team_begin(void)
{
    atomic_store(&most, 1);
}

int abdb_team_most(void)
{
    return atomic_exchange(&most, 0);
}

static void counted(void *data)
{
    const call *c = data;

    if (omp_get_thread_num() == 0 && omp_get_num_threads() > atomic_load(&most))
        atomic_store(&most, omp_get_num_threads());
    c->inside(c->data);
}

void GOMP_parallel(region *inside, void *data, unsigned threads, unsigned flags);

void GOMP_parallel(region *inside, void *data, unsigned threads, unsigned flags)
{
    static _Atomic(parallel *) real;
    call c = {inside, data};
    parallel *next = atomic_load(&real);

    if (!next) {
        /* Through a void pointer, since ISO C has no cast from it to a function. */
        void *found = dlsym(RTLD_NEXT, "GOMP_parallel");

        next = *(parallel **)&found;
        atomic_store(&real, next);
    }
    if (atomic_load_explicit(&most, memory_order_relaxed))
        next(counted, &c, threads, flags);
    else
        next(inside, data, threads, flags);
}
