/* say.c - the only way out for text; see say.h. */
#include "query/answer/say.h"

#include <stdlib.h>
#include <unistd.h>

void abdb_say_now(const char *words)
{
    (void)!write(STDERR_FILENO, words, strlen(words));
}

bool abdb_is_screen(FILE *out)
{
    return isatty(fileno(out)) == 1;
}

size_t abdb_vsay(FILE *out, const char *format, va_list args)
{
    abdb_text text = {0};
    size_t size;

    abdb_text_vplain(&text, format, args);
    size = fwrite(abdb_text_get(&text), 1, text.size, out);
    abdb_text_free(&text);
    return size;
}

size_t abdb_say(FILE *out, const char *format, ...)
{
    va_list args;
    size_t size;

    va_start(args, format);
    size = abdb_vsay(out, format, args);
    va_end(args);
    return size;
}

/* One line without its end, or what is left, made plain: on a terminal only the ends of lines that
 * were there stay. */
static void put_line(FILE *out, const char *line, size_t size)
{
    abdb_text text = {0};

    abdb_text_add(&text, line, size);
    abdb_say(out, "%s", abdb_text_get(&text));
    abdb_text_free(&text);
}

bool abdb_put(FILE *out, const char *data, size_t size)
{
    if (!abdb_is_screen(out)) return fwrite(data, 1, size, out) == size;
    while (size) {
        const char *end = memchr(data, '\n', size);
        size_t line = end ? (size_t)(end - data) : size;

        put_line(out, data, line);
        if (end) fputc('\n', out);
        data += line + (end != NULL);
        size -= line + (end != NULL);
    }
    return !ferror(out);
}

void abdb_paint(FILE *out, const char *codes)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    if (abdb_is_screen(out) && !(no && *no) && !(term && strcmp(term, "dumb") == 0))
        abdb_say(out, "\033[%sm", codes);
}

void abdb_remark(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("abdb: ", stderr);
    abdb_vsay(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void abdb_progress(const char *what, double done, double total)
{
    enum { WIDTH = 24 };
    static bool shown;
    char bar[WIDTH + 1];

    if (!abdb_is_screen(stderr)) return;
    if (done < 0) {
        if (shown) fputs("\r\033[K", stderr);
        shown = false;
        return;
    }
    for (int i = 0; i < WIDTH; i++) bar[i] = total > 0 && i < done / total * WIDTH ? '#' : '.';
    bar[WIDTH] = '\0';
    abdb_say(stderr, "\r\033[K[%s] %.0f/%.0f %s", bar, done, total, what);
    fflush(stderr);
    shown = true;
}
