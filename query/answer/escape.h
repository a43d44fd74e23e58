/* escape.h - text of others as text of a document: made plain (see schema/core/sanitize_text.h),
 * with special characters of the document's language escaped. */
#ifndef ABDB_QUERY_ESCAPE_H
#define ABDB_QUERY_ESCAPE_H

#include <stdio.h>

#include "schema/core/sanitize_text.h"

/* In attributes too. */
void abdb_write_html_escaped(FILE *out, const char *text);
void abdb_write_markdown_escaped(FILE *out, const char *text);
/* For fields of BibTeX too: no brace but in pairs. */
void abdb_write_latex_escaped(FILE *out, const char *text);
/* The key of a BibTeX entry: characters not allowed in a key become '_'. */
void abdb_write_bibtex_key(FILE *out, const char *text);
/* An address, with invalid characters as %7d, so that none ends a field or link. */
void abdb_write_url_escaping_invalid_chars(FILE *out, const char *text);
/* The path of a file as a relative address: '?', '#' and '%' are letters of its name. */
void abdb_write_path_as_relative_url(FILE *out, const char *path);

/* A word that a shell reads back unchanged; alone, and behind a blank. */
void abdb_append_shell_quoted(abdb_text *out, const char *word);
void abdb_append_blank_and_shell_quoted_word(abdb_text *out, const char *word);

/* A cell of CSV: every byte as it is, or these together. */
enum {
    ABDB_CSV_PLAIN = 1, /* for a terminal */
    ABDB_CSV_SPREADSHEET =
        2 /* text is quoted, and what a spreadsheet would compute begins with ' */
};
void abdb_append_csv_field_quoted_if_needed(abdb_text *out, const char *text, int style_flags);

#endif
