/* crew.c - a workload on the ranks of MPI: each has a state of its own, and what opens, resets,
 * runs and closes it on rank 0 does so on all of them, by orders (world.h). What they add up among
 * themselves are reductions that go on while they compute. See kernels/workloads/workload.h. */
#include "kernels/workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/mpi/world.h"
#include "schema/core/number.h"

/* PIECE: numbers of a reduction; WAITING: of them at a time, as the library has a copy of each. */
enum { PIECE = 1 << 20, WAITING = 8, NAMES = 4096 };

/* Of this process there is one. */
static struct {
    abdb_mpi_world *w;
    abdb_device *lead, *rank; /* of all; of this rank alone */
    const struct abdb_parts *parts;
    const abdb_workload *of;
    abdb_workload over;       /* what rank 0 runs in its place */
    const abdb_stage *staged; /* rank 0: of the session */
    char names[NAMES];        /* lines of name and value: parameters */
    abdb_problem p;
    abdb_spans spans; /* of ranks that nobody asks */
    abdb_stage stage;
    abdb_crew crew;
    void *state; /* NULL: this rank has none */
    MPI_Comm comm;
    MPI_Request request[WAITING];
    size_t started; /* reductions so far */
} band;

/* --- what ranks do together ------------------------------------------------------------------- */

static void finish(const abdb_crew *c)
{
    (void)c;
    MPI_Waitall(WAITING, band.request, MPI_STATUSES_IGNORE);
}

static void start(const abdb_crew *c, abdb_dtype dtype, size_t n, void *x)
{
    size_t size = abdb_dtype_size(dtype);
    MPI_Datatype type = dtype == ABDB_F64 ? MPI_DOUBLE : MPI_FLOAT;

    (void)c;
    for (size_t at = 0; at < n; at += PIECE) {
        MPI_Request *request = &band.request[band.started++ % WAITING];

        MPI_Wait(request, MPI_STATUS_IGNORE); /* the oldest one */
        MPI_Iallreduce(MPI_IN_PLACE, (char *)x + at * size, (int)(n - at < PIECE ? n - at : PIECE),
                       type, MPI_SUM, band.comm, request);
    }
}

static void progress(const abdb_crew *c)
{
    int done;

    (void)c;
    MPI_Testall(WAITING, band.request, &done, MPI_STATUSES_IGNORE);
}

/* --- what is ordered -------------------------------------------------------------------------- */

/* Parameters from lines of text, which must stay. */
static void read_names(abdb_problem *p, char *line)
{
    for (char *end; *line && p->params < ABDB_PARAM_MAX; line = end + 1) {
        char *value = strchr(line, '=');
        abdb_param *at = &p->param[p->params];

        end = strchr(line, '\n');
        if (!value || !end || value > end) return;
        *value++ = *end = '\0';
        *at = (abdb_param){line, value, NAN};
        if (*value >= '0' && *value <= '9') {
            double number;

            if (abdb_double_parse_prefix(value, &number) == strlen(value)) at->value = number;
        }
        p->params++;
    }
}

static abdb_status open_state(const abdb_mpi_order *o, abdb_error *err)
{
    abdb_mpi_world *w = band.w;
    abdb_status st = ABDB_OK;

    MPI_Bcast(band.names, NAMES, MPI_BYTE, 0, MPI_COMM_WORLD);
    band.of = abdb_workloads[o->at];
    band.comm = w->rank < o->ranks ? w->comm[o->ranks] : MPI_COMM_NULL;
    if (w->rank >= o->ranks) goto done;
    band.p = (abdb_problem){.kernel = band.of->name, .device = band.rank};
    band.spans = (abdb_spans){.now = abdb_now_s, .device = band.rank};
    band.crew = (abdb_crew){
        .rank = w->rank, .ranks = o->ranks, .start = start, .progress = progress, .finish = finish};
    band.stage =
        (abdb_stage){.p = &band.p, .device = band.rank, .parts = band.parts, .spans = &band.spans};
    if (w->rank == 0) band.stage = *band.staged;
    band.stage.crew = &band.crew;
    if (w->rank > 0) {
        read_names(&band.p, band.names);
        TRY(band.of->shape(&band.p, &band.rank->limits, err));
    }
    TRY(band.of->open(&band.state, &band.stage, err));
done:
    return st;
}

static void close_state(void)
{
    if (band.state) band.of->close(band.state);
    band.state = NULL;
}

/* Seconds that a repetition took this rank, from when all were there. */
static abdb_status run_state(double *took_s, abdb_error *err)
{
    abdb_status st = ABDB_OK;
    double began_s;

    *took_s = 0;
    if (!band.state) return ABDB_OK;
    MPI_Barrier(band.comm);
    began_s = abdb_now_s();
    abdb_spans_clear(band.stage.spans);
    st = band.of->run(band.state, err);
    *took_s = abdb_now_s() - began_s;
    return st;
}

/* What rank 0 ordered, on this rank. */
static abdb_status work(const abdb_mpi_order *o, double *took_s, abdb_error *err)
{
    *took_s = 0;
    switch (o->verb) {
    case ABDB_MPI_WORK_OPEN: return open_state(o, err);
    case ABDB_MPI_WORK_RESET: return band.state ? band.of->reset(band.state, err) : ABDB_OK;
    case ABDB_MPI_WORK_RUN: return run_state(took_s, err);
    default: close_state(); return ABDB_OK;
    }
}

/* --- rank 0's side ---------------------------------------------------------------------------- */

static abdb_status order(abdb_mpi_verb verb, abdb_error *err)
{
    return abdb_mpi_do(band.w, &(abdb_mpi_order){.verb = verb}, err);
}

/* All ranks take part, unless it is said how many. */
static abdb_status shape(abdb_problem *p, const abdb_limits *limits, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!abdb_param_text(p, "ranks")) TRY(abdb_param_set(p, "ranks", band.w->size, err));
    TRY(band.of->shape(p, limits, err));
done:
    return st;
}

/* Ranks of this host share its memory; elsewhere there is as much for as many. */
static void effort(const abdb_stage *s, abdb_effort *out)
{
    band.of->effort(s, out);
    out->memory *= abdb_problem_ranks(s->p);
}

static void write_names(const abdb_problem *p)
{
    size_t used = 0;

    *band.names = '\0';
    for (int i = 0; i < p->params && used < NAMES; i++)
        used += (size_t)snprintf(band.names + used, NAMES - used, "%s=%s\n", p->param[i].name,
                                 p->param[i].text);
}

static abdb_status open_all(void **state, const abdb_stage *s, abdb_error *err)
{
    abdb_mpi_order o = {.verb = ABDB_MPI_WORK_OPEN, .ranks = abdb_problem_ranks(s->p)};
    abdb_status st;

    while (abdb_workloads[o.at] != band.of) o.at++;
    band.staged = s;
    write_names(s->p);
    TRY(band.lead->spread(band.lead, o.ranks, err));
    st = abdb_mpi_do(band.w, &o, err);
    if (st != ABDB_OK) (void)!order(ABDB_MPI_WORK_CLOSE, NULL);
    TRY(st);
    *state = band.state;
done:
    return st;
}

static abdb_status reset_all(void *state, abdb_error *err)
{
    (void)state;
    return order(ABDB_MPI_WORK_RESET, err);
}

static abdb_status run_all(void *state, abdb_error *err)
{
    abdb_status st = order(ABDB_MPI_WORK_RUN, err);

    (void)state;
    abdb_mpi_lead_took(band.lead);
    return st;
}

static void close_all(void *state)
{
    (void)state;
    (void)!order(ABDB_MPI_WORK_CLOSE, NULL);
}

void abdb_mpi_crew_open(abdb_mpi_world *w, abdb_device *lead, const struct abdb_parts *parts)
{
    for (int i = 0; i < WAITING; i++) band.request[i] = MPI_REQUEST_NULL;
    band.w = w;
    band.lead = lead;
    band.rank = w->host;
    band.rank->limits.ranks = w->size;
    band.parts = parts;
    w->work = work;
}

void abdb_mpi_over_ranks(const abdb_workload *workload, abdb_spread *out)
{
    band.of = workload;
    band.over = *workload;
    band.over.shape = shape;
    band.over.effort = effort;
    band.over.open = open_all;
    band.over.reset = reset_all;
    band.over.run = run_all;
    band.over.close = close_all;
    *out = (abdb_spread){&band.over, band.rank, band.parts};
}
