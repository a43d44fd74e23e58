/* sanitize_text.c - text of others made plain; see sanitize_text.h. */
#include "schema/core/sanitize_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Control and invisible code points: DEL and C1; Default_Ignorable_Code_Point of Unicode 15; line
 * and paragraph separators, marks of direction, annotations, controls of hieroglyphs; and, with the
 * last two of each plane, the noncharacters (two are not allowed in XML). */
static const struct {
    unsigned first, last;
} hidden[] = {{0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
              {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},
              {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},
              {0xfdd0, 0xfdef},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
              {0x13430, 0x1345f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

static bool is_control_or_invisible(unsigned c)
{
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (c >= hidden[i].first && c <= hidden[i].last) return true;
    return c < 0x20 || (c & 0xfffe) == 0xfffe;
}

/* first[length]: the bits of the first byte that belong to the number. */
static unsigned decode_code_point(const unsigned char *s, int length)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned c = s[0] & first[length];

    for (int i = 1; i < length; i++) c = c << 6 | (s[i] & 0x3f);
    return c;
}

/* Does the text end within the character that begins here? */
static bool is_truncated_utf8_char(const unsigned char *s)
{
    int length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 1;

    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return !s[i];
    return false;
}

bool abdb_sanitize_next_char(const char **text, char out[ABDB_PLAIN_SIZE])
{
    const unsigned char *s = (const unsigned char *)*text;
    int length = abdb_utf8_char_length(*text);
    unsigned c = decode_code_point(s, length);

    if (!*s || (!length && is_truncated_utf8_char(s))) return false;
    *text += length ? length : 1;
    if (strchr(" \t\n\v\f\r", *s)) {
        memcpy(out, " ", 2);
    } else if (!length) {
        snprintf(out, ABDB_PLAIN_SIZE, "\\x%02x", *s);
    } else if (!is_control_or_invisible(c)) {
        memcpy(out, s, (size_t)length);
        out[length] = '\0';
    } else if (c < 0x10000) {
        snprintf(out, ABDB_PLAIN_SIZE, "\\u%04x", c);
    } else {
        c -= 0x10000;
        snprintf(out, ABDB_PLAIN_SIZE, "\\u%04x\\u%04x", 0xd800 | c >> 10, 0xdc00 | (c & 0x3ff));
    }
    return true;
}

bool abdb_sanitize_into_buffer(const char *text, char *out, size_t room)
{
    char one[ABDB_PLAIN_SIZE];
    size_t used = 0;

    out[0] = '\0';
    while (abdb_sanitize_next_char(&text, one)) {
        size_t size = strlen(one);

        if (used + size >= room) return false;
        memcpy(out + used, one, size + 1);
        used += size;
    }
    return true;
}

void abdb_text_append_sanitized(abdb_text *out, const char *text)
{
    char one[ABDB_PLAIN_SIZE];

    while (abdb_sanitize_next_char(&text, one)) abdb_text_puts(out, one);
}

int abdb_display_width(const char *text)
{
    char one[ABDB_PLAIN_SIZE];
    int width = 0;

    while (abdb_sanitize_next_char(&text, one)) {
        const unsigned char *s = (const unsigned char *)one;

        if (s[0] == 0xCC || (s[0] == 0xCD && s[1] < 0xB0)) continue; /* combining marks */
        width += s[0] < 0x80 ? (int)strlen(one) : 1;
    }
    return width;
}

/* --- as printf -------------------------------------------------------------------------------- */

typedef struct {
    char flags[8], length[3], kind;
    int width, precision; /* precision -1: none */
} conversion;

/* Reads width or precision from the format, or from the arguments for '*'; *at moves behind it. */
static int parse_number_or_star(const char **at, va_list *args)
{
    unsigned long long number = 0;

    if (**at == '*') {
        ++*at;
        return va_arg(*args, int);
    }
    *at += abdb_digits_parse_prefix(*at, 10, &number);
    return number < INT_MAX ? (int)number : INT_MAX;
}

static void copy_leading_chars_of_set(const char **at, const char *set, char *out, size_t room)
{
    size_t size = strspn(*at, set);

    snprintf(out, room, "%.*s", (int)size, *at);
    *at += size;
}

/* Reads a conversion behind its '%'; returns the rest of the format. */
static const char *parse_printf_conversion(conversion *c, const char *at, va_list *args)
{
    copy_leading_chars_of_set(&at, "-+ #0", c->flags, sizeof c->flags);
    c->width = *at == '*' || isdigit((unsigned char)*at) ? parse_number_or_star(&at, args) : 0;
    c->precision = -1;
    if (*at == '.') {
        at++;
        c->precision = parse_number_or_star(&at, args);
    }
    copy_leading_chars_of_set(&at, "lz", c->length, sizeof c->length);
    c->kind = *at;
    return at + (*at != '\0');
}

/* A number; format has a width and a precision as `*`, a negative precision meaning none. Without
 * the attribute of a printf, because the format is made here. */
static void append_formatted_number(abdb_text *out, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    abdb_text_puts(out, text);
}

/* Formats the next argument as the integer type that the length names. */
static void append_integer_argument(abdb_text *out, const conversion *c, const char *format,
                                    va_list *args)
{
    if (strcmp(c->length, "z") == 0)
        append_formatted_number(out, format, c->width, c->precision, va_arg(*args, size_t));
    else if (strcmp(c->length, "ll") == 0)
        append_formatted_number(out, format, c->width, c->precision, va_arg(*args, long long));
    else if (strcmp(c->length, "l") == 0)
        append_formatted_number(out, format, c->width, c->precision, va_arg(*args, long));
    else
        append_formatted_number(out, format, c->width, c->precision, va_arg(*args, int));
}

static void append_blanks(abdb_text *out, int count)
{
    for (int i = 0; i < count; i++) abdb_text_puts(out, " ");
}

/* At most `precision` bytes of a string that may not end there, whole characters of them. */
static void append_sanitized_padded(abdb_text *out, const conversion *c, const char *string)
{
    abdb_text some = {0};
    size_t size = strnlen(string, c->precision < 0 ? SIZE_MAX : (size_t)c->precision);
    int width = c->width == INT_MIN ? 0 : abs(c->width), blanks;
    bool left = strchr(c->flags, '-') || c->width < 0;

    abdb_text_add(&some, string, size);
    blanks = width - abdb_display_width(abdb_text_get(&some));
    if (!left) append_blanks(out, blanks);
    abdb_text_append_sanitized(out, abdb_text_get(&some));
    if (left) append_blanks(out, blanks);
    out->failed |= some.failed;
    abdb_text_free(&some);
}

/* Formats the next argument by its conversion; text is sanitized. */
static void append_converted_argument(abdb_text *out, const conversion *c, va_list *args)
{
    const char *string;
    char format[24];

    snprintf(format, sizeof format, "%%%s*.*%s%c", c->flags, c->length, c->kind);
    switch (c->kind) {
    case 's':
        string = va_arg(*args, const char *);
        append_sanitized_padded(out, c, string ? string : "");
        break;
    case 'c': append_sanitized_padded(out, c, (char[]){(char)va_arg(*args, int), '\0'}); break;
    case 'd':
    case 'i':
    case 'u':
    case 'x': append_integer_argument(out, c, format, args); break;
    case 'e':
    case 'f':
    case 'g':
        append_formatted_number(out, format, c->width, c->precision, va_arg(*args, double));
        break;
    default: abdb_text_puts(out, "%");
    }
}

void abdb_text_vprintf_sanitized(abdb_text *out, const char *format, va_list args)
{
    va_list rest;

    va_copy(rest, args);
    while (*format) {
        size_t size = strcspn(format, "%");
        conversion c;

        abdb_text_add(out, format, size);
        format += size;
        if (!*format) break;
        format = parse_printf_conversion(&c, format + 1, &rest);
        append_converted_argument(out, &c, &rest);
    }
    va_end(rest);
}

/* Does the character end a line, command a terminal, or turn the direction of others? */
static bool is_line_terminal_or_bidi_control(unsigned c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

abdb_status abdb_check_name_is_short_printable_utf8(const char *what, const char *text, size_t size,
                                                    size_t most, abdb_error *err)
{
    if (size > most)
        return ABDB_FAIL(err, ABDB_USAGE, "%s has %zu bytes: more than %zu are no name", what, size,
                         most);
    for (const char *at = text; at < text + size;) {
        int length = abdb_utf8_char_length(at);

        if (!length) return ABDB_FAIL(err, ABDB_USAGE, "%s '%s' is not UTF-8", what, text);
        if (is_line_terminal_or_bidi_control(decode_code_point((const unsigned char *)at, length)))
            return ABDB_FAIL(err, ABDB_USAGE,
                             "%s has a line break or another control character: '%s'", what, text);
        at += length;
    }
    return ABDB_OK;
}
