/* mpi.c - abdb-run-mpi: messages between processes. Under a launcher (mpirun, srun) rank 0 speaks
 * the protocol and the others do what it orders, in silence; without one it is alone. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/mpi/world.h"
#include "kernels/providers/vec/vec.h"

static const abdb_impl *const native[] = {
    &abdb_mpi_all_reduce, &abdb_mpi_all_gather, &abdb_mpi_reduce_scatter, &abdb_mpi_all_to_all,
    &abdb_mpi_reduce,     &abdb_mpi_broadcast,  &abdb_mpi_point,          NULL};

static abdb_mpi_world world;

/* "Open MPI v4.1.4": up to the first comma. */
static const char *library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int size;

    MPI_Get_library_version(text, &size);
    text[strcspn(text, ",\n")] = '\0';
    return text;
}

static abdb_device *device; /* of all ranks */

static abdb_status open_device(abdb_device **out, abdb_error *err)
{
    (void)err;
    *out = device;
    return ABDB_OK;
}

static const abdb_backend backend = {
    .name = "mpi",
    .summary = "messages between ranks by MPI: abdb run --ranks N starts them",
    .native = native,
    .library = library,
    .launched = true,
    .over_ranks = abdb_mpi_over_ranks,
    .open = open_device};

static bool is_launched(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID"};
    size_t i = 0;

    while (i < sizeof variables / sizeof variables[0] && !getenv(variables[i])) i++;
    return i < sizeof variables / sizeof variables[0];
}

/* A rank ends with what launched it, however that ends; who else ends it is rank 0. */
static void live_with_launcher(void)
{
    pid_t parent = getppid();

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
}

/* The life of ranks other than 0. */
static int follow(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
    abdb_mpi_follow(&world);
    return 0;
}

int main(int argc, char **argv)
{
    static const abdb_mpi_order quit = {.verb = ABDB_MPI_QUIT};
    abdb_error err;
    int code;

    if (is_launched())
        live_with_launcher();
    else
        setenv("OMPI_MCA_ess_singleton_isolated", "1", 1); /* no daemon beside it */
    MPI_Init(&argc, &argv);
    if (abdb_mpi_world_open(&world, &err) != ABDB_OK ||
        abdb_mpi_device(&world, &device, &err) != ABDB_OK)
        MPI_Abort(MPI_COMM_WORLD, 6);
    abdb_mpi_crew_open(&world, device, &abdb_vec_parts);
    if (world.rank > 0) {
        code = follow();
    } else {
        code = abdb_backend_main(&backend, argc, argv);
        (void)!abdb_mpi_do(&world, &quit, &err);
    }
    MPI_Finalize();
    return code;
}
