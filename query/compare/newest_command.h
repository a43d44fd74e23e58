/* newest_command.h - the command of abdb run behind a side of a gate, and its failures. */
#ifndef ABDB_COMPARE_NEWEST_COMMAND_H
#define ABDB_COMPARE_NEWEST_COMMAND_H

#include "query/compare/result_set.h"

typedef struct {
    const char *where;    /* conditions of this side: as given, or with its command */
    const char *narrowed; /* the newest of several commands with its tag, or NULL */
    const char *tag;      /* of the side, or NULL: it names none */
    size_t commands;      /* that have this tag */
    size_t turns, failed; /* of its command; failed: without a result, not even a later one */
    const char *reason;   /* of most that failed, or NULL */
} abdb_side_command;

/* Of sides that name tags: the command of each is the one that its conditions name, else, with
 * `newest`, the newest that has the tags of all, or, if none has, the newest with its own, whatever
 * failed in it. The texts belong to the arena or are the given ones. */
ABDB_MUST_USE abdb_status abdb_find_commands_of_sides(abdb_side_command *out, sqlite3 *db,
                                                      const char *const *selection, size_t sides,
                                                      const char *where, bool newest,
                                                      abdb_arena *arena, abdb_error *err);
/* Appends "after failed in 4 of 6 turns: code 7: assertion x failed"; nothing where none failed. */
void abdb_append_failed_turns(const abdb_side_command *side, abdb_text *out);

#endif
