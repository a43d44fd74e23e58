/* escape.c - text of others as text of a document; see escape.h. */
#include "query/answer/escape.h"

#include <ctype.h>

#include "query/answer/say.h"

/* What stands for a letter; NULL: itself. */
typedef const char *escaper(char letter);

/* First made plain, then letter by letter: bytes of UTF-8 beyond ASCII are no letters of any of
 * these languages. */
static void put_escaped(FILE *out, const char *text, escaper *escape)
{
    char one[ABDB_PLAIN_SIZE];

    while (abdb_plain_next(&text, one))
        for (const char *s = one; *s; s++) {
            const char *other = escape(*s);

            if (other)
                fputs(other, out);
            else
                fputc(*s, out);
        }
}

static const char *in_html(char letter)
{
    switch (letter) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

void abdb_html_text(FILE *out, const char *text)
{
    put_escaped(out, text, in_html);
}

static const char *in_markdown(char letter)
{
    switch (letter) {
    case '|': return "\\|";
    case '\\': return "\\\\";
    case '`': return "\\`";
    case '*': return "\\*";
    case '_': return "\\_";
    case '<': return "\\<";
    case '>': return "\\>";
    case '[': return "\\[";
    case ']': return "\\]";
    case '#': return "\\#";
    case '!': return "\\!";
    default: return NULL;
    }
}

void abdb_markdown_text(FILE *out, const char *text)
{
    put_escaped(out, text, in_markdown);
}

/* BibTeX counts braces whatever stands before them; '[' and '*' behind a "\\" would be its options.
 */
static const char *in_latex(char letter)
{
    switch (letter) {
    case '\\': return "\\textbackslash{}";
    case '~': return "\\textasciitilde{}";
    case '^': return "\\textasciicircum{}";
    case '{': return "\\textbraceleft{}";
    case '}': return "\\textbraceright{}";
    case '<': return "\\textless{}";
    case '>': return "\\textgreater{}";
    case '|': return "\\textbar{}";
    case '&': return "\\&";
    case '%': return "\\%";
    case '$': return "\\$";
    case '#': return "\\#";
    case '_': return "\\_";
    case '[': return "{[}";
    case '*': return "{*}";
    default: return NULL;
    }
}

void abdb_latex_text(FILE *out, const char *text)
{
    put_escaped(out, text, in_latex);
}

static const char *in_key(char letter)
{
    return isalnum((unsigned char)letter) || strchr(".:-+/", letter) ? NULL : "_";
}

void abdb_bibtex_key(FILE *out, const char *text)
{
    put_escaped(out, text, in_key);
}

/* Each byte as it is, or by number where it is not ASCII, or one of `encoded`. */
static void put_encoded(FILE *out, const char *text, const char *encoded)
{
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        if (*s > ' ' && *s < 0x7f && !strchr(encoded, *s))
            fputc(*s, out);
        else
            abdb_say(out, "%%%02x", *s);
}

void abdb_url_text(FILE *out, const char *text)
{
    put_encoded(out, text, "\"<>\\^`{|}");
}

void abdb_url_path(FILE *out, const char *path)
{
    put_encoded(out, path, "\"<>\\^`{|}%?#:()[]&'*!");
}

/* Would a spreadsheet compute it? A number is one in every program. */
static bool is_formula(const char *text)
{
    static const char *const starts[] = {"=",  "+",  "-",  "@",  "\t", "\r",
                                         "\n", "＝", "＋", "－", "＠"};
    double number;

    if (abdb_double_parse(text, ABDB_MARK_POINT, &number)) return false;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

static void add_quoted(abdb_text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"') abdb_text_puts(out, "\"");
        abdb_text_add(out, text, 1);
    }
}

void abdb_csv_text(abdb_text *out, const char *text, int style)
{
    abdb_text plain = {0};
    double number;
    bool quoted, spreadsheet = style & ABDB_CSV_SPREADSHEET;

    if (style & ABDB_CSV_PLAIN) {
        abdb_text_plain(&plain, text);
        text = abdb_text_get(&plain);
    }
    quoted = strpbrk(text, ",\"\r\n") || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
    if (spreadsheet && *text) quoted |= !abdb_double_parse(text, ABDB_MARK_POINT, &number);
    if (quoted) abdb_text_puts(out, "\"");
    if (spreadsheet && is_formula(text)) abdb_text_puts(out, "'");
    add_quoted(out, text);
    if (quoted) abdb_text_puts(out, "\"");
    abdb_text_free(&plain);
}
