/* archive.c - members of archives in memory; see archive.h. */
#include "ingest/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

enum { FREE_BYTES = 64 << 20, CHUNK = 1 << 16 };

bool abdb_archive_is(const abdb_input *in)
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
        if (in->size >= magic[i].at + magic[i].size &&
            memcmp(in->data + magic[i].at, magic[i].bytes, magic[i].size) == 0)
            return true;
    return false;
}

/* Reads the member at hand; NULL with err filled when it is too large or damaged. */
static char *read_member(struct archive *a, const abdb_input *in, size_t *total, size_t *size,
                         abdb_error *err)
{
    abdb_text text = {0};
    char *chunk = malloc(CHUNK);
    la_ssize_t got = chunk ? 0 : -1;

    while (chunk && (got = archive_read_data(a, chunk, CHUNK)) > 0) {
        abdb_text_add(&text, chunk, (size_t)got);
        *total += (size_t)got;
        if (text.size > ABDB_MEMBER_SIZE_MAX) {
            abdb_fail(err, ABDB_LIMIT, "a member of more than %d bytes", ABDB_MEMBER_SIZE_MAX);
            break;
        }
        if (*total > FREE_BYTES && *total / ABDB_ARCHIVE_RATIO_MAX > in->size) {
            abdb_fail(err, ABDB_LIMIT, "expands more than %d-fold: an archive bomb",
                      ABDB_ARCHIVE_RATIO_MAX);
            break;
        }
    }
    if (got < 0)
        abdb_fail(err, ABDB_DATA, "the archive is damaged or truncated here: %s",
                  chunk ? archive_error_string(a) : "out of memory");
    free(chunk);
    if (got != 0 || text.failed) {
        if (text.failed) abdb_fail(err, ABDB_NOMEM, "a member");
        abdb_text_free(&text);
        return NULL;
    }
    *size = text.size;
    return text.data ? text.data : calloc(1, 1);
}

static bool is_rubbish(const char *name)
{
    const char *base = strrchr(name, '/');

    base = base ? base + 1 : name;
    return *base == '.' || strncmp(base, "._", 2) == 0;
}

static abdb_status walk_entries(struct archive *a, const abdb_input *in,
                                abdb_member_handler handler, void *self, abdb_error *err)
{
    struct archive_entry *entry;
    size_t total = 0, members = 0;
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;
    int code;

    for (int count = 0;
         (code = archive_read_next_header(a, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN;
         count++) {
        const char *name = archive_entry_pathname(entry), *path;
        size_t size = 0;
        char *data;

        if (count == ABDB_MEMBER_COUNT_MAX)
            TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d members", ABDB_MEMBER_COUNT_MAX));
        if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) || !name ||
            is_rubbish(name))
            continue;
        path = archive_format(a) == ARCHIVE_FORMAT_RAW
                   ? abdb_arena_printf(&arena, "%s!", in->path)
                   : abdb_arena_printf(&arena, "%s!%s", in->path, name);
        if (!path) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a member"));
        members++;
        data = read_member(a, in, &total, &size, err);
        st = handler(self, path, data, size, err);
        if (!data && st == ABDB_OK && err->status == ABDB_DATA) /* what follows cannot be trusted */
            st = ABDB_FAIL(err, ABDB_DATA, "damaged or truncated: members after %s were not read",
                           path);
        if (!data && st == ABDB_OK && total / ABDB_ARCHIVE_RATIO_MAX > in->size)
            st = ABDB_FAIL(err, ABDB_LIMIT, "given up: an archive bomb");
        free(data);
        abdb_arena_free(&arena);
        TRY(st);
    }
    if (code == ARCHIVE_EOF && members == 0)
        TRY(ABDB_FAIL(err, ABDB_DATA, "an archive without files: nothing to import"));
    if (code != ARCHIVE_EOF)
        st = ABDB_FAIL(err, ABDB_DATA, "damaged or truncated: %s", archive_error_string(a));
done:
    abdb_arena_free(&arena);
    return st;
}

abdb_status abdb_archive_walk(const abdb_input *in, abdb_member_handler handler, void *self,
                              abdb_error *err)
{
    struct archive *a = archive_read_new();
    abdb_status st;

    if (!a) return ABDB_FAIL(err, ABDB_NOMEM, "an archive");
    archive_read_support_filter_all(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_7zip(a);
    archive_read_support_format_cpio(a);
    archive_read_support_format_raw(a);
    if (archive_read_open_memory(a, in->data, in->size) != ARCHIVE_OK)
        st = ABDB_FAIL(err, ABDB_DATA, "cannot be read as an archive: %s", archive_error_string(a));
    else
        st = walk_entries(a, in, handler, self, err);
    archive_read_free(a);
    return st;
}
