/* relay.h - passes on a program's standard error within a limit. */
#ifndef ABDB_CORE_RELAY_H
#define ABDB_CORE_RELAY_H

#include <stdbool.h>
#include <stddef.h>

enum { ABDB_RELAY_LINE = 4096 };

typedef struct {
    int from, to;     /* from never blocks; -1: it has ended */
    size_t most;      /* bytes that may still pass */
    const char *name; /* of the program, for the message where there is more */
    bool plain;       /* lines are made plain: `to` is a terminal */
    bool over;        /* more came: the rest is read and dropped */
    char line[ABDB_RELAY_LINE];
    size_t size; /* of the line so far, where it is made plain */
} abdb_relay;

/* Makes a relay of `most` bytes between two files; `from` no longer blocks. */
void abdb_relay_init_nonblocking(abdb_relay *relay, int from, int to, size_t most,
                                 const char *name);
/* Can something be passed on or dropped now? False where `to` takes nothing at the moment. */
bool abdb_relay_source_open_and_target_ready(const abdb_relay *relay);
/* Reads once, and passes on bytes within the limit. False: nothing was read. */
bool abdb_relay_pass_chunk_within_limit(abdb_relay *relay);
/* Passes on all remaining bytes, also a line without an end. Closes nothing. */
void abdb_relay_drain_and_flush(abdb_relay *relay);

#endif
