/* trimmed_mean_test.h - two sides, each some processes that measured one thing: their difference,
 * the evidence for it, and the difference that these data could show.
 *
 * The unit is the process: samples of one process share its luck (pages, places, neighbours), so a
 * process counts once, by the logarithm of its median. Sides are summed up by trimmed means, which
 * a few disturbed processes do not move:
 * (1) Processes of one command that took turns are pairs: the trimmed mean of their differences,
 *     with the test of Tukey and McLaughlin (1963). Slow drift cancels.
 * (2) Else the test of Yuen (1974), and to the error of each side comes the drift: by how much the
 *     same thing differs between commands (abdb run --calibrate), once for each command.
 * The values of both sides are of the processes that are left, so their ratio is the ratio.
 */
#ifndef ABDB_CORE_TRIMMED_MEAN_TEST_H
#define ABDB_CORE_TRIMMED_MEAN_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"

enum { ABDB_PROCESSES_LEAST = 5, ABDB_REPEAT_MOST = 1000 };
/* Defaults: the smallest difference that counts, its greatest probability by chance over all
 * comparisons, and the change that the data should be able to show. */
#define ABDB_EFFECT 0.01
#define ABDB_ALPHA  0.001
#define ABDB_FIND   0.05

typedef struct {
    const double *a, *b; /* logarithms of process medians; finite */
    size_t m, n;         /* of a, of b: at least ABDB_PROCESSES_LEAST */
    bool paired;         /* a[i] belongs to b[i], m = n */
    double drift;        /* standard deviation of a command, of logarithms; not of pairs */
    double drift_freedom;
    size_t a_commands, b_commands; /* at least 1 */
} abdb_trimmed_mean_trial;

typedef struct {
    double a, b;       /* exp of the trimmed means */
    double difference; /* ln(b / a) */
    double error;      /* its standard error */
    double within;     /* the part of its square that more processes make smaller */
    double freedom;    /* degrees of freedom of the error */
    double p;          /* of the two-sided test of no difference */
} abdb_trimmed_mean_outcome;

/* The value of one side by itself: exp of its trimmed mean. n at least 1. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_trimmed_geomean_of_logs(const double *x, size_t n, double *out,
                                                       abdb_error *err);
/* ABDB_DATA: too few processes, or a value is not finite. */
ABDB_MUST_USE abdb_status abdb_yuen_trimmed_mean_test(const abdb_trimmed_mean_trial *trial,
                                                      abdb_trimmed_mean_outcome *out,
                                                      abdb_error *err);
/* The smallest ln ratio that such data show at the level alpha in 99 of 100 repetitions, where the
 * estimate must also be `effect` (ln) or more. */
double abdb_outcome_detectable_change(const abdb_trimmed_mean_outcome *outcome, double alpha,
                                      double effect);
/* Processes a side that would show wanted_change (ln ratio), at least the present number; 0: no
 * number up to ABDB_REPEAT_MOST is enough (they vary too much, or commands drift). */
size_t abdb_processes_needed_for_detectable_change(const abdb_trimmed_mean_trial *trial,
                                                   const abdb_trimmed_mean_outcome *outcome,
                                                   double alpha, double effect,
                                                   double wanted_change);

typedef enum {
    ABDB_VERDICT_FASTER,  /* b is better */
    ABDB_VERDICT_SLOWER,  /* b is worse */
    ABDB_VERDICT_SAME,    /* equivalence within the effect is shown */
    ABDB_VERDICT_UNCLEAR, /* no evidence either way */
    ABDB_VERDICT_TOO_FEW, /* too few processes for any evidence */
    ABDB_VERDICT_STATED   /* single values: no samples */
} abdb_verdict;
/* "faster", "slower", "same", "unclear", "too-few", "stated". */
const char *abdb_verdict_name(abdb_verdict verdict);
/* A difference needs an effect (of the ratio: 0.01) and evidence: p_all, corrected for all that
 * were looked at, at most alpha. `same`: both one-sided tests at alpha show that it is less than
 * the effect. higher: is more better? */
abdb_verdict abdb_outcome_decide_verdict(const abdb_trimmed_mean_outcome *outcome,
                                         double p_corrected, bool higher_is_better, double effect,
                                         double alpha);

/* How one thing measured by several commands, each of some processes, varies: the standard
 * deviation of a process, and of the trimmed mean of a command, of logarithms, pooled over things.
 * The part of processes in the second is not subtracted, so it is rather too large. NAN: there are
 * no two processes, or no two commands. */
typedef struct {
    double process, command;                 /* standard deviations */
    double process_freedom, command_freedom; /* degrees of freedom */
} abdb_noise;
/* Sums of squares over things. */
typedef struct {
    double within, between, within_freedom, between_freedom;
} abdb_noise_sums;
/* Adds a thing: value[i] (logarithm) of command command[i]; values of one command are adjacent. */
ABDB_MUST_USE abdb_status abdb_noise_add_within_and_between_commands(abdb_noise_sums *sums,
                                                                     const double *value,
                                                                     const size_t *command,
                                                                     size_t n, abdb_error *err);
abdb_noise abdb_noise_standard_deviations_from_sums(const abdb_noise_sums *sums);

#endif
