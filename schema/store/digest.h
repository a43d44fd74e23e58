/* digest.h - SHA-256 (OpenSSL's libcrypto) and the 63-bit keys made from it. */
#ifndef ABDB_STORE_DIGEST_H
#define ABDB_STORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { ABDB_SHA256_SIZE = 32, ABDB_SHA256_HEX = 65 };

/* SHA-256 of data as lower-case hexadecimal, NUL-terminated. */
void abdb_sha256_hex(const void *data, size_t size, char out[ABDB_SHA256_HEX]);
/* The same piece by piece: after each, done(self, bytes so far) is called, which may release them.
 */
void abdb_sha256_pieces(const void *data, size_t size, void (*done)(const void *self, size_t upto),
                        const void *self, char out[ABDB_SHA256_HEX]);
/* The first 63 bits of the SHA-256 of data: a key that is the same in every database. Two of n
 * facts share one with probability n^2 / 2^64 (5e-8 at a million). */
int64_t abdb_digest63(const void *data, size_t size);
/* The same with a context that many digests share: made on first use, NULL to begin with. */
typedef struct evp_md_ctx_st abdb_digester;
int64_t abdb_digest63_by(abdb_digester **digester, const void *data, size_t size);
void abdb_digester_free(abdb_digester *digester);

#endif
