/* wire_protocol.h - the lines between abdb and a store (stores/protocol.md), on the store's side:
 * it reads requests from standard input and writes answers to standard output. */
#ifndef ABDB_STORES_WIRE_H
#define ABDB_STORES_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"

enum { ABDB_WIRE_WORDS = 64 };

/* One request: its words, unescaped. They are of the wire until the next one is heard. */
typedef struct {
    char *word[ABDB_WIRE_WORDS];
    int words;
} abdb_request;

/* Waits for the next request; false: there is none any more. */
bool abdb_wire_read_request_from_stdin(abdb_request *out);
/* The next row that belongs to the request, with its end of line, or NULL after the last; *size
 * are its bytes. ABDB_IO in *st: the input ended before it. */
const char *abdb_wire_read_row_or_null_at_end(size_t *size, abdb_status *st, abdb_error *err);
/* The words of a row; the row is changed. */
void abdb_wire_split_and_unescape_row(char *row, abdb_request *out);
/* Says one row, without its end of line. */
void abdb_wire_write_row_to_stdout(const char *row, size_t size);
/* Ends an answer: "ok" with a word of it, or the error. */
void abdb_wire_write_result_escaped_to_stdout(abdb_status st, const char *result,
                                              const abdb_error *err);

#endif
