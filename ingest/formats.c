/* formats.c - the pages of the formats; see registry.def. */
#include "ingest/formats.h"

#include <stddef.h>

const abdb_format_page abdb_format_pages[] = {
#define FORMAT(importer, name, row, reads, ignores, wants) {name, row, reads, ignores, wants},
#define ROUND(name, row, reads, ignores, wants)            {name, row, reads, ignores, wants},
#include "ingest/registry.def"
#undef ROUND
#undef FORMAT
    {NULL, NULL, NULL, NULL, NULL}};
