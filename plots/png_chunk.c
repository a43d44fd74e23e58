/* png_chunk.c - chunks of PNGs; see png_chunk.h. */
#include "plots/png_chunk.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

enum { SIGNATURE = 8, HEADER_CHUNK = 12 + 13 };

static void append_be32(abdb_text *out, size_t number)
{
    const char bytes[4] = {(char)(number >> 24), (char)(number >> 16), (char)(number >> 8),
                           (char)number};

    abdb_text_add(out, bytes, sizeof bytes);
}

void abdb_png_append_chunk(abdb_text *out, const char type[4], const char *data, size_t size)
{
    uLong sum = crc32(0, (const unsigned char *)type, 4);

    append_be32(out, size);
    abdb_text_add(out, type, 4);
    abdb_text_add(out, data, size);
    append_be32(out, crc32(sum, (const unsigned char *)data, (uInt)size));
}

void abdb_png_append_with_resolution(abdb_text *out, const char *data, size_t size,
                                     double dots_per_inch)
{
    static const char metre[] = {1};
    size_t per_metre = (size_t)lround(dots_per_inch / 0.0254);
    abdb_text body = {0};

    if (size < SIGNATURE + HEADER_CHUNK || memcmp(data + SIGNATURE + 4, "IHDR", 4) != 0) {
        abdb_text_add(out, data, size);
        return;
    }
    append_be32(&body, per_metre); /* across and down */
    append_be32(&body, per_metre);
    abdb_text_add(&body, metre, sizeof metre);
    abdb_text_add(out, data, SIGNATURE + HEADER_CHUNK);
    abdb_png_append_chunk(out, "pHYs", body.data, body.size);
    abdb_text_add(out, data + SIGNATURE + HEADER_CHUNK, size - SIGNATURE - HEADER_CHUNK);
    out->failed |= body.failed;
    abdb_text_free(&body);
}
