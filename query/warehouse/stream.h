/* stream.h - lines to a store and from it, within bounds: of a line, of silence, of all time. */
#ifndef ABDB_QUERY_STREAM_H
#define ABDB_QUERY_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/child_process.h"
#include "schema/core/text.h"

enum { ABDB_STREAM_LINE = 256 << 20 }; /* samples of a result are one; a value may have as much */

/* Seconds of all that is done with a program, and of silence; 0: no limit. */
typedef struct {
    double all_s, silence_s;
} abdb_stream_limits;

/* Zeroed is none. */
typedef struct {
    abdb_program program;
    abdb_stream_limits limits;
    double until_s; /* the end of limits.all_s, on the steady clock */
    abdb_text unsent;
    char *buffer; /* unread bytes from `at` to `end`; `searched`: no line ends before it */
    size_t at, searched, end, capacity;
    bool failed; /* nothing comes, or can be sent, any more: it is killed at the end */
} abdb_stream;

/* Starts the program. */
ABDB_MUST_USE abdb_status abdb_stream_start_program(abdb_stream *stream, const char *path,
                                                    const abdb_stream_limits *limits,
                                                    abdb_error *err);
/* Sends buffered text, and ends the program: after its `farewell`, if that is not NULL and no call
 * failed, else at once. Processes that it left behind are named in a remark. */
void abdb_stream_close_and_end_program(abdb_stream *stream, const char *farewell);
/* Appends text to the buffer, sent in blocks. ABDB_IO: the program has ended; ABDB_LIMIT:
 * it does not read. */
ABDB_MUST_USE abdb_status abdb_stream_send_buffered(abdb_stream *stream, const char *text,
                                                    size_t size, abdb_error *err);
/* Sends all of it now. */
ABDB_MUST_USE abdb_status abdb_stream_flush(abdb_stream *stream, abdb_error *err);
/* The next line, its end as NUL, in *line until the next call. ABDB_IO: the program has ended, or
 * the line has a NUL; ABDB_LIMIT: it is too long, or does not come. */
ABDB_MUST_USE abdb_status abdb_stream_read_line(abdb_stream *stream, char **line, abdb_error *err);
/* Is the line UTF-8? */
bool abdb_stream_line_is_utf8(const char *line);

#endif
