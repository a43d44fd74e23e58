/* selection_spelling.h - converts selections typed by users to the columns and spellings of the
 * database.
 *
 * A word alone gets the column that contains it: `B200-SXM` is a device, `llama2-70b-99` a model,
 * `latest` a run, `before` perhaps a tag. A value that the database has, but for case,
 * punctuation or the v of a round, gets its spelling: `server` is Server, `6.0` is v6.0.
 */
#ifndef ABDB_COMPARE_SPELLING_H
#define ABDB_COMPARE_SPELLING_H

#include "query/compare/selection.h"
#include "schema/store/db.h"

/* Adds the conditions of text to `out`, spelled. ABDB_USAGE: not of the grammar; a word that stands
 * nowhere (the nearest is named), or in several columns (they are listed). */
ABDB_MUST_USE abdb_status abdb_selection_parse_and_respell_words(abdb_selection *out, sqlite3 *db,
                                                                 const char *text, abdb_error *err);
/* Is it a column of few values, which are respelled? */
bool abdb_column_is_respelled(const char *column);

#endif
