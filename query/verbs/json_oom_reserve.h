/* json_oom_reserve.h - memory for Jansson when there is no more. */
#ifndef ABDB_PROGRAM_RESERVE_H
#define ABDB_PROGRAM_RESERVE_H

/* Jansson reports lack of memory as bad JSON, and ends the program by an assertion within a text.
 * After this call it gets reserved blocks instead, each once: 640 KiB that cost little until they
 * are used. abdb_allocation_failure_count counts such a use, and readers of JSON then refuse their
 * input. Call it first.
 */
void abdb_json_install_oom_reserve(void);

#endif
