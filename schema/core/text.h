/* text.h - growing text, arenas, and the few string functions that several floors need. */
#ifndef ABDB_CORE_TEXT_H
#define ABDB_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "schema/core/error.h"
#include "schema/core/number.h"

/* Text that grows. Zeroed is empty. After a failed allocation `failed` is set, the text stays as it
 * was, and later appends do nothing: check once, at the end. */
typedef struct {
    char *data; /* NUL-terminated, or NULL when empty */
    size_t size, room;
    bool failed;
} abdb_text;

void abdb_text_append_growing(abdb_text *text, const char *data,
                              size_t size); /* abdb_text_add, any case */
static inline void abdb_text_add(abdb_text *text, const char *data, size_t size)
{
    if (size && size < text->room - text->size && !text->failed) {
        memcpy(text->data + text->size, data, size);
        text->size += size;
        text->data[text->size] = '\0';
    } else {
        abdb_text_append_growing(text, data, size);
    }
}
static inline void abdb_text_puts(abdb_text *text, const char *string)
{
    abdb_text_add(text, string, strlen(string));
}
void abdb_text_printf(abdb_text *text, const char *format, ...) ABDB_PRINTF(2, 3);
/* Appends string as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD. */
void abdb_text_append_json_string(abdb_text *text, const char *string);
void abdb_text_clear(abdb_text *text); /* empty, memory kept */
void abdb_text_free(abdb_text *text);
const char *abdb_text_get(const abdb_text *text); /* never NULL */

/* An arena of strings: freed together. Zeroed is empty. */
typedef struct abdb_arena_block abdb_arena_block;
typedef struct {
    abdb_arena_block *head;
} abdb_arena;

void *abdb_arena_alloc(abdb_arena *arena, size_t size); /* zeroed, aligned; NULL: no memory */
char *abdb_arena_copy(abdb_arena *arena, const char *string, size_t size);
/* Without memory the text is empty, never NULL; abdb_allocation_failure_count counts it. */
char *abdb_arena_printf(abdb_arena *arena, const char *format, ...) ABDB_PRINTF(2, 3);
void abdb_arena_free(abdb_arena *arena);
void abdb_arena_clear(abdb_arena *arena); /* the same, but keeps a block for the next texts */

/* The ending of a noun that is counted: "" of one, else "s". */
static inline const char *abdb_plural_ending(long long n)
{
    return n == 1 ? "" : "s";
}

/* Trims ASCII white space in place and returns the first character that stays. */
char *abdb_trim_in_place(char *string);
/* Folds a name to its bones: lower-case ASCII letters and digits, everything else dropped, so that
 * "DGX H200 (8x, TRT)" and "DGX H200 (8x TRT)" meet. out has room bytes. Letters outside ASCII are
 * kept as bytes, except the typographic hyphens and spaces (U+2010..U+2015, U+00A0, U+202F). */
void abdb_fold_name_drop_punctuation(const char *name, char *out, size_t room);
/* Has the text a digit, so that it is a number or a damaged one, and no word? NULL has none. */
bool abdb_has_digit(const char *string);
/* Edit distance (insert, delete, replace, swap = 1), case-insensitive. */
int abdb_damerau_distance_ignoring_case(const char *a, const char *b);
/* The name nearest to `name`, or NULL when none is near enough to suggest. */
const char *abdb_nearest_name(const char *name, const char *const *names, size_t count);
/* The name among `names` that a typed `word` means: the name itself, or the only one that differs
 * only by case, punctuation or a v before it (6.0: v6.0). NULL: none, or
 * several. */
const char *abdb_only_name_of_loose_spelling(const char *word, const char *const *names,
                                             size_t count);
/* '*' and '?' patterns, case-insensitive. */
bool abdb_glob_matches_ignoring_case(const char *pattern, const char *string);
/* Bytes of the valid UTF-8 character at the beginning of a string, or 0. */
int abdb_utf8_char_length(const char *string);

/* Bytes of "{NAME}" at the beginning of a string (letters, digits and _, no digit first), or 0. */
size_t abdb_braced_name_length(const char *string);

/* Is the word, of size bytes, in the list, whose words `separator` separates? NULL: empty list. */
bool abdb_list_has_word(const char *list, char separator, const char *word, size_t size);
/* Is the text one of a list that ends with NULL? */
bool abdb_text_is_in_list(const char *text, const char *const *list);
/* Compares two elements of an array of texts, or of structures that begin with a text, by their
 * bytes: for qsort and bsearch. */
int abdb_compare_text_pointers(const void *a, const void *b);

#endif
