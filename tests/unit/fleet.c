/* fleet.c - tests of schema/core/fleet: what is no evidence, an outcome computed a second time, and
 * fleets of known truth. tests/campaigns/simulate_fleets.py draws hundreds more. */
#include "schema/core/fleet.h"

#include <math.h>
#include <stdlib.h>

#include "schema/core/student_t.h"
#include "tests/unit/check.h"

static const abdb_fleet_options usual = {.alpha = 0.001, .effect = 0.01};

static uint64_t seed;
static double random_uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double random_normal(void)
{
    return sqrt(-2 * log(random_uniform())) * cos(2 * acos(-1) * random_uniform());
}

/* Nodes x processes x cells; a process of a node has one luck in all cells. Node 0 is slower by
 * log_slowdown, in slow_cell alone where that is a cell. */
static size_t draw_fleet_measurements_with_slow_node_0(abdb_fleet_measurement *seen, size_t nodes,
                                                       size_t processes, size_t cells,
                                                       double log_slowdown, size_t slow_cell)
{
    size_t n = 0;

    for (size_t k = 0; k < nodes; k++) {
        double node = 0.003 * random_normal();

        for (size_t p = 0; p < processes; p++) {
            double luck = 0.004 * random_normal();

            for (size_t c = 0; c < cells; c++)
                seen[n++] = (abdb_fleet_measurement){
                    k, c, k * processes + p,
                    (double)c + node + luck +
                        (!k && (slow_cell == c || slow_cell >= cells) ? log_slowdown : 0)};
        }
    }
    return n;
}

enum { MOST = 4096 };
static abdb_fleet_measurement seen[MOST];

static abdb_fleet_row *compare_fleet_nodes_return_rows(size_t measurements, size_t *rows)
{
    abdb_fleet_row *row;
    abdb_error err;

    assert_ok(
        abdb_fleet_test_each_node_against_peers(seen, measurements, &usual, &row, rows, &err));
    return row;
}

static void test_few_nodes_or_processes_is_too_few(void **state)
{
    static const struct {
        size_t nodes, processes;
    } few[] = {{1, 10}, {2, 10}, {5, 10}, {16, 4}, {1, 1}};
    size_t rows;
    abdb_error err;
    abdb_fleet_row *row;

    (void)state;
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        seed = i;
        row = compare_fleet_nodes_return_rows(
            draw_fleet_measurements_with_slow_node_0(seen, few[i].nodes, few[i].processes, 2, 1,
                                                     SIZE_MAX),
            &rows);
        assert_int_equal(rows, 3 * few[i].nodes);
        for (size_t k = 0; k < rows; k++) {
            assert_int_equal(row[k].verdict, ABDB_VERDICT_TOO_FEW);
            assert_true(isnan(row[k].p_corrected) && isnan(row[k].ratio));
            assert_int_equal(row[k].processes, few[i].processes);
        }
        free(row);
    }
    row = compare_fleet_nodes_return_rows(0, &rows);
    assert_int_equal(rows, 0);
    free(row);
    seen[0] = (abdb_fleet_measurement){0, 0, 0, NAN};
    assert_int_equal(abdb_fleet_test_each_node_against_peers(seen, 1, &usual, &row, &rows, &err),
                     ABDB_DATA);
    assert_null(row);
}

/* Six nodes, five processes, one cell, small whole numbers: every step by hand. Peers of node 0
 * have the medians 1 2 3 4 9 (times 0.01): reference 0.03; less it -2 -1 0 1 6. Trimmed: one at
 * each end, mean 0, Winsorised -1 -1 0 1 1, squares 4, error^2 4/(3 x 2) = 2/3, a node's variance
 * 5 x 2/3 = 10/3 with 2 degrees of freedom. Node 0 is 48 50 50 50 52, less 3: 45 47 47 47 49:
 * mean 47, Winsorised 47 47 47 47 47: no error of its own. */
static void test_six_nodes_match_hand_computation(void **state)
{
    static const double middle[] = {0.50, 0.01, 0.02, 0.03, 0.04, 0.09};
    size_t n = 0, rows;
    double error, freedom, p;
    abdb_fleet_row *row;

    (void)state;
    for (size_t k = 0; k < 6; k++)
        for (size_t i = 0; i < 5; i++) {
            double off = i == 0 ? -0.02 : i == 4 ? 0.02 : 0;

            seen[n] = (abdb_fleet_measurement){k, 0, n, middle[k] + off};
            n++;
        }
    row = compare_fleet_nodes_return_rows(n, &rows);
    assert_int_equal(rows, 6);
    assert_int_equal(row[0].peers, 5);
    assert_int_equal(row[0].processes, 5);
    assert_true(fabs(log(row[0].ratio) - 0.47) < 1e-12);
    error = 0.01 * sqrt(2.0 / 3 + 10.0 / 3);
    freedom = 16 / ((2.0 / 3) * (2.0 / 3) / 2 + (10.0 / 3) * (10.0 / 3) / 2);
    p = abdb_student_two_sided_p_of_whole_freedom(0.47 / error, freedom);
    assert_true(fabs(row[0].p_corrected / (6 * p) - 1) < 1e-9); /* Holm: the least of six */
    assert_true(fabs(log(row[0].low) - 0.47 +
                     abdb_student_two_sided_critical_t(0.001, freedom) * error) < 1e-9);
    assert_int_equal(row[0].verdict, ABDB_VERDICT_UNCLEAR); /* two degrees of freedom */
    free(row);
}

/* A node that is slower is found, over all cells or in the one where it is; others are not. */
static void test_only_the_slow_node_is_found(void **state)
{
    size_t rows;

    (void)state;
    for (size_t only = 0; only < 3; only++) {
        abdb_fleet_row *row;
        size_t odd = 0;

        seed = 7 + only;
        row = compare_fleet_nodes_return_rows(
            draw_fleet_measurements_with_slow_node_0(seen, 16, 10, 2, log(1.1), only), &rows);
        assert_int_equal(rows, 48);
        for (size_t i = 0; i < rows; i++)
            odd += row[i].node && row[i].verdict != ABDB_VERDICT_UNCLEAR &&
                   row[i].verdict != ABDB_VERDICT_SAME;
        assert_int_equal(odd, 0);
        assert_int_equal(row[0].cell == ABDB_FLEET_ALL && row[0].cells == 2, 1);
        for (size_t c = 0; c < 2; c++) { /* rows of node 0 */
            const abdb_fleet_row *one = &row[16 + c];

            assert_int_equal(one->cell, c);
            assert_int_equal(one->verdict == ABDB_VERDICT_SLOWER, only == c || only == 2);
        }
        if (only == 2) {
            assert_int_equal(row[0].verdict, ABDB_VERDICT_SLOWER);
            assert_true(row[0].low < 1.1 && row[0].high > 1.1 && row[0].low > 1.05);
            assert_true(row[0].detectable_change > 0.01 && row[0].detectable_change < 0.1);
        }
        free(row);
    }
}

/* Who measured a cell alone is judged by the others; what a process says twice counts once; order
 * does not matter. */
static void test_repeats_and_order_change_nothing(void **state)
{
    size_t n, rows, again;
    abdb_fleet_row *row, *other;

    (void)state;
    seed = 3;
    n = draw_fleet_measurements_with_slow_node_0(seen, 8, 6, 2, 0, SIZE_MAX);
    for (size_t i = 0; i < n; i++) seen[n + i] = seen[i]; /* all of it twice */
    row = compare_fleet_nodes_return_rows(2 * n, &rows);
    seed = 3;
    n = draw_fleet_measurements_with_slow_node_0(seen, 8, 6, 2, 0, SIZE_MAX);
    for (size_t p = 0; p < 6; p++)
        seen[n++] = (abdb_fleet_measurement){0, 2, p, 9}; /* nobody's cell */
    for (size_t i = 0; i < n / 2; i++) {
        abdb_fleet_measurement swap = seen[i];

        seen[i] = seen[n - 1 - i];
        seen[n - 1 - i] = swap;
    }
    other = compare_fleet_nodes_return_rows(n, &again);
    assert_int_equal(again, rows + 1);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(other[i].processes, 6);
        assert_int_equal(other[i].cells, 2);
        assert_true(fabs(row[i].ratio / other[i].ratio - 1) < 1e-12);
    }
    for (size_t i = 8; i < again; i++)
        if (other[i].cell == 2) assert_int_equal(other[i].verdict, ABDB_VERDICT_TOO_FEW);
    free(row);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_few_nodes_or_processes_is_too_few),
                                       cmocka_unit_test(test_six_nodes_match_hand_computation),
                                       cmocka_unit_test(test_only_the_slow_node_is_found),
                                       cmocka_unit_test(test_repeats_and_order_change_nothing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
