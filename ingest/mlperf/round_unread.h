/* round_unread.h - result folders whose files no reader took: a folder that holds a run and stays
 * without a record is a reject, whatever its log's name. Shared by the round_*.c files. */
#ifndef ABDB_INGEST_ROUND_UNREAD_H
#define ABDB_INGEST_ROUND_UNREAD_H

#include "ingest/mlperf/round_path.h"

typedef struct {
    const char *root, *folder; /* as of a result */
    const char *file;          /* below the folder: the first that nobody read */
    abdb_round_path where;
    bool in_tree; /* of a round without doubt; else only a system's description tells */
} abdb_unread_folder;

typedef struct {
    abdb_arena arena;
    abdb_unread_folder *item;
    size_t items, room, power_logs;
} abdb_unread_folders;

/* Notes the folder of a file that no reader took, if the file lies where a run's log does, and
 * counts power logs of training. */
ABDB_MUST_USE abdb_status abdb_round_unread_add_folder_if_run_log(abdb_unread_folders *list,
                                                                  const char *path,
                                                                  abdb_error *err);
/* By root and folder, each once. */
void abdb_round_unread_sort_and_deduplicate(abdb_unread_folders *list);
void abdb_round_unread_free(abdb_unread_folders *list);

#endif
