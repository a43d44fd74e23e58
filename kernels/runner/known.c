/* known.c - is what a plan asks for known? See known.h. */
#include "kernels/runner/known.h"

#include <string.h>

#include "kernels/runner/answer.h"
#include "kernels/runner/provide.h"

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

const char *const *abdb_known_kernels(void)
{
    return own;
}

/* Names, each once. */
typedef struct {
    const char *name[NAMES_MAX + 1]; /* end: NULL */
    size_t count;
} names;

static void add(names *n, const char *name)
{
    if (*name && n->count < NAMES_MAX && !abdb_is_word(name, n->name)) n->name[n->count++] = name;
}

/* A message with the nearest name. */
static abdb_status unknown(const char *what, const char *name, const names *known, abdb_error *err)
{
    const char *near = abdb_nearest(name, known->name, known->count);

    return ABDB_FAIL(err, ABDB_USAGE, "%s '%s'%s%s%s; `abdb run --list` says what there is", what,
                     name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The parameters of a kernel, of all backends that name them. */
static void parameters(names *out, const char *kernel, json_t *const *hello, size_t hellos)
{
    json_t *one, *name;
    size_t i, k;

    for (size_t h = 0; h < hellos; h++)
        json_array_foreach(json_object_get(hello[h], "kernels"), i, one)
        {
            if (strcmp(abdb_record_text(one, "name"), kernel) != 0) continue;
            json_array_foreach(json_object_get(one, "names"), k, name) if (json_is_string(name))
                add(out, json_string_value(name));
            if (json_object_get(one, "names") && *abdb_record_text(one, "provider"))
                add(out, "provider"); /* which abdb itself asks for where there are several */
        }
}

/* A provider that none of the backends has is a mistake. */
static abdb_status check_provider(const abdb_cell *cell, json_t *const *hello, size_t hellos,
                                  abdb_error *err)
{
    const char *asked = abdb_cell_param(cell, "provider"), *name;
    names known = {0};
    char what[80];

    for (size_t h = 0; asked && h < hellos; h++)
        for (size_t i = 0; (name = abdb_provider_at(hello[h], cell->kernel, i)); i++)
            add(&known, name);
    if (!known.count || abdb_is_word(asked, known.name)) return ABDB_OK;
    snprintf(what, sizeof what, "%.60s has no provider", cell->kernel);
    return unknown(what, asked, &known, err);
}

static abdb_status check_cell(const abdb_cell *cell, const names *kernels, json_t *const *hello,
                              size_t hellos, abdb_error *err)
{
    names known = {0};
    char what[80];

    if (!abdb_is_word(cell->kernel, kernels->name))
        return unknown("no kernel", cell->kernel, kernels, err);
    parameters(&known, cell->kernel, hello, hellos);
    for (size_t i = 0; known.count && i < cell->params; i++) {
        if (abdb_is_word(cell->param[i].key, known.name)) continue;
        snprintf(what, sizeof what, "%.60s has no axis", cell->kernel);
        return unknown(what, cell->param[i].key, &known, err);
    }
    return check_provider(cell, hello, hellos, err);
}

abdb_status abdb_plan_known(const abdb_plan *plan, json_t *const *hello, size_t hellos,
                            abdb_error *err)
{
    names kernels = {0};
    json_t *one;
    size_t i;
    abdb_status st = ABDB_OK;

    for (i = 0; own[i]; i++) add(&kernels, own[i]);
    for (size_t h = 0; h < hellos; h++) {
        /* A backend that lists no kernels may have any. */
        if (!json_array_size(json_object_get(hello[h], "kernels"))) return ABDB_OK;
        json_array_foreach(json_object_get(hello[h], "kernels"), i, one)
            add(&kernels, abdb_record_text(one, "name"));
    }
    for (size_t c = 0; c < plan->cells; c++)
        TRY(check_cell(&plan->cell[c], &kernels, hello, hellos, err));
done:
    return st;
}
