/* digest.h - SHA-256 (OpenSSL's libcrypto) and the keys made from it. */
#ifndef ABDB_STORE_DIGEST_H
#define ABDB_STORE_DIGEST_H

#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/core/record.h"

enum { ABDB_SHA256_SIZE = 32, ABDB_SHA256_HEX = 65 };

/* SHA-256 of data as lower-case hexadecimal, NUL-terminated. */
void abdb_sha256_hex(const void *data, size_t size, char out[ABDB_SHA256_HEX]);
/* The same piece by piece: after each, done(self, bytes so far) is called, which may release them.
 */
void abdb_sha256_hex_with_progress(const void *data, size_t size,
                                   void (*on_progress)(const void *self, size_t upto),
                                   const void *self, char out[ABDB_SHA256_HEX]);
/* The key made from data: the same in every database. Two of n facts share the indexed part with
 * probability n^2 / 2^64 (5e-8 at a million), which is why the other part is compared; both, at a
 * billion, with 3e-21. */
abdb_key abdb_sha256_key_of_bytes(const void *data, size_t size);
/* The same in steps: the key of all text added so far, and more text may be added after it. */
typedef struct {
    SHA256_CTX context;
} abdb_digest;
void abdb_digest_begin(abdb_digest *digest);
void abdb_digest_add(abdb_digest *digest, const void *data, size_t size);
abdb_key abdb_digest_key_so_far(const abdb_digest *digest);

#endif
