/* dlrm.c - workload dlrm: inference of recommendation models. A repetition is `steps` batches of
 * samples, whose features and indices are drawn anew before it. See dlrm_shape.h for its shapes,
 * dlrm_net.h for what is computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/workloads/dlrm_check.h"
#include "kernels/workloads/memory.h"

enum { SAMPLES = 4 }; /* of the last batch that was timed, looked at again */

typedef struct {
    abdb_dlrm d;
    uint64_t drawn;
} serving;

static abdb_status shape(abdb_problem *p, const abdb_limits *limits, abdb_error *err)
{
    abdb_dlrm_shape s;

    (void)limits;
    return abdb_dlrm_shape_of(p, &s, err);
}

/* The shape of parameters that have been looked at before. */
static abdb_dlrm_shape known(const abdb_problem *p)
{
    abdb_problem again = *p;
    abdb_dlrm_shape s = {0};
    abdb_error err;

    (void)!abdb_dlrm_shape_of(&again, &s, &err);
    return s;
}

static void lacks(const abdb_problem *p, const abdb_parts *parts, char *out, size_t room)
{
    abdb_dlrm_shape s = known(p);
    size_t used = 0;
    const struct {
        const char *name;
        bool there;
    } wanted[] = {{"products", parts && parts->product},
                  {"rows", parts && parts->rows},
                  {"embedding bags", parts && parts->bags}};
    const char *why = NULL;

    *out = '\0';
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!wanted[i].there && used < room)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", wanted[i].name);
    if (!used) why = parts->refuses(p, s.dtype, 2, s.apart);
    if (why) snprintf(out, room, "%s", why);
}

static void effort(const abdb_stage *stage, abdb_effort *out)
{
    abdb_dlrm_shape s = known(stage->p);
    double times = (double)s.steps;
    abdb_work work;
    abdb_error err;

    abdb_dlrm_work(&s, &work);
    *out = (abdb_effort){work.ops * times, work.bytes * times, 0};
    if (abdb_dlrm_bytes(stage, &s, &out->memory, &err) != ABDB_OK) out->memory = INFINITY;
}

static abdb_status check(const abdb_stage *stage, double *error, const char **at, abdb_error *err)
{
    abdb_dlrm_shape s = known(stage->p);

    return abdb_dlrm_check(stage, &s, error, at, err);
}

static void stop(void *state)
{
    serving *v = state;

    abdb_dlrm_close(&v->d);
    free(v);
}

static abdb_status start(void **state, const abdb_stage *stage, abdb_error *err)
{
    serving *v = calloc(1, sizeof *v);
    abdb_dlrm_shape s = known(stage->p);
    abdb_status st = ABDB_OK;

    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "a recommendation model");
    TRY(abdb_dlrm_open(&v->d, stage, &s, 1, err));
    *state = v;
done:
    if (st != ABDB_OK) stop(v);
    return st;
}

static abdb_status reset(void *state, abdb_error *err)
{
    serving *v = state;

    return abdb_dlrm_draw(&v->d, ++v->drawn, err);
}

static abdb_status run(void *state, abdb_error *err)
{
    serving *v = state;

    for (size_t i = 0; i < v->d.s.steps; i++) abdb_dlrm_infer(&v->d);
    return abdb_stage_failed(v->d.stage, v->d.parts, err);
}

static void tell(void *state, double median_s, abdb_tell *say, void *to, bool *sound)
{
    const serving *v = state;
    double error = INFINITY;
    abdb_error err;

    say(to, &(abdb_told_metric){"samples_per_s", "median",
                                (double)(v->d.s.steps * v->d.s.batch) / median_s, NAN});
    *sound = abdb_dlrm_compare(&v->d, SAMPLES, &error, &err) == ABDB_OK && error <= 1;
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
    .shape = shape,
    .lacks = lacks,
    .effort = effort,
    .check = check,
    .open = start,
    .reset = reset,
    .run = run,
    .tell = tell,
    .close = stop,
    .trial = {"model=rm1 rows=20000 batch=256", "model=rm2 rows=20000 batch=16"}};
