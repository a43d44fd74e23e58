/* midranks.c - ranks of values, and random numbers; see midranks.h. */
#include "schema/core/midranks.h"

#include <stdlib.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"

static int compare_ranked_by_value(const void *a, const void *b)
{
    return abdb_compare_double(&((const abdb_ranked *)a)->x, &((const abdb_ranked *)b)->x);
}

double abdb_sort_and_set_midranks_sum_ties(abdb_ranked *all, size_t n)
{
    double ties = 0;

    abdb_array_sort(all, n, sizeof *all, compare_ranked_by_value);
    for (size_t i = 0, end; i < n; i = end) {
        double t;

        for (end = i + 1; end < n && all[end].x <= all[i].x; end++) continue;
        t = (double)(end - i);
        ties += t * t * t - t;
        for (size_t k = i; k < end; k++) all[k].twice = i + 1 + end;
    }
    return ties;
}

uint64_t abdb_splitmix64_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
