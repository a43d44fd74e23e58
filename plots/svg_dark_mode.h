/* svg_dark_mode.h - one SVG that is light or dark as the screen of its reader is. */
#ifndef ABDB_PLOTS_ADAPTIVE_H
#define ABDB_PLOTS_ADAPTIVE_H

#include "schema/core/text.h"

/* Appends one SVG made of the light and the dark SVG that gnuplot draws of one script: the light
 * one, with a rule for each of its colours that gives the colour for a dark screen. Parts without
 * effect (empty groups, unused symbols, default attributes) are left out; coordinates are rounded
 * to tenths of a point. Equal input gives equal bytes. ABDB_FORMAT: the two differ in more than
 * colours. */
ABDB_MUST_USE abdb_status abdb_svg_merge_light_dark(const char *light, const char *dark,
                                                    abdb_text *out, abdb_error *err);

#endif
