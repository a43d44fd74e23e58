/* escape.c - text of others as text of a document; see escape.h. */
#include "query/answer/escape.h"

#include <ctype.h>

#include "query/answer/output.h"

/* The replacement of a letter; NULL: itself. */
typedef const char *escaper(char letter);

/* First made plain, then letter by letter: bytes of UTF-8 beyond ASCII are no letters of any of
 * these languages. */
static void write_sanitized_escaped(FILE *out, const char *text, escaper *escape)
{
    char one[ABDB_PLAIN_SIZE];

    while (abdb_sanitize_next_char(&text, one))
        for (const char *s = one; *s; s++) {
            const char *other = escape(*s);

            if (other)
                fputs(other, out);
            else
                fputc(*s, out);
        }
}

/* The entity of a letter with a meaning in HTML; NULL for others. */
static const char *html_entity_or_null_for(char letter)
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

void abdb_write_html_escaped(FILE *out, const char *text)
{
    write_sanitized_escaped(out, text, html_entity_or_null_for);
}

/* The escaped form of a letter with a meaning in Markdown; NULL for others. */
static const char *markdown_escape_or_null_for(char letter)
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

void abdb_write_markdown_escaped(FILE *out, const char *text)
{
    write_sanitized_escaped(out, text, markdown_escape_or_null_for);
}

/* BibTeX counts braces whatever stands before them; '[' and '*' behind a "\\" would be its options.
 */
static const char *latex_escape_or_null_for(char letter)
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

void abdb_write_latex_escaped(FILE *out, const char *text)
{
    write_sanitized_escaped(out, text, latex_escape_or_null_for);
}

static const char *bibtex_key_substitute_or_null(char letter)
{
    return isalnum((unsigned char)letter) || strchr(".:-+/", letter) ? NULL : "_";
}

void abdb_write_bibtex_key(FILE *out, const char *text)
{
    write_sanitized_escaped(out, text, bibtex_key_substitute_or_null);
}

/* Each byte as it is, or by number where it is not ASCII, or one of `encoded`. */
static void write_percent_encoded(FILE *out, const char *text, const char *encoded)
{
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        if (*s > ' ' && *s < 0x7f && !strchr(encoded, *s))
            fputc(*s, out);
        else
            abdb_print_sanitized(out, "%%%02x", *s);
}

void abdb_write_url_escaping_invalid_chars(FILE *out, const char *text)
{
    write_percent_encoded(out, text, "\"<>\\^`{|}");
}

void abdb_write_path_as_relative_url(FILE *out, const char *path)
{
    write_percent_encoded(out, path, "\"<>\\^`{|}%?#:()[]&'*!");
}

/* Would a spreadsheet compute it? A number is one in every program. */
static bool is_spreadsheet_formula(const char *text)
{
    static const char *const starts[] = {"=",  "+",  "-",  "@",  "\t", "\r",
                                         "\n", "＝", "＋", "－", "＠"};
    double number;

    if (abdb_double_parse(text, ABDB_MARK_POINT, &number)) return false;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

static void append_doubling_quotes(abdb_text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"') abdb_text_puts(out, "\"");
        abdb_text_add(out, text, 1);
    }
}

void abdb_append_csv_field_quoted_if_needed(abdb_text *out, const char *text, int style_flags)
{
    abdb_text plain = {0};
    double number;
    bool quoted, spreadsheet = style_flags & ABDB_CSV_SPREADSHEET;

    if (style_flags & ABDB_CSV_PLAIN) {
        abdb_text_append_sanitized(&plain, text);
        text = abdb_text_get(&plain);
    }
    quoted = strpbrk(text, ",\"\r\n") || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
    if (spreadsheet && *text) quoted |= !abdb_double_parse(text, ABDB_MARK_POINT, &number);
    if (quoted) abdb_text_puts(out, "\"");
    if (spreadsheet && is_spreadsheet_formula(text)) abdb_text_puts(out, "'");
    append_doubling_quotes(out, text);
    if (quoted) abdb_text_puts(out, "\"");
    abdb_text_free(&plain);
}

void abdb_append_shell_quoted(abdb_text *out, const char *word)
{
    bool plain = *word && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789_-+=.,:/@%") == strlen(word);

    abdb_text_puts(out, plain ? "" : "'");
    for (; *word; word++)
        if (*word == '\'')
            abdb_text_puts(out, "'\\''");
        else
            abdb_text_add(out, word, 1);
    if (!plain) abdb_text_puts(out, "'");
}

void abdb_append_blank_and_shell_quoted_word(abdb_text *out, const char *word)
{
    abdb_text_puts(out, " ");
    abdb_append_shell_quoted(out, word);
}
