/* measure.h - the options by which compare and rank normalise. */
#ifndef ABDB_QUERY_MEASURE_H
#define ABDB_QUERY_MEASURE_H

#include "query/cli.h"
#include "query/compare/sets.h"

void abdb_measure_options(const abdb_args *args, abdb_measure *out);

#endif
