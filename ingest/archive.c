/* archive.c - members of archives as a stream; see archive.h. */
#include "ingest/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FREE_BYTES = 64 << 20, CHUNK = 1 << 17 };

bool abdb_archive_is(const void *head, size_t size)
{
    static const struct {
        size_t at, size;
        const char *bytes;
    } magic[] = {{0, 2, "\x1f\x8b"},
                 {0, 4, "PK\x03\x04"},
                 {0, 6,
                  "\xfd"
                  "7zXZ\0"},
                 {0, 3, "BZh"},
                 {0, 4, "\x28\xb5\x2f\xfd"},
                 {257, 5, "ustar"},
                 {0, 6, "7z\xbc\xaf\x27\x1c"},
                 {0, 4, "\x04\x22\x4d\x18"}};

    for (size_t i = 0; i < sizeof magic / sizeof magic[0]; i++)
        if (size >= magic[i].at + magic[i].size &&
            memcmp((const char *)head + magic[i].at, magic[i].bytes, magic[i].size) == 0)
            return true;
    return false;
}

/* Where the bytes of an archive come from: memory or what was read already, then a file, or the
 * member at hand of the archive around it. */
typedef struct {
    const char *head;
    size_t head_size;
    int file;              /* -1: none */
    struct archive *outer; /* or NULL */
    char *chunk;
} byte_source;

typedef struct {
    const abdb_member_handler *handler;
    size_t total, members; /* of all depths together */
    bool stopped;          /* the handler said so */
} walk_state;

static la_ssize_t read_source(struct archive *a, void *self, const void **out)
{
    byte_source *s = self;
    la_ssize_t got;

    *out = s->head;
    if (s->head_size) {
        got = (la_ssize_t)s->head_size;
        s->head_size = 0;
        return got;
    }
    *out = s->chunk;
    if (s->outer) {
        got = archive_read_data(s->outer, s->chunk, CHUNK);
        if (got < 0) archive_set_error(a, EIO, "%s", archive_error_string(s->outer));
        return got;
    }
    if (s->file < 0) return 0;
    do got = read(s->file, s->chunk, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0) archive_set_error(a, errno, "%s", strerror(errno));
    return got;
}

/* Seeking helps formats whose directory stands at the end; a pipe cannot. */
static la_int64_t seek_source(struct archive *a, void *self, la_int64_t offset, int whence)
{
    byte_source *s = self;
    off_t at;

    (void)a;
    if (s->outer || s->file < 0) return ARCHIVE_FAILED;
    at = lseek(s->file, (off_t)offset, whence);
    if (at < 0) return ARCHIVE_FAILED;
    s->head_size = 0;
    return at;
}

static bool is_rubbish(const char *name)
{
    const char *base = strrchr(name, '/');

    return *(base ? base + 1 : name) == '.';
}

static abdb_status walk_source(byte_source *source, const char *path, int depth, walk_state *w,
                               abdb_error *err);

/* Is what was expanded so far out of proportion to what was read? */
static bool is_bomb(const walk_state *w, struct archive *a)
{
    la_int64_t in = archive_filter_bytes(a, -1);

    return w->total > FREE_BYTES && w->total / ABDB_ARCHIVE_RATIO_MAX > (size_t)(in > 0 ? in : 1);
}

/* Reads the rest of the member at hand behind its first bytes. */
static abdb_status read_rest(struct archive *a, walk_state *w, abdb_spool *spool, char *chunk,
                             abdb_error *err)
{
    la_ssize_t got;
    abdb_status st = ABDB_OK;

    while ((got = archive_read_data(a, chunk, CHUNK)) > 0) {
        w->total += (size_t)got;
        TRY(abdb_spool_add(spool, chunk, (size_t)got, err));
        if (is_bomb(w, a))
            TRY(ABDB_FAIL(err, ABDB_LIMIT, "expands more than %d-fold: an archive bomb",
                          ABDB_ARCHIVE_RATIO_MAX));
    }
    if (got < 0)
        st = ABDB_FAIL(err, ABDB_DATA, "the archive is damaged or truncated here: %s",
                       archive_error_string(a));
done:
    return st;
}

/* Hands over a member, or NULL for one that could not be read: err says why. */
static abdb_status hand_over(walk_state *w, const char *path, const abdb_input *input,
                             abdb_error *err)
{
    abdb_status st = w->handler->member(w->handler->self, path, input, err);

    w->stopped |= st != ABDB_OK;
    return st;
}

/* One member: an archive is walked, another file is handed over whole. */
static abdb_status read_member(struct archive *a, const char *path, int depth, walk_state *w,
                               abdb_error *err)
{
    abdb_spool spool = {0};
    abdb_input input = {0};
    char *chunk = malloc(CHUNK), *rest = malloc(CHUNK);
    la_ssize_t got;
    abdb_status st = ABDB_OK;

    if (!chunk || !rest) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a member"));
    got = archive_read_data(a, chunk, CHUNK);
    if (got < 0)
        TRY(ABDB_FAIL(err, ABDB_DATA, "the archive is damaged or truncated here: %s",
                      archive_error_string(a)));
    w->total += (size_t)got;
    if (abdb_archive_is(chunk, (size_t)got)) {
        byte_source inner = {chunk, (size_t)got, -1, a, rest};

        TRY(walk_source(&inner, path, depth + 1, w, err));
        goto done;
    }
    TRY(abdb_spool_add(&spool, chunk, (size_t)got, err));
    TRY(read_rest(a, w, &spool, rest, err));
    TRY(abdb_spool_input(&spool, &input, path, err));
    TRY(hand_over(w, path, &input, err));
done:
    if (input.path) abdb_input_close(&input);
    abdb_spool_free(&spool);
    free(chunk);
    free(rest);
    return st;
}

/* A member that cannot be read is said; what follows it is read where that can be trusted. */
static abdb_status take_member(struct archive *a, const char *path, int depth, walk_state *w,
                               abdb_error *err)
{
    abdb_status st = read_member(a, path, depth, w, err);

    if (st == ABDB_OK || st == ABDB_NOMEM || w->stopped) return st;
    TRY(hand_over(w, path, NULL, err));
    if (is_bomb(w, a)) st = ABDB_FAIL(err, ABDB_LIMIT, "given up at %s: an archive bomb", path);
done:
    return st;
}

static abdb_status walk_entries(struct archive *a, const char *archive_path, int depth,
                                walk_state *w, abdb_error *err)
{
    struct archive_entry *entry;
    abdb_arena arena = {0};
    size_t files = 0;
    abdb_status st = ABDB_OK;
    int code;

    while ((code = archive_read_next_header(a, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN) {
        const char *name = archive_entry_pathname(entry), *path;

        if (w->members++ == ABDB_MEMBER_COUNT_MAX)
            TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d members", ABDB_MEMBER_COUNT_MAX));
        if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) || !name ||
            is_rubbish(name))
            continue;
        files++;
        path = archive_format(a) == ARCHIVE_FORMAT_RAW
                   ? abdb_arena_printf(&arena, "%s!", archive_path)
                   : abdb_arena_printf(&arena, "%s!%s", archive_path, name);
        if (!path) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a member"));
        if (!w->handler->wants || w->handler->wants(w->handler->self, path))
            TRY(take_member(a, path, depth, w, err));
        abdb_arena_free(&arena);
    }
    if (code == ARCHIVE_EOF && files == 0)
        TRY(ABDB_FAIL(err, ABDB_DATA, "an archive without files: nothing to import"));
    if (code != ARCHIVE_EOF)
        st = ABDB_FAIL(err, ABDB_DATA, "damaged or truncated: %s", archive_error_string(a));
done:
    abdb_arena_free(&arena);
    return st;
}

static abdb_status walk_source(byte_source *source, const char *path, int depth, walk_state *w,
                               abdb_error *err)
{
    struct archive *a = archive_read_new();
    abdb_status st = ABDB_OK;

    if (!a) return ABDB_FAIL(err, ABDB_NOMEM, "an archive");
    if (depth > ABDB_ARCHIVE_DEPTH_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "archives more than %d deep", ABDB_ARCHIVE_DEPTH_MAX));
    archive_read_support_filter_all(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_7zip(a);
    archive_read_support_format_cpio(a);
    archive_read_support_format_raw(a);
    archive_read_set_read_callback(a, read_source);
    archive_read_set_callback_data(a, source);
    if (!source->outer && source->file >= 0 && lseek(source->file, 0, SEEK_CUR) >= 0)
        archive_read_set_seek_callback(a, seek_source);
    if (archive_read_open1(a) != ARCHIVE_OK)
        TRY(ABDB_FAIL(err, ABDB_DATA, "cannot be read as an archive: %s", archive_error_string(a)));
    TRY(walk_entries(a, path, depth, w, err));
done:
    archive_read_free(a);
    return st;
}

abdb_status abdb_archive_walk(const abdb_input *in, const abdb_member_handler *handler,
                              abdb_error *err)
{
    byte_source source = {(const char *)in->data, in->size, -1, NULL, NULL};
    walk_state w = {.handler = handler};

    return walk_source(&source, in->path, 0, &w, err);
}

abdb_status abdb_archive_stream(int file, const char *path, const void *head, size_t size,
                                const abdb_member_handler *handler, abdb_error *err)
{
    byte_source source = {head, size, file, NULL, malloc(CHUNK)};
    walk_state w = {.handler = handler};
    abdb_status st = source.chunk ? walk_source(&source, path, 0, &w, err)
                                  : ABDB_FAIL(err, ABDB_NOMEM, "an archive");

    free(source.chunk);
    return st;
}
