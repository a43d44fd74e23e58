/* fact_index.c - the facts behind the numbers of a site, found by key; see site.h. */
#include <ctype.h>
#include <stdlib.h>

#include "query/answer/escape.h"
#include "query/answer/explain.h"
#include "query/answer/output.h"
#include "query/answer/site/site.h"
#include "schema/core/array.h"
#include "schema/store/digest.h"

const char *abdb_fact_cell_text_or_empty(const abdb_fact_index *facts, size_t row,
                                         const char *column)
{
    return abdb_table_cell_text_or_empty(&facts->table, row, column);
}

static int compare_fact_keys(const void *a, const void *b, void *facts)
{
    /* Copied, because the text of a cell may be the thread's one buffer. */
    char first[64];

    snprintf(first, sizeof first, "%s",
             abdb_fact_cell_text_or_empty(facts, *(const size_t *)a, "key"));
    return strcmp(first, abdb_fact_cell_text_or_empty(facts, *(const size_t *)b, "key"));
}

/* Orders facts by their source, then by their row. */
static int compare_facts_source_then_row(const void *a, const void *b, void *facts)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    /* A text is the table's own, and stays. */
    int sign = strcmp(abdb_fact_cell_text_or_empty(facts, x, "source"),
                      abdb_fact_cell_text_or_empty(facts, y, "source"));

    return sign ? sign : (x > y) - (x < y);
}

abdb_status abdb_fact_index_load_and_sort(abdb_fact_index *out, abdb_db *db, const char *keys,
                                          abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *out = (abdb_fact_index){0};
    TRY(abdb_facts_load_by_keys_names_or_claims(db, keys, &out->table, err));
    out->order = calloc(out->table.rows + 1, sizeof *out->order);
    out->by_source = calloc(out->table.rows + 1, sizeof *out->by_source);
    if (!out->order || !out->by_source) TRY(ABDB_FAIL(err, ABDB_NOMEM, "the facts of the site"));
    for (size_t i = 0; i < out->table.rows; i++) out->order[i] = out->by_source[i] = i;
    abdb_array_sort_with(out->by_source, out->table.rows, sizeof *out->by_source,
                         compare_facts_source_then_row, out);
    abdb_array_sort_with(out->order, out->table.rows, sizeof *out->order, compare_fact_keys, out);
done:
    return st;
}

void abdb_fact_index_free(abdb_fact_index *facts)
{
    free(facts->order);
    free(facts->by_source);
    abdb_table_free(&facts->table);
    *facts = (abdb_fact_index){0};
}

size_t abdb_fact_index_find_row_by_key(const abdb_fact_index *facts, const char *key, size_t size)
{
    size_t low = 0, high = facts->table.rows;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *other = abdb_fact_cell_text_or_empty(facts, facts->order[middle], "key");
        int sign = strncmp(other, key, size);

        if (sign == 0) sign = other[size] != '\0';
        if (sign == 0) return facts->order[middle];
        if (sign < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

/* Letters, digits, '.' and '-' stand for themselves, any other byte is _XX: no two sources get one
 * name. Of a long one the first bytes and its digest. */
void abdb_source_to_unique_file_name_part(const char *source, char out[ABDB_PAGE_FILE])
{
    enum { READABLE = 96 };
    size_t size = 0;
    const char *s = source;

    for (; *s && size < READABLE; s++)
        if (isalnum((unsigned char)*s) || *s == '.' || *s == '-')
            out[size++] = *s;
        else
            size += (size_t)snprintf(out + size, 4, "_%02x", (unsigned char)*s);
    out[size] = '\0';
    if (*s) {
        abdb_key key = abdb_sha256_key_of_bytes(source, strlen(source));

        snprintf(out + size, ABDB_PAGE_FILE - size, "_%016llx%016llx", (unsigned long long)key.high,
                 (unsigned long long)key.low);
    }
}

void abdb_write_url_of_fact_on_source_page(const abdb_fact_index *facts, size_t row, FILE *out)
{
    char file[ABDB_PAGE_FILE];

    abdb_source_to_unique_file_name_part(abdb_fact_cell_text_or_empty(facts, row, "source"), file);
    abdb_print_sanitized(out, "source-%s.html#", file);
    abdb_write_html_escaped(out, abdb_fact_cell_text_or_empty(facts, row, "key"));
}
