/* upsert.h - requests of a push: finds missing keys, and adds rows. Tables and columns are named by
 * the request and found in the catalog; rows go through COPY unchanged. */
#ifndef ABDB_STORES_KEEP_H
#define ABDB_STORES_KEEP_H

#include "stores/pg/pg_connection.h"
#include "stores/wire_protocol.h"

/* Each takes the words TABLE COLUMN... of the request, and the rows that follow. *answer: the words
 * of the answer after "ok". */

/* Answers the first column of each row whose key is missing from the table. Columns outside the key
 * must equal the stored ones. ABDB_DB: a collision. */
ABDB_MUST_USE abdb_status abdb_send_missing_keys_or_fail_on_collision(abdb_server *s,
                                                                      const abdb_request *r,
                                                                      abdb_text *answer,
                                                                      abdb_error *err);
/* Adds the rows whose key is missing: answers "NEW DIFFERENT", the numbers of added rows and of
 * rows that differ from the stored row of their key. ABDB_DB: two keys collide. send_lost_keys:
 * answers the first column of each row not added by this call. */
ABDB_MUST_USE abdb_status abdb_insert_new_rows_count_or_send_rest(
    abdb_server *s, const abdb_request *r, bool send_lost_keys, abdb_text *answer, abdb_error *err);
/* Adds the rows as they are: of entries that this transaction claimed. */
ABDB_MUST_USE abdb_status abdb_copy_claimed_rows_into_table(abdb_server *s, const abdb_request *r,
                                                            abdb_text *answer, abdb_error *err);
/* A derived table holds these rows afterwards, and no others. */
ABDB_MUST_USE abdb_status abdb_replace_derived_table_by_request_rows(abdb_server *s,
                                                                     const abdb_request *r,
                                                                     abdb_text *answer,
                                                                     abdb_error *err);

#endif
