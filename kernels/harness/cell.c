/* cell.c - one cell: tensors, preparation, a launch that is checked, samples, and what stood around
 * them; see harness.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/harness/harness.h"

static const double ops_small = 2e9; /* from here on what `small` names is checked */
enum { ALIGNMENT = 4096, HUGE_PAGE = 2 << 20, COPIES_MAX = 64, STEADY_TRIES = 3 };

/* One copy of a problem, prepared. */
typedef struct {
    abdb_problem p;
    void *state;
    double prepare_s;
} copy;

const abdb_kernel *abdb_kernel_find(const char *name)
{
    for (size_t i = 0; abdb_kernels[i]; i++)
        if (strcmp(abdb_kernels[i]->name, name) == 0) return abdb_kernels[i];
    return NULL;
}

static const abdb_impl *find_impl(const abdb_backend *backend, const char *kernel)
{
    for (size_t i = 0; backend->native[i]; i++)
        if (strcmp(backend->native[i]->kernel, kernel) == 0) return backend->native[i];
    return NULL;
}

/* The cell's parameters; texts are borrowed from the JSON, which outlives the problem. */
static abdb_status take_params(abdb_problem *p, json_t *params, abdb_error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(params, key, value)
    {
        const char *text = json_string_value(value);

        if (!text) return ABDB_FAIL(err, ABDB_USAGE, "parameter %s is no string", key);
        if (p->params == ABDB_PARAM_MAX) return ABDB_FAIL(err, ABDB_LIMIT, "too many parameters");
        p->param[p->params].name = key;
        p->param[p->params].text = text;
        p->param[p->params].value = NAN;
        if (*text >= '0' && *text <= '9') {
            char *end;
            double number = strtod(text, &end);

            if (!*end) p->param[p->params].value = number;
        }
        p->params++;
    }
    return ABDB_OK;
}

static abdb_status make_tensors(const abdb_kernel *kernel, abdb_problem *p, abdb_error *err)
{
    const char *pages = abdb_param_text(p, "pages");
    static const char *const fills[] = {"uniform", "zeros", "integers", NULL};
    bool huge = pages && strcmp(pages, "huge") == 0;
    size_t alignment = huge ? HUGE_PAGE : ALIGNMENT;
    double need;
    int how;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_word(p, "fill", fills, &how, err));
    if (pages && !huge && strcmp(pages, "small") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "pages is small or huge");
    need = abdb_problem_bytes(p);
    if (need > 0.8 * abdb_memory_available())
        return ABDB_FAIL(err, ABDB_NOMEM, "needs %.1f GB, %.1f GB are available", need / 1e9,
                         abdb_memory_available() / 1e9);
    for (int i = 0; i < p->tensors; i++) {
        size_t size = abdb_tensor_count(&p->tensor[i]) * abdb_dtype_size(p->tensor[i].dtype);

        size = (size + alignment - 1) / alignment * alignment;
        p->tensor[i].data = aligned_alloc(alignment, size);
        if (!p->tensor[i].data) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes", size);
        if (huge && madvise(p->tensor[i].data, size, MADV_HUGEPAGE) != 0)
            return ABDB_FAIL(err, ABDB_USAGE, "this system gives no huge pages");
        memset(p->tensor[i].data, 0xFF, size); /* NaN: an output that is not written is seen */
        if (p->tensor[i].role != ABDB_OUT) abdb_fill_with(&p->tensor[i], (unsigned)i, how);
    }
    if (kernel->fill) kernel->fill(p);
done:
    return st;
}

static void free_tensors(abdb_problem *p)
{
    for (int i = 0; i < p->tensors; i++) free(p->tensor[i].data);
}

static void print_samples(const char *cell, const abdb_samples *s)
{
    for (size_t i = 0; i < s->count; i++)
        abdb_print_record(json_pack("{s:s,s:s,s:I,s:f,s:f}", "kind", "sample", "cell", cell, "seq",
                                    (json_int_t)i, "t_s", s->at_s[i], "time_s", s->time_s[i]));
}

/* One copy: shaped, filled, prepared. Its texts are those of params, which outlive it. */
static abdb_status make_copy(const abdb_kernel *kernel, const abdb_impl *impl, json_t *params,
                             const abdb_limits *limits, const char *overrides, copy *out,
                             abdb_error *err)
{
    char text[128], *rest = NULL;
    void *state = &out->p;
    double start;
    abdb_status st = ABDB_OK;

    *out = (copy){.p = {.kernel = kernel->name}};
    snprintf(text, sizeof text, "%s", overrides ? overrides : "");
    TRY(take_params(&out->p, params, err));
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');

        *equals = '\0';
        TRY(abdb_param_set(&out->p, word, strtod(equals + 1, NULL), err));
    }
    TRY(kernel->shape(&out->p, limits, err));
    TRY(make_tensors(kernel, &out->p, err));
    start = abdb_now_s();
    if (impl->prepare) TRY(impl->prepare(&state, &out->p, err));
    out->prepare_s = abdb_now_s() - start;
    out->state = state;
done:
    return st;
}

static void free_copy(const abdb_impl *impl, copy *c)
{
    if (c->state && impl->close) impl->close(c->state);
    free_tensors(&c->p);
    *c = (copy){0};
}

/* Is a number of any output of a launch not finite? Every 4099th is looked at. */
static bool broken(const abdb_problem *p)
{
    for (int t = 0; t < p->tensors; t++)
        for (size_t i = 0; p->tensor[t].role != ABDB_IN && i < abdb_tensor_count(&p->tensor[t]);
             i += 4099)
            if (!isfinite(abdb_tensor_get(&p->tensor[t], i))) return true;
    return false;
}

/* One launch, checked before time is taken, so that a wrong kernel is known; a large one at the
 * smaller size that its kernel names. */
static abdb_status check_launch(const abdb_kernel *kernel, const abdb_impl *impl, json_t *params,
                                const abdb_limits *limits, copy *c, double *error, abdb_error *err)
{
    copy small = {0};
    abdb_work w;
    abdb_status st = ABDB_OK;

    impl->launch(c->state);
    kernel->work(&c->p, &w);
    if (!kernel->small || w.ops < ops_small) return abdb_verify(kernel, &c->p, error, err);
    if (c->p.params == ABDB_PARAM_MAX) return ABDB_FAIL(err, ABDB_LIMIT, "too many parameters");
    c->p.param[c->p.params++] = (abdb_param){"verified_at", kernel->small, NAN};
    TRY(make_copy(kernel, impl, params, limits, kernel->small, &small, err));
    impl->launch(small.state);
    TRY(abdb_verify(kernel, &small.p, error, err));
    if (broken(&c->p)) *error = INFINITY;
done:
    free_copy(impl, &small);
    return st;
}

/* --- a cell ----------------------------------------------------------------------------------- */

typedef struct {
    const abdb_kernel *kernel;
    const abdb_impl *impl;
    abdb_limits limits;
    abdb_sampling rule;
    abdb_clock clock;
    copy at[COPIES_MAX];
    size_t copies;
    double error, shift; /* shift: of the canary, the largest relative one */
    abdb_samples samples;
    abdb_sensors before, after;
} one_cell;

static void print_result(const char *cell, const one_cell *c)
{
    const abdb_problem *p = &c->at[0].p;
    json_t *factors = json_object(), *record;
    abdb_work w;

    c->kernel->work(p, &w);
    for (int i = 0; i < p->params; i++)
        json_object_set_new(factors, p->param[i].name, json_string(p->param[i].text));
    record =
        json_pack("{s:s,s:s,s:s,s:s,s:f,s:f,s:s,s:f,s:I,s:o,s:f,s:b}", "kind", "result", "cell",
                  cell, "formula", c->kernel->formula, "dtype", abdb_dtype_name(p->tensor[0].dtype),
                  "ops", w.ops, "bytes", w.bytes, "verified", c->error <= 1 ? "pass" : "fail",
                  "prepare_s", c->at[0].prepare_s, "batch", (json_int_t)c->samples.batch, "factors",
                  factors, "canary_shift", c->shift, "unsteady", c->shift > c->rule.shift_most);
    if (c->kernel->bounded_by)
        json_object_set_new(record, "bound", json_string(c->kernel->bounded_by(p)));
    if (c->kernel->ceiling && c->kernel->ceiling(p))
        json_object_set_new(record, "ceiling", json_string(c->kernel->ceiling(p)));
    if (isfinite(c->error)) json_object_set_new(record, "error", json_real(c->error));
    if (c->impl->chosen && c->impl->chosen(c->at[0].state))
        json_object_set_new(record, "chosen", json_string(c->impl->chosen(c->at[0].state)));
    abdb_sensors_tell(record, &c->before, &c->after, (double)c->samples.launches);
    abdb_print_record(record);
}

/* As many copies, used in turn, as together exceed twice the last-level cache; at least two. */
static abdb_status make_copies(one_cell *c, json_t *params, abdb_error *err)
{
    const char *cache = abdb_param_text(&c->at[0].p, "cache");
    double most = COPIES_MAX;
    abdb_status st = ABDB_OK;

    if (!cache || strcmp(cache, "rotate") != 0) return ABDB_OK;
    most =
        fmin(most, fmax(2, ceil(2 * (double)c->limits.last / abdb_problem_bytes(&c->at[0].p)) + 1));
    for (; (double)c->copies < most; c->copies++)
        TRY(make_copy(c->kernel, c->impl, params, &c->limits, NULL, &c->at[c->copies], err));
done:
    return st;
}

/* Samples between two looks at the canary; unsteady ones are taken again, at most three times. */
static abdb_status measure(one_cell *c, const volatile int *stop, abdb_error *err)
{
    void *states[COPIES_MAX];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < c->copies; i++) states[i] = c->at[i].state;
    for (int attempt = 0; attempt < (c->rule.again ? STEADY_TRIES : 1); attempt++) {
        double first = abdb_canary(c->rule.canary_s);

        abdb_samples_free(&c->samples);
        abdb_sensors_read(&c->before);
        TRY(abdb_cell_measure(c->impl, states, c->copies, &c->rule, &c->clock, stop, &c->samples,
                              err));
        abdb_sensors_read(&c->after);
        c->shift = fabs(abdb_canary(c->rule.canary_s) / first - 1);
        if (c->shift <= c->rule.shift_most || c->samples.cancelled) break;
    }
done:
    return st;
}

/* What is asked for, without its tensors. */
static abdb_status begin(one_cell *c, const abdb_backend *backend, json_t *request,
                         const char **status, abdb_error *err)
{
    const char *name = json_string_value(json_object_get(request, "kernel")), *why = "", *cache;
    abdb_problem *p = &c->at[0].p;
    abdb_status st = ABDB_OK;

    c->kernel = name ? abdb_kernel_find(name) : NULL;
    c->impl = name ? find_impl(backend, name) : NULL;
    *status = "not-implemented";
    if (!c->impl || !c->kernel)
        return ABDB_FAIL(err, ABDB_USAGE, "this backend has no kernel '%s'", name ? name : "");
    *status = "failed";
    c->limits = abdb_machine_limits(backend);
    p->kernel = name;
    TRY(take_params(p, json_object_get(request, "params"), err));
    cache = abdb_param_text(p, "cache");
    if (cache && strcmp(cache, "hot") != 0 && strcmp(cache, "cold") != 0 &&
        strcmp(cache, "rotate") != 0)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "cache is hot, cold or rotate"));
    c->rule =
        json_is_true(json_object_get(request, "quick")) ? abdb_sampling_quick : abdb_sampling_full;
    c->rule.cold = cache && strcmp(cache, "cold") == 0;
    if (json_is_true(json_object_get(request, "energy")) && abdb_sensors_energy())
        c->rule.least_s = fmax(c->rule.least_s, ABDB_ENERGY_WINDOW_S);
    c->rule.cap_s = fmax(c->rule.cap_s, c->rule.least_s);
    TRY(c->kernel->shape(p, &c->limits, err));
    if (c->impl->accepts && !c->impl->accepts(p, &why)) {
        *status = "not-implemented";
        TRY(ABDB_FAIL(err, ABDB_USAGE, "%s", why));
    }
done:
    return st;
}

/* Interrupted before the first sample? */
static abdb_status go_on(const volatile int *stop, const char **status, abdb_error *err)
{
    if (!*stop) return ABDB_OK;
    *status = "cancelled";
    return ABDB_FAIL(err, ABDB_STOPPED, "interrupted before the first sample");
}

abdb_status abdb_cell_run(const abdb_backend *backend, const char *cell, json_t *request,
                          const volatile int *stop, const char **status, abdb_error *err)
{
    one_cell *c = calloc(1, sizeof *c);
    json_t *params = json_object_get(request, "params");
    abdb_status st = ABDB_OK;

    *status = "failed";
    if (!c) return ABDB_FAIL(err, ABDB_NOMEM, "a cell");
    c->clock = abdb_clock_measure();
    TRY(begin(c, backend, request, status, err));
    st = make_copy(c->kernel, c->impl, params, &c->limits, NULL, &c->at[0], err);
    c->copies = 1;
    if (st == ABDB_OK) st = make_copies(c, params, err);
    if (st == ABDB_NOMEM) *status = "out-of-memory";
    TRY(st);
    TRY(go_on(stop, status, err));
    TRY(check_launch(c->kernel, c->impl, params, &c->limits, &c->at[0], &c->error, err));
    TRY(go_on(stop, status, err));
    TRY(measure(c, stop, err));
    if (c->samples.cancelled) {
        *status = "cancelled";
        TRY(ABDB_FAIL(err, ABDB_STOPPED, "interrupted after %zu samples", c->samples.count));
    }
    print_samples(cell, &c->samples);
    abdb_sensors_print(cell, c->samples.reading, c->samples.readings, c->samples.first_s);
    print_result(cell, c);
    *status = "ok";
done:
    abdb_samples_free(&c->samples);
    for (size_t i = 0; i <= c->copies && i < COPIES_MAX; i++)
        if (c->impl) free_copy(c->impl, &c->at[i]);
    free(c);
    return st;
}

abdb_status abdb_cell_estimate(const abdb_backend *backend, const char *cell, json_t *request,
                               const char **status, abdb_error *err)
{
    one_cell *c = calloc(1, sizeof *c);
    abdb_work w;
    abdb_status st = ABDB_OK;

    *status = "failed";
    if (!c) return ABDB_FAIL(err, ABDB_NOMEM, "a cell");
    TRY(begin(c, backend, request, status, err));
    c->kernel->work(&c->at[0].p, &w);
    abdb_print_record(json_pack("{s:s,s:s,s:f,s:f,s:f}", "kind", "estimate", "cell", cell, "ops",
                                w.ops, "bytes", w.bytes, "memory",
                                abdb_problem_bytes(&c->at[0].p)));
    *status = "ok";
done:
    free(c);
    return st;
}
