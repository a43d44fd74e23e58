/* archive.c - tests of ingest/read/archive: every container and compression is read, what stands
 * behind another one too, and what it takes a program to read is no archive. */
#include "ingest/read/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/check.h"

enum { ROOM = 1 << 20 };

typedef struct {
    char data[ROOM];
    size_t size;
} bytes;

static void write_regular_file_member(struct archive *a, const char *name, const char *data,
                                      size_t size)
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
static void write_archive_with_skipped_and_named_member(bytes *out, int format, int filter,
                                                        const char *name, const bytes *inner)
{
    struct archive *a = archive_write_new();

    assert_int_equal(archive_write_set_format(a, format), ARCHIVE_OK);
    assert_int_equal(archive_write_add_filter(a, filter), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, out->data, ROOM, &out->size), ARCHIVE_OK);
    if (format != ARCHIVE_FORMAT_RAW) write_regular_file_member(a, "in/.left-out", "nothing", 7);
    write_regular_file_member(a, name, inner->data, inner->size);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

static abdb_status append_member_path_and_data_to_text(void *self, const char *path,
                                                       const abdb_input *input, abdb_error *err)
{
    char *seen = self;
    size_t used = strlen(seen);

    (void)err;
    snprintf(seen + used, 256 - used, "%s=%.*s|", path, input ? (int)input->size : 0,
             input ? (const char *)input->data : "");
    return ABDB_OK;
}

static bool member_wanted_unless_named_left_out(void *self, const char *path, const char *name)
{
    (void)self, (void)path;
    return strcmp(name, "in/.left-out") != 0;
}

static abdb_status walk_archive_into_path_and_data_text(const bytes *archive, char member_list[256],
                                                        abdb_error *err)
{
    const abdb_input input = {
        .path = "a", .data = (const unsigned char *)archive->data, .size = archive->size};
    const abdb_member_handler handler = {member_list, member_wanted_unless_named_left_out,
                                         append_member_path_and_data_to_text, NULL};

    member_list[0] = '\0';
    return abdb_archive_deliver_members_of_memory(&input, &handler, err);
}

static const int filters[] = {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2,
                              ARCHIVE_FILTER_XZ,   ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_LZ4,
                              ARCHIVE_FILTER_LZIP};
enum { FILTERS = sizeof filters / sizeof filters[0] };
static bytes text = {"some text\n", 10}, one, two;

static void test_every_container_and_filter_is_read(void **state)
{
    static const int formats[] = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_CPIO_POSIX,
                                  ARCHIVE_FORMAT_ZIP};
    abdb_error err = {0};
    char seen[256];

    (void)state;
    for (size_t f = 0; f < FILTERS; f++) {
        for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
            write_archive_with_skipped_and_named_member(&one, formats[k], filters[f], "in/b.csv",
                                                        &text);
            assert_ok(walk_archive_into_path_and_data_text(&one, seen, &err));
            assert_string_equal(seen, "a!in/b.csv=some text\n|");
        }
        if (filters[f] == ARCHIVE_FILTER_NONE) continue;
        write_archive_with_skipped_and_named_member(&one, ARCHIVE_FORMAT_RAW, filters[f], "b.csv",
                                                    &text);
        assert_true(abdb_archive_has_known_first_bytes("a", one.data, one.size));
        assert_ok(walk_archive_into_path_and_data_text(&one, seen, &err));
        assert_string_equal(seen, "a!=some text\n|");
    }
}

static void test_compressed_inside_compressed_is_read(void **state)
{
    abdb_error err = {0};
    char seen[256];

    (void)state;
    for (size_t f = 1; f < FILTERS; f++) {
        write_archive_with_skipped_and_named_member(&one, ARCHIVE_FORMAT_RAW, filters[f], "b.csv",
                                                    &text);
        write_archive_with_skipped_and_named_member(&two, ARCHIVE_FORMAT_TAR_USTAR,
                                                    filters[FILTERS - f], "b.gz", &one);
        assert_ok(walk_archive_into_path_and_data_text(&two, seen, &err));
        assert_string_equal(seen, "a!b.gz!=some text\n|");
        write_archive_with_skipped_and_named_member(&two, ARCHIVE_FORMAT_RAW, filters[FILTERS - f],
                                                    "b.gz", &one);
        assert_ok(walk_archive_into_path_and_data_text(&two, seen, &err));
        assert_string_equal(seen, "a!!=some text\n|");
    }
}

/* What only a program can expand is a file like others. */
static void test_program_only_formats_stay_raw_files(void **state)
{
    static const char *const magic[] = {"LRZI\0\6 text", "\x89LZO\0\r\n\x1a\n text",
                                        "GRZipII\0\2\4:) text"};
    abdb_error err = {0};
    char seen[256];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bytes *inner = &two;

        memcpy(inner->data, magic[i], inner->size = 12);
        assert_false(abdb_archive_has_known_first_bytes("a", inner->data, inner->size));
        write_archive_with_skipped_and_named_member(&one, ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_GZIP,
                                                    "x", inner);
        assert_ok(walk_archive_into_path_and_data_text(&one, seen, &err));
        assert_int_equal(strncmp(seen, "a!=", 3), 0);
        assert_int_equal(seen[3], magic[i][0]);
    }
}

/* A packed file of that many bytes, all alike (no zeros: they are a tar of nothing). */
static void write_compressed_file_of_repeated_x(bytes *out, int filter, size_t size)
{
    static char alike[1000000];
    struct archive *a = archive_write_new();
    struct archive_entry *entry = archive_entry_new();

    memset(alike, 'x', sizeof alike);
    assert_int_equal(archive_write_set_format(a, ARCHIVE_FORMAT_RAW), ARCHIVE_OK);
    assert_int_equal(archive_write_add_filter(a, filter), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, out->data, ROOM, &out->size), ARCHIVE_OK);
    archive_entry_set_pathname(entry, "x");
    archive_entry_set_filetype(entry, AE_IFREG);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    for (; size; size -= sizeof alike)
        assert_int_equal(archive_write_data(a, alike, sizeof alike), sizeof alike);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    archive_entry_free(entry);
}

typedef struct {
    size_t whole, refused;
} member_tally;

static abdb_status count_member_whole_or_refused(void *self, const char *path,
                                                 const abdb_input *input, abdb_error *err)
{
    member_tally *t = self;

    (void)path, (void)err;
    t->whole += input != NULL;
    t->refused += input == NULL;
    return ABDB_OK;
}

/* A zip of 2 KB has a tar of 110 KB, and that twenty files which expand 1000-fold: neither they nor
 * the tar are out of proportion, the zip is, and the walk ends within the fourteenth file. */
static void test_bomb_in_nested_tar_is_limited(void **state)
{
    enum { FILES = 20, SIZE = 5000000, FREE = 64 << 20 };
    struct archive *a = archive_write_new();
    member_tally t = {0};
    const abdb_member_handler handler = {&t, member_wanted_unless_named_left_out,
                                         count_member_whole_or_refused, NULL};
    abdb_input input = {.path = "a"};
    char name[16];
    abdb_error err;

    (void)state;
    write_compressed_file_of_repeated_x(&one, ARCHIVE_FILTER_GZIP, SIZE);
    assert_int_equal(archive_write_set_format_ustar(a), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, two.data, ROOM, &two.size), ARCHIVE_OK);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "%d.gz", i);
        write_regular_file_member(a, name, one.data, one.size);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    assert_true((size_t)FILES * SIZE / two.size < ABDB_ARCHIVE_RATIO_MAX);
    write_archive_with_skipped_and_named_member(&one, ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE,
                                                "a.tar", &two);
    input.data = (const unsigned char *)one.data;
    input.size = one.size;
    assert_int_equal(abdb_archive_deliver_members_of_memory(&input, &handler, &err), ABDB_LIMIT);
    assert_int_equal(t.whole, FREE / SIZE);
}

/* What is compressed inside is read and read, and nothing comes of it: a frame of zstd that is
 * skipped, 2 GB of 512 KiB. The reading ends within the first piece of the file. */
static void test_endless_skipped_frame_is_limited(void **state)
{
    static const char begin[] = "\x28\xb5\x2f\xfd\0\x38"            /* a frame */
                                "\x88\0\0"                          /* 17 bytes as they are: */
                                "\x28\xb5\x2f\xfd\x20\0\1\0\0"      /* an empty frame */
                                "\x50\x2a\x4d\x18\xff\xff\xff\x7f"; /* 2 GiB to skip */
    static const char block[] = "\2\0\2"; /* 16 KiB of the byte that follows, 0 */
    enum { SIZE = 512 << 10, PIECE = 128 << 10 };
    FILE *file = tmpfile();
    char head[ABDB_ARCHIVE_HEAD];
    member_tally t = {0};
    const abdb_member_handler handler = {&t, NULL, count_member_whole_or_refused, NULL};
    abdb_error err;

    (void)state;
    fwrite(begin, 1, sizeof begin - 1, file);
    for (int i = 0; i < SIZE / 4; i++) fwrite(block, 1, sizeof block, file);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(pread(fileno(file), head, sizeof head, 0), sizeof head);
    assert_int_equal(lseek(fileno(file), sizeof head, SEEK_SET), sizeof head);
    assert_int_equal(
        abdb_archive_deliver_members_of_file(fileno(file), "a", head, sizeof head, &handler, &err),
        ABDB_LIMIT);
    assert_int_equal(t.whole, 0);
    assert_true(lseek(fileno(file), 0, SEEK_CUR) <= ABDB_ARCHIVE_HEAD + PIECE);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_container_and_filter_is_read),
                                       cmocka_unit_test(test_compressed_inside_compressed_is_read),
                                       cmocka_unit_test(test_program_only_formats_stay_raw_files),
                                       cmocka_unit_test(test_bomb_in_nested_tar_is_limited),
                                       cmocka_unit_test(test_endless_skipped_frame_is_limited)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
