/* load_figure.h - figures by name. */
#ifndef ABDB_QUERY_FIGURES_H
#define ABDB_QUERY_FIGURES_H

#include "plots/figure.h"
#include "schema/store/db.h"

extern const abdb_embedded abdb_figures[];

/* Names of all figures, shipped and own, sorted; from arena. */
size_t abdb_list_own_and_shipped_figure_names(const char **names, size_t room, abdb_arena *arena);
/* A figure by name: the user's folder first, then the shipped ones. ABDB_USAGE: no such figure (the
 * nearest is named). */
ABDB_MUST_USE abdb_status abdb_figure_load(abdb_figure *out, const char *name, abdb_error *err);

#endif
