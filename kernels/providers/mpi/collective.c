/* collective.c - the kernels of several ranks as the device of rank 0 is asked for them; what is
 * sent is in rank_launch.c. See ranks.h. */
#include <stdlib.h>

#include "kernels/providers/mpi/ranks.h"

typedef struct {
    abdb_device *device;
    int job;
} queued_collective;

/* 1: there are ranks enough, and MPI has the operation in that format; else 0 and *why_not. */
static int mpi_collective_accepts_ranks_and_format(const abdb_problem *p, const char **why_not)
{
    abdb_exchange x;

    abdb_exchange_from_problem(p, &x);
    *why_not = p->device->limits.ranks < 2 ? "it was started with one rank: abdb run --ranks 2"
                                           : "it was started with fewer ranks: abdb run --ranks N";
    if (x.ranks > p->device->limits.ranks) return 0;
    return abdb_mpi_supports_exchange(&x, why_not);
}

/* Opens the collective on all its ranks. */
static abdb_status mpi_collective_prepare_on_all_ranks(void **state, const abdb_problem *p,
                                                       abdb_error *err)
{
    queued_collective *l = calloc(1, sizeof *l);
    abdb_status st = ABDB_OK;

    if (!l) return ABDB_FAIL(err, ABDB_NOMEM, "a collective");
    l->device = p->device;
    st = abdb_mpi_open_collective_on_all_ranks(p->device, p, &l->job, err);
    if (st == ABDB_OK)
        *state = l;
    else
        free(l);
    return st;
}

static abdb_status mpi_collective_enqueue(void *state, abdb_error *err)
{
    const queued_collective *l = state;

    return abdb_mpi_queue_launch_run_if_full(l->device, l->job, err);
}

static void mpi_collective_close(void *state)
{
    queued_collective *l = state;

    abdb_mpi_close_collective_on_all_ranks(l->device, l->job);
    free(l);
}

#define IMPL(id, printed)                                                     \
    const abdb_impl abdb_mpi_##id = {printed,                                 \
                                     "mpi",                                   \
                                     mpi_collective_accepts_ranks_and_format, \
                                     mpi_collective_prepare_on_all_ranks,     \
                                     mpi_collective_enqueue,                  \
                                     NULL,                                    \
                                     mpi_collective_close};
IMPL(all_reduce, "all-reduce")
IMPL(all_gather, "all-gather")
IMPL(reduce_scatter, "reduce-scatter")
IMPL(all_to_all, "all-to-all")
IMPL(reduce, "reduce")
IMPL(broadcast, "broadcast")
IMPL(point, "point-to-point")
