/* request_generator.c - lengths and arrivals of requests; see request_generator.h. */
#include "kernels/workloads/request_generator.h"

#include <math.h>

enum { LONGEST = 4 };
static const double spread = 0.8;

/* Above 0, at most 1. */
static double random_above_0_to_1(uint64_t seed, uint64_t i)
{
    return ((double)(abdb_random_bits_at(seed, i) >> 11) + 1) * 0x1p-53;
}

size_t abdb_longest_request_length(int distribution, size_t mean)
{
    return distribution == ABDB_LENGTHS_FIXED     ? mean
           : distribution == ABDB_LENGTHS_UNIFORM ? mean + mean / 2
                                                  : LONGEST * mean;
}

size_t abdb_draw_request_length(int distribution, size_t mean, uint64_t seed, uint64_t request)
{
    size_t low = mean - mean / 2, most = abdb_longest_request_length(distribution, mean), n = mean;

    if (distribution == ABDB_LENGTHS_UNIFORM)
        n = low + (size_t)(abdb_random_bits_at(seed, request) % (most - low + 1));
    if (distribution == ABDB_LENGTHS_LOGNORMAL) {
        /* Box and Muller 1958; the mean of exp(m + spread z) is exp(m + spread^2 / 2). */
        double z = sqrt(-2 * log(random_above_0_to_1(seed, 2 * request))) *
                   cos(2 * M_PI * random_above_0_to_1(seed, 2 * request + 1));

        n = (size_t)lround((double)mean * exp(spread * z - spread * spread / 2));
    }
    return n < 1 ? 1 : n > most ? most : n;
}

void abdb_draw_poisson_arrivals(double rate, uint64_t seed, abdb_request *request, size_t n)
{
    double at = 0;

    for (size_t i = 0; i < n; i++) {
        at -= log(random_above_0_to_1(seed, i)) / rate;
        request[i].arrival_s = at;
    }
}
