/* round_path.h - the parts of a path within a round: its suite, its submitter, and the reader of
 * the file. Shared by the round_*.c files; round.h is the interface. */
#ifndef ABDB_INGEST_ROUND_PLACE_H
#define ABDB_INGEST_ROUND_PLACE_H

#include "ingest/mlperf/round.h"

enum { PARTS_MAX = 32 };

typedef enum {
    ANCHOR_RESULTS,
    ANCHOR_SYSTEMS,
    ANCHOR_MEASUREMENTS,
    ANCHOR_MAPPING,
    ANCHOR_ENTRY /* results/SYSTEM/entry.json of training v0.5 */
} abdb_round_anchor;

/* A path taken apart: parts[at] is "results", "systems" or "measurements". */
typedef struct {
    char *part[PARTS_MAX];
    size_t parts, at, root_parts; /* parts before the division, or the submitter */
    abdb_round_anchor anchor;
    bool absolute;
    bool divided; /* a division stands before the submitter */
    abdb_round_suite suite;
    abdb_mlperf_reader reader; /* NULL: not needed */
} abdb_round_path;

/* Is it a file of a submitter, in a tree that is a round's without doubt? p: its path's parts. */
bool abdb_round_is_in_submitter_tree(const abdb_round_path *p, const char *path);
/* "closed", "Open", "network", ... */
bool abdb_round_is_division(const char *part);
bool abdb_round_text_ends_with(const char *text, const char *tail);
/* The submitter: the folder above "results", or in training v0.5 the folder after "v0.5.0". */
const char *abdb_round_submitter_of_path(const abdb_round_path *p);
/* Fills the parts alone, which are the arena's; false: none, too many, or no memory. */
bool abdb_round_split_path(abdb_round_path *p, abdb_arena *arena, const char *path);
/* Takes a path apart; false: it is none of a round. The parts are the arena's. */
bool abdb_round_parse_path(abdb_round_path *p, abdb_arena *arena, const char *path);
/* Parts [from, to) with slashes between, in the arena; NULL: no memory. */
const char *abdb_round_join_path_parts(abdb_arena *arena, const abdb_round_path *p, size_t from,
                                       size_t to);

#endif
