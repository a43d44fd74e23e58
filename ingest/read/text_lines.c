/* text_lines.c - lines of a console, and the looks that bids take at them; see text_lines.h. */
#include "ingest/read/text_lines.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/decimal_marks.h"

/* "[1,0]<NAME>:text", as mpirun --tag-output prints it: how many bytes stand before the text. */
static size_t size_of_mpirun_output_tag(const char *s)
{
    const char *at = s + 1;

    if (*s != '[') return 0;
    at += strspn(at, "0123456789,");
    if (strncmp(at, "]<std", 5) != 0 ||
        (strncmp(at + 5, "out>:", 5) != 0 && strncmp(at + 5, "err>:", 5) != 0))
        return 0;
    return (size_t)(at + 10 - s);
}

/* " 12: text" -> "text". At most six digits: longer ones are data, not the number of a process. */
static char *skip_launcher_prefix_get_rank(char *line, long *rank)
{
    char *s = line + strspn(line, " ");
    size_t digits = strspn(s, "0123456789"), tag = size_of_mpirun_output_tag(s);

    *rank = -1;
    if (tag) return s + tag;
    if (!digits || digits > 6 || s[digits] != ':' || (s[digits + 1] && s[digits + 1] != ' '))
        return line;
    *rank = (long)abdb_digits_parse_prefix_up_to_max_or(s, 999999, -1);
    return s + digits + 1 + (s[digits + 1] == ' ');
}

/* "> > text", a quotation in a reply, -> "text". */
static char *skip_reply_quote_marks(char *line)
{
    char *s = line;

    while (s[strspn(s, " ")] == '>') {
        s += strspn(s, " ") + 1;
        s += *s == ' ';
    }
    return s;
}

/* Begins the word with a number that a program prints: "157,15", not "1.0.2" and not "8B"? */
static bool is_printed_number(const char *word, size_t size)
{
    return size && strspn(word, "+-") < size && isdigit((unsigned char)word[strspn(word, "+-")]) &&
           abdb_number_chars_prefix_length(word) >= size;
}

static size_t count_printed_numbers(const char *line)
{
    size_t count = 0, size;

    for (line += strspn(line, " \t"); *line; line += size, line += strspn(line, " \t")) {
        size = strcspn(line, " \t");
        count += is_printed_number(line, size);
    }
    return count;
}

/* Is it a row of numbers that blanks separate, at least three, or two at its beginning? */
static bool is_row_of_numbers(const char *line)
{
    size_t first, second;

    line += strspn(line, " \t");
    first = strcspn(line, " \t\r");
    second = first + strspn(line + first, " \t");
    return count_printed_numbers(line) >= 3 ||
           (is_printed_number(line, first) &&
            is_printed_number(line + second, strcspn(line + second, " \t\r")));
}

/* Are all commas of the line within the numbers of such a row? */
static bool is_number_row_with_decimal_commas(const char *line)
{
    for (const char *comma = line; (comma = strchr(comma, ',')); comma++)
        if (comma == line || !isdigit((unsigned char)comma[-1]) ||
            !isdigit((unsigned char)comma[1]))
            return false;
    return is_row_of_numbers(line);
}

/* A line with a comma anywhere is taken for CSV, but for one with decimal commas. */
static void split_line_at_commas_or_blanks(text_line *line, char *copy)
{
    const char *between = " \t";
    char *place,
        *cell = strchr(copy, ',') && !is_number_row_with_decimal_commas(copy) ? copy : NULL, *word;
    size_t before = line->words;

    line->words = 0;
    if (cell) { /* an empty cell is a word, but for those at the end */
        while (line->words < LINE_WORDS_MAX && (word = strsep(&cell, ",")))
            line->word[line->words++] = abdb_trim_in_place(word);
        while (line->words && !*line->word[line->words - 1]) line->word[--line->words] = "";
    } else {
        for (word = strtok_r(copy, between, &place); word && line->words < LINE_WORDS_MAX;
             word = strtok_r(NULL, between, &place))
            line->word[line->words++] = abdb_trim_in_place(word);
    }
    /* Nothing is left of a longer line before it, whose text is freed. */
    for (size_t i = line->words; i < before; i++) line->word[i] = "";
}

abdb_decimal_mark lines_find_decimal_mark_by_number_rows(const abdb_input *in)
{
    const char *text = in->text, *end = text + in->text_size;
    abdb_mark_evidence *evidence;
    abdb_decimal_mark mark;

    if (text == end || *text == '{' ||
        !abdb_marks_text_may_have_commas_or_groups(text, (size_t)(end - text), ' '))
        return ABDB_MARK_UNKNOWN;
    evidence = calloc(1, sizeof *evidence);
    while (evidence && text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        char *own = strndup(text, (size_t)((stop ? stop : end) - text)), *place;
        bool row = own && is_row_of_numbers(own);

        if (own) own[strcspn(own, "\r")] = '\0';
        for (char *word = row ? strtok_r(own, " \t|", &place) : NULL; word;
             word = strtok_r(NULL, " \t|", &place))
            if (is_printed_number(word, strlen(word)))
                abdb_marks_add_evidence_of_cell(evidence, 0, NULL, word);
        free(own);
        text = stop ? stop + 1 : end;
    }
    mark = evidence ? abdb_marks_decide_for_file(evidence, ' ') : ABDB_MARK_UNKNOWN;
    free(evidence);
    return mark;
}

abdb_status lines_deliver_each_without_mark(const abdb_input *in, line_handler handler, void *self,
                                            abdb_error *err)
{
    return lines_deliver_each_with_mark(in, ABDB_MARK_UNKNOWN, handler, self, err);
}

abdb_status lines_deliver_each_with_entry(const abdb_input *in, abdb_entry **entry,
                                          line_handler handler,
                                          abdb_status (*finish)(void *self, abdb_error *err),
                                          void *self, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *entry = calloc(1, sizeof **entry);
    if (!*entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    TRY(lines_deliver_each_without_mark(in, handler, self, err));
    if (finish) TRY(finish(self, err));
done:
    free(*entry);
    *entry = NULL;
    return st;
}

abdb_status lines_deliver_each_with_mark(const abdb_input *in, abdb_decimal_mark mark,
                                         line_handler handler, void *self, abdb_error *err)
{
    const char *text = in->text, *end = in->text + in->text_size;
    text_line line = {.mark = mark};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < LINE_WORDS_MAX; i++) line.word[i] = "";
    while (text < end && st == ABDB_OK) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop ? stop : end) - text);
        char *own = strndup(text, size), *copy;

        if (!own) return ABDB_FAIL(err, ABDB_NOMEM, "a line");
        own[strcspn(own, "\r")] = '\0';
        line.number++;
        line.text = skip_launcher_prefix_get_rank(skip_reply_quote_marks(own), &line.rank);
        copy = strdup(line.text);
        if (copy) {
            split_line_at_commas_or_blanks(&line, copy);
            st = handler(self, &line, err);
        } else
            st = ABDB_FAIL(err, ABDB_NOMEM, "a line");
        free(copy);
        free(own);
        /* The handler's strings die here; where the reading stands is told for the progress
         * line. */
        text += size + (stop != NULL);
        if (in->at) *in->at = (size_t)(text - in->text);
    }
    return st;
}

/* What lines_have_table_header_and_number_row looks for, and how far it got. */
typedef struct {
    const char *first, *words;
    size_t numbers;
    bool headed, found;
} table_look;

/* Does the line begin with the word and hold all the others? A '#' before is none. */
static bool is_line_with_all_header_words(const table_look *look, const text_line *line)
{
    size_t skip = line->words && strcmp(line->word[0], "#") == 0;
    const char *words = look->words;
    const char *first = skip < line->words ? line->word[skip] : "";

    if (strcmp(first + (*first == '#'), look->first) != 0) return false;
    while (*words) {
        size_t word = strcspn(words, "|"), i = skip;

        while (i < line->words &&
               (strlen(line->word[i]) != word || strncmp(line->word[i], words, word) != 0))
            i++;
        if (i == line->words) return false;
        words += word + (words[word] == '|');
    }
    return true;
}

/* Looks for the header of a printed table and then for a line with enough numbers; stops there. */
static abdb_status set_found_at_number_line_after_header(void *self, const text_line *line,
                                                         abdb_error *err)
{
    table_look *look = self;
    size_t numbers = 0;

    if (!look->headed) {
        look->headed = is_line_with_all_header_words(look, line);
        return ABDB_OK;
    }
    for (size_t i = 0; i < line->words; i++) numbers += !isnan(line_word_number_or_nan(line, i));
    look->found = numbers >= look->numbers;
    return look->found ? ABDB_FAIL(err, ABDB_STOPPED, "seen") : ABDB_OK;
}

bool lines_have_table_header_and_number_row(const abdb_input *in, const char *first_word,
                                            const char *header_words, size_t numbers)
{
    abdb_input head = *in;
    table_look look = {.first = first_word, .words = header_words, .numbers = numbers};
    abdb_error err;

    if (head.text_size > BID_SIZE) head.text_size = BID_SIZE;
    head.at = NULL;
    if (!memmem(head.text, head.text_size, first_word, strlen(first_word))) return false;
    (void)!lines_deliver_each_with_mark(&head, lines_find_decimal_mark_by_number_rows(&head),
                                        set_found_at_number_line_after_header, &look, &err);
    return look.found;
}

bool lines_any_in_first_part_begins_with(const abdb_input *in, const char *text)
{
    const char *at = in->text, *end = at + (in->text_size < BID_SIZE ? in->text_size : BID_SIZE);
    size_t size = strlen(text);

    for (const char *s = at; (s = memmem(s, (size_t)(end - s), text, size)); s++) {
        const char *before = s;

        while (before > at && before[-1] != '\n') before--; /* "12: ": a launcher's */
        if (*before == '[') before += size_of_mpirun_output_tag(before);
        while (before < s && strchr(" \t0123456789:>", *before)) before++;
        if (before == s) return true;
    }
    return false;
}

size_t lines_number_length(const char *text)
{
    size_t size = abdb_number_chars_prefix_length(text);

    while (size && !isdigit((unsigned char)text[size - 1])) size--;
    return size;
}

double line_word_number_or_nan(const text_line *line, size_t word)
{
    double value;

    return word < line->words && abdb_double_parse(line->word[word], line->mark, &value) ? value
                                                                                         : NAN;
}

long line_word_as_index_or_minus_1(const text_line *line, size_t word)
{
    const char *text = line->word[word];

    if (strspn(text, "0123456789") != strlen(text)) return -1;
    return (long)abdb_digits_parse_prefix_up_to_max_or(text, 9999, -1);
}

bool line_has_number_like_word(const text_line *line)
{
    for (size_t i = 0; i < line->words; i++)
        if (isdigit((unsigned char)line->word[i][strspn(line->word[i], "+-")])) return true;
    return false;
}

abdb_status line_reject_and_end_row(const abdb_sink *sink, const text_line *line, const char *field,
                                    const char *reason, abdb_error *err)
{
    abdb_reject reject = {
        .line = line->number, .field = field, .reason = reason, .raw = line->text};
    abdb_status st = sink->reject(sink->self, &reject, err);

    return st == ABDB_OK ? sink->row_end(sink->self, err) : st;
}

abdb_status line_reject_count_numbers_and_end_row(const abdb_sink *sink, const text_line *line,
                                                  const char *field, const char *reason,
                                                  abdb_error *err)
{
    for (size_t i = 1; i < line->words; i++)
        abdb_add_thread_values_read(isfinite(line_word_number_or_nan(line, i)));
    return line_reject_and_end_row(sink, line, field, reason, err);
}
