/* change.c - where a series changes its level; see change.h. */
#include "schema/core/change.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/stats.h"

typedef struct {
    double x, rank;
    size_t at;
} ranked;

static int by_value(const void *a, const void *b)
{
    return abdb_compare_double(&((const ranked *)a)->x, &((const ranked *)b)->x);
}

/* Midranks of x[0..n) into rank; the sum of t^3 - t over ties. */
static abdb_status midranks(const double *x, size_t n, double *rank, double *ties, abdb_error *err)
{
    ranked *all = calloc(n + 1, sizeof *all);

    if (!all) return ABDB_FAIL(err, ABDB_NOMEM, "a series of %zu", n);
    for (size_t i = 0; i < n; i++) all[i] = (ranked){.x = x[i], .at = i};
    qsort(all, n, sizeof *all, by_value);
    *ties = 0;
    for (size_t i = 0, end; i < n; i = end) {
        double t;

        for (end = i + 1; end < n && all[end].x <= all[i].x; end++) continue;
        t = (double)(end - i);
        *ties += t * t * t - t;
        for (size_t k = i; k < end; k++) rank[all[k].at] = 0.5 * (double)(i + end + 1);
    }
    free(all);
    return ABDB_OK;
}

/* The largest standardised distance of a split, and where; least values on each side. */
static double best_split(const double *rank, size_t n, double ties, size_t *at)
{
    double sum = 0, best = 0, size = (double)n, spread = size + 1 - ties / (size * (size - 1));

    for (size_t k = 1; k + ABDB_PART_LEAST <= n; k++) {
        double z, left = (double)k;

        sum += rank[k - 1];
        if (k < ABDB_PART_LEAST || !(spread > 0)) continue;
        z = fabs(sum - left * (size + 1) / 2) / sqrt(left * (size - left) * spread / 12);
        if (z <= best) continue;
        best = z;
        if (at) *at = k;
    }
    return best;
}

static uint64_t split_mix(uint64_t *state) /* Steele, Lea, Flood: SplitMix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* How often the best split of a random order is as good: (1 + such) / (1 + all). */
static double shuffled_p(double *rank, size_t n, double ties, double best)
{
    uint64_t state = 20261121;
    size_t as_good = 1;

    for (size_t i = 0; i < ABDB_SHUFFLES; i++) {
        for (size_t k = n - 1; k > 0; k--) {
            size_t other = split_mix(&state) % (k + 1);
            double keep = rank[k];

            rank[k] = rank[other];
            rank[other] = keep;
        }
        as_good += best_split(rank, n, ties, NULL) >= best - 1e-9;
    }
    return (double)as_good / (ABDB_SHUFFLES + 1);
}

/* The change of one part, if it has evidence: found[0] or none. */
static abdb_status look(const double *x, size_t first, size_t end, size_t series, double alpha,
                        abdb_change *found, bool *has, abdb_error *err)
{
    size_t n = end - first, at = 0;
    double *rank = calloc(n + 1, sizeof *rank), ties = 0, best;
    abdb_status st = ABDB_OK;

    *has = false;
    if (!rank) return ABDB_FAIL(err, ABDB_NOMEM, "a series of %zu", n);
    if (n < 2 * ABDB_PART_LEAST) goto done;
    TRY(midranks(x + first, n, rank, &ties, err));
    best = best_split(rank, n, ties, &at);
    if (!(best > 0)) goto done;
    found->at = first + at;
    found->p = fmin(1, shuffled_p(rank, n, ties, best) * (double)series);
    *has = found->p <= alpha;
done:
    free(rank);
    return st;
}

static double median_of(const double *x, size_t n, double *room)
{
    memcpy(room, x, n * sizeof *room);
    qsort(room, n, sizeof *room, abdb_compare_double);
    return abdb_quantile_sorted(room, n, 0.5);
}

static int by_place(const void *a, const void *b)
{
    size_t x = ((const abdb_change *)a)->at, y = ((const abdb_change *)b)->at;

    return (x > y) - (x < y);
}

/* Ratios of neighbouring levels; changes that are too small go. */
static abdb_status measure(const double *x, size_t n, double effect, abdb_change *change,
                           size_t *count, abdb_error *err)
{
    double *room = calloc(n + 1, sizeof *room);
    size_t kept = 0;

    if (!room) return ABDB_FAIL(err, ABDB_NOMEM, "a series of %zu", n);
    for (size_t i = 0; i < *count; i++) {
        size_t from = kept ? change[kept - 1].at : 0, at = change[i].at;
        size_t to = i + 1 < *count ? change[i + 1].at : n;

        change[i].ratio =
            median_of(x + at, to - at, room) / median_of(x + from, at - from, room);
        if (fabs(log(change[i].ratio)) >= log(1 + effect)) change[kept++] = change[i];
    }
    *count = kept;
    free(room);
    return ABDB_OK;
}

abdb_status abdb_changes(const double *x, size_t n, size_t series, double alpha, double effect,
                         abdb_change out[ABDB_CHANGES_MAX], size_t *count, abdb_error *err)
{
    struct {
        size_t first, end;
    } part[ABDB_CHANGES_MAX + 1] = {{0, n}};
    size_t parts = 1;
    abdb_status st = ABDB_OK;

    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || x[i] <= 0)
            return ABDB_FAIL(err, ABDB_DATA, "value %zu of a series is not a positive number",
                             i + 1);
    for (size_t i = 0; i < parts && *count < ABDB_CHANGES_MAX;) {
        size_t end = part[i].end;
        abdb_change *next = &out[*count];
        bool has;

        TRY(look(x, part[i].first, end, series, alpha, next, &has, err));
        if (!has) {
            i++;
            continue;
        }
        part[i].end = next->at; /* the left part is looked at next, the right one at its turn */
        part[parts].first = next->at;
        part[parts++].end = end;
        ++*count;
    }
    qsort(out, *count, sizeof *out, by_place);
    TRY(measure(x, n, effect, out, count, err));
done:
    return st;
}
