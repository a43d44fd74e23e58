/* collective.c - the kernels of several ranks as the device of rank 0 is asked for them; what is
 * sent is in job.c. See world.h. */
#include <stdlib.h>

#include "kernels/providers/mpi/world.h"

typedef struct {
    abdb_device *device;
    int job;
} launched;

static int accepts(const abdb_problem *p, const char **why_not)
{
    abdb_exchange x;

    abdb_exchange_of(p, &x);
    *why_not = p->device->limits.ranks < 2 ? "it was started with one rank: abdb run --ranks 2"
                                           : "it was started with fewer ranks: abdb run --ranks N";
    if (x.ranks > p->device->limits.ranks) return 0;
    return abdb_mpi_can(&x, why_not);
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    launched *l = calloc(1, sizeof *l);
    abdb_status st = ABDB_OK;

    if (!l) return ABDB_FAIL(err, ABDB_NOMEM, "a collective");
    l->device = p->device;
    st = abdb_mpi_lead_open(p->device, p, &l->job, err);
    if (st == ABDB_OK)
        *state = l;
    else
        free(l);
    return st;
}

static abdb_status launch(void *state, abdb_error *err)
{
    const launched *l = state;

    return abdb_mpi_lead_launch(l->device, l->job, err);
}

static void stop(void *state)
{
    launched *l = state;

    abdb_mpi_lead_close(l->device, l->job);
    free(l);
}

#define IMPL(id, printed) \
    const abdb_impl abdb_mpi_##id = {printed, "mpi", accepts, prepare, launch, NULL, stop};
IMPL(all_reduce, "all-reduce")
IMPL(all_gather, "all-gather")
IMPL(reduce_scatter, "reduce-scatter")
IMPL(all_to_all, "all-to-all")
IMPL(reduce, "reduce")
IMPL(broadcast, "broadcast")
IMPL(point, "point-to-point")
