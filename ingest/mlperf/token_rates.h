/* token_rates.h - rates of tokens that a table of MLPerf results calls samples or queries. */
#ifndef ABDB_INGEST_TOKEN_RATES_H
#define ABDB_INGEST_TOKEN_RATES_H

#include "ingest/mlperf/mlperf_row.h"

/* Makes the first result of entry one of tokens where its benchmark counts tokens and the value can
 * be none of samples; the table's word stays the raw unit. Where nothing shows that, the row stays
 * as it is, and is marked. */
bool abdb_mlperf_relabel_tokens_or_mark_unproved(abdb_entry *entry, const abdb_mlperf_row *row);

#endif
