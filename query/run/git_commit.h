/* git_commit.h - the measured revision, as reported by git. */
#ifndef ABDB_QUERY_COMMIT_H
#define ABDB_QUERY_COMMIT_H

#include "schema/core/error.h"
#include "schema/core/text.h"

typedef struct {
    const char *commit; /* the revision in full, or the user's name of it */
    const char *branch; /* NULL: none is checked out, or not git's word */
    const char *date;   /* of the commit, UTC, 2026-11-28T03:59:00Z; NULL: git has none */
    const char *dirty;  /* "yes": tracked files differ from it; "no"; NULL: not git's word */
} abdb_commit;

/* `auto`: of the checkout that the folder is in, by the program git, started without a shell;
 * ABDB_USAGE where there is none. Any other word is the commit's name, and has a date
 * where it is a commit of that checkout. From arena. */
ABDB_MUST_USE abdb_status abdb_resolve_commit_branch_and_dirty(abdb_commit *out, const char *word,
                                                               const char *folder,
                                                               abdb_arena *arena, abdb_error *err);

#endif
