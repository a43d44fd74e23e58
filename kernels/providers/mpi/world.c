/* world.c - what every rank does when rank 0 orders it; see world.h.
 *
 * An order is a broadcast that ranks wait for awake at first, then asleep, so that they leave the
 * processors to rank 0 while it makes and compares numbers. Errors of MPI end the job, which is
 * what MPI does by itself; all else that goes wrong on a rank becomes the status of the order. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/mpi/world.h"

enum { PIECE = 1 << 30, TAG = 2 }; /* bytes of a message of MPI, which counts in int */
static const double awake_s = 0.002, drowsy_s = 0.2;

abdb_status abdb_mpi_world_open(abdb_mpi_world *w, abdb_error *err)
{
    *w = (abdb_mpi_world){.host = abdb_host_device(1)};
    MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w->size);
    w->comm = calloc((size_t)w->size + 1, sizeof *w->comm);
    w->made = calloc((size_t)w->size + 1, 1);
    w->number = calloc((size_t)w->size, sizeof *w->number);
    if (!w->comm || !w->made || !w->number) return ABDB_FAIL(err, ABDB_NOMEM, "ranks");
    for (int i = 0; i <= w->size; i++) w->comm[i] = MPI_COMM_NULL;
    for (int i = 0; i < ABDB_MPI_JOBS; i++) w->job[i].comm = MPI_COMM_NULL;
    return ABDB_OK;
}

/* --- memory ----------------------------------------------------------------------------------- */

static abdb_status alloc(abdb_mpi_world *w, const abdb_mpi_order *o, abdb_error *err)
{
    abdb_mpi_piece *piece = &w->piece[o->at];

    *piece = (abdb_mpi_piece){.size = o->size, .ranks = o->ranks};
    if (w->rank >= o->ranks) return ABDB_OK;
    return w->host->alloc(w->host, o->size, o->huge, &piece->data, err);
}

static void release(abdb_mpi_world *w, const abdb_mpi_order *o)
{
    w->host->release(w->host, w->piece[o->at].data);
    w->piece[o->at] = (abdb_mpi_piece){0};
}

/* A part of rank 0's memory goes to another rank, or comes from it. */
static void move(abdb_mpi_world *w, void *data, size_t size, int with, bool send)
{
    for (size_t at = 0; at < size; at += PIECE) {
        int count = (int)(size - at < PIECE ? size - at : PIECE);
        char *from = (char *)data + at;

        if (send)
            MPI_Send(from, count, MPI_BYTE, with, TAG, MPI_COMM_WORLD);
        else
            MPI_Recv(from, count, MPI_BYTE, with, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    (void)w;
}

/* Rank 0's whole tensor to the parts of all ranks, or back. */
static void exchange(abdb_mpi_world *w, const abdb_mpi_order *o, bool up)
{
    const abdb_mpi_piece *piece = &w->piece[o->at];
    char *all = w->host_data;

    if (w->rank >= piece->ranks) return;
    if (w->rank > 0) {
        move(w, piece->data, piece->size, 0, !up);
        return;
    }
    memcpy(up ? piece->data : all, up ? all : piece->data, piece->size);
    for (int r = 1; r < piece->ranks; r++)
        move(w, all + (size_t)r * piece->size, piece->size, r, up);
}

static abdb_status fill(abdb_mpi_world *w, const abdb_mpi_order *o, abdb_error *err)
{
    const abdb_mpi_piece *piece = &w->piece[o->at];

    if (!piece->data) return ABDB_OK;
    return w->host->fill(w->host, piece->data, (unsigned char)o->byte, piece->size, err);
}

/* --- launches --------------------------------------------------------------------------------- */

/* A communicator of the first ranks: made by all of the world together, once. */
static void spread(abdb_mpi_world *w, int ranks)
{
    if (w->made[ranks]) return;
    MPI_Comm_split(MPI_COMM_WORLD, w->rank < ranks ? 0 : MPI_UNDEFINED, w->rank, &w->comm[ranks]);
    w->made[ranks] = 1;
}

static abdb_status open_job(abdb_mpi_world *w, const abdb_mpi_order *o, abdb_error *err)
{
    void *in = w->piece[o->at].data, *out = o->other < 0 ? in : w->piece[o->other].data;

    return abdb_mpi_job_open(&w->job[o->job], &o->x, w->comm[o->x.ranks], in, out, err);
}

/* Seconds that this rank spent in the launches of the queue. They begin together: ranks meet
 * before the first, and where they are apart before each. */
static double run(abdb_mpi_world *w, size_t launches)
{
    double sum = 0, first = 0, now;

    for (size_t i = 0; i < launches; i++) {
        const abdb_mpi_job *j = &w->job[w->queue[i]];

        if (!j->run) return 0;
        if (i == 0 || j->x.apart) {
            if (i) sum += abdb_now_s() - first;
            MPI_Barrier(j->comm);
            first = abdb_now_s();
        }
        j->run(j);
    }
    now = abdb_now_s();
    return launches ? sum + now - first : 0;
}

/* One number of each rank to rank 0. */
static void gather(abdb_mpi_world *w, double own)
{
    MPI_Gather(&own, 1, MPI_DOUBLE, w->number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* --- orders ----------------------------------------------------------------------------------- */

static abdb_status perform(abdb_mpi_world *w, const abdb_mpi_order *o, abdb_error *err)
{
    double took_s;
    abdb_status st;

    switch (o->verb) {
    case ABDB_MPI_QUIT: break;
    case ABDB_MPI_SPREAD: spread(w, o->ranks); break;
    case ABDB_MPI_ALLOC: return alloc(w, o, err);
    case ABDB_MPI_RELEASE: release(w, o); break;
    case ABDB_MPI_FILL: return fill(w, o, err);
    case ABDB_MPI_UPLOAD: exchange(w, o, true); break;
    case ABDB_MPI_DOWNLOAD: exchange(w, o, false); break;
    case ABDB_MPI_FLUSH: return w->host->flush(w->host, err);
    case ABDB_MPI_AVAILABLE: gather(w, w->host->available(w->host)); break;
    case ABDB_MPI_OPEN: return open_job(w, o, err);
    case ABDB_MPI_CLOSE: abdb_mpi_job_close(&w->job[o->job]); break;
    case ABDB_MPI_RUN:
        MPI_Bcast(w->queue, (int)o->launches, MPI_BYTE, 0, MPI_COMM_WORLD);
        gather(w, run(w, o->launches));
        break;
    case ABDB_MPI_WORK_OPEN:
    case ABDB_MPI_WORK_RESET:
    case ABDB_MPI_WORK_RUN:
    case ABDB_MPI_WORK_CLOSE:
        st = w->work(o, &took_s, err);
        gather(w, took_s);
        return st;
    }
    return ABDB_OK;
}

/* All ranks hear the worst status of all. */
static int agree(abdb_status st)
{
    int own = (int)st, worst;

    MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

abdb_status abdb_mpi_do(abdb_mpi_world *w, const abdb_mpi_order *order, abdb_error *err)
{
    abdb_mpi_order copy = *order;
    MPI_Request request;
    abdb_status st;
    int worst;

    MPI_Ibcast(&copy, (int)sizeof copy, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    st = perform(w, order, err);
    worst = agree(st);
    if (st != ABDB_OK || worst == ABDB_OK) return st;
    return ABDB_FAIL(err, (abdb_status)worst, "%s",
                     worst == ABDB_NOMEM ? "another rank has no memory for it"
                                         : "another rank could not do it");
}

/* The next order, waited for awake, then drowsy, then asleep. */
static void hear(abdb_mpi_order *o)
{
    const struct timespec nap = {0, 50000}, sleep = {0, 1000000};
    double since = abdb_now_s();
    MPI_Request request;
    int heard = 0;

    MPI_Ibcast(o, (int)sizeof *o, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    for (;;) {
        double waited;

        MPI_Test(&request, &heard, MPI_STATUS_IGNORE);
        if (heard) return;
        waited = abdb_now_s() - since;
        if (waited > awake_s) nanosleep(waited > drowsy_s ? &sleep : &nap, NULL);
    }
}

void abdb_mpi_follow(abdb_mpi_world *w)
{
    abdb_mpi_order o = {.verb = ABDB_MPI_RUN};
    abdb_error err;

    while (o.verb != ABDB_MPI_QUIT) {
        hear(&o);
        agree(perform(w, &o, &err));
    }
}
