/* redact.h - texts allowed in a redacted export (redact.def), and pseudonyms of the others. */
#ifndef ABDB_QUERY_REDACT_H
#define ABDB_QUERY_REDACT_H

#include "query/answer/table.h"
#include "schema/core/record.h"
#include "schema/store/db.h"

/* Data shipped with abdb passes unchanged, recognised by its whole content. Of other entries the
 * columns of redact.def are exported, where their text has the form required there; every other
 * text is replaced by a pseudonym: the same for the same text of one database, and not to be
 * guessed from another. Facts and dictionaries that abdb does not ship (prices, specifications,
 * aliases, notes, ...) and withdrawn entries are not exported. */
typedef struct abdb_redaction abdb_redaction;

/* keep: more columns that may leave, with commas between them; NULL: none. ABDB_USAGE: one of them
 * names nothing that an entry has. */
ABDB_MUST_USE abdb_status abdb_redaction_open(abdb_redaction **out, abdb_db *db, const char *keep,
                                              abdb_error *err);
void abdb_redaction_close(abdb_redaction *r);

/* Hands redacted records to next. */
abdb_sink abdb_redaction_sink(abdb_redaction *r, const abdb_sink *next);
/* A walk over everything that may be in a redacted export. entries: as of
 * abdb_store_scan_into_sink. */
ABDB_MUST_USE abdb_status abdb_redaction_pass_records_to_sink(abdb_redaction *r,
                                                              const char *entries,
                                                              const abdb_sink *next,
                                                              abdb_error *err);
/* Texts that were replaced, and facts that stayed, in the last walk. */
long abdb_redaction_count_replaced(const abdb_redaction *r),
    abdb_redaction_count_withheld(const abdb_redaction *r);
/* Instead of an export: a table of exported texts, of pseudonyms, and of withheld texts. */
ABDB_MUST_USE abdb_status abdb_redaction_preview_to_table(abdb_redaction *r, const char *entries,
                                                          abdb_table *out, abdb_error *err);

#endif
