/* provenance_rows.h - rows as a picture carries them; see provenance.h. Inside of answer/. */
#ifndef ABDB_QUERY_PROOF_ROWS_H
#define ABDB_QUERY_PROOF_ROWS_H

#include <jansson.h>

#include "query/answer/provenance.h"
#include "query/answer/table.h"
#include "schema/store/digest.h"

/* The findings of verify: rows of the table that it prints. */
typedef struct {
    abdb_db *db;
    abdb_table *out;
    const char *file; /* as the table names it */
    abdb_verify_outcome *verdict;
    const char *signers_path; /* allowed signers; NULL: no signature is needed */
    abdb_text signer;         /* who did */
} abdb_verifier;

/* One thing that differs; texts may be NULL. */
ABDB_MUST_USE abdb_status abdb_verify_append_difference_row(abdb_verifier *c, const char *change,
                                                            const char *row, const char *column,
                                                            const char *before, const char *now,
                                                            const char *key, abdb_error *err);
/* Adds that a fact is shown no more, in that row (or NULL): was it withdrawn here, is it not here
 * at all, or here but another is shown? */
ABDB_MUST_USE abdb_status abdb_verify_append_row_why_fact_missing(abdb_verifier *c, const char *key,
                                                                  const char *row, abdb_error *err);
/* Was the fact of that key read again, and is its present key among `others` (blanks between
 * them)? */
ABDB_MUST_USE abdb_status abdb_verify_others_have_successor_of_key(abdb_verifier *c,
                                                                   const char *key,
                                                                   const char *others, bool *found,
                                                                   abdb_error *err);
/* Rows as a picture recorded them, or as they are now. */
typedef struct {
    const json_t *columns, *rows, *keys;
    size_t name; /* the column that names a row */
} abdb_recorded_rows;
/* The place of a column; the number of columns where there is none of that name. */
size_t abdb_recorded_column_index(const abdb_recorded_rows *rows, const char *name);
/* Pairs the recorded rows with today's, by key and then by name, and reports changes. */
ABDB_MUST_USE abdb_status abdb_verify_report_row_changes(abdb_verifier *c,
                                                         const abdb_recorded_rows *then,
                                                         const abdb_recorded_rows *now,
                                                         abdb_error *err);
/* site/manifest_verify.c: the facts of a site page; page_html: the page without its manifest. */
ABDB_MUST_USE abdb_status abdb_verify_site_page(abdb_verifier *c, const json_t *manifest,
                                                const abdb_text *page_html, abdb_error *err);
/* The values of a report's parameters that an object carries. ABDB_USAGE: it has no such. */
ABDB_MUST_USE abdb_status abdb_verify_read_recorded_parameters(const char *file,
                                                               const json_t *provenance,
                                                               const abdb_report *report,
                                                               const char *value[ABDB_PARAM_COUNT],
                                                               abdb_error *err);

/* The visible cells of a row as text, and the keys of the facts behind it, blanks between them. */
json_t *abdb_provenance_row_visible_cells_json(const abdb_table *table, size_t row);
json_t *abdb_provenance_row_fact_keys_json(const abdb_table *table, size_t row);
json_t *abdb_provenance_given_parameters_json(const abdb_plot *plot);
/* A text as JSON can hold it: sanitized where it is not UTF-8. NULL: no memory. */
json_t *abdb_json_string_sanitized_if_invalid(const char *text);
/* The text at place i of an array; "" where there is none. */
const char *abdb_json_array_text_or_empty(const json_t *array, size_t i);
/* columns, rows and keys of a table, as an object of its own. */
json_t *abdb_provenance_columns_rows_keys_json(const abdb_table *table);
/* The SHA-256 of that object, and its size as text. */
void abdb_provenance_compact_json_sha256(const json_t *rows, char out[ABDB_SHA256_HEX],
                                         size_t *json_size);

#endif
