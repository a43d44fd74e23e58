/* problem_instance.c - a problem with its tensors: made, filled, prepared, launched and checked;
 * see harness.h. Inputs are made in the host's memory and brought to the device; outputs are
 * brought back to be compared. On the host both are the same memory, but for what a kernel reads
 * and writes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/fixed_text.h"
#include "schema/core/number.h"

enum { POISON = 0xFF }; /* NaN in every format, -1 of whole numbers */

static size_t tensor_byte_size(const abdb_tensor *t)
{
    return abdb_tensor_element_count(t) * abdb_dtype_size(t->dtype);
}

/* The cell's parameters; texts are borrowed from the JSON, which outlives the problem. A number
 * begins with a digit. */
abdb_status abdb_problem_add_json_params(abdb_problem *p, json_t *params, abdb_error *err)
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
            double number;

            if (abdb_double_parse_prefix(text, &number) == strlen(text))
                p->param[p->params].value = number;
        }
        p->params++;
    }
    return ABDB_OK;
}

/* Sets parameters from "name=value ..."; the names are kept in c, where the parameters point. */
static abdb_status set_params_from_override_text(abdb_instance *c, const char *overrides,
                                                 abdb_error *err)
{
    char *text = c->override_names, *rest = NULL;
    abdb_status st = ABDB_OK;

    if (!abdb_format_if_fits(text, sizeof c->override_names, "%s", overrides))
        return ABDB_FAIL(err, ABDB_LIMIT, "too many parameters of a trial: %s", overrides);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');

        *equals = '\0';
        TRY(abdb_param_set_integer(&c->p, word, abdb_double_parse_prefix_or(equals + 1, 0), err));
    }
done:
    return st;
}

/* Memory of a tensor on the device; of its inputs and of what comes back on the host, which are the
 * same where the device is the host, but for a tensor that is read and written. */
static abdb_status alloc_tensor_with_guards_on_device_and_host(abdb_instance *c, int tensor_index,
                                                               bool huge, abdb_error *err)
{
    abdb_device *d = c->p.device;
    size_t size = tensor_byte_size(&c->p.tensor[tensor_index]);
    abdb_role role = c->p.tensor[tensor_index].role;
    void **data = &c->p.tensor[tensor_index].data, **in = &c->in.tensor[tensor_index].data,
         **back = &c->back.tensor[tensor_index].data;
    abdb_status st = ABDB_OK;

    c->guard = d->on_host ? abdb_guard_bytes_before_tensor(huge) : 0;
    TRY(d->alloc(d, size + 2 * c->guard, huge, data, err));
    if (c->guard) {
        *data = (char *)*data + c->guard;
        abdb_guard_fill_with_pattern((char *)*data - ABDB_CANARY_BYTES);
        abdb_guard_fill_with_pattern((char *)*data + size);
    }
    if (d->on_host) {
        *in = *back = *data;
        if (role == ABDB_INOUT) *in = NULL;
    }
    if (!*in && role != ABDB_OUT) *in = malloc(size);
    if (!*back && role != ABDB_IN) *back = malloc(size);
    if ((role != ABDB_OUT && !*in) || (role != ABDB_IN && !*back))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes", size));
done:
    return st;
}

/* Makes all tensors, fills the inputs by fill= and the seed, brings them to the device and
 * spoils the outputs. ABDB_NOMEM: they take over 0.8 of free memory. */
static abdb_status alloc_fill_upload_and_digest_tensors(abdb_instance *c, abdb_error *err)
{
    static const char *const fills[] = {"uniform", "zeros", "integers", "edges", NULL},
                             *const sizes[] = {"small", "huge", NULL};
    abdb_device *d = c->p.device;
    double need = abdb_problem_tensor_bytes(&c->p);
    int how, huge;
    abdb_status st = ABDB_OK;

    if (d->use_ranks) TRY(d->use_ranks(d, abdb_problem_rank_count(&c->p), err));
    TRY(abdb_param_choice_index_or_first(&c->p, "fill", fills, &how, err));
    c->edges = c->edges || (how == ABDB_FILL_EDGES && !c->exact);
    if (c->edges) how = ABDB_FILL_EDGES;
    TRY(abdb_param_choice_index_or_first(&c->p, "pages", sizes, &huge, err));
    /* A fifth remains for packed data of implementations, for the check, and for others. */
    if (need > 0.8 * d->available(d))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "needs %.1f GB, %.1f GB are available", need / 1e9,
                      d->available(d) / 1e9));
    for (int i = 0; i < c->p.tensors; i++) {
        TRY(alloc_tensor_with_guards_on_device_and_host(c, i, huge, err));
        /* Each tensor of each copy has a seed of its own. */
        if (c->p.tensor[i].role != ABDB_OUT)
            abdb_fill_tensor_by_mode(&c->in.tensor[i], c->seed * ABDB_TENSOR_MAX + (unsigned)i,
                                     how);
    }
    if (c->kernel->prepare_inputs) c->kernel->prepare_inputs(&c->in, c->seed);
    if (c->edges && c->kernel->put_edge_values) c->kernel->put_edge_values(&c->in, c->seed);
    if (c->exact && c->kernel->make_exact_inputs)
        c->exact = c->kernel->make_exact_inputs(&c->in, c->seed);
    for (int i = 0; i < c->p.tensors; i++)
        if (c->p.tensor[i].role == ABDB_IN && !d->on_host)
            TRY(d->upload(d, c->p.tensor[i].data, c->in.tensor[i].data,
                          tensor_byte_size(&c->p.tensor[i]), err));
    for (int i = 0; i < c->p.tensors; i++)
        if (c->p.tensor[i].role == ABDB_IN)
            c->digest[i] = abdb_digest_memory_with_process_seed(
                c->in.tensor[i].data, tensor_byte_size(&c->p.tensor[i]), true);
    TRY(abdb_instance_poison_outputs_restore_inouts(c, err));
done:
    return st;
}

abdb_status abdb_instance_poison_outputs_restore_inouts(abdb_instance *c, abdb_error *err)
{
    abdb_device *d = c->p.device;
    abdb_status st = ABDB_OK;

    for (int i = 0; i < c->p.tensors; i++) {
        const abdb_tensor *t = &c->p.tensor[i];

        if (t->role == ABDB_OUT) TRY(d->fill(d, t->data, POISON, tensor_byte_size(t), err));
        if (t->role != ABDB_INOUT) continue;
        if (d->on_host)
            memcpy(t->data, c->in.tensor[i].data, tensor_byte_size(t));
        else
            TRY(d->upload(d, t->data, c->in.tensor[i].data, tensor_byte_size(t), err));
    }
done:
    return st;
}

/* The problem of a recipe, without its tensors. */
static abdb_status init_instance_and_setup_its_problem(abdb_instance *c,
                                                       const abdb_instance_spec *r, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *c = (abdb_instance){.p = {.kernel = r->kernel->name, .device = r->device},
                         .kernel = r->kernel,
                         .impl = r->impl,
                         .seed = r->seed,
                         .exact = r->exact,
                         .edges = r->edges};
    TRY(abdb_problem_add_json_params(&c->p, r->params, err));
    if (r->overrides) TRY(set_params_from_override_text(c, r->overrides, err));
    TRY(r->kernel->setup_tensors(&c->p, &r->device->limits, err));
    c->in = c->back = c->p;
done:
    return st;
}

bool abdb_instance_is_possible(const abdb_instance_spec *r, double bytes_most)
{
    abdb_instance c;
    abdb_error err;
    const char *why;

    return init_instance_and_setup_its_problem(&c, r, &err) == ABDB_OK &&
           abdb_problem_tensor_bytes(&c.p) <= bytes_most &&
           (!r->impl->accepts || r->impl->accepts(&c.p, &why));
}

abdb_verify_options abdb_instance_verify_options(abdb_instance *c, double budget_s)
{
    return (abdb_verify_options){.kernel = c->kernel,
                                 .exact = c->exact,
                                 .edges = c->edges,
                                 .seed = c->seed,
                                 .budget_s = budget_s,
                                 .wanted = c->wanted};
}

abdb_status abdb_instance_alloc_fill_and_prepare(abdb_instance *c, const abdb_instance_spec *r,
                                                 abdb_error *err)
{
    void *state = &c->p;
    double start;
    abdb_status st = ABDB_OK;

    TRY(init_instance_and_setup_its_problem(c, r, err));
    TRY(alloc_fill_upload_and_digest_tensors(c, err));
    start = abdb_clock_seconds();
    if (c->impl->prepare) TRY(c->impl->prepare(&state, &c->p, err));
    c->prepare_s = abdb_clock_seconds() - start;
    c->state = state;
done:
    return st;
}

void abdb_instance_release_and_clear(abdb_instance *c)
{
    abdb_device *d = c->p.device;

    if (c->state && c->impl->close) c->impl->close(c->state);
    for (int i = 0; i < c->p.tensors; i++) {
        void *data = c->p.tensor[i].data;

        if (c->in.tensor[i].data != data) free(c->in.tensor[i].data);
        if (c->back.tensor[i].data != data) free(c->back.tensor[i].data);
        if (data) d->release(d, (char *)data - c->guard);
        abdb_reference_cache_free(&c->wanted[i]);
    }
    *c = (abdb_instance){0};
}

/* Outputs as a launch left them, in the host's memory. */
static abdb_status download_outputs_unless_on_host(abdb_instance *c, abdb_error *err)
{
    abdb_device *d = c->p.device;
    abdb_status st = ABDB_OK;

    for (int i = 0; i < c->p.tensors && !d->on_host; i++)
        if (c->p.tensor[i].role != ABDB_IN)
            TRY(d->download(d, c->back.tensor[i].data, c->p.tensor[i].data,
                            tensor_byte_size(&c->p.tensor[i]), err));
done:
    return st;
}

/* Digests an input as the device has it now. */
static abdb_status digest_input_on_device(const abdb_instance *c, int tensor_index, uint64_t *out,
                                          abdb_error *err)
{
    const abdb_tensor *t = &c->p.tensor[tensor_index];
    abdb_device *d = c->p.device;
    size_t size = tensor_byte_size(t);
    void *fetched = d->on_host ? NULL : malloc(size);
    abdb_status st = ABDB_OK;

    if (!d->on_host && !fetched) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes", size));
    if (!d->on_host) TRY(d->download(d, fetched, t->data, size, err));
    *out = abdb_digest_memory_with_process_seed(fetched ? fetched : t->data, size, true);
done:
    free(fetched);
    return st;
}

abdb_status abdb_instance_require_inputs_guards_unchanged(abdb_instance *c, abdb_error *err)
{
    uint64_t digest;
    abdb_status st = ABDB_OK;

    for (int i = 0; i < c->p.tensors; i++) {
        const abdb_tensor *t = &c->p.tensor[i];
        const char *data = t->data;
        size_t before = c->guard ? abdb_guard_count_changed_bytes(data - ABDB_CANARY_BYTES) : 0,
               behind = c->guard ? abdb_guard_count_changed_bytes(data + tensor_byte_size(t)) : 0;

        if (before || behind)
            TRY(ABDB_FAIL(err, ABDB_VERIFY,
                          "wrong kernel: it wrote %zu bytes before and %zu behind its tensor %d",
                          before, behind, i));
        if (t->role != ABDB_IN) continue;
        TRY(digest_input_on_device(c, i, &digest, err));
        if (digest != c->digest[i])
            TRY(ABDB_FAIL(err, ABDB_VERIFY, "wrong kernel: input changed (its tensor %d)", i));
    }
done:
    return st;
}

abdb_status abdb_instances_reset_launch_and_download(abdb_instance *copies, size_t count,
                                                     abdb_error *err)
{
    abdb_device *d = copies[0].p.device;
    double time_s;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < count; i++)
        TRY(abdb_instance_poison_outputs_restore_inouts(&copies[i], err));
    TRY(d->begin_timing(d, err));
    for (size_t i = 0; i < count; i++) TRY(copies[i].impl->launch(copies[i].state, err));
    TRY(d->end_timing(d, &time_s, err));
    for (size_t i = 0; i < count; i++) TRY(download_outputs_unless_on_host(&copies[i], err));
    for (size_t i = 0; i < count && d->on_host; i++)
        TRY(abdb_instance_require_inputs_guards_unchanged(&copies[i], err));
done:
    return st;
}

abdb_status abdb_instances_reset_launch_and_verify_all(abdb_instance *copies, size_t count,
                                                       double budget_s, abdb_verify_result *out,
                                                       abdb_error *err)
{
    double share = 1;
    abdb_status st = ABDB_OK;

    TRY(abdb_instances_reset_launch_and_download(copies, count, err));
    for (size_t i = 0; i < count; i++) {
        const abdb_verify_options how =
            abdb_instance_verify_options(&copies[i], budget_s / (double)count);
        abdb_verify_result one;

        TRY(abdb_verify_outputs_against_reference(&how, &copies[i].in, &copies[i].back, &one, err));
        out->error = fmax(out->error, one.error);
        share = fmin(share, one.rows_checked_share);
    }
    out->rows_checked_share = fmax(out->rows_checked_share, share);
done:
    return st;
}

bool abdb_instance_are_all_outputs_finite(const abdb_instance *c)
{
    size_t broken = 0;

    for (int t = 0; t < c->back.tensors; t++) {
        const abdb_tensor *tensor = &c->back.tensor[t];
        size_t count = tensor->role == ABDB_IN ? 0 : abdb_tensor_element_count(tensor);

#pragma omp parallel for reduction(+ : broken) schedule(static)
        for (size_t i = 0; i < count; i++) broken += !isfinite(abdb_tensor_get_f64(tensor, i));
    }
    return broken == 0;
}
