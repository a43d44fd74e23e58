/* llama_table.c - rows of llama-bench's markdown tables; see llama_table.h. */
#include "ingest/programs/llama_table.h"

#include <string.h>

bool llama_table_is_heading(const char *text, size_t size)
{
    bool model = false, test = false, rate = false;

    if (!size || *text != '|') return false;
    for (const char *cell = text + 1, *end = text + size, *bar; cell < end; cell = bar + 1) {
        const char *stop;

        bar = memchr(cell, '|', (size_t)(end - cell));
        if (!bar) bar = end;
        for (stop = bar; stop > cell && strchr(" \t\r", stop[-1]); stop--) {
        }
        while (cell < stop && strchr(" \t", *cell)) cell++;
        model |= stop - cell == 5 && strncmp(cell, "model", 5) == 0;
        test |= stop - cell == 4 && strncmp(cell, "test", 4) == 0;
        rate |= memmem(cell, (size_t)(stop - cell), "t/s", 3) != NULL;
    }
    return model && test && rate;
}

char *llama_table_trim_emphasis_in_place(char *text)
{
    size_t size = strlen(text);

    while (size > 2 && strchr("*`", *text) && text[size - 1] == *text) {
        text[size - 1] = '\0';
        text++;
        size -= 2;
    }
    return abdb_trim_in_place(text);
}

size_t llama_table_split_row_at_bars(char *line, char *word[LLAMA_COLUMNS_MAX])
{
    size_t n = 0;
    char *rest = line + 1, *cell;

    while (n < LLAMA_COLUMNS_MAX && (cell = strsep(&rest, "|"))) {
        cell = llama_table_trim_emphasis_in_place(abdb_trim_in_place(cell));
        if (!rest && !*cell) break;
        word[n++] = cell;
    }
    return n;
}

const char *llama_table_only_cell_of_row_or_null(abdb_arena *a, const char *row)
{
    char *word[LLAMA_COLUMNS_MAX], *copy = abdb_arena_copy(a, row, strlen(row));
    size_t n = copy ? llama_table_split_row_at_bars(copy, word) : 0;

    for (size_t i = 1; i < n; i++)
        if (*word[i]) return NULL;
    return n > 1 && *word[0] ? word[0] : NULL;
}
