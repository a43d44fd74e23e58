/* output.c - the only way out for text; see output.h. */
#include "query/answer/output.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int paged_columns; /* of the terminal behind a pager; 0: there is none */

void abdb_print_stderr_signal_safe(const char *words)
{
    (void)!write(STDERR_FILENO, words, strlen(words));
}

bool abdb_stream_is_terminal_or_paged(FILE *out)
{
    return (out == stdout && paged_columns) || isatty(fileno(out)) == 1;
}

int abdb_terminal_width_or_zero(FILE *out)
{
    enum { USUAL = 80 };
    struct winsize size;

    if (!abdb_stream_is_terminal_or_paged(out)) return 0;
    if (out == stdout && paged_columns) return paged_columns;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

void abdb_treat_stdout_as_paged_terminal(int columns)
{
    paged_columns = columns;
}

void abdb_print_wrapped(FILE *out, int indent, const char *text)
{
    int width = abdb_terminal_width_or_zero(out), column = 0;

    if (!width || abdb_display_width(text) <= width) {
        abdb_print_sanitized(out, "%s\n", text);
        return;
    }
    while (*text) {
        size_t size = strspn(text, " ") + strcspn(text + strspn(text, " "), " ");
        abdb_text word = {0};
        int wide;

        abdb_text_add(&word, text, size);
        wide = abdb_display_width(abdb_text_get(&word));
        if (column > indent && column + wide > width) {
            size_t blanks = strspn(text, " ");

            column = indent + wide - (int)blanks;
            abdb_print_sanitized(out, "\n%*s%s", indent, "", abdb_text_get(&word) + blanks);
        } else {
            abdb_print_sanitized(out, "%s", abdb_text_get(&word));
            column += wide;
        }
        abdb_text_free(&word);
        text += size;
    }
    fputc('\n', out);
}

/* The same without memory, for messages: that there is none must come through. Longer ones are cut.
 */
static size_t print_sanitized_without_allocating(FILE *out, const char *format, va_list args)
{
    char raw[2 * ABDB_ERROR_SIZE], one[ABDB_PLAIN_SIZE];
    const char *rest = raw;
    size_t size = 0;

    vsnprintf(raw, sizeof raw, format, args);
    while (*rest) {
        if (*rest == '\n')
            snprintf(one, sizeof one, "%c", *rest++);
        else if (!abdb_sanitize_next_char(&rest, one))
            break;
        size += fwrite(one, 1, strlen(one), out);
    }
    return size;
}

size_t abdb_vprint_sanitized(FILE *out, const char *format, va_list args)
{
    abdb_text text = {0};
    va_list again;
    size_t size;

    va_copy(again, args);
    abdb_text_vprintf_sanitized(&text, format, args);
    size = text.failed && out == stderr ? print_sanitized_without_allocating(out, format, again)
                                        : fwrite(abdb_text_get(&text), 1, text.size, out);
    va_end(again);
    abdb_text_free(&text);
    return size;
}

size_t abdb_print_sanitized(FILE *out, const char *format, ...)
{
    va_list args;
    size_t size;

    va_start(args, format);
    size = abdb_vprint_sanitized(out, format, args);
    va_end(args);
    return size;
}

/* One line without its end, or the rest, made plain: on a terminal only the original ends of lines
 * stay. */
static void print_sanitized_without_newline(FILE *out, const char *line, size_t size)
{
    abdb_text text = {0};

    abdb_text_add(&text, line, size);
    abdb_print_sanitized(out, "%s", abdb_text_get(&text));
    abdb_text_free(&text);
}

bool abdb_write_sanitized_if_terminal(FILE *out, const char *data, size_t size)
{
    if (!abdb_stream_is_terminal_or_paged(out)) return fwrite(data, 1, size, out) == size;
    while (size) {
        const char *end = memchr(data, '\n', size);
        size_t line = end ? (size_t)(end - data) : size;

        print_sanitized_without_newline(out, data, line);
        if (end) fputc('\n', out);
        data += line + (end != NULL);
        size -= line + (end != NULL);
    }
    return !ferror(out);
}

void abdb_print_colour_code_if_colours_allowed(FILE *out, const char *codes)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    if (abdb_stream_is_terminal_or_paged(out) && !(no && *no) &&
        !(term && strcmp(term, "dumb") == 0))
        abdb_print_sanitized(out, "\033[%sm", codes);
}

void abdb_print_stderr_remark(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("abdb: ", stderr);
    abdb_vprint_sanitized(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void abdb_print_stderr_remark_of_ended_processes(void *self, const char *path,
                                                 const char *processes)
{
    (void)self;
    abdb_print_stderr_remark("%s left processes behind, which were ended: %s", path, processes);
}

void abdb_show_or_clear_progress_bar(const char *what, double done, double total)
{
    enum { WIDTH = 24 };
    static bool shown;
    char bar[WIDTH + 1];

    if (!abdb_stream_is_terminal_or_paged(stderr)) return;
    if (done < 0) {
        if (shown) fputs("\r\033[K", stderr);
        shown = false;
        return;
    }
    for (int i = 0; i < WIDTH; i++) bar[i] = total > 0 && i < done / total * WIDTH ? '#' : '.';
    bar[WIDTH] = '\0';
    abdb_print_sanitized(stderr, "\r\033[K[%s] %.0f/%.0f %s", bar, done, total, what);
    fflush(stderr);
    shown = true;
}
