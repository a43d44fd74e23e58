/* write.h - the sink that keeps records: one transaction per import unit.
 *
 * abdb_writer_begin_file_unless_known ... records through abdb_writer_make_storing_sink ...
 * abdb_writer_commit_and_withdraw_replaced_imports (or _rollback) and, after the last unit,
 * abdb_writer_update_derived: names and subjects follow. A unit that is not committed leaves no
 * trace. / */
#ifndef ABDB_STORE_WRITE_H
#define ABDB_STORE_WRITE_H

#include "schema/core/sink_thread.h"
#include "schema/core/record.h"
#include "schema/core/text.h"
#include "schema/store/db.h"

typedef struct abdb_writer abdb_writer;

typedef struct {
    long accepted, duplicate, rejected, ignored; /* input rows */
    /* Of this import alone, not of an earlier one: the values of the records handed over, by
     * outcome; factors without room; entries, and entries without a device. */
    long values_kept, values_known, values_rejected, values_left_out;
    long factors_left_out, entries, entries_without_device;
    long refused;           /* cells of rows that were accepted, or duplicates, all the same */
    char first_reject[200]; /* the first refused row and its reason, cut; "" for none */
} abdb_counts;

/* Treatment of a file that an older version of its importer has read. */
typedef enum {
    ABDB_REFRESH_NO,   /* it counts as known and is not read */
    ABDB_REFRESH_ALSO, /* it is read again */
    ABDB_REFRESH_ONLY  /* it is read again; new files and withdrawn files are not read */
} abdb_refresh;

typedef struct {
    const char *path, *format, *overrides; /* overrides: values of --set, in canonical order */
    const char *sha256;                    /* of data, or NULL: it is made here */
    int importer;                          /* version of its importer */
    int retry;                             /* read it again if rows of it were rejected */
    int replace;                           /* other readings of the same bytes are withdrawn */
    const char *replace_overrides;         /* only the one with these words, or NULL */
    abdb_refresh refresh;
    const void *data;
    size_t size;
} abdb_import_file;

ABDB_MUST_USE abdb_status abdb_writer_open(abdb_writer **out, abdb_db *db, abdb_error *err);
void abdb_writer_rollback_and_close(abdb_writer *writer); /* rolls back an open unit */
/* Starts a unit. unit NULL: records without an artifact (a run); else it is borrowed until the unit
 * ends. *known is set when there is nothing to read: the same bytes, format and overrides are
 * in the database; then no unit is open, and *counts come from the earlier import. Where an
 * older version's reading is read again the commit withdraws it, in the same transaction: one of
 * the two readings is served, never none. The file is locked from the first record on, not before.
 */
ABDB_MUST_USE abdb_status abdb_writer_begin_file_unless_known(abdb_writer *writer,
                                                              const abdb_import_file *unit,
                                                              int *known, abdb_counts *counts,
                                                              abdb_error *err);
abdb_sink abdb_writer_make_storing_sink(abdb_writer *writer);
/* Keys that the writer will look up soon: for abdb_keymaker. */
void abdb_writer_prefetch_keys(const void *writer, const abdb_key key[3]);
ABDB_MUST_USE abdb_status abdb_writer_commit_and_withdraw_replaced_imports(abdb_writer *writer,
                                                                           abdb_counts *counts,
                                                                           abdb_error *err);
/* Withdraws the other readings (other overrides, another format) of the file that the last begin
 * found to be known. A unit with `replace` set withdraws them when it is committed. */
ABDB_MUST_USE abdb_status abdb_writer_withdraw_other_imports_of_file(abdb_writer *writer,
                                                                     abdb_error *err);
/* What the last --replace withdrew: "9 rows of my.csv, read with map 1f2e3d4c"; "": nothing. Valid
 * until the next unit begins. */
const char *abdb_writer_get_replaced_readings(const abdb_writer *writer);
/* Words of another reading that stands of the bytes and format of the unit begun last, other than
 * by its tag; "": none. Copied into out. */
ABDB_MUST_USE abdb_status abdb_writer_find_other_overrides_of_same_file(abdb_writer *writer,
                                                                        abdb_text *out,
                                                                        abdb_error *err);
/* The counts of the current unit so far. */
const abdb_counts *abdb_writer_counts(const abdb_writer *writer);
void abdb_writer_rollback_and_forget_ids(abdb_writer *writer, abdb_counts *counts);
/* Brings derived tables (names, subjects, withdrawn rows) up to date with all rows kept since, by
 * this process or by an interrupted one: the cost grows with the added rows only. */
ABDB_MUST_USE abdb_status abdb_writer_update_derived(abdb_writer *writer, abdb_error *err);

/* Withdraws the target named by `word`: an imported file (path, its end, sha256 or 8 digits of it),
 * the name of a fact or a key. `told` gets the outcome. Call abdb_writer_update_derived afterwards.
 * ABDB_USAGE: the word names nothing, or several things (they are listed). */
ABDB_MUST_USE abdb_status abdb_withdraw_only_target_of_name(abdb_db *db, const char *word,
                                                            const char *reason, abdb_text *told,
                                                            abdb_error *err);

/* Union with the database at path, by keys: entries are counted as accepted or duplicate. Call
 * abdb_writer_update_derived afterwards. ABDB_DB: not an abdb database, or of another version.
 * ABDB_DATA: its rows refer to missing rows. */
ABDB_MUST_USE abdb_status abdb_merge_database(abdb_db *db, const char *path, abdb_counts *counts,
                                              abdb_error *err);

#endif
