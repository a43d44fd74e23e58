/* latency_answer.h - throughput of a set of results within latency limits.
 *
 * Results that are points of one curve (v_curve) answer together: the curve is read at the limits
 * (curve_reading.h), and the point that is read stands for it. All limits must be kept. Between
 * points a curve is read for each limit, and the smallest throughput counts; where no measured
 * point keeps all limits, there is no answer. A result without a curve answers alone, by its own
 * run or the rule of its scenario (latency_limit.h). A curve is read at the requested percentile,
 * or at the next higher one that its runs state; a mean is never used for a percentile.
 */
#ifndef ABDB_COMPARE_LATENCY_ANSWER_H
#define ABDB_COMPARE_LATENCY_ANSWER_H

#include "query/compare/curve_reading.h"
#include "query/compare/latency_limit.h"

typedef struct abdb_latency_question {
    abdb_latency_limits limits;
    abdb_curve_method method;
} abdb_latency_question;

/* One curve as it was read. */
typedef struct {
    const char *curve, *load_kind; /* as v_curve names them */
    size_t member;                 /* its first point */
    size_t points, unstated;       /* that count, and that do not state such a latency */
    double first_load, last_load;
    bool answered;
    abdb_curve_standing standing;
    size_t low, high;           /* members: the limit lies between them; equal: that one answers */
    double low_load, high_load; /* of these */
    double value;               /* in the unit of the members; NAN: not answered */
    const char *metric;         /* of the limit that binds, or that is not kept */
    double limit_s, percentile;
    double shortest_s, longest_s; /* that latency over the front; NAN: not stated */
    size_t errors;
    const double *error; /* relative, of each inner point of that front, left out */
    const char *words;   /* how the limits are kept, or why they are not */
} abdb_curve_answered;

/* why_not of a point whose curve another point represents. */
extern const char abdb_another_point_answers[];

/* For each member of a set. */
typedef struct {
    const char **met_by;  /* how it keeps the limits; NULL: it does not, or another point answers */
    const char **why_not; /* NULL where met_by is not */
    const char **load_kind; /* the axis of its curve; NULL: it is on none */
    const char **beside;    /* key of the second point that its value comes from, or NULL */
    double *value;          /* where met_by is not NULL */
    size_t curves;
    abdb_curve_answered *curve;
} abdb_latency_answers;

/* "ttft=2s,tpot=50ms" (ttft, tpot, latency), a percentile and a method (step, linear, monotone) as
 * people write them; percentile NULL: 99, between NULL: step. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_parse_latency_question(const char *at, const char *percentile,
                                                      const char *between,
                                                      abdb_latency_question *out, abdb_error *err);
/* All of *out is of arena. */
ABDB_MUST_USE abdb_status abdb_answer_within_latency(const abdb_set *set, sqlite3 *db,
                                                     const abdb_latency_question *question,
                                                     abdb_latency_answers *out, abdb_arena *arena,
                                                     abdb_error *err);
/* Leaves members out (why) that do not answer, and gives each that does the value that its curve
 * has at the limits; called by abdb_set_normalise_values_or_note_why_not. ABDB_USAGE: values that
 * are no rates. */
ABDB_MUST_USE abdb_status abdb_set_read_within_latency(abdb_set *set, sqlite3 *db,
                                                       const abdb_latency_question *question,
                                                       abdb_error *err);

#endif
