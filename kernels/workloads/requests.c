/* requests.c - lengths and arrivals of requests; see requests.h. */
#include "kernels/workloads/requests.h"

#include <math.h>

enum { LONGEST = 4 };
static const double spread = 0.8;

/* Above 0, at most 1. */
static double unit(uint64_t seed, uint64_t i)
{
    return ((double)(abdb_random_at(seed, i) >> 11) + 1) * 0x1p-53;
}

size_t abdb_length_most(int lengths, size_t mean)
{
    return lengths == ABDB_LENGTHS_FIXED     ? mean
           : lengths == ABDB_LENGTHS_UNIFORM ? mean + mean / 2
                                             : LONGEST * mean;
}

size_t abdb_length_draw(int lengths, size_t mean, uint64_t seed, uint64_t i)
{
    size_t low = mean - mean / 2, most = abdb_length_most(lengths, mean), n = mean;

    if (lengths == ABDB_LENGTHS_UNIFORM)
        n = low + (size_t)(abdb_random_at(seed, i) % (most - low + 1));
    if (lengths == ABDB_LENGTHS_LOGNORMAL) {
        /* Box and Muller 1958; the mean of exp(m + spread z) is exp(m + spread^2 / 2). */
        double z = sqrt(-2 * log(unit(seed, 2 * i))) * cos(2 * M_PI * unit(seed, 2 * i + 1));

        n = (size_t)lround((double)mean * exp(spread * z - spread * spread / 2));
    }
    return n < 1 ? 1 : n > most ? most : n;
}

void abdb_arrivals_draw(double rate, uint64_t seed, abdb_request *request, size_t n)
{
    double at = 0;

    for (size_t i = 0; i < n; i++) {
        at -= log(unit(seed, i)) / rate;
        request[i].arrival_s = at;
    }
}
