/* fleet.c - a node against its peers; see fleet.h. */
#include "schema/core/fleet.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "schema/core/stats.h"
#include "schema/core/student.h"

typedef struct {
    const abdb_fleet_seen *seen; /* by node, process, cell; one each */
    size_t n, nodes, cells;
    double *median;  /* [cell * nodes + node]: of its processes; NAN: none */
    double *refer;   /* [cell]: of the peers of the node at hand; NAN: too few have it */
    double *scratch; /* room for nodes, and for processes */
    double *own;     /* processes of the node at hand */
    double *peer;    /* a value for each peer */
} fleet;

/* --- what was measured ------------------------------------------------------------------------ */

static int in_order(const void *a, const void *b)
{
    const abdb_fleet_seen *x = a, *y = b;

    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* What one process said of a cell several times becomes one. */
static size_t merge(abdb_fleet_seen *seen, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0;

        for (end = i; end < n && in_order(&seen[i], &seen[end]) == 0; end++) sum += seen[end].value;
        seen[kept] = seen[i];
        seen[kept++].value = sum / (double)(end - i);
    }
    return kept;
}

static double median_of(double *x, size_t n)
{
    if (!n) return NAN;
    qsort(x, n, sizeof *x, abdb_compare_double);
    return abdb_quantile_sorted(x, n, 0.5);
}

/* The first observation of the next node. */
static size_t node_end(const fleet *f, size_t i)
{
    size_t node = f->seen[i].node;

    while (i < f->n && f->seen[i].node == node) i++;
    return i;
}

/* Values of a node in a cell, or (ABDB_FLEET_ALL) a value a process over all cells that have a
 * reference; how many. Its observations are [from, end). */
static size_t values_of(const fleet *f, size_t from, size_t end, size_t cell, double *out)
{
    size_t count = 0;

    for (size_t i = from, next; i < end; i = next) {
        double sum = 0;
        size_t cells = 0;

        for (next = i; next < end && f->seen[next].process == f->seen[i].process; next++) {
            const abdb_fleet_seen *s = &f->seen[next];

            if ((cell != ABDB_FLEET_ALL && s->cell != cell) || isnan(f->refer[s->cell])) continue;
            sum += s->value - f->refer[s->cell];
            cells++;
        }
        if (cells) out[count++] = sum / (double)cells;
    }
    return count;
}

static void find_medians(fleet *f)
{
    for (size_t i = 0; i < f->cells * f->nodes; i++) f->median[i] = NAN;
    for (size_t c = 0; c < f->cells; c++) f->refer[c] = 0;
    for (size_t i = 0, end; i < f->n; i = end) {
        end = node_end(f, i);
        for (size_t c = 0; c < f->cells; c++) {
            size_t count = values_of(f, i, end, c, f->scratch);

            if (count >= ABDB_PROCESSES_LEAST)
                f->median[c * f->nodes + f->seen[i].node] = median_of(f->scratch, count);
        }
    }
}

/* What the peers of a node say of each cell that it has; how many cells there are. */
static size_t find_reference(const fleet *f, size_t node)
{
    size_t usable = 0;

    for (size_t c = 0; c < f->cells; c++) {
        const double *median = f->median + c * f->nodes;
        size_t peers = 0;

        for (size_t k = 0; k < f->nodes; k++)
            if (k != node && !isnan(median[k])) f->scratch[peers++] = median[k];
        f->refer[c] = !isnan(median[node]) && peers >= ABDB_PROCESSES_LEAST
                          ? median_of(f->scratch, peers)
                          : NAN;
        usable += !isnan(f->refer[c]);
    }
    return usable;
}

/* --- a node against the others ---------------------------------------------------------------- */

/* The row of the node whose observations are [from, end). outcome->p NAN: too few for a test. */
static abdb_status judge(const fleet *f, size_t from, size_t end, size_t cell, abdb_fleet_row *row,
                         abdb_outcome *outcome, abdb_error *err)
{
    abdb_noise_sums sums = {0};
    size_t *one = NULL;
    abdb_trial t = {.a = f->peer, .b = f->own, .a_commands = SIZE_MAX, .b_commands = 1};
    abdb_status st = ABDB_OK;

    outcome->p = NAN;
    t.n = values_of(f, from, end, cell, f->own);
    for (size_t i = 0, next; i < f->n; i = next) {
        size_t count;

        next = node_end(f, i);
        if (i == from) continue;
        count = values_of(f, i, next, cell, f->scratch);
        if (count >= ABDB_PROCESSES_LEAST) f->peer[t.m++] = median_of(f->scratch, count);
    }
    row->processes = t.n;
    row->peers = t.m;
    if (t.m < ABDB_PROCESSES_LEAST || t.n < ABDB_PROCESSES_LEAST) return ABDB_OK;
    one = calloc(t.m, sizeof *one); /* the peers are processes of one thing: their noise is ours */
    if (!one) return ABDB_FAIL(err, ABDB_NOMEM, "%zu nodes", t.m);
    TRY(abdb_noise_add(&sums, f->peer, one, t.m, err));
    t.drift = abdb_noise_of(&sums).process;
    t.drift_freedom = abdb_noise_of(&sums).process_freedom;
    TRY(abdb_trial_judge(&t, outcome, err));
done:
    free(one);
    return st;
}

static size_t processes_of(const fleet *f, size_t from, size_t end, size_t cell)
{
    size_t count = 0, last = SIZE_MAX;

    for (size_t i = from; i < end; i++)
        if ((cell == ABDB_FLEET_ALL || f->seen[i].cell == cell) && f->seen[i].process != last) {
            last = f->seen[i].process;
            count++;
        }
    return count;
}

static bool has_cell(const fleet *f, size_t from, size_t end, size_t cell)
{
    return processes_of(f, from, end, cell) > 0;
}

/* Rows over all cells, then those of the cells; outcomes beside them. */
static abdb_status judge_all(const fleet *f, abdb_fleet_row *row, abdb_outcome *outcome,
                             size_t *count, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *count = 0;
    for (int all = 1; all >= 0; all--) {
        for (size_t i = 0, end; i < f->n; i = end) {
            size_t usable = find_reference(f, f->seen[i].node);

            end = node_end(f, i);
            for (size_t c = 0; c < (all ? 1 : f->cells > 1 ? f->cells : 0); c++) {
                size_t cell = all ? ABDB_FLEET_ALL : c;

                if (!has_cell(f, i, end, cell)) continue;
                row[*count] = (abdb_fleet_row){.node = f->seen[i].node,
                                               .cell = cell,
                                               .cells = all ? usable : 1,
                                               .ratio = NAN,
                                               .low = NAN,
                                               .high = NAN,
                                               .p_all = NAN,
                                               .shows = NAN,
                                               .verdict = ABDB_VERDICT_TOO_FEW};
                TRY(judge(f, i, end, cell, &row[*count], &outcome[*count], err));
                if (!row[*count].processes) row[*count].processes = processes_of(f, i, end, cell);
                ++*count;
            }
        }
    }
done:
    return st;
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* n rows are one family of tests, which has that share of alpha. */
static abdb_status decide(abdb_fleet_row *row, const abdb_outcome *outcome, size_t n, double share,
                          const abdb_fleet_options *o, abdb_error *err)
{
    double *p = calloc(2 * n + 1, sizeof *p), *all;
    size_t tests = 0;

    if (!p) return ABDB_FAIL(err, ABDB_NOMEM, "%zu rows", n);
    all = p + n;
    for (size_t i = 0; i < n; i++) {
        p[i] = outcome[i].p;
        tests += !isnan(p[i]);
    }
    if (!abdb_holm(p, n, all)) {
        free(p);
        return ABDB_FAIL(err, ABDB_NOMEM, "%zu rows", n);
    }
    for (size_t i = 0; i < n; i++) {
        const abdb_outcome *one = &outcome[i];
        double t, each = o->alpha * share / (double)(tests ? tests : 1);

        if (isnan(one->p)) continue;
        t = abdb_student_t(o->alpha, one->freedom) * one->error;
        row[i].p_all = fmin(1, all[i] / share);
        row[i].ratio = abdb_unlog(one->difference);
        row[i].low = abdb_unlog(one->difference - t);
        row[i].high = abdb_unlog(one->difference + t);
        row[i].shows = abdb_unlog_share(abdb_outcome_shows(one, each, log(1 + o->effect)));
        row[i].verdict = abdb_outcome_verdict(one, row[i].p_all, false, o->effect, o->alpha);
    }
    free(p);
    return ABDB_OK;
}

static size_t over_all(const abdb_fleet_row *row, size_t n)
{
    size_t count = 0;

    while (count < n && row[count].cell == ABDB_FLEET_ALL) count++;
    return count;
}

static abdb_status make(fleet *f, abdb_fleet_seen *seen, size_t n, abdb_error *err)
{
    *f = (fleet){.seen = seen};
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(seen[i].value)) return ABDB_FAIL(err, ABDB_DATA, "a time is no number");
        if (seen[i].node >= f->nodes) f->nodes = seen[i].node + 1;
        if (seen[i].cell >= f->cells) f->cells = seen[i].cell + 1;
    }
    qsort(seen, n, sizeof *seen, in_order);
    f->n = merge(seen, n);
    f->median = calloc(f->cells * f->nodes + 1, sizeof *f->median);
    f->refer = calloc(f->cells + 1, sizeof *f->refer);
    f->scratch = calloc(f->nodes + n + 1, sizeof *f->scratch);
    f->own = calloc(n + 1, sizeof *f->own);
    f->peer = calloc(f->nodes + 1, sizeof *f->peer);
    if (!f->median || !f->refer || !f->scratch || !f->own || !f->peer)
        return ABDB_FAIL(err, ABDB_NOMEM, "%zu measurements", n);
    find_medians(f);
    return ABDB_OK;
}

abdb_status abdb_fleet(abdb_fleet_seen *seen, size_t n, const abdb_fleet_options *options,
                       abdb_fleet_row **out, size_t *count, abdb_error *err)
{
    fleet f;
    abdb_outcome *outcome = NULL;
    size_t rows, whole;
    double share;
    abdb_status st = ABDB_OK;

    *out = NULL;
    *count = 0;
    TRY(make(&f, seen, n, err));
    rows = f.nodes * (f.cells + 1) + 1;
    *out = calloc(rows, sizeof **out);
    outcome = calloc(rows, sizeof *outcome);
    if (!*out || !outcome) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu nodes", f.nodes));
    TRY(judge_all(&f, *out, outcome, count, err));
    whole = over_all(*out, *count);
    share = *count > whole ? 0.5 : 1;
    TRY(decide(*out, outcome, whole, share, options, err));
    TRY(decide(*out + whole, outcome + whole, *count - whole, share, options, err));
done:
    if (st != ABDB_OK) {
        free(*out);
        *out = NULL;
        *count = 0;
    }
    free(outcome);
    free(f.median);
    free(f.refer);
    free(f.scratch);
    free(f.own);
    free(f.peer);
    return st;
}
