/* escape.h - text of others as text of a document: made plain (see schema/core/plain.h), and what
 * the document's language would obey is escaped. */
#ifndef ABDB_QUERY_ESCAPE_H
#define ABDB_QUERY_ESCAPE_H

#include <stdio.h>

#include "schema/core/plain.h"

/* In attributes too. */
void abdb_html_text(FILE *out, const char *text);
void abdb_markdown_text(FILE *out, const char *text);
/* For fields of BibTeX too: no brace but in pairs. */
void abdb_latex_text(FILE *out, const char *text);
/* The key of a BibTeX entry: what a key cannot hold becomes '_'. */
void abdb_bibtex_key(FILE *out, const char *text);
/* An address as it is, what none can hold as %7d: it ends no field and no link. */
void abdb_url_text(FILE *out, const char *text);
/* The path of a file as a relative address: '?', '#' and '%' are letters of its name. */
void abdb_url_path(FILE *out, const char *path);

/* A cell of CSV: every byte as it is, or these together. */
enum {
    ABDB_CSV_PLAIN = 1, /* for a terminal */
    ABDB_CSV_SPREADSHEET =
        2 /* text is quoted, and what a spreadsheet would compute begins with ' */
};
void abdb_csv_text(abdb_text *out, const char *text, int style);

#endif
