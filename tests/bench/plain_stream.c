/* plain_stream.c - the four loops of STREAM as C says them, for the compiler to make fast (OpenMP,
 * -O3 -march=native): what abdb's are held against where McCalpin's program is absent. Prints the
 * median seconds of one pass: plain_stream copy|scale|add|triad N */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum { SAMPLES = 21, WARM_UPS = 3 };

static void run_copy_scale_add_or_triad(char op, double *restrict a, const double *restrict b,
                                        const double *restrict c, long n)
{
    if (op == 'c')
#pragma omp parallel for
        for (long i = 0; i < n; i++) a[i] = b[i];
    else if (op == 's')
#pragma omp parallel for
        for (long i = 0; i < n; i++) a[i] = 0.4 * b[i];
    else if (op == 'a')
#pragma omp parallel for
        for (long i = 0; i < n; i++) a[i] = b[i] + c[i];
    else
#pragma omp parallel for
        for (long i = 0; i < n; i++) a[i] = b[i] + 0.4 * c[i];
}

int main(int argc, char **argv)
{
    long n = argc > 2 ? atol(argv[2]) : 16777216;
    size_t size = (size_t)n * sizeof(double);
    double *a = aligned_alloc(4096, size), *b = aligned_alloc(4096, size),
           *c = aligned_alloc(4096, size), time_s[SAMPLES];

    if (argc < 3 || !a || !b || !c) return 6;
#pragma omp parallel for
    for (long i = 0; i < n; i++) a[i] = b[i] = c[i] = 1;
    for (int i = -WARM_UPS; i < SAMPLES; i++) {
        double start = monotonic_now_s();

        run_copy_scale_add_or_triad(argv[1][0], a, b, c, n);
        if (i >= 0) time_s[i] = monotonic_now_s() - start;
    }
    qsort(time_s, SAMPLES, sizeof *time_s, compare_double_ascending);
    printf("%.9f %g\n", time_s[SAMPLES / 2], a[n / 2]);
    return 0;
}
