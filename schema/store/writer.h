/* writer.h - the inside of the writer, shared by write.c and facts.c only; write.h is the outside.
 */
#ifndef ABDB_STORE_WRITER_H
#define ABDB_STORE_WRITER_H

#include "schema/core/text.h"
#include "schema/store/digest.h"
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
    S_WITNESS,
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

/* A statement for many rows of a table, the rows bound so far, and their texts. */
typedef struct {
    sqlite3_stmt *statement;
    int columns, waiting;
    size_t used;
    char text[8192];
} abdb_rows;

/* Where the next row of a table is bound: parameters first + 1 and on. */
typedef struct {
    sqlite3_stmt *statement;
    int first;
    abdb_rows *rows; /* NULL: it is written at once */
} abdb_slot;

enum { ABDB_INDEX_MAX = 32 };

struct abdb_writer {
    abdb_db *db;
    sqlite3_stmt *statement[S_COUNT];
    int open;                           /* a unit's transaction is open */
    int dirty;                          /* facts were kept since the last index */
    int unit_dirty;                     /* facts were kept in the open unit */
    sqlite3_int64 artifact;             /* 0: none */
    int replaces;                       /* it is an older version's reading, read again */
    sqlite3_int64 last[ABDB_PIECE_MAX]; /* the entries kept last, a ring */
    size_t kept;                        /* entries since the unit began */
    abdb_counts counts;
    abdb_counts before;                           /* of the import whose rejects are tried again */
    int row_new, row_old, row_bad;                /* what the open input row brought */
    abdb_keymap points, descriptions, quantities; /* numbers of what was kept or looked up */
    sqlite3_int64 last_key, last_quantity;
    abdb_text text, quantity_text, source_text; /* the last quantity and source */
    abdb_keymaker keys;
    int journal; /* the log was put aside for one large unit */
    /* many new entries in one unit: see bulk.c */
    abdb_keymap entries;
    sqlite3_int64 unit_entries;
    int bulk, no_bulk;
    bool all_descriptions;                      /* what is not in the map is not in the file */
    abdb_rows *rows[S_COUNT];                   /* NULL: rows are written at once */
    sqlite3_int64 next_entry, next_description; /* 0: as the file has it */
    char *index[ABDB_INDEX_MAX];                /* how the dropped ones are made */
    int indexes;
};

/* Text or NULL; a finite number or NULL. */
void abdb_bind_text(sqlite3_stmt *s, int i, const char *text);
void abdb_bind_number(sqlite3_stmt *s, int i, double value);
/* Runs a bound statement that returns nothing, and clears its bindings. */
ABDB_MUST_USE abdb_status abdb_writer_step(abdb_writer *w, statement_id id, abdb_error *err);
/* The sink's functions; self is the writer. */
ABDB_MUST_USE abdb_status abdb_writer_reject(void *self, const abdb_reject *reject,
                                             abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_entry(void *self, const abdb_entry *entry, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_fact(void *self, const abdb_fact *fact, abdb_error *err);
/* Gives a fact its name: kind "result", "spec" or "price". A name that means another fact already
 * is kept as a reject of the line. */
ABDB_MUST_USE abdb_status abdb_writer_name(abdb_writer *w, const char *name, const char *kind,
                                           sqlite3_int64 id, sqlite3_int64 ordinal, long line,
                                           abdb_error *err);
/* bulk.c: the number of an entry by its key (0: none); a new entry was kept; the unit is over. */
ABDB_MUST_USE abdb_status abdb_writer_find(abdb_writer *w, sqlite3_int64 key, sqlite3_int64 *id,
                                           abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_bulk(abdb_writer *w, sqlite3_int64 key, sqlite3_int64 id,
                                           abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_end_bulk(abdb_writer *w, abdb_error *err);
void abdb_writer_forget_bulk(abdb_writer *w);
/* bulk.c: not all descriptions are in memory any more. */
ABDB_MUST_USE abdb_status abdb_writer_forget_descriptions(abdb_writer *w, abdb_error *err);
/* bulk.c: where the next row of S_ENTRY, S_RESULT or S_DESCRIPTION is bound, its first column a
 * number out of next_...; it is complete; those that wait are written. */
abdb_slot abdb_writer_slot(abdb_writer *w, statement_id id);
void abdb_slot_text(abdb_slot *slot, int column, const char *text);
ABDB_MUST_USE abdb_status abdb_writer_slot_done(abdb_writer *w, statement_id id, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_writer_flush(abdb_writer *w, abdb_error *err);
/* What is wrong with an entry and what to do; NULL: it can be kept. The text is the thread's. */
const char *abdb_entry_fault(const abdb_entry *entry);

#endif
