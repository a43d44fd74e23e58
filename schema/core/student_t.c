/* student_t.c - Student's t, and p of many tests; see student_t.h. */
#include "schema/core/student_t.h"

#include <math.h>
#include <stdlib.h>

#include "schema/core/array.h"

#define LEAST 1e-15 /* of p: as near to 1 as the other part is known */

enum { NORMAL_FROM = 400 };

double abdb_student_two_sided_p_of_whole_freedom(double t, double freedom)
{
    int n = freedom >= NORMAL_FROM ? NORMAL_FROM : freedom < 1 ? 1 : (int)freedom;
    double angle, c, sum, term = 1, inside;

    t = fabs(t);
    if (n == NORMAL_FROM) return fmax(LEAST, erfc(t / sqrt(2)));
    angle = atan(t / sqrt(n));
    c = cos(angle) * cos(angle);
    sum = n > 1 ? 1 : 0;
    /* Abramowitz and Stegun 26.7.3 (odd) and 26.7.4 (even): a finite series in cos^2 of atan(t /
     * sqrt(n)). */
    for (int k = n % 2 ? 3 : 2; k <= n - 2; k += 2) { /* each term from the one before */
        term *= c * (k - 1) / k;
        sum += term;
    }
    inside = n % 2 ? (angle + sin(angle) * cos(angle) * sum) * 2 / acos(-1) : sin(angle) * sum;
    return fmax(LEAST, 1 - inside);
}

double abdb_student_two_sided_critical_t(double p, double freedom)
{
    double low = 0, high = 1;

    /* p falls as t grows: an upper end by doubling, then bisection. */
    while (high < 1e12 && abdb_student_two_sided_p_of_whole_freedom(high, freedom) > p) high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);

        if (abdb_student_two_sided_p_of_whole_freedom(middle, freedom) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* --- many tests ------------------------------------------------------------------------------- */

typedef struct {
    double p;
    size_t at;
} test;

static int compare_p_values(const void *a, const void *b)
{
    const test *x = a, *y = b;

    return (x->p > y->p) - (x->p < y->p);
}

int abdb_holm_adjust_p(const double *p, size_t n, double *adjusted)
{
    test *tests = calloc(n + 1, sizeof *tests);
    size_t count = 0;
    double least = 0;

    if (!tests) return 0;
    for (size_t i = 0; i < n; i++) {
        adjusted[i] = p[i];
        if (!isnan(p[i])) tests[count++] = (test){p[i], i};
    }
    abdb_array_sort(tests, count, sizeof *tests, compare_p_values);
    for (size_t i = 0; i < count; i++) {
        /* Step down: the i-th smallest p times the tests that are left, never below the one
         * before. */
        least = fmax(least, fmin(1, (double)(count - i) * tests[i].p));
        adjusted[tests[i].at] = least;
    }
    free(tests);
    return 1;
}
