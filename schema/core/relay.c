/* relay.c - passes on a program's standard error, up to a limit; see relay.h. */
#include "schema/core/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/core/sanitize_text.h"

enum { ROUNDS_MAX = 1024 }; /* of reads at the end: a remaining writer may never stop */

void abdb_relay_init_nonblocking(abdb_relay *r, int from, int to, size_t most, const char *name)
{
    *r = (abdb_relay){.from = from, .to = to, .most = most, .name = name, .plain = isatty(to)};
    fcntl(from, F_SETFL, O_NONBLOCK);
}

bool abdb_relay_source_open_and_target_ready(const abdb_relay *r)
{
    struct pollfd room = {.fd = r->to, .events = POLLOUT};

    return r->from >= 0 && (r->over || poll(&room, 1, 0) > 0);
}

/* Writes as much as can be written: a failure cannot be reported anywhere. */
static void write_all_ignoring_errors(const abdb_relay *r, const char *bytes, size_t size)
{
    while (size) {
        ssize_t wrote = write(r->to, bytes, size);

        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return;
        bytes += wrote;
        size -= (size_t)wrote;
    }
}

/* Writes the line that was collected as plain text, and ends it. */
static void write_sanitized_line_and_clear(abdb_relay *r)
{
    abdb_text plain = {0};

    r->line[r->size] = '\0';
    abdb_text_append_sanitized(&plain, r->line);
    abdb_text_puts(&plain, "\n");
    write_all_ignoring_errors(r, abdb_text_get(&plain), plain.size);
    abdb_text_free(&plain);
    r->size = 0;
}

/* Passes on bytes that are within the bound. */
static void write_bytes_or_sanitized_lines(abdb_relay *r, const char *bytes, size_t size)
{
    if (!r->plain) {
        write_all_ignoring_errors(r, bytes, size);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n' && bytes[i] != '\0') r->line[r->size++] = bytes[i];
        if (bytes[i] == '\n' || r->size == sizeof r->line - 1) write_sanitized_line_and_clear(r);
    }
}

bool abdb_relay_pass_chunk_within_limit(abdb_relay *r)
{
    char chunk[ABDB_RELAY_LINE], message[256];
    ssize_t size = r->from >= 0 ? read(r->from, chunk, sizeof chunk) : 0;
    size_t passed;

    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (size <= 0) {
        r->from = -1;
        return false;
    }
    passed = (size_t)size < r->most ? (size_t)size : r->most;
    write_bytes_or_sanitized_lines(r, chunk, passed);
    r->most -= passed;
    if (passed == (size_t)size || r->over) return true;
    r->over = true;
    if (r->plain && r->size) write_sanitized_line_and_clear(r);
    snprintf(message, sizeof message, "\nabdb: %.150s says more on standard error: it is dropped\n",
             r->name);
    write_all_ignoring_errors(r, message, strlen(message));
    return true;
}

void abdb_relay_drain_and_flush(abdb_relay *r)
{
    for (int i = 0; i < ROUNDS_MAX && abdb_relay_source_open_and_target_ready(r) &&
                    abdb_relay_pass_chunk_within_limit(r);
         i++)
        continue;
    if (r->plain && r->size) write_sanitized_line_and_clear(r);
}
