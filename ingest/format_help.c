/* format_help.c - the table behind `abdb import --help FORMAT`: one row for each line of
 * registry.def, of which it takes the words and leaves the importer. */
#include "ingest/format_help.h"

#include <stddef.h>

const abdb_format_page abdb_format_pages[] = {
#define FORMAT(importer, name, row, reads, ignores, wants) {name, row, reads, ignores, wants},
#define ROUND(name, row, reads, ignores, wants)            {name, row, reads, ignores, wants},
#include "ingest/registry.def"
#undef ROUND
#undef FORMAT
    {NULL, NULL, NULL, NULL, NULL}};
