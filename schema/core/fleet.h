/* fleet.h - nodes that measured the same cells: which differs from its peers, with the evidence.
 *
 * As in trimmed_mean_test.h a process counts once. The times of a node are compared with its peers,
 * the other nodes:
 * (1) The value of a process is the logarithm of its time less that of the peers (median over them
 *     of the medians of their processes), cell by cell; over all cells the mean of these.
 * (2) A peer counts once, by the median of its processes. The spread of equal nodes is estimated
 *     from the peers themselves, by the Winsorised squares of Yuen's test, which a few odd peers do
 *     not change: it is the drift of the trial, once for the tested node.
 * (3) abdb_yuen_trimmed_mean_test sets the processes of the node against the values of its peers.
 * (4) p is corrected by Holm for all nodes that were looked at; where there are several cells, half
 *     of alpha is for nodes over all cells, half for nodes and cells.
 * Fewer than ABDB_PROCESSES_LEAST processes or peers are no evidence.
 */
#ifndef ABDB_CORE_FLEET_H
#define ABDB_CORE_FLEET_H

#include "schema/core/trimmed_mean_test.h"

/* Stands for all cells together. */
#define ABDB_FLEET_ALL SIZE_MAX

/* A time of a cell by one process of a node. Several of one process become one, their mean. */
typedef struct {
    size_t node, cell, process; /* numbers from 0; a process is one node's */
    double value;               /* logarithm of the time; finite */
} abdb_fleet_measurement;

typedef struct {
    size_t node, cell;        /* ABDB_FLEET_ALL: over all cells that it can be judged by */
    size_t cells;             /* so many; 1 for a cell */
    size_t processes, peers;  /* of the node; other nodes with as many processes as it takes */
    double ratio, low, high;  /* time / that of the peers, with its interval of 1 - alpha */
    double p_corrected;       /* corrected for all tests */
    double detectable_change; /* the slowness (0.05) that these data would show 99 times in 100 */
    abdb_verdict verdict;     /* slower, faster, same, unclear, too-few (processes, or peers) */
} abdb_fleet_row;

typedef struct {
    double alpha, effect; /* as in abdb_outcome_decide_verdict */
} abdb_fleet_options;

/* A row for each node over all cells, then, of several cells, one for each node and cell that it
 * measured; unknown numbers are NAN. seen is sorted in place. *out is the caller's to
 * free, of *count rows. ABDB_DATA: a value is not finite. */
ABDB_MUST_USE abdb_status abdb_fleet_test_each_node_against_peers(
    abdb_fleet_measurement *measurements, size_t n, const abdb_fleet_options *options,
    abdb_fleet_row **out, size_t *count, abdb_error *err);

#endif
