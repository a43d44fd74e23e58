/* figure_data.h - prepares the rows of a figure: selection, order and names of values. Used inside
 * plots/ only. */
#ifndef ABDB_PLOTS_DRAWING_H
#define ABDB_PLOTS_DRAWING_H

#include "plots/figure.h"

/* Appends to the script: columns by name, bounds, levels, series and $data; to notes: a line about
 * rows not drawn; to shared: words common to all names, which are cut from each name. *kept: number
 * of rows drawn; *grown: number of rows, or of levels of the column, by which the figure grows;
 * unchanged where it does not grow. most_rows: number of rows that fit into a
 * picture of given height; the others are not drawn. ABDB_FORMAT: no such column. */
ABDB_MUST_USE abdb_status abdb_figure_select_rows_and_append_data(
    const abdb_figure *figure, const abdb_drawing *drawing, size_t most_rows, abdb_text *script,
    abdb_text *notes, abdb_text *shared, size_t *kept, size_t *grown, abdb_error *err);
#endif
