/* write_weights.h - files of weights of a small network, written by tests: their numbers, and files
 * of GGUF, written by its specification, not by abdb's reader. */
#ifndef ABDB_UNIT_SAVED_FILES_H
#define ABDB_UNIT_SAVED_FILES_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/workloads/llama_file.h"
#include "tests/unit/check.h"

static const abdb_llama_shape shape = {.layers = 2,
                                       .d = 8,
                                       .heads = 4,
                                       .kv_heads = 2,
                                       .head = 6,
                                       .hidden = 6,
                                       .vocabulary = 5,
                                       .base = 1e4,
                                       .factor = 1,
                                       .dtype = ABDB_F32};
static char path[64];

/* The number that a tensor has in a row and column: exact in f16 and bf16. */
static inline float expected_weight_value(size_t tensor, size_t row, size_t column)
{
    return (float)abdb_random_nonzero_integer(tensor, row * 64 + column, 100);
}

static inline void set_path_with_process_id(void)
{
    snprintf(path, sizeof path, "/tmp/abdb-saved-%ld", (long)getpid());
}

/* What is written so far, and the numbers that stand behind it. */
typedef struct {
    unsigned char data[32768];
    size_t bytes;
} byte_buffer;
static struct {
    byte_buffer head, numbers;
    size_t tensors;
} gguf;

static inline void append_little_endian(byte_buffer *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) to->data[to->bytes++] = (unsigned char)(value >> 8 * i);
}

static inline void append_gguf_string(byte_buffer *to, const char *text)
{
    append_little_endian(to, strlen(text), 8);
    for (; *text; text++) append_little_endian(to, (unsigned char)*text, 1);
}

/* A pair of metadata: its value, of so many bytes, follows. */
static inline void append_metadata_key(byte_buffer *to, const char *key, uint64_t type)
{
    append_gguf_string(to, key);
    append_little_endian(to, type, 4);
}

/* Of each type of metadata one, and arrays: of texts, of numbers, of arrays. */
static inline size_t append_every_metadata_type_return_pairs(byte_buffer *to)
{
    static const struct {
        uint64_t type;
        size_t size;
    } plain[] = {{0, 1}, {1, 1}, {2, 2}, {3, 2},  {4, 4},  {5, 4},
                 {6, 4}, {7, 1}, {8, 8}, {10, 8}, {11, 8}, {12, 8}};

    append_metadata_key(to, "general.architecture", 8);
    append_gguf_string(to, "llama");
    append_metadata_key(to, "split.count", 2);
    append_little_endian(to, 1, 2);
    append_metadata_key(to, "general.alignment", 4);
    append_little_endian(to, 64, 4);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        append_metadata_key(to, "some.value", plain[i].type);
        append_little_endian(to, plain[i].type == 8 ? 0 : 5, plain[i].size);
    }
    append_metadata_key(to, "tokenizer.ggml.tokens", 9);
    append_little_endian(to, 8, 4);
    append_little_endian(to, 2, 8);
    append_gguf_string(to, "<s>");
    append_gguf_string(to, "");
    append_metadata_key(to, "tokenizer.ggml.scores", 9);
    append_little_endian(to, 6, 4);
    append_little_endian(to, 3, 8);
    append_little_endian(to, 0, 12);
    append_metadata_key(to, "some.arrays", 9);
    append_little_endian(to, 9, 4);
    append_little_endian(to, 1, 8);
    append_little_endian(to, 0, 4);
    append_little_endian(to, 5, 8);
    append_little_endian(to, 0, 5);
    return 3 + sizeof plain / sizeof plain[0] + 3;
}

/* Row of the file where row `row` of q or k lies: weights.reshape(heads, 2, head / 2, columns)
 * .swapaxes(1, 2), by its specification. */
static inline size_t permuted_gguf_row_of_query_or_key_row(size_t row)
{
    size_t half = shape.head / 2, h = row / shape.head, part = row % shape.head / half;

    return (h * half + row % half) * 2 + part;
}

static inline void append_gguf_tensor_info_and_numbers(const char *name, size_t rows,
                                                       size_t columns, bool permute_rows)
{
    static const uint64_t types[] = {0, 30, 1}; /* as the safetensors have them: F32, BF16, F16 */
    byte_buffer *to = &gguf.numbers;
    size_t t = gguf.tensors++, size = t % 3 ? 2 : 4;

    while (to->bytes % 64) append_little_endian(to, 0, 1);
    append_gguf_string(&gguf.head, name);
    append_little_endian(&gguf.head, rows > 1 ? 2 : 1, 4);
    append_little_endian(&gguf.head, columns, 8);
    if (rows > 1) append_little_endian(&gguf.head, rows, 8);
    append_little_endian(&gguf.head, types[t % 3], 4);
    append_little_endian(&gguf.head, to->bytes, 8);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            float value = expected_weight_value(t, r, c);
            uint16_t half = t % 3 == 1 ? abdb_bf16_from_f32(value) : abdb_f16_from_f32(value);

            memcpy(
                to->data + to->bytes +
                    ((permute_rows ? permuted_gguf_row_of_query_or_key_row(r) : r) * columns + c) *
                        size,
                size == 4 ? (void *)&value : &half, size);
        }
    to->bytes += rows * columns * size;
}

static inline void pad_gguf_header_and_write_file(void)
{
    byte_buffer *head = &gguf.head;
    FILE *file;

    while (head->bytes % 64) append_little_endian(head, 0, 1);
    set_path_with_process_id();
    file = fopen(path, "wb");
    assert_true(file && fwrite(head->data, 1, head->bytes, file) == head->bytes);
    assert_true(fwrite(gguf.numbers.data, 1, gguf.numbers.bytes, file) == gguf.numbers.bytes);
    assert_true(fclose(file) == 0);
}

/* The tensors of write_safetensors_of_network, in its order, in a GGUF file of that version. */
static inline void write_gguf_of_network(uint64_t version)
{
    static const struct {
        const char *name;
        size_t rows, columns;
    } of[] = {{"attn_q", 24, 8},      {"attn_k", 12, 8},   {"attn_v", 12, 8},
              {"attn_output", 8, 24}, {"ffn_gate", 6, 8},  {"ffn_up", 6, 8},
              {"ffn_down", 8, 6},     {"attn_norm", 1, 8}, {"ffn_norm", 1, 8}};
    byte_buffer *head = &gguf.head;
    size_t pairs_at, end;
    char name[64];

    memset(&gguf, 0, sizeof gguf);
    append_little_endian(head, 0x46554747, 4);
    append_little_endian(head, version, 4);
    append_little_endian(head, 21, 8);
    pairs_at = head->bytes;
    append_little_endian(head, 0, 8);
    end = append_every_metadata_type_return_pairs(head);
    head->data[pairs_at] = (unsigned char)end;
    for (size_t i = 0; i < 18; i++) {
        snprintf(name, sizeof name, "blk.%zu.%s.weight", i / 9, of[i % 9].name);
        append_gguf_tensor_info_and_numbers(name, of[i % 9].rows, of[i % 9].columns, i % 9 < 2);
    }
    append_gguf_tensor_info_and_numbers("token_embd.weight", 5, 8, false);
    append_gguf_tensor_info_and_numbers("output.weight", 5, 8, false);
    append_gguf_tensor_info_and_numbers("output_norm.weight", 1, 8, false);
    pad_gguf_header_and_write_file();
}

#endif
