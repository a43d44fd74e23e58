/* mlperf_site_common.h - common code of the flat and pivot exports of MLCommons' results pages. */
#ifndef ABDB_INGEST_MLPERF_SITE_H
#define ABDB_INGEST_MLPERF_SITE_H

#include "ingest/mlperf/mlperf_row.h"

/* "5.1-0001" or "v6.0-0001" -> "v5.1"; NULL when it is neither. From arena. */
const char *abdb_mlperf_round_of_public_id(abdb_arena *arena, const char *public_id);
/* The pages export one system type at a time and do not name it: Server and Interactive belong to
 * the datacenter category, SingleStream to edge, but for a few rows in v3.1 and v6.0. NULL: it
 * cannot be told, as where an export has many of both. */
const char *abdb_mlperf_site_guess_system_type(const abdb_input *in);
/* The type of one result of an export of that type (NULL: unknown): streams are of edge systems. */
const char *abdb_mlperf_site_system_type_or_stream_edge(const char *system_type,
                                                        const char *scenario);
/* The flags of a result for values that the export lacks. averaged: it shows a mean where several
 * results share a name; system_type NULL: unknown. */
const char *abdb_mlperf_site_flags_text(bool averaged, const char *system_type);
/* The common context of all rows of an export. */
abdb_mlperf_context abdb_mlperf_site_make_context(const abdb_overrides *overrides,
                                                  const abdb_sink *sink);

#endif
