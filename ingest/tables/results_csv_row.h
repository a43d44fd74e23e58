/* results_csv_row.h - rows of abdb's own results files: metric, value and unit in columns,
 * everything else a field or factor. Inside of import_abdb_csv.c, apart from it for its size and
 * speed. */
#ifndef ABDB_INGEST_ABDB_RESULTS_H
#define ABDB_INGEST_ABDB_RESULTS_H

#include "ingest/importer.h"
#include "ingest/read/csv.h"

typedef struct abdb_results abdb_results;

/* Columns of a results file besides the fields of field.def, '|' between them. */
extern const char abdb_results_columns[];

/* Finds the columns once; header, words and sink must stay. */
ABDB_MUST_USE abdb_status abdb_results_open_for_header(abdb_results **out,
                                                       const abdb_csv_header *header,
                                                       const abdb_overrides *overrides,
                                                       const abdb_sink *sink, abdb_error *err);
/* One row: an entry with its values, or with a status that explains their lack. *field and reason
 * are set when it is none, and nothing was handed over. */
ABDB_MUST_USE abdb_status abdb_results_import_row_or_explain(abdb_results *results,
                                                             const abdb_csv_row *row,
                                                             const char **field, char *reason,
                                                             size_t room, abdb_error *err);
void abdb_results_close(abdb_results *results);
/* A value with its unit, in the base unit; mark is that of its column. Fills reason and returns
 * false when it is none. */
bool abdb_parse_value_in_base_unit_or_explain(const char *text, abdb_decimal_mark mark,
                                              const char *unit_text, double *out, const char **base,
                                              const char **field, char *reason, size_t room);

#endif
