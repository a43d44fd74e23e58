/* curve_reading.c - tests of query/compare/curve_reading: properties over random curves, and values
 * by hand. */
#include <math.h>
#include <stdlib.h>

#include "query/compare/curve_reading.h"
#include "tests/unit/check.h"

enum { POINTS = 9, CURVES = 300 };

static uint64_t seed = 77;
static double random_uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static size_t make_curve(abdb_curve_point *point)
{
    size_t n = 1 + (size_t)(random_uniform() * POINTS);

    for (size_t i = 0; i < n; i++)
        point[i] = (abdb_curve_point){0.01 * (1 + (double)i) * (0.6 + random_uniform()),
                                      100 * (1 + (double)i) / (1 + 0.1 * (double)i) *
                                          (0.7 + 0.6 * random_uniform())};
    if (n > 2 && random_uniform() < 0.3) point[1] = point[2]; /* twice the same */
    if (n > 4 && random_uniform() < 0.3) point[3].latency = point[4].latency;
    return n;
}

static abdb_curve_answer read_at(const abdb_curve_point *p, size_t n, double limit,
                                 abdb_curve_method method)
{
    abdb_curve_answer a;
    abdb_error err;

    assert_int_equal(abdb_curve_read_at_limit(p, n, limit, method, &a, &err), ABDB_OK);
    return a;
}

/* The step is the best measured point within the limit, found by looking at all. */
static void step_is_best_measured_point(void **unused)
{
    abdb_curve_point p[POINTS];

    (void)unused;
    for (int i = 0; i < CURVES; i++) {
        size_t n = make_curve(p);
        double limit = 0.12 * random_uniform(), best = NAN;
        abdb_curve_answer a = read_at(p, n, limit, ABDB_CURVE_STEP);

        for (size_t k = 0; k < n; k++)
            if (p[k].latency <= limit && !(p[k].rate <= best)) best = p[k].rate;
        assert_int_equal(isnan(best), a.standing == ABDB_CURVE_TOO_SHORT);
        if (!isnan(best)) assert_true(a.rate == best && p[a.low].rate == best && a.low == a.high);
    }
}

/* What is interpolated passes through the points, never falls as the limit rises, stays between the
 * two steps around it, and ends at the ends. */
static void interpolation_stays_within_its_points(void **unused)
{
    abdb_curve_point p[POINTS];

    (void)unused;
    for (int i = 0; i < CURVES; i++) {
        size_t n = make_curve(p);
        abdb_curve_method method = i % 2 ? ABDB_CURVE_LINEAR : ABDB_CURVE_MONOTONE;
        abdb_curve_answer ends = read_at(p, n, 1, method);
        double last = 0;

        assert_int_equal(ends.standing, ABDB_CURVE_CLAMPED);
        assert_true(ends.rate == read_at(p, n, 1, ABDB_CURVE_STEP).rate);
        assert_int_equal(read_at(p, n, ends.shortest * 0.999, method).standing,
                         ABDB_CURVE_TOO_SHORT);
        for (double x = ends.shortest; x <= ends.longest;
             x += (ends.longest - ends.shortest) / 97) {
            abdb_curve_answer a = read_at(p, n, x, method);

            assert_int_equal(a.standing, ABDB_CURVE_WITHIN);
            assert_true(a.rate >= last * (1 - 1e-12));
            assert_true(a.rate >= p[a.low].rate * (1 - 1e-12) &&
                        a.rate <= p[a.high].rate * (1 + 1e-12));
            last = a.rate;
            if (ends.longest == ends.shortest) break;
        }
        for (size_t k = 0; k < n; k++) {
            abdb_curve_answer a = read_at(p, n, p[k].latency, method);

            assert_true(a.rate >= p[k].rate); /* equal on the front */
        }
    }
}

/* By hand: slopes 2.5 and 6/7 at the ends of the first interval. */
static void monotone_cubic_by_hand(void **unused)
{
    static const abdb_curve_point p[] = {{1, 1}, {2, 3}, {4, 4}};

    (void)unused;
    assert_true(fabs(read_at(p, 3, 1.5, ABDB_CURVE_MONOTONE).rate - (2 + (2.5 - 6. / 7) / 8)) <
                1e-12);
}

/* By hand: three points on a line and one off it. */
static void errors_of_points_left_out(void **unused)
{
    static const abdb_curve_point p[] = {
        {0.04, 500}, {0.01, 100}, {0.02, 200}, {0.03, 300}, {0.05, 90}};
    double error[5];
    size_t errors;
    abdb_error err;

    (void)unused;
    assert_int_equal(abdb_curve_leave_each_out(p, 5, ABDB_CURVE_LINEAR, error, &errors, &err),
                     ABDB_OK);
    assert_int_equal(errors, 2); /* 0.05 is no point of the front */
    assert_true(fabs(error[0]) < 1e-12 && fabs(error[1] - (350. / 300 - 1)) < 1e-12);
    assert_int_equal(abdb_curve_leave_each_out(p, 5, ABDB_CURVE_STEP, error, &errors, &err),
                     ABDB_OK);
    assert_int_equal(errors, 0);
    assert_int_equal(abdb_curve_leave_each_out(p, 2, ABDB_CURVE_MONOTONE, error, &errors, &err),
                     ABDB_OK);
    assert_int_equal(errors, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(step_is_best_measured_point),
                                       cmocka_unit_test(interpolation_stays_within_its_points),
                                       cmocka_unit_test(monotone_cubic_by_hand),
                                       cmocka_unit_test(errors_of_points_left_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
