/* condition_value.h - the right side of a condition by its type: a number with a unit or prefix, or
 * a date.
 */
#ifndef ABDB_QUERY_CONDITION_VALUE_H
#define ABDB_QUERY_CONDITION_VALUE_H

#include "query/compare/selection.h"
#include "schema/core/date.h"

/* The number that text spells, in the base unit: "0.05", "50 ms", "0.7kW", "2k", "64x". unit: the
 * base unit of the left side; NULL: it has none, and only a prefix may follow the number. */
bool abdb_condition_value_to_number(const char *text, const char *base_unit, double *out);
/* Is it an operator of order (< <= > >=)? */
bool abdb_condition_has_ordering_operator(const abdb_condition *c);
/* Refuses an ordered condition whose right side is not a number: "tpot_s<fast". */
ABDB_MUST_USE abdb_status abdb_condition_require_number(const abdb_condition *c,
                                                        const char *base_unit, double *out,
                                                        abdb_error *err);
/* The date on the right side of an ordered condition in ISO 8601, as precise as it is stated.
 * ABDB_USAGE: it is none. */
ABDB_MUST_USE abdb_status abdb_condition_require_date(const abdb_condition *c,
                                                      char out[ABDB_DATE_SIZE], abdb_error *err);

#endif
