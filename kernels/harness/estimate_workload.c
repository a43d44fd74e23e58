/* estimate_workload.c - how long a cell of a workload will take here and now; see harness.h. What
 * the workload names for that (`trial`) is opened and repeated, once for each number format and
 * form of weights: it tells what an operation, a byte and a byte of memory cost, and the cell
 * follows from its own work. Of small cells the check takes longest: it is tried alone, a second of
 * all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/stats.h"
#include "schema/core/text.h"

enum { KNOWN_MAX = 32, REPEATS = 4 };
static const double small_ops = 1e9, small_bytes = 2e8, small_memory = 64e6, all_checks_s = 1;

/* What trials told of a workload in a format: seconds. */
typedef struct {
    const abdb_workload *workload;
    char form[32];                /* number format and form of weights */
    double check, op, byte, open; /* of the check, an operation, a byte moved, a byte of memory */
    double iqr;                   /* of repetitions, relative */
    bool sized;                   /* all but `check` are known */
} pilot_costs;
static struct {
    pilot_costs known[KNOWN_MAX];
    size_t count;
    double checks_s; /* of all together */
} so_far;

/* One size that was tried. */
typedef struct {
    double ops, bytes, memory, open_s, each_s, iqr;
} pilot_measurement;

/* The parameters of a cell that are words, but those that the trial or its size say. */
static abdb_status copy_text_params_and_add_pilot_sizes(abdb_problem *pilot_problem,
                                                        const abdb_problem *cell, const char *size,
                                                        char text[ABDB_PARAM_MAX][32],
                                                        abdb_error *err)
{
    static const char *const left_out[] = {"model",   "scale",    "source", "tokens",
                                           "lengths", "arrivals", "limits", NULL};
    const char *at = size;

    *pilot_problem = (abdb_problem){.kernel = cell->kernel, .device = cell->device};
    for (int i = 0; i < cell->params; i++)
        if (isnan(cell->param[i].value) && !abdb_text_is_in_list(cell->param[i].name, left_out))
            pilot_problem->param[pilot_problem->params++] = cell->param[i];
    for (int n = 0; *at && pilot_problem->params < ABDB_PARAM_MAX; n++) {
        size_t name = strcspn(at, "="), all = strcspn(at, " ");
        abdb_param *one = &pilot_problem->param[pilot_problem->params++];

        if (all >= sizeof text[n]) return ABDB_FAIL(err, ABDB_LIMIT, "a trial's %s", at);
        memcpy(text[n], at, all);
        text[n][name] = text[n][all] = '\0';
        *one = (abdb_param){text[n], text[n] + name + 1, NAN};
        if (*one->text >= '0' && *one->text <= '9')
            one->value = abdb_double_parse_prefix_or(one->text, NAN);
        at += all + (at[all] == ' ');
    }
    return ABDB_OK;
}

/* Repetitions of an open state, until some or a tenth of a second have passed. */
static abdb_status time_repetitions_store_median_and_iqr(const abdb_run_context *s,
                                                         const abdb_workload *w, void *state,
                                                         pilot_measurement *out, abdb_error *err)
{
    double time_s[REPEATS], begun = abdb_clock_seconds(), took;
    abdb_summary summary;
    size_t n = 0;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i <= REPEATS && (i < 2 || abdb_clock_seconds() - begun < 0.1); i++) {
        double from = abdb_clock_seconds();

        TRY(w->reset(state, err));
        abdb_spans_reset_totals(s->spans);
        TRY(s->device->begin_timing(s->device, err));
        TRY(w->run(state, err));
        TRY(s->device->end_timing(s->device, &took, err));
        if (i) time_s[n++] = abdb_clock_seconds() - from; /* the first warms up */
    }
    TRY(abdb_sort_and_summarise(time_s, n, &summary, err));
    out->each_s = summary.median;
    out->iqr = n > 2 ? summary.iqr / summary.median : INFINITY;
done:
    return st;
}

/* Opens the workload at a trial's size and repeats it; *out: its work, memory and times.
 * ABDB_NOMEM: it takes more than half of what is free. */
static abdb_status open_and_time_pilot_size(const abdb_run_context *cell, const abdb_workload *w,
                                            const char *size, pilot_measurement *out,
                                            abdb_error *err)
{
    char text[ABDB_PARAM_MAX][32];
    abdb_problem p;
    abdb_run_context s = *cell;
    abdb_effort effort;
    void *state = NULL;
    double begun;
    abdb_status st = ABDB_OK;

    TRY(copy_text_params_and_add_pilot_sizes(&p, cell->p, size, text, err));
    s.p = &p;
    TRY(w->resolve_params(&p, &s.device->limits, err));
    w->count_work_and_memory(&s, &effort);
    if (!(effort.memory < 0.5 * s.device->available(s.device)))
        return ABDB_FAIL(err, ABDB_NOMEM, "a trial");
    s.spans->count = 0;
    begun = abdb_clock_seconds();
    TRY(w->open(&state, &s, err));
    *out = (pilot_measurement){
        effort.ops, effort.bytes, effort.memory, abdb_clock_seconds() - begun, 0, 0};
    TRY(time_repetitions_store_median_and_iqr(&s, w, state, out, err));
done:
    if (state) w->close(state);
    return st;
}

/* What an operation and a byte take, from two sizes: t = ops x + bytes y, neither below 0. */
static void solve_op_and_byte_seconds(const pilot_measurement *a, const pilot_measurement *b,
                                      pilot_costs *out)
{
    double det = a->ops * b->bytes - b->ops * a->bytes;

    out->op = (a->each_s * b->bytes - b->each_s * a->bytes) / det;
    out->byte = (a->ops * b->each_s - b->ops * a->each_s) / det;
    if (!(out->byte >= 0)) {
        out->op = a->each_s / a->ops;
        out->byte = 0;
    } else if (!(out->op >= 0)) {
        out->op = 0;
        out->byte = b->each_s / b->bytes;
    }
}

/* Seconds of an operation, a byte moved and a byte of memory, from one size or two of the
 * workload's trials. */
static abdb_status measure_pilot_costs_from_one_or_two_sizes(const abdb_run_context *s,
                                                             const abdb_workload *w,
                                                             pilot_costs *out, abdb_error *err)
{
    pilot_measurement a, b;
    abdb_status st = ABDB_OK;

    TRY(open_and_time_pilot_size(s, w, w->pilot_params[0], &a, err));
    b = a;
    if (w->pilot_params[1]) TRY(open_and_time_pilot_size(s, w, w->pilot_params[1], &b, err));
    if (w->pilot_params[1])
        solve_op_and_byte_seconds(&a, &b, out);
    else
        out->op = a.each_s / a.ops;
    out->open = b.open_s / b.memory;
    out->iqr = fmax(a.iqr, b.iqr);
    out->sized = true;
done:
    return st;
}

/* What is known of the workload in its format and form, by this trial or one before; NULL: nothing,
 * it cannot be tried. */
static const pilot_costs *find_or_measure_check_and_pilot_costs(const abdb_run_context *s,
                                                                const abdb_workload *w, bool small)
{
    const char *dtype = abdb_param_text(s->p, "dtype"), *weights = abdb_param_text(s->p, "weights"),
               *at = NULL;
    pilot_costs *last = so_far.count ? &so_far.known[so_far.count - 1] : NULL, *t = NULL;
    char form[sizeof last->form];
    double begun = abdb_clock_seconds(), error;
    abdb_error err;

    snprintf(form, sizeof form, "%s %s", dtype ? dtype : "", weights ? weights : "");
    for (size_t i = 0; i < so_far.count; i++)
        if (so_far.known[i].workload == w && strcmp(so_far.known[i].form, form) == 0)
            t = &so_far.known[i];
    if (!t) {
        if (last && small && so_far.checks_s > all_checks_s) return last;
        if (so_far.count == KNOWN_MAX || w->check_results(s, &error, &at, &err) != ABDB_OK)
            return NULL;
        t = &so_far.known[so_far.count++];
        *t = (pilot_costs){.workload = w, .check = abdb_clock_seconds() - begun};
        memcpy(t->form, form, sizeof form);
        so_far.checks_s += t->check;
    }
    return small || t->sized ||
                   (w->pilot_params[0] &&
                    measure_pilot_costs_from_one_or_two_sizes(s, w, t, &err) == ABDB_OK)
               ? t
               : NULL;
}

double abdb_estimate_workload_seconds(const abdb_run_context *s, const abdb_workload *w,
                                      const abdb_effort *effort, const abdb_sampling *rule)
{
    bool small =
        effort->ops < small_ops && effort->bytes < small_bytes && effort->memory < small_memory;
    const pilot_costs *t = find_or_measure_check_and_pilot_costs(s, w, small);
    double each, all, open;

    if (!t) return NAN;
    each = small ? 0 : t->op * effort->ops + t->byte * effort->bytes;
    all = fmax(rule->min_time_s, rule->min_samples * each);
    if (!small && t->iqr > rule->iqr_target) all = fmax(all, rule->max_time_s);
    all = fmin(all, fmax(rule->max_time_s + each / 2,
                         (double)abdb_min_sample_count_after_time_limit(rule, each) * each));
    if (!small) all = fmin(all, ABDB_REPETITIONS_MAX * each);
    open = small ? 0 : t->open * effort->memory;
    if (!small && s->device->on_host)
        open += abdb_estimate_new_memory_seconds(s->device, effort->memory);
    return t->check + open + each + all + 3 * rule->canary_s;
}
