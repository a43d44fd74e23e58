/* normalisation_options.h - the options by which compare and rank normalise. */
#ifndef ABDB_QUERY_MEASURE_H
#define ABDB_QUERY_MEASURE_H

#include "query/compare/compare.h"
#include "query/compare/latency_answer.h"
#include "query/compare/value_ranges.h"
#include "query/cli/command_line.h"

void abdb_parse_normalisation_options(const abdb_args *args, abdb_normalisation *out);
/* --at, --percentile and --between into *question, and out->at. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_parse_at_options(const abdb_args *args,
                                                abdb_latency_question *question,
                                                abdb_normalisation *out, abdb_error *err);
/* --ranges and --seed. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_parse_range_options(const abdb_args *args, abdb_range_question *out,
                                                   abdb_error *err);
/* --pick. ABDB_USAGE: another word. */
ABDB_MUST_USE abdb_status abdb_parse_pick_option(const abdb_args *args, abdb_pick *out,
                                                 abdb_error *err);

#endif
