/* sql_statistics.c - statistics as SQL aggregates and window functions; see sql_statistics.h. */
#include "schema/functions/sql_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"
#include "schema/core/two_sample_test.h"

/* The samples that a function is of: x[0..n), which it may sort, side[0..n) where it takes sides,
 * and its last argument. */
typedef struct {
    double *x;
    const unsigned char *side;
    size_t n;
    double option;
} samples;
typedef struct {
    const char *name;
    int arguments, sides; /* sides: the second argument is one */
    double option;        /* of the last argument, where it is not given */
    int has_option;       /* the last argument is an option */
    /* *has: there is a value; err: the reason of a status other than ABDB_OK. */
    abdb_status (*compute)(const samples *s, double *out, int *has, abdb_error *err);
} statistic;

/* The rows of a group or of a window's frame: a queue x[first..end), because a frame loses its
 * oldest row (xInverse) while new ones come (xStep). */
typedef struct {
    double *x, option;
    unsigned char *side;
    size_t first, end, room;
    int failed;
} sample_queue;

/* quantile(x, q): type 7 of Hyndman and Fan, as abdb_quantile_sorted. */
static abdb_status quantile_of_samples(const samples *s, double *out, int *has, abdb_error *err)
{
    if (!(s->option >= 0 && s->option <= 1))
        return ABDB_FAIL(err, ABDB_DATA, "quantile: q is not in [0, 1]");
    abdb_array_sort(s->x, s->n, sizeof *s->x, abdb_compare_double);
    *out = abdb_quantile_sorted(s->x, s->n, s->option);
    *has = 1;
    return ABDB_OK;
}

/* mad(x): the median absolute deviation from the median. */
static abdb_status mad_of_samples(const samples *s, double *out, int *has, abdb_error *err)
{
    abdb_summary summary = {0};
    abdb_status st = abdb_sort_and_summarise(s->x, s->n, &summary, err);

    *out = summary.mad;
    *has = 1;
    return st;
}

/* stddev(x): the sample standard deviation, NULL for one value. */
static abdb_status stddev_of_samples(const samples *s, double *out, int *has, abdb_error *err)
{
    abdb_summary summary = {0};
    abdb_status st = abdb_sort_and_summarise(s->x, s->n, &summary, err);

    *out = summary.sd;
    *has = s->n > 1;
    return st;
}

/* geomean(x): exp(mean(log x)); an error if a value is not positive. */
static abdb_status geomean_of_samples(const samples *s, double *out, int *has, abdb_error *err)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!(s->x[i] > 0)) return ABDB_FAIL(err, ABDB_DATA, "geomean: a value is not positive");
        sum += log(s->x[i]);
    }
    *out = abdb_exp_rounded_to_13_digits(sum / (double)s->n);
    *has = 1;
    return ABDB_OK;
}

/* hmean(x): n / sum(1 / x); an error if a value is not positive. */
static abdb_status harmonic_mean_of_samples(const samples *s, double *out, int *has,
                                            abdb_error *err)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!(s->x[i] > 0)) return ABDB_FAIL(err, ABDB_DATA, "hmean: a value is not positive");
        sum += 1 / s->x[i];
    }
    *out = (double)s->n / sum;
    *has = 1;
    return ABDB_OK;
}

/* The rank of the lower end of the median's interval; 0: none. */
static abdb_status sort_get_median_interval_rank(const samples *s, size_t *rank, abdb_error *err)
{
    if (!(s->option > 0 && s->option < 1))
        return ABDB_FAIL(err, ABDB_DATA, "ci: the confidence is not in (0, 1)");
    abdb_array_sort(s->x, s->n, sizeof *s->x, abdb_compare_double);
    *rank = abdb_median_interval_lower_rank(s->n, s->option);
    return ABDB_OK;
}

static abdb_status median_interval_low(const samples *s, double *out, int *has, abdb_error *err)
{
    size_t rank = 0;
    abdb_status st = sort_get_median_interval_rank(s, &rank, err);

    if ((*has = rank > 0)) *out = s->x[rank - 1];
    return st;
}

static abdb_status median_interval_high(const samples *s, double *out, int *has, abdb_error *err)
{
    size_t rank = 0;
    abdb_status st = sort_get_median_interval_rank(s, &rank, err);

    if ((*has = rank > 0)) *out = s->x[s->n - rank];
    return st;
}

static abdb_status bootstrapped_median_quantile(const samples *s, double *out, int *has,
                                                abdb_error *err)
{
    *has = 1;
    return abdb_bootstrap_median_quantile(s->x, s->n, s->option, out, err);
}

/* --- two sets --------------------------------------------------------------------------------- */

/* The samples by side, a before b in s->x. *has 0: a side is empty, so there is no value. */
static abdb_status split_samples_by_side(const samples *s, abdb_two_samples *out, int *has,
                                         abdb_error *err)
{
    double *b = malloc((s->n + 1) * sizeof *b);
    size_t m = 0, n = 0;

    *out = (abdb_two_samples){0};
    *has = 0;
    if (!b) return ABDB_FAIL(err, ABDB_NOMEM, "two sides of %zu samples", s->n);
    for (size_t i = 0; i < s->n; i++)
        if (s->side[i])
            b[n++] = s->x[i];
        else
            s->x[m++] = s->x[i];
    memcpy(s->x + m, b, n * sizeof *b);
    free(b);
    *out = (abdb_two_samples){s->x, s->x + m, m, n};
    *has = m && n;
    return ABDB_OK;
}

static abdb_status hodges_lehmann_of_sides(const samples *s, double *out, int *has, abdb_error *err)
{
    abdb_two_samples two;
    abdb_status st = split_samples_by_side(s, &two, has, err);

    return *has ? abdb_hodges_lehmann_ratio(&two, out, err) : st;
}

static abdb_status bootstrapped_ratio_quantile(const samples *s, double *out, int *has,
                                               abdb_error *err)
{
    abdb_two_samples two;
    abdb_status st = split_samples_by_side(s, &two, has, err);

    return *has ? abdb_bootstrap_ratio_quantile(&two, s->option, out, err) : st;
}

static abdb_status mann_whitney_p_of_sides(const samples *s, double *out, int *has, abdb_error *err)
{
    abdb_two_samples two;
    abdb_status st = split_samples_by_side(s, &two, has, err);

    return *has ? abdb_mann_whitney_p(&two, out, NULL, NULL, err) : st;
}

static abdb_status equivalence_p_of_sides(const samples *s, double *out, int *has, abdb_error *err)
{
    abdb_two_samples two;
    abdb_status st = split_samples_by_side(s, &two, has, err);

    return *has ? abdb_equivalence_p_tost(&two, s->option, out, err) : st;
}

static const statistic statistics[] = {
    {"median", 1, 0, 0.5, 0, quantile_of_samples},
    {"quantile", 2, 0, 0, 1, quantile_of_samples},
    {"mad", 1, 0, 0, 0, mad_of_samples},
    {"geomean", 1, 0, 0, 0, geomean_of_samples},
    {"hmean", 1, 0, 0, 0, harmonic_mean_of_samples},
    {"stddev", 1, 0, 0, 0, stddev_of_samples},
    {"ci_low", 1, 0, 0.95, 0, median_interval_low},
    {"ci_low", 2, 0, 0, 1, median_interval_low},
    {"ci_high", 1, 0, 0.95, 0, median_interval_high},
    {"ci_high", 2, 0, 0, 1, median_interval_high},
    {"boot_ci", 2, 0, 0, 1, bootstrapped_median_quantile},
    {"boot_ci", 3, 1, 0, 1, bootstrapped_ratio_quantile},
    {"hl_ratio", 2, 1, 0, 0, hodges_lehmann_of_sides},
    {"mwu_p", 2, 1, 0, 0, mann_whitney_p_of_sides},
    {"tost_p", 3, 1, 0, 1, equivalence_p_of_sides},
};

/* --- SQLite's side ---------------------------------------------------------------------------- */

/* Makes room for one more sample behind the last: moves the samples to the front, or gets more
 * memory. 0: no memory. */
static int ensure_queue_room(sample_queue *q)
{
    size_t live = q->end - q->first, room = q->room, sides = q->room;
    double *x;
    unsigned char *side;

    if (q->end < q->room) return 1;
    if (q->first > live) { /* more room at the front than is needed: move down */
        memmove(q->x, q->x + q->first, live * sizeof *q->x);
        memmove(q->side, q->side + q->first, live);
        q->first = 0;
        q->end = live;
        return 1;
    }
    x = abdb_array_reserve_one(q->x, q->end, &room, sizeof *x);
    if (x) q->x = x;
    side = abdb_array_reserve_one(q->side, q->end, &sides, sizeof *side);
    if (side) q->side = side;
    if (!x || !side) return 0;
    q->room = room;
    return 1;
}

static int value_or_side_is_null(const statistic *f, sqlite3_value **value)
{
    return sqlite3_value_type(value[0]) == SQLITE_NULL ||
           (f->sides && sqlite3_value_type(value[1]) == SQLITE_NULL);
}

/* Appends the value of a row, its side and the option of the function; a row with NULL is left out.
 */
static void aggregate_append_row(sqlite3_context *context, int count, sqlite3_value **value)
{
    const statistic *f = sqlite3_user_data(context);
    sample_queue *q = sqlite3_aggregate_context(context, sizeof *q);

    if (!q || q->failed || value_or_side_is_null(f, value)) return;
    if (!ensure_queue_room(q)) {
        q->failed = 1;
        return;
    }
    q->x[q->end] = sqlite3_value_double(value[0]);
    q->side[q->end++] = f->sides && sqlite3_value_double(value[1]) != 0;
    q->option = f->has_option ? sqlite3_value_double(value[count - 1]) : f->option;
}

/* Drops the value of the row that leaves the window frame. */
static void aggregate_drop_oldest_row(sqlite3_context *context, int count, sqlite3_value **value)
{
    sample_queue *q = sqlite3_aggregate_context(context, sizeof *q);

    (void)count;
    if (q && !q->failed && q->first < q->end &&
        !value_or_side_is_null(sqlite3_user_data(context), value))
        q->first++;
}

/* Computes the statistic of a copy of the samples, so that the frame can go on, and returns it to
 * SQLite. */
static void aggregate_set_result(sqlite3_context *context)
{
    const statistic *f = sqlite3_user_data(context);
    sample_queue *q = sqlite3_aggregate_context(context, 0);
    size_t n = q ? q->end - q->first : 0;
    samples s = {.n = n, .option = q ? q->option : 0};
    double out = 0;
    int has = 0;
    abdb_error err;
    abdb_status st;

    if (q && q->failed) sqlite3_result_error_nomem(context);
    if (!n || q->failed) return;   /* without q there is no n */
    s.x = malloc(n * sizeof *s.x); /* computing sorts, and a frame goes on */
    if (!s.x) {
        sqlite3_result_error_nomem(context);
        return;
    }
    memcpy(s.x, q->x + q->first, n * sizeof *s.x);
    s.side = q->side + q->first;
    st = f->compute(&s, &out, &has, &err);
    if (st == ABDB_NOMEM)
        sqlite3_result_error_nomem(context);
    else if (st != ABDB_OK)
        sqlite3_result_error(context, err.message, -1);
    else if (has)
        sqlite3_result_double(context, out);
    free(s.x);
}

/* Returns the statistic at the end of an aggregate and frees its samples. */
static void aggregate_set_result_and_free(sqlite3_context *context)
{
    sample_queue *q = sqlite3_aggregate_context(context, 0);

    aggregate_set_result(context);
    if (!q) return;
    free(q->x);
    free(q->side);
    *q = (sample_queue){0};
}

int abdb_sql_register_statistics(sqlite3 *db)
{
    int code = SQLITE_OK;

    for (size_t i = 0; i < sizeof statistics / sizeof statistics[0] && code == SQLITE_OK; i++) {
        statistic *f = malloc(sizeof *f); /* SQLite needs it not const and frees it */

        if (!f) return SQLITE_NOMEM;
        *f = statistics[i];
        code = sqlite3_create_window_function(
            db, f->name, f->arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, f,
            aggregate_append_row, aggregate_set_result_and_free, aggregate_set_result,
            aggregate_drop_oldest_row, free);
    }
    return code;
}
