/* sha256.c - SHA-256 (FIPS 180-4), where there is no libcrypto. */
#include <openssl/sha.h>
#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t value, int bits)
{
    return value >> bits | value << (32 - bits);
}

/* Mixes one block of 64 bytes into the state. */
static void mix_block_into_state(uint32_t state[8], const unsigned char block[64])
{
    uint32_t word[64], v[8];

    for (int i = 0; i < 16; i++)
        word[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                  (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = word[i - 15], b = word[i - 2];

        word[i] = word[i - 16] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) + word[i - 7] +
                  (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t e = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
        uint32_t a = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
        uint32_t first = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_constant[i] + word[i];
        uint32_t second = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

int SHA256_Init(SHA256_CTX *context)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(context->state, start, sizeof start);
    context->size = 0;
    return 1;
}

int SHA256_Update(SHA256_CTX *context, const void *data, size_t size)
{
    const unsigned char *bytes = data;

    while (size) {
        size_t used = context->size % 64, piece = size < 64 - used ? size : 64 - used;

        memcpy(context->block + used, bytes, piece);
        context->size += piece;
        bytes += piece;
        size -= piece;
        if (used + piece == 64) mix_block_into_state(context->state, context->block);
    }
    return 1;
}

int SHA256_Final(unsigned char *digest, SHA256_CTX *context)
{
    static const unsigned char padding[64] = {0x80};
    uint64_t bits = context->size * 8;
    unsigned char length[8];

    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    SHA256_Update(context, padding, 64 - (context->size + 8) % 64);
    SHA256_Update(context, length, sizeof length);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(context->state[i / 4] >> (24 - 8 * (i % 4)));
    return 1;
}
