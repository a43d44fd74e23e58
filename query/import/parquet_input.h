/* parquet_input.h - Parquet files as CSV, by the program duckdb. */
#ifndef ABDB_QUERY_PARQUET_INPUT_H
#define ABDB_QUERY_PARQUET_INPUT_H

#include "ingest/importer.h"

/* Does the input begin and end as a Parquet file? */
bool abdb_input_is_parquet(const abdb_input *in);
/* Gives the input the file's rows as CSV with a header for its text; its bytes stay as they are.
 * The program duckdb ($ABDB_DUCKDB names another) reads a copy without a name in $TMPDIR, for at
 * most ABDB_PARQUET_TIMEOUT_S seconds. ABDB_DATA: the file is damaged. ABDB_PARTIAL: there is no
 * such program. ABDB_LIMIT: too much text, or too long. */
enum { ABDB_PARQUET_TIMEOUT_S = 300 };
ABDB_MUST_USE abdb_status abdb_input_decode_parquet_to_csv(abdb_input *in, abdb_error *err);

#endif
