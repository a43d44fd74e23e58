/* kernel_cell.c - one cell: a problem that is checked, measured, and checked again. The order:
 * inputs whose result is exact (where the kernel has them), ordinary inputs before the first
 * sample, samples between two looks at the canary, and all copies again after the last sample. Only
 * then is anything printed, so a wrong or interrupted cell leaves no time behind. See harness.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"

static const double ops_small = 2e9; /* from here on small_params are verified */
/* Copies of a problem at most; and how often samples are taken while the machine is unsteady. */
/* Copies have the seeds 0 to COPIES_MAX - 1; other checks have other seeds. */
enum { COPIES_MAX = 64, SMALL_SEED = COPIES_MAX, EXACT_SEED, EDGE_SEED, STEADY_TRIES = 3 };
/* Bytes of a problem at the edges at most, and seconds to compare it. */
static const double edge_bytes_most = 1 << 24, edge_check_s = 0.02;

const abdb_kernel *abdb_find_kernel_by_name(const char *name)
{
    for (size_t i = 0; abdb_kernels[i]; i++)
        if (strcmp(abdb_kernels[i]->name, name) == 0) return abdb_kernels[i];
    return NULL;
}

void abdb_print_sample_records(const char *cell, const abdb_samples *s)
{
    for (size_t i = 0; i < s->count; i++)
        abdb_print_and_free_record(json_pack("{s:s,s:s,s:I,s:f,s:f}", "kind", "sample", "cell",
                                             cell, "seq", (json_int_t)i, "t_s", s->at_s[i],
                                             "time_s", s->time_s[i]));
}

/* --- a cell ----------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    abdb_device *device;
    abdb_instance_spec recipe;
    abdb_problem p; /* its shape, without tensors */
    abdb_sampling rule;
    abdb_instance at[COPIES_MAX], small;
    size_t copies;
    int threads;     /* that a launch ran on */
    double shift;    /* of the canary, the largest relative one */
    double canary_s; /* of it, the least */
    double began_s;
    abdb_verify_result checked;
    abdb_samples samples;
    abdb_sensors before, after;
} kernel_cell;

static bool is_verified_at_small_size_for_many_ops(const kernel_cell *c)
{
    abdb_work w;

    c->recipe.kernel->count_work(&c->p, &w);
    return c->recipe.kernel->small_params && w.ops >= ops_small;
}

/* The nearest cache of the host that holds all tensors of the copies; NULL: none does, or a device
 * has no such caches. */
static const char *name_of_cache_holding_all_tensors(const kernel_cell *c)
{
    const abdb_machine_caches *l = &c->device->limits;
    double bytes = abdb_problem_tensor_bytes(&c->p) * (double)c->copies, threads = c->threads;

    if (!c->device->on_host || c->rule.cold) return NULL;
    return bytes <= (double)l->l1 * threads                       ? "L1"
           : bytes <= (double)l->l2 * threads                     ? "L2"
           : bytes <= (double)(l->claimed ? l->claimed : l->last) ? "L3"
                                                                  : NULL;
}

/* The ceiling of the machine that the cell was made to find: of memory, only past the caches. */
static const char *ceiling_metric_unless_cache_resident(const kernel_cell *c)
{
    const abdb_kernel *kernel = c->recipe.kernel;
    const char *name = kernel->ceiling_metric ? kernel->ceiling_metric(&c->p) : NULL;

    return name && strcmp(name, "memory_bandwidth") == 0 && name_of_cache_holding_all_tensors(c)
               ? NULL
               : name;
}

/* Prints `result`: parameters, work, the check, noise, sensors and what the implementation
 * chose. */
static void print_kernel_result_record(const kernel_cell *c)
{
    const abdb_problem *p = &c->at[0].p;
    const abdb_kernel *kernel = c->recipe.kernel;
    const abdb_impl *impl = c->recipe.impl;
    json_t *factors = json_object(), *record;
    abdb_work w;

    kernel->count_work(p, &w);
    for (int i = 0; i < p->params; i++)
        json_object_set_new(factors, p->param[i].name, json_string(p->param[i].text));
    json_object_set_new(factors, "provider", json_string(impl->provider));
    if (is_verified_at_small_size_for_many_ops(c))
        json_object_set_new(factors, "verified_at", json_string(kernel->small_params));
    if (c->checked.rows_checked_share < 1)
        json_object_set_new(factors, "checked_seed", json_sprintf("%u", abdb_verify_seed()));
    record = json_pack(
        "{s:s,s:s,s:s,s:s,s:f,s:f,s:s,s:f,s:f,s:I,s:o,s:f,s:f,s:b,s:i}", "kind", "result", "cell",
        c->name, "formula", kernel->formula, "dtype", abdb_dtype_name(p->tensor[0].dtype), "ops",
        w.ops, "bytes", w.bytes, "verified", c->checked.error <= 1 ? "pass" : "fail", "checked",
        c->checked.rows_checked_share, "prepare_s", c->at[0].prepare_s, "batch",
        (json_int_t)c->samples.batch, "factors", factors, "canary_shift", c->shift, "canary_s",
        c->canary_s, "unsteady", c->shift > c->rule.shift_most, "threads", c->threads);
    if (kernel->bottleneck)
        json_object_set_new(record, "bound", json_string(kernel->bottleneck(p)));
    if (ceiling_metric_unless_cache_resident(c))
        json_object_set_new(record, "ceiling",
                            json_string(ceiling_metric_unless_cache_resident(c)));
    if (name_of_cache_holding_all_tensors(c))
        json_object_set_new(record, "resident", json_string(name_of_cache_holding_all_tensors(c)));
    if (isfinite(c->checked.error))
        json_object_set_new(record, "error", json_real(c->checked.error));
    if (impl->chosen && impl->chosen(c->at[0].state))
        json_object_set_new(record, "chosen", json_string(impl->chosen(c->at[0].state)));
    if (c->device->use_ranks)
        abdb_result_json_add_ranks_and_binding(record, c->device, abdb_problem_rank_count(p),
                                               &c->samples);
    abdb_result_json_add_load_steal_and_energy(record, &c->before, &c->after,
                                               (double)c->samples.launches);
    abdb_print_and_free_record(record);
}

/* --- is it right? ----------------------------------------------------------------------------- */

/* Launches and compares copies, twice: an implementation that computes only every other time is
 * caught. */
static abdb_status launch_and_verify_twice(kernel_cell *c, abdb_instance *copies, size_t count,
                                           abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (int i = 0; i < 2; i++)
        TRY(abdb_instances_reset_launch_and_verify_all(copies, count, c->rule.check_s / 2,
                                                       &c->checked, err));
done:
    return st;
}

/* With inputs whose result is exact in any order. Where the kernel has none for this problem, the
 * copy that was made is an ordinary one, and is kept as the first that is measured. */
static abdb_status verify_exact_inputs_or_keep_ordinary_copy(kernel_cell *c, abdb_error *err)
{
    abdb_instance_spec recipe = c->recipe;
    abdb_status st = ABDB_OK;

    recipe.exact = true;
    /* Of its own, so that nothing that was packed for it (bytes are exact as they are) would do for
     * what is measured. */
    recipe.seed = EXACT_SEED;
    TRY(abdb_instance_alloc_fill_and_prepare(&c->at[0], &recipe, err));
    if (c->at[0].exact)
        TRY(launch_and_verify_twice(c, c->at, 1, err));
    else
        c->copies = 1;
done:
    if (!c->copies) abdb_instance_release_and_clear(&c->at[0]);
    return st;
}

/* At one of the sizes of edge_sizes, with values at the edges, unless it cannot be. */
static abdb_status verify_at_edge(kernel_cell *c, const char *sizes, uint64_t seed, abdb_error *err)
{
    abdb_instance_spec recipe = c->recipe;
    abdb_instance edge = {0};
    abdb_verify_result found = {0};
    abdb_status st = ABDB_OK;

    recipe.overrides = sizes;
    recipe.seed = seed;
    recipe.edges = true;
    if (!abdb_instance_is_possible(&recipe, edge_bytes_most)) return ABDB_OK;
    edge.p.device = c->device;
    TRY(abdb_instance_alloc_fill_and_prepare(&edge, &recipe, err));
    for (int i = 0; i < 2 && found.error <= 1; i++)
        TRY(abdb_instances_reset_launch_and_verify_all(&edge, 1, edge_check_s, &found, err));
    if (!(found.error <= 1))
        TRY(ABDB_FAIL(err, ABDB_VERIFY, "wrong kernel: at %s its error is %.3g of the bound", sizes,
                      found.error));
done:
    abdb_instance_release_and_clear(&edge);
    return st;
}

/* Wherever the host's memory is used: a device would compile its kernels for each of the sizes. */
static abdb_status verify_at_edges(kernel_cell *c, abdb_error *err)
{
    const char *const *sizes = c->device->on_host ? c->recipe.kernel->edge_sizes : NULL;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; sizes && sizes[i]; i++) TRY(verify_at_edge(c, sizes[i], EDGE_SEED + i, err));
done:
    return st;
}

/* What is too large to be checked: are its numbers finite, and is the same right at the smaller
 * size that its kernel names? */
static abdb_status verify_at_small_size_and_finite_at_full(kernel_cell *c, abdb_error *err)
{
    abdb_instance_spec recipe = c->recipe;
    abdb_status st = ABDB_OK;

    recipe.overrides = c->recipe.kernel->small_params;
    recipe.seed = SMALL_SEED;
    if (!c->small.state) TRY(abdb_instance_alloc_fill_and_prepare(&c->small, &recipe, err));
    TRY(launch_and_verify_twice(c, &c->small, 1, err));
    TRY(abdb_instances_reset_launch_and_download(c->at, c->copies, err));
    for (size_t i = 0; i < c->copies; i++)
        if (!abdb_instance_are_all_outputs_finite(&c->at[i])) c->checked.error = INFINITY;
done:
    return st;
}

/* Before time is taken, so that a wrong kernel is known. */
static abdb_status verify_start_watch_and_check_thread_count(kernel_cell *c, abdb_error *err)
{
    double time_s;
    abdb_status st = ABDB_OK;

    if (is_verified_at_small_size_for_many_ops(c))
        TRY(verify_at_small_size_and_finite_at_full(c, err));
    else
        TRY(abdb_instances_reset_launch_and_verify_all(c->at, 1, c->rule.check_s / 2, &c->checked,
                                                       err));
    if (c->checked.error <= 1)
        TRY(abdb_sample_watch_digest_outputs_and_choose_spots_to_spoil(
            &c->rule.watch, &c->at[0], c->began_s, c->rule.check_s / 4, c->copies > 1 ? 1 : 3,
            err));
    TRY(c->device->begin_timing(c->device, err));
    abdb_thread_count_begin();
    TRY(c->recipe.impl->launch(c->at[0].state, err));
    TRY(c->device->end_timing(c->device, &time_s, err));
    TRY(abdb_end_thread_count_and_require_requested(&c->p, &c->threads, err));
done:
    return st;
}

/* After the last sample. Each copy has inputs of its own, so an output that was left over from
 * another copy is wrong. */
static abdb_status verify_all_copies_after_sampling(kernel_cell *c, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    /* Once: from a device all inputs are fetched. */
    for (size_t i = 0; i < c->copies && !c->device->on_host; i++)
        TRY(abdb_instance_require_inputs_guards_unchanged(&c->at[i], err));
    TRY(is_verified_at_small_size_for_many_ops(c)
            ? verify_at_small_size_and_finite_at_full(c, err)
            : launch_and_verify_twice(c, c->at, c->copies, err));
done:
    return st;
}

/* --- how fast is it? -------------------------------------------------------------------------- */

/* cache=rotate: as many copies, used in turn, as together exceed twice the last-level cache, and
 * all of it that a virtual machine claims, so that each launch finds its operands in memory; at
 * least two, and at most COPIES_MAX: then `resident` names their cache. Else there is one. */
static size_t copies_needed_to_rotate_past_caches(const kernel_cell *c)
{
    const char *cache = abdb_param_text(&c->p, "cache");
    const abdb_machine_caches *l = &c->device->limits;
    double bytes = abdb_problem_tensor_bytes(&c->p),
           beyond = fmax(2.0 * (double)l->last, 1.25 * (double)l->claimed);

    if (!cache || strcmp(cache, "rotate") != 0) return 1;
    return (size_t)fmin(COPIES_MAX, fmax(2, ceil(beyond / bytes) + 1));
}

/* Makes the copies of cache=rotate that are not there yet, each with inputs of its own. */
static abdb_status make_remaining_rotation_copies(kernel_cell *c, abdb_error *err)
{
    size_t most = copies_needed_to_rotate_past_caches(c);
    abdb_status st = ABDB_OK;

    for (; c->copies < most; c->copies++) {
        abdb_instance_spec recipe = c->recipe;

        recipe.seed = c->copies;
        st = abdb_instance_alloc_fill_and_prepare(&c->at[c->copies], &recipe, err);
        if (st != ABDB_OK) c->copies++; /* its finished parts are freed */
        TRY(st);
    }
done:
    return st;
}

/* Samples between two looks at the canary. Where the two differ by more than the rule allows, the
 * machine changed meanwhile, and samples are taken again, at most STEADY_TRIES times in all. */
static abdb_status
sample_and_repeat_until_canary_is_steady(kernel_cell *c, const volatile int *stop, abdb_error *err)
{
    void *states[COPIES_MAX];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < c->copies; i++) states[i] = c->at[i].state;
    for (int attempt = 0; attempt < (c->rule.repeat_if_unsteady ? STEADY_TRIES : 1); attempt++) {
        double first = abdb_time_canary_round(c->rule.canary_s), last;

        abdb_samples_free(&c->samples);
        c->device->read_sensors(c->device, ABDB_SENSE_ALL, &c->before);
        TRY(abdb_warm_up_and_sample_until_stable(c->device, c->recipe.impl, states, c->copies,
                                                 &c->rule, stop, &c->samples, err));
        c->device->read_sensors(c->device, ABDB_SENSE_ALL, &c->after);
        last = abdb_time_canary_round(c->rule.canary_s);
        c->shift = fabs(last / first - 1);
        c->canary_s = fmin(first, last);
        if (c->shift <= c->rule.shift_most || c->samples.cancelled) break;
    }
done:
    return st;
}

/* --- the request ------------------------------------------------------------------------------ */

/* The first implementation of a kernel that takes the problem, of the requested provider. */
static const abdb_impl *find_accepting_impl(const abdb_backend *backend, const abdb_problem *p,
                                            const char **why_not)
{
    const char *provider = abdb_param_text(p, "provider"), *no = "",
               *products = abdb_param_text(p, "products");

    *why_not = "it has products of the format itself only";
    if (products && strcmp(products, "own") != 0 &&
        (!backend->products || strcmp(backend->products, products) != 0))
        return NULL;
    *why_not = NULL;
    for (size_t i = 0; backend->native[i]; i++) {
        const abdb_impl *impl = backend->native[i];

        if (strcmp(impl->kernel, p->kernel) != 0) continue;
        if (provider && strcmp(impl->provider, provider) != 0) continue;
        if (!impl->accepts || impl->accepts(p, &no)) return impl;
        if (!*why_not) *why_not = no;
    }
    if (!*why_not)
        *why_not = provider ? "there is no such provider of it" : "this backend has no such kernel";
    return NULL;
}

/* Sets how long a cell is sampled: as asked (quick, cold caches), and with energy at least as long
 * as its counter needs. */
static void set_sampling_rule_by_request(kernel_cell *c, json_t *request, const char *cache)
{
    c->rule =
        json_is_true(json_object_get(request, "quick")) ? abdb_sampling_quick : abdb_sampling_full;
    c->rule.cold = cache && strcmp(cache, "cold") == 0;
    if (json_is_true(json_object_get(request, "energy")) &&
        abdb_device_has_energy_counter(c->device))
        c->rule.min_time_s = fmax(c->rule.min_time_s, ABDB_ENERGY_WINDOW_S);
    c->rule.max_time_s = fmax(c->rule.max_time_s, c->rule.min_time_s);
}

/* Reads a request and finds its implementation, without making tensors. */
static abdb_status parse_cell_request_and_find_impl(kernel_cell *c, const abdb_backend *backend,
                                                    json_t *request, const char **status,
                                                    abdb_error *err)
{
    static const char *const caches[] = {"hot", "cold", "rotate", NULL};
    const char *name = json_string_value(json_object_get(request, "kernel")), *why = "", *cache;
    int which;
    abdb_status st = ABDB_OK;

    *status = "not-implemented";
    c->recipe = (abdb_instance_spec){.kernel = name ? abdb_find_kernel_by_name(name) : NULL,
                                     .device = c->device,
                                     .params = json_object_get(request, "params")};
    if (!c->recipe.kernel)
        return ABDB_FAIL(err, ABDB_USAGE, "this backend has no kernel '%s'", name ? name : "");
    *status = "failed";
    c->p.kernel = name;
    c->p.device = c->device;
    TRY(abdb_problem_add_json_params(&c->p, c->recipe.params, err));
    TRY(abdb_parse_threads_param_or_0(&c->p, &which, err));
    TRY(abdb_param_choice_index_or_first(&c->p, "cache", caches, &which, err));
    cache = abdb_param_text(&c->p, "cache");
    set_sampling_rule_by_request(c, request, cache);
    TRY(c->recipe.kernel->setup_tensors(&c->p, &c->device->limits, err));
    c->recipe.impl = find_accepting_impl(backend, &c->p, &why);
    if (!c->recipe.impl) {
        *status = "not-implemented";
        TRY(ABDB_FAIL(err, ABDB_USAGE, "%s", why));
    }
done:
    return st;
}

/* Interrupted before the first sample? */
static abdb_status fail_as_cancelled_if_stopped(const volatile int *stop, const char **status,
                                                abdb_error *err)
{
    if (!*stop) return ABDB_OK;
    *status = "cancelled";
    return ABDB_FAIL(err, ABDB_STOPPED, "interrupted before the first sample");
}

/* Everything up to the first sample. */
static abdb_status make_copies_and_verify_before_sampling(kernel_cell *c, const volatile int *stop,
                                                          const char **status, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (c->recipe.kernel->make_exact_inputs) st = verify_exact_inputs_or_keep_ordinary_copy(c, err);
    if (st == ABDB_OK) st = make_remaining_rotation_copies(c, err);
    if (st == ABDB_NOMEM) *status = "out-of-memory";
    TRY(st);
    TRY(fail_as_cancelled_if_stopped(stop, status, err));
    if (c->checked.error <= 1) TRY(verify_at_edges(c, err));
    TRY(verify_start_watch_and_check_thread_count(c, err));
    TRY(fail_as_cancelled_if_stopped(stop, status, err));
done:
    return st;
}

abdb_status abdb_run_and_print_kernel_cell(const abdb_backend *backend, abdb_device *device,
                                           const char *cell, json_t *request,
                                           const volatile int *stop, const char **status,
                                           abdb_error *err)
{
    kernel_cell *c = calloc(1, sizeof *c);
    abdb_status st = ABDB_OK;

    *status = "failed";
    if (!c) return ABDB_FAIL(err, ABDB_NOMEM, "a cell");
    c->name = cell;
    c->device = device;
    c->began_s = abdb_clock_seconds();
    TRY(parse_cell_request_and_find_impl(c, backend, request, status, err));
    TRY(make_copies_and_verify_before_sampling(c, stop, status, err));
    TRY(sample_and_repeat_until_canary_is_steady(c, stop, err));
    if (c->samples.cancelled) {
        *status = "cancelled";
        TRY(ABDB_FAIL(err, ABDB_STOPPED, "interrupted after %zu samples", c->samples.count));
    }
    if (c->rule.watch && c->copies == 1)
        TRY(abdb_sample_watch_launch_while_time_lasts(
            c->rule.watch, c->samples.time_s[c->samples.count - 1], stop, err));
    TRY(verify_all_copies_after_sampling(c, err));
    abdb_print_sample_records(cell, &c->samples);
    abdb_print_sensor_telemetry(cell, c->samples.reading, c->samples.readings, c->samples.first_s);
    print_kernel_result_record(c);
    *status = "ok";
done:
    abdb_sample_watch_free(c->rule.watch);
    abdb_samples_free(&c->samples);
    for (size_t i = 0; i < c->copies; i++) abdb_instance_release_and_clear(&c->at[i]);
    abdb_instance_release_and_clear(&c->small);
    free(c);
    return st;
}

abdb_status abdb_print_kernel_estimate_record(const abdb_backend *backend, abdb_device *device,
                                              const char *cell, json_t *request,
                                              const char **status, abdb_error *err)
{
    kernel_cell *c = calloc(1, sizeof *c);
    abdb_work w;
    abdb_status st = ABDB_OK;

    *status = "failed";
    if (!c) return ABDB_FAIL(err, ABDB_NOMEM, "a cell");
    c->device = device;
    TRY(parse_cell_request_and_find_impl(c, backend, request, status, err));
    c->recipe.kernel->count_work(&c->p, &w);
    abdb_print_and_free_record(
        json_pack("{s:s,s:s,s:f,s:f,s:f,s:f}", "kind", "estimate", "cell", cell, "ops", w.ops,
                  "bytes", w.bytes, "memory", abdb_problem_tensor_bytes(&c->p), "seconds",
                  abdb_estimate_kernel_cell_seconds(&c->recipe, &c->p, &c->rule,
                                                    copies_needed_to_rotate_past_caches(c),
                                                    is_verified_at_small_size_for_many_ops(c))));
    *status = "ok";
done:
    free(c);
    return st;
}
