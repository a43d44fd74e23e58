/* import_file.h - one file into the database: an import unit. */
#ifndef ABDB_QUERY_UNIT_H
#define ABDB_QUERY_UNIT_H

#include "ingest/importer.h"
#include "ingest/mlperf/round.h"
#include "ingest/value_balance.h"
#include "schema/store/write.h"

typedef struct {
    const char *format; /* force this importer, or NULL */
    const abdb_overrides *words;
    int dry_run, strict;
    int retry;                 /* read inputs with rejected rows again */
    int replace;               /* other readings of the same bytes are withdrawn */
    const char *replace_words; /* only the one with these words, or NULL */
    abdb_refresh refresh;
    /* Called now and then on long inputs: rows so far, and the share that was read (0: unknown). */
    void (*progress)(const char *path, long rows, double share, double seconds);
} abdb_import_options;

typedef struct {
    const char *format, *remark;
    int known; /* the same file was imported before; counts are of that import */
    abdb_counts counts;
    abdb_left_out left_out;
    char other_words[200]; /* map or --set of another reading of these bytes that stands; or "" */
    char replaced[600];    /* readings that --replace withdrew, in words; or "" */
    abdb_mark_tally marks;
} abdb_import_result;

/* Imports input as one transaction. On failure no row of it is kept. ABDB_GATE: strict, and a row
 * was rejected. */
ABDB_MUST_USE abdb_status abdb_import_input_as_one_transaction(abdb_writer *writer,
                                                               const abdb_input *input,
                                                               const abdb_import_options *options,
                                                               abdb_import_result *out,
                                                               abdb_error *err);
/* The same for folder i of a round: its files are one unit. */
ABDB_MUST_USE abdb_status abdb_import_round_folder_as_one_transaction(
    abdb_writer *writer, const abdb_mlperf_round *round, size_t folder_index,
    const abdb_import_options *options, abdb_import_result *out, abdb_error *err);

#endif
