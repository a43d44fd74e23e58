/* outputs.c - what kernels compute: a backend's program with another main. `outputs-NAME write
 * FOLDER` keeps the outputs of the cells on its standard input (lines of
 * kernels/harness/protocol.md), `outputs-NAME compare FOLDER` tells of each whether they are still
 * the same, however often it is launched. Lines of "NUMBER WORD RATIO": same, changed, refused,
 * broken; the largest difference over what rounding in another order gives.
 *
 * Inputs are those that verification takes: the exact ones, where the kernel has them, then those
 * of one copy, or of three with cache=rotate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"

enum { COPIES = 3, EXACT_SEED = 64, ROUNDS = 32, FIRST = 3, ULPS = 4 };
static const double long_s = 0.2; /* after which no further round is launched */

typedef struct {
    const abdb_backend *backend;
    abdb_device *device;
    const char *folder;
    bool compare;
    size_t number; /* of the cell */
    double ratio;
    FILE *file;
} outputs_task;

/* The first implementation that takes the problem. */
static const abdb_impl *find_accepting_implementation(const abdb_backend *backend,
                                                      const abdb_problem *p)
{
    const char *why = "";

    for (size_t i = 0; backend->native[i]; i++)
        if (strcmp(backend->native[i]->kernel, p->kernel) == 0 &&
            (!backend->native[i]->accepts || backend->native[i]->accepts(p, &why)))
            return backend->native[i];
    return NULL;
}

/* What rounding in another order may change: 4 units of roundoff of the largest element of the row,
 * and where sums are rounded one place of the element itself; nothing where the result is exact. */
static double allowed_rounding_difference(const abdb_tensor *t, double want, double largest,
                                          bool exact)
{
    bool whole = t->dtype == ABDB_I8 || t->dtype == ABDB_I32;
    double u = abdb_dtype_unit_roundoff(t->dtype == ABDB_F64 ? ABDB_F64 : ABDB_F32);

    if (exact || whole) return 0;
    return ULPS * u * largest + 2 * abdb_output_roundoff_or_0_if_accumulator(t) *
                                    fmax(fabs(want), abdb_dtype_least_normal(t->dtype));
}

/* The largest difference of two tensors over what is allowed. Where rows have one element, they are
 * one row. */
static double largest_difference_over_allowed_rounding(const abdb_tensor *tensor,
                                                       const abdb_tensor *stored_tensor, bool exact)
{
    size_t all = abdb_tensor_element_count(tensor),
           width = all == tensor->dim[0] ? all : all / tensor->dim[0];
    double worst = 0;

    for (size_t r = 0; r < all / width; r++) {
        double largest = 0;

        for (size_t i = r * width; i < (r + 1) * width; i++)
            largest = fmax(largest, fabs(abdb_tensor_get_f64(stored_tensor, i)));
        for (size_t i = r * width; i < (r + 1) * width; i++) {
            double a = abdb_tensor_get_f64(tensor, i), b = abdb_tensor_get_f64(stored_tensor, i);

            if (a == b || (isnan(a) && isnan(b))) continue;
            a = fabs(a - b) / allowed_rounding_difference(tensor, b, largest, exact);
            worst = fmax(worst, isnan(a) ? INFINITY : a);
        }
    }
    return worst;
}

/* Writes an output, or compares it with `was`. */
static void write_or_compare_output(outputs_task *t, const abdb_instance *c, int tensor_index,
                                    void *stored)
{
    const abdb_tensor *is = &c->back.tensor[tensor_index];
    size_t size = abdb_tensor_element_count(is) * abdb_dtype_size(is->dtype);
    abdb_tensor before = *is;

    if (!t->compare) {
        fwrite(is->data, 1, size, t->file);
        return;
    }
    before.data = stored;
    t->ratio = fmax(t->ratio, largest_difference_over_allowed_rounding(is, &before, c->exact));
}

/* The outputs as they were, one after another; NULL: they cannot be read. */
static char *read_stored_outputs_or_null(outputs_task *t, const abdb_instance *copies, size_t count)
{
    size_t size = 0;
    char *all;

    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < copies[i].p.tensors; j++) {
            const abdb_tensor *out = &copies[i].back.tensor[j];

            if (out->role != ABDB_IN)
                size += abdb_tensor_element_count(out) * abdb_dtype_size(out->dtype);
        }
    all = malloc(size + 1);
    if (all && fread(all, 1, size, t->file) == size) return all;
    free(all);
    return NULL;
}

/* Copies that are launched round after round; the first rounds and the last are looked at. */
static abdb_status launch_rounds_write_or_compare_outputs(outputs_task *t, abdb_instance *copies,
                                                          size_t count, abdb_error *err)
{
    char *was = t->compare ? read_stored_outputs_or_null(t, copies, count) : NULL;
    double start = abdb_clock_seconds();
    bool last = !t->compare;
    abdb_status st = ABDB_OK;

    if (t->compare && !was) TRY(ABDB_FAIL(err, ABDB_LIMIT, "outputs of another size"));
    for (int round = 1;; round++) {
        size_t at = 0;

        last = last || round == ROUNDS || (round > FIRST && abdb_clock_seconds() - start > long_s);
        TRY(abdb_instances_reset_launch_and_download(copies, count, err));
        if (round > FIRST && !last) continue;
        for (size_t i = 0; i < count; i++)
            for (int j = 0; j < copies[i].p.tensors; j++) {
                const abdb_tensor *out = &copies[i].back.tensor[j];

                if (out->role == ABDB_IN) continue;
                write_or_compare_output(t, &copies[i], j, was ? was + at : NULL);
                at += abdb_tensor_element_count(out) * abdb_dtype_size(out->dtype);
            }
        if (last) break;
    }
done:
    free(was);
    return st;
}

/* Copies of a recipe, from that seed on; none where there is no exact one. */
static abdb_status make_copies_and_launch_unless_inexact(outputs_task *t,
                                                         abdb_instance_spec *recipe, size_t count,
                                                         abdb_error *err)
{
    abdb_instance *copies = calloc(COPIES, sizeof *copies);
    size_t made = 0;
    abdb_status st = ABDB_OK;

    if (!copies) return ABDB_FAIL(err, ABDB_NOMEM, "copies");
    for (; made < count; recipe->seed++) {
        st = abdb_instance_alloc_fill_and_prepare(&copies[made++], recipe, err);
        TRY(st);
    }
    if (recipe->exact && !copies[0].exact) goto done;
    TRY(launch_rounds_write_or_compare_outputs(t, copies, count, err));
done:
    for (size_t i = 0; i < made; i++) abdb_instance_release_and_clear(&copies[i]);
    free(copies);
    return st;
}

static const char *launch_cell_return_verdict(outputs_task *t, json_t *request, abdb_error *err)
{
    abdb_instance_spec recipe = {
        .kernel = abdb_find_kernel_by_name(json_string_value(json_object_get(request, "kernel"))),
        .device = t->device,
        .params = json_object_get(request, "params"),
        .seed = EXACT_SEED,
        .exact = true};
    abdb_problem p = {.device = t->device};
    const char *cache;

    if (!recipe.kernel) return "refused";
    p.kernel = recipe.kernel->name;
    if (abdb_problem_add_json_params(&p, recipe.params, err) != ABDB_OK ||
        recipe.kernel->setup_tensors(&p, &t->device->limits, err) != ABDB_OK)
        return "refused";
    recipe.impl = find_accepting_implementation(t->backend, &p);
    if (!recipe.impl) return "refused";
    if (recipe.kernel->make_exact_inputs &&
        make_copies_and_launch_unless_inexact(t, &recipe, 1, err) != ABDB_OK)
        return "broken";
    recipe.seed = 0;
    recipe.exact = false;
    cache = abdb_param_text(&p, "cache");
    if (make_copies_and_launch_unless_inexact(
            t, &recipe, cache && strcmp(cache, "rotate") == 0 ? COPIES : 1, err) != ABDB_OK)
        return "broken";
    return t->ratio > 1 ? "changed" : "same";
}

static void run_request_print_verdict(outputs_task *t, const char *line)
{
    json_t *request = json_loads(line, 0, NULL);
    abdb_error err = {.message = ""};
    const char *word = "refused";
    char path[512];

    snprintf(path, sizeof path, "%s/%s", t->folder,
             json_string_value(json_object_get(request, "cell")));
    t->ratio = 0;
    t->file = fopen(path, t->compare ? "rb" : "wb");
    if (t->file) {
        word = launch_cell_return_verdict(t, request, &err);
        fclose(t->file);
    }
    printf("%zu %s %g %s\n", t->number++, word, t->ratio, err.message);
    fflush(stdout);
    json_decref(request);
}

/* In place of the one of kernels/harness/backend.c. */
int abdb_backend_main(const abdb_backend *backend, int argc, char **argv)
{
    outputs_task t = {.backend = backend};
    abdb_error err = {.message = ""};
    char *line = NULL;
    size_t room = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: %s write | compare FOLDER\n", argv[0]);
        return 2;
    }
    if (!backend->open)
        t.device = abdb_init_host_device(backend->threads());
    else if (backend->open(&t.device, &err) != ABDB_OK) {
        fprintf(stderr, "%s: %s\n", argv[0], err.message);
        return 6;
    }
    t.compare = strcmp(argv[1], "compare") == 0;
    t.folder = argv[2];
    while (getline(&line, &room, stdin) > 0) run_request_print_verdict(&t, line);
    free(line);
    return 0;
}
