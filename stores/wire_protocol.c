/* wire_protocol.c - the lines exchanged by abdb and a store; see wire_protocol.h. */
#include "stores/wire_protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *line, *request; /* the last row and the last request that were heard */
static size_t line_room, request_room;

/* Decodes escapes of a backslash and a letter in place: COPY's escapes. */
static void unescape_word_in_place(char *word)
{
    static const char letters[] = "bfnrtv", bytes[] = "\b\f\n\r\t\v";
    char *out = word;

    for (; *word; word++) {
        const char *at;

        if (*word == '\\' && word[1]) {
            word++;
            at = strchr(letters, *word);
            *out++ = at ? bytes[at - letters] : *word;
        } else {
            *out++ = *word;
        }
    }
    *out = '\0';
}

void abdb_wire_split_and_unescape_row(char *row, abdb_request *out)
{
    char *end;

    out->words = 0;
    row[strcspn(row, "\n")] = '\0';
    for (char *word = row; word && out->words < ABDB_WIRE_WORDS; word = end ? end + 1 : NULL) {
        end = strchr(word, '\t');
        if (end) *end = '\0';
        unescape_word_in_place(word);
        out->word[out->words++] = word;
    }
}

bool abdb_wire_read_request_from_stdin(abdb_request *out)
{
    if (getline(&request, &request_room, stdin) <= 0) return false;
    abdb_wire_split_and_unescape_row(request, out);
    return true;
}

const char *abdb_wire_read_row_or_null_at_end(size_t *size, abdb_status *st, abdb_error *err)
{
    ssize_t got = getline(&line, &line_room, stdin);

    if (got <= 0) {
        *st = ABDB_FAIL(err, ABDB_IO, "the rows of a request broke off");
        return NULL;
    }
    if (strcmp(line, "\\.\n") == 0) return NULL;
    *size = (size_t)got;
    return line;
}

void abdb_wire_write_row_to_stdout(const char *row, size_t size)
{
    fwrite(row, 1, size, stdout);
    putchar('\n');
}

void abdb_wire_write_result_escaped_to_stdout(abdb_status st, const char *result,
                                              const abdb_error *err)
{
    static const char letters[] = "\\\b\f\n\r\t\v", marks[] = "\\bfnrtv";

    fputs(st == ABDB_OK ? "\\.\tok\t" : "\\.\terror\t", stdout);
    if (st != ABDB_OK) printf("%d\t", (int)st);
    for (const char *at = st == ABDB_OK ? result : err->message; *at; at++) {
        const char *letter = strchr(letters, *at);

        if (letter) putchar('\\');
        putchar(letter ? marks[letter - letters] : *at);
    }
    putchar('\n');
    fflush(stdout);
}
