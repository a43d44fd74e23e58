/* derive.h - what is derived from facts and kept up to date as an index is: names (what a spelling
 * means), gone (what withdrawals leave out), ceiling_best (the best measured of a machine) and
 * subject (which statements are about one result).
 *
 * It costs what was added: meta says up to which number of each table the derived rows are made;
 * rows beyond it are new, and `touched` lists older entries that a file said again, a withdrawal
 * took out or a new name moved. Only what these share a name with is made anew. The answer is that
 * of a rebuild, whatever the order in which things came.
 */
#ifndef ABDB_STORE_DERIVE_H
#define ABDB_STORE_DERIVE_H

#include "schema/core/text.h"
#include "schema/store/db.h"

/* Numbers up to which derived rows are made. */
typedef struct {
    sqlite3_int64 entry, description, spec, price;
} abdb_marks;

/* Brings it all up to date, in one transaction of its own; nothing to do takes no lock. whole: from
 * nothing, as `abdb doctor --rebuild` asks. */
ABDB_MUST_USE abdb_status abdb_derive_update_in_transaction_if_behind(abdb_db *db,
                                                                      bool from_scratch,
                                                                      abdb_error *err);
/* *behind: facts were added or changed since it was brought up to date. A reader asks, to say so:
 * an import commits each file, and derives once at its end. */
ABDB_MUST_USE abdb_status abdb_derive_is_behind(abdb_db *db, bool *behind, abdb_error *err);
/* Says that a dictionary changed: "names" (devices, models, aliases), "sources" (their order of
 * preference) or "gone" (withdrawals). Inside the transaction that changes it. */
ABDB_MUST_USE abdb_status abdb_derive_mark_stale(abdb_db *db, const char *dictionary,
                                                 abdb_error *err);

/* withdraw.c: appends an event, "withdrawn" or "restored", for each target that the SELECT
 * `targets` gives and of which it says something new. It is dated now, or a second after what was
 * said of the target last, so that it holds. Inside a transaction;
 * abdb_withdrawn_update_gone_and_touch follows, or abdb_derive_mark_stale. */
ABDB_MUST_USE abdb_status abdb_withdrawal_insert_events_changing_state(
    abdb_db *db, const char *event, const char *targets_sql, const char *reason, abdb_error *err);

/* resolve_device_names.c: a step of it, for devices that the tables `meaning` and `meant` of
 * canonical_names.c leave open; fills name_factor for all that they have. */
ABDB_MUST_USE abdb_status abdb_resolve_device_names(abdb_db *db, abdb_error *err);
/* canonical_names.c: what a spelling would mean that nothing in the file has, by the rules of those
 * that it has; *whole is the spelling itself where none explains it. Changes nothing: of a reader,
 * too. */
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
