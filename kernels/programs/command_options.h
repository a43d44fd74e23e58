/* command_options.h - options of abdb-command before its words: what surrounds a start of the
 * program, where its output goes, and which metrics are read from it. */
#ifndef ABDB_KERNELS_COMMAND_OPTIONS_H
#define ABDB_KERNELS_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { ABDB_COMMAND_METRICS = 8 };

typedef struct {
    const char *setup, *prepare, *cleanup;    /* lines for a shell; NULL: none */
    const char *output;                       /* null, pipe or a file; NULL: null */
    const char *metric[ABDB_COMMAND_METRICS]; /* of --metric-from */
    size_t metrics;
    int warmup; /* starts of each turn that are not timed */
    bool ignore_failure;
} abdb_command_options;

/* Reads the options, which "--" ends, into out; without options the words begin at once. Returns
 * the number of words passed over. Unknown options are words of the program. */
size_t abdb_command_options_parse(abdb_command_options *out, char *const *words, size_t count);

#endif
