/* python_numbers.c - what programs write into JSON as if it were a number; see python_numbers.h. */
#include "ingest/read/python_numbers.h"

#include <string.h>

/* Python writes NaN, Infinity and -Infinity, which are no JSON: how many bytes of such a word
 * begin here, and the text that stands for it; 0: none. */
static size_t get_nan_or_infinity_size_and_json_text(const char *s, const char *end,
                                                     const char **text)
{
    static const char *const words[][2] = {
        {"NaN", "\"NaN\""}, {"Infinity", "\"inf\""}, {"-Infinity", "\"-inf\""}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t size = strlen(words[i][0]);

        if ((size_t)(end - s) < size || memcmp(s, words[i][0], size) != 0) continue;
        *text = words[i][1];
        return size;
    }
    return 0;
}

/* Where the number begins that ends before a percent sign, not before `first`; `percent`: none. */
static const char *begin_of_number_before(const char *percent, const char *first)
{
    const char *s = percent;

    while (s > first && percent - s < 32 && s[-1] && strchr("0123456789.eE+-", s[-1])) s--;
    return s;
}

abdb_status abdb_json_append_quoted_if_nan_or_infinity(const char *text, size_t size,
                                                       abdb_text *out, abdb_error *err)
{
    const char *end = text + size, *kept = text, *instead;
    bool quoted = false;

    for (const char *s = text; s < end; s++) {
        size_t word;

        if (*s == '\n') quoted = false; /* no string goes over a line: a damaged one ends here */
        if (*s == '"') quoted = !quoted;
        if (quoted && *s == '\\') s++;
        if (quoted || s >= end) continue;
        if (*s == '%') {
            const char *number = begin_of_number_before(s, kept);

            if (number == s) continue;
            abdb_text_add(out, kept, (size_t)(number - kept));
            abdb_text_printf(out, "\"%.*s\"", (int)(s + 1 - number), number);
            kept = s + 1;
            continue;
        }
        if (*s != 'N' && *s != 'I' && *s != '-') continue;
        word = get_nan_or_infinity_size_and_json_text(s, end, &instead);
        if (!word) continue;
        abdb_text_add(out, kept, (size_t)(s - kept));
        abdb_text_puts(out, instead);
        kept = s + word;
        s = kept - 1;
    }
    if (kept > text) abdb_text_add(out, kept, (size_t)(end - kept));
    return out->failed ? ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes", size) : ABDB_OK;
}
