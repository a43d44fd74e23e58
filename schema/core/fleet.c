/* fleet.c - a node against its peers; see fleet.h. */
#include "schema/core/fleet.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"
#include "schema/core/student_t.h"

typedef struct {
    const abdb_fleet_measurement *seen; /* by node, process, cell; one each */
    size_t n, nodes, cells;
    double *median;      /* [cell * nodes + node]: of its processes; NAN: none */
    double *peer_median; /* [cell]: of the peers of the node at hand; NAN: too few have it */
    double *scratch;     /* room for nodes, and for processes */
    double *own;         /* processes of the node at hand */
    double *peer;        /* a value for each peer */
} fleet;

/* --- measurements ----------------------------------------------------------------------------- */

static int compare_node_process_cell(const void *a, const void *b)
{
    const abdb_fleet_measurement *x = a, *y = b;

    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Replaces several measurements of a cell by one process by their mean. */
static size_t merge_repeats_into_means_return_count(abdb_fleet_measurement *measurements, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0;

        for (end = i;
             end < n && compare_node_process_cell(&measurements[i], &measurements[end]) == 0; end++)
            sum += measurements[end].value;
        measurements[kept] = measurements[i];
        measurements[kept++].value = sum / (double)(end - i);
    }
    return kept;
}

static double sort_and_take_median(double *x, size_t n)
{
    if (!n) return NAN;
    abdb_array_sort(x, n, sizeof *x, abdb_compare_double);
    return abdb_quantile_sorted(x, n, 0.5);
}

/* The first observation of the next node. */
static size_t find_end_of_node_measurements(const fleet *f, size_t i)
{
    size_t node = f->seen[i].node;

    while (i < f->n && f->seen[i].node == node) i++;
    return i;
}

/* Values of a node in a cell, or (ABDB_FLEET_ALL) a value a process over all cells that have a
 * reference; how many. Its observations are [from, end). */
static size_t mean_deviation_of_each_process_from_peers(const fleet *f, size_t from, size_t end,
                                                        size_t cell, double *out)
{
    size_t count = 0;

    for (size_t i = from, next; i < end; i = next) {
        double sum = 0;
        size_t cells = 0;

        for (next = i; next < end && f->seen[next].process == f->seen[i].process; next++) {
            const abdb_fleet_measurement *s = &f->seen[next];

            if ((cell != ABDB_FLEET_ALL && s->cell != cell) || isnan(f->peer_median[s->cell]))
                continue;
            sum += s->value - f->peer_median[s->cell];
            cells++;
        }
        if (cells) out[count++] = sum / (double)cells;
    }
    return count;
}

/* For each node and cell, the median over its processes of the deviation from the other nodes; NAN
 * with too few processes. */
static void set_median_over_processes_of_node_and_cell(fleet *f)
{
    for (size_t i = 0; i < f->cells * f->nodes; i++) f->median[i] = NAN;
    for (size_t c = 0; c < f->cells; c++) f->peer_median[c] = 0;
    for (size_t i = 0, end; i < f->n; i = end) {
        end = find_end_of_node_measurements(f, i);
        for (size_t c = 0; c < f->cells; c++) {
            size_t count = mean_deviation_of_each_process_from_peers(f, i, end, c, f->scratch);

            if (count >= ABDB_PROCESSES_LEAST)
                f->median[c * f->nodes + f->seen[i].node] = sort_and_take_median(f->scratch, count);
        }
    }
}

/* Sets the median of a node's peers for each cell of the node; returns the number of cells. */
static size_t set_peer_medians_count_cells(const fleet *f, size_t node)
{
    size_t usable = 0;

    for (size_t c = 0; c < f->cells; c++) {
        const double *median = f->median + c * f->nodes;
        size_t peers = 0;

        for (size_t k = 0; k < f->nodes; k++)
            if (k != node && !isnan(median[k])) f->scratch[peers++] = median[k];
        f->peer_median[c] = !isnan(median[node]) && peers >= ABDB_PROCESSES_LEAST
                                ? sort_and_take_median(f->scratch, peers)
                                : NAN;
        usable += !isnan(f->peer_median[c]);
    }
    return usable;
}

/* --- a node against the others ---------------------------------------------------------------- */

/* The row of the node whose observations are [from, end). outcome->p NAN: too few for a test. */
static abdb_status test_node_against_peers_by_yuen(const fleet *f, size_t from, size_t end,
                                                   size_t cell, abdb_fleet_row *row,
                                                   abdb_trimmed_mean_outcome *outcome,
                                                   abdb_error *err)
{
    abdb_noise_sums sums = {0};
    size_t *one = NULL;
    abdb_trimmed_mean_trial t = {
        .a = f->peer, .b = f->own, .a_commands = SIZE_MAX, .b_commands = 1};
    abdb_status st = ABDB_OK;

    outcome->p = NAN;
    t.n = mean_deviation_of_each_process_from_peers(f, from, end, cell, f->own);
    for (size_t i = 0, next; i < f->n; i = next) {
        size_t count;

        next = find_end_of_node_measurements(f, i);
        if (i == from) continue;
        count = mean_deviation_of_each_process_from_peers(f, i, next, cell, f->scratch);
        if (count >= ABDB_PROCESSES_LEAST) f->peer[t.m++] = sort_and_take_median(f->scratch, count);
    }
    row->processes = t.n;
    row->peers = t.m;
    if (t.m < ABDB_PROCESSES_LEAST || t.n < ABDB_PROCESSES_LEAST) return ABDB_OK;
    one = calloc(t.m, sizeof *one); /* the peers are processes of one thing: their noise is ours */
    if (!one) return ABDB_FAIL(err, ABDB_NOMEM, "%zu nodes", t.m);
    TRY(abdb_noise_add_within_and_between_commands(&sums, f->peer, one, t.m, err));
    t.drift = abdb_noise_standard_deviations_from_sums(&sums).process;
    t.drift_freedom = abdb_noise_standard_deviations_from_sums(&sums).process_freedom;
    TRY(abdb_yuen_trimmed_mean_test(&t, outcome, err));
done:
    free(one);
    return st;
}

/* Number of processes among measurements from to end - 1 of one node, of one cell or of all. */
static size_t count_node_processes(const fleet *f, size_t from, size_t end, size_t cell)
{
    size_t count = 0, last = SIZE_MAX;

    for (size_t i = from; i < end; i++)
        if ((cell == ABDB_FLEET_ALL || f->seen[i].cell == cell) && f->seen[i].process != last) {
            last = f->seen[i].process;
            count++;
        }
    return count;
}

static bool node_measured_cell(const fleet *f, size_t from, size_t end, size_t cell)
{
    return count_node_processes(f, from, end, cell) > 0;
}

/* Rows over all cells, then rows of single cells; with the outcome of each. */
static abdb_status test_all_nodes_and_cells(const fleet *f, abdb_fleet_row *row,
                                            abdb_trimmed_mean_outcome *outcome, size_t *count,
                                            abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *count = 0;
    for (int all = 1; all >= 0; all--) {
        for (size_t i = 0, end; i < f->n; i = end) {
            size_t usable = set_peer_medians_count_cells(f, f->seen[i].node);

            end = find_end_of_node_measurements(f, i);
            for (size_t c = 0; c < (all ? 1 : f->cells > 1 ? f->cells : 0); c++) {
                size_t cell = all ? ABDB_FLEET_ALL : c;

                if (!node_measured_cell(f, i, end, cell)) continue;
                row[*count] = (abdb_fleet_row){.node = f->seen[i].node,
                                               .cell = cell,
                                               .cells = all ? usable : 1,
                                               .ratio = NAN,
                                               .low = NAN,
                                               .high = NAN,
                                               .p_corrected = NAN,
                                               .detectable_change = NAN,
                                               .verdict = ABDB_VERDICT_TOO_FEW};
                TRY(test_node_against_peers_by_yuen(f, i, end, cell, &row[*count], &outcome[*count],
                                                    err));
                if (!row[*count].processes)
                    row[*count].processes = count_node_processes(f, i, end, cell);
                ++*count;
            }
        }
    }
done:
    return st;
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* n rows are one family of tests, which has that share of alpha. */
static abdb_status apply_holm_and_set_verdicts(abdb_fleet_row *row,
                                               const abdb_trimmed_mean_outcome *outcome, size_t n,
                                               double share, const abdb_fleet_options *o,
                                               abdb_error *err)
{
    double *p = calloc(2 * n + 1, sizeof *p), *all;
    size_t tests = 0;

    if (!p) return ABDB_FAIL(err, ABDB_NOMEM, "%zu rows", n);
    all = p + n;
    for (size_t i = 0; i < n; i++) {
        p[i] = outcome[i].p;
        tests += !isnan(p[i]);
    }
    if (!abdb_holm_adjust_p(p, n, all)) {
        free(p);
        return ABDB_FAIL(err, ABDB_NOMEM, "%zu rows", n);
    }
    for (size_t i = 0; i < n; i++) {
        const abdb_trimmed_mean_outcome *one = &outcome[i];
        double t, each = o->alpha * share / (double)(tests ? tests : 1);

        if (isnan(one->p)) continue;
        t = abdb_student_two_sided_critical_t(o->alpha, one->freedom) * one->error;
        row[i].p_corrected = fmin(1, all[i] / share);
        row[i].ratio = abdb_exp_rounded_to_13_digits(one->difference);
        row[i].low = abdb_exp_rounded_to_13_digits(one->difference - t);
        row[i].high = abdb_exp_rounded_to_13_digits(one->difference + t);
        row[i].detectable_change = abdb_expm1_rounded_to_13_digits(
            abdb_outcome_detectable_change(one, each, log(1 + o->effect)));
        row[i].verdict =
            abdb_outcome_decide_verdict(one, row[i].p_corrected, false, o->effect, o->alpha);
    }
    free(p);
    return ABDB_OK;
}

static size_t count_leading_rows_over_all_cells(const abdb_fleet_row *row, size_t n)
{
    size_t count = 0;

    while (count < n && row[count].cell == ABDB_FLEET_ALL) count++;
    return count;
}

/* Sorts the measurements, averages repeated ones of a process, and computes the medians of each
 * node. The fleet uses the caller's array. */
static abdb_status init_fleet_sort_merge_median(fleet *f, abdb_fleet_measurement *measurements,
                                                size_t n, abdb_error *err)
{
    *f = (fleet){.seen = measurements};
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(measurements[i].value))
            return ABDB_FAIL(err, ABDB_DATA, "a time is no number");
        if (measurements[i].node >= f->nodes) f->nodes = measurements[i].node + 1;
        if (measurements[i].cell >= f->cells) f->cells = measurements[i].cell + 1;
    }
    abdb_array_sort(measurements, n, sizeof *measurements, compare_node_process_cell);
    f->n = merge_repeats_into_means_return_count(measurements, n);
    f->median = calloc(f->cells * f->nodes + 1, sizeof *f->median);
    f->peer_median = calloc(f->cells + 1, sizeof *f->peer_median);
    f->scratch = calloc(f->nodes + n + 1, sizeof *f->scratch);
    f->own = calloc(n + 1, sizeof *f->own);
    f->peer = calloc(f->nodes + 1, sizeof *f->peer);
    if (!f->median || !f->peer_median || !f->scratch || !f->own || !f->peer)
        return ABDB_FAIL(err, ABDB_NOMEM, "%zu measurements", n);
    set_median_over_processes_of_node_and_cell(f);
    return ABDB_OK;
}

abdb_status abdb_fleet_test_each_node_against_peers(abdb_fleet_measurement *measurements, size_t n,
                                                    const abdb_fleet_options *options,
                                                    abdb_fleet_row **out, size_t *count,
                                                    abdb_error *err)
{
    fleet f;
    abdb_trimmed_mean_outcome *outcome = NULL;
    size_t rows, whole;
    double share;
    abdb_status st = ABDB_OK;

    *out = NULL;
    *count = 0;
    TRY(init_fleet_sort_merge_median(&f, measurements, n, err));
    rows = f.nodes * (f.cells + 1) + 1;
    *out = calloc(rows, sizeof **out);
    outcome = calloc(rows, sizeof *outcome);
    if (!*out || !outcome) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu nodes", f.nodes));
    TRY(test_all_nodes_and_cells(&f, *out, outcome, count, err));
    whole = count_leading_rows_over_all_cells(*out, *count);
    share = *count > whole ? 0.5 : 1;
    TRY(apply_holm_and_set_verdicts(*out, outcome, whole, share, options, err));
    TRY(apply_holm_and_set_verdicts(*out + whole, outcome + whole, *count - whole, share, options,
                                    err));
done:
    if (st != ABDB_OK) {
        free(*out);
        *out = NULL;
        *count = 0;
    }
    free(outcome);
    free(f.median);
    free(f.peer_median);
    free(f.scratch);
    free(f.own);
    free(f.peer);
    return st;
}
