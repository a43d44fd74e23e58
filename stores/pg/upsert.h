/* upsert.h - what a push asks: which keys are missing, and rows that are added. Tables and columns
 * are named by the request and found in the catalog; rows go through COPY as they came. */
#ifndef ABDB_STORES_KEEP_H
#define ABDB_STORES_KEEP_H

#include "stores/pg/pg_connection.h"
#include "stores/wire_protocol.h"

/* Each takes the words TABLE COLUMN... from `first` on, and the rows that follow. *said: what is
 * answered beside "ok". */

/* Answers the first column of each row whose key is not there. The columns that are no part of the
 * key must be as they are there: ABDB_DB: a collision. */
ABDB_MUST_USE abdb_status abdb_send_missing_keys_or_fail_on_collision(abdb_server *s,
                                                                      const abdb_request *r,
                                                                      abdb_text *answer,
                                                                      abdb_error *err);
/* Adds the rows whose key is not there: "NEW DIFFERENT", those added and those that say otherwise
 * than the row of their key. ABDB_DB: a key stands for something else there. claim: answers the
 * first column of each row that was not added by this call. */
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
