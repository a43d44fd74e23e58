/* device_modifier.c - names of devices taken apart; see device_modifier.h. */
#include "schema/core/device_modifier.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MAX = 40, TEXT_MAX = 256 };

typedef struct {
    char text[TEXT_MAX * 2]; /* the words, a NUL behind each */
    const char *word[WORDS_MAX];
    bool consumed[WORDS_MAX];
    size_t count;
} name_words;

static bool is_word_char_at(const char *c, const char *start)
{
    return isalnum((unsigned char)*c) || *c == '+' ||
           (*c == '.' && c > start && isalnum((unsigned char)c[-1]) &&
            isalnum((unsigned char)c[1]));
}

static const char *bracket_as_round_or_null(char c)
{
    return c && strchr("([{", c) ? "(" : c && strchr(")]}", c) ? ")" : NULL;
}

/* Splits a device's name into lower-case words and brackets. False: too long, or too many words. */
static bool split_name_into_words(const char *name, name_words *out)
{
    char *at = out->text;
    bool open = false; /* a word that goes on */

    out->count = 0;
    if (strlen(name) >= TEXT_MAX) return false;
    for (const char *c = name; *c; c++) {
        bool in = is_word_char_at(c, name);
        const char *edge = bracket_as_round_or_null(*c);

        if (open && !in) *at++ = '\0';
        if ((in && !open) || edge) {
            if (out->count == WORDS_MAX) return false;
            out->consumed[out->count] = false;
            out->word[out->count++] = in ? at : edge;
        }
        if (in) *at++ = (char)tolower((unsigned char)*c);
        open = in;
    }
    *at = '\0';
    return true;
}

/* Compares a word with one of a pattern; *number: the digits for its "#". */
static bool match_word_get_number(const char *word, const char *pattern, size_t size, char *number)
{
    for (size_t i = 0; i < size; i++) {
        size_t digits;

        if (pattern[i] != '#') {
            if (*word++ != pattern[i]) return false;
            continue;
        }
        digits = strspn(word, "0123456789.");
        if (!digits || digits >= ABDB_DECORATION_SIZE || !isdigit((unsigned char)*word))
            return false;
        memcpy(number, word, digits);
        number[digits] = '\0';
        word += digits;
    }
    return !*word;
}

/* Words from `at` on that the pattern fits; 0: it does not. */
static size_t count_words_matching_pattern(const name_words *w, size_t at, const char *pattern,
                                           char *number)
{
    size_t from = at;

    while (*pattern) {
        size_t size = strcspn(pattern, " ");

        if (size == 3 && memcmp(pattern, "...", 3) == 0) {
            while (at < w->count && !w->consumed[at] && strcmp(w->word[at], ")") != 0) at++;
        } else {
            if (at >= w->count || w->consumed[at] ||
                !match_word_get_number(w->word[at], pattern, size, number))
                return 0;
            at++;
        }
        pattern += size + (pattern[size] == ' ');
    }
    return at - from;
}

bool abdb_modifier_value_is_or_adds_digits_to(const char *stated_value, const char *value)
{
    size_t size = strlen(value);

    return strncasecmp(stated_value, value, size) == 0 &&
           (!stated_value[size] || (isdigit((unsigned char)stated_value[size]) && size &&
                                    isalpha((unsigned char)value[size - 1])));
}

bool abdb_device_name_has_modifier(const abdb_parsed_device_name *bare, const char *attribute,
                                   const char *value)
{
    for (size_t i = 0; i < bare->count; i++)
        if (strcmp(bare->modifier[i].rule->attribute, attribute) == 0 &&
            abdb_modifier_value_is_or_adds_digits_to(bare->modifier[i].value, value))
            return true;
    return false;
}

/* The value of a rule, with `number` in place of its "#". */
static void substitute_number_in_value(const char *value, const char *number,
                                       char out[ABDB_DECORATION_SIZE])
{
    size_t before = value ? strcspn(value, "#") : 0;

    if (!value)
        snprintf(out, ABDB_DECORATION_SIZE, "%s", number);
    else if (!value[before])
        snprintf(out, ABDB_DECORATION_SIZE, "%s", value);
    else
        snprintf(out, ABDB_DECORATION_SIZE, "%.*s%s%s", (int)before, value, number,
                 value + before + 1);
}

/* Removes words that match a rule from the name and adds their meaning to out. False: too many
 * modifiers. */
static bool extract_modifiers_of_rule(name_words *w, const abdb_modifier_rule *rule,
                                      abdb_parsed_device_name *out)
{
    for (size_t at = 0; at < w->count; at++) {
        char number[ABDB_DECORATION_SIZE] = "";
        size_t size = count_words_matching_pattern(w, at, rule->pattern, number);
        char value[ABDB_DECORATION_SIZE];

        if (!size) continue;
        memset(w->consumed + at, true, size);
        substitute_number_in_value(rule->value, number, value);
        if (abdb_device_name_has_modifier(out, rule->attribute, value)) continue;
        if (out->count == ABDB_DECORATIONS_MAX) return false;
        out->modifier[out->count].rule = rule;
        snprintf(out->modifier[out->count++].value, ABDB_DECORATION_SIZE, "%s", value);
    }
    return true;
}

bool abdb_split_device_name_into_core_and_modifiers(const abdb_modifier_rule *rule, size_t rules,
                                                    const char *name, abdb_parsed_device_name *out)
{
    size_t used = 0;
    name_words w;

    out->count = 0;
    out->core[0] = '\0';
    if (!split_name_into_words(name, &w)) return false;
    for (size_t i = 0; i < rules; i++)
        if (!extract_modifiers_of_rule(&w, &rule[i], out)) return false;
    for (size_t i = 0; i < w.count; i++) {
        size_t size = strlen(w.word[i]);

        if (w.consumed[i] || bracket_as_round_or_null(*w.word[i])) continue;
        if (used + size >= ABDB_BARE_SIZE) return false;
        memcpy(out->core + used, w.word[i], size + 1);
        used += size;
    }
    return used > 0;
}
