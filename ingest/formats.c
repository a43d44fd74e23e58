/* formats.c - the pages of the formats; see formats.def. */
#include "ingest/formats.h"

#include <stddef.h>

const abdb_format abdb_formats[] = {
#define FORMAT(name, row, reads, ignores, wants) {name, row, reads, ignores, wants},
#include "ingest/formats.def"
#undef FORMAT
    {NULL, NULL, NULL, NULL, NULL}};
