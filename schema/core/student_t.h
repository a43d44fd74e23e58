/* student_t.h - Student's t, and p of many tests. Sources: Abramowitz and Stegun (1964), 26.7.3 and
 * 26.7.4, for the tail; Holm (1979) for many tests.
 */
#ifndef ABDB_CORE_STUDENT_H
#define ABDB_CORE_STUDENT_H

#include <stddef.h>

/* P(|T| >= |t|) of so many degrees of freedom: rounded down to a whole number, which errs towards
 * caution, at least 1; above 400 the normal distribution. At least 1e-15. */
double abdb_student_two_sided_p_of_whole_freedom(double t, double freedom);
/* The t that is exceeded in size with probability p in (0, 1). */
double abdb_student_two_sided_critical_t(double p, double freedom);
/* Holm: adjusted[i] is the smallest family-wise level at which test i is rejected. NAN stays NAN
 * and is none of the tests. 0: no memory. */
int abdb_holm_adjust_p(const double *p, size_t n, double *adjusted);

#endif
