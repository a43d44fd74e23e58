/* trial.h - one start of a program that is tried: what it says, line by line, and which rules of
 * the protocol that breaks. conform.c says what is asked of it. */
#ifndef ABDB_KERNELS_TRIAL_H
#define ABDB_KERNELS_TRIAL_H

#include "kernels/runner/child.h"
#include "kernels/runner/conform.h"
#include "kernels/runner/told.h"

typedef struct {
    const abdb_conform *how;
    abdb_clause *rule;
    abdb_child child;
    abdb_told told;
    abdb_error unheard; /* its status is ABDB_OK while all that it said was heard */
    bool bye, no_device;
    bool ending; /* told to end at once: a launcher drops parts of what ranks say then, so what is
                  * said is read and not judged */
    size_t records, hellos, samples; /* of this start; samples of this cell */
    double last_t_s;                 /* of its samples */
    char kind[32];                   /* of the last record */
    int wait_status;                 /* of the last start that ended by itself */
} abdb_trial;

/* What came first: a record of those kinds, silence, or the end of the program. */
typedef enum { ABDB_FOUND, ABDB_SILENT, ABDB_GONE } abdb_outcome;

void abdb_clause_held(abdb_trial *t, const char *number);
/* The first reason stays. */
void abdb_clause_broken(abdb_trial *t, const char *number, const char *format, ...)
    ABDB_PRINTF(3, 4);
bool abdb_clause_is_broken(const abdb_trial *t, const char *number);

ABDB_MUST_USE abdb_status abdb_trial_start(abdb_trial *t, const char *verb, abdb_error *err);
/* Takes lines until one is a record of `kinds` (blanks between; NULL: none is), the program is
 * silent for quiet_s, or most_s are over. */
abdb_outcome abdb_trial_listen(abdb_trial *t, const char *kinds, double quiet_s, double most_s);
/* No more input: it says bye and goes; what it says or leaves behind then breaks rules. */
void abdb_trial_finish(abdb_trial *t);
/* Ends it without asking for more. */
void abdb_trial_kill(abdb_trial *t);

#endif
