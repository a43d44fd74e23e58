/* token_source.h - the source of tokens to learn: a made source of known entropy, or a file.
 *
 * The made source is a Markov chain: each token has four that may follow it, with probabilities
 * 1/2, 1/4, 1/8, 1/8, whatever the token; so its entropy is 7/4 ln 2 = 1.213 nat a token, and no
 * model can lose less in the mean, but one that sees only how often each token comes loses about
 * ln(vocabulary). The file has the form of llm.c and nanoGPT: tokens of 16 bits, little end first,
 * perhaps behind a head of 256 words of 32 bits that begins with 20240520.
 */
#ifndef ABDB_WORKLOADS_TOKENS_H
#define ABDB_WORKLOADS_TOKENS_H

#include "kernels/kernel.h"

typedef struct {
    size_t vocabulary;
    uint64_t seed, drawn; /* of the chain; sequences drawn so far */
    uint16_t *file;       /* NULL: the chain */
    size_t count;
} abdb_tokens;
/* `path` NULL: the chain. ABDB_IO, ABDB_FORMAT: too short, or tokens beyond the vocabulary. */
ABDB_MUST_USE abdb_status abdb_tokens_read_file_or_use_markov_chain(abdb_tokens *tokens,
                                                                    const char *path,
                                                                    size_t vocabulary,
                                                                    uint64_t seed, abdb_error *err);
void abdb_tokens_free(abdb_tokens *tokens);
/* The next sequence: `length` tokens, and the next token after each. */
void abdb_tokens_draw_sequence_and_targets(abdb_tokens *tokens, size_t length, int32_t *token,
                                           int32_t *target);
/* Nats a token; NAN of a file. */
double abdb_tokens_chain_entropy_nats_or_nan(const abdb_tokens *tokens);

#endif
