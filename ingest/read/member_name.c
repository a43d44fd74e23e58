/* member_name.c - the names of an archive's members as UTF-8; see member_name.h.
 * libarchive converts the names of zip and 7z, which are stored as Unicode, to the character set of
 * the locale, and loses those that it cannot write: these headers are read under C.UTF-8. Names in
 * tar and cpio are bytes, and stay bytes under the locale C; under another one libarchive would
 * convert those of pax headers. libarchive composes (NFC) what it converts. */
#include "ingest/read/member_name.h"

#include <iconv.h>
#include <string.h>

void abdb_name_locales_open(abdb_name_locales *out)
{
    static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};

    *out = (abdb_name_locales){.bytes = newlocale(LC_CTYPE_MASK, "C", (locale_t)0)};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !out->unicode; i++)
        out->unicode = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
}

void abdb_name_locales_close(abdb_name_locales *locales)
{
    if (locales->bytes) freelocale(locales->bytes);
    if (locales->unicode) freelocale(locales->unicode);
    *locales = (abdb_name_locales){0};
}

/* Converts all of `name`, of that character set, to UTF-8 in the arena; NULL: it is not of that
 * set, the set is not known here, or no memory. */
static char *convert_charset_to_utf8_or_null(abdb_arena *arena, const char *name,
                                             const char *charset)
{
    iconv_t converter = iconv_open("UTF-8", charset);
    size_t left = strlen(name), room = 4 * left; /* no byte of these sets becomes more than four */
    char *in = (char *)(size_t)name, *out = abdb_arena_alloc(arena, room + 1), *to = out;

    if (converter == (iconv_t)-1) return NULL;
    if (out && iconv(converter, &in, &left, &to, &room) == (size_t)-1) out = NULL;
    iconv_close(converter);
    return out;
}

/* The name as UTF-8 in the arena; NULL where name is NULL or empty, or for want of memory. */
static char *member_name_to_utf8_or_null(abdb_arena *arena, const char *name, bool is_zip)
{
    size_t ascii = 0;
    char *out;

    if (!name || !*name) return NULL;
    while (name[ascii] && !((unsigned char)name[ascii] & 0x80)) ascii++;
    if (!name[ascii]) return abdb_arena_copy(arena, name, ascii);
    out = convert_charset_to_utf8_or_null(arena, name, "UTF-8");
    if (!out && is_zip) out = convert_charset_to_utf8_or_null(arena, name, "CP437");
    return out ? out : convert_charset_to_utf8_or_null(arena, name, "ISO-8859-1");
}

abdb_status abdb_member_header_read_with_utf8_names(struct archive *a,
                                                    const abdb_archive_kind *kind,
                                                    const abdb_name_locales *locales,
                                                    abdb_arena *arena, abdb_member_header *out,
                                                    int *code, abdb_error *err)
{
    locale_t wanted = kind->stores_unicode ? locales->unicode : locales->bytes;
    locale_t before = uselocale(wanted); /* (locale_t)0 only asks */
    unsigned starved = abdb_allocation_failure_count();
    const char *name, *target;

    *out = (abdb_member_header){0};
    *code = archive_read_next_header(a, &out->entry);
    if (*code == ARCHIVE_OK || *code == ARCHIVE_WARN) {
        name = kind->stores_unicode ? archive_entry_pathname_utf8(out->entry) : NULL;
        if (!name) name = archive_entry_pathname(out->entry);
        target = archive_entry_hardlink(out->entry); /* zip and 7z have none */
        out->name = member_name_to_utf8_or_null(arena, name, kind->stores_unicode);
        out->target = member_name_to_utf8_or_null(arena, target, false);
    }
    uselocale(before);
    return abdb_allocation_failure_count() == starved
               ? ABDB_OK
               : ABDB_FAIL(err, ABDB_NOMEM, "a member's name");
}

char *abdb_member_name_drop_empty_and_dot_parts(abdb_arena *arena, const char *name)
{
    size_t size = strlen(name), part;
    char *out = abdb_arena_alloc(arena, size + 1), *to = out;

    for (const char *s = name; out && *s; s += part) {
        s += strspn(s, "/");
        part = strcspn(s, "/");
        if (!part || (part == 1 && *s == '.')) continue;
        if (to > out) *to++ = '/';
        memcpy(to, s, part);
        to += part;
    }
    return out;
}
