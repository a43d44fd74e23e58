/* direct.c - the peer of abdb-run-openblas: the same product by a plain call, no harness. Prints
 * the median time of one sgemm of n x n in seconds: direct N */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

#include "timing.h"

enum { SAMPLES = 21, WARM_UPS = 3 };

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    size_t size = (size_t)n * (size_t)n * sizeof(float);
    float *a = aligned_alloc(4096, size), *b = aligned_alloc(4096, size);
    float *c = aligned_alloc(4096, size);
    double time_s[SAMPLES];

    if (!a || !b || !c) return 6;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
        a[i] = (float)rand() / (float)RAND_MAX - 0.5f;
        b[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    }
    for (int i = -WARM_UPS; i < SAMPLES; i++) {
        double start = monotonic_now_s();

        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
        if (i >= 0) time_s[i] = monotonic_now_s() - start;
    }
    qsort(time_s, SAMPLES, sizeof *time_s, compare_double_ascending);
    printf("%.9f %g\n", time_s[SAMPLES / 2], (double)c[0]);
    free(a);
    free(b);
    free(c);
    return 0;
}
