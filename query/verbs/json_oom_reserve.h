/* json_oom_reserve.h - memory for Jansson when there is no more. */
#ifndef ABDB_PROGRAM_RESERVE_H
#define ABDB_PROGRAM_RESERVE_H

/* Jansson takes want of memory for bad JSON, and within a text it ends the program by an assertion.
 * From here on it gets blocks that were put by, each once: 640 KiB that cost little until they are
 * used. abdb_allocation_failure_count says that it did, and whoever reads JSON refuses what was
 * read. Call it first.
 */
void abdb_json_install_oom_reserve(void);

#endif
