/* statistics.c - tests of schema/core/twosample and of the SQL statistics, each against a second
 * algorithm (enumeration) or a published table. */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/midranks.h"
#include "schema/core/stats.h"
#include "schema/core/two_sample_test.h"
#include "schema/functions/sql_functions.h"
#include "tests/unit/check.h"

/* A sanitizer's allocator is its own. */
#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static uint64_t seed = 42;
static double random_uniform(void) /* another generator than the one under test */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double sum_of_midranks_of_subset(const double *all, size_t count, unsigned long subset_bits)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double rank = 0.5;

        if (!(subset_bits >> i & 1)) continue;
        for (size_t k = 0; k < count; k++) rank += all[k] < all[i] ? 1 : all[k] > all[i] ? 0 : 0.5;
        sum += rank;
    }
    return sum;
}

/* Mann-Whitney by looking at every choice of n out of m + n. */
static void mann_whitney_by_enumeration(const abdb_two_samples *two, double *less, double *greater)
{
    double all[24], total = 0, low = 0, high = 0, seen;
    size_t count = two->m + two->n;

    memcpy(all, two->a, two->m * sizeof *all);
    memcpy(all + two->m, two->b, two->n * sizeof *all);
    seen = sum_of_midranks_of_subset(all, count, ((1ul << two->n) - 1) << two->m);
    for (unsigned long pick = 0; pick < 1ul << count; pick++) {
        double sum;

        if ((size_t)__builtin_popcountl(pick) != two->n) continue;
        sum = sum_of_midranks_of_subset(all, count, pick);
        total++;
        low += sum <= seen;
        high += sum >= seen;
    }
    *less = low / total;
    *greater = high / total;
}

static void test_mann_whitney_matches_enumeration(void **state)
{
    abdb_error err;
    double a[12], b[12], both, less, greater, want_less, want_greater;

    (void)state;
    for (int round = 0; round < 60; round++) {
        abdb_two_samples two = {a, b, 1 + (size_t)(random_uniform() * 6),
                                1 + (size_t)(random_uniform() * 7)};
        double grain = round % 2 ? 3 : 1e6; /* every other round with ties */

        for (size_t i = 0; i < two.m; i++) a[i] = 1 + floor(random_uniform() * grain);
        for (size_t i = 0; i < two.n; i++) b[i] = 1 + floor(random_uniform() * grain * 1.3);
        assert_ok(abdb_mann_whitney_p(&two, &both, &less, &greater, &err));
        mann_whitney_by_enumeration(&two, &want_less, &want_greater);
        assert_true(fabs(less - want_less) < 1e-12);
        assert_true(fabs(greater - want_greater) < 1e-12);
        assert_true(fabs(both - fmin(1, 2 * fmin(less, greater))) < 1e-12);
    }
}

/* The smallest two-sided p is 2/C(m+n, m): 0.029 for 4 and 4, 0.0079 for 5 and 5. Critical values
 * of U at 0.05 two-sided for 8 and 8: 13 (Mann and Whitney 1947; every textbook's table). */
static void test_mann_whitney_matches_tables(void **state)
{
    double a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10}, p;
    abdb_two_samples two = {a, b, 4, 4};
    double c[8], d[8];
    abdb_error err;

    (void)state;
    assert_ok(abdb_mann_whitney_p(&two, &p, NULL, NULL, &err));
    assert_true(fabs(p - 2 / 70.0) < 1e-12);
    two = (abdb_two_samples){a, b, 5, 5};
    assert_ok(abdb_mann_whitney_p(&two, &p, NULL, NULL, &err));
    assert_true(fabs(p - 2 / 252.0) < 1e-12);
    for (int u = 13; u <= 14; u++) { /* U = 13 is significant, U = 14 is not */
        int left = u;

        for (int i = 0; i < 8; i++) c[i] = 100 + 10 * i;
        for (int i = 0; i < 8; i++) { /* b[i] stands above `up` of a; the sum of up is u */
            int up = left / (8 - i);

            left -= up;
            d[i] = 95 + 10 * up + 0.1 * i;
        }
        two = (abdb_two_samples){c, d, 8, 8};
        assert_ok(abdb_mann_whitney_p(&two, &p, NULL, NULL, &err));
        assert_int_equal(p <= 0.05, u == 13);
    }
}

/* At the border between exact and normal both say nearly the same. */
static void test_normal_p_is_near_exact_p(void **state)
{
    double a[40], b[40], exact, normal;
    abdb_two_samples two = {a, b, 32, 32};
    abdb_error err;

    (void)state;
    for (int i = 0; i < 40; i++) {
        a[i] = 1 + random_uniform();
        b[i] = 1.1 + random_uniform();
    }
    assert_ok(abdb_mann_whitney_p(&two, &exact, NULL, NULL, &err));
    two.m = 33;
    assert_ok(abdb_mann_whitney_p(&two, &normal, NULL, NULL, &err));
    assert_true(fabs(log(exact / normal)) < 0.8);
    assert_true(exact > 0 && exact < 1);
}

static int compare_double_ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

static void test_hodges_lehmann_is_median_ratio(void **state)
{
    double a[9], b[7], d[63], there, back, low, high;
    abdb_two_samples two = {a, b, 9, 7}, inverse = {b, a, 7, 9};
    bool has;
    abdb_error err;

    (void)state;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 9; i++) a[i] = 1 + random_uniform();
        for (int i = 0; i < 7; i++) b[i] = 2 + random_uniform();
        for (int i = 0; i < 63; i++) d[i] = b[i % 7] / a[i / 7];
        qsort(d, 63, sizeof *d, compare_double_ascending);
        assert_ok(abdb_hodges_lehmann_ratio(&two, &there, &err));
        assert_true(fabs(there - d[31]) < 1e-12);
        assert_ok(abdb_hodges_lehmann_ratio(&inverse, &back, &err));
        assert_true(fabs(there * back - 1) < 1e-12);
        assert_ok(abdb_hodges_lehmann_interval(&two, 0.95, &low, &high, &has, &err));
        assert_true(has && low <= there && there <= high);
        /* critical U of 9 and 7 at 0.05 two-sided is 12: the 13th smallest and largest ratio */
        assert_true(fabs(low - d[12]) < 1e-12 && fabs(high - d[50]) < 1e-12);
    }
    two.n = two.m = 2;
    assert_ok(abdb_hodges_lehmann_interval(&two, 0.95, &low, &high, &has, &err));
    assert_false(has);
}

/* TOST is two one-sided Mann-Whitney tests against shifted margins: done by enumeration. */
static void test_tost_is_two_one_sided_tests(void **state)
{
    double a[] = {1, 1.001, 1.002, 0.999, 0.998, 1.0005}, b[6], up[6], down[6], p, x, y, z;
    abdb_error err;

    (void)state;
    for (int i = 0; i < 6; i++) b[i] = a[i] * 1.0011;
    for (int i = 0; i < 6; i++) {
        up[i] = b[i] * 1.01;
        down[i] = b[i] / 1.01;
    }
    assert_ok(abdb_equivalence_p_tost(&(abdb_two_samples){a, b, 6, 6}, 0.01, &p, &err));
    mann_whitney_by_enumeration(&(abdb_two_samples){a, up, 6, 6}, &x, &y);
    mann_whitney_by_enumeration(&(abdb_two_samples){a, down, 6, 6}, &z, &x);
    assert_true(fabs(p - fmax(y, z)) < 1e-12);
    assert_true(p < 0.01);
    assert_status(abdb_equivalence_p_tost(&(abdb_two_samples){a, b, 6, 6}, 0, &p, &err), ABDB_DATA);
}

/* All 27 x 27 resamples of three and three, against 10,000 random ones. */
static void test_bootstrap_matches_all_resamples(void **state)
{
    double a[] = {1, 2, 4}, b[] = {3, 5, 9}, all[729], got;
    size_t k = 0;
    abdb_error err;

    (void)state;
    for (int i = 0; i < 27; i++)
        for (int j = 0; j < 27; j++) {
            double x[] = {a[i % 3], a[i / 3 % 3], a[i / 9]},
                   y[] = {b[j % 3], b[j / 3 % 3], b[j / 9]};

            qsort(x, 3, sizeof *x, compare_double_ascending);
            qsort(y, 3, sizeof *y, compare_double_ascending);
            all[k++] = y[1] / x[1];
        }
    qsort(all, 729, sizeof *all, compare_double_ascending);
    for (double q = 0.03; q < 1; q += 0.235) {
        size_t below = 0, above = 0;

        assert_ok(abdb_bootstrap_ratio_quantile(&(abdb_two_samples){a, b, 3, 3}, q, &got, &err));
        for (int i = 0; i < 729; i++) {
            below += all[i] < got - 1e-9;
            above += all[i] > got + 1e-9;
        }
        assert_true((double)below / 729 <= q + 0.02 && (double)above / 729 <= 1 - q + 0.02);
    }
    assert_ok(abdb_bootstrap_median_quantile(a, 3, 0.5, &got, &err));
    assert_true(got > 1.99 && got < 2.01);
}

/* Order statistics of the median: the published table for 95 % (David and Nagaraja): n 6: 1,
 * 10: 2, 15: 4, 20: 6, 25: 8, 50: 18; none below 6. Beyond 1,000 the normal approximation goes on.
 */
static void test_median_ranks_match_tables(void **state)
{
    static const size_t want[][2] = {{5, 0}, {6, 1}, {10, 2}, {15, 4}, {20, 6}, {25, 8}, {50, 18}};
    size_t before = abdb_median_interval_lower_rank(1000, 0.95),
           after = abdb_median_interval_lower_rank(1001, 0.95);

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        assert_int_equal(abdb_median_interval_lower_rank(want[i][0], 0.95), want[i][1]);
    assert_true(after >= before && after <= before + 2);
    assert_true(abdb_median_interval_lower_rank(100000, 0.95) > 49600 &&
                abdb_median_interval_lower_rank(100000, 0.95) < 49700);
}

/* --- in SQL ----------------------------------------------------------------------------------- */

static double query_double_or_nan(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s;
    double out = NAN;

    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
    if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
        out = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return out;
}

static void test_sql_statistics_match_known_values(void **state)
{
    static const struct {
        const char *sql;
        double want; /* NAN: NULL, or an error */
    } cases[] = {
        {"SELECT median(x) FROM t", 3},
        {"SELECT median(x) FROM t WHERE x < 0", NAN},
        {"SELECT quantile(x, 0.25) FROM t", 2},
        {"SELECT quantile(x, 2) FROM t", NAN},
        {"SELECT mad(x) FROM t", 1},
        {"SELECT geomean(x) FROM t", 2.605171084697352},
        {"SELECT geomean(x - 1) FROM t", NAN},
        {"SELECT hmean(x) FROM t", 300.0 / 137},
        {"SELECT hmean(x - 3) FROM t", NAN},
        {"SELECT stddev(x) FROM t", 1.5811388300841898},
        {"SELECT stddev(x) FROM t WHERE x = 1", NAN},
        {"SELECT ci_low(x) FROM t", NAN}, /* five are too few for 95 % */
        {"SELECT ci_low(x, 0.9) FROM t", 1},
        {"SELECT ci_high(x, 0.9) FROM t", 5},
        {"SELECT ci_high(x, 7) FROM t", NAN},
        {"SELECT hl_ratio(x, x > 2) FROM t", 2.7386127875258306},
        {"SELECT hl_ratio(x, 0) FROM t", NAN},
        {"SELECT mwu_p(x, x > 2) FROM t", 0.2},
        {"SELECT tost_p(x, x > 2, 0.01) FROM t", 1},
        {"SELECT boot_ci(x, 0.5) FROM t", 3},
        {"SELECT boot_ci(7, 1, 0.5)", NAN},
        /* as window functions: the frame loses its oldest row */
        {"SELECT max(m) FROM (SELECT median(x) OVER (ORDER BY x ROWS 2 PRECEDING) AS m FROM t)", 4},
        {"SELECT sum(m) FROM (SELECT median(x) OVER (ORDER BY x ROWS 2 PRECEDING) AS m FROM t)",
         1 + 1.5 + 2 + 3 + 4},
        {"SELECT count(*) FROM (SELECT hl_ratio(x, x % 2) OVER (ORDER BY x ROWS 1 PRECEDING) AS m "
         "FROM t) "
         "WHERE m IS NOT NULL",
         4},
        {"SELECT m FROM (SELECT x, geomean(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND 1 "
         "FOLLOWING) AS m "
         "FROM t) WHERE x = 5",
         4.47213595499958},
    };
    sqlite3 *db;

    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(abdb_sql_register_functions(db), SQLITE_OK);
    sqlite3_exec(db, "CREATE TABLE t (x); INSERT INTO t VALUES (3), (1), (NULL), (5), (2), (4)",
                 NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double got = query_double_or_nan(db, cases[i].sql);

        if (isnan(cases[i].want) ? !isnan(got) : !(fabs(got - cases[i].want) < 1e-9))
            fail_msg("%s: %.17g, not %.17g", cases[i].sql, got, cases[i].want);
    }
    /* a long window, so that the queue moves and grows: against sorting each frame anew in SQL */
    assert_true(
        query_double_or_nan(
            db, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700), "
                "v AS (SELECT i, (i * 7919) % 701 AS x FROM n), "
                "w AS (SELECT i, median(x) OVER (ORDER BY i ROWS 20 PRECEDING) AS m FROM v) "
                "SELECT count(*) FROM w WHERE i > 20 AND m <> (SELECT x FROM v WHERE v.i BETWEEN "
                "w.i - 20 "
                "AND w.i ORDER BY x LIMIT 1 OFFSET 10)") < 0.5);
    sqlite3_close(db);
}

#ifndef SANITIZED
/* An allocation of this many bytes fails; 0: none. */
static size_t refused;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

void *malloc(size_t size)
{
    return refused && size == refused ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refused && count * size == refused ? NULL : __libc_calloc(count, size);
}

/* Without memory a statistic is an error, never NULL, which says that there is no value. */
static void test_failed_allocation_is_an_sql_error(void **state)
{
    enum { N = 4099 }; /* so that no other allocation has these sizes */
    static const struct {
        const char *sql;
        size_t bytes;
    } cases[] = {
        {"SELECT hl_ratio(x, x % 2) FROM t", (N + 1) * sizeof(double)},
        {"SELECT boot_ci(x, x % 2, 0.95) FROM t", (N + 1) * sizeof(double)},
        {"SELECT mwu_p(x, x % 2) FROM t", (N + 1) * sizeof(double)},
        {"SELECT tost_p(x, x % 2, 1.05) FROM t", (N + 1) * sizeof(double)},
        {"SELECT mad(x) FROM t", N * sizeof(double)},
        {"SELECT stddev(x) FROM t", N * sizeof(double)},
    };
    sqlite3 *db;

    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(abdb_sql_register_functions(db), SQLITE_OK);
    sqlite3_exec(db,
                 "CREATE TABLE t (x); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1"
                 " FROM n WHERE i < 4099) INSERT INTO t SELECT i FROM n",
                 NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sqlite3_stmt *s;
        int code;

        assert_int_equal(sqlite3_prepare_v2(db, cases[i].sql, -1, &s, NULL), SQLITE_OK);
        refused = cases[i].bytes;
        code = sqlite3_step(s);
        refused = 0;
        if (code != SQLITE_NOMEM) fail_msg("%s: code %d without memory", cases[i].sql, code);
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
}
#endif

/* Ranks that sums of others give, each with the place it came from; the generator's numbers are
 * those that its authors publish. */
static void test_midranks_and_splitmix_as_published(void **state)
{
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u, 4593380528125082431u,
                                         16408922859458223821u};
    static const double x[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
    enum { N = sizeof x / sizeof x[0] };
    abdb_ranked all[N];
    uint64_t from = 1234567;

    (void)state;
    for (size_t i = 0; i < N; i++) all[i] = (abdb_ranked){.x = x[i], .at = i};
    assert_true(fabs(abdb_sort_and_set_midranks_sum_ties(all, N) - (6 + 6 + 24)) <
                1e-9); /* 1 1, 3 3, 5 5 5 */
    for (size_t i = 0; i < N; i++) {
        assert_true(fabs(all[i].x - x[all[i].at]) < 1e-9);
        assert_true(fabs((double)all[i].twice -
                         2 * sum_of_midranks_of_subset(x, N, 1ul << all[i].at)) < 1e-9);
    }
    assert_true(abdb_sort_and_set_midranks_sum_ties(all, 0) <= 0);
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        assert_true(abdb_splitmix64_next(&from) == published[i]);
}

/* What was a decimal of 13 digits before its logarithm was taken is it again. */
static void test_exp_of_log_restores_decimals(void **state)
{
    static const double cases[] = {0.11, 0.22, 3, 1e-9, 4.94e-5, 27803.9, 1e15, 0.001, 123456.789};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(abdb_exp_rounded_to_13_digits(log(cases[i])) == cases[i]);
        assert_true(abdb_exp_rounded_to_13_digits((log(cases[i]) + log(cases[i]) + log(cases[i])) /
                                                  3) == cases[i]);
    }
    for (int i = 1; i < 100000; i++) {
        double value = i / 1000.0;

        if (abdb_exp_rounded_to_13_digits(log(value)) != value)
            fail_msg("%.17g", abdb_exp_rounded_to_13_digits(log(value)));
    }
    assert_true(abdb_expm1_rounded_to_13_digits(log1p(0.001)) == 0.001);
    assert_true(abdb_expm1_rounded_to_13_digits(log1p(0.05)) == 0.05);
    assert_true(abdb_expm1_rounded_to_13_digits(0) == 0);
    assert_true(isnan(abdb_exp_rounded_to_13_digits(NAN)) &&
                isinf(abdb_exp_rounded_to_13_digits(INFINITY)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mann_whitney_matches_enumeration),
        cmocka_unit_test(test_mann_whitney_matches_tables),
        cmocka_unit_test(test_normal_p_is_near_exact_p),
        cmocka_unit_test(test_hodges_lehmann_is_median_ratio),
        cmocka_unit_test(test_tost_is_two_one_sided_tests),
        cmocka_unit_test(test_bootstrap_matches_all_resamples),
        cmocka_unit_test(test_median_ranks_match_tables),
        cmocka_unit_test(test_sql_statistics_match_known_values),
        cmocka_unit_test(test_exp_of_log_restores_decimals),
        cmocka_unit_test(test_midranks_and_splitmix_as_published),
#ifndef SANITIZED
        cmocka_unit_test(test_failed_allocation_is_an_sql_error),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
