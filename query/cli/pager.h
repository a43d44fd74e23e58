/* pager.h - shows output for people in a pager, like git. */
#ifndef ABDB_PROGRAM_PAGER_H
#define ABDB_PROGRAM_PAGER_H

/* From now on standard output, where it is a terminal, goes through $ABDB_PAGER, else $PAGER, else
 * less, which ends at once where all fits on the screen ($LESS: FRX unless it is set). "cat" or an
 * empty one: none. The program waits for it at its end. Called again it does nothing. */
void abdb_pipe_stdout_to_pager(void);

#endif
