/* compare.h - sets of results side by side: comparable pairs, differing factors, ratios.
 *
 * (1) Sets are split into groups that agree in every factor whose role is `pair` or `load` and in
 *     every factor that a rule of effect `refuse` looks at. Like groups meet.
 * (2) A group without its like meets the nearest group of the same benchmark, scenario and class of
 *     metric; where two sets have nothing in common, the nearest of all. Rules then decide.
 * (3) A pair is refused where a rule with effect `refuse` holds, else comparable except the factors
 *     of role `agree` that differ or are unknown on a side, else comparable.
 * (4) Results measured with samples are tested: each process counts once
 * (schema/core/trimmed_mean_test.h), and p is corrected for the number of pairs tested.
 * Submissions of different systems are not samples of one another: a group shows its best (or
 * median), range and n.
 */
#ifndef ABDB_COMPARE_COMPARE_H
#define ABDB_COMPARE_COMPARE_H

#include "query/compare/calibrated_noise.h"
#include "query/compare/newest_command.h"
#include "query/compare/result_set.h"

enum { ABDB_SETS_MAX = 16, ABDB_RULES_MAX = 256, ABDB_EACH_MAX = 400, ABDB_DIFFER_MAX = 64 };

typedef enum { ABDB_PICK_BEST, ABDB_PICK_MEDIAN, ABDB_PICK_EACH } abdb_pick;

typedef struct {
    abdb_normalisation measure;
    abdb_pick pick;
    bool exploratory;
    double effect, alpha; /* 0: 0.01 and 0.001 */
    double find;          /* the change that shall be found; 0: 0.05 */
    double drift;         /* between commands, a fraction; 0: as calibrated */
    const char *where;    /* conditions on every set, or NULL */
    bool partial;         /* runs that have not ended are compared as far as they came */
    bool why;             /* with the factors of each ratio (ratio_factors.h) */
    bool gate;            /* judged: of tags the newest command, and on one machine */
    bool across_machines; /* of a gate: two machines are compared all the same */
} abdb_compare_options;

/* --- rules.c: rules, roles and groups --------------------------------------------------------- */

typedef struct {
    const char *rule, *effect, *scope_factor, *scope_value, *factor, *test, *a, *b;
    const char *sentence, *source, *locator;
} abdb_rule;

typedef struct {
    const char *workload, *factor, *role;
    bool needed;
} abdb_role;

typedef struct {
    size_t rules, roles;
    const abdb_rule *rule;
    const abdb_role *role;
    size_t knowns;
    const char **known; /* names of factors that have a meaning, sorted */
    abdb_arena arena;
} abdb_rulebook;

ABDB_MUST_USE abdb_status abdb_rulebook_load(abdb_rulebook *out, sqlite3 *db, abdb_error *err);
void abdb_rulebook_free(abdb_rulebook *book);
/* The role of a factor as the member's workload declares it: "pair", "load", "agree", "free" or
 * "report". */
const char *abdb_find_factor_role_or_agree(const abdb_rulebook *book, const abdb_set *set,
                                           size_t member, const char *factor, bool *needed);

/* Members of one set with equal values of all factors that split groups. */
typedef struct {
    const char *key; /* "name=value\x1f..." of these factors */
    size_t count;
    size_t *member;
} abdb_group;
typedef struct {
    size_t count;
    abdb_group *group;
} abdb_groups;
/* From arena; in the order of their keys. split_loads: unlike loads split groups as well;
 * extra_factors: factors that split groups whatever their role (end: NULL; NULL: none). */
ABDB_MUST_USE abdb_status abdb_split_set_into_groups(abdb_groups *out, const abdb_rulebook *book,
                                                     const abdb_set *set, bool split_loads,
                                                     const char *const *extra_factors,
                                                     abdb_arena *arena, abdb_error *err);
/* Has a group members with different known values of this factor? */
bool abdb_groups_mix_factor_values(const abdb_groups *groups, const abdb_set *set,
                                   const char *factor);

/* One side of a pair. */
typedef struct {
    const abdb_set *set;
    const abdb_group *group;
} abdb_side;
/* Does a rule hold for a pair? *missing_factor: the factor found by test `needed`. */
bool abdb_rule_applies_to_pair(const abdb_rulebook *book, const abdb_rule *rule, abdb_side a,
                               abdb_side b, const char **missing_factor);
/* The known values of a factor on a side, sorted, ',' between; *some_unknown: some are unknown. */
const char *abdb_side_distinct_factor_values(abdb_side side, const char *factor, bool *some_unknown,
                                             abdb_arena *arena);

/* --- compare.c -------------------------------------------------------------------------------- */

typedef enum { ABDB_COMPARABLE, ABDB_EXCEPT, ABDB_REFUSED } abdb_comparability;

typedef struct {
    const char *name, *a, *b; /* known values on each side, ',' between */
    bool unknown;             /* on a side */
    bool meaning_unknown;     /* unknown_factors.h */
} abdb_differing;

/* The value of a group under the options, and its range. */
typedef struct {
    double value, low, high; /* low: the worst of the group */
    size_t n, left_out;      /* members that count, and that do not */
    const char *why;         /* of the first left out */
    size_t picked;           /* member, or SIZE_MAX for a median of several */
    bool sampled;            /* value is the trimmed mean of process medians, n counts processes */
    size_t doubtful;         /* runs that are left out of it: unsteady or imprecise */
} abdb_side_summary;

/* The difference of a pair, and its evidence. */
typedef struct {
    double ratio, low, high;   /* low, high: at confidence 1 - alpha */
    double p, p_corrected;     /* of this pair; corrected for all pairs tested (Holm) */
    double detectable_change;  /* the smallest change that these data show, a fraction */
    double drift;              /* between commands, a fraction; 0: processes took turns */
    size_t processes_needed;   /* processes a side that would show options->find; 0: over 1000 */
    size_t unused;             /* processes of both sides that no turn pairs */
    bool has_interval, paired; /* paired: processes took turns */
    bool equal_programs;       /* digests of both sides are equal: the difference is noise */
    bool uncalibrated;         /* separate commands, and the drift was never measured here */
    abdb_verdict verdict;
    const char *reason;            /* why it is no better known, or NULL */
    abdb_trimmed_mean_trial trial; /* sizes only: its numbers are gone */
    abdb_trimmed_mean_outcome outcome;
} abdb_difference;

/* The results of the groups in a pair: all of them; or, where the best of all differ in number of
 * devices, one pair of results with equal numbers, and beside it one pair of all results. */
typedef enum { ABDB_OF_ALL, ABDB_OF_EQUAL_SIZE, ABDB_OF_ANY_SIZE } abdb_pair_size_rule;

typedef struct {
    size_t contender; /* set */
    abdb_pair_size_rule choice;
    const char
        *unlike; /* in what they differ, so that the ratio is no headline; "" (like_for_like.h) */
    abdb_side a, b;
    abdb_comparability comparability;
    size_t refusals, remarks;
    const abdb_rule *refusal[ABDB_RULES_MAX], *remark[ABDB_RULES_MAX];
    const char *needed_factor; /* the factor of a `needed-factor` */
    const char *machines;      /* differences of machines (machine_identity.h), or NULL */
    size_t differs, differs_room;
    abdb_differing *differ; /* of the comparison's arena */
    abdb_side_summary left, right;
    bool has_ratio;
    abdb_difference difference;
    const char *unit; /* of the values */
    bool higher;      /* more is better */
} abdb_pair;

typedef struct {
    size_t sets;
    abdb_set set[ABDB_SETS_MAX];
    abdb_side_command command[ABDB_SETS_MAX]; /* of each set, where it names a tag */
    abdb_groups groups[ABDB_SETS_MAX];
    abdb_rulebook book;
    size_t pairs, capacity;
    abdb_pair *pair;
    size_t refused;
    size_t contender_unpaired
        [ABDB_SETS_MAX]; /* results of each contender without a like in the baseline */
    size_t baseline_unpaired
        [ABDB_SETS_MAX]; /* results of the baseline without a like in the contender */
    const char *per;     /* the divisor of values: from the options, or like_for_like.h */
    const abdb_compare_options *options;
    sqlite3 *db;
    abdb_calibrations noise;
    abdb_text identifiers; /* factors that are left aside: unknown_factors.h */
    abdb_arena arena;
} abdb_comparison;

/* overlap.c: refuses (ABDB_USAGE) a side that shares results with the first (with some of them
 * named), unless each has its own prices, a side in which a name was taken for another model, and
 * unless partial one with a run that is under way or was stopped, with how far it came. */
ABDB_MUST_USE abdb_status abdb_sets_refuse_unfit_sides(sqlite3 *db, const abdb_set *set,
                                                       size_t sets, bool partial, bool own_prices,
                                                       abdb_error *err);
/* differing_factors.c: factors of role `agree` that differ between the sides, or are unknown. */
ABDB_MUST_USE abdb_status abdb_pair_collect_differing_factors(abdb_comparison *c, abdb_pair *pair,
                                                              abdb_error *err);
/* Compares set 0 with each of the others. ABDB_USAGE: see abdb_set_load_normalised. The selections
 * and options are borrowed until the comparison is freed. */
ABDB_MUST_USE abdb_status abdb_compare_first_set_with_others(abdb_comparison *out, sqlite3 *db,
                                                             const char *const *selection,
                                                             size_t sets,
                                                             const abdb_compare_options *options,
                                                             abdb_error *err);
void abdb_comparison_free(abdb_comparison *comparison);
/* verdict.c: summaries of both sides and their ratio. */
ABDB_MUST_USE abdb_status abdb_pair_summarise_and_test(abdb_comparison *c, abdb_pair *pair,
                                                       abdb_error *err);
/* Verdicts, once all pairs are there: p is corrected for all that no rule refuses. */
ABDB_MUST_USE abdb_status abdb_pairs_holm_correct_and_set_verdicts(abdb_comparison *c,
                                                                   abdb_error *err);
/* The value of each option, or its default. */
double abdb_effect_threshold_or_default(const abdb_comparison *c);
double abdb_significance_level_or_default(const abdb_comparison *c);
double abdb_change_to_detect_or_default(const abdb_comparison *c);
/* Is more better in some of a contender's headlines, and less in others? */
bool abdb_pairs_mix_higher_and_lower_is_better(const abdb_comparison *c, size_t contender);
/* The geometric mean of a contender's headlines, where directions mix of how many times better it
 * is in each, else of the ratios as they are; *counted: their number, *left_out: the rest,
 * *repeats: part of the rest that repeats a number, as the 99 % and the 99.9 % target of a
 * benchmark often carry one. NAN where there are none. */
double abdb_geomean_of_like_ratios(const abdb_comparison *c, size_t contender, size_t *counted,
                                   size_t *left_out, size_t *repeats);
/* Are two results one number under two accuracy targets? */
bool abdb_is_same_mlperf_number_under_other_target(const abdb_set *a, size_t member_of_a,
                                                   double value_of_a, const abdb_set *b,
                                                   size_t member_of_b, double value_of_b);
/* May the pair's numbers be shown? */
bool abdb_pair_may_be_shown(const abdb_comparison *c, const abdb_pair *pair);
/* Why a pair has no ratio: a lack of its sides, or a value of 0; NULL: it has one, or no reason.
 */
const char *abdb_pair_why_no_ratio_or_null(const abdb_pair *pair);
/* As a table prints it: the verdict, or why two values have no ratio, else "". */
const char *abdb_pair_verdict_or_why_no_ratio(const abdb_pair *pair);
/* compare_rows.c: "vec gemm n=512", the cell without its repetition; else model and scenario. */
const char *abdb_member_display_name(const abdb_set *set, size_t member, abdb_arena *arena);
/* compare_rows.c: one row per pair, for programs; why: with the largest factors of its ratio. */
ABDB_MUST_USE abdb_status abdb_comparison_to_data_table(const abdb_comparison *c, bool why,
                                                        abdb_table *out, abdb_error *err);

#endif
