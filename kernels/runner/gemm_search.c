/* gemm_search.c - the search for the fastest matrix product; see gemm_search.h. */
#include "kernels/runner/gemm_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/runner/backend_process.h"
#include "schema/core/timing.h"

enum { TRIED_MAX = 2048, FIRST = 256, LAST = 32768, STEP_LEAST = 16, LONGER = 64 };
/* A move must gain 0.3 %; a lengthened side is as fast again from 99 % on. */
static const double gain = 1.003, as_fast = 0.99;

typedef struct {
    size_t side[3];
    double rate;
} gemm_shape;

typedef struct {
    const abdb_run_options *o;
    const abdb_cell *request; /* what is searched: kernel, dtype and what else was asked */
    const abdb_sink *sink;
    abdb_run_tally *tally;
    double begin_s, budget_s, heard; /* heard: the rate of the cell at hand */
    gemm_shape tried[TRIED_MAX], best;
    size_t count;
} gemm_search;

/* What a cell says on its way to the sink: its median rate. */
static abdb_status store_verified_rate_and_forward_entry(void *self, const abdb_entry *e,
                                                         abdb_error *err)
{
    gemm_search *s = self;

    for (size_t i = 0; i < e->results; i++)
        if ((strcmp(e->result[i].metric, "flops_per_s") == 0 ||
             strcmp(e->result[i].metric, "ops_per_s") == 0) &&
            strcmp(e->field[ABDB_FIELD_verified], "pass") == 0)
            s->heard = e->result[i].value;
    return s->sink->entry(s->sink->self, e, err);
}

static bool is_search_stopped_full_or_out_of_time(const gemm_search *s)
{
    return abdb_run_stop_requested(s->o) || s->count == TRIED_MAX ||
           abdb_monotonic_seconds() - s->begin_s > s->budget_s;
}

/* The rate of a shape, 0 where it cannot be run; one that has been tried is not run again. */
static abdb_status measure_or_recall_shape_rate_updating_best(gemm_search *s, const size_t side[3],
                                                              bool quick, double *rate,
                                                              abdb_error *err)
{
    abdb_sink sink = {s, store_verified_rate_and_forward_entry, NULL, NULL, NULL};
    abdb_run_options one = *s->o; /* of one cell, which is no progress of its own */
    unsigned char todo = 1;
    abdb_plan plan = {0};
    char *line = NULL;
    abdb_status st = ABDB_OK;

    *rate = 0;
    for (size_t i = 0; quick && i < s->count; i++)
        if (memcmp(s->tried[i].side, side, sizeof s->tried[i].side) == 0) {
            *rate = s->tried[i].rate;
            return ABDB_OK;
        }
    if (quick && is_search_stopped_full_or_out_of_time(s)) return ABDB_OK;
    if (asprintf(&line, "%s m=%zu n=%zu k=%zu", s->request->name, side[0], side[1], side[2]) < 0)
        return ABDB_FAIL(err, ABDB_NOMEM, "a shape");
    TRY(abdb_plan_add_cells(&plan, line, err));
    s->heard = 0;
    one.quick = quick;
    one.progress = NULL;
    if (s->o->progress)
        s->o->progress(s->o->self, plan.cell[0].name,
                       (size_t)(abdb_monotonic_seconds() - s->begin_s), (size_t)s->budget_s);
    TRY(abdb_backend_run_and_store_cells(&one, &plan, &todo, &sink, s->tally, err));
    *rate = s->heard;
    if (quick) {
        s->tried[s->count].rate = *rate;
        memcpy(s->tried[s->count++].side, side, sizeof s->tried[0].side);
        if (*rate > s->best.rate) s->best = s->tried[s->count - 1];
    }
done:
    free(line);
    abdb_plan_free(&plan);
    return st;
}

/* Squares from small to large, until one is slower than the one of half its side. */
static abdb_status search_square_shapes_doubling_until_slower(gemm_search *s, abdb_error *err)
{
    double before = 0, rate;
    abdb_status st = ABDB_OK;

    for (size_t n = FIRST; n <= LAST && !is_search_stopped_full_or_out_of_time(s); n *= 2) {
        TRY(measure_or_recall_shape_rate_updating_best(s, (size_t[]){n, n, n}, true, &rate, err));
        if (rate < before) break;
        before = rate;
    }
done:
    return st;
}

/* One side longer and shorter by the step, each side in turn: is any of them faster? */
static abdb_status try_each_side_plus_minus_step(gemm_search *s, size_t step, bool *faster,
                                                 abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *faster = false;
    for (int i = 0; i < 6 && !is_search_stopped_full_or_out_of_time(s); i++) {
        gemm_shape from = s->best;
        double rate;

        if (i % 2 && from.side[i / 2] <= step) continue;
        from.side[i / 2] = i % 2 ? from.side[i / 2] - step : from.side[i / 2] + step;
        TRY(measure_or_recall_shape_rate_updating_best(s, from.side, true, &rate, err));
        if (rate > gain * from.rate) *faster = true;
    }
done:
    return st;
}

/* What a little more of a side costs, and how much more is as fast again. */
static abdb_status measure_slowdown_of_one_more_and_tile_size(gemm_search *s, abdb_mamf *out,
                                                              abdb_error *err)
{
    const gemm_shape best = s->best;
    abdb_status st = ABDB_OK;

    s->budget_s = INFINITY; /* a handful of cells, after the search */
    for (int i = 0; i < 3; i++) {
        out->one_more[i] = NAN;
        out->tile[i] = 0;
        for (size_t more = 1; more <= LONGER && !out->tile[i] && !abdb_run_stop_requested(s->o);
             more *= 2) {
            size_t side[3] = {best.side[0], best.side[1], best.side[2]};
            double rate;

            side[i] += more;
            TRY(measure_or_recall_shape_rate_updating_best(s, side, true, &rate, err));
            if (more == 1 && rate > 0) out->one_more[i] = 1 - rate / best.rate;
            if (rate >= as_fast * best.rate) out->tile[i] = more;
        }
    }
done:
    return st;
}

abdb_status abdb_search_fastest_gemm(const abdb_run_options *o, const abdb_cell *of,
                                     double budget_s, const abdb_sink *sink, abdb_run_tally *tally,
                                     abdb_mamf *out, abdb_error *err)
{
    gemm_search s = {.o = o,
                     .request = of,
                     .sink = sink,
                     .tally = tally,
                     .begin_s = abdb_monotonic_seconds(),
                     .budget_s = budget_s};
    abdb_status st = ABDB_OK;

    *out = (abdb_mamf){.stopped = "no step of 16 gains 0.3 %"};
    TRY(search_square_shapes_doubling_until_slower(&s, err));
    if (!(s.best.rate > 0))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "%s has no %s that can be measured", o->name, of->name));
    for (size_t step = s.best.side[0] / 2;
         step >= STEP_LEAST && !is_search_stopped_full_or_out_of_time(&s); step /= 2)
        for (bool faster = true; faster && !is_search_stopped_full_or_out_of_time(&s);)
            TRY(try_each_side_plus_minus_step(&s, step, &faster, err));
    if (is_search_stopped_full_or_out_of_time(&s))
        out->stopped = abdb_run_stop_requested(o) ? "interrupted" : "its time was used up";
    out->seconds = abdb_monotonic_seconds() - s.begin_s;
    out->shapes = s.count;
    memcpy(out->side, s.best.side, sizeof out->side);
    out->quick_rate = s.best.rate;
    TRY(measure_slowdown_of_one_more_and_tile_size(&s, out, err));
    if (!abdb_run_stop_requested(o))
        TRY(measure_or_recall_shape_rate_updating_best(&s, out->side, false, &out->rate, err));
done:
    return st;
}
