/* record_output.c - records of the protocol, one line of JSON each, on standard output. Numbers
 * have 17 digits, which give a double back exactly. A lock keeps lines whole: the heartbeat prints
 * from its own thread. See harness.h. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/harness/harness.h"

static FILE *records; /* the real standard output: libraries' prints go to standard error */
static pthread_mutex_t print_lock = PTHREAD_MUTEX_INITIALIZER;

bool abdb_records_take_stdout_divert_prints(void)
{
    int out = dup(STDOUT_FILENO);

    return out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 && (records = fdopen(out, "w"));
}

/* What follows a record that is missing would be believed, or look like a mistake of the protocol:
 * the process ends instead. */
static _Noreturn void exit_as_record_cannot_be_serialized(void)
{
    static const char why[] = "a record cannot be made: no memory, or a text that is not UTF-8\n";

    (void)!write(STDERR_FILENO, why, strlen(why));
    _exit(6);
}

void abdb_print_and_free_record(json_t *record)
{
    char *line = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));

    if (!line) exit_as_record_cannot_be_serialized();
    pthread_mutex_lock(&print_lock);
    fprintf(records, "%s\n", line);
    fflush(records);
    pthread_mutex_unlock(&print_lock);
    free(line);
    json_decref(record);
}
