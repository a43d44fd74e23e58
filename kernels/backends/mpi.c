/* mpi.c - abdb-run-mpi: messages between processes. Under a launcher (mpirun, srun) rank 0 speaks
 * the protocol and the others do what it orders, in silence; without one it is alone. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/mpi/ranks.h"
#include "kernels/providers/vec/vec.h"

static const abdb_impl *const native[] = {
    &abdb_mpi_all_reduce, &abdb_mpi_all_gather, &abdb_mpi_reduce_scatter, &abdb_mpi_all_to_all,
    &abdb_mpi_reduce,     &abdb_mpi_broadcast,  &abdb_mpi_point,          NULL};

static abdb_mpi_ranks world;

/* "Open MPI v4.1.4": up to the first comma. */
static const char *mpi_library_name_and_version(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int size;

    MPI_Get_library_version(text, &size);
    text[strcspn(text, ",\n")] = '\0';
    return text;
}

static abdb_device *device; /* of all ranks */

static abdb_status mpi_get_device_of_all_ranks(abdb_device **out, abdb_error *err)
{
    (void)err;
    *out = device;
    return ABDB_OK;
}

static const abdb_backend backend = {
    .name = "mpi",
    .summary = "messages between ranks by MPI: abdb run --ranks N starts them",
    .native = native,
    .library = mpi_library_name_and_version,
    .has_ranks = true,
    .wrap_for_ranks = abdb_mpi_wrap_workload_for_all_ranks,
    .open = mpi_get_device_of_all_ranks};

static bool is_started_by_mpi_launcher(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID"};
    size_t i = 0;

    while (i < sizeof variables / sizeof variables[0] && !getenv(variables[i])) i++;
    return i < sizeof variables / sizeof variables[0];
}

/* A rank ends with what launched it, however that ends; who else ends it is rank 0. */
static void set_kill_on_launcher_exit(void)
{
    pid_t parent = getppid();

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
}

/* The life of ranks other than 0. */
static int ignore_signals_and_execute_rank0_commands(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
    abdb_mpi_execute_commands_until_quit(&world);
    return 0;
}

/* Rank 0 speaks the protocol; the other ranks obey its commands until it ends. */
int main(int argc, char **argv)
{
    static const abdb_mpi_command quit = {.verb = ABDB_MPI_QUIT};
    abdb_error err;
    int code;

    if (is_started_by_mpi_launcher())
        set_kill_on_launcher_exit();
    else
        setenv("OMPI_MCA_ess_singleton_isolated", "1", 1); /* no daemon beside it */
    MPI_Init(&argc, &argv);
    if (abdb_mpi_ranks_init(&world, &err) != ABDB_OK ||
        abdb_mpi_gather_ranks_and_init_one_device(&world, &device, &err) != ABDB_OK)
        MPI_Abort(MPI_COMM_WORLD, 6);
    abdb_mpi_install_workload_command_handler(&world, device, &abdb_vec_parts);
    if (world.rank > 0) {
        code = ignore_signals_and_execute_rank0_commands();
    } else {
        code = abdb_backend_main(&backend, argc, argv);
        (void)!abdb_mpi_broadcast_execute_get_worst_status(&world, &quit, &err);
    }
    MPI_Finalize();
    return code;
}
