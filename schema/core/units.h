/* units.h - units in and out. A quantity is a double in its base unit everywhere else.
 * The list is units.def; TOPS is not TFLOP/s, GB is not GiB. */
#ifndef ABDB_CORE_UNITS_H
#define ABDB_CORE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"

typedef struct {
    const char *name, *base;
    double factor; /* value in base = value in name x factor */
} abdb_unit;

/* The unit of that spelling: exact first, then without case and spaces where only one fits; case
 * counts in symbols of bits and bytes ("Gb/s" is not "GB/s", "gb/s" is neither). NULL: unknown. */
const abdb_unit *abdb_unit_find(const char *spelling);
/* Value from a unit into another of the same base. ABDB_UNITS: unknown, or another dimension. */
ABDB_MUST_USE abdb_status abdb_unit_convert(double value, const char *from, const char *to,
                                            double *out, abdb_error *err);
/* A value of that unit in the base unit. Divides where the unit is a whole fraction of its base, so
 * that 35284801 ns is 0.035284801 s and not 0.035284801000000005. */
double abdb_unit_to_base_value(const abdb_unit *unit, double value);
/* The first units of that base in out, for a message: "s, ms, us". Returns out. */
const char *abdb_write_first_units_of_base(const char *base, char *out, size_t room);

#endif
