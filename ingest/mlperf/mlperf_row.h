/* mlperf_row.h - shared by the importers of MLPerf results: they fill an abdb_mlperf_row with
 * text, wherever it stands in their files, and mlperf_row.c makes the entry of it - metric and
 * unit, scenario, accuracy, devices, factors and flags. */
#ifndef ABDB_INGEST_MLPERF_H
#define ABDB_INGEST_MLPERF_H

#include <jansson.h>

#include "ingest/importer.h"
#include "ingest/read/unknown_factor.h"
#include "ingest/read/csv.h"

/* A row of MLPerf results before it is an entry: text as the source has it, NULL where it has none.
 */
typedef struct {
    const char *submitter, *availability, *division, *system_type, *system, *platform, *used_model,
        *model, *scenario, *result, *unit, *accuracy, *nodes, *processor, *processors_per_node,
        *cores, *accelerator, *accelerators_per_node, *accelerators, *software, *os, *notes, *round,
        *inferred, *has_power, *weights, *public_id, *url, *location, *errors, *suite, *power,
        *power_unit;
} abdb_mlperf_row;

/* Which column of a header fills which member of abdb_mlperf_row. */
typedef struct {
    size_t offset;
    const char *names; /* '|' between them */
} abdb_mlperf_column;
#define MLPERF_COLUMN(member, names)             \
    {                                            \
        offsetof(abdb_mlperf_row, member), names \
    }
enum { MLPERF_COLUMN_MAX = 48, MLPERF_SHARED = 20 };

/* The columns with one meaning in every table of MLPerf, by all their names anywhere; a column with
 * such a name and another meaning is in the importer's own list. */
extern const abdb_mlperf_column abdb_mlperf_columns[MLPERF_SHARED];

/* The header's place of each of map[0..count), -1 where it has none. */
void abdb_mlperf_find_columns(const abdb_mlperf_column *map, size_t count,
                              const abdb_csv_header *header, int column_index[MLPERF_COLUMN_MAX]);
/* Fills the members whose cells the CSV row has; the rest of row stays. */
void abdb_mlperf_fill_row_from_csv_cells(const abdb_mlperf_column *map, size_t count,
                                         const int column_index[MLPERF_COLUMN_MAX],
                                         const abdb_csv_row *csv, abdb_mlperf_row *row);

/* The member of that name as text: a string as it is, a number or boolean printed from arena; NULL:
 * none, or "". */
const char *abdb_mlperf_member_as_text(abdb_arena *arena, const json_t *object, const char *name);
/* As abdb_mlperf_fill_row_from_csv_cells, of a JSON object's members: text as it is, numbers
 * printed. */
void abdb_mlperf_fill_row_from_json_members(const abdb_mlperf_column *map, size_t count,
                                            const json_t *object, abdb_arena *arena,
                                            abdb_mlperf_row *row);
/* The columns of the submission checker's summary that the shared ones lack. */
enum { MLPERF_CHECKER = 10 };
extern const abdb_mlperf_column abdb_mlperf_checker_columns[MLPERF_CHECKER];

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    const char *source, *verified, *locator, *flags;
    long line; /* of the row at hand, 0 unknown */
    /* Of the column of results, and of all others together. */
    abdb_decimal_mark result_mark, mark;
    const abdb_settings *others; /* the row's other cells: factors; NULL: none */
} abdb_mlperf_context;

/* The cells of a row that no member of abdb_mlperf_row takes, by the names of their columns:
 * columns of neither map nor abdb_mlperf_columns, and a second spelling with another value. */
void abdb_mlperf_collect_unmapped_columns(abdb_settings *out, abdb_arena *arena,
                                          const abdb_mlperf_column *map, size_t count,
                                          const abdb_csv_header *header, char *const *field,
                                          size_t fields);

/* Makes the entry of a row and hands it over. When the row cannot be one, *field and *reason name
 * the cause and nothing was handed over: the caller rejects it. reason has room for 200 bytes. */
ABDB_MUST_USE abdb_status abdb_mlperf_import_row_or_explain(const abdb_mlperf_context *context,
                                                            const abdb_mlperf_row *row,
                                                            const char **field, char *reason,
                                                            abdb_error *err);

/* The suite of a result by its system_type: "inference" of datacenter, edge and a missing type,
 * "automotive" of adas, "mobile"; NULL: a type unknown to abdb. */
const char *abdb_mlperf_suite_of_system_type(const char *system_type);

/* A scenario as MLCommons writes it today ("Single Stream" is SingleStream), or the text itself. */
const char *abdb_mlperf_canonical_scenario_or_same(const char *text);

/* Fills entry from a row, all but the user's words: strings are the arena's and the row's. False,
 * with *field and reason: the row cannot be one. */
bool abdb_mlperf_fill_entry_or_explain(abdb_entry *entry, abdb_arena *arena,
                                       const abdb_mlperf_context *context,
                                       const abdb_mlperf_row *row, const char **field,
                                       char *reason);

/* Adds "ROUGE1: 44.4  TOKENS_PER_SAMPLE: 283.0", "acc: 76.1" or "75.9" as results. */
void abdb_mlperf_add_accuracy_results_or_count_left_out(abdb_entry *entry, abdb_arena *arena,
                                                        const char *text, abdb_decimal_mark mark);

#endif
