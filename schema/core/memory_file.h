/* memory_file.h - bytes as a file without a name, for a program that reads one. */
#ifndef ABDB_CORE_MEMORY_FILE_H
#define ABDB_CORE_MEMORY_FILE_H

#include <stddef.h>

#include "schema/core/error.h"

/* A file in memory that holds the bytes, read from its start; the caller closes it. -1: it could
 * not be made (ABDB_IO). */
ABDB_MUST_USE int abdb_memory_file_open(const void *data, size_t size, abdb_error *err);

#endif
