/* spooling.c - records into a spool directory: appended to a hidden file, which gets its name when
 * it is whole and on the disk. A record that could not be written whole is cut off again. See
 * spooling.h. */
#include "query/program/spooling.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/core/record_json.h"

struct abdb_spooling {
    int file; /* -1: none */
    char *hidden, *path;
    abdb_text line;
    off_t whole; /* bytes of whole records */
};

static void release(abdb_spooling *s)
{
    if (s->file >= 0) close(s->file);
    free(s->hidden);
    free(s->path);
    abdb_text_free(&s->line);
    free(s);
}

abdb_status abdb_spooling_open(abdb_spooling **out, const char *folder, const char *name,
                               abdb_error *err)
{
    abdb_spooling *s = calloc(1, sizeof *s);

    if (s) s->file = -1;
    if (!s || asprintf(&s->hidden, "%s/.%s.part", folder, name) < 0 ||
        asprintf(&s->path, "%s/%s.jsonl", folder, name) < 0) {
        if (s) release(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "a spool file");
    }
    s->file = open(s->hidden, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (s->file < 0) {
        abdb_status st = ABDB_FAIL(err, ABDB_IO, "%s: %s", folder, strerror(errno));

        release(s);
        return st;
    }
    *out = s;
    return ABDB_OK;
}

abdb_status abdb_spooling_entry(abdb_spooling *s, const abdb_entry *entry, abdb_error *err)
{
    size_t put = 0;

    abdb_text_clear(&s->line);
    abdb_entry_json(&s->line, entry);
    if (s->line.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a record");
    while (put < s->line.size) {
        ssize_t size = write(s->file, s->line.data + put, s->line.size - put);

        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) {
            abdb_status st = ABDB_FAIL(err, ABDB_IO, "%s: %s", s->hidden, strerror(errno));

            (void)!ftruncate(s->file, s->whole); /* no half record */
            return st;
        }
        put += (size_t)size;
    }
    s->whole += (off_t)put;
    return ABDB_OK;
}

abdb_status abdb_spooling_close(abdb_spooling *s, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_OK;
    if (!s->whole)
        unlink(s->hidden);
    else if (fsync(s->file) != 0 || rename(s->hidden, s->path) != 0)
        st = ABDB_FAIL(err, ABDB_IO, "%s: %s; what was measured stays in %s", s->path,
                       strerror(errno), s->hidden);
    release(s);
    return st;
}
