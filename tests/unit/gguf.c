/* gguf.c - tests of files of GGUF that lie, are cut, or hold what is not read. */
#include <stdlib.h>

#include "tests/unit/write_weights.h"

/* A file of GGUF by what its lines write; what must be said of it. */
typedef struct {
    const char *says;
    void (*write)(byte_buffer *to);
} malformed_file;

static void write_gguf_header(byte_buffer *to, uint64_t version, uint64_t tensors,
                              uint64_t metadata_pairs)
{
    append_little_endian(to, 0x46554747, 4);
    append_little_endian(to, version, 4);
    append_little_endian(to, tensors, 8);
    append_little_endian(to, metadata_pairs, 8);
}

static void write_header_of_version_1(byte_buffer *to)
{
    write_gguf_header(to, 1, 0, 0);
}
static void write_header_of_version_4(byte_buffer *to)
{
    write_gguf_header(to, 4, 0, 0);
}
static void write_header_with_big_endian_version(byte_buffer *to)
{
    write_gguf_header(to, 3u << 24, 0, 0);
}
static void write_header_cut_within_counts(byte_buffer *to)
{
    append_little_endian(to, 0x346554747, 8);
    append_little_endian(to, 9, 3);
}
static void write_impossible_tensor_count(byte_buffer *to)
{
    write_gguf_header(to, 3, (uint64_t)1 << 61, 0);
}
static void write_impossible_metadata_count(byte_buffer *to)
{
    write_gguf_header(to, 3, 0, (uint64_t)1 << 63);
}
static void write_key_longer_than_file(byte_buffer *to)
{
    write_gguf_header(to, 3, 0, 1);
    append_little_endian(to, UINT64_MAX - 3, 8);
    append_little_endian(to, 0, 20);
}
static void write_header_and_one_key(byte_buffer *to, const char *key, uint64_t type)
{
    write_gguf_header(to, 3, 0, 1);
    append_metadata_key(to, key, type);
}
static void write_unknown_metadata_type(byte_buffer *to)
{
    write_header_and_one_key(to, "a", 13);
    append_little_endian(to, 0, 20);
}
static void write_array_size_that_overflows(byte_buffer *to)
{
    write_header_and_one_key(to, "a", 9);
    append_little_endian(to, 12, 4);
    append_little_endian(to, UINT64_MAX / 8 + 2, 8);
    append_little_endian(to, 0, 40);
}
static void write_array_longer_than_file(byte_buffer *to)
{
    write_header_and_one_key(to, "a", 9);
    append_little_endian(to, 12, 4);
    append_little_endian(to, 6, 8);
    append_little_endian(to, 0, 40);
}
static void write_arrays_nested_too_deep(byte_buffer *to)
{
    write_header_and_one_key(to, "a", 9);
    for (size_t i = 0; i < 9; i++) {
        append_little_endian(to, 9, 4);
        append_little_endian(to, 1, 8);
    }
}
static void write_metadata_split_into_three_files(byte_buffer *to)
{
    write_header_and_one_key(to, "split.count", 2);
    append_little_endian(to, 3, 2);
}
static void write_metadata_architecture_gpt2(byte_buffer *to)
{
    write_header_and_one_key(to, "general.architecture", 8);
    append_gguf_string(to, "gpt2");
}
static void write_metadata_alignment_0(byte_buffer *to)
{
    write_header_and_one_key(to, "general.alignment", 4);
    append_little_endian(to, 0, 4);
}
static void write_metadata_alignment_12(byte_buffer *to)
{
    write_header_and_one_key(to, "general.alignment", 4);
    append_little_endian(to, 12, 4);
}
static void write_file_of_one_tensor(byte_buffer *to, const char *name, uint64_t dims,
                                     uint64_t columns, uint64_t rows, uint64_t type,
                                     uint64_t offset)
{
    write_gguf_header(to, 3, 1, 0);
    append_gguf_string(to, name);
    append_little_endian(to, dims, 4);
    for (uint64_t i = 0; i < (dims < 9 ? dims : 9); i++)
        append_little_endian(to, i == 0 ? columns : i == 1 ? rows : 1, 8);
    append_little_endian(to, type, 4);
    append_little_endian(to, offset, 8);
    while (to->bytes % 32) append_little_endian(to, 0, 1);
    append_little_endian(to, 0, 8);
    append_little_endian(to, 0, 8);
    append_little_endian(to, 0, 8);
    append_little_endian(to, 0, 8);
}
static void write_tensor_name_with_control(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a\033[2J", 1, 8, 1, 0, 0);
}
static void write_tensor_with_empty_name(byte_buffer *to)
{
    write_file_of_one_tensor(to, "", 1, 8, 1, 0, 0);
}
static void write_tensor_name_too_long(byte_buffer *to)
{
    write_file_of_one_tensor(
        to, "0123456789012345678901234567890123456789012345678901234567890123x", 1, 8, 1, 0, 0);
}
static void write_tensor_of_0_dimensions(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 0, 8, 1, 0, 0);
}
static void write_tensor_of_5_dimensions(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 5, 8, 1, 0, 0);
}
static void write_tensor_of_removed_type(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 1, 8, 1, 4, 0);
}
static void write_tensor_of_unknown_type(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 1, 8, 1, 77, 0);
}
static void write_tensor_with_misaligned_offset(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 1, 4, 1, 0, 8);
}
static void write_tensor_with_huge_offset(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 1, 4, 1, 0, (uint64_t)1 << 62);
}
static void write_tensor_with_offset_behind_data(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 1, 8, 1, 0, 64);
}
static void write_tensor_with_offset_at_end_of_data(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 1, 8, 1, 0, 32);
}
static void write_tensor_row_longer_than_data(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 1, 9, 1, 0, 0);
}
static void write_tensor_with_more_rows_than_data(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 2, 4, 3, 0, 0);
}
static void write_tensor_size_that_overflows(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 2, 4, (uint64_t)1 << 62, 0, 0);
}
static void write_tensor_without_columns(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 2, 0, 4, 0, 0);
}
static void write_file_cut_before_data(byte_buffer *to)
{
    write_file_of_one_tensor(to, "a", 1, 8, 1, 0, 0);
    to->bytes = 60;
}

static void test_malformed_gguf_is_refused_with_reason(void **state)
{
    static const malformed_file lies[] = {
        {"version 1, and 2 and 3", write_header_of_version_1},
        {"version 4, and 2 and 3", write_header_of_version_4},
        {"the big end first: convert", write_header_with_big_endian_version},
        {"byte 8: the file ends", write_header_cut_within_counts},
        {"2305843009213693952 tensors, and", write_impossible_tensor_count},
        {"9223372036854775808 pairs of metadata, and", write_impossible_metadata_count},
        {"the file ends", write_key_longer_than_file},
        {"metadata of type 13", write_unknown_metadata_type},
        {"elements, and", write_array_size_that_overflows},
        {"elements, and", write_array_longer_than_file},
        {"within 4 others", write_arrays_nested_too_deep},
        {"split into 3 files: make one", write_metadata_split_into_three_files},
        {"general.architecture is not llama", write_metadata_architecture_gpt2},
        {"general.alignment is 0", write_metadata_alignment_0},
        {"general.alignment is 12", write_metadata_alignment_12},
        {"printable", write_tensor_name_with_control},
        {"printable", write_tensor_with_empty_name},
        {"printable", write_tensor_name_too_long},
        {"a tensor of 0 dimensions", write_tensor_of_0_dimensions},
        {"a tensor of 5 dimensions", write_tensor_of_5_dimensions},
        {"'a' is of type 4, which is none", write_tensor_of_removed_type},
        {"'a' is of type 77, which is none", write_tensor_of_unknown_type},
        {"'a' begins at 8, which is no multiple of 32", write_tensor_with_misaligned_offset},
        {"'a' begins at 4611686018427387904", write_tensor_with_huge_offset},
        {"'a' begins at 64 of 32", write_tensor_with_offset_behind_data},
        {"'a' of 1 x 8 numbers does not lie", write_tensor_with_offset_at_end_of_data},
        {"'a' of 1 x 9 numbers does not lie", write_tensor_row_longer_than_data},
        {"'a' of 3 x 4 numbers does not lie", write_tensor_with_more_rows_than_data},
        {"'a' of 4611686018427387904 x 4 numbers", write_tensor_size_that_overflows},
        {"'a' of 4 x 0 numbers", write_tensor_without_columns},
        {"ends before its numbers", write_file_cut_before_data}};

    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        abdb_weights_file f;
        abdb_error err = {0};
        FILE *file;

        memset(&gguf, 0, sizeof gguf);
        lies[i].write(&gguf.head);
        set_path_with_process_id();
        file = fopen(path, "wb");
        assert_true(file && fwrite(gguf.head.data, 1, gguf.head.bytes, file) == gguf.head.bytes);
        assert_true(fclose(file) == 0);
        assert_status(abdb_weights_file_map_and_parse(&f, path, &err), ABDB_FORMAT);
        if (!strstr(err.message, path) || !strstr(err.message, lies[i].says))
            fail_msg("'%s' does not say '%s'", err.message, lies[i].says);
        assert_true(!f.map && !f.saved);
    }
    unlink(path);
}

/* Cut anywhere, a file is refused, and nothing beyond its end is read. */
static void test_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    write_gguf_of_network(3);
    for (size_t size = gguf.head.bytes + gguf.numbers.bytes; size-- > 0;) {
        abdb_weights_file f;
        abdb_error err = {0};

        assert_true(truncate(path, (off_t)size) == 0);
        assert_status(abdb_weights_file_map_and_parse(&f, path, &err), ABDB_FORMAT);
    }
    unlink(path);
}

/* Forms that are not read are named where the model wants them, and only there. */
static void test_unread_quantisation_is_named(void **state)
{
    static const struct {
        uint64_t type;
        const char *says;
    } tried[] = {{2, "blk.0.attn_q.weight is of Q4_0"},
                 {8, "blk.0.attn_q.weight is of Q8_0"},
                 {12, "is of Q4_K"},
                 {28, "is of F64"}};

    (void)state;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        abdb_llama_file f;
        abdb_weights_file whole;
        abdb_error err = {0};
        unsigned char *at;

        write_gguf_of_network(3);
        at = memmem(gguf.head.data, gguf.head.bytes, "blk.0.attn_q.weight", 19);
        assert_non_null(at);
        at[19 + 4 + 16] = (unsigned char)tried[i].type;
        pad_gguf_header_and_write_file();
        assert_ok(abdb_weights_file_map_and_parse(&whole, path, &err));
        abdb_weights_file_close(&whole);
        assert_status(abdb_llama_file_open_and_find_tensors(&f, path, &shape, &err), ABDB_FORMAT);
        assert_non_null(strstr(err.message, tried[i].says));
        assert_non_null(strstr(err.message, "convert the network to BF16"));
    }
    unlink(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_malformed_gguf_is_refused_with_reason),
                                       cmocka_unit_test(test_file_cut_anywhere_is_refused),
                                       cmocka_unit_test(test_unread_quantisation_is_named)};

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
