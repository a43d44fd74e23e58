/* store_client.c - the line to a store; see store_client.h. */
#include "query/warehouse/store_client.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *scheme, *store, *package;
} stores[] = {{"postgresql:", "pg", "libpq-dev"}, {"postgres:", "pg", "libpq-dev"}};

/* Where the password of an address stands: NULL, or its first byte and *size. */
static const char *find_password_in_url(const char *url, size_t *size)
{
    const char *from = strstr(url, "://"), *end, *at, *colon;

    from = from ? from + 3 : url;
    end = from + strcspn(from, "/?#");
    at = memchr(from, '@', (size_t)(end - from));
    colon = at ? memchr(from, ':', (size_t)(at - from)) : NULL;
    if (colon) {
        *size = (size_t)(at - colon - 1);
        return colon + 1;
    }
    from = strstr(url, "password=");
    if (!from) return NULL;
    from += strlen("password=");
    *size = strcspn(from, "&# ");
    return from;
}

const char *abdb_copy_url_with_masked_password(abdb_arena *arena, const char *url)
{
    char *copy = abdb_arena_copy(arena, url, strlen(url));

    if (copy) abdb_mask_password_in_place(copy);
    return copy ? copy : "the warehouse";
}

void abdb_mask_password_in_place(char *url)
{
    size_t size;
    const char *password = find_password_in_url(url, &size);

    if (password) memset(url + (password - url), 'x', size);
}

abdb_status abdb_store_client_start_and_open(abdb_store_client *link, const char *folder,
                                             const char *url, const char *access_mode, bool upgrade,
                                             const abdb_stream_limits *limits, abdb_error *err)
{
    const char *more[] = {url, access_mode, upgrade ? "upgrade" : NULL, NULL};
    char path[4096];
    size_t i = 0, count = sizeof stores / sizeof stores[0];
    abdb_status st = ABDB_OK;

    while (i < count && strncmp(url, stores[i].scheme, strlen(stores[i].scheme)) != 0) i++;
    if (i == count)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "no store knows this address; one is postgresql://HOST/DATABASE");
    snprintf(path, sizeof path, "%.4000s/abdb-store-%s", folder, stores[i].store);
    if (access(path, X_OK) != 0)
        return ABDB_FAIL(
            err, ABDB_USAGE,
            "abdb-store-%s is not here: install the package abdb-store-%s, or build abdb with"
            " %s: `make deps`, then `make`",
            stores[i].store, stores[i].store, stores[i].package);
    TRY(abdb_stream_start_program(&link->stream, path, limits, err));
    abdb_store_start_request(link, "open", more);
    TRY(abdb_store_end_and_flush_request(link, false, err));
    TRY(abdb_store_read_final_answer(link, err));
done:
    return st;
}

void abdb_store_client_close(abdb_store_client *link)
{
    abdb_stream_close_and_end_program(&link->stream, "close\n");
    abdb_text_free(&link->result_text);
    *link = (abdb_store_client){0};
}

void abdb_append_wire_escaped(abdb_text *row, const char *text, size_t size)
{
    static const char marks[] = "btnvfr"; /* of bytes 8 to 13 */

    for (size_t i = 0, from = 0; i <= size; i++) {
        bool special = i < size && (text[i] == '\\' || (text[i] >= 8 && text[i] <= 13));

        if (i < size && !special) continue;
        abdb_text_add(row, text + from, i - from);
        from = i + 1;
        if (i == size) break;
        abdb_text_puts(row, "\\");
        abdb_text_add(row, text[i] == '\\' ? "\\" : &marks[text[i] - 8], 1);
    }
}

void abdb_store_start_request(abdb_store_client *link, const char *word,
                              const char *const *arguments)
{
    abdb_text line = {0};

    abdb_text_puts(&line, word);
    for (; *arguments; arguments++) {
        abdb_text_puts(&line, "\t");
        abdb_append_wire_escaped(&line, *arguments, strlen(*arguments));
    }
    abdb_text_puts(&line, "\n");
    link->most = link->rows = 0;
    if (line.failed) abdb_text_clear(&line);
    /* Without memory an empty line is sent, which the store refuses; a failed send fails again. */
    (void)!abdb_stream_send_buffered(&link->stream, line.failed ? "\n" : line.data,
                                     line.failed ? 1 : line.size, NULL);
    abdb_text_free(&line);
}

abdb_status abdb_store_send_row(abdb_store_client *link, const abdb_text *row, abdb_error *err)
{
    if (row->failed) return ABDB_FAIL(err, ABDB_NOMEM, "a row");
    link->most++;
    return abdb_stream_send_buffered(&link->stream, abdb_text_get(row), row->size, err);
}

abdb_status abdb_store_end_and_flush_request(abdb_store_client *link, bool with_end_of_rows,
                                             abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (with_end_of_rows) TRY(abdb_stream_send_buffered(&link->stream, "\\.\n", 3, err));
    TRY(abdb_stream_flush(&link->stream, err));
done:
    return st;
}

/* Decodes a word of a row in place; "\N" alone is a missing word, NULL. */
static char *unescape_word_in_place_or_null(char *word)
{
    static const char letters[] = "btnvfr";
    char *out = word, *in = word;

    if (strcmp(word, "\\N") == 0) return NULL;
    for (; *in; in++) {
        if (*in == '\\' && in[1]) {
            const char *at = strchr(letters, *++in);

            *out++ = at ? (char)(8 + (at - letters)) : *in;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    return word;
}

/* Splits a line of the store at tabs into link->word, in place. */
static void split_row_and_unescape_words(abdb_store_client *link, char *row)
{
    char *end;

    link->words = 0;
    for (char *word = row; word && link->words < ABDB_LINK_WORDS; word = end ? end + 1 : NULL) {
        end = strchr(word, '\t');
        if (end) *end = '\0';
        link->word[link->words++] = unescape_word_in_place_or_null(word);
    }
}

/* Is that the word of the row? */
static bool answer_word_equals(const abdb_store_client *link, int at, const char *word)
{
    return at < link->words && link->word[at] && strcmp(link->word[at], word) == 0;
}

abdb_status abdb_store_read_row_or_final_answer(abdb_store_client *link, bool *is_row,
                                                abdb_error *err)
{
    long long status;
    char *row;
    abdb_status st = ABDB_OK;

    *is_row = false;
    TRY(abdb_stream_read_line(&link->stream, &row, err));
    *is_row = strncmp(row, "\\.\t", 3) != 0;
    if (!*is_row) memcpy(row, "..", 2); /* a word like others */
    if (*is_row && !abdb_stream_line_is_utf8(row)) {
        link->stream.failed = true;
        return ABDB_FAIL(err, ABDB_IO, "the store answered a row that is not UTF-8");
    }
    split_row_and_unescape_words(link, row);
    link->rows += *is_row;
    if (*is_row && link->most != ABDB_LINK_ANY && link->rows > link->most) {
        link->stream.failed = true;
        return ABDB_FAIL(err, ABDB_LIMIT, "the store answered more rows than were asked for");
    }
    if (*is_row) return ABDB_OK;
    if (link->words == 4 && answer_word_equals(link, 1, "error") && link->word[2] &&
        link->word[3] &&
        abdb_integer_parse_in_range(link->word[2], ABDB_MARK_POINT, 1, ABDB_STATUS_COUNT - 1,
                                    &status))
        return ABDB_FAIL(err, (abdb_status)status, "%s", link->word[3]);
    if (link->words < 3 || !answer_word_equals(link, 1, "ok"))
        return ABDB_FAIL(err, ABDB_IO, "the store answered what is no answer");
    abdb_text_clear(&link->result_text);
    abdb_text_puts(&link->result_text, link->word[2] ? link->word[2] : "");
done:
    return st;
}

abdb_status abdb_store_require_columns(const abdb_store_client *link, int expected, abdb_error *err)
{
    if (link->words == expected) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_IO, "the store answered a row of %d values where %d were asked for",
                     link->words, expected);
}

abdb_status abdb_store_read_final_answer(abdb_store_client *link, abdb_error *err)
{
    bool more;

    link->most = 0;
    return abdb_store_read_row_or_final_answer(link, &more, err);
}

abdb_status abdb_store_request_and_read_answer(abdb_store_client *link, const char *request,
                                               const char *argument, abdb_error *err)
{
    const char *more[] = {argument, NULL};
    abdb_status st = ABDB_OK;

    abdb_store_start_request(link, request, more);
    TRY(abdb_store_end_and_flush_request(link, false, err));
    TRY(abdb_store_read_final_answer(link, err));
done:
    return st;
}
