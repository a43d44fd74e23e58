/* rank_launch.c - one launch of each kernel of several ranks, by MPI; see ranks.h. */
#include <limits.h>
#include <stdlib.h>

#include "kernels/providers/mpi/ranks.h"

enum { TAG = 1 };

/* MPI's type of a format; f16 and bf16 are moved as whole numbers of 16 bits. */
static MPI_Datatype mpi_type_of_dtype(abdb_dtype dtype)
{
    switch (dtype) {
    case ABDB_F64: return MPI_DOUBLE;
    case ABDB_F32: return MPI_FLOAT;
    case ABDB_I32: return MPI_INT32_T;
    case ABDB_I8: return MPI_INT8_T;
    default: return MPI_UINT16_T; /* f16 and bf16, which are only moved */
    }
}

int abdb_mpi_supports_exchange(const abdb_exchange *x, const char **why_not)
{
    bool sums =
        x->kind == ABDB_ALL_REDUCE || x->kind == ABDB_REDUCE_SCATTER || x->kind == ABDB_REDUCE;

    *why_not = "MPI has no sums of this number format";
    if (sums && mpi_type_of_dtype(x->dtype) == MPI_UINT16_T) return 0;
    *why_not = "MPI counts to 2^31 - 1 elements";
    return x->count <= INT_MAX;
}

/* --- launches --------------------------------------------------------------------------------- */

static void mpi_all_reduce(const abdb_mpi_job *j)
{
    MPI_Allreduce(j->in, j->out, j->count, j->type, j->op, j->comm);
}

static void mpi_all_gather(const abdb_mpi_job *j)
{
    MPI_Allgather(j->in, j->part, j->type, j->out, j->part, j->type, j->comm);
}

static void mpi_reduce_scatter(const abdb_mpi_job *j)
{
    MPI_Reduce_scatter_block(j->in, j->out, j->part, j->type, j->op, j->comm);
}

static void mpi_all_to_all(const abdb_mpi_job *j)
{
    MPI_Alltoall(j->in, j->part, j->type, j->out, j->part, j->type, j->comm);
}

static void mpi_reduce_to_rank0(const abdb_mpi_job *j)
{
    MPI_Reduce(j->in, j->out, j->count, j->type, j->op, 0, j->comm);
}

static void mpi_broadcast_from_rank0(const abdb_mpi_job *j)
{
    MPI_Bcast(j->in, j->count, j->type, 0, j->comm);
}

/* The first rank sends to the last, which answers; the others do nothing. */
static void mpi_ping_pong_first_last(const abdb_mpi_job *j)
{
    int last = j->x.ranks - 1;

    if (j->rank == 0) {
        MPI_Send(j->in, j->count, j->type, last, TAG, j->comm);
        MPI_Recv(j->out, j->count, j->type, last, TAG, j->comm, MPI_STATUS_IGNORE);
    } else if (j->rank == last) {
        MPI_Recv(j->out, j->count, j->type, 0, TAG, j->comm, MPI_STATUS_IGNORE);
        MPI_Send(j->in, j->count, j->type, 0, TAG, j->comm);
    }
}

/* Message `i` of a window of those at `data`. */
static void *window_message_address(const abdb_mpi_job *j, void *data, int i)
{
    return (char *)data + (size_t)i * j->x.count * abdb_dtype_size(j->x.dtype);
}

/* All messages of a window at once, those that this rank gets first; then an empty one back, so
 * that who sends knows that all have come. */
static void mpi_exchange_window_and_acknowledge(const abdb_mpi_job *j)
{
    int last = j->x.ranks - 1, peer = j->rank ? 0 : last, n = 0;
    bool both = j->x.pattern == ABDB_BOTH_WAYS, gets = both || j->rank == last,
         sends = both || j->rank == 0;

    if (j->rank != 0 && j->rank != last) return;
    for (int i = 0; gets && i < j->x.window; i++)
        MPI_Irecv(window_message_address(j, j->out, i), j->count, j->type, peer, TAG, j->comm,
                  &j->request[n++]);
    for (int i = 0; sends && i < j->x.window; i++)
        MPI_Isend(window_message_address(j, j->in, i), j->count, j->type, peer, TAG, j->comm,
                  &j->request[n++]);
    MPI_Waitall(n, j->request, MPI_STATUSES_IGNORE);
    if (both)
        MPI_Sendrecv(NULL, 0, j->type, peer, TAG, NULL, 0, j->type, peer, TAG, j->comm,
                     MPI_STATUS_IGNORE);
    else if (gets)
        MPI_Send(NULL, 0, j->type, peer, TAG, j->comm);
    else
        MPI_Recv(NULL, 0, j->type, peer, TAG, j->comm, MPI_STATUS_IGNORE);
}

/* --- jobs ------------------------------------------------------------------------------------- */

abdb_status abdb_mpi_job_init(abdb_mpi_job *j, const abdb_exchange *x, MPI_Comm comm, void *in,
                              void *out, abdb_error *err)
{
    static void (*const runs[])(const abdb_mpi_job *) = {
        [ABDB_ALL_REDUCE] = mpi_all_reduce,
        [ABDB_ALL_GATHER] = mpi_all_gather,
        [ABDB_REDUCE_SCATTER] = mpi_reduce_scatter,
        [ABDB_ALL_TO_ALL] = mpi_all_to_all,
        [ABDB_REDUCE] = mpi_reduce_to_rank0,
        [ABDB_BROADCAST] = mpi_broadcast_from_rank0,
        [ABDB_POINT] = mpi_exchange_window_and_acknowledge};
    const char *why;

    if (!abdb_mpi_supports_exchange(x, &why)) return ABDB_FAIL(err, ABDB_USAGE, "%s", why);
    *j = (abdb_mpi_job){.x = *x,
                        .in = in,
                        .out = out,
                        .comm = comm,
                        .type = mpi_type_of_dtype(x->dtype),
                        .op = x->redop == ABDB_SUM   ? MPI_SUM
                              : x->redop == ABDB_MAX ? MPI_MAX
                                                     : MPI_MIN,
                        .count = (int)x->count,
                        .part = (int)(x->count / (size_t)x->ranks)};
    if (comm == MPI_COMM_NULL) return ABDB_OK;
    MPI_Comm_rank(comm, &j->rank);
    j->request = calloc(2 * (size_t)x->window, sizeof *j->request);
    if (!j->request) return ABDB_FAIL(err, ABDB_NOMEM, "a window of messages");
    j->run = x->kind == ABDB_POINT && x->pattern == ABDB_PING_PONG ? mpi_ping_pong_first_last
                                                                   : runs[x->kind];
    return ABDB_OK;
}

void abdb_mpi_job_free(abdb_mpi_job *j)
{
    free(j->request);
    *j = (abdb_mpi_job){.comm = MPI_COMM_NULL};
}
