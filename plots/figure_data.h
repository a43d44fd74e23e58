/* figure_data.h - the rows of a figure made ready: which are drawn, in which order, and what their
 * values are called. Inside of plots/. */
#ifndef ABDB_PLOTS_DRAWING_H
#define ABDB_PLOTS_DRAWING_H

#include "plots/figure.h"

/* Appends to the script: columns by name, bounds, levels, series and $data; to notes: a line for
 * what is not drawn; to shared: what all names say, which they no longer do. *kept: how many rows
 * are drawn; *grown: how many levels the column has by which the figure grows, or rows, and
 * untouched where it does not grow. most_rows: so many fit into a
 * picture of given height; the others are not drawn. ABDB_FORMAT: no such column. */
ABDB_MUST_USE abdb_status abdb_figure_select_rows_and_append_data(
    const abdb_figure *figure, const abdb_drawing *drawing, size_t most_rows, abdb_text *script,
    abdb_text *notes, abdb_text *shared, size_t *kept, size_t *grown, abdb_error *err);
#endif
