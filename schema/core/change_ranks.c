/* change_ranks.c - the stretch of a series that stands out by ranks; see change_point.h. */
#include "schema/core/change_point.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/midranks.h"
#include "schema/core/stats.h"

enum { SHUFFLES_MOST = 2000000 };

/* Midranks of x[0..n) into rank; the sum of t^3 - t over ties. */
static abdb_status midranks_and_tie_sum(const double *x, size_t n, double *rank, double *ties,
                                        abdb_error *err)
{
    abdb_ranked *all = calloc(n + 1, sizeof *all);

    if (!all) return ABDB_FAIL(err, ABDB_NOMEM, "a series of %zu", n);
    for (size_t i = 0; i < n; i++) all[i] = (abdb_ranked){.x = x[i], .at = i};
    *ties = abdb_sort_and_set_midranks_sum_ties(all, n);
    for (size_t i = 0; i < n; i++) rank[all[i].at] = 0.5 * (double)all[i].twice;
    free(all);
    return ABDB_OK;
}

/* Ranks of a part, and the best stretch of them. */
typedef struct {
    double *rank, *sum; /* sum[i]: of the first i ranks */
    size_t n;
    double spread; /* of a rank sum, over its sizes */
} ranked_series;
typedef struct {
    size_t first, end;
    double z; /* how far its mean rank is from that of the rest, standardised */
} segment;

/* The stretch of the ranked series whose rank sum is furthest from its mean, in standard
 * deviations; z is 0 if there is none. */
static segment find_most_deviating_segment(ranked_series *p)
{
    size_t n = p->n, least = ABDB_PART_LEAST;
    segment best = {0};

    for (size_t i = 0; i < n; i++) p->sum[i + 1] = p->sum[i] + p->rank[i];
    for (size_t i = 0; i + least <= n; i++)
        for (size_t k = i + least; k <= n; k++) {
            double size = (double)(k - i), rest = (double)n - size, away;

            /* No part may be shorter than `least`: neither the part before the stretch, nor the
             * part behind it, nor both together. */
            if ((i && i < least) || (k < n && n - k < least) || k - i + least > n) continue;
            /* The rank sum of a stretch of `size` out of n has mean size (n + 1) / 2 and variance
             * size rest (n + 1 - ties / (n (n - 1))) / 12; spread is the last factor. */
            away = fabs(p->sum[k] - p->sum[i] - size * ((double)n + 1) / 2) /
                   sqrt(size * rest * p->spread);
            if (away > best.z * (1 + 1e-12)) best = (segment){i, k, away};
        }
    return best;
}

/* How often the best stretch of a random order is as good: (1 + such) / (1 + all). Once it is
 * certainly over max_p, further orders are not counted. */
static double permutation_p_early_stop(ranked_series *p, double observed_z, double max_p)
{
    uint64_t state = 20261121;
    /* So many that ten orders as good are still too few. */
    size_t as_good = 1, all = (size_t)fmin(SHUFFLES_MOST, fmax(ABDB_SHUFFLES, ceil(10 / max_p)));

    for (size_t i = 0; i < all; i++) {
        for (size_t k = p->n - 1; k > 0; k--) {
            size_t other = abdb_splitmix64_next(&state) % (k + 1);
            double keep = p->rank[k];

            p->rank[k] = p->rank[other];
            p->rank[other] = keep;
        }
        /* Less by rounding counts as as good: that errs towards caution. */
        as_good += find_most_deviating_segment(p).z >= observed_z - 1e-9;
        if ((double)as_good > max_p * (double)(all + 1)) return 1;
    }
    return (double)as_good / (double)(all + 1);
}

abdb_status abdb_find_stretch_by_ranks(const double *x, size_t n, double alpha, size_t *first,
                                       size_t *end, double *p, abdb_error *err)
{
    ranked_series all = {.n = n};
    double size = (double)n, ties = 0;
    segment found;
    abdb_status st = ABDB_OK;

    *p = 1;
    if (n < 2 * ABDB_PART_LEAST) return ABDB_OK;
    all.rank = calloc(n + 1, sizeof *all.rank);
    all.sum = calloc(n + 1, sizeof *all.sum);
    if (!all.rank || !all.sum) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a series of %zu", n));
    TRY(midranks_and_tie_sum(x, n, all.rank, &ties, err));
    all.spread = (size + 1 - ties / (size * (size - 1))) / 12;
    if (!(all.spread > 1e-12)) goto done; /* all values are one */
    found = find_most_deviating_segment(&all);
    *p = permutation_p_early_stop(&all, found.z, alpha);
    *first = found.first;
    *end = found.end;
done:
    free(all.rank);
    free(all.sum);
    return st;
}
