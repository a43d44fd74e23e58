/* plan_check.c - is what a plan asks for known? See plan_check.h. */
#include "kernels/runner/plan_check.h"

#include <string.h>

#include "kernels/runner/record_line.h"
#include "kernels/runner/expand_providers.h"

enum { NAMES_MAX = 256 };
/* The kernels and workloads of this build; other backends may have more. */
static const char *const own[] = {
#define KERNEL(name, printed, ref) printed,
#include "kernels/registry.def"
#undef KERNEL
#define WORKLOAD(name, printed) printed,
#include "kernels/workloads/registry.def"
#undef WORKLOAD
    NULL};

const char *const *abdb_built_in_kernel_and_workload_names(void)
{
    return own;
}

/* Names, each once. */
typedef struct {
    const char *name[NAMES_MAX + 1]; /* end: NULL */
    size_t count;
} name_set;

static void add_name_once(name_set *n, const char *name)
{
    if (*name && n->count < NAMES_MAX && !abdb_text_is_in_list(name, n->name))
        n->name[n->count++] = name;
}

/* A message with the nearest name. */
static abdb_status fail_unknown_name_suggesting_nearest(const char *what, const char *name,
                                                        const name_set *known, abdb_error *err)
{
    const char *near = abdb_nearest_name(name, known->name, known->count);

    return ABDB_FAIL(err, ABDB_USAGE, "%s '%s'%s%s%s; `abdb run --list` says what there is", what,
                     name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The parameters of a kernel, of all backends that name them. */
static void collect_parameter_names_of_kernel(name_set *out, const char *kernel,
                                              json_t *const *hello, size_t hellos)
{
    json_t *one, *name;
    size_t i, k;

    for (size_t h = 0; h < hellos; h++)
        json_array_foreach(json_object_get(hello[h], "kernels"), i, one)
        {
            if (strcmp(abdb_json_text_or_empty(one, "name"), kernel) != 0) continue;
            json_array_foreach(json_object_get(one, "names"), k, name) if (json_is_string(name))
                add_name_once(out, json_string_value(name));
            if (json_object_get(one, "names") && *abdb_json_text_or_empty(one, "provider"))
                add_name_once(out,
                              "provider"); /* which abdb itself asks for where there are several */
        }
}

/* A provider that none of the backends has is a mistake. */
static abdb_status require_provider_known_to_a_backend(const abdb_cell *cell, json_t *const *hello,
                                                       size_t hellos, abdb_error *err)
{
    const char *asked = abdb_cell_param_text(cell, "provider"), *name;
    name_set known = {0};
    char what[80];

    for (size_t h = 0; asked && h < hellos; h++)
        for (size_t i = 0; (name = abdb_nth_distinct_provider_of_kernel(hello[h], cell->kernel, i));
             i++)
            add_name_once(&known, name);
    if (!known.count || abdb_text_is_in_list(asked, known.name)) return ABDB_OK;
    snprintf(what, sizeof what, "%.60s has no provider", cell->kernel);
    return fail_unknown_name_suggesting_nearest(what, asked, &known, err);
}

/* ABDB_USAGE: no backend has the kernel, the axis of it, or the provider; with the nearest name. */
static abdb_status require_kernel_axes_and_provider_known(const abdb_cell *cell,
                                                          const name_set *kernels,
                                                          json_t *const *hello, size_t hellos,
                                                          abdb_error *err)
{
    name_set known = {0};
    char what[80];

    if (!abdb_text_is_in_list(cell->kernel, kernels->name))
        return fail_unknown_name_suggesting_nearest("no kernel", cell->kernel, kernels, err);
    collect_parameter_names_of_kernel(&known, cell->kernel, hello, hellos);
    for (size_t i = 0; known.count && i < cell->params; i++) {
        if (abdb_text_is_in_list(cell->param[i].key, known.name)) continue;
        snprintf(what, sizeof what, "%.60s has no axis", cell->kernel);
        return fail_unknown_name_suggesting_nearest(what, cell->param[i].key, &known, err);
    }
    return require_provider_known_to_a_backend(cell, hello, hellos, err);
}

abdb_status abdb_plan_require_names_known_to_backends(const abdb_plan *plan, json_t *const *hello,
                                                      size_t hellos, abdb_error *err)
{
    name_set kernels = {0};
    json_t *one;
    size_t i;
    abdb_status st = ABDB_OK;

    for (i = 0; own[i]; i++) add_name_once(&kernels, own[i]);
    for (size_t h = 0; h < hellos; h++) {
        /* A backend that lists no kernels may have any. */
        if (!json_array_size(json_object_get(hello[h], "kernels"))) return ABDB_OK;
        json_array_foreach(json_object_get(hello[h], "kernels"), i, one)
            add_name_once(&kernels, abdb_json_text_or_empty(one, "name"));
    }
    for (size_t c = 0; c < plan->cells; c++)
        TRY(require_kernel_axes_and_provider_known(&plan->cell[c], &kernels, hello, hellos, err));
done:
    return st;
}
