/* llama_table.h - rows of the markdown tables of llama-bench, as it prints them and as people edit
 * them: with a column before, some dropped, bold rates, or other lines put into the first cell. */
#ifndef ABDB_INGEST_LLAMA_TABLE_H
#define ABDB_INGEST_LLAMA_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/text.h"

enum { LLAMA_COLUMNS_MAX = 32 };

/* Is the text a heading "| model | size | ... | test | t/s |"? A rate may also be one of several
 * ("llama.cpp t/s"). */
bool llama_table_is_heading(const char *text, size_t size);
/* "**157.3 ± 0.2**", "`model`" without the marks around it. The text is changed. */
char *llama_table_trim_emphasis_in_place(char *text);
/* "| a | b |" as words; returns how many. The last bar may be missing. line is changed. */
size_t llama_table_split_row_at_bars(char *line, char *word[LLAMA_COLUMNS_MAX]);
/* The text of a row with text only in its first cell ("build: ..."); NULL: it has several. */
const char *llama_table_only_cell_of_row_or_null(abdb_arena *arena, const char *row);

#endif
