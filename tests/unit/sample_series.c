/* sample_series.c - how often the interval of correlated samples covers their median, and how
 * often a trend or two modes are seen, where the truth is known. THOROUGH=20000
 * build/unit/sample_series prints the table of tests/STATISTICS.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/core/sample_series.h"
#include "tests/unit/check.h"

enum { SAMPLES_MOST = 1000 };
static const double pi = 3.14159265358979323846;
static uint64_t seed = 20261128;

static double random_uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double random_normal(void)
{
    return sqrt(-2 * log(random_uniform())) * cos(2 * pi * random_uniform());
}

static int cases(void)
{
    const char *text = getenv("THOROUGH");
    int n = text ? atoi(text) : 0;

    return n > 1000 ? n : 1000;
}

/* A time of 1 with a noise of `sd`, autoregressive by `phi`, plus `rise` from first to last, plus
 * `apart` with the probability `often`. */
typedef struct {
    double phi, sd, rise, apart, often;
} series_kind;

static void draw_series(const series_kind *k, double *x, size_t n)
{
    double noise = random_normal();

    for (size_t i = 0; i < n; i++) {
        noise = k->phi * noise + sqrt(1 - k->phi * k->phi) * random_normal();
        x[i] = 1 + k->sd * noise + k->rise * (double)i / (double)n +
               (random_uniform() < k->often ? k->apart : 0);
    }
}

typedef struct {
    int covered, intervals, trends, modes;
} series_counts;

static series_counts count_series(const series_kind *k, size_t n, int times)
{
    double x[SAMPLES_MOST];
    series_counts c = {0};
    abdb_series_summary s;
    abdb_error err;

    for (int i = 0; i < times; i++) {
        draw_series(k, x, n);
        assert_ok(abdb_summarise_series(x, n, &s, &err));
        c.intervals += s.has_interval;
        c.covered += s.has_interval && s.low <= 1 && s.high >= 1;
        c.trends += s.trend;
        c.modes += s.two_modes;
    }
    return c;
}

/* 95 % intervals hold what they promise, less what so many cases may miss by chance. */
static void test_intervals_cover_the_median(void **state)
{
    static const size_t sizes[] = {20, 30, 50, 100, 300, 1000};
    static const double phis[] = {0, 0.3, 0.6};
    int times = cases();

    (void)state;
    printf("| samples | correlation 0 | 0.3 | 0.6 |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        printf("| %zu |", sizes[i]);
        for (size_t j = 0; j < 3; j++) {
            series_kind kind = {.phi = phis[j], .sd = 0.01};
            series_counts c = count_series(&kind, sizes[i], times);
            double share = (double)c.covered / c.intervals;

            printf(" %.3f", share);
            if (c.intervals < times)
                printf(" (none: %.0f %%)", 100.0 * (times - c.intervals) / times);
            printf(" |");
            assert_true(share >= 0.93 - 3 * sqrt(0.07 * 0.93 / c.intervals));
        }
        printf("\n");
    }
}

/* Trends and modes that are there are seen, others are not. */
static void test_trends_and_modes_are_seen_and_not_invented(void **state)
{
    static const struct {
        const char *name;
        series_kind kind;
        double trend_least, trend_most, modes_least, modes_most;
    } kinds[] = {
        {"noise 1 %", {.sd = 0.01}, 0, 0.001, 0, 0.001},
        {"noise 5 %", {.sd = 0.05}, 0, 0.005, 0, 0.005},
        {"noise 5 %, correlation 0.6", {.phi = 0.6, .sd = 0.05}, 0, 0.06, 0, 0.02},
        {"rises by 20 %, noise 3 %", {.sd = 0.03, .rise = 0.2}, 0.95, 1, 0, 1},
        {"a third is 20 % slower, noise 1 %",
         {.sd = 0.01, .apart = 0.2, .often = 0.33},
         0,
         0.02,
         0.9,
         1},
        {"one in 20 is 20 % slower, noise 1 %",
         {.sd = 0.01, .apart = 0.2, .often = 0.05},
         0,
         0.01,
         0,
         0.05},
    };
    static const size_t sizes[] = {30, 300};
    int times = cases();

    (void)state;
    printf(
        "| samples | trend, of 30 | of 300 | two modes, of 30 | of 300 |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        double trend[2], modes[2];

        for (size_t j = 0; j < 2; j++) {
            series_counts c = count_series(&kinds[i].kind, sizes[j], times);

            trend[j] = (double)c.trends / times;
            modes[j] = (double)c.modes / times;
        }
        printf("| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", kinds[i].name, 100 * trend[0],
               100 * trend[1], 100 * modes[0], 100 * modes[1]);
        for (size_t j = 0; j < 2; j++) {
            assert_true(trend[j] >= kinds[i].trend_least && trend[j] <= kinds[i].trend_most);
            assert_true(modes[j] >= kinds[i].modes_least && modes[j] <= kinds[i].modes_most);
        }
    }
}

static void test_few_and_equal_samples(void **state)
{
    double same[40], bad[2] = {1, NAN};
    abdb_series_summary s;
    abdb_error err;

    (void)state;
    for (size_t i = 0; i < 40; i++) same[i] = 1e-6;
    assert_ok(abdb_summarise_series(same, 40, &s, &err));
    assert_true(s.has_interval && s.low == 1e-6 && s.high == 1e-6 && !s.trend && !s.two_modes);
    assert_ok(abdb_summarise_series(same, 10, &s, &err));
    assert_true(!s.has_interval);
    assert_ok(abdb_summarise_series(same, 1, &s, &err));
    assert_true(!s.has_interval && !s.trend && !s.two_modes);
    assert_status(abdb_summarise_series(same, 0, &s, &err), ABDB_DATA);
    assert_status(abdb_summarise_series(bad, 2, &s, &err), ABDB_DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals_cover_the_median),
        cmocka_unit_test(test_trends_and_modes_are_seen_and_not_invented),
        cmocka_unit_test(test_few_and_equal_samples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
