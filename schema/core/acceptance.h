/* acceptance.h - is a device as fast as others of its kind?
 *
 * A cell is one check (a product of one shape, a copy in one direction), a unit one of the devices
 * or nodes that are judged, an origin one publisher or site of the others. Values are logarithms;
 * more is better.
 * (1) Peers: units of one cell, at least ABDB_ACCEPT_PEERS + 1. The furthest is removed, step by
 *     step, a third at most (Rosner's generalised extreme Studentized deviate, 1983); a removed
 *     unit is slow where it is slower than the rest. Each step's p is Grubbs' bound.
 * (2) Others, at least ABDB_ACCEPT_ORIGINS origins: their levels show how far origins lie apart,
 *     their devices how far devices do; a unit is one more device of one more origin (Student's
 *     t). The levels are medians; variances add, their degrees of freedom by Satterthwaite.
 * (3) Fewer origins show no spread: a unit is slow only below `floor` of the lowest value of all,
 *     and normal from `near` of it on, so that of two sets that disagree the weaker verdict
 *     counts.
 * (4) p is multiplied by the number of families: cells with peers, and units with enough origins.
 *     All together raise a false alarm in less than one report of a hundred: ABDB_ACCEPT_ALPHA is
 *     smaller, in case the tests' assumptions do not hold exactly.
 */
#ifndef ABDB_CORE_ACCEPTANCE_H
#define ABDB_CORE_ACCEPTANCE_H

#include <stddef.h>

#include "schema/core/error.h"

enum { ABDB_ACCEPT_PEERS = 5, ABDB_ACCEPT_ORIGINS = 5 };
#define ABDB_ACCEPT_ALPHA 0.0075

/* A value of a unit that is judged, or of another device; `group` is the unit, or the origin. */
typedef struct {
    size_t cell, group;
    double value;
} abdb_accept_value;

/* Of one cell: fractions of the lowest value of others (3), and the least fraction that a unit must
 * be slower by to be slow (1, 2). */
typedef struct {
    double floor, near, effect;
} abdb_accept_rule;

typedef enum {
    ABDB_ACCEPT_NORMAL,
    ABDB_ACCEPT_UNCLEAR, /* cannot tell */
    ABDB_ACCEPT_SLOW,
    ABDB_ACCEPT_NONE /* nothing to compare with */
} abdb_acceptance;
/* "normal", "cannot tell", "slow"; also "cannot tell" for ABDB_ACCEPT_NONE. */
const char *abdb_acceptance_name(abdb_acceptance verdict);

/* Values are logarithms, but p_... and shows; NAN: unknown. */
typedef struct {
    size_t cell, unit, values; /* values of the unit: here is their median */
    double here;
    size_t origins, others;         /* of others: publishers or sites, and values */
    double lowest, highest, middle; /* the lowest value; the highest and the median level */
    double p_others;                /* corrected */
    abdb_acceptance by_others;
    size_t peers;
    double peer; /* the mean of the units that are not far away */
    double p_peers;
    abdb_acceptance by_peers;
    double
        shows; /* the slowness (0.05) that would be called slow 99 times in 100; with few origins:
                     how far below the lowest value of others a unit must be */
    abdb_acceptance verdict;
} abdb_accept_row;

/* A row for each cell and unit of `here`, in their order. rule[cell] is for each cell. Both arrays
 * are sorted in place. *out is the caller's to free. ABDB_DATA: a value is not finite. */
ABDB_MUST_USE abdb_status abdb_accept_judge_units_by_peers_and_others(
    abdb_accept_value *here, size_t n, abdb_accept_value *others, size_t m,
    const abdb_accept_rule *rule, abdb_accept_row **out, size_t *count, abdb_error *err);

#endif
