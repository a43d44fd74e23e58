/* cell_validation.h - what a backend has said of the cell at hand, checked against the protocol.
 *
 * A record that breaks it ends the cell with the status `bad-answer` and the reason: one of another
 * cell, before `begin` or after `end`; a second result; a line that begins like a record and is
 * none; a status that is none of the protocol's; a number that is negative, no number or not
 * finite; a text where none can be; another dtype, way or provider than was asked, or a provider
 * that the backend does not name of the kernel; times that cannot have been measured. Nothing of
 * such a cell is kept but the row, and its process is not asked again. A reading of a sensor is
 * left out where it says nothing: it stands beside what is measured.
 */
#ifndef ABDB_KERNELS_TOLD_H
#define ABDB_KERNELS_TOLD_H

#include <jansson.h>

#include "kernels/runner/challenge.h"
#include "schema/core/timing.h"
#include "schema/core/record.h"

typedef struct {
    json_t *hello, *environment, *device; /* of the process; NULL until said */
    bool has_hello;
    const abdb_cell *requested;
    json_t *result;
    abdb_sample *sample;
    abdb_telemetry *telemetry; /* its words are in `words` */
    abdb_span *span;           /* of one repetition of a workload; words as above */
    abdb_result *metric;       /* what it tells beside its time */
    size_t samples, telemetries, spans, metrics;
    abdb_challenge challenge;
    double all_s, least_s; /* of the samples: their sum, the shortest */
    double asked_s;        /* when the cell was asked */
    abdb_arena words;
    char status[32], reason[512], date[32];
    char rule[8]; /* of protocol.md, which was broken */
    bool begun, ended, rejected;
    char now[512], before[512]; /* cells that this process was asked, the last two; "": none */
    bool answered_before; /* what was wrong was an answer to the one before, which had ended: not
                             this one's */
} abdb_cell_validation;

/* ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_cell_validation_init(abdb_cell_validation *told, abdb_error *err);
void abdb_cell_validation_free(abdb_cell_validation *told);
/* A new process: it has said nothing. */
void abdb_discard_process_records(abdb_cell_validation *told);
/* A cell is asked: what was said of the last one is forgotten. */
void abdb_reset_validation_for_cell(abdb_cell_validation *told, const abdb_cell *cell);
/* Takes one line. ABDB_BACKEND: another version of the protocol; `path` names who speaks it. */
ABDB_MUST_USE abdb_status abdb_validate_and_apply_record_line(abdb_cell_validation *told,
                                                              const char *path, const char *line,
                                                              abdb_error *err);
/* Ends the cell with that status and reason, as abdb saw it. */
void abdb_end_cell(abdb_cell_validation *told, const char *status, const char *format, ...)
    ABDB_PRINTF(3, 4);
/* Ends it because the process ended inside of it, with that wait status. path: of its program;
 * where what runs that is not installed, the cell ends as `no-device`. NULL: ranks ran it. */
void abdb_end_cell_by_wait_status(abdb_cell_validation *told, const char *path, const char *status,
                                  int wait_status);
/* Ends it as one that broke a rule of the protocol, named by its number: what was measured is
 * dropped. */
void abdb_reject_cell(abdb_cell_validation *told, const char *rule, const char *format, ...)
    ABDB_PRINTF(3, 4);
/* Is each sample a whole process? It counts by itself, and nothing of kernels is said of it. */
bool abdb_sample_unit_is_process(const abdb_cell_validation *told);

#endif
