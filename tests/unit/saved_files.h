/* saved_files.h - files of weights that tests write, of a small network: what stands in them, and
 * those of GGUF, written by what its specification says, not by its reader. */
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
static inline float number(size_t tensor, size_t row, size_t column)
{
    return (float)abdb_random_whole(tensor, row * 64 + column, 100);
}

static inline void name_file(void)
{
    snprintf(path, sizeof path, "/tmp/abdb-saved-%ld", (long)getpid());
}

/* What is written so far, and the numbers that stand behind it. */
typedef struct {
    unsigned char data[32768];
    size_t bytes;
} page;
static struct {
    page head, numbers;
    size_t tensors;
} gguf;

static inline void put(page *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) to->data[to->bytes++] = (unsigned char)(value >> 8 * i);
}

static inline void put_text(page *to, const char *text)
{
    put(to, strlen(text), 8);
    for (; *text; text++) put(to, (unsigned char)*text, 1);
}

/* A pair of metadata: its value, of so many bytes, follows. */
static inline void put_key(page *to, const char *key, uint64_t type)
{
    put_text(to, key);
    put(to, type, 4);
}

/* Of each type of metadata one, and arrays: of texts, of numbers, of arrays. */
static inline size_t put_metadata(page *to)
{
    static const struct {
        uint64_t type;
        size_t size;
    } plain[] = {{0, 1}, {1, 1}, {2, 2}, {3, 2},  {4, 4},  {5, 4},
                 {6, 4}, {7, 1}, {8, 8}, {10, 8}, {11, 8}, {12, 8}};

    put_key(to, "general.architecture", 8);
    put_text(to, "llama");
    put_key(to, "split.count", 2);
    put(to, 1, 2);
    put_key(to, "general.alignment", 4);
    put(to, 64, 4);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        put_key(to, "some.value", plain[i].type);
        put(to, plain[i].type == 8 ? 0 : 5, plain[i].size);
    }
    put_key(to, "tokenizer.ggml.tokens", 9);
    put(to, 8, 4);
    put(to, 2, 8);
    put_text(to, "<s>");
    put_text(to, "");
    put_key(to, "tokenizer.ggml.scores", 9);
    put(to, 6, 4);
    put(to, 3, 8);
    put(to, 0, 12);
    put_key(to, "some.arrays", 9);
    put(to, 9, 4);
    put(to, 1, 8);
    put(to, 0, 4);
    put(to, 5, 8);
    put(to, 0, 5);
    return 3 + sizeof plain / sizeof plain[0] + 3;
}

/* Row of the file where row `row` of q or k lies: weights.reshape(heads, 2, head / 2, columns)
 * .swapaxes(1, 2), as its specification says. */
static inline size_t permuted(size_t row)
{
    size_t half = shape.head / 2, h = row / shape.head, part = row % shape.head / half;

    return (h * half + row % half) * 2 + part;
}

static inline void put_tensor(const char *name, size_t rows, size_t columns, bool turned)
{
    static const uint64_t types[] = {0, 30, 1}; /* as add() has them: F32, BF16, F16 */
    page *to = &gguf.numbers;
    size_t t = gguf.tensors++, size = t % 3 ? 2 : 4;

    while (to->bytes % 64) put(to, 0, 1);
    put_text(&gguf.head, name);
    put(&gguf.head, rows > 1 ? 2 : 1, 4);
    put(&gguf.head, columns, 8);
    if (rows > 1) put(&gguf.head, rows, 8);
    put(&gguf.head, types[t % 3], 4);
    put(&gguf.head, to->bytes, 8);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            float value = number(t, r, c);
            uint16_t half = t % 3 == 1 ? abdb_bf16(value) : abdb_f16(value);

            memcpy(to->data + to->bytes + ((turned ? permuted(r) : r) * columns + c) * size,
                   size == 4 ? (void *)&value : &half, size);
        }
    to->bytes += rows * columns * size;
}

static inline void save_gguf(void)
{
    page *head = &gguf.head;
    FILE *file;

    while (head->bytes % 64) put(head, 0, 1);
    name_file();
    file = fopen(path, "wb");
    assert_true(file && fwrite(head->data, 1, head->bytes, file) == head->bytes);
    assert_true(fwrite(gguf.numbers.data, 1, gguf.numbers.bytes, file) == gguf.numbers.bytes);
    assert_true(fclose(file) == 0);
}

/* The tensors of save_all, in its order, in a file of that version. */
static inline void save_all_gguf(uint64_t version)
{
    static const struct {
        const char *name;
        size_t rows, columns;
    } of[] = {{"attn_q", 24, 8},      {"attn_k", 12, 8},   {"attn_v", 12, 8},
              {"attn_output", 8, 24}, {"ffn_gate", 6, 8},  {"ffn_up", 6, 8},
              {"ffn_down", 8, 6},     {"attn_norm", 1, 8}, {"ffn_norm", 1, 8}};
    page *head = &gguf.head;
    size_t pairs_at, end;
    char name[64];

    memset(&gguf, 0, sizeof gguf);
    put(head, 0x46554747, 4);
    put(head, version, 4);
    put(head, 21, 8);
    pairs_at = head->bytes;
    put(head, 0, 8);
    end = put_metadata(head);
    head->data[pairs_at] = (unsigned char)end;
    for (size_t i = 0; i < 18; i++) {
        snprintf(name, sizeof name, "blk.%zu.%s.weight", i / 9, of[i % 9].name);
        put_tensor(name, of[i % 9].rows, of[i % 9].columns, i % 9 < 2);
    }
    put_tensor("token_embd.weight", 5, 8, false);
    put_tensor("output.weight", 5, 8, false);
    put_tensor("output_norm.weight", 1, 8, false);
    save_gguf();
}

#endif
