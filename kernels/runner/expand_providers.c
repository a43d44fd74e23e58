/* expand_providers.c - a cell for each provider that a backend has of its kernel; see
 * expand_providers.h. */
#include "kernels/runner/expand_providers.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/runner/record_line.h"

/* The provider that entry `at` of the kernels names, where it is of this kernel; else "". */
static const char *provider_of_nth_entry_if_of_kernel(const json_t *kernels, size_t at,
                                                      const char *kernel)
{
    const json_t *one = json_array_get(kernels, at);

    return strcmp(abdb_json_text_or_empty(one, "name"), kernel) == 0
               ? abdb_json_text_or_empty(one, "provider")
               : "";
}

const char *abdb_nth_distinct_provider_of_kernel(const json_t *hello, const char *kernel,
                                                 size_t index)
{
    const json_t *kernels = json_object_get(hello, "kernels");

    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const char *provider = provider_of_nth_entry_if_of_kernel(kernels, i, kernel);
        size_t before = 0;

        if (!*provider) continue;
        while (before < i &&
               strcmp(provider_of_nth_entry_if_of_kernel(kernels, before, kernel), provider) != 0)
            before++;
        if (before == i && index-- == 0) return provider;
    }
    return NULL;
}

static bool kernel_has_several_providers(const json_t *hello, const char *kernel)
{
    return abdb_nth_distinct_provider_of_kernel(hello, kernel, 1) != NULL;
}

static bool backend_has_provider_of_kernel(const json_t *hello, const char *kernel,
                                           const char *provider)
{
    const char *name;

    for (size_t i = 0; (name = abdb_nth_distinct_provider_of_kernel(hello, kernel, i)); i++)
        if (strcmp(name, provider) == 0) return true;
    return false;
}

/* One cell: as it was asked, where a backend is left for it; then one for each provider of those
 * that have several, each once. */
static abdb_status append_cell_for_each_provider(abdb_plan *out, const abdb_cell *cell,
                                                 json_t *const *hello, size_t hellos,
                                                 abdb_error *err)
{
    size_t several = 0, first;
    const char *name;
    abdb_status st = ABDB_OK;

    for (size_t h = 0; h < hellos; h++)
        several += kernel_has_several_providers(hello[h], cell->kernel);
    if (abdb_cell_param_text(cell, "provider")) several = 0;
    if (!several || several < hellos)
        TRY(abdb_plan_add_cell_copy_with_param(out, cell, NULL, NULL, err));
    first = out->cells;
    for (size_t h = 0; several && h < hellos; h++) {
        if (!kernel_has_several_providers(hello[h], cell->kernel)) continue;
        for (size_t i = 0; (name = abdb_nth_distinct_provider_of_kernel(hello[h], cell->kernel, i));
             i++) {
            size_t same = first;

            while (same < out->cells &&
                   strcmp(abdb_cell_param_text(&out->cell[same], "provider"), name) != 0)
                same++;
            if (same == out->cells)
                TRY(abdb_plan_add_cell_copy_with_param(out, cell, "provider", name, err));
        }
    }
done:
    return st;
}

/* Which of the new cells of one that was asked a backend measures. */
static bool backend_should_measure_expanded_cell(const abdb_cell *asked, const abdb_cell *cell,
                                                 const json_t *hello)
{
    const char *provider = abdb_cell_param_text(cell, "provider");

    if (abdb_cell_param_text(asked, "provider")) return true;
    if (!kernel_has_several_providers(hello, cell->kernel)) return !provider;
    return provider && backend_has_provider_of_kernel(hello, cell->kernel, provider);
}

abdb_status abdb_plan_expand_providers_and_assign_cells(abdb_plan *plan, json_t *const *hello,
                                                        size_t hellos, unsigned char **measured_by,
                                                        abdb_error *err)
{
    abdb_plan out = {0};
    size_t *from = calloc(ABDB_CELL_MAX, sizeof *from); /* the cell that was asked, of each */
    unsigned char *all = NULL;
    abdb_status st = ABDB_OK;

    if (!from) return ABDB_FAIL(err, ABDB_NOMEM, "a plan");
    for (size_t c = 0; c < plan->cells; c++) {
        size_t first = out.cells;

        TRY(append_cell_for_each_provider(&out, &plan->cell[c], hello, hellos, err));
        while (first < out.cells) from[first++] = c;
    }
    all = calloc(hellos * out.cells + 1, 1);
    if (!all) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a plan"));
    for (size_t h = 0; h < hellos; h++)
        for (size_t c = 0; c < out.cells; c++)
            all[h * out.cells + c] =
                backend_should_measure_expanded_cell(&plan->cell[from[c]], &out.cell[c], hello[h]);
    abdb_plan_free(plan);
    *plan = out;
    out = (abdb_plan){0};
    *measured_by = all;
done:
    free(from);
    abdb_plan_free(&out);
    return st;
}
