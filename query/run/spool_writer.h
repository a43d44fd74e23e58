/* spool_writer.h - records into a folder that many machines write and one process imports, also on
 * NFS: no file is locked or mapped, a file is made only where there is none, and its name contains
 * host and process. It is hidden while it is written and gets its name, by one rename, when it is
 * whole. The file of a killed program stays hidden; abdb import of the folder still reads it
 * (abdb_is_unfinished_spool_name), and rejects an incomplete record. */
#ifndef ABDB_QUERY_SPOOLING_H
#define ABDB_QUERY_SPOOLING_H

#include "schema/core/record.h"

typedef struct abdb_spool_writer abdb_spool_writer;

/* A new file FOLDER/NAME.HOST.PROCESS.jsonl. ABDB_IO: the folder is missing or cannot be written.
 */
ABDB_MUST_USE abdb_status abdb_spool_writer_open_hidden_file(abdb_spool_writer **out,
                                                             const char *folder, const char *name,
                                                             abdb_error *err);
/* The record is on the disk when this returns. */
ABDB_MUST_USE abdb_status abdb_spool_writer_append_durably(abdb_spool_writer *s,
                                                           const abdb_entry *entry,
                                                           abdb_error *err);
/* Gives the file its name; one without records is removed. Frees s, also on failure. */
ABDB_MUST_USE abdb_status abdb_spool_writer_publish(abdb_spool_writer *s, abdb_error *err);

#endif
