/* dlrm.c - workload dlrm: inference of recommendation models. A repetition is `steps` batches of
 * samples, whose features and indices are drawn anew before it. See dlrm_shape.h for its shapes,
 * dlrm_net.h for what is computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/workloads/dlrm_check.h"
#include "kernels/workloads/device_memory.h"

enum { SAMPLES = 4 }; /* of the last batch that was timed, looked at again */

typedef struct {
    abdb_dlrm d;
    uint64_t drawn;
} dlrm_serving;

static abdb_status dlrm_resolve_params(abdb_problem *p, const abdb_machine_caches *limits,
                                       abdb_error *err)
{
    abdb_dlrm_shape s;

    (void)limits;
    return abdb_dlrm_parse_and_scale_shape(p, &s, err);
}

/* The shape of parameters that have been looked at before. */
static abdb_dlrm_shape dlrm_shape_of_problem(const abdb_problem *p)
{
    abdb_problem again = *p;
    abdb_dlrm_shape s = {0};
    abdb_error err;

    (void)!abdb_dlrm_parse_and_scale_shape(&again, &s, &err);
    return s;
}

/* Writes into out what the backend's parts lack for this model, "" where nothing is missing. */
static void dlrm_list_missing_parts(const abdb_problem *p, const abdb_parts *parts, char *out,
                                    size_t room)
{
    abdb_dlrm_shape s = dlrm_shape_of_problem(p);
    size_t used = 0;
    const struct {
        const char *name;
        bool there;
    } wanted[] = {{"products", parts && parts->gemm},
                  {"rows", parts && parts->row_op},
                  {"embedding bags", parts && parts->embedding_bags}};
    const char *why = NULL;

    *out = '\0';
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!wanted[i].there && used < room)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", wanted[i].name);
    if (!used) why = parts->why_refused(p, s.dtype, 2, s.x0_stride);
    if (why) snprintf(out, room, "%s", why);
}

/* Operations and bytes of all inferences of a repetition, and bytes of memory; INFINITY where
 * they cannot be told. */
static void dlrm_count_work_and_memory(const abdb_run_context *stage, abdb_effort *out)
{
    abdb_dlrm_shape s = dlrm_shape_of_problem(stage->p);
    double times = (double)s.steps;
    abdb_work work;
    abdb_error err;

    abdb_dlrm_count_work(&s, &work);
    *out = (abdb_effort){work.ops * times, work.bytes * times, 0};
    if (abdb_dlrm_predict_memory_bytes(stage, &s, &out->memory, &err) != ABDB_OK)
        out->memory = INFINITY;
}

static abdb_status dlrm_check_results_of_small_model(const abdb_run_context *stage, double *error,
                                                     const char **at, abdb_error *err)
{
    abdb_dlrm_shape s = dlrm_shape_of_problem(stage->p);

    return abdb_dlrm_verify_small_model(stage, &s, error, at, err);
}

static void dlrm_close_state(void *state)
{
    dlrm_serving *v = state;

    abdb_dlrm_free(&v->d);
    free(v);
}

/* Makes the model with its weights and tables. On failure nothing is left. */
static abdb_status dlrm_open_state(void **state, const abdb_run_context *stage, abdb_error *err)
{
    dlrm_serving *v = calloc(1, sizeof *v);
    abdb_dlrm_shape s = dlrm_shape_of_problem(stage->p);
    abdb_status st = ABDB_OK;

    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "a recommendation model");
    TRY(abdb_dlrm_alloc_and_init(&v->d, stage, &s, 1, err));
    *state = v;
done:
    if (st != ABDB_OK) dlrm_close_state(v);
    return st;
}

static abdb_status dlrm_reset_draw_next_inputs(void *state, abdb_error *err)
{
    dlrm_serving *v = state;

    return abdb_dlrm_draw_features_and_indices(&v->d, ++v->drawn, err);
}

static abdb_status dlrm_run_inferences(void *state, abdb_error *err)
{
    dlrm_serving *v = state;

    for (size_t i = 0; i < v->d.s.steps; i++) abdb_dlrm_run_inference(&v->d);
    return abdb_parts_get_deferred_error(v->d.stage, v->d.parts, err);
}

/* Reports samples a second; *sound: some samples of the last batch agree with the reference. */
static void dlrm_report_rate_and_verify_last_batch(void *state, double median_s,
                                                   abdb_metric_callback *say, void *to, bool *sound)
{
    const dlrm_serving *v = state;
    double error = INFINITY;
    abdb_error err;

    say(to, &(abdb_workload_metric){"samples_per_s", "median",
                                    (double)(v->d.s.steps * v->d.s.batch) / median_s, NAN});
    *sound = abdb_dlrm_verify_spread_samples_of_batch(&v->d, SAMPLES, &error, &err) == ABDB_OK &&
             error <= 1;
}

const abdb_workload abdb_workload_dlrm = {
    .name = "dlrm",
    .summary = "inference of recommendation models DLRM-DCNv2: embeddings, MLPs, cross layers",
    .formula = "dlrm@1",
    .parameters =
        "model=rm1 (rm2, tiny), of which tables, rows, lookups can be others; batch=64; bytes "
        "(of an embedding vector; 64 numbers, tiny: 16); dtype=f32,bf16 (f64: ref); steps=1 "
        "(batches in a repetition); scale=no,auto (as many rows as fit)",
    .names = "model tables rows rows_of lookups bytes batch steps scale",
    .dtype = ABDB_F32,
    .resolve_params = dlrm_resolve_params,
    .list_missing_parts = dlrm_list_missing_parts,
    .count_work_and_memory = dlrm_count_work_and_memory,
    .check_results = dlrm_check_results_of_small_model,
    .open = dlrm_open_state,
    .reset = dlrm_reset_draw_next_inputs,
    .run = dlrm_run_inferences,
    .report_metrics = dlrm_report_rate_and_verify_last_batch,
    .close = dlrm_close_state,
    .pilot_params = {"model=rm1 rows=20000 batch=256", "model=rm2 rows=20000 batch=16"}};
