/* archive_source.c - the bytes of an archive for libarchive; see archive_source.h. */
#include "ingest/read/archive_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ingest/read/archive.h"

/* A ratio is asked only beyond these bytes: a small file of blanks packs 1000-fold and harms
 * nobody. */
enum { FREE_BYTES = 64 << 20 };

abdb_status abdb_archive_fail_if_bomb(size_t total, const archive_level *level, abdb_error *err)
{
    for (; level; level = level->outer) {
        la_int64_t in = archive_filter_bytes(level->a, -1);
        size_t out = total - level->before;

        /* archive_filter_bytes(a, -1) are the packed bytes that libarchive has taken from the
         * source; divided rather than multiplied, so nothing overflows. */
        if (out > FREE_BYTES && out / ABDB_ARCHIVE_RATIO_MAX > (size_t)(in > 0 ? in : 1))
            return ABDB_FAIL(err, ABDB_LIMIT, "expands more than %d-fold: an archive bomb",
                             ABDB_ARCHIVE_RATIO_MAX);
    }
    return ABDB_OK;
}

/* Reads from a file or pipe into the chunk; -1: an error, which is in source->error. */
static ssize_t read_chunk_from_descriptor(archive_source *s, int file)
{
    ssize_t got;

    do got = read(file, s->chunk, ARCHIVE_CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0) (void)!ABDB_FAIL(&s->error, ABDB_IO, "cannot read: %s", strerror(errno));
    return got;
}

/* Reads what follows of the outer archive's member at hand. The bytes count once for the outer
 * archive here, and what they expand to counts for both. */
static ssize_t read_chunk_of_outer_member(archive_source *s)
{
    la_ssize_t got = archive_read_data(s->outer->a, s->chunk, ARCHIVE_CHUNK);

    if (got < 0) {
        const char *why = archive_error_string(s->outer->a);

        (void)!ABDB_FAIL(&s->error, ABDB_DATA, "%s",
                         why ? why : "the archive around it is damaged");
        return -1;
    }
    if (!s->uncounted) *s->total += (size_t)got;
    s->outer_ended = got == 0;
    return abdb_archive_fail_if_bomb(*s->total, s->outer, &s->error) == ABDB_OK ? (ssize_t)got : -1;
}

/* Copies what came through the pipe; a copy that does not fit is dropped, and the pipe cannot be
 * read again. */
static void append_chunk_to_pipe_copy_or_drop_copy(archive_source *s, size_t size)
{
    abdb_error ignored;

    if (!s->copy) return;
    if (s->copy->size + size <= ABDB_INPUT_SIZE_MAX &&
        abdb_spool_append_to_memory_or_file(s->copy, s->chunk, size, &ignored) == ABDB_OK)
        return;
    abdb_spool_free(s->copy);
    s->copy = NULL;
}

/* The next bytes at *out: 0 is the end; -1 an error, which is in source->error. */
static ssize_t read_next_source_bytes(archive_source *s, const char **out)
{
    ssize_t got = 0;

    if (s->at < s->size) {
        size_t size = s->size - s->at < ARCHIVE_CHUNK ? s->size - s->at : ARCHIVE_CHUNK;

        *out = s->memory + s->at;
        s->at += size;
        return (ssize_t)size;
    }
    *out = s->chunk;
    if (s->file >= 0) got = read_chunk_from_descriptor(s, s->file);
    if (got == 0 && s->pipe >= 0) {
        got = read_chunk_from_descriptor(s, s->pipe);
        if (got > 0) append_chunk_to_pipe_copy_or_drop_copy(s, (size_t)got);
    }
    if (got == 0 && s->outer && !s->outer_ended) got = read_chunk_of_outer_member(s);
    return got;
}

/* libarchive's callback: the next bytes of the source; 0 at its end. */
static la_ssize_t supply_bytes_to_libarchive(struct archive *a, void *self, const void **out)
{
    archive_source *s = self;
    const char *bytes = NULL;
    ssize_t got = read_next_source_bytes(s, &bytes);

    *out = bytes;
    if (got < 0) archive_set_error(a, EIO, "%s", s->error.message);
    return got;
}

bool abdb_archive_source_can_seek(const archive_source *s)
{
    return s->pipe < 0 && (!s->outer || s->outer_ended);
}

/* libarchive's callback: moves within memory or a file, and returns the new place. */
static la_int64_t seek_source_for_libarchive(struct archive *a, void *self, la_int64_t offset,
                                             int whence)
{
    archive_source *s = self;
    la_int64_t from = whence == SEEK_SET ? 0 : (la_int64_t)(whence == SEEK_CUR ? s->at : s->size);
    off_t at;

    (void)a;
    if (s->file < 0) {
        if (offset < -from || offset > (la_int64_t)s->size - from) return ARCHIVE_FATAL;
        s->at = (size_t)(from + offset);
        return (la_int64_t)s->at;
    }
    at = lseek(s->file, (off_t)offset + (whence == SEEK_SET ? s->start : 0), whence);
    if (at < s->start) return ARCHIVE_FATAL;
    s->at = s->size; /* the file has these bytes, too */
    return at - s->start;
}

/* Makes the spool's bytes the first bytes of the source. */
static abdb_status switch_source_to_spool(archive_source *s, const abdb_spool *spool,
                                          abdb_error *err)
{
    s->memory = abdb_text_get(&spool->text);
    s->size = spool->file ? 0 : spool->size;
    s->at = 0;
    s->file = spool->file ? spool->file : -1;
    s->start = 0;
    if (spool->file && lseek(spool->file, 0, SEEK_SET) < 0)
        return ABDB_FAIL(err, ABDB_IO, "TMPDIR: cannot read: %s", strerror(errno));
    return ABDB_OK;
}

abdb_status abdb_archive_source_spool_rest_and_switch(archive_source *s, abdb_spool *spool,
                                                      abdb_error *err)
{
    const char *bytes = NULL;
    ssize_t got = 1;
    abdb_status st = ABDB_OK;

    s->copy = NULL;
    abdb_spool_clear(spool); /* of the copy of a pipe, which begins with what memory holds */
    while (spool->size + ARCHIVE_CHUNK <= ABDB_INPUT_SIZE_MAX &&
           (got = read_next_source_bytes(s, &bytes)) > 0)
        TRY(abdb_spool_append_to_memory_or_file(spool, bytes, (size_t)got, err));
    if (got < 0) {
        *err = s->error;
        return err->status;
    }
    if (got == 0) s->pipe = -1;
    TRY(switch_source_to_spool(s, spool, err));
done:
    return st;
}

bool abdb_archive_source_rewind(archive_source *s)
{
    abdb_error ignored;

    s->error = (abdb_error){0};
    if (s->pipe >= 0) {
        if (!s->copy || switch_source_to_spool(s, s->copy, &ignored) != ABDB_OK) return false;
        s->pipe = -1;
        return true;
    }
    s->at = 0;
    if (s->file < 0) return true;
    s->at = s->size;
    return lseek(s->file, s->start, SEEK_SET) == s->start;
}

abdb_status abdb_archive_source_open_with_callbacks(struct archive *a, archive_source *source,
                                                    const abdb_archive_kind *kind, abdb_error *err)
{
    const char *why;
    abdb_status st = ABDB_OK;

    TRY(abdb_archive_enable_filter_and_format(a, kind, err));
    archive_read_set_read_callback(a, supply_bytes_to_libarchive);
    archive_read_set_callback_data(a, source);
    /* With a seek callback libarchive reads a zip by the directory at its end. */
    if (abdb_archive_source_can_seek(source))
        archive_read_set_seek_callback(a, seek_source_for_libarchive);
    if (archive_read_open1(a) != ARCHIVE_OK) {
        why = archive_error_string(a);
        TRY(ABDB_FAIL(err, ABDB_DATA, "%s: %s",
                      kind->support_format ? "cannot be read as an archive"
                                           : "damaged or truncated, or there is nothing in it",
                      why ? why : "no reason is given"));
    }
done:
    return st;
}
