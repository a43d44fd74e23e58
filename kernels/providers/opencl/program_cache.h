/* program_cache.h - built programs, kept between processes. */
#ifndef ABDB_PROVIDERS_OPENCL_CACHE_H
#define ABDB_PROVIDERS_OPENCL_CACHE_H

#include <stddef.h>

#include "schema/core/text.h"

/* The bytes kept under a key, *size of them, which the caller frees; NULL: none, or the entry is
 * damaged or has another key. */
unsigned char *abdb_cl_cache_read_if_intact(const char *key, size_t *size);
/* Keeps bytes under a key; where that is not possible nothing is kept. */
void abdb_cl_cache_write_ignoring_errors(const char *key, const void *data, size_t size);

#endif
