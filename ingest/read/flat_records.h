/* flat_records.h - records with named values from several forms: an array of JSON objects, JSON
 * objects one after another (JSON lines, or one that fills the file), CSV with a header, or the
 * INSERT statements that tools print.
 *
 * A value is text as it stands (a JSON number as it prints, the words true and false); null
 * and missing are NULL. Members of an object inside an object are "outer.inner". An array of
 * numbers is a series, one of a few words a text ("a, b"), any other only counted ("name.count").
 */
#ifndef ABDB_INGEST_FLAT_H
#define ABDB_INGEST_FLAT_H

#include <jansson.h>

#include "ingest/read/unknown_factor.h"

/* What lies beyond is counted in `lost`: records of known programs have a tenth of it. */
enum {
    FLAT_ITEMS_MAX = 1024,
    FLAT_SERIES_MAX = 32,
    FLAT_SAMPLES_MAX = 1 << 20,
    FLAT_DOUBT_SIZE = 200
};

typedef struct {
    size_t items, series, lost;
    struct {
        const char *name, *text;
        abdb_decimal_mark mark; /* of its column; of JSON and SQL unknown */
    } item[FLAT_ITEMS_MAX];
    struct {
        const char *name;
        const double *x;
        size_t n;
    } serie[FLAT_SERIES_MAX];
    long line;            /* where it begins, 0 unknown */
    const char *locator;  /* "[3]", or "line 4" */
    const char *raw;      /* as it was, for rejects */
    const json_t *object; /* with nested values; NULL: no JSON */
    char *doubt; /* room of FLAT_DOUBT_SIZE for abdb_flat_number_or_nan_note_doubt, or NULL */
    bool *asked; /* of items, after them of series: the importer read it; NULL: not noted */
} abdb_flat_record;

/* Is a row of a table, whose cells are the names of the record, the header of another table? */
typedef bool (*abdb_flat_header_check)(const void *self, const abdb_flat_record *record);

/* Called for each record. Anything but ABDB_OK stops the reading. */
typedef abdb_status (*abdb_flat_handler)(void *self, const abdb_flat_record *record,
                                         abdb_error *err);

/* A damaged line among JSON lines, and a row of a table with more or fewer cells than headings, go
 * to sink as rejected; a repeated or changed header begins another table. ABDB_DATA: damaged or
 * truncated, with line and column; the records before were handed over. */
ABDB_MUST_USE abdb_status abdb_flat_deliver_json_sql_or_csv_records(const abdb_input *in,
                                                                    const abdb_sink *sink,
                                                                    abdb_flat_handler handler,
                                                                    void *self, abdb_error *err);
/* The same for tables one after another, in one file: is_header accepts the header of each. */
ABDB_MUST_USE abdb_status abdb_flat_deliver_records_with_header_check(
    const abdb_input *in, const abdb_sink *sink, abdb_flat_header_check is_header,
    abdb_flat_handler handler, void *self, abdb_error *err);
/* The same for one member of a JSON document's object: an object, or an array of them. No record:
 * there is no such member. ABDB_DATA: the document is damaged. */
ABDB_MUST_USE abdb_status abdb_flat_deliver_objects_of_json_member(const abdb_input *in,
                                                                   const char *member,
                                                                   abdb_flat_handler handler,
                                                                   void *self, abdb_error *err);
/* A whole JSON document, in which NaN and Infinity are words; *out is the caller's to json_decref.
 * ABDB_DATA: damaged, with line and column. */
ABDB_MUST_USE abdb_status abdb_flat_parse_json_document_quoting_nan(json_t **out,
                                                                    const abdb_input *in,
                                                                    abdb_error *err);
/* Do the records have values of all these names ('|' between them)? In JSON they are keys: quoted
 * whole ones, bare ones parts; in a table words of the header. A text that only mentions them, such
 * as the source of a program that prints such records, has none. For bids: by the first bytes. */
bool abdb_flat_has_all_keys_or_columns(const abdb_input *in, const char *value_names);
/* The text of a value, or NULL. */
const char *abdb_flat_text_or_null_mark_asked(const abdb_flat_record *record, const char *name);
/* The decimal mark of that value's column. */
abdb_decimal_mark abdb_flat_decimal_mark(const abdb_flat_record *record, const char *name);
/* A value as a number; NAN: missing or none. One that could have another decimal mark is noted in
 * the record's doubt, for abdb_flat_copy_doubt_to_entry. */
double abdb_flat_number_or_nan_note_doubt(const abdb_flat_record *record, const char *name);
/* A value as a count; 0: missing, or no whole number above 0. */
long long abdb_flat_parse_count_or_zero(const abdb_flat_record *record, const char *name);
/* Makes the entry one that the store refuses, if a number that the importer read is in doubt. */
void abdb_flat_copy_doubt_to_entry(abdb_entry *entry, const abdb_flat_record *record);
/* Adds every value that the importer did not read as a factor under its own name, and of every list
 * of numbers its length; values beyond the record are counted as left out. ignored: see
 * ingest/read/unknown_factor.h. Call it after all other reads. */
void abdb_flat_add_unread_values_as_factors(abdb_entry *entry, const abdb_flat_record *record,
                                            const char *const *ignored, abdb_arena *arena);
/* The same for an object of a document that is read by jansson's functions: all its scalars except
 * the names in `ignored`, which also lists the names that the importer reads. outer: before their
 * names, or NULL. */
void abdb_flat_add_json_members_as_factors(abdb_entry *entry, const char *outer,
                                           const json_t *object, const char *const *ignored,
                                           abdb_arena *arena);
/* The same, noted to be added later. */
void abdb_flat_append_json_members_to_settings(abdb_settings *out, const json_t *object,
                                               const char *const *ignored, abdb_arena *arena);
/* The same of a whole document's object. */
ABDB_MUST_USE abdb_status abdb_flat_append_root_members_to_settings(abdb_settings *out,
                                                                    const abdb_input *in,
                                                                    const char *const *ignored,
                                                                    abdb_arena *arena,
                                                                    abdb_error *err);
void abdb_flat_append_unread_values_to_settings(abdb_settings *out, const abdb_flat_record *record,
                                                abdb_arena *arena);
/* Samples of that name and their number; 0: none. */
size_t abdb_flat_find_series_mark_asked(const abdb_flat_record *record, const char *name,
                                        const double **x);
/* Gives the result the samples of that name, in a unit of units.def, and their number. false: no
 * memory. */
bool abdb_flat_set_result_samples_in_base_unit(abdb_result *result, const abdb_flat_record *record,
                                               const char *name, const char *unit,
                                               abdb_arena *arena);
/* Counts the values of a record that is refused before results are made of them: the values of
 * `names`, which ends with NULL, that have a digit. */
void abdb_flat_count_refused_values(const abdb_flat_record *record, const char *const *names);
/* Keeps the record as rejected, and ends the row. Where the field holds a number that could have
 * another decimal mark, the reason is that, with its readings. */
ABDB_MUST_USE abdb_status abdb_flat_reject_and_end_row(const abdb_sink *sink,
                                                       const abdb_flat_record *record,
                                                       const char *field, const char *reason,
                                                       abdb_error *err);

#endif
