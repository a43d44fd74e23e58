/* slurm_script.h - abdb run --slurm: the same command as a job array of Slurm, one node a task,
 * each with a spool of its own, and one job behind them that imports all spools.
 *
 * The result is a script for sh, which calls sbatch; it is printed, written or run. Words of the
 * user are quoted in it, so that none of them becomes an option or a directive of Slurm by
 * accident.
 */
#ifndef ABDB_QUERY_SLURM_H
#define ABDB_QUERY_SLURM_H

#include "query/cli/command_line.h"

/* Is an option given that is of --slurm? */
bool abdb_has_slurm_option(const abdb_args *args);
/* Prints, writes (--out) or submits (--submit) the script of an abdb run. ABDB_USAGE: something is
 * missing or cannot be passed to Slurm; ABDB_IO: it cannot be written, or was not taken. */
ABDB_MUST_USE abdb_status abdb_slurm_write_or_submit_script(const abdb_args *args, abdb_error *err);

#endif
