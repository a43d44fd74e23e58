/* mllog_json.c - the JSON behind ":::MLLOG"; see mllog_json.h. */
#include "ingest/mlperf/mllog_json.h"

#include <stdbool.h>
#include <string.h>

#include "schema/core/text.h"

enum { JSON_FLAGS = JSON_DECODE_INT_AS_REAL | JSON_DISABLE_EOF_CHECK };

/* Where the string that begins behind `at` ends: at its closing quote, or at end. *odd: one of its
 * backslashes escapes nothing. */
static const char *find_json_string_end_and_bad_escapes(const char *at, const char *end,
                                                        bool *has_bad_escape)
{
    *has_bad_escape = false;
    for (; at < end && *at != '"'; at++) {
        if (*at != '\\') continue;
        if (++at == end) break;
        *has_bad_escape =
            *has_bad_escape || !strchr("\"\\/bfnrtu", *at) ||
            (*at == 'u' && (size_t)(end - at) > 4 && strspn(at + 1, "0123456789abcdefABCDEF") < 4);
    }
    return at < end ? at : end;
}

/* One string with its quotes; if odd, each backslash but that of a quote is doubled. */
static const char *append_json_string_fixing_escapes(abdb_text *out, const char *at,
                                                     const char *end)
{
    bool odd;
    const char *stop = find_json_string_end_and_bad_escapes(at + 1, end, &odd);

    abdb_text_add(out, at, 1);
    for (at++; at < stop; at++) {
        if (odd && *at == '\\' && (at + 1 == stop || at[1] != '"')) abdb_text_add(out, "\\", 1);
        abdb_text_add(out, at, 1);
    }
    if (stop < end) abdb_text_add(out, stop++, 1);
    return stop;
}

/* The words of Python and C++ that JSON lacks, longest first. */
static const char *match_nonfinite_literal(const char *at, const char *end)
{
    static const char *const words[] = {"-Infinity", "Infinity", "-inf", "inf",
                                        "-nan",      "nan",      "NaN"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if ((size_t)(end - at) >= strlen(words[i]) && strncmp(at, words[i], strlen(words[i])) == 0)
            return words[i];
    return NULL;
}

/* Appends [at, end) with its strings' escapes repaired and NaN, Infinity and the like in quotes, so
 * that a JSON parser reads it. */
static void append_json_quoting_nonfinite(abdb_text *out, const char *at, const char *end)
{
    while (at < end) {
        const char *word = match_nonfinite_literal(at, end);

        if (*at == '"') {
            at = append_json_string_fixing_escapes(out, at, end);
        } else if (word) {
            abdb_text_printf(out, "\"%s\"", word);
            at += strlen(word);
        } else {
            abdb_text_add(out, at++, 1);
        }
    }
}

json_t *abdb_mllog_parse_object_leniently(const char *text, size_t size, json_error_t *error)
{
    json_t *object = json_loadb(text, size, JSON_FLAGS, error);
    abdb_text mended = {0};

    if (!object) {
        append_json_quoting_nonfinite(&mended, text, text + size);
        if (!mended.failed)
            object = json_loadb(abdb_text_get(&mended), mended.size, JSON_FLAGS, NULL);
        abdb_text_free(&mended);
    }
    if (json_is_object(object)) return object;
    json_decref(object);
    return NULL;
}
