/* acceptance.c - units against their peers and against others of their kind; see acceptance.h. */
#include "schema/core/acceptance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"
#include "schema/core/student_t.h"

/* A unit may be missed once in a hundred. For this the spread is raised to a bound that is exceeded
 * once in a thousand, because a spread small by chance would promise too much. A corrected p above
 * `doubtful` is no sign of slowness. */
static const double z_missed = 2.3263;
static const double z_spread = 3.0902;
static const double doubtful = 0.05;

const char *abdb_acceptance_name(abdb_acceptance verdict)
{
    return verdict == ABDB_ACCEPT_NORMAL ? "normal"
           : verdict == ABDB_ACCEPT_SLOW ? "slow"
                                         : "cannot tell";
}

static int compare_by_cell_group_and_value(const void *a, const void *b)
{
    const abdb_accept_value *x = a, *y = b;

    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Median of sorted values. */
static double median_of_sorted(const abdb_accept_value *v, size_t n)
{
    return 0.5 * (v[(n - 1) / 2].value + v[n / 2].value);
}

/* The end of the stretch of values of the same cell, and, where `group` is true, of the same group.
 */
static size_t end_of_run_of_cell_or_cell_and_group(const abdb_accept_value *v, size_t n,
                                                   size_t from, bool group)
{
    size_t end = from;

    while (end < n && v[end].cell == v[from].cell && (!group || v[end].group == v[from].group))
        end++;
    return end;
}

/* The largest standard deviation that s of so many degrees of freedom leaves credible: the
 * chi-square of 0.1 % by Wilson and Hilferty (1931). */
static double upper_credible_spread_by_chi_square(double s, double freedom)
{
    double part = 1 - 2 / (9 * freedom) - z_spread * sqrt(2 / (9 * freedom));

    return part > 0.05 ? s / sqrt(part * part * part) : s / sqrt(0.05 * 0.05 * 0.05);
}

/* --- others ----------------------------------------------------------------------------------- */

/* Summary of the others' values of one cell. */
typedef struct {
    size_t origins, values;
    double lowest, highest, middle;
    double mean, between, between_freedom; /* variance of levels */
    double within, within_freedom;         /* variance of devices of one origin; 0: not seen */
} population;

/* Sums up the sorted values of a cell; level has room for one number a value. */
static population summarize_origins_of_sorted_values(const abdb_accept_value *v, size_t n,
                                                     double *level)
{
    population p = {.values = n, .lowest = INFINITY, .highest = -INFINITY};
    double squares = 0, within = 0;

    for (size_t at = 0, end; at < n; at = end) {
        double mean = 0;

        end = end_of_run_of_cell_or_cell_and_group(v, n, at, true);
        for (size_t i = at; i < end; i++) mean += v[i].value / (double)(end - at);
        for (size_t i = at; i < end; i++) within += (v[i].value - mean) * (v[i].value - mean);
        p.within_freedom += (double)(end - at - 1);
        level[p.origins++] = median_of_sorted(v + at, end - at);
        p.lowest = fmin(p.lowest, v[at].value);
    }
    for (size_t i = 0; i < p.origins; i++) p.mean += level[i] / (double)p.origins;
    for (size_t i = 0; i < p.origins; i++) {
        squares += (level[i] - p.mean) * (level[i] - p.mean);
        p.highest = fmax(p.highest, level[i]);
    }
    if (p.within_freedom > 0) p.within = within / p.within_freedom;
    p.between_freedom = (double)p.origins - 1;
    if (p.origins > 1) p.between = squares / p.between_freedom;
    abdb_array_sort(level, p.origins, sizeof *level, abdb_compare_double);
    if (p.origins) p.middle = 0.5 * (level[(p.origins - 1) / 2] + level[p.origins / 2]);
    return p;
}

/* Standard deviation of the difference between one more device of one more origin and the mean,
 * with its degrees of freedom. */
static double prediction_spread_and_satterthwaite_freedom(const population *p, double *freedom)
{
    double between = p->between * (1 + 1 / (double)p->origins), within = p->within;
    double parts = between * between / p->between_freedom;

    if (p->within_freedom > 0) parts += within * within / p->within_freedom;
    *freedom = parts > 0 ? (between + within) * (between + within) / parts : p->between_freedom;
    return sqrt(between + within);
}

/* One-sided p of a value t spreads below the expected one. */
static double one_sided_p_of_slowness(double t, double freedom)
{
    double p = 0.5 * abdb_student_two_sided_p_of_whole_freedom(t, freedom);

    return t > 0 ? p : 1 - p;
}

/* The slowness (0.05) that is found 99 times in 100: t spreads, and a margin for chance.
 */
static double slowness_that_is_found_99_times_in_100(double t, double spread, double freedom,
                                                     double effect)
{
    double chance = z_missed * upper_credible_spread_by_chi_square(spread, freedom);

    return 1 - exp(-fmax(t * spread, -log(1 - effect)) - chance);
}

static void judge_by_ratio_to_lowest_of_few_origins(abdb_accept_row *row,
                                                    const abdb_accept_rule *rule)
{
    double ratio = exp(row->here - row->lowest);

    row->by_others = ratio < rule->floor  ? ABDB_ACCEPT_SLOW
                     : ratio < rule->near ? ABDB_ACCEPT_UNCLEAR
                                          : ABDB_ACCEPT_NORMAL;
    row->shows = 1 - rule->floor;
}

static void judge_by_t_test_of_many_origins(abdb_accept_row *row, const abdb_accept_rule *rule,
                                            const population *p, double families)
{
    double freedom, spread = prediction_spread_and_satterthwaite_freedom(p, &freedom);
    double below = p->mean - row->here;
    double t = 0.0;

    row->p_others = below > 0 ? 0 : 1;
    if (spread > 0) {
        row->p_others = fmin(1, families * one_sided_p_of_slowness(below / spread, freedom));
        t = abdb_student_two_sided_critical_t(2 * ABDB_ACCEPT_ALPHA / families, freedom);
    }
    row->shows = slowness_that_is_found_99_times_in_100(t, spread, freedom, rule->effect);
    if (row->p_others <= ABDB_ACCEPT_ALPHA && 1 - exp(-below) >= rule->effect)
        row->by_others = ABDB_ACCEPT_SLOW;
    else if (row->p_others > doubtful &&
             (row->shows <= 1 - rule->floor || row->here >= p->lowest + log(rule->near)))
        row->by_others = ABDB_ACCEPT_NORMAL;
    else
        row->by_others = ABDB_ACCEPT_UNCLEAR;
}

static void set_statistics_and_verdict_by_others(abdb_accept_row *row, const abdb_accept_rule *rule,
                                                 const population *p, double families)
{
    row->origins = p->origins;
    row->others = p->values;
    if (!p->origins) return;
    row->lowest = p->lowest;
    row->highest = p->highest;
    row->middle = p->middle;
    if (p->origins < ABDB_ACCEPT_ORIGINS)
        judge_by_ratio_to_lowest_of_few_origins(row, rule);
    else
        judge_by_t_test_of_many_origins(row, rule, p, families);
}

/* --- peers ------------------------------------------------------------------------------------ */

/* A unit among its peers. */
typedef struct {
    double value, p; /* p: of the step that took it away, 1: none did */
    bool away;
} peer;

/* The mean and standard deviation of the units that are not taken away. */
static void mean_and_spread_of_units_not_away(const peer *unit, size_t n, double *mean,
                                              double *spread, size_t *left)
{
    double squares = 0;

    *left = 0;
    *mean = 0;
    for (size_t i = 0; i < n; i++)
        if (!unit[i].away) {
            *mean += unit[i].value;
            (*left)++;
        }
    *mean /= (double)*left;
    for (size_t i = 0; i < n; i++)
        if (!unit[i].away) squares += (unit[i].value - *mean) * (unit[i].value - *mean);
    *spread = sqrt(squares / (double)(*left - 1));
}

/* Grubbs' bound for the furthest of n values, `far` standard deviations from their mean. */
static double grubbs_p_of_furthest(double spreads_from_mean, size_t n)
{
    double rest =
        (double)(n - 1) * (double)(n - 1) - (double)n * spreads_from_mean * spreads_from_mean;
    double t = rest > 0 ? spreads_from_mean * sqrt((double)n * (double)(n - 2) / rest) : INFINITY;

    return isfinite(t)
               ? fmin(1, (double)n * abdb_student_two_sided_p_of_whole_freedom(t, (double)(n - 2)))
               : 0;
}

/* Takes the furthest unit away, a third of them at most, and notes the p of each step at the unit.
 * An earlier unit is as far as a later one is found to be: its p is the least from its step on.
 * Units whose p, of so many families, is no evidence are given back. */
static void mark_outliers_by_generalized_esd(peer *unit, size_t n, size_t *removal_order,
                                             double families)
{
    double mean, spread, least = 1;
    size_t left, steps;

    for (steps = 0; steps < n / 3; steps++) {
        size_t furthest = n;

        mean_and_spread_of_units_not_away(unit, n, &mean, &spread, &left);
        for (size_t i = 0; i < n; i++)
            if (!unit[i].away &&
                (furthest == n || fabs(unit[i].value - mean) > fabs(unit[furthest].value - mean)))
                furthest = i;
        if (!(spread > 0)) break;
        unit[furthest].p = grubbs_p_of_furthest(fabs(unit[furthest].value - mean) / spread, left);
        unit[furthest].away = true;
        removal_order[steps] = furthest;
    }
    while (steps-- > 0) {
        peer *far = &unit[removal_order[steps]];

        least = fmin(least, families * far->p);
        far->p = least;
        far->away = least <= ABDB_ACCEPT_ALPHA;
    }
}

static void set_statistics_and_verdict_by_peers(abdb_accept_row *row, size_t n, double p,
                                                const abdb_accept_rule *rule, double mean,
                                                double shows)
{
    bool slow = row->here < mean && 1 - exp(row->here - mean) >= rule->effect;

    row->peers = n - 1;
    row->peer = mean;
    row->p_peers = p;
    if (p <= ABDB_ACCEPT_ALPHA && slow)
        row->by_peers = ABDB_ACCEPT_SLOW;
    else if (p <= doubtful && slow)
        row->by_peers = ABDB_ACCEPT_UNCLEAR;
    else if (shows <= 1 - rule->floor) /* else they differ so much that they prove nothing */
        row->by_peers = ABDB_ACCEPT_NORMAL;
    if (isnan(row->shows) || row->origins < ABDB_ACCEPT_ORIGINS || shows < row->shows)
        row->shows = shows;
}

/* Judges the n units of a cell against one another. */
static abdb_status remove_outliers_and_judge_units_by_peers(abdb_accept_row *row, size_t n,
                                                            const abdb_accept_rule *rule,
                                                            double families, abdb_error *err)
{
    size_t *order = calloc(n, sizeof *order), left;
    peer *unit = calloc(n, sizeof *unit);
    double mean, spread, t, shows;
    abdb_status st = ABDB_OK;

    if (!order || !unit) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu peers", n));
    if (n <= ABDB_ACCEPT_PEERS) goto done;
    for (size_t i = 0; i < n; i++) unit[i] = (peer){.value = row[i].here, .p = 1};
    mark_outliers_by_generalized_esd(unit, n, order, families);
    mean_and_spread_of_units_not_away(unit, n, &mean, &spread, &left);
    t = abdb_student_two_sided_critical_t(ABDB_ACCEPT_ALPHA / families / (double)left,
                                          (double)(left - 2));
    spread *= sqrt(1 + 1 / (double)(left - 1));
    shows = slowness_that_is_found_99_times_in_100(t, spread, (double)(left - 1), rule->effect);
    for (size_t i = 0; i < n; i++)
        set_statistics_and_verdict_by_peers(&row[i], n, unit[i].p, rule, mean, shows);
done:
    free(order);
    free(unit);
    return st;
}

/* --- all together ----------------------------------------------------------------------------- */

/* Either may find a unit slow; equal peers do not clear a unit that others leave in doubt. */
static void combine_verdicts_by_peers_and_by_others(abdb_accept_row *row)
{
    if (row->by_peers == ABDB_ACCEPT_SLOW || row->by_others == ABDB_ACCEPT_SLOW)
        row->verdict = ABDB_ACCEPT_SLOW;
    else if (row->by_peers != ABDB_ACCEPT_UNCLEAR && row->by_others == ABDB_ACCEPT_NORMAL)
        row->verdict = ABDB_ACCEPT_NORMAL;
    else if (row->by_peers == ABDB_ACCEPT_NORMAL && row->by_others == ABDB_ACCEPT_NONE)
        row->verdict = ABDB_ACCEPT_NORMAL;
    else if (row->by_peers == ABDB_ACCEPT_NONE && row->by_others == ABDB_ACCEPT_NONE)
        row->verdict = ABDB_ACCEPT_NONE;
    else
        row->verdict = ABDB_ACCEPT_UNCLEAR;
}

/* A row for each unit of each cell, with the median of its values; the number of rows. */
static size_t fill_row_per_unit_with_median_return_count(const abdb_accept_value *here, size_t n,
                                                         abdb_accept_row *row)
{
    size_t count = 0;

    for (size_t at = 0, end; at < n; at = end) {
        end = end_of_run_of_cell_or_cell_and_group(here, n, at, true);
        row[count++] = (abdb_accept_row){.cell = here[at].cell,
                                         .unit = here[at].group,
                                         .values = end - at,
                                         .here = median_of_sorted(here + at, end - at),
                                         .lowest = NAN,
                                         .highest = NAN,
                                         .middle = NAN,
                                         .p_others = NAN,
                                         .by_others = ABDB_ACCEPT_NONE,
                                         .peer = NAN,
                                         .p_peers = NAN,
                                         .by_peers = ABDB_ACCEPT_NONE,
                                         .shows = NAN};
    }
    return count;
}

/* The rows of one cell, and the values of others for it. */
typedef struct {
    size_t from, rows, others_from, others;
} cell_part;

static cell_part find_rows_and_others_of_cell(const abdb_accept_row *row, size_t count, size_t from,
                                              const abdb_accept_value *others, size_t m)
{
    cell_part part = {.from = from};

    while (from < count && row[from].cell == row[part.from].cell) from++;
    part.rows = from - part.from;
    while (part.others_from < m && others[part.others_from].cell < row[part.from].cell)
        part.others_from++;
    if (part.others_from < m && others[part.others_from].cell == row[part.from].cell)
        part.others = end_of_run_of_cell_or_cell_and_group(others, m, part.others_from, false) -
                      part.others_from;
    return part;
}

/* Tests of the whole report: each raises an alarm by chance. */
static double count_test_families_or_1(const abdb_accept_row *row, size_t count,
                                       const abdb_accept_value *others, size_t m, double *level)
{
    double families = 0;

    for (size_t at = 0; at < count;) {
        cell_part part = find_rows_and_others_of_cell(row, count, at, others, m);
        population p =
            summarize_origins_of_sorted_values(others + part.others_from, part.others, level);

        families += part.rows > ABDB_ACCEPT_PEERS;
        if (p.origins >= ABDB_ACCEPT_ORIGINS) families += (double)part.rows;
        at += part.rows;
    }
    return fmax(1, families);
}

abdb_status abdb_accept_judge_units_by_peers_and_others(abdb_accept_value *here, size_t n,
                                                        abdb_accept_value *others, size_t m,
                                                        const abdb_accept_rule *rule,
                                                        abdb_accept_row **out, size_t *count,
                                                        abdb_error *err)
{
    abdb_accept_row *row = calloc(n + 1, sizeof *row);
    double *level = calloc(m + 1, sizeof *level), families;
    abdb_status st = ABDB_OK;

    if (!row || !level) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu values", n + m));
    for (size_t i = 0; i < n + m; i++)
        if (!isfinite(i < n ? here[i].value : others[i - n].value))
            TRY(ABDB_FAIL(err, ABDB_DATA, "a value to be judged is not finite"));
    abdb_array_sort(here, n, sizeof *here, compare_by_cell_group_and_value);
    abdb_array_sort(others, m, sizeof *others, compare_by_cell_group_and_value);
    *count = fill_row_per_unit_with_median_return_count(here, n, row);
    families = count_test_families_or_1(row, *count, others, m, level);
    for (size_t at = 0; at < *count;) {
        cell_part part = find_rows_and_others_of_cell(row, *count, at, others, m);
        population p =
            summarize_origins_of_sorted_values(others + part.others_from, part.others, level);
        const abdb_accept_rule *r = &rule[row[at].cell];

        for (size_t i = at; i < at + part.rows; i++)
            set_statistics_and_verdict_by_others(&row[i], r, &p, families);
        TRY(remove_outliers_and_judge_units_by_peers(row + at, part.rows, r, families, err));
        for (size_t i = at; i < at + part.rows; i++)
            combine_verdicts_by_peers_and_by_others(&row[i]);
        at += part.rows;
    }
    *out = row;
    row = NULL;
done:
    free(row);
    free(level);
    return st;
}
