/* caption_note.c - see caption_note.h. */
#include "query/answer/caption_note.h"

#include <ctype.h>
#include <string.h>

/* Does a part of a note contain a command to type? */
static bool text_contains_command(const char *text, size_t size)
{
    static const char *const verbs[] = {
        "abdb audit", "abdb compare", "abdb explain", "abdb import", "abdb plot", "abdb query",
        "abdb rank",  "abdb run",     "abdb export",  "-o csv",      "`"};

    for (size_t i = 0; i < size; i++) {
        if (i + 2 < size && text[i] == '-' && text[i + 1] == '-' &&
            isalpha((unsigned char)text[i + 2]))
            return true;
        for (size_t v = 0; v < sizeof verbs / sizeof verbs[0]; v++) {
            size_t length = strlen(verbs[v]);

            if (i + length <= size && strncmp(text + i, verbs[v], length) == 0) return true;
        }
    }
    return false;
}

/* How far the next clause goes: to a bracket, or behind "; ", ": " or ". ". */
static size_t next_clause_size(const char *text)
{
    size_t size = 1;

    if (*text == '(') return strcspn(text, ")") + (strchr(text, ')') != NULL);
    while (text[size] && text[size] != '(') {
        if (strchr(";:.", text[size]) && text[size + 1] == ' ') return size + 2;
        size++;
    }
    return size;
}

/* Removes commands to type from a note. */
static const char *strip_command_clauses(abdb_arena *arena, const char *note)
{
    abdb_text out = {0};
    const char *kept;

    for (size_t size; *note; note += size) {
        size = next_clause_size(note);
        if (!text_contains_command(note, size))
            abdb_text_add(&out, note, size);
        else if (out.size && out.data[out.size - 1] == ' ' && strchr(" ;:.,", note[size]))
            out.size--; /* its blank goes with a bracket */
    }
    while (out.size && strchr(" ;:", out.data[out.size - 1])) out.data[--out.size] = '\0';
    kept = abdb_arena_copy(arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    return kept ? kept : "";
}

const char *abdb_plot_note_to_caption_text(abdb_arena *arena, const char *note)
{
    note = strip_command_clauses(arena, note);
    if (strncmp(note, "… ", strlen("… ")) == 0) /* "... 7 more (--all)" */
        note = abdb_arena_printf(arena, "not drawn: %s", note + strlen("… "));
    if (note && strncmp(note, "! ", 2) == 0) note += 2; /* loud on a screen only */
    return note ? note : "";
}

bool abdb_note_belongs_into_picture(const char *note)
{
    static const char *const beginnings[] = {
        "†", "‡", "! ", "… ", "of the whole field: ", "above the roof of memory: "};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(note, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return strstr(note, " days old") != NULL;
}
