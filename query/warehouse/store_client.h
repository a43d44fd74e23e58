/* store_client.h - the connection to a store, the program abdb-store-NAME for a database server:
 * requests and rows go to it, rows come back (stores/protocol.md). */
#ifndef ABDB_QUERY_LINK_H
#define ABDB_QUERY_LINK_H

#include <stdbool.h>

#include "query/warehouse/stream.h"

enum { ABDB_LINK_WORDS = 64, ABDB_LINK_ANY = -1 };

/* Zeroed is none. */
typedef struct {
    abdb_stream stream;
    char *word[ABDB_LINK_WORDS]; /* words of the last row; NULL: the row has none there */
    int words;
    long long rows; /* of the answer so far */
    long long most; /* rows that the answer may have: as many as the request; or ABDB_LINK_ANY */
    abdb_text result_text; /* what stood beside the last "ok" */
} abdb_store_client;

/* Starts the store that the scheme of the URL names (postgresql: abdb-store-pg), from the folder of
 * this program, and opens the warehouse. may: "make" one where there is none, or "read".
 * ABDB_USAGE: no store for this scheme, or no program for it is here. ABDB_LIMIT from any call: the
 * store is past a limit, or its answer has too many rows. */
ABDB_MUST_USE abdb_status abdb_store_client_start_and_open(abdb_store_client *link,
                                                           const char *folder, const char *url,
                                                           const char *access_mode, bool upgrade,
                                                           const abdb_stream_limits *limits,
                                                           abdb_error *err);
void abdb_store_client_close(abdb_store_client *link);
/* Begins a request: the word and its arguments, a list that ends with NULL. Rows may follow, then
 * abdb_store_end_and_flush_request. The answer may have as many rows as the request; ABDB_LINK_ANY
 * in link->most after this call lifts that. */
void abdb_store_start_request(abdb_store_client *link, const char *word,
                              const char *const *arguments);
/* One row of the request, with its end of line. */
ABDB_MUST_USE abdb_status abdb_store_send_row(abdb_store_client *link, const abdb_text *row,
                                              abdb_error *err);
/* The rows of the request are over (rows: there may have been some), or there were none. */
ABDB_MUST_USE abdb_status abdb_store_end_and_flush_request(abdb_store_client *link,
                                                           bool with_end_of_rows, abdb_error *err);
/* The next row of the answer, its words in link->word; *is_row false: the answer is over, and
 * link->result_text has its text. Fails with the store's error. */
ABDB_MUST_USE abdb_status abdb_store_read_row_or_final_answer(abdb_store_client *link, bool *is_row,
                                                              abdb_error *err);
/* Refuses a row with another number of words, because words of the row before would fill it. */
ABDB_MUST_USE abdb_status abdb_store_require_columns(const abdb_store_client *link, int expected,
                                                     abdb_error *err);
/* The end of an answer that has no rows: one is an error. */
ABDB_MUST_USE abdb_status abdb_store_read_final_answer(abdb_store_client *link, abdb_error *err);
/* A request without rows, whose answer has none: WORD [ARGUMENT]. */
ABDB_MUST_USE abdb_status abdb_store_request_and_read_answer(abdb_store_client *link,
                                                             const char *request,
                                                             const char *argument, abdb_error *err);
/* Adds a text as a word of a row. */
void abdb_append_wire_escaped(abdb_text *row, const char *text, size_t size);
/* The address without its password, from arena: for people. */
const char *abdb_copy_url_with_masked_password(abdb_arena *arena, const char *url);
/* Puts x over the password of an address, in place: others see the words of a command. */
void abdb_mask_password_in_place(char *url);

#endif
