/* record.c - one record of the protocol as a line; see harness.h. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/harness/harness.h"

void abdb_print_record(json_t *record)
{
    char *line = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));

    pthread_mutex_lock(&print_lock);
    if (line) fprintf(records, "%s\n", line);
    fflush(records);
    pthread_mutex_unlock(&print_lock);
    free(line);
    json_decref(record);
}
