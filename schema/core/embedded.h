/* embedded.h - text files that the Makefile puts into the program: reports, figures, plans,
 * maps, tables, views, data and help. Each kind is one array of these, generated into the build
 * folder. */
#ifndef ABDB_CORE_EMBEDDED_H
#define ABDB_CORE_EMBEDDED_H

typedef struct {
    const char *name, *text; /* name: of the file, without its folder; end of a list: NULL */
} abdb_embedded;

#endif
