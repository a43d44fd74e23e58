/* ranks.c - what every rank does when rank 0 orders it; see ranks.h.
 *
 * An order is a broadcast that ranks wait for awake at first, then asleep, so that they leave the
 * processors to rank 0 while it makes and compares numbers. Errors of MPI end the job, which is
 * what MPI does by itself; all else that goes wrong on a rank becomes the status of the order. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/mpi/ranks.h"

enum { PIECE = 1 << 30, TAG = 2 }; /* bytes of a message of MPI, which counts in int */
static const double awake_s = 0.002, drowsy_s = 0.2;

abdb_status abdb_mpi_ranks_init(abdb_mpi_ranks *w, abdb_error *err)
{
    *w = (abdb_mpi_ranks){.host = abdb_init_host_device(1)};
    MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w->size);
    w->comm = calloc((size_t)w->size + 1, sizeof *w->comm);
    w->comm_made = calloc((size_t)w->size + 1, 1);
    w->number_of_rank = calloc((size_t)w->size, sizeof *w->number_of_rank);
    if (!w->comm || !w->comm_made || !w->number_of_rank) return ABDB_FAIL(err, ABDB_NOMEM, "ranks");
    for (int i = 0; i <= w->size; i++) w->comm[i] = MPI_COMM_NULL;
    for (int i = 0; i < ABDB_MPI_JOBS; i++) w->job[i].comm = MPI_COMM_NULL;
    return ABDB_OK;
}

/* --- memory ----------------------------------------------------------------------------------- */

static abdb_status alloc_and_register_own_part_of_tensor(abdb_mpi_ranks *w,
                                                         const abdb_mpi_command *command,
                                                         abdb_error *err)
{
    abdb_mpi_piece *piece = &w->piece[command->at];

    *piece = (abdb_mpi_piece){.size = command->size, .ranks = command->ranks};
    if (w->rank >= command->ranks) return ABDB_OK;
    return w->host->alloc(w->host, command->size, command->huge, &piece->data, err);
}

static void release_own_part_of_tensor(abdb_mpi_ranks *w, const abdb_mpi_command *command)
{
    w->host->release(w->host, w->piece[command->at].data);
    w->piece[command->at] = (abdb_mpi_piece){0};
}

/* A part of rank 0's memory goes to another rank, or comes from it. */
static void send_or_receive_bytes(void *data, size_t size, int peer, bool send)
{
    for (size_t at = 0; at < size; at += PIECE) {
        int count = (int)(size - at < PIECE ? size - at : PIECE);
        char *from = (char *)data + at;

        if (send)
            MPI_Send(from, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        else
            MPI_Recv(from, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank 0's whole tensor to the parts of all ranks, or back. */
static void scatter_or_gather_tensor(abdb_mpi_ranks *w, const abdb_mpi_command *command,
                                     bool scatter)
{
    const abdb_mpi_piece *piece = &w->piece[command->at];
    char *all = w->host_data;

    if (w->rank >= piece->ranks) return;
    if (w->rank > 0) {
        send_or_receive_bytes(piece->data, piece->size, 0, !scatter);
        return;
    }
    memcpy(scatter ? piece->data : all, scatter ? all : piece->data, piece->size);
    for (int r = 1; r < piece->ranks; r++)
        send_or_receive_bytes(all + (size_t)r * piece->size, piece->size, r, scatter);
}

static abdb_status fill_own_part_of_tensor(abdb_mpi_ranks *w, const abdb_mpi_command *command,
                                           abdb_error *err)
{
    const abdb_mpi_piece *piece = &w->piece[command->at];

    if (!piece->data) return ABDB_OK;
    return w->host->fill(w->host, piece->data, (unsigned char)command->byte, piece->size, err);
}

/* --- launches --------------------------------------------------------------------------------- */

/* A communicator of the first ranks: made by all of the world together, once. */
static void ensure_communicator_of_first_ranks(abdb_mpi_ranks *w, int first_ranks)
{
    if (w->comm_made[first_ranks]) return;
    MPI_Comm_split(MPI_COMM_WORLD, w->rank < first_ranks ? 0 : MPI_UNDEFINED, w->rank,
                   &w->comm[first_ranks]);
    w->comm_made[first_ranks] = 1;
}

static abdb_status init_job_from_command(abdb_mpi_ranks *w, const abdb_mpi_command *command,
                                         abdb_error *err)
{
    void *in = w->piece[command->at].data,
         *out = command->other < 0 ? in : w->piece[command->other].data;

    return abdb_mpi_job_init(&w->job[command->job], &command->x, w->comm[command->x.ranks], in, out,
                             err);
}

/* Seconds that this rank spent in the launches of the queue. They begin together: ranks meet
 * before the first, and where they are apart before each. */
static double run_and_time_queued_jobs(abdb_mpi_ranks *w, size_t launches)
{
    double sum = 0, first = 0, now;

    for (size_t i = 0; i < launches; i++) {
        const abdb_mpi_job *j = &w->job[w->queue[i]];

        if (!j->run) return 0;
        if (i == 0 || j->x.apart) {
            if (i) sum += abdb_clock_seconds() - first;
            MPI_Barrier(j->comm);
            first = abdb_clock_seconds();
        }
        j->run(j);
    }
    now = abdb_clock_seconds();
    return launches ? sum + now - first : 0;
}

/* One number of each rank to rank 0. */
static void gather_number_to_rank0(abdb_mpi_ranks *w, double own)
{
    MPI_Gather(&own, 1, MPI_DOUBLE, w->number_of_rank, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* --- orders ----------------------------------------------------------------------------------- */

/* What a command of rank 0 means on this rank. A status other than ABDB_OK is this rank's alone. */
static abdb_status execute_command_on_this_rank(abdb_mpi_ranks *w, const abdb_mpi_command *command,
                                                abdb_error *err)
{
    double took_s;
    abdb_status st;

    switch (command->verb) {
    case ABDB_MPI_QUIT: break;
    case ABDB_MPI_SPREAD: ensure_communicator_of_first_ranks(w, command->ranks); break;
    case ABDB_MPI_ALLOC: return alloc_and_register_own_part_of_tensor(w, command, err);
    case ABDB_MPI_RELEASE: release_own_part_of_tensor(w, command); break;
    case ABDB_MPI_FILL: return fill_own_part_of_tensor(w, command, err);
    case ABDB_MPI_UPLOAD: scatter_or_gather_tensor(w, command, true); break;
    case ABDB_MPI_DOWNLOAD: scatter_or_gather_tensor(w, command, false); break;
    case ABDB_MPI_FLUSH: return w->host->flush_caches(w->host, err);
    case ABDB_MPI_AVAILABLE: gather_number_to_rank0(w, w->host->available(w->host)); break;
    case ABDB_MPI_OPEN: return init_job_from_command(w, command, err);
    case ABDB_MPI_CLOSE: abdb_mpi_job_free(&w->job[command->job]); break;
    case ABDB_MPI_RUN:
        MPI_Bcast(w->queue, (int)command->launches, MPI_BYTE, 0, MPI_COMM_WORLD);
        gather_number_to_rank0(w, run_and_time_queued_jobs(w, command->launches));
        break;
    case ABDB_MPI_WORK_OPEN:
    case ABDB_MPI_WORK_RESET:
    case ABDB_MPI_WORK_RUN:
    case ABDB_MPI_WORK_CLOSE:
        st = w->workload_command(command, &took_s, err);
        gather_number_to_rank0(w, took_s);
        return st;
    }
    return ABDB_OK;
}

/* All ranks hear the worst status of all. */
static int allreduce_worst_status(abdb_status st)
{
    int own = (int)st, worst;

    MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

abdb_status abdb_mpi_broadcast_execute_get_worst_status(abdb_mpi_ranks *w,
                                                        const abdb_mpi_command *order,
                                                        abdb_error *err)
{
    abdb_mpi_command copy = *order;
    MPI_Request request;
    abdb_status st;
    int worst;

    MPI_Ibcast(&copy, (int)sizeof copy, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    st = execute_command_on_this_rank(w, order, err);
    worst = allreduce_worst_status(st);
    if (st != ABDB_OK || worst == ABDB_OK) return st;
    return ABDB_FAIL(err, (abdb_status)worst, "%s",
                     worst == ABDB_NOMEM ? "another rank has no memory for it"
                                         : "another rank could not do it");
}

/* The next order, waited for awake, then drowsy, then asleep. */
static void receive_command_backing_off(abdb_mpi_command *command)
{
    const struct timespec nap = {0, 50000}, sleep = {0, 1000000};
    double since = abdb_clock_seconds();
    MPI_Request request;
    int heard = 0;

    MPI_Ibcast(command, (int)sizeof *command, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    for (;;) {
        double waited;

        MPI_Test(&request, &heard, MPI_STATUS_IGNORE);
        if (heard) return;
        waited = abdb_clock_seconds() - since;
        if (waited > awake_s) nanosleep(waited > drowsy_s ? &sleep : &nap, NULL);
    }
}

void abdb_mpi_execute_commands_until_quit(abdb_mpi_ranks *w)
{
    abdb_mpi_command o = {.verb = ABDB_MPI_RUN};
    abdb_error err;

    while (o.verb != ABDB_MPI_QUIT) {
        receive_command_backing_off(&o);
        allreduce_worst_status(execute_command_on_this_rank(w, &o, &err));
    }
}
