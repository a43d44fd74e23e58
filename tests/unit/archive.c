/* archive.c - tests of ingest/read/archive: every container and compression is read, what stands
 * behind another one too, and what it takes a program to read is no archive. */
#include "ingest/read/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/check.h"

enum { ROOM = 1 << 20 };

typedef struct {
    char data[ROOM];
    size_t size;
} bytes;

static void add(struct archive *a, const char *name, const char *data, size_t size)
{
    struct archive_entry *entry = archive_entry_new();

    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)size);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, data, size), (la_ssize_t)size);
    archive_entry_free(entry);
}

/* `inner` as the member `name` of an archive, behind a member that is left out. */
static void pack(bytes *out, int format, int filter, const char *name, const bytes *inner)
{
    struct archive *a = archive_write_new();

    assert_int_equal(archive_write_set_format(a, format), ARCHIVE_OK);
    assert_int_equal(archive_write_add_filter(a, filter), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, out->data, ROOM, &out->size), ARCHIVE_OK);
    if (format != ARCHIVE_FORMAT_RAW) add(a, "in/.left-out", "nothing", 7);
    add(a, name, inner->data, inner->size);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

static abdb_status note(void *self, const char *path, const abdb_input *input, abdb_error *err)
{
    char *seen = self;
    size_t used = strlen(seen);

    (void)err;
    snprintf(seen + used, 256 - used, "%s=%.*s|", path, input ? (int)input->size : 0,
             input ? (const char *)input->data : "");
    return ABDB_OK;
}

static abdb_status walk(const bytes *archive, char seen[256], abdb_error *err)
{
    const abdb_input input = {
        .path = "a", .data = (const unsigned char *)archive->data, .size = archive->size};
    const abdb_member_handler handler = {seen, NULL, note};

    seen[0] = '\0';
    return abdb_archive_walk(&input, &handler, err);
}

static const int filters[] = {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2,
                              ARCHIVE_FILTER_XZ,   ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_LZ4,
                              ARCHIVE_FILTER_LZIP};
enum { FILTERS = sizeof filters / sizeof filters[0] };
static bytes text = {"some text\n", 10}, one, two;

static void compressed(void **state)
{
    static const int formats[] = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_CPIO_POSIX,
                                  ARCHIVE_FORMAT_ZIP};
    abdb_error err = {0};
    char seen[256];

    (void)state;
    for (size_t f = 0; f < FILTERS; f++) {
        for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
            pack(&one, formats[k], filters[f], "in/b.csv", &text);
            assert_ok(walk(&one, seen, &err));
            assert_string_equal(seen, "a!in/b.csv=some text\n|");
        }
        if (filters[f] == ARCHIVE_FILTER_NONE) continue;
        pack(&one, ARCHIVE_FORMAT_RAW, filters[f], "b.csv", &text);
        assert_true(abdb_archive_is(one.data, one.size));
        assert_ok(walk(&one, seen, &err));
        assert_string_equal(seen, "a!=some text\n|");
    }
}

static void nested(void **state)
{
    abdb_error err = {0};
    char seen[256];

    (void)state;
    for (size_t f = 1; f < FILTERS; f++) {
        pack(&one, ARCHIVE_FORMAT_RAW, filters[f], "b.csv", &text);
        pack(&two, ARCHIVE_FORMAT_TAR_USTAR, filters[FILTERS - f], "b.gz", &one);
        assert_ok(walk(&two, seen, &err));
        assert_string_equal(seen, "a!b.gz!=some text\n|");
        pack(&two, ARCHIVE_FORMAT_RAW, filters[FILTERS - f], "b.gz", &one);
        assert_ok(walk(&two, seen, &err));
        assert_string_equal(seen, "a!!=some text\n|");
    }
}

/* What only a program can expand is a file like others. */
static void for_programs(void **state)
{
    static const char *const magic[] = {"LRZI\0\6 text", "\x89LZO\0\r\n\x1a\n text",
                                        "GRZipII\0\2\4:) text"};
    abdb_error err = {0};
    char seen[256];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bytes *inner = &two;

        memcpy(inner->data, magic[i], inner->size = 12);
        assert_false(abdb_archive_is(inner->data, inner->size));
        pack(&one, ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_GZIP, "x", inner);
        assert_ok(walk(&one, seen, &err));
        assert_int_equal(strncmp(seen, "a!=", 3), 0);
        assert_int_equal(seen[3], magic[i][0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compressed), cmocka_unit_test(nested),
                                       cmocka_unit_test(for_programs)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
