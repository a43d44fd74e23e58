/* coordinator.c - rank 0's side: the ranks of MPI as a device of abdb, whose memory lies in equal
 * parts on the ranks and whose launches wait in a queue until the stretch ends. Then all ranks do
 * them, and the slowest rank's time is the time of the stretch. See ranks.h. */
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/mpi/ranks.h"

/* STRETCH: a sample lasts so many meetings at least. */
enum { NAME = 128, BINDING = 128, MEETINGS = 101, STRETCH = 1000 };

/* What a rank tells of itself. */
typedef struct {
    char host[NAME], device[NAME], binding[BINDING];
} rank_identity;

typedef struct {
    abdb_device device; /* first: a pointer to it is one to this */
    abdb_mpi_ranks *w;
    int ranks;               /* that tensors are spread over from now on */
    rank_identity *identity; /* by rank */
    char (*host)[16];        /* the number of its host, from 1 */
    double *rank_s;          /* of this stretch so far */
    size_t queued;
} coordinator;

static coordinator lead; /* of this process, there is one */

static abdb_status execute_command_on_all_ranks(abdb_device *d, abdb_mpi_command command,
                                                abdb_error *err)
{
    return abdb_mpi_broadcast_execute_get_worst_status(((coordinator *)d)->w, &command, err);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* What stands for a piece of memory is the place of its number in this list: it is no memory of
 * rank 0, whose part may be anywhere. */
static char handle[ABDB_MPI_PIECES];

static int mpi_handle_to_piece_index(const void *memory)
{
    return (int)((const char *)memory - handle);
}

/* An equal part of `size` bytes on every rank; *out is a handle. Where one rank has no memory,
 * all give theirs back. */
static abdb_status ranks_alloc_equal_parts(abdb_device *d, size_t size, bool huge, void **out,
                                           abdb_error *err)
{
    coordinator *l = (coordinator *)d;
    int at = 0;
    abdb_status st;

    while (at < ABDB_MPI_PIECES && l->w->piece[at].size) at++;
    if (at == ABDB_MPI_PIECES) return ABDB_FAIL(err, ABDB_LIMIT, "too many tensors at once");
    if (size % (size_t)l->ranks)
        return ABDB_FAIL(err, ABDB_USAGE, "%zu bytes are no equal parts for %d ranks", size,
                         l->ranks);
    st = execute_command_on_all_ranks(d,
                                      (abdb_mpi_command){.verb = ABDB_MPI_ALLOC,
                                                         .at = at,
                                                         .ranks = l->ranks,
                                                         .huge = huge,
                                                         .size = size / (size_t)l->ranks},
                                      err);
    if (st == ABDB_OK)
        *out = &handle[at];
    else
        (void)!execute_command_on_all_ranks(
            d, (abdb_mpi_command){.verb = ABDB_MPI_RELEASE, .at = at}, NULL);
    return st;
}

static void ranks_release_parts(abdb_device *d, void *memory)
{
    (void)!execute_command_on_all_ranks(
        d, (abdb_mpi_command){.verb = ABDB_MPI_RELEASE, .at = mpi_handle_to_piece_index(memory)},
        NULL);
}

/* A host has the parts of its ranks, rank 0's the whole of each tensor besides. */
static double ranks_available_bytes_by_least_rank(abdb_device *d)
{
    coordinator *l = (coordinator *)d;
    double least = INFINITY;

    if (execute_command_on_all_ranks(d, (abdb_mpi_command){.verb = ABDB_MPI_AVAILABLE}, NULL) !=
        ABDB_OK)
        return 0;
    for (int r = 0; r < l->ranks; r++) {
        double parts = strcmp(l->host[r], l->host[0]) == 0 ? l->ranks : 0;

        for (int q = 0; q < l->ranks; q++) parts += strcmp(l->host[r], l->host[q]) == 0;
        least = fmin(least, l->w->number_of_rank[r] / parts * l->ranks);
    }
    return least;
}

static abdb_status ranks_scatter_upload(abdb_device *d, void *to, const void *from, size_t size,
                                        abdb_error *err)
{
    (void)size;
    ((coordinator *)d)->w->host_data = (void *)(uintptr_t)from; /* it is only read */
    return execute_command_on_all_ranks(
        d, (abdb_mpi_command){.verb = ABDB_MPI_UPLOAD, .at = mpi_handle_to_piece_index(to)}, err);
}

static abdb_status ranks_gather_download(abdb_device *d, void *to, const void *from, size_t size,
                                         abdb_error *err)
{
    (void)size;
    ((coordinator *)d)->w->host_data = to;
    return execute_command_on_all_ranks(
        d, (abdb_mpi_command){.verb = ABDB_MPI_DOWNLOAD, .at = mpi_handle_to_piece_index(from)},
        err);
}

static abdb_status ranks_fill_parts(abdb_device *d, void *to, unsigned char byte, size_t size,
                                    abdb_error *err)
{
    (void)size;
    return execute_command_on_all_ranks(d,
                                        (abdb_mpi_command){.verb = ABDB_MPI_FILL,
                                                           .at = mpi_handle_to_piece_index(to),
                                                           .byte = byte},
                                        err);
}

static abdb_status ranks_flush_caches(abdb_device *d, abdb_error *err)
{
    return execute_command_on_all_ranks(d, (abdb_mpi_command){.verb = ABDB_MPI_FLUSH}, err);
}

static abdb_status ranks_set_rank_count_of_new_tensors(abdb_device *d, int ranks, abdb_error *err)
{
    coordinator *l = (coordinator *)d;

    if (ranks > l->w->size)
        return ABDB_FAIL(err, ABDB_USAGE, "%d of the %d ranks that there are", ranks, l->w->size);
    l->ranks = ranks;
    return execute_command_on_all_ranks(
        d, (abdb_mpi_command){.verb = ABDB_MPI_SPREAD, .ranks = ranks}, err);
}

/* --- launches --------------------------------------------------------------------------------- */

/* All ranks do what is queued; their times are added to those of the stretch. */
static abdb_status run_queue_on_ranks_and_add_times(coordinator *l, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!l->queued) return ABDB_OK;
    TRY(execute_command_on_all_ranks(
        &l->device, (abdb_mpi_command){.verb = ABDB_MPI_RUN, .launches = l->queued}, err));
    for (int r = 0; r < l->w->size; r++) l->rank_s[r] += l->w->number_of_rank[r];
done:
    l->queued = 0;
    return st;
}

static abdb_status ranks_clear_queue_and_begin_timing(abdb_device *d, abdb_error *err)
{
    coordinator *l = (coordinator *)d;

    (void)err;
    l->queued = 0;
    for (int r = 0; r < l->w->size; r++) l->rank_s[r] = 0;
    return ABDB_OK;
}

static abdb_status ranks_run_queue_and_end_timing(abdb_device *d, double *time_s, abdb_error *err)
{
    coordinator *l = (coordinator *)d;
    abdb_status st = run_queue_on_ranks_and_add_times(l, err);

    *time_s = 0;
    for (int r = 0; r < l->w->size; r++) *time_s = fmax(*time_s, l->rank_s[r]);
    return st;
}

abdb_status abdb_mpi_queue_launch_run_if_full(abdb_device *d, int job, abdb_error *err)
{
    coordinator *l = (coordinator *)d;
    abdb_status st = ABDB_OK;

    if (l->queued == ABDB_MPI_QUEUE) TRY(run_queue_on_ranks_and_add_times(l, err));
    l->w->queue[l->queued++] = (unsigned char)job;
done:
    return st;
}

abdb_status abdb_mpi_open_collective_on_all_ranks(abdb_device *d, const abdb_problem *p, int *job,
                                                  abdb_error *err)
{
    coordinator *l = (coordinator *)d;
    abdb_mpi_command o = {.verb = ABDB_MPI_OPEN,
                          .at = mpi_handle_to_piece_index(p->tensor[0].data),
                          .other =
                              p->tensors > 1 ? mpi_handle_to_piece_index(p->tensor[1].data) : -1};

    while (o.job < ABDB_MPI_JOBS && l->w->job[o.job].x.ranks) o.job++;
    if (o.job == ABDB_MPI_JOBS) return ABDB_FAIL(err, ABDB_LIMIT, "too many jobs at once");
    abdb_exchange_from_problem(p, &o.x);
    *job = o.job;
    return execute_command_on_all_ranks(d, o, err);
}

void abdb_mpi_close_collective_on_all_ranks(abdb_device *d, int job)
{
    (void)!execute_command_on_all_ranks(d, (abdb_mpi_command){.verb = ABDB_MPI_CLOSE, .job = job},
                                        NULL);
}

void abdb_mpi_store_gathered_rank_times(abdb_device *d)
{
    coordinator *l = (coordinator *)d;

    for (int r = 0; r < l->w->size; r++) l->rank_s[r] = l->w->number_of_rank[r];
}

/* --- what is told ----------------------------------------------------------------------------- */

static void ranks_get_host_device_and_binding(abdb_device *d, int rank, abdb_rank_place *out)
{
    const coordinator *l = (coordinator *)d;

    *out = (abdb_rank_place){l->host[rank], l->identity[rank].device, l->identity[rank].binding};
}

/* Which of MPI's ways were asked for: the variables that mpirun makes of its --mca options. */
static void ranks_describe_mpi(abdb_device *d,
                               void (*tell)(void *to, const char *key, const char *text), void *to)
{
    static const char *const variables[] = {"OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_mtl",
                                            "OMPI_MCA_coll",
                                            "OMPI_MCA_btl_vader_single_copy_mechanism"};
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int size, major, minor;

    MPI_Get_library_version(text, &size);
    tell(to, "mpi_library", text);
    MPI_Get_version(&major, &minor);
    snprintf(text, sizeof text, "%d.%d", major, minor);
    tell(to, "mpi_version", text);
    snprintf(text, sizeof text, "%d", ((coordinator *)d)->w->size);
    tell(to, "mpi_ranks", text);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i])) tell(to, variables[i], getenv(variables[i]));
}

/* The processors that this process may use, "0-3,8". */
static void write_own_cpu_affinity_as_ranges(char *out, size_t room)
{
    cpu_set_t set;
    size_t used = 0;

    *out = '\0';
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    for (int from = 0; from < CPU_SETSIZE && used < room; from++) {
        int to = from;

        if (!CPU_ISSET(from, &set)) continue;
        while (to + 1 < CPU_SETSIZE && CPU_ISSET(to + 1, &set)) to++;
        used += (size_t)snprintf(out + used, room - used, used ? ",%d" : "%d", from);
        if (to > from && used < room) used += (size_t)snprintf(out + used, room - used, "-%d", to);
        from = to;
    }
    if (used >= room) *out = '\0'; /* half of it would be wrong */
}

/* Each rank tells of itself; hosts are numbered in the order in which ranks come to them. */
static abdb_status gather_rank_identities_and_number_hosts(abdb_mpi_ranks *w, coordinator *l,
                                                           abdb_error *err)
{
    rank_identity own = {.host = ""};
    int hosts = 0;

    gethostname(own.host, sizeof own.host - 1);
    abdb_host_device_name(own.device, sizeof own.device);
    write_own_cpu_affinity_as_ranges(own.binding, sizeof own.binding);
    l->identity = calloc((size_t)w->size, sizeof *l->identity);
    l->host = calloc((size_t)w->size, sizeof *l->host);
    l->rank_s = calloc((size_t)w->size, sizeof *l->rank_s);
    if (!l->identity || !l->host || !l->rank_s) return ABDB_FAIL(err, ABDB_NOMEM, "ranks");
    MPI_Gather(&own, sizeof own, MPI_BYTE, l->identity, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int r = 0; w->rank == 0 && r < w->size; r++) {
        int same = 0;

        while (strcmp(l->identity[same].host, l->identity[r].host) != 0) same++;
        if (same < r)
            memcpy(l->host[r], l->host[same], sizeof l->host[r]);
        else
            snprintf(l->host[r], sizeof l->host[r], "%d", ++hosts);
    }
    return ABDB_OK;
}

/* What is the longest that ranks are taken to need for a meeting: where they share processors one
 * takes milliseconds, and a sample would take seconds. */
static const double meeting_most_s = 5e-6;

/* Seconds of a barrier of all ranks, the least of many and at most meeting_most_s: that is how far
 * apart they may begin a stretch, which has to be much longer. Every rank calls it. */
static double measure_shortest_barrier_s_capped(void)
{
    double least_s = meeting_most_s;

    for (int i = 0; i < MEETINGS; i++) {
        double first = abdb_clock_seconds();

        MPI_Barrier(MPI_COMM_WORLD);
        least_s = fmin(least_s, abdb_clock_seconds() - first);
    }
    return least_s;
}

abdb_status abdb_mpi_gather_ranks_and_init_one_device(abdb_mpi_ranks *w, abdb_device **out,
                                                      abdb_error *err)
{
    abdb_machine_caches limits = w->host->limits;
    abdb_status st = ABDB_OK;

    TRY(gather_rank_identities_and_number_hosts(w, &lead, err));
    limits.ranks = w->size;
    lead.w = w;
    lead.ranks = 1;
    lead.device = (abdb_device){.name = w->host->name,
                                .clock = w->host->clock,
                                .resolution_s = w->host->resolution_s,
                                .min_sample_s = STRETCH * measure_shortest_barrier_s_capped(),
                                .cost_s = w->host->cost_s,
                                .limits = limits,
                                .alloc = ranks_alloc_equal_parts,
                                .release = ranks_release_parts,
                                .available = ranks_available_bytes_by_least_rank,
                                .upload = ranks_scatter_upload,
                                .download = ranks_gather_download,
                                .fill = ranks_fill_parts,
                                .flush_caches = ranks_flush_caches,
                                .begin_timing = ranks_clear_queue_and_begin_timing,
                                .end_timing = ranks_run_queue_and_end_timing,
                                .read_sensors = abdb_sensors_read_host_quick_or_all,
                                .describe = ranks_describe_mpi,
                                .use_ranks = ranks_set_rank_count_of_new_tensors,
                                .get_rank_place = ranks_get_host_device_and_binding,
                                .rank_s = lead.rank_s};
    *out = &lead.device;
done:
    return st;
}
