/* backend_reader.h - one start of a program that is tried: what it says, line by line, and which
 * rules of the protocol that breaks. conformance.c says what is asked of it. */
#ifndef ABDB_KERNELS_TRIAL_H
#define ABDB_KERNELS_TRIAL_H

#include "kernels/runner/backend_process.h"
#include "kernels/runner/conformance.h"
#include "kernels/runner/cell_validation.h"

typedef struct {
    const abdb_conformance *how;
    abdb_protocol_rule *rule;
    abdb_child child;
    abdb_cell_validation validation;
    abdb_error read_error; /* its status is ABDB_OK while all that it said was heard */
    bool bye, no_device;
    bool ending; /* told to end at once: a launcher drops parts of what ranks say then, so what is
                  * said is read and not judged */
    size_t records, hellos, samples; /* of this start; samples of this cell */
    double last_t_s;                 /* of its samples */
    char kind[32];                   /* of the last record */
    int wait_status;                 /* of the last start that ended by itself */
} abdb_backend_reader;

/* What came first: a record of those kinds, silence, or the end of the program. */
typedef enum { ABDB_FOUND, ABDB_SILENT, ABDB_GONE } abdb_reader_outcome;

void abdb_rule_mark_held_if_untried(abdb_backend_reader *t, const char *number);
/* The first reason stays. */
void abdb_rule_mark_broken_with_first_reason(abdb_backend_reader *t, const char *number,
                                             const char *format, ...) ABDB_PRINTF(3, 4);
bool abdb_rule_is_broken(const abdb_backend_reader *t, const char *number);

ABDB_MUST_USE abdb_status abdb_reader_reset_and_start_backend(abdb_backend_reader *t,
                                                              const char *verb, abdb_error *err);
/* Takes lines until one is a record of `kinds` (blanks between; NULL: none is), the program is
 * silent for max_silence_s, or max_total_s are over. */
abdb_reader_outcome abdb_reader_check_lines_until_kind(abdb_backend_reader *t, const char *kinds,
                                                       double max_silence_s, double max_total_s);
/* No more input: it says bye and goes; what it says or leaves behind then breaks rules. */
void abdb_reader_close_and_check_exit_rules(abdb_backend_reader *t);
/* Ends it without asking for more. */
void abdb_reader_kill_backend(abdb_backend_reader *t);

#endif
