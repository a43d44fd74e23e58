/* redact_allowlist.h - may a text be exported? By the list of redact.def, and by its form. */
#ifndef ABDB_QUERY_REDACT_TEXT_H
#define ABDB_QUERY_REDACT_TEXT_H

#include <stdbool.h>

/* Is the column on the list? */
bool abdb_column_is_on_export_allowlist(const char *column);
/* Is it, and has the text the form that the list requires? */
bool abdb_text_may_be_exported_unredacted(const char *column, const char *text);

#endif
