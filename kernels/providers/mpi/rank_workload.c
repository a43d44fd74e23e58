/* rank_workload.c - a workload on the ranks of MPI: each has a state of its own, and what opens,
 * resets, runs and closes it on rank 0 does so on all of them, by orders (ranks.h). What they add
 * up among themselves are reductions that go on while they compute. See
 * kernels/workloads/workload.h. */
#include "kernels/workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/mpi/ranks.h"
#include "schema/core/number.h"

/* PIECE: numbers of a reduction; WAITING: of them at a time, as the library has a copy of each. */
enum { PIECE = 1 << 20, WAITING = 8, NAMES = 4096 };

/* Of this process there is one. */
static struct {
    abdb_mpi_ranks *w;
    abdb_device *lead, *rank; /* of all; of this rank alone */
    const struct abdb_parts *parts;
    const abdb_workload *workload;
    abdb_workload over;             /* what rank 0 runs in its place */
    const abdb_run_context *staged; /* rank 0: of the session */
    char names[NAMES];              /* lines of name and value: parameters */
    abdb_problem p;
    abdb_spans spans; /* of ranks that nobody asks */
    abdb_run_context stage;
    abdb_rank_group crew;
    void *state; /* NULL: this rank has none */
    MPI_Comm comm;
    MPI_Request request[WAITING];
    size_t started; /* reductions so far */
} band;

/* --- what ranks do together ------------------------------------------------------------------- */

static void wait_for_all_reductions(const abdb_rank_group *c)
{
    (void)c;
    MPI_Waitall(WAITING, band.request, MPI_STATUSES_IGNORE);
}

/* Begins to add up n numbers over all ranks, in place and in pieces; at most WAITING of them are
 * under way. */
static void start_sum_all_reduce_in_place(const abdb_rank_group *c, abdb_dtype dtype, size_t n,
                                          void *x)
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

static void test_reductions_for_progress(const abdb_rank_group *c)
{
    int done;

    (void)c;
    MPI_Testall(WAITING, band.request, &done, MPI_STATUSES_IGNORE);
}

/* --- what is ordered -------------------------------------------------------------------------- */

/* Parameters from lines of text, which must stay. */
static void split_lines_into_params_in_place(abdb_problem *p, char *line)
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

/* On every rank: takes the parameters from rank 0 and opens the workload with them. Ranks beyond
 * those asked take no part. */
static abdb_status receive_params_and_open_own_workload(const abdb_mpi_command *command,
                                                        abdb_error *err)
{
    abdb_mpi_ranks *w = band.w;
    abdb_status st = ABDB_OK;

    MPI_Bcast(band.names, NAMES, MPI_BYTE, 0, MPI_COMM_WORLD);
    band.workload = abdb_workloads[command->at];
    band.comm = w->rank < command->ranks ? w->comm[command->ranks] : MPI_COMM_NULL;
    if (w->rank >= command->ranks) goto done;
    band.p = (abdb_problem){.kernel = band.workload->name, .device = band.rank};
    band.spans = (abdb_spans){.now = abdb_clock_seconds, .device = band.rank};
    band.crew = (abdb_rank_group){.rank = w->rank,
                                  .ranks = command->ranks,
                                  .start_allreduce = start_sum_all_reduce_in_place,
                                  .progress = test_reductions_for_progress,
                                  .wait_allreduce = wait_for_all_reductions};
    band.stage = (abdb_run_context){
        .p = &band.p, .device = band.rank, .parts = band.parts, .spans = &band.spans};
    if (w->rank == 0) band.stage = *band.staged;
    band.stage.crew = &band.crew;
    if (w->rank > 0) {
        split_lines_into_params_in_place(&band.p, band.names);
        TRY(band.workload->resolve_params(&band.p, &band.rank->limits, err));
    }
    TRY(band.workload->open(&band.state, &band.stage, err));
done:
    return st;
}

static void close_own_workload(void)
{
    if (band.state) band.workload->close(band.state);
    band.state = NULL;
}

/* Seconds that a repetition took this rank, from when all were there. */
static abdb_status barrier_then_run_and_time_workload(double *took_s, abdb_error *err)
{
    abdb_status st = ABDB_OK;
    double began_s;

    *took_s = 0;
    if (!band.state) return ABDB_OK;
    MPI_Barrier(band.comm);
    began_s = abdb_clock_seconds();
    abdb_spans_reset_totals(band.stage.spans);
    st = band.workload->run(band.state, err);
    *took_s = abdb_clock_seconds() - began_s;
    return st;
}

/* What rank 0 ordered, on this rank. */
static abdb_status execute_workload_command_on_this_rank(const abdb_mpi_command *command,
                                                         double *took_s, abdb_error *err)
{
    *took_s = 0;
    switch (command->verb) {
    case ABDB_MPI_WORK_OPEN: return receive_params_and_open_own_workload(command, err);
    case ABDB_MPI_WORK_RESET: return band.state ? band.workload->reset(band.state, err) : ABDB_OK;
    case ABDB_MPI_WORK_RUN: return barrier_then_run_and_time_workload(took_s, err);
    default: close_own_workload(); return ABDB_OK;
    }
}

/* --- rank 0's side ---------------------------------------------------------------------------- */

static abdb_status execute_workload_verb_on_all_ranks(abdb_mpi_verb verb, abdb_error *err)
{
    return abdb_mpi_broadcast_execute_get_worst_status(band.w, &(abdb_mpi_command){.verb = verb},
                                                       err);
}

/* All ranks take part, unless it is said how many. */
static abdb_status resolve_params_default_all_ranks(abdb_problem *p,
                                                    const abdb_machine_caches *limits,
                                                    abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!abdb_param_text(p, "ranks")) TRY(abdb_param_set_integer(p, "ranks", band.w->size, err));
    TRY(band.workload->resolve_params(p, limits, err));
done:
    return st;
}

/* Ranks of this host share its memory; elsewhere there is as much for as many. */
static void count_work_with_memory_times_ranks(const abdb_run_context *s, abdb_effort *out)
{
    band.workload->count_work_and_memory(s, out);
    out->memory *= abdb_problem_rank_count(s->p);
}

static void write_params_to_broadcast_buffer(const abdb_problem *problem)
{
    size_t used = 0;

    *band.names = '\0';
    for (int i = 0; i < problem->params && used < NAMES; i++)
        used += (size_t)snprintf(band.names + used, NAMES - used, "%s=%s\n", problem->param[i].name,
                                 problem->param[i].text);
}

/* On rank 0: sends the parameters and opens the workload on all ranks; where one fails, all
 * close it. */
static abdb_status open_workload_on_all_ranks(void **state, const abdb_run_context *s,
                                              abdb_error *err)
{
    abdb_mpi_command o = {.verb = ABDB_MPI_WORK_OPEN, .ranks = abdb_problem_rank_count(s->p)};
    abdb_status st;

    while (abdb_workloads[o.at] != band.workload) o.at++;
    band.staged = s;
    write_params_to_broadcast_buffer(s->p);
    TRY(band.lead->use_ranks(band.lead, o.ranks, err));
    st = abdb_mpi_broadcast_execute_get_worst_status(band.w, &o, err);
    if (st != ABDB_OK) (void)!execute_workload_verb_on_all_ranks(ABDB_MPI_WORK_CLOSE, NULL);
    TRY(st);
    *state = band.state;
done:
    return st;
}

static abdb_status reset_workload_on_all_ranks(void *state, abdb_error *err)
{
    (void)state;
    return execute_workload_verb_on_all_ranks(ABDB_MPI_WORK_RESET, err);
}

static abdb_status run_on_all_ranks_and_store_times(void *state, abdb_error *err)
{
    abdb_status st = execute_workload_verb_on_all_ranks(ABDB_MPI_WORK_RUN, err);

    (void)state;
    abdb_mpi_store_gathered_rank_times(band.lead);
    return st;
}

static void close_workload_on_all_ranks(void *state)
{
    (void)state;
    (void)!execute_workload_verb_on_all_ranks(ABDB_MPI_WORK_CLOSE, NULL);
}

void abdb_mpi_install_workload_command_handler(abdb_mpi_ranks *w, abdb_device *lead,
                                               const struct abdb_parts *parts)
{
    for (int i = 0; i < WAITING; i++) band.request[i] = MPI_REQUEST_NULL;
    band.w = w;
    band.lead = lead;
    band.rank = w->host;
    band.rank->limits.ranks = w->size;
    band.parts = parts;
    w->workload_command = execute_workload_command_on_this_rank;
}

void abdb_mpi_wrap_workload_for_all_ranks(const abdb_workload *workload, abdb_rank_workload *out)
{
    band.workload = workload;
    band.over = *workload;
    band.over.resolve_params = resolve_params_default_all_ranks;
    band.over.count_work_and_memory = count_work_with_memory_times_ranks;
    band.over.open = open_workload_on_all_ranks;
    band.over.reset = reset_workload_on_all_ranks;
    band.over.run = run_on_all_ranks_and_store_times;
    band.over.close = close_workload_on_all_ranks;
    *out = (abdb_rank_workload){&band.over, band.rank, band.parts};
}
