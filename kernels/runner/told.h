/* told.h - what a backend says of a cell, line by line; see kernels/harness/protocol.md. */
#ifndef ABDB_KERNELS_TOLD_H
#define ABDB_KERNELS_TOLD_H

#include <jansson.h>
#include <stdbool.h>

#include "schema/core/record.h"
#include "schema/core/text.h"

typedef struct {
    json_t *environment, *device, *result; /* NULL until said */
    abdb_sample *sample;
    abdb_telemetry *telemetry;            /* its words are in `words` */
    size_t samples, telemetries, strange; /* strange: lines that were no record */
    abdb_arena words;
    char status[32], reason[512], date[32];
    bool ended;
} abdb_told;

/* Room for what will be said; zeroed before. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_told_open(abdb_told *told, abdb_error *err);
/* A new cell begins: what was said of the last one is forgotten. */
void abdb_told_begin(abdb_told *told);
/* One line of the program at path. ABDB_BACKEND: another version of the protocol. */
ABDB_MUST_USE abdb_status abdb_told_line(abdb_told *told, const char *line, const char *path,
                                         abdb_error *err);
/* The program ended inside the cell, with that wait status. */
void abdb_told_exit(abdb_told *told, int status);
void abdb_told_free(abdb_told *told);

/* Text of a member, "" where there is none. */
const char *abdb_record_text(const json_t *object, const char *key);
/* Now, UTC: "2026-05-04T03:02:01.000Z". */
void abdb_now_text(char out[32]);

#endif
