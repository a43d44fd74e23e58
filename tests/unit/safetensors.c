/* safetensors.c - tests of weights from files: each number in its place, and headers that lie. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/workloads/llama_file.h"
#include "tests/unit/check.h"

static const abdb_llama_shape shape = {.layers = 2,
                                       .d = 8,
                                       .heads = 4,
                                       .kv_heads = 2,
                                       .head = 4,
                                       .hidden = 6,
                                       .vocabulary = 5,
                                       .dtype = ABDB_F32};
static char path[64];

/* The number that a tensor has in a row and column: exact in f16 and bf16. */
static float number(size_t tensor, size_t row, size_t column)
{
    return (float)abdb_random_whole(tensor, row * 64 + column, 100);
}

typedef struct {
    char header[4096];
    unsigned char data[8192];
    size_t used, bytes, tensors;
} draft;

static void add(draft *d, const char *name, size_t rows, size_t columns)
{
    static const char *const dtypes[] = {"F32", "BF16", "F16"};
    size_t t = d->tensors++, size = t % 3 ? 2 : 4, end = d->bytes + rows * columns * size;
    char dims[48];

    snprintf(dims, sizeof dims, rows > 1 ? "%zu,%zu" : "%.0zu%zu", rows > 1 ? rows : (size_t)0,
             columns);
    d->used +=
        (size_t)snprintf(d->header + d->used, sizeof d->header - d->used,
                         "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
                         t ? "," : "{", name, dtypes[t % 3], dims, d->bytes, end);
    for (size_t i = 0; i < rows * columns; i++) {
        float value = number(t, i / columns, i % columns);
        uint16_t half = t % 3 == 1 ? abdb_bf16(value) : abdb_f16(value);

        memcpy(d->data + d->bytes + i * size, size == 4 ? (void *)&value : &half, size);
    }
    d->bytes = end;
}

static void save(const char *header, size_t length, const void *data, size_t bytes)
{
    unsigned char head[8];
    FILE *file;

    for (size_t i = 0; i < 8; i++) head[i] = (unsigned char)(length >> 8 * i);
    snprintf(path, sizeof path, "/tmp/abdb-safetensors-%ld", (long)getpid());
    file = fopen(path, "wb");
    assert_true(file && fwrite(head, 1, 8, file) == 8);
    assert_true(fwrite(header, 1, strlen(header), file) == strlen(header));
    assert_true(fwrite(data, 1, bytes, file) == bytes && fclose(file) == 0);
}

/* All tensors of the shape: nine of each layer, table, last matrix, last norm. */
static void save_all(void)
{
    static const struct {
        const char *name;
        size_t rows, columns;
    } of[] = {{"self_attn.q_proj", 16, 8},       {"self_attn.k_proj", 8, 8},
              {"self_attn.v_proj", 8, 8},        {"self_attn.o_proj", 8, 16},
              {"mlp.gate_proj", 6, 8},           {"mlp.up_proj", 6, 8},
              {"mlp.down_proj", 8, 6},           {"input_layernorm", 1, 8},
              {"post_attention_layernorm", 1, 8}};
    static draft d;
    char name[96];

    d = (draft){.used = 0};
    for (size_t i = 0; i < 18; i++) {
        snprintf(name, sizeof name, "model.layers.%zu.%s.weight", i / 9, of[i % 9].name);
        add(&d, name, of[i % 9].rows, of[i % 9].columns);
    }
    add(&d, "model.embed_tokens.weight", 5, 8);
    add(&d, "lm_head.weight", 5, 8);
    add(&d, "model.norm.weight", 1, 8);
    snprintf(d.header + d.used, sizeof d.header - d.used, ",\"__metadata__\":{\"format\":\"pt\"}}");
    save(d.header, strlen(d.header), d.data, d.bytes);
}

/* Column of a matrix against the tensor and row where it must stand. */
static void expect(const abdb_llama_source *source, size_t layer, int which, size_t column,
                   size_t tensor, size_t row, size_t k)
{
    float out[16];

    source->column(source->self, layer, which, column, out);
    for (size_t i = 0; i < k; i++) assert_true(out[i] == number(tensor, row, i));
}

static void places(void **state)
{
    abdb_llama_file f;
    abdb_llama_source source;
    abdb_error err = {0};
    float gains[8];

    (void)state;
    save_all();
    assert_ok(abdb_llama_file_open(&f, path, &shape, &err));
    source = abdb_llama_file_source(&f);
    for (size_t l = 0; l < 2; l++) {
        for (size_t j = 0; j < 32; j++) /* 16 queries, 8 keys, 8 values */
            expect(&source, l, ABDB_LLAMA_QKV, j,
                   9 * l + (j < 16   ? 0
                            : j < 24 ? 1
                                     : 2),
                   j < 16 ? j : j % 8, 8);
        for (size_t j = 0; j < 8; j++) expect(&source, l, ABDB_LLAMA_OUT, j, 9 * l + 3, j, 16);
        for (size_t j = 0; j < 12; j++)
            expect(&source, l, ABDB_LLAMA_UP, j, 9 * l + 4 + j / 6, j % 6, 8);
        for (size_t j = 0; j < 8; j++) expect(&source, l, ABDB_LLAMA_DOWN, j, 9 * l + 6, j, 6);
        for (size_t n = 0; n < 2; n++) {
            source.gains(source.self, 2 * l + n, gains);
            assert_true(gains[3] == number(9 * l + 7 + n, 0, 3));
        }
    }
    for (size_t j = 0; j < 5; j++) {
        expect(&source, 2, 0, j, 18, j, 8);
        expect(&source, 2, 1, j, 19, j, 8);
    }
    source.gains(source.self, 4, gains);
    assert_true(gains[7] == number(20, 0, 7));
    abdb_llama_file_close(&f);
    unlink(path);
}

/* A model of another shape or with more layers: which tensor, where. */
static void other_shapes(void **state)
{
    abdb_llama_shape more = shape, wider = shape;
    abdb_llama_file f;
    abdb_error err = {0};

    (void)state;
    save_all();
    more.layers = 3;
    assert_status(abdb_llama_file_open(&f, path, &more, &err), ABDB_FORMAT);
    assert_non_null(strstr(err.message, "no model.layers.2.self_attn.q_proj.weight"));
    wider.hidden = 7;
    assert_status(abdb_llama_file_open(&f, path, &wider, &err), ABDB_FORMAT);
    assert_non_null(strstr(err.message, "mlp.gate_proj.weight is 6 x 8, and the model has 7 x 8"));
    assert_status(abdb_llama_file_open(&f, "/nowhere/weights", &shape, &err), ABDB_IO);
    assert_status(abdb_llama_file_open(&f, "/tmp", &shape, &err), ABDB_IO);
    unlink(path);
}

/* Headers that lie: an error with file and place, and nothing beyond the file is read. */
static void hostile(void **state)
{
    static const struct {
        const char *header;
        size_t length; /* 0: its own */
        const char *says;
    } tried[] = {
        {"{}", SIZE_MAX, "byte 0: a header of"},
        {"{}", 99, "byte 0: a header of 99"},
        {"{\"a\":", 0, "byte 1"},
        {"[1]", 0, "byte 8: the header is no object"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,17]}}", 0, "no data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[-4,12]}}", 0,
         "no data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[16,0]}}", 0, "no data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0]}}", 0, "no data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4]}}", 0, "no data_offsets"},
        {"{\"a\":7}", 0, "no data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[0,16]}}", 0, "of its shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[0,4],\"data_offsets\":[0,0]}}", 0, "of its shape"},
        {"{\"a\":{\"dtype\":\"BF16\",\"shape\":[4294967297,4],\"data_offsets\":[0,8]}}", 0,
         "of its shape"},
        {"{\"a\":{\"dtype\":\"BF16\",\"shape\":[2,2,2],\"data_offsets\":[0,16]}}", 0,
         "of its shape"},
        {"{\"a\":{\"dtype\":\"BF16\",\"shape\":\"8\",\"data_offsets\":[0,16]}}", 0, "of its shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,13]}}", 0, "of its shape"}};
    static const unsigned char data[16];

    (void)state;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        abdb_safetensors f;
        abdb_error err = {0};

        save(tried[i].header, tried[i].length ? tried[i].length : strlen(tried[i].header), data,
             sizeof data);
        assert_status(abdb_safetensors_open(&f, path, &err), ABDB_FORMAT);
        assert_non_null(strstr(err.message, path));
        assert_non_null(strstr(err.message, tried[i].says));
        assert_true(!f.map && !f.saved);
    }
    assert_true(truncate(path, 5) == 0);
    assert_status(abdb_safetensors_open(&(abdb_safetensors){0}, path, &(abdb_error){0}),
                  ABDB_FORMAT);
    unlink(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places), cmocka_unit_test(other_shapes),
                                       cmocka_unit_test(hostile)};

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
