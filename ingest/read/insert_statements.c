/* insert_statements.c - INSERT INTO t (a, b) VALUES ('x', 'y'); as records, a statement a line; see
 * insert_statements.h. */
#include "ingest/read/insert_statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_build.h"

typedef struct {
    abdb_flat_handler handler;
    void *self;
    const abdb_sink *sink; /* for statements that are no record */
} statement_reader;

/* The next word of a list in brackets: bare, or in quotes, which two within stand for. *text moves
 * behind it and its comma; NULL: the list is over. */
static const char *parse_next_sql_value(abdb_arena *arena, const char **text, const char *end)
{
    abdb_text word = {0};
    const char *s = *text, *kept;
    char quote;

    while (s < end && strchr(" \t\r\n,", *s) && *s) s++;
    if (s == end || *s == ')' || !*s) {
        *text = s;
        return NULL;
    }
    quote = strchr("'\"`", *s) ? *s : '\0';
    s += quote != '\0';
    for (; s < end && *s; s++) {
        if (quote && *s == quote && s + 1 < end && s[1] == quote)
            s++;
        else if (quote ? *s == quote : strchr(",) \t\r\n", *s) != NULL)
            break;
        abdb_text_add(&word, s, 1);
    }
    *text = s + (s < end && quote);
    kept = abdb_arena_copy(arena, abdb_text_get(&word), word.size);
    abdb_text_free(&word);
    return kept;
}

/* The names of "CREATE TABLE t (a TEXT, b INTEGER)": the first word of each column. */
static void append_column_names_of_create_table(abdb_arena *arena, const char *text,
                                                const char *end, abdb_flat_record *record)
{
    const char *s = memchr(text, '(', (size_t)(end - text));
    int depth = 1;

    if (!s) return;
    for (s++; s < end && depth && record->items < FLAT_ITEMS_MAX;) {
        const char *name = parse_next_sql_value(arena, &s, end);

        if (!name) return;
        abdb_flat_append_item_or_count_lost(record, name, NULL);
        for (; s < end && depth && !(*s == ',' && depth == 1); s++)
            depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
    }
}

/* created: the statement that made the table, for statements that name no columns, as sqlite3's
 * .dump writes them; NULL: none. */
static abdb_status deliver_or_reject_insert_statement(const statement_reader *r, const char *text,
                                                      const char *end, const char *created,
                                                      long line, abdb_error *err)
{
    abdb_flat_record *record = abdb_flat_record_allocate();
    abdb_arena arena = {0};
    const char *values = memmem(text, (size_t)(end - text), "VALUES", 6), *word;
    const char *names = values ? memchr(text, '(', (size_t)(values - text)) : NULL;
    char locator[32];
    size_t count = 0;
    abdb_status st = ABDB_OK;

    if (!record) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a record"));
    values = values ? memchr(values, '(', (size_t)(end - values)) : NULL;
    snprintf(locator, sizeof locator, "line %ld", line);
    record->line = line;
    record->locator = locator;
    record->raw = abdb_arena_copy(&arena, text, (size_t)(end - text));
    if (!record->raw) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a row"));
    while (names && record->items < FLAT_ITEMS_MAX) {
        names += *names == '(';
        if (!(word = parse_next_sql_value(&arena, &names, values))) break;
        abdb_flat_append_item_or_count_lost(record, word, NULL);
    }
    if (!names && created) append_column_names_of_create_table(&arena, created, text, record);
    if (values) values++;
    for (; values && (word = parse_next_sql_value(&arena, &values, end)); count++)
        if (count < record->items) record->item[count].text = word;
    if (!record->items || count != record->items) {
        abdb_reject reject = {.line = line,
                              .field = "row",
                              .reason = "not as many values as columns, or columns without names",
                              .raw = record->raw};

        TRY(r->sink->reject(r->sink->self, &reject, err));
        TRY(r->sink->row_end(r->sink->self, err));
        goto done;
    }
    TRY(r->handler(r->self, record, err));
done:
    abdb_flat_record_free(record);
    abdb_arena_free(&arena);
    return st;
}

abdb_status abdb_flat_deliver_insert_statement_rows(const abdb_input *in, const abdb_sink *sink,
                                                    abdb_flat_handler handler, void *self,
                                                    abdb_error *err)
{
    const statement_reader r = {.handler = handler, .self = self, .sink = sink};
    const char *text = in->text, *end = in->text + in->text_size, *created = NULL;
    abdb_status st = ABDB_OK;

    for (long line = 1; text < end && st == ABDB_OK; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));

        if (!stop) stop = end;
        if (stop - text > 13 && strncmp(text, "CREATE TABLE ", 13) == 0) created = text;
        /* A statement stands on one line, as llama-bench prints it. */
        if (stop - text > 12 && strncmp(text, "INSERT INTO ", 12) == 0)
            st = deliver_or_reject_insert_statement(&r, text, stop, created, line, err);
        text = stop + (stop < end);
    }
    return st;
}
