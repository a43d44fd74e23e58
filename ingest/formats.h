/* formats.h - the pages of the formats; see registry.def. */
#ifndef ABDB_INGEST_FORMATS_H
#define ABDB_INGEST_FORMATS_H

typedef struct {
    const char *name, *row, *reads, *ignores, *wants; /* wants: of --set */
} abdb_format_page;

extern const abdb_format_page abdb_format_pages[]; /* end: name NULL */

#endif
