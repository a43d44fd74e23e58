/* lines.c - lines of a console; see lines.h. */
#include "ingest/read/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>


/* " 12: text" -> "text" */
static char *behind_prefix(char *line)
{
    char *s = line + strspn(line, " ");
    size_t digits = strspn(s, "0123456789");

    if (!digits || digits > 6 || s[digits] != ':' || (s[digits + 1] && s[digits + 1] != ' '))
        return line;
    return s + digits + 1 + (s[digits + 1] == ' ');
}

static void split(text_line *line, char *copy)
{
    const char *between = strchr(copy, ',') ? "," : " \t";
    char *place;

    line->words = 0;
    for (char *word = strtok_r(copy, between, &place); word && line->words < LINE_WORDS_MAX;
         word = strtok_r(NULL, between, &place))
        line->word[line->words++] = abdb_trim(word);
}

abdb_status lines_read(const abdb_input *in, line_handler handler, void *self, abdb_error *err)
{
    const char *text = in->text, *end = in->text + in->text_size;
    text_line line = {0};
    abdb_status st = ABDB_OK;

    while (text < end && st == ABDB_OK) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop ? stop : end) - text);
        char *own = strndup(text, size), *copy;

        if (!own) return ABDB_FAIL(err, ABDB_NOMEM, "a line");
        own[strcspn(own, "\r")] = '\0';
        line.number++;
        line.text = behind_prefix(own);
        copy = strdup(line.text);
        if (copy) {
            split(&line, copy);
            st = handler(self, &line, err);
        } else
            st = ABDB_FAIL(err, ABDB_NOMEM, "a line");
        free(copy);
        free(own);
        text += size + (stop != NULL);
        if (in->at) *in->at = (size_t)(text - in->text);
    }
    return st;
}

bool lines_hold(const abdb_input *in, const char *text)
{
    size_t size = in->text_size < BID_SIZE ? in->text_size : BID_SIZE;

    return memmem(in->text, size, text, strlen(text)) != NULL;
}

double line_number(const text_line *line, size_t word)
{
    double value;

    return word < line->words && abdb_number(line->word[word], &value) ? value : NAN;
}

abdb_status line_reject(const abdb_sink *sink, const text_line *line, const char *field,
                        const char *reason, abdb_error *err)
{
    abdb_reject reject = {
        .line = line->number, .field = field, .reason = reason, .raw = line->text};
    abdb_status st = sink->reject(sink->self, &reject, err);

    return st == ABDB_OK ? sink->row_end(sink->self, err) : st;
}
