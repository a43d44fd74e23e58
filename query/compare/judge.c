/* judge.c - what the groups of a pair say, by how much they differ, and on what evidence; see
 * compare.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/grow.h"

#include "query/compare/compare.h"
#include "schema/core/stats.h"

enum {
    SAMPLES_MAX = 4096
}; /* of one side: more are thinned evenly, so that all pairs can be held */

typedef struct {
    double *x;
    size_t n, room;
} pool;

static abdb_status put(pool *p, double x, abdb_error *err)
{
    double *more = abdb_grow(p->x, p->n, &p->room, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "samples");
    p->x = more;
    p->x[p->n++] = x;
    return ABDB_OK;
}

/* Samples of one member in the unit of its value: of its own times, or of its rate out of the times
 * of the same run. None: nothing is added. */
static abdb_status member_samples(abdb_comparison *c, const abdb_set *set, size_t at, pool *out,
                                  abdb_error *err)
{
    bool is_time = strcmp(abdb_member_text(set, at, ABDB_M_metric), "time_s") == 0;
    abdb_binds binds = {0};
    abdb_table t = {0};
    double median, *sorted = NULL;
    abdb_status st = ABDB_OK;

    (void)abdb_bind_add_text(&binds, abdb_member_text(set, at, ABDB_M_result_id));
    TRY(abdb_rows(c->db,
                  is_time ? "SELECT value FROM sample WHERE result_id = CAST(?1 AS INTEGER)"
                            " AND coalesce(rank, 0) < 1 ORDER BY seq"
                          : "SELECT s.value FROM result o JOIN result r ON r.entry_id = o.entry_id"
                            " JOIN sample s ON s.result_id = r.result_id WHERE o.result_id ="
                            " CAST(?1 AS INTEGER) AND r.metric = 'time_s'"
                            " AND coalesce(s.rank, 0) < 1 ORDER BY s.seq",
                  &binds, &t, err));
    if (!t.rows) goto done;
    sorted = calloc(t.rows, sizeof *sorted);
    if (!sorted) TRY(ABDB_FAIL(err, ABDB_NOMEM, "samples"));
    for (size_t i = 0; i < t.rows; i++) sorted[i] = abdb_cell_number(&t, i, 0);
    for (size_t i = 0; i < t.rows; i++)
        if (!(sorted[i] > 0)) goto done; /* no ratio of such samples */
    {
        abdb_summary s;

        TRY(abdb_summarise(sorted, t.rows, &s, err));
        median = s.median;
    }
    for (size_t i = 0; i < t.rows; i++) {
        double x = abdb_cell_number(&t, i, 0);

        TRY(put(out, is_time ? x : set->member[at].value * median / x, err));
    }
done:
    free(sorted);
    abdb_table_free(&t);
    return st;
}

static void thin(pool *p)
{
    size_t step = (p->n + SAMPLES_MAX - 1) / SAMPLES_MAX, kept = 0;

    if (p->n <= SAMPLES_MAX) return;
    for (size_t i = 0; i < p->n; i += step) p->x[kept++] = p->x[i];
    p->n = kept;
}

static bool counts(const abdb_member *m)
{
    return !m->why && isfinite(m->value);
}

/* All members measured, and with samples: they are repeated runs of one cell. */
static abdb_status side_samples(abdb_comparison *c, abdb_side side, pool *out, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < side.group->count; i++) {
        size_t at = side.group->member[i], before = out->n;

        if (!counts(&side.set->member[at])) continue;
        if (strcmp(abdb_member_text(side.set, at, ABDB_M_evidence), "measured") == 0)
            TRY(member_samples(c, side.set, at, out, err));
        if (out->n == before) { /* one without samples: the group has none */
            out->n = 0;
            break;
        }
    }
    thin(out);
done:
    return st;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* One number for a side: its best member, or the median. low and high are its worst and best
 * (not least and most: of times the low one is the longest); picked is the member whose value it
 * is. */
static abdb_status summarise_side(abdb_side side, bool higher, abdb_pick pick, const pool *samples,
                                  abdb_summary_of *out, abdb_error *err)
{
    double *x = calloc(side.group->count + 1, sizeof *x), best;

    *out = (abdb_summary_of){.value = NAN, .low = NAN, .high = NAN, .picked = SIZE_MAX};
    if (!x) return ABDB_FAIL(err, ABDB_NOMEM, "values");
    for (size_t i = 0; i < side.group->count; i++) {
        const abdb_member *m = &side.set->member[side.group->member[i]];

        if (counts(m)) {
            x[out->n++] = m->value;
        } else {
            out->left_out++;
            if (!out->why) out->why = m->why;
        }
    }
    if (out->n) {
        qsort(x, out->n, sizeof *x, by_value);
        out->low = higher ? x[0] : x[out->n - 1]; /* the worst */
        out->high = best = higher ? x[out->n - 1] : x[0];
        out->value = pick == ABDB_PICK_MEDIAN ? abdb_quantile_sorted(x, out->n, 0.5) : best;
        for (size_t i = 0; i < side.group->count && out->picked == SIZE_MAX; i++) {
            const abdb_member *m = &side.set->member[side.group->member[i]];

            if (counts(m) && fabs(m->value - out->value) <= 1e-12 * fabs(out->value))
                out->picked = side.group->member[i];
        }
    }
    out->sampled = samples->n > 0;
    free(x);
    return ABDB_OK;
}

/* The median of the samples, without touching their order. */
static abdb_status median_of(const pool *p, double *out, abdb_error *err)
{
    double *x = calloc(p->n, sizeof *x);

    if (!x) return ABDB_FAIL(err, ABDB_NOMEM, "samples");
    memcpy(x, p->x, p->n * sizeof *x);
    qsort(x, p->n, sizeof *x, by_value);
    *out = abdb_quantile_sorted(x, p->n, 0.5);
    free(x);
    return ABDB_OK;
}

static const char *unit_of(abdb_side side)
{
    for (size_t i = 0; i < side.group->count; i++)
        if (counts(&side.set->member[side.group->member[i]]))
            return side.set->member[side.group->member[i]].unit;
    return "";
}

abdb_status abdb_pair_judge(abdb_comparison *c, abdb_pair *pair, abdb_error *err)
{
    const abdb_compare_options *o = c->options;
    pool a = {0}, b = {0};
    abdb_status st = ABDB_OK;

    pair->higher = strcmp(abdb_member_text(pair->a.set, pair->a.group->member[0], ABDB_M_better),
                          "lower") != 0;
    pair->difference = (abdb_difference){.ratio = NAN, .verdict = ABDB_VERDICT_STATED};
    TRY(side_samples(c, pair->a, &a, err));
    TRY(side_samples(c, pair->b, &b, err));
    if (!a.n || !b.n) a.n = b.n = 0;
    TRY(summarise_side(pair->a, pair->higher, o->pick, &a, &pair->left, err));
    TRY(summarise_side(pair->b, pair->higher, o->pick, &b, &pair->right, err));
    pair->unit = unit_of(pair->a);
    if (!pair->left.n || !pair->right.n) goto done;
    if (a.n) {
        abdb_two two = {a.x, b.x, a.n, b.n};

        TRY(median_of(&a, &pair->left.value, err));
        TRY(median_of(&b, &pair->right.value, err));
        TRY(abdb_two_judge(&two, pair->higher, o->effect > 0 ? o->effect : 0.01,
                           o->alpha > 0 ? o->alpha : 0.01, &pair->difference, err));
        pair->has_ratio = true;
    } else if (pair->left.value > 0 && pair->right.value > 0) {
        pair->difference.ratio = pair->right.value / pair->left.value;
        pair->has_ratio = true;
    }
done:
    free(a.x);
    free(b.x);
    return st;
}
