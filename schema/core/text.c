/* text.c - growing text, arenas and string functions; see text.h. */
#include "schema/core/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIRST_ROOM = 64, ARENA_BLOCK = 16384, DISTANCE_MAX = 64 };

/* Makes room for that many more bytes and a zero byte. False: no memory, now or before. */
static bool ensure_text_room(abdb_text *text, size_t more)
{
    size_t need = text->size + more + 1, room = text->room ? text->room : FIRST_ROOM;
    char *data;

    if (text->failed) return false;
    if (need <= text->room) return true;
    while (room < need) room *= 2;
    data = realloc(text->data, room);
    if (!data) {
        abdb_count_allocation_failure();
        text->failed = true;
        return false;
    }
    text->data = data;
    text->room = room;
    return true;
}

void abdb_text_append_growing(abdb_text *text, const char *data, size_t size)
{
    if (!ensure_text_room(text, size)) return;
    if (size) memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void abdb_text_printf(abdb_text *text, const char *format, ...)
{
    va_list args, again;
    int size;

    va_start(args, format);
    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, args);
    if (size >= 0 && ensure_text_room(text, (size_t)size)) {
        vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
    va_end(args);
}

/* Well-formed sequences after Table 3-7 of the Unicode Standard: no overlong forms, no
 * surrogates, nothing above U+10FFFF. */
int abdb_utf8_char_length(const char *string)
{
    const unsigned char *s = (const unsigned char *)string;

    if (s[0] < 0x80) return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF && (s[1] & 0xC0) == 0x80) return 2;
    if ((s[0] & 0xF0) == 0xE0 && (s[1] & 0xC0) == 0x80 && (s[2] & 0xC0) == 0x80) {
        if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
        return 3;
    }
    if (s[0] >= 0xF0 && s[0] <= 0xF4 && (s[1] & 0xC0) == 0x80 && (s[2] & 0xC0) == 0x80 &&
        (s[3] & 0xC0) == 0x80) {
        if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
        return 4;
    }
    return 0;
}

void abdb_text_append_json_string(abdb_text *text, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;

    abdb_text_add(text, "\"", 1);
    while (*s) {
        int length = abdb_utf8_char_length((const char *)s);

        if (*s == '"' || *s == '\\')
            abdb_text_printf(text, "\\%c", *s);
        else if (*s == '\n')
            abdb_text_puts(text, "\\n");
        else if (*s == '\t')
            abdb_text_puts(text, "\\t");
        else if (*s < 0x20)
            abdb_text_printf(text, "\\u%04x", (unsigned)*s);
        else if (length == 0)
            abdb_text_puts(text, "\xEF\xBF\xBD");
        else
            abdb_text_add(text, (const char *)s, (size_t)length);
        s += length ? length : 1;
    }
    abdb_text_add(text, "\"", 1);
}

void abdb_text_clear(abdb_text *text)
{
    text->size = 0;
    if (text->data) text->data[0] = '\0';
}

void abdb_text_free(abdb_text *text)
{
    free(text->data);
    *text = (abdb_text){0};
}

const char *abdb_text_get(const abdb_text *text)
{
    return text->data ? text->data : "";
}

struct abdb_arena_block {
    abdb_arena_block *next;
    size_t used, room;
    max_align_t data[];
};

/* Blocks in a list, the one with room first. A text that does not fit opens a new block, and the
 * rest of the old one is unused, which costs little where texts are short. */
void *abdb_arena_alloc(abdb_arena *arena, size_t size)
{
    size_t need = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    abdb_arena_block *block = arena->head;
    char *at;

    if (!block || block->room - block->used < need) {
        size_t room = need > ARENA_BLOCK ? need : ARENA_BLOCK;

        block = calloc(1, sizeof *block + room);
        if (!block) {
            abdb_count_allocation_failure();
            return NULL;
        }
        block->room = room;
        block->next = arena->head;
        arena->head = block;
    }
    at = (char *)block->data + block->used;
    block->used += need;
    return at;
}

char *abdb_arena_copy(abdb_arena *arena, const char *string, size_t size)
{
    char *copy = abdb_arena_alloc(arena, size + 1);

    if (copy && size) memcpy(copy, string, size);
    return copy;
}

char *abdb_arena_printf(abdb_arena *arena, const char *format, ...)
{
    static char empty[] = "";
    va_list args, again;
    char *copy = NULL;
    int size;

    va_start(args, format);
    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, args);
    if (size >= 0) copy = abdb_arena_alloc(arena, (size_t)size + 1);
    if (copy) vsnprintf(copy, (size_t)size + 1, format, again);
    va_end(again);
    va_end(args);
    return copy ? copy : empty;
}

void abdb_arena_free(abdb_arena *arena)
{
    while (arena->head) {
        abdb_arena_block *next = arena->head->next;

        free(arena->head);
        arena->head = next;
    }
}

void abdb_arena_clear(abdb_arena *arena)
{
    abdb_arena_block *block = arena->head;

    /* The common case, one block of the usual size, is cleared and kept; more are given back. */
    if (!block || block->next || block->room != ARENA_BLOCK) {
        abdb_arena_free(arena);
        return;
    }
    memset(block->data, 0, block->used);
    block->used = 0;
}

char *abdb_trim_in_place(char *string)
{
    size_t size;

    while (isspace((unsigned char)*string)) string++;
    size = strlen(string);
    while (size && isspace((unsigned char)string[size - 1])) string[--size] = '\0';
    return string;
}

void abdb_fold_name_drop_punctuation(const char *name, char *out, size_t room)
{
    const unsigned char *s = (const unsigned char *)name;
    size_t used = 0;

    while (*s && used + 5 < room) {
        int length = abdb_utf8_char_length((const char *)s);

        /* Left out beyond ASCII: U+00A0, and U+2000 to U+203F, spaces, hyphens and other marks. */
        if (isalnum(*s) && *s < 0x80)
            out[used++] = (char)tolower(*s);
        else if (length > 1 && !(s[0] == 0xC2 && s[1] == 0xA0) && !(s[0] == 0xE2 && s[1] == 0x80)) {
            memcpy(out + used, s, (size_t)length);
            used += (size_t)length;
        }
        s += length ? length : 1;
    }
    out[used] = '\0';
}

/* Damerau and Levenshtein's distance (optimal string alignment) by three rows of its table: this,
 * the last and the one before, for swaps. */
int abdb_damerau_distance_ignoring_case(const char *a, const char *b)
{
    int row[3][DISTANCE_MAX + 1];
    int la = (int)strlen(a), lb = (int)strlen(b);

    if (la > DISTANCE_MAX || lb > DISTANCE_MAX) return DISTANCE_MAX;
    for (int j = 0; j <= lb; j++) row[0][j] = j;
    for (int i = 1; i <= la; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

        now[0] = i;
        for (int j = 1; j <= lb; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int best = last[j - 1] + (ca != cb);

            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[la % 3][lb];
}

static size_t common_prefix_length(const char *a, const char *b)
{
    size_t i = 0;

    while (a[i] && a[i] == b[i]) i++;
    return i;
}

const char *abdb_nearest_name(const char *name, const char *const *names, size_t count)
{
    const char *best = NULL;
    /* A suggestion differs in half of the letters at most; of equally near names, the one with the
     * longer common beginning is taken. */
    int least = (int)strlen(name) / 2 + 1;

    for (size_t i = 0; i < count; i++) {
        int distance = abdb_damerau_distance_ignoring_case(name, names[i]);

        if (distance < least ||
            (best && distance == least &&
             common_prefix_length(name, names[i]) > common_prefix_length(name, best))) {
            least = distance;
            best = names[i];
        }
    }
    return best;
}

const char *abdb_only_name_of_loose_spelling(const char *word, const char *const *names,
                                             size_t count)
{
    const char *found = NULL;
    char folded[256], release[258], bones[256];

    abdb_fold_name_drop_punctuation(word, folded, sizeof folded);
    /* "6.0" is v6.0; "05" is a number, not v0.5 */
    snprintf(release, sizeof release, "v%s", word[strspn(word, "0123456789")] ? folded : "");
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], word) == 0) return names[i];
    for (size_t i = 0; i < count; i++) {
        abdb_fold_name_drop_punctuation(names[i], bones, sizeof bones);
        if (!*folded || (strcmp(bones, folded) != 0 && strcmp(bones, release) != 0)) continue;
        if (found && strcmp(found, names[i]) != 0) return NULL;
        found = names[i];
    }
    return found;
}

bool abdb_glob_matches_ignoring_case(const char *pattern, const char *string)
{
    /* star: the last '*'; mark: how far it reaches. On a mismatch it takes one character more,
     * which is enough: an earlier star need never be tried again. */
    const char *star = NULL, *mark = NULL;

    while (*string) {
        if (*pattern == '*') {
            star = pattern++;
            mark = string;
        } else if (*pattern == '?' ||
                   tolower((unsigned char)*pattern) == tolower((unsigned char)*string)) {
            pattern++;
            string++;
        } else if (star) {
            pattern = star + 1;
            string = ++mark;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

bool abdb_text_is_in_list(const char *text, const char *const *list)
{
    while (*list && strcmp(text, *list) != 0) list++;
    return *list != NULL;
}

bool abdb_has_digit(const char *string)
{
    return string && strpbrk(string, "0123456789") != NULL;
}

size_t abdb_braced_name_length(const char *string)
{
    static const char name[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    size_t size = *string == '{' ? strspn(string + 1, name) : 0;

    return size && !(string[1] >= '0' && string[1] <= '9') && string[1 + size] == '}' ? size + 2
                                                                                      : 0;
}

bool abdb_list_has_word(const char *list, char separator, const char *word, size_t size)
{
    const char marks[] = {separator, '\0'};

    for (const char *at = list; at && *at; at += strspn(at, marks)) {
        size_t length = strcspn(at, marks);

        if (length == size && strncmp(at, word, size) == 0) return true;
        at += length;
    }
    return false;
}

int abdb_compare_text_pointers(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
