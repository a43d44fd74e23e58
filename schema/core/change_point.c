/* change_point.c - where a series changes its level; see change_point.h. */
#include "schema/core/change_point.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/midranks.h"
#include "schema/core/stats.h"
#include "schema/core/two_sample_test.h"

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

            /* No part may be shorter than `least`: neither what stands before the stretch, nor
             * behind it, nor the rest together. */
            if ((i && i < least) || (k < n && n - k < least) || k - i + least > n) continue;
            /* The rank sum of a stretch of `size` out of n has mean size (n + 1) / 2 and variance
             * size rest (n + 1 - ties / (n (n - 1))) / 12; spread is the last factor. */
            away = fabs(p->sum[k] - p->sum[i] - size * ((double)n + 1) / 2) /
                   sqrt(size * rest * p->spread);
            if (away > best.z * (1 + 1e-12)) best = (segment){i, k, away};
        }
    return best;
}

/* How often the best stretch of a random order is as good: (1 + such) / (1 + all). Once it is over
 * `most` for certain, what is left is not counted. */
static double permutation_p_early_stop(ranked_series *p, double observed_z, double max_p)
{
    uint64_t state = 20261121;
    /* So many that ten orders as good are still too few; of more series than alpha SHUFFLES_MOST /
     * 10 it takes fewer, down to none: see can_corrected_p_reach_alpha. */
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

/* The least p that is to be had, of no order as good, times the series, must not be over alpha. */
static bool can_corrected_p_reach_alpha(size_t series_count, double alpha)
{
    return (double)series_count <= alpha * (SHUFFLES_MOST + 1.0);
}

/* The stretch of x[first..end) that has evidence, if there is one; *p is of it. */
static abdb_status find_segment_and_corrected_p(const double *x, size_t first, size_t end,
                                                size_t series, double alpha, segment *out,
                                                double *p, abdb_error *err)
{
    ranked_series all = {.n = end - first};
    double size = (double)all.n, ties = 0;
    abdb_status st = ABDB_OK;

    *p = 1;
    if (all.n < 2 * ABDB_PART_LEAST) return ABDB_OK;
    all.rank = calloc(all.n + 1, sizeof *all.rank);
    all.sum = calloc(all.n + 1, sizeof *all.sum);
    if (!all.rank || !all.sum) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a series of %zu", all.n));
    TRY(midranks_and_tie_sum(x + first, all.n, all.rank, &ties, err));
    all.spread = (size + 1 - ties / (size * (size - 1))) / 12;
    if (!(all.spread > 1e-12)) goto done; /* all values are one */
    *out = find_most_deviating_segment(&all);
    /* Bonferroni over the series that are looked at together. */
    *p = fmin(1, permutation_p_early_stop(&all, out->z, alpha / (double)series) * (double)series);
    out->first += first;
    out->end += first;
done:
    free(all.rank);
    free(all.sum);
    return st;
}

static double median_of_copy(const double *x, size_t n, double *room)
{
    memcpy(room, x, n * sizeof *room);
    abdb_array_sort(room, n, sizeof *room, abdb_compare_double);
    return abdb_quantile_sorted(room, n, 0.5);
}

static int compare_change_position(const void *a, const void *b)
{
    size_t x = ((const abdb_change *)a)->at, y = ((const abdb_change *)b)->at;

    return (x > y) - (x < y);
}

/* Ratios of neighbouring levels; changes that are too small, or that the two levels alone do not
 * bear out, go. */
static abdb_status set_level_ratios_drop_insignificant_changes(const double *x, size_t n,
                                                               double alpha,
                                                               double least_relative_change,
                                                               abdb_change *change, size_t *count,
                                                               abdb_error *err)
{
    double *room = calloc(n + 1, sizeof *room);
    size_t kept = 0;
    abdb_status st = ABDB_OK;

    if (!room) return ABDB_FAIL(err, ABDB_NOMEM, "a series of %zu", n);
    for (size_t i = 0; i < *count; i++) {
        size_t from = kept ? change[kept - 1].at : 0, at = change[i].at;
        size_t to = i + 1 < *count ? change[i + 1].at : n;
        abdb_two_samples two = {x + from, x + at, at - from, to - at};
        double p;

        TRY(abdb_mann_whitney_p(&two, &p, NULL, NULL, err));
        change[i].ratio =
            median_of_copy(x + at, to - at, room) / median_of_copy(x + from, at - from, room);
        if (p <= alpha && fabs(log(change[i].ratio)) >= log(1 + least_relative_change))
            change[kept++] = change[i];
    }
    *count = kept;
done:
    free(room);
    return st;
}

typedef struct {
    size_t first, end;
} span;

/* Ends of a stretch that are no ends of the span part[at] are changes: there it falls apart, the
 * first part stays in its place. */
static void split_span_append_change_points(span *part, size_t at, size_t *parts,
                                            const segment *segment_found, double p,
                                            abdb_change *out, size_t *count)
{
    const size_t edge[2] = {segment_found->end, segment_found->first}; /* from behind */

    for (int i = 0; i < 2; i++) {
        if (edge[i] <= part[at].first || edge[i] >= part[at].end) continue;
        out[(*count)++] = (abdb_change){.at = edge[i], .p = p};
        part[(*parts)++] = (span){edge[i], part[at].end};
        part[at].end = edge[i];
    }
}

abdb_status abdb_find_change_points(const double *x, size_t n, size_t series, double alpha,
                                    double least_relative_change, abdb_change out[ABDB_CHANGES_MAX],
                                    size_t *count, abdb_error *err)
{
    span part[ABDB_CHANGES_MAX + 2] = {{0, n}};
    size_t parts = 1;
    abdb_status st = ABDB_OK;

    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || x[i] <= 0)
            return ABDB_FAIL(err, ABDB_DATA, "value %zu of a series is not a positive number",
                             i + 1);
    if (n >= 2 * ABDB_PART_LEAST && !can_corrected_p_reach_alpha(series, alpha))
        return ABDB_FAIL(err, ABDB_LIMIT,
                         "%zu series are too many to look at together: of more than %.0f none could"
                         " show a change",
                         series, floor(alpha * (SHUFFLES_MOST + 1.0)));
    /* A part that falls apart is looked at again before the next: `i` moves on only where nothing
     * is found. */
    for (size_t i = 0; i < parts && *count + 2 <= ABDB_CHANGES_MAX;) {
        segment found = {0};
        double p;

        TRY(find_segment_and_corrected_p(x, part[i].first, part[i].end, series, alpha, &found, &p,
                                         err));
        if (p > alpha) {
            i++;
            continue;
        }
        split_span_append_change_points(part, i, &parts, &found, p, out, count);
    }
    abdb_array_sort(out, *count, sizeof *out, compare_change_position);
    TRY(set_level_ratios_drop_insignificant_changes(x, n, alpha, least_relative_change, out, count,
                                                    err));
done:
    return st;
}
