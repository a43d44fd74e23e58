/* digest.c - digests; see digest.h. */
#include "schema/store/digest.h"

#include <openssl/sha.h>

void abdb_sha256_hex(const void *data, size_t size, char out[ABDB_SHA256_HEX])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char digest[ABDB_SHA256_SIZE];

    SHA256(data, size, digest);
    for (int i = 0; i < ABDB_SHA256_SIZE; i++) {
        out[2 * i] = hex[digest[i] >> 4];
        out[2 * i + 1] = hex[digest[i] & 15];
    }
    out[ABDB_SHA256_HEX - 1] = '\0';
}

int64_t abdb_digest63(const void *data, size_t size)
{
    unsigned char digest[ABDB_SHA256_SIZE];
    uint64_t key = 0;

    SHA256(data, size, digest);
    for (int i = 0; i < 8; i++) key = key << 8 | digest[i];
    return (int64_t)(key & INT64_MAX);
}
