/* derive.h - tables derived from facts, kept up to date like an index: names (meanings of
 * spellings), gone (withdrawn rows), ceiling_best (the best measured of a machine) and
 * subject (statements about one result).
 *
 * The cost grows with the added rows only: meta has the last number of each table with derived
 * rows; later rows are new, and `touched` lists older entries that a file repeated, a withdrawal
 * removed or a new name moved. Only rows that share a name with these are made anew. The result
 * equals that of a rebuild, in whatever order the rows came.
 */
#ifndef ABDB_STORE_DERIVE_H
#define ABDB_STORE_DERIVE_H

#include "schema/core/text.h"
#include "schema/store/db.h"

/* Numbers up to which derived rows are made. */
typedef struct {
    sqlite3_int64 entry, description, spec, price;
} abdb_marks;

/* Brings all derived tables up to date in one transaction; without work it takes no lock.
 * from_scratch: makes all rows anew, for `abdb doctor --rebuild`. */
ABDB_MUST_USE abdb_status abdb_derive_update_in_transaction_if_behind(abdb_db *db,
                                                                      bool from_scratch,
                                                                      abdb_error *err);
/* *behind: facts were added or changed since the last update. Readers print a warning then, because
 * an import commits each file, and derives once at its end. */
ABDB_MUST_USE abdb_status abdb_derive_is_behind(abdb_db *db, bool *behind, abdb_error *err);
/* Marks a dictionary as changed: "names" (devices, models, aliases), "sources" (their order of
 * preference) or "gone" (withdrawals). Inside the transaction that changes it. */
ABDB_MUST_USE abdb_status abdb_derive_mark_stale(abdb_db *db, const char *dictionary,
                                                 abdb_error *err);

/* withdraw.c: appends an event, "withdrawn" or "restored", for each target that the SELECT
 * targets_sql gives and whose state changes by it. Its date is now, or a second after the target's
 * last event, so that the new event prevails. Inside a transaction;
 * abdb_withdrawn_update_gone_and_touch follows, or abdb_derive_mark_stale. */
ABDB_MUST_USE abdb_status abdb_withdrawal_insert_events_changing_state(
    abdb_db *db, const char *event, const char *targets_sql, const char *reason, abdb_error *err);

/* resolve_device_names.c: a step of it, for devices that the tables `meaning` and `meant` of
 * canonical_names.c leave open; fills name_factor for all that they have. */
ABDB_MUST_USE abdb_status abdb_resolve_device_names(abdb_db *db, abdb_error *err);
/* canonical_names.c: the meaning of a spelling that is absent from the file, by the rules for its
 * stored spellings; *whole is the spelling itself where no rule explains it. Changes nothing, so a
 * reader can call it. */
ABDB_MUST_USE abdb_status abdb_name_resolve_without_storing(abdb_db *db, const char *kind,
                                                            const char *spelling, abdb_arena *arena,
                                                            const char **whole, abdb_error *err);
/* canonical_names.c, withdrawn.c, ceilings.c, record_linkage.c: the steps of
 * abdb_derive_update_in_transaction_if_behind, in this order and inside its transaction. marks: up
 * to where rows are made, all 0 to make everything anew; stale: the dictionary or the list of
 * withdrawals changed. */
ABDB_MUST_USE abdb_status abdb_names_resolve_and_store_new(abdb_db *db, const abdb_marks *marks,
                                                           bool stale, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_withdrawn_update_gone_and_touch(abdb_db *db, const abdb_marks *marks,
                                                               bool stale, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_ceilings_update_best(abdb_db *db, const abdb_marks *marks,
                                                    abdb_error *err);
ABDB_MUST_USE abdb_status abdb_subjects_relink_changed(abdb_db *db, const abdb_marks *marks,
                                                       abdb_error *err);
/* record_linkage_blocks.c: the descriptions of all statements whose subjects are made anew, into
 * the table `stated`, their subjects gone; any: there are some. Then the tables are dropped. */
ABDB_MUST_USE abdb_status abdb_subject_blocks_collect_delete_subjects(abdb_db *db,
                                                                      const abdb_marks *marks,
                                                                      bool *any, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_subject_blocks_drop_temp(abdb_db *db, abdb_error *err);
/* record_linkage_flags.c: the words of subject.flags that all statements of a result decide
 * together, of the descriptions in the table `stated`. */
ABDB_MUST_USE abdb_status abdb_subject_add_power_inferred_id_flags(abdb_db *db, abdb_error *err);

#endif
