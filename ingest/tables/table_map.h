/* table_map.h - map files: how a table with a header becomes records. One file, no C.
 *
 *     name    skypilot                          the format's name
 *     summary "catalog of SkyPilot"             one line for the list of formats
 *     version 2                                 raise it when rows are read otherwise; 1 if unsaid
 *     match   InstanceType AcceleratorName      columns that a header must have
 *     member  points                            of a JSON object: the array that holds the records
 *     claims  json                              JSON with these columns is of this program alone
 *     missing "?" X                             cells that mean: none (beside "", -, N/A, null)
 *     ignore  vCPUs MemoryGiB                   columns of numbers that are none of its business
 *     set     source skypilot                   a field (schema/core/field.def) for every row
 *     field   device column AcceleratorName map H100 H100-SXM L4 L4
 *     factor  batch column "Batch size"
 *     metric  tokens_per_s column "Tok/s" unit token/s statistic mean model llama2-70b
 *     derive  flops_per_s gemm@1                from time_s and factors, by work_formula.h
 *     spec    peak_flops column bf16 unit TFLOPS dtype bf16 engine matrix sparsity dense
 *     price   amount column Price kind on-demand
 *     decide  device H100 H100-SXM InstanceType *sxm*
 *
 * Words stand between blanks, or in double quotes. After a column: `unit U` (of units.def; `unit
 * cell` where the cell ends with it), `map A B ...` to the end of the line (the cell A means B),
 * and `NAME VALUE` pairs: statistic of a metric, columns of a spec or price, fields. A metric with
 * fields of its own becomes an entry of its own. The column "(title)" is the line above a markdown
 * table. decide: where the field's cell is CELL and other columns are like the patterns behind them
 * (* and ?, in any case), it means MEANING; the first such line counts.
 * "#" begins a comment.
 */
#ifndef ABDB_INGEST_MAP_H
#define ABDB_INGEST_MAP_H

#include "ingest/read/flat_records.h"
#include "schema/core/embedded.h"

typedef struct table_map table_map;

extern const abdb_embedded abdb_maps[]; /* of this build */

/* Parses text. ABDB_DATA: with path and line. */
ABDB_MUST_USE abdb_status table_map_parse_text(table_map **out, const char *path, const char *text,
                                               abdb_error *err);
void table_map_free(table_map *map);
const char *table_map_name(const table_map *map);
const char *table_map_summary(const table_map *map);
int table_map_version(const table_map *map);
const char *table_map_json_member_or_null(const table_map *map); /* or NULL */
/* Does the record have the columns that the map matches? */
bool table_map_matches_columns(const table_map *map, const abdb_flat_record *record);
/* The same of a map that was named by its user: one without a match line serves any record. */
bool table_map_accepts_record(const table_map *map, const abdb_flat_record *record);
/* Does no line of the map name the column? Then results of the row have its cell as a factor, and
 * numbers are passed over for specifications and prices. */
bool table_map_column_is_unmentioned(const table_map *map, const char *column);
/* Does it make results, not only specifications or prices? */
bool table_map_has_metrics(const table_map *map);
/* Hands over the entries that the map makes from one row, and ends the row. */
ABDB_MUST_USE abdb_status table_map_import_row(const table_map *map, const abdb_flat_record *record,
                                               const abdb_overrides *overrides,
                                               const abdb_sink *sink, abdb_error *err);
/* Is the cell the name of a device? */
typedef bool (*map_known_device)(const char *cell);
/* A first draft of a map for a table: guessed meanings of its columns, each with its first cell.
 * known: recognises devices, to find their column whatever its name, or NULL. */
ABDB_MUST_USE abdb_status table_map_draft_from_input(abdb_text *out, const abdb_input *in,
                                                     map_known_device known, abdb_error *err);

#endif
