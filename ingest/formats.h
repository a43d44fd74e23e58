/* formats.h - the pages of the formats; see registry.def. */
#ifndef ABDB_INGEST_FORMATS_H
#define ABDB_INGEST_FORMATS_H

typedef struct {
    const char *name, *row, *reads, *ignores, *wants; /* wants: of --set */
} abdb_format;

extern const abdb_format abdb_formats[]; /* end: name NULL */

#endif
