/* count_work.c - operations and bytes of a cell by abdb's formulas, whatever a backend implements:
 * abdb compares them with what a program of others has reported. See harness.h. */
#include <math.h>
#include <string.h>

#include "kernels/harness/harness.h"

/* Two machines whose caches differ by more than any default depends on. */
static const abdb_machine_caches small_machine = {1 << 15, 1 << 20, 1 << 25, 1, 0, 0},
                                 large_machine = {1 << 17, 1 << 23, 1 << 29, 64, 0, 0};

/* What is counted: one of the two. */
typedef struct {
    const abdb_kernel *kernel;
    const abdb_workload *workload;
} counted_work;

json_t *abdb_json_members_of_list(json_t *params, const char *names)
{
    json_t *out = json_object(), *value;
    const char *key;

    json_object_foreach(params, key, value)
    {
        size_t size = strlen(key);
        const char *at = strstr(names, key);

        while (at && ((at > names && at[-1] != ' ') || (at[size] && at[size] != ' ')))
            at = strstr(at + size, key);
        if ((size && at) || strcmp(key, "dtype") == 0) json_object_set(out, key, value);
    }
    return out;
}

/* Counts the work of the parameters as they resolve on a machine with such caches. */
static abdb_status count_work_on_machine(const counted_work *what, const abdb_backend *backend,
                                         abdb_device *device, json_t *params,
                                         const abdb_machine_caches *machine, abdb_work *out,
                                         abdb_error *err)
{
    abdb_problem p = {.device = device};
    abdb_spans spans = {.now = abdb_clock_seconds, .device = device};
    abdb_run_context stage = {.p = &p, .device = device, .parts = backend->parts, .spans = &spans};
    abdb_effort effort;
    abdb_status st = ABDB_OK;

    TRY(abdb_problem_add_json_params(&p, params, err));
    if (what->kernel) {
        p.kernel = what->kernel->name;
        TRY(what->kernel->setup_tensors(&p, machine, err));
        what->kernel->count_work(&p, out);
    } else {
        p.kernel = what->workload->name;
        TRY(what->workload->resolve_params(&p, machine, err));
        what->workload->count_work_and_memory(&stage, &effort);
        *out = (abdb_work){effort.ops, effort.bytes};
    }
done:
    return st;
}

abdb_status abdb_print_work_record(const abdb_backend *backend, abdb_device *device,
                                   const char *cell, json_t *request, const char **status,
                                   abdb_error *err)
{
    const char *name = json_string_value(json_object_get(request, "kernel"));
    counted_work what = {name ? abdb_find_kernel_by_name(name) : NULL,
                         name ? abdb_find_workload_by_name(name) : NULL};
    abdb_work one, other;
    json_t *params;
    abdb_status st = ABDB_OK;

    *status = "not-implemented";
    if (!what.kernel && !what.workload)
        return ABDB_FAIL(err, ABDB_USAGE, "abdb has no kernel '%s'", name ? name : "");
    *status = "failed";
    params = abdb_json_members_of_list(json_object_get(request, "params"),
                                       what.kernel ? what.kernel->names : what.workload->names);
    TRY(count_work_on_machine(&what, backend, device, params, &small_machine, &one, err));
    TRY(count_work_on_machine(&what, backend, device, params, &large_machine, &other, err));
    if (one.ops != other.ops || one.bytes != other.bytes)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "the parameters leave open how large it is"));
    abdb_print_and_free_record(
        json_pack("{s:s,s:s,s:s,s:f,s:f}", "kind", "estimate", "cell", cell, "formula",
                  what.kernel ? what.kernel->formula : what.workload->formula, "ops", one.ops,
                  "bytes", one.bytes));
    *status = "ok";
done:
    json_decref(params);
    return st;
}
