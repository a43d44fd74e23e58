/* acceptance.c - tests of schema/core/acceptance: values computed a second time, the rules of few
 * origins, properties over drawn populations. tests/campaigns/simulate_acceptance.py counts alarms
 * and finds over thousands. */
#include "schema/core/acceptance.h"

#include <math.h>
#include <stdlib.h>

#include "schema/core/student_t.h"
#include "tests/unit/check.h"

static const abdb_accept_rule usual = {.floor = 0.85, .near = 0.95, .effect = 0.02};

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

/* The verdict on one unit of that value beside others, each of an origin of its own. */
static abdb_accept_row judge_unit_beside_origins_of_one_value(double here, const double *others,
                                                              size_t m)
{
    abdb_accept_value unit = {0, 0, log(here)};
    abdb_accept_value *other = calloc(m + 1, sizeof *other);
    abdb_accept_row *row = NULL, out;
    abdb_error err;
    size_t count;

    for (size_t i = 0; i < m; i++) other[i] = (abdb_accept_value){0, i, log(others[i])};
    assert_int_equal(
        abdb_accept_judge_units_by_peers_and_others(&unit, 1, other, m, &usual, &row, &count, &err),
        ABDB_OK);
    assert_int_equal(count, 1);
    out = row[0];
    free(row);
    free(other);
    return out;
}

static void test_few_origins_give_range_and_weaker_verdict(void **state)
{
    (void)state;
    assert_int_equal(judge_unit_beside_origins_of_one_value(84.9, (double[]){100}, 1).verdict,
                     ABDB_ACCEPT_SLOW);
    assert_int_equal(judge_unit_beside_origins_of_one_value(85.1, (double[]){100}, 1).verdict,
                     ABDB_ACCEPT_UNCLEAR);
    assert_int_equal(judge_unit_beside_origins_of_one_value(94.9, (double[]){100}, 1).verdict,
                     ABDB_ACCEPT_UNCLEAR);
    assert_int_equal(judge_unit_beside_origins_of_one_value(95.1, (double[]){100}, 1).verdict,
                     ABDB_ACCEPT_NORMAL);
    /* slow beside 140, normal beside 100: never their mean */
    assert_int_equal(judge_unit_beside_origins_of_one_value(95.1, (double[]){100, 140}, 2).verdict,
                     ABDB_ACCEPT_NORMAL);
    assert_int_equal(judge_unit_beside_origins_of_one_value(84.9, (double[]){100, 140}, 2).verdict,
                     ABDB_ACCEPT_SLOW);
    assert_int_equal(judge_unit_beside_origins_of_one_value(100, NULL, 0).verdict,
                     ABDB_ACCEPT_NONE);
    assert_true(isnan(judge_unit_beside_origins_of_one_value(100, NULL, 0).shows));
}

static void test_many_origins_give_students_t(void **state)
{
    const double others[] = {100, 101, 99, 102, 98, 100.5};
    double mean = 0, squares = 0, t;
    abdb_accept_row row = judge_unit_beside_origins_of_one_value(93, others, 6);

    (void)state;
    for (size_t i = 0; i < 6; i++) mean += log(others[i]) / 6;
    for (size_t i = 0; i < 6; i++) squares += (log(others[i]) - mean) * (log(others[i]) - mean);
    t = (mean - log(93)) / sqrt(squares / 5 * (1 + 1.0 / 6));
    assert_true(fabs(row.p_others - 0.5 * abdb_student_two_sided_p_of_whole_freedom(t, 5)) < 1e-12);
    assert_int_equal(row.origins, 6);
    assert_int_equal(judge_unit_beside_origins_of_one_value(100, others, 6).by_others,
                     ABDB_ACCEPT_NORMAL);
    assert_int_equal(judge_unit_beside_origins_of_one_value(80, others, 6).by_others,
                     ABDB_ACCEPT_SLOW);
}

/* Units of one cell; the first `slow` at `at` of their speed. */
static abdb_accept_row *judge_drawn_peers_some_of_them_slow(size_t n, size_t slow, double at,
                                                            double spread, double scale)
{
    abdb_accept_value *unit = calloc(n, sizeof *unit);
    abdb_accept_row *row = NULL;
    abdb_error err;
    size_t count;

    for (size_t i = 0; i < n; i++)
        unit[i] = (abdb_accept_value){
            0, i, log(scale) + spread * random_normal() + (i < slow ? log(at) : 0)};
    assert_int_equal(
        abdb_accept_judge_units_by_peers_and_others(unit, n, NULL, 0, &usual, &row, &count, &err),
        ABDB_OK);
    assert_int_equal(count, n);
    free(unit);
    return row;
}

static void test_slow_peers_do_not_hide_one_another(void **state)
{
    (void)state;
    for (seed = 1; seed < 20; seed++) {
        size_t slow = 1 + seed % 5; /* of 18, less than a third */
        abdb_accept_row *row = judge_drawn_peers_some_of_them_slow(18, slow, 0.92, 0.004, 1);

        for (size_t i = 0; i < 18; i++)
            assert_int_equal(row[i].verdict, i < slow ? ABDB_ACCEPT_SLOW : ABDB_ACCEPT_NORMAL);
        free(row);
    }
}

static void test_scale_of_values_does_not_matter(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        abdb_accept_row *small, *large;

        seed = (uint64_t)i;
        small = judge_drawn_peers_some_of_them_slow(9, (size_t)i % 3, 0.9, 0.01, 1);
        seed = (uint64_t)i;
        large = judge_drawn_peers_some_of_them_slow(9, (size_t)i % 3, 0.9, 0.01, 1e12);
        for (size_t k = 0; k < 9; k++) {
            assert_int_equal(small[k].verdict, large[k].verdict);
            assert_true(fabs(small[k].p_peers - large[k].p_peers) < 1e-6);
        }
        free(small);
        free(large);
    }
}

static void test_few_or_equal_peers_are_no_evidence(void **state)
{
    abdb_accept_row *row;

    (void)state;
    seed = 3;
    row = judge_drawn_peers_some_of_them_slow(ABDB_ACCEPT_PEERS, 1, 0.5, 0.001, 1);
    assert_int_equal(row[0].verdict, ABDB_ACCEPT_NONE);
    free(row);
    row = judge_drawn_peers_some_of_them_slow(8, 0, 1, 0, 1); /* all equal: no outlier */
    for (size_t i = 0; i < 8; i++) assert_int_equal(row[i].verdict, ABDB_ACCEPT_NORMAL);
    free(row);
    /* a difference that is certain, and does not matter */
    row = judge_drawn_peers_some_of_them_slow(18, 1, 0.99, 0.0001, 1);
    assert_int_equal(row[0].verdict, ABDB_ACCEPT_NORMAL);
    free(row);
}

static void test_value_that_is_not_finite_is_refused(void **state)
{
    abdb_accept_value here = {0, 0, NAN}, other = {0, 0, INFINITY}, good = {0, 0, 1};
    abdb_accept_row *row = NULL;
    abdb_error err;
    size_t count;

    (void)state;
    assert_int_equal(
        abdb_accept_judge_units_by_peers_and_others(&here, 1, NULL, 0, &usual, &row, &count, &err),
        ABDB_DATA);
    assert_int_equal(abdb_accept_judge_units_by_peers_and_others(&good, 1, &other, 1, &usual, &row,
                                                                 &count, &err),
                     ABDB_DATA);
    assert_null(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_origins_give_range_and_weaker_verdict),
        cmocka_unit_test(test_many_origins_give_students_t),
        cmocka_unit_test(test_slow_peers_do_not_hide_one_another),
        cmocka_unit_test(test_scale_of_values_does_not_matter),
        cmocka_unit_test(test_few_or_equal_peers_are_no_evidence),
        cmocka_unit_test(test_value_that_is_not_finite_is_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
