/* archive.c - members of archives as a stream, by libarchive; see archive.h. The bulk of it is
 * distrust: what an archive expands to is counted against the bytes that were read of it (is_bomb),
 * filters are chosen here instead of by libarchive (kinds), and archives in archives are walked in
 * the same bounded memory. */
#include "ingest/read/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* A ratio is asked only beyond FREE_BYTES: a small file of blanks packs 1000-fold and harms nobody.
 * CHUNK, 128 KiB, is what is held of a stream at a time. */
enum { FREE_BYTES = 64 << 20, CHUNK = 1 << 17 };

typedef int support_filter(struct archive *);

/* What is read as an archive, and the one filter before it: libarchive left to itself would bid
 * with filters that start programs, and chain filters whose bytes nobody counts. What is compressed
 * twice is an archive in an archive. */
typedef struct {
    size_t at, size;
    const char *bytes;
    int filter;
    support_filter *support; /* NULL: a container, no filter */
} archive_kind;

static const archive_kind kinds[] = {
    {0, 2, "\x1f\x8b", ARCHIVE_FILTER_GZIP, archive_read_support_filter_gzip},
    {0, 3, "BZh", ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2},
    {0, 6, "\xfd\x37zXZ\0", ARCHIVE_FILTER_XZ, archive_read_support_filter_xz},
    {0, 4, "LZIP", ARCHIVE_FILTER_LZIP, archive_read_support_filter_lzip},
    {0, 4, "\x28\xb5\x2f\xfd", ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd},
    {0, 4, "\x04\x22\x4d\x18", ARCHIVE_FILTER_LZ4, archive_read_support_filter_lz4},
    {0, 4, "PK\x03\x04", ARCHIVE_FILTER_NONE, NULL},
    {0, 6, "7z\xbc\xaf\x27\x1c", ARCHIVE_FILTER_NONE, NULL},
    {257, 5, "ustar", ARCHIVE_FILTER_NONE, NULL}};

static const archive_kind *kind_of(const void *head, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (size >= kinds[i].at + kinds[i].size &&
            memcmp((const char *)head + kinds[i].at, kinds[i].bytes, kinds[i].size) == 0)
            return &kinds[i];
    return NULL;
}

bool abdb_archive_is(const void *head, size_t size)
{
    return kind_of(head, size) != NULL;
}

bool abdb_archive_is_named(const char *path)
{
    static const char *const ends[] = {"!",     ".tar", ".tgz", ".tbz",  ".tbz2", ".txz",
                                       ".tzst", ".zip", ".7z",  ".cpio", ".gz",   ".bz2",
                                       ".xz",   ".lz",  ".zst", ".lz4"};
    size_t size = strlen(path);

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);

        if (size >= end && strcasecmp(path + size - end, ends[i]) == 0) return true;
    }
    return false;
}

/* An archive that is being walked, and the one that it is a member of. */
typedef struct level {
    struct archive *a;
    const struct level *outer; /* or NULL */
    size_t before;             /* bytes of all when it began */
} level;

/* What reading a member needs, kept for the next one of its depth. */
typedef struct {
    char *first, *rest; /* CHUNK bytes each, or NULL */
    abdb_spool spool;
} member_room;

typedef struct {
    const abdb_member_handler *handler;
    size_t total, members; /* bytes and members of all depths together, those left out too */
    bool stopped;          /* the handler said so */
    member_room room[ABDB_ARCHIVE_DEPTH_MAX + 1];
} walk_state;

/* Where the bytes of an archive come from: memory or what was read already, then a file, or the
 * member at hand of the archive around it. */
typedef struct {
    const char *head;
    size_t head_size;
    int file;           /* -1: none */
    const level *outer; /* or NULL */
    walk_state *w;
    char *chunk;
    int failure; /* errno of a read of the file, or 0; libarchive forgets it */
} byte_source;

/* Is what was expanded so far out of proportion to what was read, here or further out? */
static bool is_bomb(const walk_state *w, const level *l)
{
    for (; l; l = l->outer) {
        la_int64_t in = archive_filter_bytes(l->a, -1);
        size_t out = w->total - l->before;

        /* archive_filter_bytes(a, -1) are the packed bytes that libarchive has taken from the
         * source; divided rather than multiplied, so nothing overflows. */
        if (out > FREE_BYTES && out / ABDB_ARCHIVE_RATIO_MAX > (size_t)(in > 0 ? in : 1))
            return true;
    }
    return false;
}

/* The source of an inner archive: the data of the member at hand of the outer one. Its bytes count
 * once for the outer archive here, and what they expand to counts for both. */
static la_ssize_t read_member_bytes(struct archive *a, byte_source *s)
{
    la_ssize_t got = archive_read_data(s->outer->a, s->chunk, CHUNK);

    if (got < 0) {
        archive_set_error(a, EIO, "%s", archive_error_string(s->outer->a));
        return got;
    }
    s->w->total += (size_t)got;
    if (!is_bomb(s->w, s->outer)) return got;
    archive_set_error(a, EIO, "it is an archive bomb");
    return -1;
}

/* libarchive's read callback: first what was read already to recognise the archive, then the rest.
 * 0 is the end, a negative number an error. */
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
    if (s->outer) return read_member_bytes(a, s);
    if (s->file < 0) return 0;
    do got = read(s->file, s->chunk, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0) archive_set_error(a, s->failure = errno, "%s", strerror(errno));
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

/* .DS_Store, ._name (macOS's copies of attributes) and other hidden files. */
static bool is_rubbish(const char *name)
{
    const char *base = strrchr(name, '/');

    return *(base ? base + 1 : name) == '.';
}

static abdb_status walk_source(byte_source *source, const char *path, int depth, abdb_error *err);

static abdb_status check_bomb(const walk_state *w, const level *l, abdb_error *err)
{
    return is_bomb(w, l) ? ABDB_FAIL(err, ABDB_LIMIT, "expands more than %d-fold: an archive bomb",
                                     ABDB_ARCHIVE_RATIO_MAX)
                         : ABDB_OK;
}

/* Reads the rest of the member at hand behind its first bytes. */
static abdb_status read_rest(const level *l, walk_state *w, abdb_spool *spool, char *chunk,
                             abdb_error *err)
{
    la_ssize_t got;
    abdb_status st = ABDB_OK;

    while ((got = archive_read_data(l->a, chunk, CHUNK)) > 0) {
        w->total += (size_t)got;
        TRY(abdb_spool_add(spool, chunk, (size_t)got, err));
        TRY(check_bomb(w, l, err));
    }
    if (got < 0)
        st = ABDB_FAIL(err, ABDB_DATA, "the archive is damaged or truncated here: %s",
                       archive_error_string(l->a));
done:
    return st;
}

/* Passes over a member. libarchive would do so alone, but within one call, however much that is:
 * left to it are only the members of a zip that is no member itself, which it finds by their
 * directory, or expands at most by deflate's 1032. What is damaged the next header says. */
static abdb_status skip_member(const level *l, walk_state *w, abdb_error *err)
{
    bool is_zip = (archive_format(l->a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
    const void *data;
    la_int64_t offset;
    size_t size;
    abdb_status st = ABDB_OK;

    if (is_zip && !l->outer) return ABDB_OK;
    while (archive_read_data_block(l->a, &data, &size, &offset) == ARCHIVE_OK) {
        w->total += size;
        TRY(check_bomb(w, l, err));
    }
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
static abdb_status read_member(const level *l, const char *path, int depth, walk_state *w,
                               abdb_error *err)
{
    member_room *room = &w->room[depth];
    abdb_input input = {0};
    la_ssize_t got;
    abdb_status st = ABDB_OK;

    if (!room->first) room->first = malloc(CHUNK);
    if (!room->rest) room->rest = malloc(CHUNK);
    if (!room->first || !room->rest) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a member"));
    got = archive_read_data(l->a, room->first, CHUNK);
    if (got < 0)
        TRY(ABDB_FAIL(err, ABDB_DATA, "the archive is damaged or truncated here: %s",
                      archive_error_string(l->a)));
    w->total += (size_t)got;
    /* Both, bytes and name: a .npz or .docx is a zip by its bytes, and nobody wants its inside. */
    if (abdb_archive_is(room->first, (size_t)got) && abdb_archive_is_named(path)) {
        byte_source inner = {room->first, (size_t)got, -1, l, w, room->rest, 0};

        TRY(walk_source(&inner, path, depth + 1, err));
        goto done;
    }
    TRY(abdb_spool_add(&room->spool, room->first, (size_t)got, err));
    TRY(read_rest(l, w, &room->spool, room->rest, err));
    TRY(abdb_spool_input(&room->spool, &input, path, err));
    TRY(hand_over(w, path, &input, err));
done:
    if (input.path) abdb_input_close(&input);
    abdb_spool_clear(&room->spool);
    return st;
}

/* A member that cannot be read is said; what follows it is read where that can be trusted. */
static abdb_status take_member(const level *l, const char *path, int depth, walk_state *w,
                               abdb_error *err)
{
    abdb_status st = read_member(l, path, depth, w, err);

    if (st == ABDB_OK || st == ABDB_NOMEM || w->stopped) return st;
    TRY(hand_over(w, path, NULL, err));
    if (is_bomb(w, l)) st = ABDB_FAIL(err, ABDB_LIMIT, "given up at %s: an archive bomb", path);
done:
    return st;
}

static bool is_file(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);

    return archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry) && name &&
           !is_rubbish(name);
}

/* "ARCHIVE!MEMBER"; what is only compressed has no member's name. NULL: no memory. */
static const char *member_path(const level *l, struct archive_entry *entry, const char *archive,
                               abdb_arena *arena)
{
    bool named = archive_format(l->a) != ARCHIVE_FORMAT_RAW;

    return abdb_arena_printf(arena, "%s!%s", archive, named ? archive_entry_pathname(entry) : "");
}

static abdb_status walk_entries(const level *l, const char *archive_path, int depth, walk_state *w,
                                abdb_error *err)
{
    struct archive_entry *entry;
    abdb_arena arena = {0};
    const char *path;
    size_t files = 0;
    abdb_status st = ABDB_OK;
    int code;

    while ((code = archive_read_next_header(l->a, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN) {
        /* Members that nobody wants count too: to pass over a million of them takes time all the
         * same. */
        if (w->members++ == ABDB_MEMBER_COUNT_MAX)
            TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d members", ABDB_MEMBER_COUNT_MAX));
        if (is_file(entry)) {
            files++;
            path = member_path(l, entry, archive_path, &arena);
            if (!path) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a member"));
            if (!w->handler->wants || w->handler->wants(w->handler->self, path))
                TRY(take_member(l, path, depth, w, err));
            abdb_arena_free(&arena);
        }
        TRY(skip_member(l, w, err)); /* what a refused one left, too */
    }
    if (code == ARCHIVE_EOF && files == 0)
        TRY(ABDB_FAIL(err, ABDB_DATA, "an archive without files: nothing to import"));
    if (code != ARCHIVE_EOF)
        st = ABDB_FAIL(err, ABDB_DATA, "damaged or truncated: %s", archive_error_string(l->a));
done:
    abdb_arena_free(&arena);
    return st;
}

/* The filter that the first bytes ask for, and the formats that may follow: all of them run inside
 * of this process. A libarchive that was built without a library would start a program instead; it
 * says so by ARCHIVE_WARN, before anything is started. */
static abdb_status support(struct archive *a, const archive_kind *kind, abdb_error *err)
{
    if (kind && kind->support &&
        (kind->support(a) != ARCHIVE_OK ||
         archive_read_append_filter(a, kind->filter) != ARCHIVE_OK))
        return ABDB_FAIL(err, ABDB_DATA, "the libarchive here cannot read it by itself: %s",
                         archive_error_string(a));
    if (!kind || !kind->support) (void)archive_read_append_filter(a, ARCHIVE_FILTER_NONE);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_7zip(a);
    archive_read_support_format_cpio(a);
    archive_read_support_format_raw(a);
    return ABDB_OK;
}

static abdb_status walk_source(byte_source *source, const char *path, int depth, abdb_error *err)
{
    level here = {archive_read_new(), source->outer, source->w->total};
    abdb_status st = ABDB_OK;

    if (!here.a) return ABDB_FAIL(err, ABDB_NOMEM, "an archive");
    if (depth > ABDB_ARCHIVE_DEPTH_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "archives more than %d deep", ABDB_ARCHIVE_DEPTH_MAX));
    TRY(support(here.a, kind_of(source->head, source->head_size), err));
    archive_read_set_read_callback(here.a, read_source);
    archive_read_set_callback_data(here.a, source);
    /* Only a seekable file gets the callback: with it libarchive reads a zip by the directory at
     * its end. */
    if (!source->outer && source->file >= 0 && lseek(source->file, 0, SEEK_CUR) >= 0)
        archive_read_set_seek_callback(here.a, seek_source);
    if (archive_read_open1(here.a) != ARCHIVE_OK)
        TRY(ABDB_FAIL(err, ABDB_DATA, "cannot be read as an archive: %s",
                      archive_error_string(here.a)));
    TRY(walk_entries(&here, path, depth, source->w, err));
done:
    archive_read_free(here.a);
    if (source->failure) st = ABDB_FAIL(err, ABDB_IO, "cannot read: %s", strerror(source->failure));
    return st;
}

static void free_rooms(walk_state *w)
{
    for (size_t i = 0; i < sizeof w->room / sizeof w->room[0]; i++) {
        free(w->room[i].first);
        free(w->room[i].rest);
        abdb_spool_free(&w->room[i].spool);
    }
}

abdb_status abdb_archive_walk(const abdb_input *in, const abdb_member_handler *handler,
                              abdb_error *err)
{
    walk_state w = {.handler = handler};
    byte_source source = {(const char *)in->data, in->size, -1, NULL, &w, NULL, 0};

    abdb_status st = walk_source(&source, in->path, 0, err);

    free_rooms(&w);
    return st;
}

abdb_status abdb_archive_stream(int file, const char *path, const void *head, size_t size,
                                const abdb_member_handler *handler, abdb_error *err)
{
    walk_state w = {.handler = handler};
    byte_source source = {head, size, file, NULL, &w, malloc(CHUNK), 0};
    abdb_status st = source.chunk ? walk_source(&source, path, 0, err)
                                  : ABDB_FAIL(err, ABDB_NOMEM, "an archive");

    free(source.chunk);
    free_rooms(&w);
    return st;
}
