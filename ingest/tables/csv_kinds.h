/* csv_kinds.h - the kinds of abdb's own CSV files, beside results. */
#ifndef ABDB_INGEST_CSV_KINDS_H
#define ABDB_INGEST_CSV_KINDS_H

/* One kind of file: the table of schema/ddl that its rows go into, and its columns. The first kind
 * whose signature the header holds is it. */
typedef struct {
    const char *kind, *table;
    const char *signature; /* columns by which a header is known, '|' between them */
    const char *required;  /* columns that a row must fill, or --set for all rows */
    const char *optional;
    const char *numbers; /* the columns that are numbers */
} abdb_csv_kind;

extern const abdb_csv_kind abdb_csv_kinds[]; /* end: kind NULL */

#endif
