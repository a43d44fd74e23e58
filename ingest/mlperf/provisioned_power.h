/* provisioned_power.h - the power that a system is built to draw, by the rules of MLPerf Endpoints
 * (mlcommons/endpoints_policies, Sections 4.5.2 and 4.5.3, Appendices D and E):
 *
 *   system = major + other + published + switches                                    watts
 *   major = nodes x (processors + accelerators + scale-up network) + counted adapters
 *   other = 0.30 (liquid) or 0.50 (air) x major
 *   published = nodes x published power of a node; of a part of a rack: rack x nodes / its nodes
 *
 * A declared power takes the place of the sum. In kilowatts it is rounded to two decimals. */
#ifndef ABDB_INGEST_PROVISIONED_POWER_H
#define ABDB_INGEST_PROVISIONED_POWER_H

#include <jansson.h>

#include "schema/core/text.h"

typedef struct {
    double major_w, overhead_fraction, other_w, published_w, switches_w; /* watts, unrounded */
    double kilowatts;        /* of the system, two decimals; NAN: there is a problem */
    bool is_declared;        /* by declared_provisioned_power or provisioned_power_w */
    const char *estimated;   /* "cpu (D.2), ...": defaults of Appendix D that count; NULL: none */
    const char *accelerator; /* the model, where all nodes have the same; NULL: unknown */
    double accelerators, nodes;  /* NAN: unknown */
    const char *field, *problem; /* the first reason why there is no sum, and where; NULL: none */
} abdb_provisioned_power;

/* Adds up a system_power.json, of Appendix E or of the older form (groups with count and watts).
 * cooling: air or liquid, for the older form, which does not state it; NULL: unknown. Texts lie in
 * the descriptor and in arena. */
void abdb_provisioned_power_compute(abdb_provisioned_power *out, const json_t *descriptor,
                                    const char *cooling, abdb_arena *arena);

#endif
