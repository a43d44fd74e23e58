/* digest.c - digests; see digest.h. The plain functions of libcrypto: its others look algorithms
 * up, and in OpenSSL 3.0 crash where there is no memory for that. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "schema/store/digest.h"

/* Writes 64 hexadecimal digits and a zero byte. */
static void digest_to_hex(const unsigned char digest[ABDB_SHA256_SIZE], char out[ABDB_SHA256_HEX])
{
    static const char hex[] = "0123456789abcdef";

    for (int i = 0; i < ABDB_SHA256_SIZE; i++) {
        out[2 * i] = hex[digest[i] >> 4];
        out[2 * i + 1] = hex[digest[i] & 15];
    }
    out[ABDB_SHA256_HEX - 1] = '\0';
}

static void sha256_of_bytes(const void *data, size_t size, unsigned char out[ABDB_SHA256_SIZE])
{
    SHA256_CTX context;

    SHA256_Init(&context);
    SHA256_Update(&context, data, size);
    SHA256_Final(out, &context);
}

void abdb_sha256_hex(const void *data, size_t size, char out[ABDB_SHA256_HEX])
{
    unsigned char digest[ABDB_SHA256_SIZE];

    sha256_of_bytes(data, size, digest);
    digest_to_hex(digest, out);
}

void abdb_sha256_hex_with_progress(const void *data, size_t size,
                                   void (*on_progress)(const void *self, size_t upto),
                                   const void *self, char out[ABDB_SHA256_HEX])
{
    enum { PIECE = 1 << 22 };
    unsigned char digest[ABDB_SHA256_SIZE];
    SHA256_CTX context;

    SHA256_Init(&context);
    for (size_t at = 0; at < size; at += PIECE) {
        size_t piece = size - at < PIECE ? size - at : PIECE;

        SHA256_Update(&context, (const char *)data + at, piece);
        on_progress(self, at + piece);
    }
    SHA256_Final(digest, &context);
    digest_to_hex(digest, out);
}

static uint64_t read_big_endian_u64(const unsigned char *at)
{
    uint64_t value = 0;

    for (int i = 0; i < 8; i++) value = value << 8 | at[i];
    return value;
}

static abdb_key key_from_digest(const unsigned char digest[ABDB_SHA256_SIZE])
{
    /* 63 bits are an INTEGER of SQLite that is never negative; the next 64 are kept whole. */
    return (abdb_key){(long long)(read_big_endian_u64(digest) & INT64_MAX),
                      (long long)read_big_endian_u64(digest + 8)};
}

abdb_key abdb_sha256_key_of_bytes(const void *data, size_t size)
{
    unsigned char digest[ABDB_SHA256_SIZE];

    sha256_of_bytes(data, size, digest);
    return key_from_digest(digest);
}

void abdb_digest_begin(abdb_digest *digest)
{
    SHA256_Init(&digest->context);
}

void abdb_digest_add(abdb_digest *digest, const void *data, size_t size)
{
    SHA256_Update(&digest->context, data, size);
}

abdb_key abdb_digest_key_so_far(const abdb_digest *digest)
{
    unsigned char out[ABDB_SHA256_SIZE];
    SHA256_CTX copy = digest->context;

    SHA256_Final(out, &copy);
    return key_from_digest(out);
}
