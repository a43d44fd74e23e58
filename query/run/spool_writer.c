/* spool_writer.c - records into a spool directory: appended to a hidden file, each on the disk
 * before the next is measured; the file gets its name when it is whole. A record that could not be
 * written whole is cut off again. See spool_writer.h. */
#include "query/run/spool_writer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/core/outguard.h"
#include "schema/core/record_json.h"

struct abdb_spool_writer {
    int file; /* -1: none */
    char *hidden, *path;
    abdb_text line;
    off_t whole; /* bytes of whole records */
};

static void close_and_free_spool(abdb_spool_writer *s)
{
    if (s->file >= 0) close(s->file);
    free(s->hidden);
    free(s->path);
    abdb_text_free(&s->line);
    free(s);
}

/* Name of this host as a part of a file's name. */
static void host_name_for_file(char out[64])
{
    if (gethostname(out, 64) != 0) *out = '\0';
    out[63] = '\0';
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-') *c = '_';
    if (!*out) snprintf(out, 64, "host");
}

abdb_status abdb_spool_writer_open_hidden_file(abdb_spool_writer **out, const char *folder,
                                               const char *name, abdb_error *err)
{
    abdb_spool_writer *s = calloc(1, sizeof *s);
    char host[64];
    abdb_status st;

    host_name_for_file(host);
    if (s) s->file = -1;
    if (!s ||
        asprintf(&s->hidden, "%s/.%s.%s.%ld.jsonl.part", folder, name, host, (long)getpid()) < 0 ||
        asprintf(&s->path, "%s/%s.%s.%ld.jsonl", folder, name, host, (long)getpid()) < 0) {
        if (s) close_and_free_spool(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "a spool file");
    }
    st = abdb_outguard_refuse_protected_path(s->path, err);
    if (st == ABDB_OK) /* only the owner may write measurements, whatever the umask is */
        s->file = open(s->hidden, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (st == ABDB_OK && s->file < 0)
        st = ABDB_FAIL(err, ABDB_IO, "%s: %s", folder, strerror(errno));
    if (st != ABDB_OK) {
        close_and_free_spool(s);
        return st;
    }
    *out = s;
    return ABDB_OK;
}

abdb_status abdb_spool_writer_append_durably(abdb_spool_writer *s, const abdb_entry *entry,
                                             abdb_error *err)
{
    size_t put = 0;

    abdb_text_clear(&s->line);
    abdb_entry_append_json_line(&s->line, entry);
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
    /* A failure here (NFS reports a full disk now) is an error; the record may be kept or not. */
    if (fdatasync(s->file) != 0 && errno != EINVAL)
        return ABDB_FAIL(err, ABDB_IO, "%s: %s", s->hidden, strerror(errno));
    return ABDB_OK;
}

/* A new name is on the disk when its folder is. */
static void sync_folder_of_file(const char *path)
{
    char *folder = strdup(path);
    int file = -1;

    if (folder) {
        *strrchr(folder, '/') = '\0';
        file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (file >= 0) {
        (void)!fsync(file); /* some file systems have none of folders */
        close(file);
    }
    free(folder);
}

abdb_status abdb_spool_writer_publish(abdb_spool_writer *s, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_OK;
    if (!s->whole)
        unlink(s->hidden);
    else if (fsync(s->file) != 0 || rename(s->hidden, s->path) != 0)
        st = ABDB_FAIL(err, ABDB_IO, "%s: %s; what was measured stays in %s", s->path,
                       strerror(errno), s->hidden);
    else
        sync_folder_of_file(s->path);
    close_and_free_spool(s);
    return st;
}
