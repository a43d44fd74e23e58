/* launcher.h - how several ranks of a backend are started: by mpirun or srun, in front of it. */
#ifndef ABDB_KERNELS_LAUNCH_H
#define ABDB_KERNELS_LAUNCH_H

#include <stdbool.h>

#include "schema/core/error.h"
#include "schema/core/text.h"

enum { ABDB_LAUNCH_WORDS = 32, ABDB_LAUNCH_RANKS = 65536 };

/* What stands before the program of a backend on the command line. */
typedef struct {
    const char *word[ABDB_LAUNCH_WORDS + 1]; /* end: NULL; none: it is started by itself */
    long long ranks;
} abdb_launcher_command;

typedef struct {
    const char *launcher; /* words: "mpirun", "srun --mpi=pmix", ".../mpiexec"; NULL: mpirun */
    const char *hosts;    /* as the launcher takes them, or NULL: this one */
    long long ranks;
    int processors; /* that this process may use: more ranks on this host share them */
    bool root;      /* mpirun wants to be told that this is meant */
} abdb_launcher_request;

/* Words live in the arena. ABDB_USAGE: a launcher that is not known or not there, or hosts that
 * are none. */
ABDB_MUST_USE abdb_status abdb_launcher_build_command(abdb_launcher_command *out,
                                                      const abdb_launcher_request *asked,
                                                      abdb_arena *arena, abdb_error *err);

#endif
