/* map_page.h - the help page on map files. */
#ifndef ABDB_HELP_MAP_PAGE_H
#define ABDB_HELP_MAP_PAGE_H

#include "schema/core/text.h"

/* Appends the page, then the names of all fields in lines of at most 96 columns; returns the text
 * of out. */
const char *abdb_append_map_page_with_fields(abdb_text *out);

#endif
