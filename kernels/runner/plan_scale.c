/* plan_scale.c - workloads fitted to the machine; see plan_scale.h. */
#include "kernels/runner/plan_scale.h"

#include "schema/core/text.h"

static const char *const workloads[] = {
#define WORKLOAD(name, printed) printed,
#include "kernels/workloads/registry.def"
#undef WORKLOAD
    NULL};

abdb_status abdb_plan_add_scale_auto_to_workloads(abdb_plan *plan, abdb_error *err)
{
    abdb_plan out = {0};
    abdb_status st = ABDB_OK;

    for (size_t c = 0; c < plan->cells; c++) {
        const abdb_cell *cell = &plan->cell[c];
        bool scales =
            abdb_text_is_in_list(cell->kernel, workloads) && !abdb_cell_param_text(cell, "scale");

        TRY(abdb_plan_add_cell_copy_with_param(&out, cell, scales ? "scale" : NULL,
                                               scales ? "auto" : NULL, err));
    }
    abdb_plan_free(plan);
    *plan = out;
    out = (abdb_plan){0};
done:
    abdb_plan_free(&out);
    return st;
}
