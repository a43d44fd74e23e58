/* svg_dark_mode.h - one SVG that is light or dark as the screen of its reader is. */
#ifndef ABDB_PLOTS_ADAPTIVE_H
#define ABDB_PLOTS_ADAPTIVE_H

#include "schema/core/text.h"

/* Appends one SVG made of the two that gnuplot draws of one script, light and dark: the light one,
 * with a rule for each of its colours that says what it is on a dark screen. What draws nothing
 * (empty groups, unused symbols, attributes that say the default) is left out, and coordinates have
 * tenths of a point. The same two make the same bytes. ABDB_FORMAT: the two differ in more than
 * colours. */
ABDB_MUST_USE abdb_status abdb_svg_merge_light_dark(const char *light, const char *dark,
                                                    abdb_text *out, abdb_error *err);

#endif
