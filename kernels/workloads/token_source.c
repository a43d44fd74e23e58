/* token_source.c - tokens to learn, made or of a file; see token_source.h. */
#include "kernels/workloads/token_source.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MAGIC = 20240520, HEAD_BYTES = 1024, FOLLOWERS = 4 };

/* Reads tokens of 16 bits, little end first, behind the header of llm.c where there is one.
 * ABDB_FORMAT: an odd size, fewer than two, or a token outside the vocabulary. */
static abdb_status read_16bit_token_file_and_validate(abdb_tokens *t, FILE *file, const char *path,
                                                      abdb_error *err)
{
    unsigned char head[4];
    long size = -1, from;
    abdb_status st = ABDB_OK;

    if (fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0)
        TRY(ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno)));
    rewind(file);
    from = fread(head, 1, sizeof head, file) == sizeof head &&
                   (head[0] | head[1] << 8 | head[2] << 16 | (uint32_t)head[3] << 24) == HEAD_MAGIC
               ? HEAD_BYTES
               : 0;
    if (size < from || (size - from) % 2)
        TRY(ABDB_FAIL(err, ABDB_FORMAT, "%s: %ld bytes are no tokens of 16 bits", path, size));
    t->count = (size_t)(size - from) / 2;
    if (t->count < 2)
        TRY(ABDB_FAIL(err, ABDB_FORMAT,
                      "%s: %zu tokens: one to start from and one that follows it are the least",
                      path, t->count));
    t->file = malloc(t->count * sizeof *t->file + 1);
    if (!t->file) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s: %zu tokens", path, t->count));
    if (fseek(file, from, SEEK_SET) != 0 ||
        fread(t->file, sizeof *t->file, t->count, file) != t->count)
        TRY(ABDB_FAIL(err, ABDB_IO, "%s: cannot be read to its end", path));
    for (size_t i = 0; i < t->count; i++) {
        const unsigned char *at = (const unsigned char *)&t->file[i];
        size_t token = (size_t)(at[0] | at[1] << 8);

        if (token >= t->vocabulary)
            TRY(ABDB_FAIL(err, ABDB_FORMAT,
                          "%s: token %zu at place %zu, but the model has %zu: choose one with as "
                          "large a vocabulary",
                          path, token, i, t->vocabulary));
        t->file[i] = (uint16_t)token;
    }
done:
    return st;
}

abdb_status abdb_tokens_read_file_or_use_markov_chain(abdb_tokens *t, const char *path,
                                                      size_t vocabulary, uint64_t seed,
                                                      abdb_error *err)
{
    FILE *file;
    abdb_status st = ABDB_OK;

    *t = (abdb_tokens){.vocabulary = vocabulary, .seed = seed};
    if (!path) return ABDB_OK;
    file = fopen(path, "rb");
    if (!file) return ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno));
    st = read_16bit_token_file_and_validate(t, file, path, err);
    fclose(file);
    if (st != ABDB_OK) abdb_tokens_free(t);
    return st;
}

void abdb_tokens_free(abdb_tokens *t)
{
    free(t->file);
    t->file = NULL;
}

/* What follows a token: which of its four, by three random bits. */
static size_t next_token_of_markov_chain(const abdb_tokens *t, size_t token, uint64_t bits)
{
    static const unsigned char which[] = {0, 0, 0, 0, 1, 1, 2, 3};
    /* Distinct for a vocabulary of 4 or more. */
    uint64_t first = abdb_random_bits_at(t->seed, token) % t->vocabulary,
             apart = t->vocabulary / FOLLOWERS ? t->vocabulary / FOLLOWERS : 1;

    return (size_t)(first + which[bits % 8] * apart) % t->vocabulary;
}

void abdb_tokens_draw_sequence_and_targets(abdb_tokens *t, size_t length, int32_t *token,
                                           int32_t *target)
{
    uint64_t state = abdb_random_bits_at(t->seed + 1, t->drawn++);
    size_t at = (size_t)(abdb_xorshift64_next(&state) >> 8);

    if (t->file) {
        at = t->count > length ? at % (t->count - length) : 0;
        for (size_t i = 0; i < length; i++) {
            token[i] = t->file[(at + i) % t->count];
            target[i] = t->file[(at + i + 1) % t->count];
        }
        return;
    }
    at %= t->vocabulary;
    for (size_t i = 0; i < length; i++) {
        token[i] = (int32_t)at;
        at = next_token_of_markov_chain(t, at, abdb_xorshift64_next(&state) >> 32);
        target[i] = (int32_t)at;
    }
}

double abdb_tokens_chain_entropy_nats_or_nan(const abdb_tokens *t)
{
    return t->file ? NAN : 1.75 * log(2);
}
