/* png_chunk.h - chunks that are added to the PNGs of gnuplot (PNG specification, 5.3). */
#ifndef ABDB_PLOTS_PNG_CHUNK_H
#define ABDB_PLOTS_PNG_CHUNK_H

#include "schema/core/text.h"

/* Adds a chunk: the length of its data, its type, the data, and the checksum of type and data. */
void abdb_png_append_chunk(abdb_text *out, const char type[4], const char *data, size_t size);
/* Adds the PNG to out, its resolution (chunk pHYs) behind its header, so that programs place it
 * in the size that it was drawn for. Data that begins with no header of a PNG is added as it is. */
void abdb_png_append_with_resolution(abdb_text *out, const char *data, size_t size,
                                     double dots_per_inch);

#endif
