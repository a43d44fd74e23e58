/* digest.c - digests; see digest.h. */
#include "schema/store/digest.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

static void print_hex(const unsigned char digest[ABDB_SHA256_SIZE], char out[ABDB_SHA256_HEX])
{
    static const char hex[] = "0123456789abcdef";

    for (int i = 0; i < ABDB_SHA256_SIZE; i++) {
        out[2 * i] = hex[digest[i] >> 4];
        out[2 * i + 1] = hex[digest[i] & 15];
    }
    out[ABDB_SHA256_HEX - 1] = '\0';
}

void abdb_sha256_hex(const void *data, size_t size, char out[ABDB_SHA256_HEX])
{
    unsigned char digest[ABDB_SHA256_SIZE];

    SHA256(data, size, digest);
    print_hex(digest, out);
}

void abdb_sha256_pieces(const void *data, size_t size, void (*done)(const void *self, size_t upto),
                        const void *self, char out[ABDB_SHA256_HEX])
{
    enum { PIECE = 1 << 22 };
    unsigned char digest[ABDB_SHA256_SIZE] = {0};
    EVP_MD_CTX *context = EVP_MD_CTX_new();

    if (!context || !EVP_DigestInit_ex(context, EVP_sha256(), NULL)) {
        EVP_MD_CTX_free(context);
        abdb_sha256_hex(data, size, out);
        return;
    }
    for (size_t at = 0; at < size; at += PIECE) {
        size_t piece = size - at < PIECE ? size - at : PIECE;

        EVP_DigestUpdate(context, (const char *)data + at, piece);
        done(self, at + piece);
    }
    EVP_DigestFinal_ex(context, digest, NULL);
    EVP_MD_CTX_free(context);
    print_hex(digest, out);
}

static uint64_t eight_bytes(const unsigned char *at)
{
    uint64_t value = 0;

    for (int i = 0; i < 8; i++) value = value << 8 | at[i];
    return value;
}

static abdb_key key_of(const unsigned char *digest)
{
    return (abdb_key){(long long)(eight_bytes(digest) & INT64_MAX),
                      (long long)eight_bytes(digest + 8)};
}

abdb_key abdb_digest_key(const void *data, size_t size)
{
    unsigned char digest[ABDB_SHA256_SIZE];

    SHA256(data, size, digest);
    return key_of(digest);
}

abdb_key abdb_digest_key_by(abdb_digester **digester, const void *data, size_t size)
{
    unsigned char digest[ABDB_SHA256_SIZE];

    if (!*digester) {
        *digester = EVP_MD_CTX_new();
        if (*digester && !EVP_DigestInit_ex(*digester, EVP_sha256(), NULL)) {
            EVP_MD_CTX_free(*digester);
            *digester = NULL;
        }
    }
    /* NULL: the algorithm of before, which is not looked up again */
    if (!*digester || !EVP_DigestInit_ex(*digester, NULL, NULL) ||
        !EVP_DigestUpdate(*digester, data, size) || !EVP_DigestFinal_ex(*digester, digest, NULL))
        return abdb_digest_key(data, size);
    return key_of(digest);
}

void abdb_digester_free(abdb_digester *digester)
{
    EVP_MD_CTX_free(digester);
}
