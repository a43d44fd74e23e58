/* power_definition.h - power and energy have one definition each: at the wall, at a supply, by
 * counters, provisioned, or rated. Comparisons of watts and joules look at it (rule
 * power-definition); other questions do not. */
#ifndef ABDB_QUERY_POWER_DEFINITION_H
#define ABDB_QUERY_POWER_DEFINITION_H

#include "query/compare/result_set.h"

/* Where the question is about watts or joules (per, or the metric of a member): adds the factor
 * power_definition to its members, unknown where no source states it. Elsewhere: no factor that
 * describes a measurement of power applies. Normalised members. */
ABDB_MUST_USE abdb_status abdb_set_add_power_definitions(abdb_set *set, sqlite3 *db,
                                                         const char *per, abdb_error *err);

#endif
