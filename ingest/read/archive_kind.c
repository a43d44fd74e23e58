/* archive_kind.c - recognises containers and compressed files by their first bytes; see
 * archive_kind.h. */
#include "ingest/read/archive_kind.h"

#include <string.h>
#include <strings.h>

#include "ingest/read/archive.h"

enum { TAR_BLOCK = 512 };

static const abdb_archive_kind tar = {ARCHIVE_FILTER_NONE, NULL, archive_read_support_format_tar,
                                      false, false};
#define COMPRESSED(NAME, FILTER)                                                        \
    {                                                                                   \
        ARCHIVE_FILTER_##FILTER, archive_read_support_filter_##NAME, NULL, false, false \
    }
#define CONTAINER(NAME, NEEDS_SEEKING, STORES_UNICODE)                                \
    {                                                                                 \
        ARCHIVE_FILTER_NONE, NULL, archive_read_support_format_##NAME, NEEDS_SEEKING, \
            STORES_UNICODE                                                            \
    }

static const struct {
    size_t at, size;
    const char *bytes;
    abdb_archive_kind kind;
} kinds[] = {{0, 2, "\x1f\x8b", COMPRESSED(gzip, GZIP)},
             {0, 3, "BZh", COMPRESSED(bzip2, BZIP2)},
             {0, 6, "\xfd\x37zXZ\0", COMPRESSED(xz, XZ)},
             {0, 4, "LZIP", COMPRESSED(lzip, LZIP)},
             {0, 4, "\x28\xb5\x2f\xfd", COMPRESSED(zstd, ZSTD)},
             {0, 4, "\x04\x22\x4d\x18", COMPRESSED(lz4, LZ4)},
             {0, 4, "PK\x03\x04", CONTAINER(zip, true, true)},
             {0, 4, "PK\x05\x06", CONTAINER(zip, true, true)}, /* without members */
             {0, 6, "7z\xbc\xaf\x27\x1c", CONTAINER(7zip, true, true)},
             {257, 5, "ustar", CONTAINER(tar, false, false)},
             {0, 2, "\xc7\x71", CONTAINER(cpio, false, false)},
             {0, 2, "\x71\xc7", CONTAINER(cpio, false, false)}};

/* The header of a cpio in text: its mark, then numbers alone, so that a table whose first cell is
 * 070701 is none. */
static bool is_cpio_text_header(const char *head, size_t size)
{
    static const struct {
        const char *mark, *digits;
        size_t size;
    } forms[] = {{"070701", "0123456789abcdefABCDEF", 110},
                 {"070702", "0123456789abcdefABCDEF", 110},
                 {"070707", "01234567", 76}};

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        size_t digits = 0;

        if (size < forms[i].size || memcmp(head, forms[i].mark, 6) != 0) continue;
        while (digits < forms[i].size && head[digits] && strchr(forms[i].digits, head[digits]))
            digits++;
        if (digits == forms[i].size) return true;
    }
    return false;
}

/* Does the block hold its own checksum, as every header of a tar does, also of those without a
 * mark? The checksum counts its own eight bytes as blanks. */
static bool has_valid_tar_checksum(const unsigned char *block)
{
    enum { SUM_AT = 148, SUM_SIZE = 8 };
    unsigned long sum = 0, stored = 0;
    size_t i = SUM_AT, digits = 0;

    while (i < SUM_AT + SUM_SIZE && block[i] == ' ') i++;
    for (; i < SUM_AT + SUM_SIZE && block[i] >= '0' && block[i] <= '7'; i++, digits++)
        stored = stored * 8 + (unsigned long)(block[i] - '0');
    for (size_t k = 0; k < TAR_BLOCK; k++)
        sum += k >= SUM_AT && k < SUM_AT + SUM_SIZE ? ' ' : block[k];
    return digits && sum == stored;
}

/* Does the name, without the ending of a compression, end as that of a tar? */
static bool is_named_tar(const char *path)
{
    static const char *const ends[] = {".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst", ".tlz"};
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".lz", ".zst", ".lz4"};
    size_t size = strlen(path);

    while (size && path[size - 1] == '!') size--;
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        size_t end = strlen(packed[i]);

        if (size < end || strncasecmp(path + size - end, packed[i], end) != 0) continue;
        size -= end;
        break;
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);

        if (size >= end && strncasecmp(path + size - end, ends[i], end) == 0) return true;
    }
    return false;
}

static bool is_all_zero_bytes(const char *head, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (head[i]) return false;
    return true;
}

const abdb_archive_kind *abdb_archive_detect_kind(const char *path, const void *head, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (size >= kinds[i].at + kinds[i].size &&
            memcmp((const char *)head + kinds[i].at, kinds[i].bytes, kinds[i].size) == 0)
            return &kinds[i].kind;
    if (is_cpio_text_header(head, size)) {
        static const abdb_archive_kind cpio = CONTAINER(cpio, false, false);

        return &cpio;
    }
    if (size < TAR_BLOCK) return NULL;
    if (has_valid_tar_checksum(head) || (is_all_zero_bytes(head, TAR_BLOCK) && is_named_tar(path)))
        return &tar;
    return NULL;
}

bool abdb_archive_has_known_first_bytes(const char *path, const void *head, size_t size)
{
    return abdb_archive_detect_kind(path, head, size) != NULL;
}

bool abdb_archive_has_suffix(const char *path)
{
    static const char *const ends[] = {"!",     ".tar", ".tgz", ".tbz",  ".tbz2", ".txz",
                                       ".tzst", ".zip", ".7z",  ".cpio", ".gz",   ".bz2",
                                       ".xz",   ".lz",  ".zst", ".lz4",  ".tlz",  ".rar"};
    size_t size = strlen(path);

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);

        if (size >= end && strcasecmp(path + size - end, ends[i]) == 0) return true;
    }
    return false;
}

const char *abdb_archive_why_kind_is_unsupported(const void *head, size_t size)
{
    static const struct {
        size_t size;
        const char *bytes, *why;
    } unread[] = {
        {6, "Rar!\x1a\x07",
         "a RAR archive, which abdb does not read: unpack it, or pack it as tar, zip or 7z"},
        {8, "PK\x07\x08PK\x03\x04",
         "one volume of a split zip: join the volumes with `zip -s 0 IN --out OUT`"},
        {4, "MSCF", "a cabinet, which abdb does not read: unpack it"},
        {4, "xar!", "a xar archive, which abdb does not read: unpack it"},
        {2, "\x1f\x9d", "compressed by compress, which abdb does not read: `gzip -d` expands it"}};

    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++)
        if (size >= unread[i].size && memcmp(head, unread[i].bytes, unread[i].size) == 0)
            return unread[i].why;
    return NULL;
}

abdb_status abdb_archive_enable_filter_and_format(struct archive *a, const abdb_archive_kind *kind,
                                                  abdb_error *err)
{
    /* A libarchive that was built without a library would start a program in place of the filter;
     * it returns ARCHIVE_WARN before anything is started. */
    if (kind->support_filter && (kind->support_filter(a) != ARCHIVE_OK ||
                                 archive_read_append_filter(a, kind->filter) != ARCHIVE_OK))
        return ABDB_FAIL(err, ABDB_DATA, "the libarchive here cannot read it by itself: %s",
                         archive_error_string(a));
    if (!kind->support_filter) (void)archive_read_append_filter(a, ARCHIVE_FILTER_NONE);
    (void)(kind->support_format ? kind->support_format : archive_read_support_format_raw)(a);
    return ABDB_OK;
}
