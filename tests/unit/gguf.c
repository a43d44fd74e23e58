/* gguf.c - tests of files of GGUF that lie, are cut, or hold what is not read. */
#include <stdlib.h>

#include "tests/unit/saved_files.h"

/* A file of GGUF by what its lines write; what must be said of it. */
typedef struct {
    const char *says;
    void (*write)(page *to);
} lie;

static void begin(page *to, uint64_t version, uint64_t tensors, uint64_t pairs)
{
    put(to, 0x46554747, 4);
    put(to, version, 4);
    put(to, tensors, 8);
    put(to, pairs, 8);
}

static void old(page *to)
{
    begin(to, 1, 0, 0);
}
static void newer(page *to)
{
    begin(to, 4, 0, 0);
}
static void big_end(page *to)
{
    begin(to, 3u << 24, 0, 0);
}
static void short_head(page *to)
{
    put(to, 0x346554747, 8);
    put(to, 9, 3);
}
static void many_tensors(page *to)
{
    begin(to, 3, (uint64_t)1 << 61, 0);
}
static void many_pairs(page *to)
{
    begin(to, 3, 0, (uint64_t)1 << 63);
}
static void long_key(page *to)
{
    begin(to, 3, 0, 1);
    put(to, UINT64_MAX - 3, 8);
    put(to, 0, 20);
}
static void of_pair(page *to, const char *key, uint64_t type)
{
    begin(to, 3, 0, 1);
    put_key(to, key, type);
}
static void strange_type(page *to)
{
    of_pair(to, "a", 13);
    put(to, 0, 20);
}
static void long_array(page *to)
{
    of_pair(to, "a", 9);
    put(to, 12, 4);
    put(to, UINT64_MAX / 8 + 2, 8);
    put(to, 0, 40);
}
static void short_array(page *to)
{
    of_pair(to, "a", 9);
    put(to, 12, 4);
    put(to, 6, 8);
    put(to, 0, 40);
}
static void deep(page *to)
{
    of_pair(to, "a", 9);
    for (size_t i = 0; i < 9; i++) {
        put(to, 9, 4);
        put(to, 1, 8);
    }
}
static void split(page *to)
{
    of_pair(to, "split.count", 2);
    put(to, 3, 2);
}
static void other_network(page *to)
{
    of_pair(to, "general.architecture", 8);
    put_text(to, "gpt2");
}
static void no_alignment(page *to)
{
    of_pair(to, "general.alignment", 4);
    put(to, 0, 4);
}
static void odd_alignment(page *to)
{
    of_pair(to, "general.alignment", 4);
    put(to, 12, 4);
}
static void of_tensor(page *to, const char *name, uint64_t dims, uint64_t columns, uint64_t rows,
                      uint64_t type, uint64_t at)
{
    begin(to, 3, 1, 0);
    put_text(to, name);
    put(to, dims, 4);
    for (uint64_t i = 0; i < (dims < 9 ? dims : 9); i++)
        put(to, i == 0 ? columns : i == 1 ? rows : 1, 8);
    put(to, type, 4);
    put(to, at, 8);
    while (to->bytes % 32) put(to, 0, 1);
    put(to, 0, 8);
    put(to, 0, 8);
    put(to, 0, 8);
    put(to, 0, 8);
}
static void control(page *to)
{
    of_tensor(to, "a\033[2J", 1, 8, 1, 0, 0);
}
static void unnamed(page *to)
{
    of_tensor(to, "", 1, 8, 1, 0, 0);
}
static void long_name(page *to)
{
    of_tensor(to, "0123456789012345678901234567890123456789012345678901234567890123x", 1, 8, 1, 0,
              0);
}
static void flat(page *to)
{
    of_tensor(to, "a", 0, 8, 1, 0, 0);
}
static void five(page *to)
{
    of_tensor(to, "a", 5, 8, 1, 0, 0);
}
static void removed_type(page *to)
{
    of_tensor(to, "a", 1, 8, 1, 4, 0);
}
static void unknown_type(page *to)
{
    of_tensor(to, "a", 1, 8, 1, 77, 0);
}
static void odd_place(page *to)
{
    of_tensor(to, "a", 1, 4, 1, 0, 8);
}
static void far_place(page *to)
{
    of_tensor(to, "a", 1, 4, 1, 0, (uint64_t)1 << 62);
}
static void behind(page *to)
{
    of_tensor(to, "a", 1, 8, 1, 0, 64);
}
static void at_the_end(page *to)
{
    of_tensor(to, "a", 1, 8, 1, 0, 32);
}
static void too_long(page *to)
{
    of_tensor(to, "a", 1, 9, 1, 0, 0);
}
static void too_high(page *to)
{
    of_tensor(to, "a", 2, 4, 3, 0, 0);
}
static void product_over(page *to)
{
    of_tensor(to, "a", 2, 4, (uint64_t)1 << 62, 0, 0);
}
static void nothing(page *to)
{
    of_tensor(to, "a", 2, 0, 4, 0, 0);
}
static void cut(page *to)
{
    of_tensor(to, "a", 1, 8, 1, 0, 0);
    to->bytes = 60;
}

static void hostile(void **state)
{
    static const lie lies[] = {{"version 1, and 2 and 3", old},
                               {"version 4, and 2 and 3", newer},
                               {"the big end first: convert", big_end},
                               {"byte 8: the file ends", short_head},
                               {"2305843009213693952 tensors, and", many_tensors},
                               {"9223372036854775808 pairs of metadata, and", many_pairs},
                               {"the file ends", long_key},
                               {"metadata of type 13", strange_type},
                               {"elements, and", long_array},
                               {"elements, and", short_array},
                               {"within 4 others", deep},
                               {"split into 3 files: make one", split},
                               {"general.architecture is not llama", other_network},
                               {"general.alignment is 0", no_alignment},
                               {"general.alignment is 12", odd_alignment},
                               {"printable", control},
                               {"printable", unnamed},
                               {"printable", long_name},
                               {"a tensor of 0 dimensions", flat},
                               {"a tensor of 5 dimensions", five},
                               {"'a' is of type 4, which is none", removed_type},
                               {"'a' is of type 77, which is none", unknown_type},
                               {"'a' begins at 8, which is no multiple of 32", odd_place},
                               {"'a' begins at 4611686018427387904", far_place},
                               {"'a' begins at 64 of 32", behind},
                               {"'a' of 1 x 8 numbers does not lie", at_the_end},
                               {"'a' of 1 x 9 numbers does not lie", too_long},
                               {"'a' of 3 x 4 numbers does not lie", too_high},
                               {"'a' of 4611686018427387904 x 4 numbers", product_over},
                               {"'a' of 4 x 0 numbers", nothing},
                               {"ends before its numbers", cut}};

    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        abdb_saved_file f;
        abdb_error err = {0};
        FILE *file;

        memset(&gguf, 0, sizeof gguf);
        lies[i].write(&gguf.head);
        name_file();
        file = fopen(path, "wb");
        assert_true(file && fwrite(gguf.head.data, 1, gguf.head.bytes, file) == gguf.head.bytes);
        assert_true(fclose(file) == 0);
        assert_status(abdb_saved_open(&f, path, &err), ABDB_FORMAT);
        if (!strstr(err.message, path) || !strstr(err.message, lies[i].says))
            fail_msg("'%s' does not say '%s'", err.message, lies[i].says);
        assert_true(!f.map && !f.saved);
    }
    unlink(path);
}

/* Cut anywhere, a file is refused, and nothing beyond its end is read. */
static void cut_anywhere(void **state)
{
    (void)state;
    save_all_gguf(3);
    for (size_t size = gguf.head.bytes + gguf.numbers.bytes; size-- > 0;) {
        abdb_saved_file f;
        abdb_error err = {0};

        assert_true(truncate(path, (off_t)size) == 0);
        assert_status(abdb_saved_open(&f, path, &err), ABDB_FORMAT);
    }
    unlink(path);
}

/* Forms that are not read are named where the model wants them, and only there. */
static void other_forms(void **state)
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
        abdb_saved_file whole;
        abdb_error err = {0};
        unsigned char *at;

        save_all_gguf(3);
        at = memmem(gguf.head.data, gguf.head.bytes, "blk.0.attn_q.weight", 19);
        assert_non_null(at);
        at[19 + 4 + 16] = (unsigned char)tried[i].type;
        save_gguf();
        assert_ok(abdb_saved_open(&whole, path, &err));
        abdb_saved_close(&whole);
        assert_status(abdb_llama_file_open(&f, path, &shape, &err), ABDB_FORMAT);
        assert_non_null(strstr(err.message, tried[i].says));
        assert_non_null(strstr(err.message, "convert the network to BF16"));
    }
    unlink(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hostile), cmocka_unit_test(cut_anywhere),
                                       cmocka_unit_test(other_forms)};

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
