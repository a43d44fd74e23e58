/* sha.h - SHA-256 by the names of OpenSSL, for schema/store/digest.c; sha256.c computes it. */
#ifndef ABDB_WASM_SHA_H
#define ABDB_WASM_SHA_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t state[8];
    uint64_t size; /* in bytes, of what was added */
    unsigned char block[64];
} SHA256_CTX;
int SHA256_Init(SHA256_CTX *context);
int SHA256_Update(SHA256_CTX *context, const void *data, size_t size);
int SHA256_Final(unsigned char *digest, SHA256_CTX *context);

#endif
