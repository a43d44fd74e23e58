/* heading_units.h - units in the headings and cells of somebody's table. */
#ifndef ABDB_INGEST_HEADING_UNITS_H
#define ABDB_INGEST_HEADING_UNITS_H

#include <stdbool.h>

#include "schema/core/units.h"

enum { HEADING_UNIT = 64 };

/* The unit in a heading: "(GB/s)", "[ms]", "(GB/s, bidirectional)", "_ms", the last word, or all of
 * it; "" none. *written: as it stands there; *bracketed: between brackets. */
const char *heading_find_unit_or_empty(const char *heading, char written[HEADING_UNIT],
                                       bool *bracketed);
/* "gb/s", "GB/S": a rate of bits or of bytes? */
bool heading_unit_may_be_bits_or_bytes(const char *written);
/* "12.5 GB/s": the unit behind the number of a cell, or NULL. */
const abdb_unit *heading_find_known_unit_behind_number_of_cell(const char *cell);

#endif
