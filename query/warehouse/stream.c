/* stream.c - lines to a store and from it, within bounds; see stream.h. */
#include "query/warehouse/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query/answer/output.h"
#include "schema/core/array.h"
#include "schema/core/timing.h"

enum { BLOCK = 1 << 16, FAREWELL_S = 5, LONGEST_S = 3600, WORDS_MOST = 1 << 18 };

abdb_status abdb_stream_start_program(abdb_stream *s, const char *path,
                                      const abdb_stream_limits *limits, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *s = (abdb_stream){.limits = *limits, .until_s = abdb_monotonic_seconds() + limits->all_s};
    TRY(abdb_program_start_with_pipes(
        &s->program, &(abdb_start_options){.path = path, .words_most = WORDS_MOST}, err));
    fcntl(s->program.out, F_SETFL, O_NONBLOCK);
done:
    return st;
}

void abdb_stream_close_and_end_program(abdb_stream *s, const char *farewell)
{
    if (s->program.pid) {
        if (farewell && !s->failed &&
            abdb_stream_send_buffered(s, farewell, strlen(farewell), NULL) == ABDB_OK &&
            abdb_stream_flush(s, NULL) == ABDB_OK)
            abdb_program_wait_until_ended(&s->program, FAREWELL_S, NULL);
        abdb_program_kill_and_reap(&s->program);
        if (*s->program.escaped)
            abdb_print_stderr_remark_of_ended_processes(NULL, "the store", s->program.escaped);
    }
    abdb_text_free(&s->unsent);
    free(s->buffer);
    *s = (abdb_stream){0};
}

/* Fails for good: the program is past a limit. */
static abdb_status mark_stream_failed_by_limit(abdb_stream *s)
{
    s->failed = true;
    return ABDB_LIMIT;
}

/* Waits until the file is ready, within the limits; since_s: time of the program's last output.
 * `what`: the missing action, for the message. */
static abdb_status wait_until_ready_within_limits(abdb_stream *s, int file, short events,
                                                  double since_s, const char *what, abdb_error *err)
{
    struct pollfd waiting = {.fd = file, .events = events};
    const abdb_stream_limits *most = &s->limits;

    for (;;) {
        double now_s = abdb_monotonic_seconds(), left_s = LONGEST_S;

        if (most->all_s > 0) left_s = fmin(left_s, s->until_s - now_s);
        if (left_s < 0) {
            (void)!ABDB_FAIL(err, ABDB_LIMIT, "not done after %g s: --timeout SECONDS gives more",
                             most->all_s);
            return mark_stream_failed_by_limit(s);
        }
        if (most->silence_s > 0) left_s = fmin(left_s, since_s + most->silence_s - now_s);
        if (left_s < 0) {
            (void)!ABDB_FAIL(err, ABDB_LIMIT,
                             "the store %s for %g s: it is taken for dead; --wait SECONDS gives it"
                             " longer",
                             what, most->silence_s);
            return mark_stream_failed_by_limit(s);
        }
        if (poll(&waiting, 1, (int)(left_s * 1000) + 1) > 0) return ABDB_OK;
    }
}

abdb_status abdb_stream_flush(abdb_stream *s, abdb_error *err)
{
    const char *text = abdb_text_get(&s->unsent);
    size_t left = s->unsent.size;
    double since_s = abdb_monotonic_seconds();
    abdb_status st = ABDB_OK;

    if (s->unsent.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a request");
    while (left) {
        ssize_t wrote;

        TRY(wait_until_ready_within_limits(s, s->program.in, POLLOUT, since_s, "has read nothing",
                                           err));
        wrote = write(s->program.in, text, left);
        if (wrote < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (wrote < 0) {
            s->failed = true;
            TRY(errno == EPIPE
                    ? ABDB_FAIL(err, ABDB_IO, "the store ended without an answer")
                    : ABDB_FAIL(err, ABDB_IO, "cannot write to the store: %s", strerror(errno)));
        }
        text += wrote;
        left -= (size_t)wrote;
        since_s = abdb_monotonic_seconds();
    }
done:
    abdb_text_clear(&s->unsent);
    return st;
}

abdb_status abdb_stream_send_buffered(abdb_stream *s, const char *text, size_t size,
                                      abdb_error *err)
{
    if (s->failed) return ABDB_FAIL(err, ABDB_IO, "the store ended without an answer");
    abdb_text_add(&s->unsent, text, size);
    return s->unsent.size < BLOCK && !s->unsent.failed ? ABDB_OK : abdb_stream_flush(s, err);
}

bool abdb_stream_line_is_utf8(const char *line)
{
    for (const char *at = line; *at;) {
        int length = (signed char)*at >= 0 ? 1 : abdb_utf8_char_length(at);

        if (!length) return false;
        at += length;
    }
    return true;
}

/* Moves unread bytes to the front of the buffer, then reads once after them. */
static abdb_status read_more_from_program(abdb_stream *s, double since_s, abdb_error *err)
{
    ssize_t size;
    abdb_status st = ABDB_OK;

    if (s->at) {
        memmove(s->buffer, s->buffer + s->at, s->end - s->at);
        s->end -= s->at;
        s->searched -= s->at;
        s->at = 0;
    }
    while (s->capacity - s->end < BLOCK) {
        char *more = abdb_array_reserve_one(s->buffer, s->capacity, &s->capacity, 1);

        if (!more) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a line of the store"));
        s->buffer = more;
    }
    TRY(wait_until_ready_within_limits(s, s->program.out, POLLIN, since_s, "has answered nothing",
                                       err));
    size = read(s->program.out, s->buffer + s->end, s->capacity - s->end);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return ABDB_OK;
    if (size <= 0) s->failed = true;
    if (size < 0)
        TRY(ABDB_FAIL(err, ABDB_IO, "cannot read what the store says: %s", strerror(errno)));
    if (!size) TRY(ABDB_FAIL(err, ABDB_IO, "the store ended without an answer"));
    s->end += (size_t)size;
done:
    return st;
}

abdb_status abdb_stream_read_line(abdb_stream *s, char **line, abdb_error *err)
{
    double since_s = abdb_monotonic_seconds();
    abdb_status st = ABDB_OK;

    if (s->failed) return ABDB_FAIL(err, ABDB_IO, "the store ended without an answer");
    for (;;) {
        size_t had = s->end;
        char *end = s->end > s->searched
                        ? memchr(s->buffer + s->searched, '\n', s->end - s->searched)
                        : NULL;

        if (end) {
            size_t size = (size_t)(end - s->buffer) - s->at;

            *end = '\0';
            *line = s->buffer + s->at;
            s->at = s->searched = (size_t)(end - s->buffer) + 1;
            if (!memchr(*line, '\0', size)) return ABDB_OK;
            s->failed = true;
            return ABDB_FAIL(err, ABDB_IO, "the store answered a line with a NUL");
        }
        s->searched = s->end;
        if (s->end - s->at > ABDB_STREAM_LINE) {
            s->failed = true;
            return ABDB_FAIL(err, ABDB_LIMIT, "the store answered a line of more than %d MiB",
                             ABDB_STREAM_LINE >> 20);
        }
        TRY(read_more_from_program(s, since_s, err));
        if (s->end != had) since_s = abdb_monotonic_seconds();
    }
done:
    return st;
}
