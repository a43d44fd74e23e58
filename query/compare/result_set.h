/* result_set.h - sets of results picked by a selection, with their factors and their normalised
 * values.
 *
 * A selection is `column OP value` joined by commas (query/compare/selection.h). A column is one of
 * v_comparable, a factor, or a metric of the same run (`tpot_s < 0.05`, `ttft_s:p99 < 2`).
 * `run=latest`, `run=latest~1` and `run=CAMPAIGN` mean one command of abdb run. Device, model and
 * workload are resolved by the aliases. A selection that names `quantity` picks specifications.
 */
#ifndef ABDB_COMPARE_SETS_H
#define ABDB_COMPARE_SETS_H

#include "query/answer/sql_rows.h"
#include "query/compare/selection.h"
#include "schema/core/record.h"

enum { ABDB_MEMBERS_MAX = 20000, ABDB_TRAITS_MAX = 640, ABDB_SPELT_MAX = 12 };

/* Columns of a member, as v_comparable has them. */
#define ABDB_MEMBER_COLUMNS(X)                                                                    \
    X(result_id)                                                                                  \
    X(key)                                                                                        \
    X(evidence)                                                                                   \
    X(source)                                                                                     \
    X(suite)                                                                                      \
    X(system_type)                                                                                \
    X(round)                                                                                      \
    X(division)                                                                                   \
    X(availability)                                                                               \
    X(verified)                                                                                   \
    X(submitter)                                                                                  \
    X(system)                                                                                     \
    X(workload)                                                                                   \
    X(benchmark)                                                                                  \
    X(model)                                                                                      \
    X(scenario)                                                                                   \
    X(device)                                                                                     \
    X(devices)                                                                                    \
    X(nodes)                                                                                      \
    X(backend)                                                                                    \
    X(dtype)                                                                                      \
    X(metric)                                                                                     \
    X(metric_class)                                                                               \
    X(statistic)                                                                                  \
    X(rank)                                                                                       \
    X(x)                                                                                          \
    X(unit)                                                                                       \
    X(accuracy_target)                                                                            \
    X(compatibility)                                                                              \
    X(power_submission)                                                                           \
    X(averaged) X(inferred) X(engine) X(sparsity) X(basis) X(power_limit) X(standing) X(disputed) \
        X(tag) X(campaign) X(better) X(flags) X(value) X(disagree) X(public_id) X(point_id)       \
            X(entry_id) X(process_id) X(cell) X(ordinal) X(run) X(date) X(marks) X(verified_by)
typedef enum {
#define X(name) ABDB_M_##name,
    ABDB_MEMBER_COLUMNS(X)
#undef X
        ABDB_M_COUNT
} abdb_member_column;
enum { ABDB_M_FACTORS = ABDB_M_campaign + 1 }; /* columns before this one are factors */

/* One factor of a member. */
typedef struct {
    const char *name, *text;
    abdb_factor_state state;
} abdb_member_factor;

typedef struct {
    size_t traits;
    abdb_member_factor *trait; /* sorted by name */
    double value;              /* normalised as requested; NAN: it has none */
    const char *unit;          /* of value */
    bool divided;              /* value is of one device */
    const char *why;           /* why it cannot stand for its set, or NULL */
    const char *mark;          /* the judgement that leaves it out, or NULL */
    const char *mark_shown;    /* one that would without --marks any, or NULL */
    const char *facts;         /* keys beside its own, or NULL */
    const char *price;         /* "IDC on-demand 2024-01-04, 1052 days old", or NULL */
    const char *provider, *provider_kind, *price_kind; /* of that price */
    double price_age_days;                             /* NAN: undated */
    const char *currency;      /* in which that price is stated; NULL: in USD, or it has none */
    double usd_of_currency;    /* USD for one unit of it */
    const char *rate_from;     /* day and source of that exchange rate */
    double dearest_offer;      /* the highest offer that counts, as a multiple of the price */
    const char *price_read_on; /* last day of a price whose date is a range; NULL: it is none */
    const char *too_small;     /* cheaper offers that do not hold a node of its system, or NULL */
    const char *met_by;        /* how it keeps the latency limits of the question, or NULL */
    const char *load_kind;     /* the axis of the curve that it was read off, or NULL */
    bool keeps_quality;        /* known to keep the requested quality, in any number format */
} abdb_member;

typedef struct {
    const char *selection;
    const char *note; /* a remark on how it was understood, or NULL */
    /* A name that several models could mean, and the one that was taken; NULL: none was typed. */
    const char *typed_model, *taken_model;
    abdb_table table; /* ABDB_M_COUNT columns */
    abdb_member *member;
    size_t members;
    abdb_arena arena;
} abdb_set;

struct abdb_latency_question;

/* How values are normalised. NULL: the default. */
typedef struct {
    const char *metric; /* NULL: the workload's own */
    const char *per;    /* device node watt joule dollar peak bandwidth none */
    bool spare;         /* per device: what does not add over devices keeps its value */
    const char *peak;   /* published, measured, clock */
    const char *price_date, *provider, *price_kind; /* of the prices that count; "any" kind */
    const char *tier;  /* kind of the providers, as in v_provider; NULL: any */
    const char *price; /* 'DEVICE=2.49 USD/h,...': the reader's own */
    const char *price_max_age_days, *today;
    const char *marks; /* "any": marks with the effect "leave out" leave nothing out */
    const struct abdb_latency_question *at; /* limits that curves are read at (latency_answer.h) */
    const char *quality; /* 'accuracy>=0.99': members that keep it (quality.h); NULL: any */
} abdb_normalisation;

/* The results that both selections pick (where may be NULL). ABDB_USAGE: not of the grammar, an
 * unknown or ambiguous name (the candidates are listed), or nothing is picked. */
ABDB_MUST_USE abdb_status abdb_set_load_normalised(abdb_set *out, sqlite3 *db,
                                                   const char *selection, const char *where,
                                                   const abdb_normalisation *measure,
                                                   abdb_error *err);
void abdb_set_free(abdb_set *set);
/* A column's text; "" where it is NULL. */
const char *abdb_member_text(const abdb_set *set, size_t member, abdb_member_column column);
double abdb_member_number(const abdb_set *set, size_t member, abdb_member_column column);
/* The factor of that name, or NULL. */
const abdb_member_factor *abdb_member_find_factor(const abdb_member *member, const char *name);

/* Is the word, in any case, among the values of the query? ABDB_USAGE: "no WHAT 'WORD'; there
 * are ..." with all of them. */
ABDB_MUST_USE abdb_status abdb_require_word_among_sql_values(sqlite3 *db, const char *sql,
                                                             const char *what, const char *word,
                                                             abdb_error *err);
/* resolve_names.c: the canonical name that a word means. ABDB_USAGE: unknown (the nearest is named)
 * or ambiguous. */
ABDB_MUST_USE abdb_status abdb_resolve_canonical_name(sqlite3 *db, const char *kind,
                                                      const char *word, const char **out,
                                                      abdb_arena *arena, abdb_error *err);
/* Of several models that a word means the only one with results as measured: of its metric, or a
 * rate where it divides one; decided: there were several. measure NULL: as above. */
ABDB_MUST_USE abdb_status abdb_resolve_name_deciding_by_metric(sqlite3 *db, const char *kind,
                                                               const char *word,
                                                               const abdb_normalisation *measure,
                                                               const char **out, bool *decided,
                                                               abdb_arena *arena, abdb_error *err);
/* resolve_names.c: does it divide values, which only rates can be? */
bool abdb_normalisation_needs_rates(const abdb_normalisation *measure);
/* "2 rows left out: failed (The run failed.); --marks any shows them": each mark that left members
 * of the set out; who: the text before it, or NULL. (normalise.c) */
void abdb_set_add_notes_of_marked_results(const abdb_set *set, const char *who, abdb_table *t);
/* Is it a word for --per? The formula's name, or NULL for "none". ABDB_USAGE: it is not. */
ABDB_MUST_USE abdb_status abdb_find_per_formula(const char *per, const char **formula,
                                                abdb_error *err);
/* result_set.c: the factors of each row of a set. */
ABDB_MUST_USE abdb_status abdb_set_load_factors(abdb_set *set, sqlite3 *db, abdb_error *err);
/* normalise.c: fills value, unit, why, facts and price of each member. */
ABDB_MUST_USE abdb_status abdb_set_normalise_values_or_note_why_not(
    abdb_set *set, sqlite3 *db, const abdb_normalisation *measure, abdb_error *err);
/* selection_sql.c: the campaign that `run=latest~1` means; of another value *out is the value, a
 * run or a campaign by name. ABDB_USAGE: it is not '=', or there are fewer. */
ABDB_MUST_USE abdb_status abdb_resolve_run_to_campaign(sqlite3 *db, abdb_arena *arena,
                                                       const abdb_condition *c, const char **out,
                                                       abdb_error *err);
/* selection_sql.c: the rows of a set. */
ABDB_MUST_USE abdb_status abdb_set_select_rows_or_explain_none(abdb_set *set, sqlite3 *db,
                                                               const char *where,
                                                               const abdb_normalisation *measure,
                                                               abdb_error *err);

#endif
