/* gnuplot.c - gnuplot through pipes: the script goes in, the picture comes out; see figure.h. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plots/svg_dark_mode.h"
#include "plots/figure.h"
#include "schema/core/child_process.h"
#include "schema/core/timing.h"

/* LOOK_MS: longest delay in noticing a time-out. VERSION_S: longest wait of `abdb doctor` for
 * gnuplot. LETTERS_MOST: rare letters that are looked for in the fonts. */
enum { CHUNK = 65536, LOOK_MS = 100, VERSION_S = 10, LETTERS_MOST = 64 };

static abdb_status fail_with_gnuplot_timeout(abdb_error *err)
{
    return ABDB_FAIL(err, ABDB_LIMIT,
                     "the time-out was reached while gnuplot drew; --timeout SECONDS allows more");
}

static abdb_status fail_with_gnuplot_pipe_error(const char *what, abdb_error *err)
{
    return ABDB_FAIL(err, ABDB_IO, "cannot %s gnuplot: %s", what, strerror(errno));
}

/* Moves bytes both ways until gnuplot has closed its ends. */
static abdb_status exchange_script_and_picture(abdb_program *p, const char *script, double until_s,
                                               FILE *out, abdb_text *words, abdb_error *err)
{
    size_t left = strlen(script);
    int open_ends = 2;

    while (open_ends) {
        /* All three ends at once: gnuplot blocks on a full pipe of ours, so to write the whole
         * script first could wait forever. poll passes over a descriptor of -1. */
        struct pollfd end[3] = {
            {p->out, POLLIN, 0}, {p->error_output, POLLIN, 0}, {p->in, POLLOUT, 0}};
        char chunk[CHUNK];

        if (abdb_monotonic_seconds() > until_s) return fail_with_gnuplot_timeout(err);
        if (poll(end, 3, LOOK_MS) <= 0) continue;
        if (p->in >= 0 && end[2].revents) {
            ssize_t wrote = left ? write(p->in, script, left) : 0;

            if (wrote > 0) {
                script += wrote;
                left -= (size_t)wrote;
            }
            /* EPIPE: gnuplot ended early, and its error output has the reason. */
            if (wrote < 0 && errno != EAGAIN && errno != EINTR && errno != EPIPE)
                return fail_with_gnuplot_pipe_error("write to", err);
            if (!left || (wrote < 0 && errno == EPIPE)) {
                close(p->in);
                p->in = -1;
            }
        }
        for (int i = 0; i < 2; i++) {
            ssize_t size;

            if (!end[i].revents) continue;
            size = read(end[i].fd, chunk, sizeof chunk);
            if (size < 0 && errno == EINTR) continue;
            if (size < 0) return fail_with_gnuplot_pipe_error("read from", err);
            if (size == 0) {
                close(end[i].fd);
                *(i ? &p->error_output : &p->out) = -1;
                open_ends--;
            } else if (i)
                abdb_text_add(words, chunk, (size_t)size);
            else if (out && fwrite(chunk, 1, (size_t)size, out) != (size_t)size)
                return ABDB_FAIL(err, ABDB_IO, "cannot write the picture: is the disk full?");
        }
    }
    return ABDB_OK;
}

/* Overwrites a PDF's date of creation, the one thing that differs between two runs. */
static void overwrite_pdf_creation_date_by_constant(char *data, size_t size)
{
    static const char mark[] = "/CreationDate (D:";
    char *at = memmem(data, size, mark, sizeof mark - 1);

    if (at && (size_t)(at - data) + sizeof mark + 13 < size)
        memcpy(at + sizeof mark - 1, "20000101000000", 14);
}

/* gnuplot's own letters of strokes are ASCII only: the browser's are drawn instead. */
static const char letters[] =
    "<script>CanvasTextFunctions.enable=function(c){function f(a){return function(n,s,x,y,t){"
    "c.save();c.font=s+'px sans-serif';c.textAlign=a;c.fillStyle=c.strokeStyle;c.fillText(t,x,y);"
    "c.restore();};}c.drawText=f('left');c.drawTextRight=f('right');c.drawTextCenter=f('center');}"
    "</script>";

/* Writes an HTML canvas with the libraries of gnuplot put in, in the place of their names. */
static abdb_status write_html_inlining_gnuplot_scripts(const char *data, FILE *out, abdb_error *err)
{
    static const char mark[] = "<script src=\"";
    const char *at, *end;

    while ((at = strstr(data, mark)) && (end = strstr(at, "\"></script>"))) {
        char path[1024], chunk[4096];
        size_t size;
        FILE *library;
        bool whole;

        fwrite(data, 1, (size_t)(at - data), out);
        /* The path is gnuplot's own: text of the database cannot forge the mark, as it has no
         * double quotes left (abdb_figure_append_sanitized_text). */
        snprintf(path, sizeof path, "%.*s", (int)(end - at) - (int)(sizeof mark - 1),
                 at + sizeof mark - 1);
        library = fopen(path, "r");
        if (!library) return ABDB_FAIL(err, ABDB_IO, "gnuplot's own %s is not there", path);
        fputs("<script>\n", out);
        while ((size = fread(chunk, 1, sizeof chunk, library)) > 0) fwrite(chunk, 1, size, out);
        whole = !ferror(library);
        fclose(library);
        if (!whole) return ABDB_FAIL(err, ABDB_IO, "cannot read gnuplot's own %s", path);
        fputs("</script>", out);
        data = end + strlen("\"></script>");
        if (!strstr(data, mark)) fputs(letters, out); /* after the last of them */
    }
    fputs(data, out);
    return ferror(out) ? ABDB_FAIL(err, ABDB_IO, "cannot write the picture: is the disk full?")
                       : ABDB_OK;
}

/* points: the number that the script printed after ABDB_TOO_NARROW. */
static abdb_status fail_with_least_width(const char *points, abdb_error *err)
{
    return ABDB_FAIL(err, ABDB_USAGE,
                     "the figure with these names needs a width of %.*s points: --size %.*s,"
                     " or fewer devices (--devices)",
                     (int)strspn(points, "0123456789"), points, (int)strspn(points, "0123456789"),
                     points);
}

/* out: gets the program's standard output; NULL: not wanted. words: gets its standard error.
 * *status: its wait status. */
static abdb_status run_program(const abdb_start_options *how, const char *script, double limit_s,
                               FILE *out, abdb_text *words, int *status, abdb_error *err)
{
    abdb_program p;
    double until_s = abdb_monotonic_seconds() + limit_s;
    abdb_status st = abdb_program_start_with_pipes(&p, how, err);

    if (st != ABDB_OK) return st;
    st = exchange_script_and_picture(&p, script, until_s, out, words, err);
    if (st == ABDB_OK &&
        !abdb_program_wait_until_ended(&p, until_s - abdb_monotonic_seconds(), NULL))
        st = fail_with_gnuplot_timeout(err);
    *status = abdb_program_kill_and_reap(&p);
    return st;
}

/* out: gets the picture; NULL: none is wanted. words: gets gnuplot's error output. */
static abdb_status run_gnuplot_script(const char *script, double limit_s, FILE *out,
                                      abdb_text *words, abdb_error *err)
{
    static const abdb_start_options how = {.path = "gnuplot",
                                           .argument = {"-d", "-"},
                                           .capture_stderr = true}; /* -d: no startup file */
    const char *at;
    int status = 0;
    abdb_status st = run_program(&how, script, limit_s, out, words, &status, err);

    if (st == ABDB_OK && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        st = ABDB_FAIL(err, ABDB_IO, "gnuplot is not installed: apt-get install gnuplot-nox");
    else if (st == ABDB_OK && status != 0 && (at = strstr(abdb_text_get(words), ABDB_TOO_NARROW)))
        st = fail_with_least_width(at + strlen(ABDB_TOO_NARROW), err);
    else if (st == ABDB_OK && status != 0)
        st = ABDB_FAIL(err, ABDB_IO, "gnuplot: %.600s", abdb_text_get(words));
    return st;
}

abdb_status abdb_gnuplot_version(char *out, size_t room, abdb_error *err)
{
    static const char script[] = "print 'gnuplot', GPVAL_VERSION, 'patchlevel', GPVAL_PATCHLEVEL\n";
    abdb_text words = {0};
    abdb_status st = run_gnuplot_script(script, VERSION_S, NULL, &words, err);

    snprintf(out, room, "%s", abdb_text_get(&words));
    out[strcspn(out, "\n")] = '\0';
    abdb_text_free(&words);
    return st;
}

/* Appends the picture that gnuplot draws from the script. */
static abdb_status draw_and_append_picture_of_one_tone(const char *script, abdb_picture picture,
                                                       bool dark, double limit_s, abdb_text *out,
                                                       abdb_error *err)
{
    abdb_text whole = {0}, words = {0};
    char *data = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&data, &size);
    abdb_status st = ABDB_OK;

    if (!memory) return ABDB_FAIL(err, ABDB_NOMEM, "a picture");
    abdb_text_printf(&whole, "piped = 1\npicture = \"%s\"\ndark = %d\n%s",
                     abdb_picture_name[picture], dark, script);
    st = whole.failed ? ABDB_FAIL(err, ABDB_NOMEM, "a picture")
                      : run_gnuplot_script(abdb_text_get(&whole), limit_s, memory, &words, err);
    fclose(memory);
    if (st == ABDB_OK && size == 0) st = ABDB_FAIL(err, ABDB_IO, "gnuplot drew nothing");
    if (st == ABDB_OK) abdb_text_add(out, data, size);
    if (st == ABDB_OK && out->failed) st = ABDB_FAIL(err, ABDB_NOMEM, "a picture");
    free(data);
    abdb_text_free(&words);
    abdb_text_free(&whole);
    return st;
}

/* Can every font of this system be expected to have it? Latin, Greek, Cyrillic, punctuation,
 * arrows and signs of mathematics are in DejaVu Sans. */
static bool is_common_letter(unsigned code)
{
    return code < 0x250 || (code >= 0x2b0 && code < 0x530) || (code >= 0x1e00 && code < 0x2c00);
}

/* *known: has a font here this letter? It stays true where fc-list gives no answer. */
static abdb_status look_for_font_with_letter(unsigned code, double limit_s, bool *known,
                                             abdb_error *err)
{
    char charset[32];
    const abdb_start_options how = {
        .path = "fc-list", .argument = {charset, "file"}, .capture_stderr = true};
    abdb_text words = {0};
    char *fonts = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&fonts, &size);
    int status = 0;
    abdb_status st = ABDB_OK;

    snprintf(charset, sizeof charset, ":charset=%x", code);
    if (!memory) return ABDB_FAIL(err, ABDB_NOMEM, "a picture");
    st = run_program(&how, "", limit_s, memory, &words, &status, err);
    fclose(memory);
    if (st == ABDB_OK && WIFEXITED(status) && WEXITSTATUS(status) == 0) *known = size > 0;
    free(fonts);
    abdb_text_free(&words);
    return st;
}

/* The code of a valid UTF-8 character of so many bytes. */
static unsigned utf8_code(const char *letter, int size)
{
    unsigned code = (unsigned char)*letter & (size == 1 ? 0x7f : 0xff >> (size + 1));

    for (int i = 1; i < size; i++) code = code << 6 | ((unsigned char)letter[i] & 0x3f);
    return code;
}

/* ABDB_USAGE: no font here has a letter of the script, in whose place gnuplot draws a box over the
 * whole picture. */
static abdb_status refuse_letters_without_font(const char *script, double limit_s, abdb_error *err)
{
    unsigned seen[LETTERS_MOST];
    size_t count = 0;
    abdb_status st = ABDB_OK;

    for (int size; *script && count < LETTERS_MOST && st == ABDB_OK; script += size) {
        unsigned code = 0;
        bool known = true;
        size_t i = 0;

        size = abdb_utf8_char_length(script);
        if (size) code = utf8_code(script, size);
        size += !size;
        while (i < count && seen[i] != code) i++;
        if (i < count || is_common_letter(code)) continue;
        seen[count++] = code;
        st = look_for_font_with_letter(code, limit_s, &known, err);
        if (!known)
            st = ABDB_FAIL(err, ABDB_USAGE,
                           "no font here has the letter %.*s (U+%04X): install one"
                           " (fonts-noto-cjk, say), or draw an SVG (--type svg), which uses its"
                           " reader's fonts",
                           size, script, code);
    }
    return st;
}

abdb_status abdb_figure_draw(const char *script, abdb_picture picture, abdb_tone tone,
                             double limit_s, FILE *out, abdb_error *err)
{
    abdb_text drawn = {0}, dark = {0}, both = {0}, *last = &drawn;
    abdb_status st = ABDB_OK;

    if (picture == ABDB_PNG || picture == ABDB_PDF || picture == ABDB_SIXEL)
        TRY(refuse_letters_without_font(script, limit_s, err));
    TRY(draw_and_append_picture_of_one_tone(script, picture, tone == ABDB_DARK, limit_s, &drawn,
                                            err));
    if (tone == ABDB_ADAPTIVE && picture == ABDB_SVG) {
        TRY(draw_and_append_picture_of_one_tone(script, picture, true, limit_s, &dark, err));
        TRY(abdb_svg_merge_light_dark(drawn.data, dark.data, &both, err));
        last = &both;
    }
    if (picture == ABDB_PDF) overwrite_pdf_creation_date_by_constant(drawn.data, drawn.size);
    if (picture == ABDB_CANVAS)
        TRY(write_html_inlining_gnuplot_scripts(drawn.data, out, err));
    else if (fwrite(last->data, 1, last->size, out) != last->size)
        TRY(ABDB_FAIL(err, ABDB_IO, "cannot write the picture: is the disk full?"));
done:
    abdb_text_free(&drawn);
    abdb_text_free(&dark);
    abdb_text_free(&both);
    return st;
}
