/* format_help.h - the manual's page of every format, for the program's help and the generated
 * documentation. The text itself stands in registry.def, beside the importer it describes. */
#ifndef ABDB_INGEST_FORMATS_H
#define ABDB_INGEST_FORMATS_H

/* row: the unit of an input row (a line, a file, a folder), which imports count. wants: values that
 * the user must give with `--set`. */
typedef struct {
    const char *name, *row, *reads, *ignores, *wants; /* wants: of --set */
} abdb_format_page;

extern const abdb_format_page abdb_format_pages[]; /* end: name NULL */

#endif
