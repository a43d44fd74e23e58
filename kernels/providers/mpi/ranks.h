/* ranks.h - the ranks of MPI as one device of abdb: rank 0 sends commands, and all ranks, including
 * rank 0, execute them. Only rank 0 runs the protocol, ends sampling and verifies, so that ranks
 * never diverge. */
#ifndef ABDB_PROVIDERS_MPI_WORLD_H
#define ABDB_PROVIDERS_MPI_WORLD_H

#include <mpi/mpi.h>

#include "kernels/exchange.h"

/* Launches that wait for their turn; pieces of memory and jobs that are known at once. */
enum { ABDB_MPI_QUEUE = 1 << 15, ABDB_MPI_PIECES = 1024, ABDB_MPI_JOBS = 256 };

/* A tensor's part on this rank; none where the rank takes no part. */
typedef struct {
    void *data;
    size_t size; /* bytes of each rank's part; 0: there is no such piece */
    int ranks;   /* the first of them have one */
} abdb_mpi_piece;

typedef struct abdb_mpi_job abdb_mpi_job;
struct abdb_mpi_job {
    abdb_exchange x;
    void (*run)(const abdb_mpi_job *job); /* NULL: there is no such job, or none of this rank's */
    void *in, *out;                       /* of a broadcast the same */
    MPI_Comm comm;                        /* of its ranks */
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request *request; /* of a window */
    int count, part;      /* elements of a message, of a rank's part of it */
    int rank;
};

typedef enum {
    ABDB_MPI_QUIT,
    ABDB_MPI_SPREAD,
    ABDB_MPI_ALLOC,
    ABDB_MPI_RELEASE,
    ABDB_MPI_FILL,
    ABDB_MPI_UPLOAD,
    ABDB_MPI_DOWNLOAD,
    ABDB_MPI_FLUSH,
    ABDB_MPI_AVAILABLE,
    ABDB_MPI_OPEN,
    ABDB_MPI_CLOSE,
    ABDB_MPI_RUN,
    ABDB_MPI_WORK_OPEN, /* of workloads: rank_workload.c */
    ABDB_MPI_WORK_RESET,
    ABDB_MPI_WORK_RUN,
    ABDB_MPI_WORK_CLOSE
} abdb_mpi_verb;

/* A command of rank 0 to all ranks. */
typedef struct {
    abdb_mpi_verb verb;
    int at, other; /* a piece, a job or a workload; of a job its tensors' pieces are both */
    int ranks, job, byte, huge;
    size_t size;     /* bytes of a rank's part */
    size_t launches; /* in the queue */
    abdb_exchange x;
} abdb_mpi_command;

typedef struct {
    int rank, size;           /* of all */
    abdb_device *host;        /* this rank's processors */
    MPI_Comm *comm;           /* by number of ranks; MPI_COMM_NULL: not made, or not of this rank */
    unsigned char *comm_made; /* by number of ranks */
    abdb_mpi_piece piece[ABDB_MPI_PIECES];
    abdb_mpi_job job[ABDB_MPI_JOBS];
    unsigned char queue[ABDB_MPI_QUEUE]; /* jobs, as they are to be launched */
    void *host_data;                     /* rank 0: what is brought to the others, or from them */
    double *number_of_rank;              /* rank 0: one of each rank, as the last order asked for */
    /* Orders of workloads, which rank_workload.c does; *took_s: seconds of ABDB_MPI_WORK_RUN. */
    abdb_status (*workload_command)(const abdb_mpi_command *command, double *took_s,
                                    abdb_error *err);
} abdb_mpi_ranks;

/* Of this process. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_mpi_ranks_init(abdb_mpi_ranks *w, abdb_error *err);
/* All ranks execute a command: rank 0 calls this, the others are in
 * abdb_mpi_execute_commands_until_quit. The worst status of all. */
ABDB_MUST_USE abdb_status abdb_mpi_broadcast_execute_get_worst_status(
    abdb_mpi_ranks *w, const abdb_mpi_command *command, abdb_error *err);
/* The main loop of a rank other than 0: executes commands until ABDB_MPI_QUIT. */
void abdb_mpi_execute_commands_until_quit(abdb_mpi_ranks *w);
/* The device that rank 0 drives, of this process; w was opened. All ranks call it together: each
 * tells of itself. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_mpi_gather_ranks_and_init_one_device(abdb_mpi_ranks *w,
                                                                    abdb_device **out,
                                                                    abdb_error *err);

/* rank_launch.c: makes a job of an exchange and pieces of memory. ABDB_USAGE: MPI has no such
 * sums. */
ABDB_MUST_USE abdb_status abdb_mpi_job_init(abdb_mpi_job *job, const abdb_exchange *x,
                                            MPI_Comm comm, void *in, void *out, abdb_error *err);
void abdb_mpi_job_free(abdb_mpi_job *job);
/* Can MPI do it? Else *why_not has the reason. */
int abdb_mpi_supports_exchange(const abdb_exchange *x, const char **why_not);

/* collective.c: the device's next piece of work, of the kernels of exchange.h. */
extern const abdb_impl abdb_mpi_all_reduce, abdb_mpi_all_gather, abdb_mpi_reduce_scatter,
    abdb_mpi_all_to_all, abdb_mpi_reduce, abdb_mpi_broadcast, abdb_mpi_point;
/* coordinator.c: for them. */
ABDB_MUST_USE abdb_status abdb_mpi_open_collective_on_all_ranks(abdb_device *d,
                                                                const abdb_problem *p, int *job,
                                                                abdb_error *err);
ABDB_MUST_USE abdb_status abdb_mpi_queue_launch_run_if_full(abdb_device *d, int job,
                                                            abdb_error *err);
void abdb_mpi_close_collective_on_all_ranks(abdb_device *d, int job);

/* Each rank's number as the last order asked for becomes its time of the last stretch. */
void abdb_mpi_store_gathered_rank_times(abdb_device *d);

/* rank_workload.c: workloads on all ranks. Each of them calls this before anything is ordered;
 * `lead` is the device of all, `parts` those of each. */
void abdb_mpi_install_workload_command_handler(abdb_mpi_ranks *w, abdb_device *lead,
                                               const struct abdb_parts *parts);
/* As abdb_backend has it. */
void abdb_mpi_wrap_workload_for_all_ranks(const struct abdb_workload *workload,
                                          struct abdb_rank_workload *out);

#endif
