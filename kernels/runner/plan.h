/* plan.h - what to measure: lines `kernel key=values ...`, expanded to cells.
 *
 * Values: 1024, or f32,f64, or 256-4096*2 (256 512 ... 4096), or 1-8+1 (1 2 ... 8); every
 * combination is a cell. '#' begins a comment. A plan knows no backend.
 */
#ifndef ABDB_KERNELS_PLAN_H
#define ABDB_KERNELS_PLAN_H

#include <stddef.h>

#include "schema/core/text.h"

enum { ABDB_CELL_MAX = 10000, ABDB_AXIS_MAX = 16 };

typedef struct {
    const char *kernel, *name; /* name: "gemm dtype=f32 n=1024" */
    size_t params;
    struct {
        const char *key, *text;
    } param[ABDB_AXIS_MAX];
} abdb_cell;

typedef struct {
    size_t cells, capacity;
    abdb_cell *cell;
    abdb_arena arena;
} abdb_plan;

/* Adds the cells of a text. ABDB_USAGE: a line that is none; the message names it by number. */
ABDB_MUST_USE abdb_status abdb_plan_add_cells(abdb_plan *plan, const char *text, abdb_error *err);
/* Adds a cell like another one, whose texts are copied, with one more parameter (key NULL: none).
 * ABDB_LIMIT: too many cells or parameters. */
ABDB_MUST_USE abdb_status abdb_plan_add_cell_copy_with_param(abdb_plan *plan, const abdb_cell *like,
                                                             const char *key, const char *text,
                                                             abdb_error *err);
/* The text of a cell's parameter, or NULL. */
const char *abdb_cell_param_text(const abdb_cell *cell, const char *key);
void abdb_plan_free(abdb_plan *plan);

#endif
