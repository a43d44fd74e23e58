/* weights_file.c - tests of weights from files: each number in its place, and headers that lie. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "kernels/workloads/parts.h"
#include "tests/unit/write_weights.h"

typedef struct {
    char header[4096];
    unsigned char data[16384];
    size_t used, bytes, tensors;
} safetensors_draft;

static void append_safetensors_tensor_header_and_values(safetensors_draft *d, const char *name,
                                                        size_t rows, size_t columns)
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
        float value = expected_weight_value(t, i / columns, i % columns);
        uint16_t half = t % 3 == 1 ? abdb_bf16_from_f32(value) : abdb_f16_from_f32(value);

        memcpy(d->data + d->bytes + i * size, size == 4 ? (void *)&value : &half, size);
    }
    d->bytes = end;
}

static void write_safetensors_file_with_stated_length(const char *header, size_t stated_length,
                                                      const void *data, size_t bytes)
{
    unsigned char head[8];
    FILE *file;

    for (size_t i = 0; i < 8; i++) head[i] = (unsigned char)(stated_length >> 8 * i);
    set_path_with_process_id();
    file = fopen(path, "wb");
    assert_true(file && fwrite(head, 1, 8, file) == 8);
    assert_true(fwrite(header, 1, strlen(header), file) == strlen(header));
    assert_true(fwrite(data, 1, bytes, file) == bytes && fclose(file) == 0);
}

/* All tensors of the shape: nine of each layer, table, last matrix, last norm. */
static void write_safetensors_of_network(void)
{
    static const struct {
        const char *name;
        size_t rows, columns;
    } of[] = {{"self_attn.q_proj", 24, 8},       {"self_attn.k_proj", 12, 8},
              {"self_attn.v_proj", 12, 8},       {"self_attn.o_proj", 8, 24},
              {"mlp.gate_proj", 6, 8},           {"mlp.up_proj", 6, 8},
              {"mlp.down_proj", 8, 6},           {"input_layernorm", 1, 8},
              {"post_attention_layernorm", 1, 8}};
    static safetensors_draft d;
    char name[96];

    d = (safetensors_draft){.used = 0};
    for (size_t i = 0; i < 18; i++) {
        snprintf(name, sizeof name, "model.layers.%zu.%s.weight", i / 9, of[i % 9].name);
        append_safetensors_tensor_header_and_values(&d, name, of[i % 9].rows, of[i % 9].columns);
    }
    append_safetensors_tensor_header_and_values(&d, "model.embed_tokens.weight", 5, 8);
    append_safetensors_tensor_header_and_values(&d, "lm_head.weight", 5, 8);
    append_safetensors_tensor_header_and_values(&d, "model.norm.weight", 1, 8);
    snprintf(d.header + d.used, sizeof d.header - d.used, ",\"__metadata__\":{\"format\":\"pt\"}}");
    write_safetensors_file_with_stated_length(d.header, strlen(d.header), d.data, d.bytes);
}

/* Column of a matrix against the tensor and row where it must stand. */
static void assert_column_is_tensor_row(const abdb_llama_weights_source *source, size_t layer,
                                        int matrix_kind, size_t column, size_t tensor, size_t row,
                                        size_t count)
{
    float out[24];

    source->column(source->self, layer, matrix_kind, column, out);
    for (size_t i = 0; i < count; i++) assert_true(out[i] == expected_weight_value(tensor, row, i));
}

static void assert_each_weight_in_place_delete_file(void)
{
    abdb_llama_file f;
    abdb_llama_weights_source source;
    abdb_error err = {0};
    float gains[8];

    assert_ok(abdb_llama_file_open_and_find_tensors(&f, path, &shape, &err));
    source = abdb_llama_weights_source_of_file(&f);
    for (size_t l = 0; l < 2; l++) {
        for (size_t j = 0; j < 48; j++) /* 24 queries, 12 keys, 12 values */
            assert_column_is_tensor_row(&source, l, ABDB_LLAMA_QKV, j,
                                        9 * l + (j < 24   ? 0
                                                 : j < 36 ? 1
                                                          : 2),
                                        j < 24 ? j : j % 12, 8);
        for (size_t j = 0; j < 8; j++)
            assert_column_is_tensor_row(&source, l, ABDB_LLAMA_OUT, j, 9 * l + 3, j, 24);
        for (size_t j = 0; j < 12; j++)
            assert_column_is_tensor_row(&source, l, ABDB_LLAMA_UP, j, 9 * l + 4 + j / 6, j % 6, 8);
        for (size_t j = 0; j < 8; j++)
            assert_column_is_tensor_row(&source, l, ABDB_LLAMA_DOWN, j, 9 * l + 6, j, 6);
        for (size_t n = 0; n < 2; n++) {
            source.gains(source.self, 2 * l + n, gains);
            assert_true(gains[3] == expected_weight_value(9 * l + 7 + n, 0, 3));
        }
    }
    for (size_t j = 0; j < 5; j++) {
        assert_column_is_tensor_row(&source, 2, 0, j, 18, j, 8);
        assert_column_is_tensor_row(&source, 2, 1, j, 19, j, 8);
    }
    source.gains(source.self, 4, gains);
    assert_true(gains[7] == expected_weight_value(20, 0, 7));
    abdb_llama_file_close(&f);
    unlink(path);
}

static void test_each_weight_is_in_its_place(void **state)
{
    (void)state;
    write_safetensors_of_network();
    assert_each_weight_in_place_delete_file();
    for (uint64_t version = 2; version <= 3; version++) {
        write_gguf_of_network(version);
        assert_each_weight_in_place_delete_file();
    }
}

static double zero_clock(void)
{
    return 0;
}

/* Logits after four tokens of the network in the file. */
static void run_file_network_on_4_tokens_get_logits(float *out)
{
    static const int32_t token[] = {3, 0, 4, 1};
    abdb_problem p = {.kernel = "llama-generate"};
    abdb_spans spans = {.now = zero_clock};
    abdb_run_context stage = {&p, abdb_init_host_device(1), &abdb_ref_parts, &spans, NULL};
    abdb_llama_capacity most = {4, 1, 4, 4, 1, 1, false};
    abdb_llama_file f;
    abdb_llama_weights_source source;
    abdb_llama g;
    abdb_error err = {0};

    assert_ok(abdb_llama_file_open_and_find_tensors(&f, path, &shape, &err));
    source = abdb_llama_weights_source_of_file(&f);
    assert_ok(abdb_llama_alloc_and_init(&g, &stage, &shape, &most, &source, &err));
    g.sequences = 1;
    g.first[1] = 4;
    memcpy(g.token, token, sizeof token);
    abdb_llama_forward_and_pick_tokens(&g);
    memcpy(out, g.logits, shape.vocabulary * sizeof *out);
    abdb_llama_free(&g);
    abdb_llama_file_close(&f);
}

/* The same weights give the same logits, bit for bit, whatever the file. */
static void test_same_weights_give_same_logits(void **state)
{
    float safe[5], other[5];

    (void)state;
    write_safetensors_of_network();
    run_file_network_on_4_tokens_get_logits(safe);
    write_gguf_of_network(3);
    run_file_network_on_4_tokens_get_logits(other);
    assert_memory_equal(safe, other, sizeof safe);
    assert_true(isfinite(safe[0]) && safe[0] != safe[1]);
    unlink(path);
}

/* A model of another shape or with more layers: which tensor, where. */
static void test_wrong_shape_names_the_tensor(void **state)
{
    abdb_llama_shape more = shape, wider = shape;
    abdb_llama_file f;
    abdb_error err = {0};

    (void)state;
    write_safetensors_of_network();
    more.layers = 3;
    assert_status(abdb_llama_file_open_and_find_tensors(&f, path, &more, &err), ABDB_FORMAT);
    assert_non_null(strstr(err.message, "no model.layers.2.self_attn.q_proj.weight"));
    wider.hidden = 7;
    assert_status(abdb_llama_file_open_and_find_tensors(&f, path, &wider, &err), ABDB_FORMAT);
    assert_non_null(strstr(err.message, "mlp.gate_proj.weight is 6 x 8, and the model has 7 x 8"));
    assert_status(abdb_llama_file_open_and_find_tensors(&f, "/nowhere/weights", &shape, &err),
                  ABDB_IO);
    assert_status(abdb_llama_file_open_and_find_tensors(&f, "/tmp", &shape, &err), ABDB_IO);
    unlink(path);
}

/* Headers that lie: an error with file and place, and nothing beyond the file is read. */
static void test_lying_headers_are_refused(void **state)
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
        abdb_weights_file f;
        abdb_error err = {0};

        write_safetensors_file_with_stated_length(
            tried[i].header, tried[i].length ? tried[i].length : strlen(tried[i].header), data,
            sizeof data);
        assert_status(abdb_weights_file_map_and_parse(&f, path, &err), ABDB_FORMAT);
        assert_non_null(strstr(err.message, path));
        assert_non_null(strstr(err.message, tried[i].says));
        assert_true(!f.map && !f.saved);
    }
    assert_true(truncate(path, 5) == 0);
    assert_status(abdb_weights_file_map_and_parse(&(abdb_weights_file){0}, path, &(abdb_error){0}),
                  ABDB_FORMAT);
    unlink(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_weight_is_in_its_place),
                                       cmocka_unit_test(test_same_weights_give_same_logits),
                                       cmocka_unit_test(test_wrong_shape_names_the_tensor),
                                       cmocka_unit_test(test_lying_headers_are_refused)};

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
