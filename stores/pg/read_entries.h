/* read_entries.h - requests of a pull: selects the wanted entries, and sends the rows of a table
 * that belong to them. */
#ifndef ABDB_STORES_GIVE_H
#define ABDB_STORES_GIVE_H

#include "stores/pg/pg_connection.h"
#include "stores/wire_protocol.h"

/* Selects the wanted entries: "all"; "mlperf", entries whose statements may be about one
 * result; "where", by conditions in the rows that follow, each COLUMN OP VALUE (columns of
 * v_statement, or factors; OP one of = != < <= > >= ~). The runs of a score come with it.
 * *answer: their number. ABDB_USAGE: no such column. */
ABDB_MUST_USE abdb_status abdb_create_wanted_entries_and_artifacts_tables(abdb_server *s,
                                                                          const abdb_request *r,
                                                                          abdb_text *answer,
                                                                          abdb_error *err);
/* TABLE COLUMN...: its rows, of the wanted entries where it belongs to entries. */
ABDB_MUST_USE abdb_status abdb_send_wanted_rows_of_table(abdb_server *s, const abdb_request *r,
                                                         abdb_text *answer, abdb_error *err);
/* Every spelling in use, as rows KIND SPELLING. */
ABDB_MUST_USE abdb_status abdb_send_distinct_name_spellings(abdb_server *s, abdb_text *answer,
                                                            abdb_error *err);

#endif
