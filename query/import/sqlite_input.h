/* sqlite_input.h - SQLite databases that other programs filled, as text that importers read. */
#ifndef ABDB_QUERY_SQLITE_INPUT_H
#define ABDB_QUERY_SQLITE_INPUT_H

#include "ingest/importer.h"

/* Is the input an SQLite database with a table of llama-bench (-o sql into sqlite3)? */
bool abdb_input_is_llama_bench_database(const abdb_input *in);
/* Gives the input such a table's rows as its text, a JSON object a line; its bytes stay as they
 * are. The file is read in memory, without its triggers, views and virtual tables. ABDB_DATA: it is
 * damaged. */
ABDB_MUST_USE abdb_status abdb_input_decode_llama_bench_database(abdb_input *in, abdb_error *err);

#endif
