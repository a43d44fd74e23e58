/* spooling.c - records into a spool directory; see spooling.h. */
#include "query/spooling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/core/record_json.h"

struct abdb_spooling {
    FILE *file;
    char *hidden, *path;
    abdb_text line;
    size_t records;
};

static void release(abdb_spooling *s)
{
    if (s->file) fclose(s->file);
    free(s->hidden);
    free(s->path);
    abdb_text_free(&s->line);
    free(s);
}

abdb_status abdb_spooling_open(abdb_spooling **out, const char *folder, const char *name,
                               abdb_error *err)
{
    abdb_spooling *s = calloc(1, sizeof *s);

    if (!s || asprintf(&s->hidden, "%s/.%s.part", folder, name) < 0 ||
        asprintf(&s->path, "%s/%s.jsonl", folder, name) < 0) {
        if (s) release(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "a spool file");
    }
    s->file = fopen(s->hidden, "wxe");
    if (!s->file) {
        abdb_status st = ABDB_FAIL(err, ABDB_IO, "%s: %s", folder, strerror(errno));

        release(s);
        return st;
    }
    *out = s;
    return ABDB_OK;
}

abdb_status abdb_spooling_entry(abdb_spooling *s, const abdb_entry *entry, abdb_error *err)
{
    abdb_text_clear(&s->line);
    abdb_entry_json(&s->line, entry);
    if (s->line.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a record");
    if (fwrite(abdb_text_get(&s->line), 1, s->line.size, s->file) != s->line.size ||
        fflush(s->file) != 0)
        return ABDB_FAIL(err, ABDB_IO, "%s: %s", s->hidden, strerror(errno));
    s->records++;
    return ABDB_OK;
}

abdb_status abdb_spooling_close(abdb_spooling *s, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_OK;
    if (!s->records)
        unlink(s->hidden);
    else if (fsync(fileno(s->file)) != 0 || rename(s->hidden, s->path) != 0)
        st = ABDB_FAIL(err, ABDB_IO, "%s: %s", s->path, strerror(errno));
    release(s);
    return st;
}
