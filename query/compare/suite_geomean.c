/* suite_geomean.c - one number over all groups of a ranking, and over the part of them that several
 * have; see rank.h. */
#include "query/compare/like_for_like.h"
#include "query/compare/rank.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"

/* SUITE_MAX: groups, one bit each of a part; PARTS_MAX: intersections that are tried. */
enum { SUITE_MAX = 64, PARTS_MAX = 4096, NAMED_MAX = 12 };

/* Groups of the suite, and who has which: bit k of has[i] is group[k] of name row[i]. */
typedef struct {
    abdb_ranking *r;
    const char *baseline;
    size_t groups, rows;
    size_t group[SUITE_MAX];
    abdb_ranked *row;
    uint64_t *has;
} suite;

static const abdb_ranked *find_ranked_row_of_group_and_name(const abdb_ranking *r, size_t group,
                                                            const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->row[i].group == group && strcmp(r->row[i].name, name) == 0) return &r->row[i];
    return NULL;
}

/* Does an earlier group of the suite carry this number under another accuracy target? */
static bool repeats_number_of_other_target(const abdb_ranking *r, const abdb_ranked *row,
                                           size_t group)
{
    for (size_t g = 0; g < group; g++) {
        const abdb_ranked *other = find_ranked_row_of_group_and_name(r, g, row->name);

        if (other && abdb_is_same_mlperf_number_under_other_target(
                         &r->set, row->member, row->value, &r->set, other->member, other->value))
            return true;
    }
    return false;
}

/* How many times better a name is than the baseline in a group, whatever the direction of its
 * metric; NAN: one of them has no result above zero, or they are not alike. */
static double improvement_ratio_to_baseline_if_alike(const suite *s, size_t group, const char *name)
{
    const abdb_ranking *r = s->r;
    const abdb_ranked *base = find_ranked_row_of_group_and_name(r, group, s->baseline),
                      *own = find_ranked_row_of_group_and_name(r, group, name);
    abdb_arena arena = {0};
    abdb_single_member_side a, b;
    double ratio;
    bool alike;

    if (!base || !own || !(own->value > 0) || !(base->value > 0)) return NAN;
    if (own == base) return 1; /* whatever is not known of it, it is like itself */
    abdb_make_single_member_side(&a, &r->set, base->member);
    abdb_make_single_member_side(&b, &r->set, own->member);
    alike = !*abdb_describe_unlike_factors(a.side, b.side, r->per, &arena);
    abdb_arena_free(&arena);
    if (!alike) return NAN;
    ratio = abdb_ranking_group_is_higher(r, group) ? own->value / base->value
                                                   : base->value / own->value;
    return isfinite(ratio) && ratio > 0 ? ratio : NAN;
}

static int count_set_bits(uint64_t x)
{
    int n = 0;

    for (; x; x &= x - 1) n++;
    return n;
}

static size_t count_names_having_all_of_subset(const suite *s, uint64_t subset)
{
    size_t n = 0;

    for (size_t i = 0; i < s->rows; i++) n += (s->has[i] & subset) == subset;
    return n;
}

/* How many benchmarks and scenarios a part is of: accuracy targets of one are no more of them. */
static size_t count_distinct_benchmark_scenarios_of_subset(const suite *s, uint64_t subset)
{
    const abdb_ranking *r = s->r;
    size_t n = 0;

    for (size_t k = 0; k < s->groups; k++) {
        size_t at = r->groups.group[s->group[k]].member[0];
        bool seen = !(subset >> k & 1);

        for (size_t m = 0; m < k && !seen; m++) {
            size_t other = r->groups.group[s->group[m]].member[0];

            seen = subset >> m & 1 &&
                   strcmp(abdb_member_text(&r->set, at, ABDB_M_benchmark),
                          abdb_member_text(&r->set, other, ABDB_M_benchmark)) == 0 &&
                   strcmp(abdb_member_text(&r->set, at, ABDB_M_scenario),
                          abdb_member_text(&r->set, other, ABDB_M_scenario)) == 0;
        }
        n += !seen;
    }
    return n;
}

/* The part of the suite that two or more have, of the most benchmarks times names; of equals, of
 * the most groups. The shared groups of some names are the intersection of their sets, so these
 * are all made, each once. 0: none. */
static uint64_t find_subset_with_most_benchmarks_times_names(const suite *s)
{
    uint64_t *part = calloc(PARTS_MAX, sizeof *part), best = 0;
    size_t parts = 0, most = 0;

    if (!part) {
        abdb_count_allocation_failure();
        return 0;
    }
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = 0, before = parts; k <= before && parts < PARTS_MAX; k++) {
            uint64_t one = k == before ? s->has[i] : s->has[i] & part[k];
            bool seen = !one;

            for (size_t m = 0; m < parts && !seen; m++) seen = part[m] == one;
            if (!seen) part[parts++] = one;
        }
    for (size_t i = 0; i < parts; i++) {
        size_t names = count_names_having_all_of_subset(s, part[i]),
               area = names * count_distinct_benchmark_scenarios_of_subset(s, part[i]);

        if (names < 2 || area < most ||
            (area == most && count_set_bits(part[i]) <= count_set_bits(best)))
            continue;
        most = area;
        best = part[i];
    }
    free(part);
    return best;
}

/* "B300-SXM, GB300" or "llama2-70b-99 Server, ...", the first few. */
static void append_to_limited_list(abdb_text *out, size_t *listed, const char *text,
                                   const char *suffix)
{
    if ((*listed)++ < NAMED_MAX)
        abdb_text_printf(out, "%s%s%s%s", *listed > 1 ? ", " : "", text, *suffix ? " " : "",
                         suffix);
    else if (*listed == NAMED_MAX + 1)
        abdb_text_puts(out, ", ...");
}

/* Writes which benchmarks the ranked names have in common, and who has them. */
static void describe_common_subset_in_ranking(const suite *s, uint64_t subset)
{
    const abdb_ranking *r = s->r;
    abdb_text *out = &s->r->common;
    size_t n = 0;

    abdb_text_printf(out,
                     "%d of %zu benchmarks and scenarios, which %zu have: ", count_set_bits(subset),
                     s->groups, count_names_having_all_of_subset(s, subset));
    for (size_t k = 0; k < s->groups; k++) {
        size_t at = r->groups.group[s->group[k]].member[0];
        const char *model = abdb_member_text(&r->set, at, ABDB_M_model);

        if (subset >> k & 1)
            append_to_limited_list(out, &n,
                                   *model ? model : abdb_member_text(&r->set, at, ABDB_M_workload),
                                   abdb_member_text(&r->set, at, ABDB_M_scenario));
    }
    abdb_text_puts(out, " (");
    n = 0;
    for (size_t i = 0; i < s->rows; i++)
        if ((s->has[i] & subset) == subset) append_to_limited_list(out, &n, s->row[i].name, "");
    abdb_text_puts(out, ")");
}

static int compare_geomean_descending_then_name(const void *a, const void *b)
{
    const abdb_ranked *x = a, *y = b;

    if (x->geomean < y->geomean || x->geomean > y->geomean) return x->geomean > y->geomean ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The groups of the baseline, except groups that repeat a number; false: too many. */
static bool collect_baseline_groups_without_repeats(suite *s)
{
    abdb_ranking *r = s->r;

    r->twins = 0;
    for (size_t g = 0; g < r->groups.count; g++) {
        const abdb_ranked *base = find_ranked_row_of_group_and_name(r, g, s->baseline);

        if (!base) continue;
        if (repeats_number_of_other_target(r, base, g)) {
            r->twins++;
        } else {
            if (s->groups == SUITE_MAX) return false;
            s->group[s->groups++] = g;
        }
    }
    return true;
}

/* Lists each ranked name once, with a bit for each group in which it has a ratio. */
static void collect_names_with_group_bits(suite *s)
{
    const abdb_ranking *r = s->r;

    for (size_t i = 0; i < r->count; i++) {
        bool seen = false;

        for (size_t k = 0; k < s->rows && !seen; k++)
            seen = strcmp(s->row[k].name, r->row[i].name) == 0;
        if (seen) continue;
        s->row[s->rows] = r->row[i];
        for (size_t k = 0; k < s->groups; k++)
            if (!isnan(improvement_ratio_to_baseline_if_alike(s, s->group[k], r->row[i].name)))
                s->has[s->rows] |= (uint64_t)1 << k;
        s->rows++;
    }
}

/* Ranks names with all groups of a subset, best first; excludes names that lack one. */
static void rank_subset_by_geomean(suite *s, uint64_t subset)
{
    abdb_ranking *r = s->r;
    size_t count = 0;

    r->suite = (size_t)count_set_bits(subset);
    for (size_t i = 0; i < s->rows; i++) {
        abdb_ranked row = s->row[i];
        double sum = 0;

        row.n = (size_t)count_set_bits(s->has[i] & subset);
        if (row.n < r->suite) {
            abdb_text_printf(&r->excluded, "%s%s (%zu of %zu)", r->excluded.size ? ", " : "",
                             row.name, row.n, r->suite);
            continue;
        }
        for (size_t k = 0; k < s->groups; k++)
            if (subset >> k & 1)
                sum += log(improvement_ratio_to_baseline_if_alike(s, s->group[k], row.name));
        row.geomean = abdb_exp_rounded_to_13_digits(sum / (double)row.n);
        row.unlike = "";
        s->row[count++] = row;
    }
    s->rows = count;
    abdb_array_sort(s->row, count, sizeof *s->row, compare_geomean_descending_then_name);
    for (size_t i = 0; i < count; i++) s->row[i].place = i + 1;
}

abdb_status abdb_ranking_replace_rows_by_suite_geomean(abdb_ranking *r, const abdb_rank_options *o,
                                                       abdb_error *err)
{
    suite s = {.r = r,
               .baseline = o->baseline ? o->baseline
                           : r->count  ? r->row[0].name
                                       : "",
               .row = calloc(r->count + 1, sizeof *s.row),
               .has = calloc(r->count + 1, sizeof *s.has)};
    uint64_t all, part;
    abdb_status st = ABDB_OK;

    if (!s.row || !s.has) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a ranking"));
    if (!collect_baseline_groups_without_repeats(&s))
        TRY(ABDB_FAIL(err, ABDB_LIMIT,
                      "--suite: more than %d benchmarks and scenarios; say which by --where",
                      SUITE_MAX));
    if (!s.groups)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "no result of the baseline '%s' in this selection",
                      s.baseline));
    collect_names_with_group_bits(&s);
    all = s.groups == SUITE_MAX ? UINT64_MAX : ((uint64_t)1 << s.groups) - 1;
    part = find_subset_with_most_benchmarks_times_names(&s);
    if (part && part != all) describe_common_subset_in_ranking(&s, part);
    r->part = o->common && part && part != all;
    rank_subset_by_geomean(&s, r->part ? part : all);
    free(r->row);
    r->row = s.row;
    r->count = s.rows;
    s.row = NULL;
done:
    free(s.row);
    free(s.has);
    return st;
}
