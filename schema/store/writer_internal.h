/* writer_internal.h - the inside of the writer, shared by the files that make it up: write.c
 * (units), begin_import.c (their start), write_entry.c, write_entry_parts.c and write_fact.c
 * (records),
 * bulk_insert.c (many at once), statements.c (statements), validate_entry.c (invalid entries).
 * write.h is the outside. */
#ifndef ABDB_STORE_WRITER_H
#define ABDB_STORE_WRITER_H

#include "schema/core/text.h"
#include "schema/store/digest.h"
#include "schema/store/fact_upsert.h"
#include "schema/store/row_buffer.h"
#include "schema/store/entry_key.h"
#include "schema/store/keymap.h"
#include "schema/store/write.h"

enum { RAW_MAX = 4096 };

typedef enum {
    S_ENTRY_FIND,
    S_ENTRY,
    S_DESCRIPTION,
    S_DESCRIPTION_FIND,
    S_QUANTITY,
    S_QUANTITY_FIND,
    S_POINT_FIND,
    S_RESULT,
    S_SAMPLE,
    S_TELEMETRY,
    S_SPAN,
    S_RANK,
    S_PROCESS,
    S_PROCESS_FIND,
    S_ENVIRONMENT_FIND,
    S_WITNESS,
    S_TOUCH,
    S_POINT,
    S_POINT_FACTOR,
    S_FACTOR,
    S_SOURCE,
    S_REJECT,
    S_ENVIRONMENT,
    S_ORIGIN,
    S_NAME,
    S_NAME_FIND,
    S_PART,
    S_COUNT
} statement_id;

/* The target of a row: parameters of a statement, or the current row of a buffer. */
typedef struct {
    sqlite3_stmt *statement;
    abdb_row_buffer *rows; /* NULL: it is written at once */
} abdb_pending_row;

enum { ABDB_INDEX_MAX = 32 };

struct abdb_writer {
    abdb_db *db;
    sqlite3_stmt *statement[S_COUNT];
    abdb_fact_upserts fact_upserts;
    unsigned marked_stale;        /* marks set by the open transaction, a bit each */
    int begun;                    /* a unit was begun */
    int open;                     /* its transaction is open: a record came */
    const abdb_import_file *unit; /* of the unit, or NULL */
    int retries;                  /* it adds to a reading that had rejects */
    int said_by_another;          /* another writer has imported the unit's file */
    int dirty;                    /* facts were kept since the last index */
    int unit_dirty;               /* facts were kept in the open unit */
    sqlite3_int64 artifact;       /* 0: none */
    unsigned starved;             /* of abdb_allocation_failure_count, when the unit before ended */
    int replaces;                 /* it is an older version's reading, read again */
    sqlite3_int64 last[ABDB_PIECE_MAX]; /* the entries kept last, a ring */
    size_t kept;                        /* entries since the unit began */
    abdb_counts counts;
    abdb_counts before;                           /* of the import whose rejects are tried again */
    int row_new, row_old, row_bad;                /* rows of the open input row, by outcome */
    abdb_keymap points, descriptions, quantities; /* numbers of rows kept or looked up */
    abdb_key last_environment, last_process;      /* and their numbers */
    sqlite3_int64 last_environment_id, last_process_id, last_quantity;
    sqlite3_int64 next_sample;                  /* 0: not read yet */
    abdb_text text, quantity_text, source_text; /* the last quantity and source */
    abdb_text replaced; /* the readings that the last unit's `replace` withdrew, in words */
    char sha256[ABDB_SHA256_HEX]; /* of the unit */
    abdb_keymaker keys;
    int journal; /* the log was put aside for one large unit */
    /* many new entries in one unit: see bulk_insert.c */
    abdb_keymap entries;
    sqlite3_int64 unit_entries, bulk_at; /* new ones; with how many it is tried next */
    int bulk, no_bulk;
    bool all_descriptions;          /* a key missing in the map is not in the file */
    abdb_row_buffer *rows[S_COUNT]; /* NULL: rows are written at once */
    sqlite3_int64 next_entry, next_description, next_result; /* 0: as the file has it */
    char *index[ABDB_INDEX_MAX];                             /* how the dropped ones are made */
    int indexes;
};

/* Text or NULL; a finite number or NULL. */
void abdb_bind_text_or_null(sqlite3_stmt *s, int i, const char *text);
void abdb_bind_finite_or_null(sqlite3_stmt *s, int i, double value);
/* Both parts of a key as parameters i and i + 1. */
void abdb_bind_key_parts(sqlite3_stmt *s, int i, abdb_key key);
/* Runs a bound statement that returns nothing, and clears its bindings. */
ABDB_MUST_USE abdb_status abdb_writer_run_and_reset_statement(abdb_writer *w, statement_id id,
                                                              abdb_error *err);
/* Opens the transaction of the unit and inserts the artifact's row, or deletes its rejects on a
 * retry; nothing where it is open. The first record calls it. */
ABDB_MUST_USE abdb_status abdb_writer_begin_and_insert_artifact_once(abdb_writer *w,
                                                                     abdb_error *err);
/* The sink's functions; self is the writer. */
ABDB_MUST_USE abdb_status abdb_writer_count_and_store_reject(void *self, const abdb_reject *reject,
                                                             abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_store_or_reject_entry(void *self, const abdb_entry *entry,
                                                            abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_store_or_reject_fact(void *self, const abdb_fact *fact,
                                                           abdb_error *err);
/* Gives a fact its name: kind "result", "spec" or "price". A name that means another fact already
 * is kept as a reject of the line. */
ABDB_MUST_USE abdb_status abdb_writer_store_or_reject_fact_name(abdb_writer *w, const char *name,
                                                                const char *kind, sqlite3_int64 id,
                                                                long line, abdb_error *err);
/* The number of a key by a statement of the kind `... WHERE key = ? AND key_low = ?`; 0: none. */
ABDB_MUST_USE abdb_status abdb_writer_find_id_by_key_or_0(abdb_writer *w, statement_id id,
                                                          abdb_key key, sqlite3_int64 *out,
                                                          abdb_error *err);
/* write_entry_parts.c: inserts the parts of new entry number id; and puts the numbers of its
 * environment and process into last_environment_id and last_process_id. */
ABDB_MUST_USE abdb_status abdb_writer_insert_entry_parts(abdb_writer *w, const abdb_sorted_entry *o,
                                                         sqlite3_int64 id, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_cache_environment_id_insert_if_new(abdb_writer *w,
                                                                         const abdb_entry *e,
                                                                         abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_cache_process_id_insert_if_new(abdb_writer *w,
                                                                     const abdb_process *p,
                                                                     abdb_error *err);
/* bulk_insert.c: a new entry was kept; the unit is over. */
ABDB_MUST_USE abdb_status abdb_writer_count_entry_and_update_bulk(abdb_writer *w, abdb_key key,
                                                                  sqlite3_int64 id,
                                                                  abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_finish_bulk_rebuild_indexes(abdb_writer *w, abdb_error *err);
void abdb_writer_abandon_bulk(abdb_writer *w);
/* bulk_insert.c: not all descriptions are in memory any more. */
ABDB_MUST_USE abdb_status abdb_writer_end_description_bulk_rebuild_index(abdb_writer *w,
                                                                         abdb_error *err);
/* bulk_insert.c: the slot of the next row of S_ENTRY, S_RESULT or S_DESCRIPTION, with a number of
 * next_... in its first column; setters of its columns, NULL without text or finite number; the
 * end of the row; the write of all waiting rows. */
abdb_pending_row abdb_writer_get_pending_row_slot(const abdb_writer *w, statement_id id);
void abdb_row_set_integer(abdb_pending_row slot, int column, sqlite3_int64 value);
void abdb_row_set_finite_number(abdb_pending_row slot, int column, double value);
void abdb_row_set_text(abdb_pending_row slot, int column, const char *text);
void abdb_row_set_key_in_two_columns(abdb_pending_row slot, int column, abdb_key key);
ABDB_MUST_USE abdb_status abdb_writer_buffer_or_insert_row(abdb_writer *w, statement_id id,
                                                           abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_flush_rows(abdb_writer *w, abdb_error *err);
/* The fault of an entry and the remedy; NULL: it can be kept. The text is the thread's. */
const char *abdb_entry_why_invalid(const abdb_entry *entry);

/* An earlier reading of the same bytes, format and overrides in the database. */
typedef struct {
    int version, withdrawn; /* of the importer, -1: there is none; was the file withdrawn? */
    sqlite3_int64 artifact;
    abdb_counts counts;
} abdb_reading;
/* The newest reading of the unit's bytes, format and words; version -1: there is none. */
ABDB_MUST_USE abdb_status abdb_writer_find_newest_import_of_same_input(abdb_writer *w,
                                                                       abdb_reading *out,
                                                                       abdb_error *err);
/* Is there nothing to read? Else sets whether the reading replaces an older one, or adds to it. */
bool abdb_writer_should_skip_else_set_replace_and_retry(abdb_writer *w, const abdb_reading *r);

#endif
