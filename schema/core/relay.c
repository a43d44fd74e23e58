/* relay.c - what a program says on standard error, passed on within a bound; see relay.h. */
#include "schema/core/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/core/plain.h"

enum { ROUNDS_MAX = 1024 }; /* of reads at the end: whoever still writes may never stop */

void abdb_relay_open(abdb_relay *r, int from, int to, size_t most, const char *name)
{
    *r = (abdb_relay){.from = from, .to = to, .most = most, .name = name, .plain = isatty(to)};
    fcntl(from, F_SETFL, O_NONBLOCK);
}

bool abdb_relay_ready(const abdb_relay *r)
{
    struct pollfd room = {.fd = r->to, .events = POLLOUT};

    return r->from >= 0 && (r->over || poll(&room, 1, 0) > 0);
}

/* Writes it, or as much as can be written: there is nobody to report a failure to. */
static void write_words(const abdb_relay *r, const char *words, size_t size)
{
    while (size) {
        ssize_t wrote = write(r->to, words, size);

        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return;
        words += wrote;
        size -= (size_t)wrote;
    }
}

/* Writes the line that was collected as plain text, and ends it. */
static void write_plain_line(abdb_relay *r)
{
    abdb_text plain = {0};

    r->line[r->size] = '\0';
    abdb_text_plain(&plain, r->line);
    abdb_text_puts(&plain, "\n");
    write_words(r, abdb_text_get(&plain), plain.size);
    abdb_text_free(&plain);
    r->size = 0;
}

/* Passes on bytes that are within the bound. */
static void write_passed(abdb_relay *r, const char *words, size_t size)
{
    if (!r->plain) {
        write_words(r, words, size);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        if (words[i] != '\n' && words[i] != '\0') r->line[r->size++] = words[i];
        if (words[i] == '\n' || r->size == sizeof r->line - 1) write_plain_line(r);
    }
}

bool abdb_relay_pass(abdb_relay *r)
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
    write_passed(r, chunk, passed);
    r->most -= passed;
    if (passed == (size_t)size || r->over) return true;
    r->over = true;
    if (r->plain && r->size) write_plain_line(r);
    snprintf(message, sizeof message, "\nabdb: %.150s says more on standard error: it is dropped\n",
             r->name);
    write_words(r, message, strlen(message));
    return true;
}

void abdb_relay_close(abdb_relay *r)
{
    for (int i = 0; i < ROUNDS_MAX && abdb_relay_ready(r) && abdb_relay_pass(r); i++) continue;
    if (r->plain && r->size) write_plain_line(r);
}
