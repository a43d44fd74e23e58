/* result_contradictions.h - records of a cell that contradict each other. */
#ifndef ABDB_KERNELS_RESULT_CONTRADICTIONS_H
#define ABDB_KERNELS_RESULT_CONTRADICTIONS_H

#include <jansson.h>

#include "schema/core/record.h"

/* A result that passed though its error is above the bound or nothing was compared, more compared
 * than there is, a canary that moved by half while it calls itself steady. The rule of protocol.md
 * that it breaks, with the reason in why; NULL: it contradicts nothing. */
const char *abdb_find_result_contradiction(const json_t *result, char why[160]);
/* Samples, of so many launches each, that begin before the one before has ended, or go back in
 * time. As above; samples without a t_s contradict nothing. */
const char *abdb_find_sample_contradiction(const abdb_sample *sample, size_t samples, double batch,
                                           char why[160]);

#endif
