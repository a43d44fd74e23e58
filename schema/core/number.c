/* number.c - numbers from text and to text; see number.h. Short cuts take the numbers that files
 * are full of; whatever they do not cover goes to the C library. */
#include "schema/core/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_DIGITS = 15, NUMBER_ROOM = 128 };

/* Formats and converts with a decimal point, whatever the locale is. The C library has this locale
 * built in, so that opening it cannot fail. */
static locale_t c_locale;

static void open_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t get_c_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, open_c_locale);
    return c_locale;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Marks of thousands that are no decimal mark anywhere: of Swiss, French and other spellings. */
static const char *const grouping_marks[] = {
    "'", "\xE2\x80\x99",                       /* apostrophes, straight and curled */
    "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89" /* blanks: no-break, narrow no-break, thin */
};

/* The bytes of the grouping mark that text begins with; 0: none. */
static size_t grouping_mark_length(const char *text)
{
    for (size_t i = 0; i < sizeof grouping_marks / sizeof grouping_marks[0]; i++)
        if (strncmp(text, grouping_marks[i], strlen(grouping_marks[i])) == 0)
            return strlen(grouping_marks[i]);
    return 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Digits with at most one point, as "1234.5": the digits as a whole number and the power of ten
 * below, both exact, so that one division rounds as strtod does (Clinger, PLDI 1990). */
static bool parse_short_plain_decimal_exactly(const char *text, abdb_number *out)
{
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    long long whole = 0;
    int digits = 0, after = 0;
    bool point = false;

    for (const char *s = text; *s; s++) {
        if (*s == '.' && !point) {
            point = true;
        } else if (is_digit(*s) && digits < EXACT_DIGITS) {
            whole = whole * 10 + (*s - '0');
            digits++;
            after += point;
        } else {
            return false;
        }
    }
    if (!digits) return false;
    out->found = true;
    out->value = (double)whole / power[after];
    out->is_whole = out->value == floor(out->value); /* exact: a fraction has at most 15 digits */
    out->whole = out->is_whole ? (long long)out->value : 0;
    return true;
}

/* How many characters of text spell an exponent; 0: none. */
static size_t exponent_length(const char *text)
{
    size_t sign = (*text == 'e' || *text == 'E') && (text[1] == '+' || text[1] == '-'), digits;

    if (*text != 'e' && *text != 'E') return 0;
    digits = strspn(text + 1 + sign, "0123456789");
    return digits ? 1 + sign + digits : 0;
}

/* Copies text with an apostrophe for each grouping mark. False: it is too long, or has marks of
 * several kinds. */
static bool normalize_grouping_marks_to_apostrophe(const char *text, char out[NUMBER_ROOM])
{
    const char *first = NULL;
    size_t used = 0, size;

    for (; *text; used++) {
        if (used + 1 >= NUMBER_ROOM) return false;
        size = grouping_mark_length(text);
        if (size && first && strncmp(text, first, size) != 0) return false;
        if (size) first = text;
        out[used] = size ? '\'' : *text;
        text += size ? size : 1;
    }
    out[used] = '\0';
    return true;
}

/* Copies the digits before the decimal mark to plain. False: thousands marks stand where no group
 * of three follows, or behind a zero. */
static bool copy_integer_part_without_thousands(const char *text, size_t size, char thousands,
                                                char *plain)
{
    size_t lead = strspn(text, "0123456789"), used = lead;

    if (lead > size) lead = used = size;
    memcpy(plain, text, lead);
    if (lead < size && (lead < 1 || lead > 3 || *text == '0')) return false;
    for (size_t at = lead; at < size; at += 4) {
        if (size - at < 4 || text[at] != thousands) return false;
        for (int i = 1; i < 4; i++) {
            if (!is_digit(text[at + (size_t)i])) return false;
            plain[used++] = text[at + (size_t)i];
        }
    }
    plain[used] = '\0';
    return true;
}

/* Rewrites a number with that decimal mark as C spells it: no thousands marks, a point. */
static bool rewrite_number_in_c_syntax(const char *text, char decimal, char plain[NUMBER_ROOM])
{
    char thousands = decimal == ',' ? '.' : ',', own[NUMBER_ROOM];
    size_t size, digits, used;
    const char *end;

    if (!normalize_grouping_marks_to_apostrophe(text, own)) return false;
    text = own;
    if (strchr(text, '\'')) thousands = '\'';
    *plain = '\0';
    if (*text == '+' || *text == '-') {
        memcpy(plain, text++, 1);
        *++plain = '\0';
    }
    digits = strspn(text, "0123456789,.'");
    end = memchr(text, decimal, digits);
    size = end ? (size_t)(end - text) : digits;
    if (!copy_integer_part_without_thousands(text, size, thousands, plain)) return false;
    used = strlen(plain);
    if (end) {
        size_t fraction = strspn(end + 1, "0123456789");

        if (used + fraction == 0 || (size_t)(end - text) + 1 + fraction != digits) return false;
        plain[used++] = '.';
        memcpy(plain + used, end + 1, fraction);
        plain[used += fraction] = '\0';
    }
    if (used == 0) return false;
    text += digits;
    if (exponent_length(text) != strlen(text)) return false;
    if (*text && memchr(text - digits, thousands, digits)) return false;
    memcpy(plain + used, text, strlen(text) + 1);
    return true;
}

/* Does the plain number, "-12.50e3", spell a whole one that fits? By its digits: the nearest double
 * may be whole where the number is not. */
static bool parse_exact_integer(const char *plain, long long *out)
{
    const char *end = plain + strcspn(plain, "eE"),
               *point = memchr(plain, '.', (size_t)(end - plain));
    bool negative = *plain == '-';
    unsigned long long exponent = 0;
    long long scale, whole = 0;

    plain += *plain == '-' || *plain == '+';
    if (*end)
        (void)abdb_digits_parse_prefix(end + 1 + (end[1] == '-' || end[1] == '+'), 10, &exponent);
    scale = exponent > 9999 ? 9999 : (long long)exponent;
    if (*end && end[1] == '-') scale = -scale;
    if (point) scale -= end - point - 1;
    while (end > plain && (end[-1] == '0' || end[-1] == '.')) scale += *--end == '0';
    if (end == plain) return *out = 0, true;
    if (scale < 0) return false;
    for (; plain < end; plain++)
        if (*plain != '.' && (__builtin_mul_overflow(whole, 10, &whole) ||
                              __builtin_sub_overflow(whole, *plain - '0', &whole)))
            return false;
    for (; scale > 0 && whole; scale--)
        if (__builtin_mul_overflow(whole, 10, &whole)) return false;
    if (!negative && __builtin_sub_overflow(0, whole, &whole)) return false;
    *out = whole;
    return true;
}

/* Reads the whole text as a number with that decimal mark; .found is false if it is none, not
 * finite, or too small for a double. */
static abdb_number parse_number_with_decimal_mark(const char *text, char decimal)
{
    char plain[NUMBER_ROOM], *end;
    abdb_number number = {0};

    if (!rewrite_number_in_c_syntax(text, decimal, plain)) return number;
    number.value = strtod_l(plain, &end, get_c_locale());
    /* 0 of digits that are not all zeros: too small for a double. */
    number.found = !*end && isfinite(number.value) &&
                   (number.value != 0 || strcspn(plain, "123456789") >= strcspn(plain, "eE"));
    number.is_whole = number.found && parse_exact_integer(plain, &number.whole);
    return number;
}

static bool has_different_values_by_point_and_comma(const char *text)
{
    abdb_number point = parse_number_with_decimal_mark(text, '.'),
                comma = parse_number_with_decimal_mark(text, ',');

    return point.found && comma.found && point.value != comma.value;
}

abdb_decimal_mark abdb_number_infer_decimal_mark(const char *text)
{
    bool point, comma;

    if (!strpbrk(text, ".,") || !is_digit(text[strspn(text, "+-.,")])) return ABDB_MARK_UNKNOWN;
    point = parse_number_with_decimal_mark(text, '.').found;
    comma = parse_number_with_decimal_mark(text, ',').found;
    return point == comma ? ABDB_MARK_UNKNOWN : point ? ABDB_MARK_POINT : ABDB_MARK_COMMA;
}

size_t abdb_number_chars_prefix_length(const char *text)
{
    size_t size = 0, more;

    while ((more = strspn(text + size, "+-0123456789.,eE")) > 0 ||
           (size && is_digit(text[size - 1]) && (more = grouping_mark_length(text + size)) > 0 &&
            is_digit(text[size + more])))
        size += more;
    return size;
}

abdb_number abdb_number_parse(const char *text, abdb_decimal_mark mark)
{
    abdb_number number = {0};

    if (mark == ABDB_MARK_COMMA) return parse_number_with_decimal_mark(text, ',');
    if (mark != ABDB_MARK_EITHER && parse_short_plain_decimal_exactly(text, &number)) return number;
    number = parse_number_with_decimal_mark(text, '.');
    if (mark == ABDB_MARK_EITHER || (mark == ABDB_MARK_UNKNOWN && strchr(text, ',')))
        number.found = number.found && !has_different_values_by_point_and_comma(text);
    return number;
}

bool abdb_double_parse(const char *text, abdb_decimal_mark mark, double *out)
{
    abdb_number number = abdb_number_parse(text, mark);

    if (number.found) *out = number.value;
    return number.found;
}

bool abdb_integer_parse_in_range(const char *text, abdb_decimal_mark mark, long long low,
                                 long long high, long long *out)
{
    abdb_number number = abdb_number_parse(text, mark == ABDB_MARK_COMMA ? mark : ABDB_MARK_POINT);

    if (!number.found || !number.is_whole || number.whole < low || number.whole > high)
        return false;
    *out = number.whole;
    return true;
}

bool abdb_number_fails_but_parses_with_other_mark(const char *text, abdb_decimal_mark mark)
{
    return !abdb_number_parse(text, mark).found &&
           (parse_number_with_decimal_mark(text, '.').found ||
            parse_number_with_decimal_mark(text, ',').found);
}

const char *abdb_number_write_why_not_a_number(const char *name, const char *text,
                                               abdb_decimal_mark mark, char *out, size_t room)
{
    abdb_number point = parse_number_with_decimal_mark(text, '.'),
                comma = parse_number_with_decimal_mark(text, ',');
    char with_point[32], with_comma[32], begin[160];

    if (name)
        snprintf(begin, sizeof begin, "%.60s is '%.60s', ", name, text);
    else
        snprintf(begin, sizeof begin, "'%.60s' is ", text);
    if (point.found) abdb_format_shortest_double(point.value, with_point);
    if (comma.found) abdb_format_shortest_double(comma.value, with_comma);
    if ((mark == ABDB_MARK_UNKNOWN || mark == ABDB_MARK_EITHER) &&
        has_different_values_by_point_and_comma(text))
        snprintf(out, room, "%snot a number for certain, but %s or %s: write the one that is meant",
                 begin, with_point, with_comma);
    else if (mark != ABDB_MARK_COMMA && comma.found)
        snprintf(out, room, "%snot a number with a decimal point: write %s if that is meant", begin,
                 with_comma);
    else if (mark == ABDB_MARK_COMMA && point.found)
        snprintf(out, room, "%snot a number with a decimal comma, as others of its column", begin);
    else
        snprintf(out, room, "%snot a number", begin);
    return out;
}

size_t abdb_double_parse_prefix(const char *text, double *out)
{
    size_t blanks = strspn(text, " \t\n\v\f\r"), size = 0;
    char plain[NUMBER_ROOM];
    abdb_number number;

    text += blanks;
    size += *text == '-' || *text == '+';
    size += strspn(text + size, "0123456789");
    if (text[size] == '.') size += 1 + strspn(text + size + 1, "0123456789");
    size += exponent_length(text + size);
    if (size >= sizeof plain) return 0;
    memcpy(plain, text, size);
    plain[size] = '\0';
    number = abdb_number_parse(plain, ABDB_MARK_POINT);
    if (!number.found) return 0;
    *out = number.value;
    return blanks + size;
}

static unsigned hex_digit_value(char c)
{
    return is_digit(c)            ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 16;
}

size_t abdb_digits_parse_prefix(const char *text, unsigned base, unsigned long long *out)
{
    size_t blanks = strspn(text, " \t\n\v\f\r"), size = blanks;
    unsigned long long value = 0;

    for (; hex_digit_value(text[size]) < base; size++)
        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, hex_digit_value(text[size]), &value))
            return 0;
    if (size == blanks) return 0;
    *out = value;
    return size;
}

long long abdb_digits_parse_prefix_up_to_max_or(const char *text, long long max,
                                                long long otherwise)
{
    unsigned long long number;

    if (!abdb_digits_parse_prefix(text, 10, &number) || number > (unsigned long long)max)
        return otherwise;
    return (long long)number;
}

double abdb_double_parse_prefix_or(const char *text, double otherwise)
{
    double value = otherwise;

    (void)abdb_double_parse_prefix(text, &value);
    return value;
}

/* --- printing --------------------------------------------------------------------------------- */

/* Prints `digits` digits as printf does in the C locale: "%.0f" with 0, else "%.*g". */
static void format_g_digits_or_whole_in_c_locale(double value, int digits, char *out)
{
    locale_t before = uselocale(get_c_locale());

    if (digits == 0)
        snprintf(out, 32, "%.0f", value);
    else
        snprintf(out, 32, "%.*g", digits, value);
    (void)uselocale(before);
}

size_t abdb_format_integer(long long value, char *out)
{
    char digits[24];
    size_t at = sizeof digits, size;
    /* Negated as unsigned, because the least number has no positive counterpart. */
    unsigned long long left = value < 0 ? -(unsigned long long)value : (unsigned long long)value;

    do digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0) digits[--at] = '-';
    size = sizeof digits - at;
    memcpy(out, digits + at, size);
    out[size] = '\0';
    return size;
}

void abdb_format_shortest_double(double value, char *out)
{
    if (value == floor(value) && fabs(value) < 1e15) {
        format_g_digits_or_whole_in_c_locale(value, 0, out);
        return;
    }
    /* A number that 15 digits or fewer give is printed with as many by 15, because no other decimal
     * of 15 digits gives it, unless it has lost bits at the lower end of doubles; 17 always read
     * back as the same double. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : EXACT_DIGITS; digits <= 17; digits++) {
        format_g_digits_or_whole_in_c_locale(value, digits, out);
        if (strtod_l(out, NULL, get_c_locale()) == value) return;
    }
}

double abdb_round_to_significant_digits(double value, int digits)
{
    char text[32];

    format_g_digits_or_whole_in_c_locale(value, digits, text);
    return strtod_l(text, NULL, get_c_locale());
}

/* --- 17 digits -------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 uint128;

/* The last `count` decimal digits of value to out, from the left. */
static void write_last_digits(unsigned long long value, int count, char *out)
{
    for (int i = count - 1; i >= 0; i--, value /= 10) out[i] = (char)('0' + value % 10);
}

static int count_decimal_digits(unsigned long long value)
{
    int count = 1;

    while (value >= 10) value /= 10, count++;
    return count;
}

/* A number of 1e-4 to 2^53 with a fraction: m / 2^s is whole + rest / 2^s, and rest * 10^digits
 * fits into 128 bits, so that its 17 digits are rounded exactly, halves to even as printf does. */
static bool format_17_digits_fast_path(double value, char *out)
{
    int exponent, shift, places;
    double size = fabs(value);
    unsigned long long mantissa, whole, digits;
    uint128 rest, one, scaled = 1, left;

    if (!(size >= 1e-4 && size < 9007199254740992.0)) return false;
    mantissa = (unsigned long long)ldexp(frexp(size, &exponent), 53);
    shift = 53 - exponent;
    if (shift < 1 || shift > 66) return false;
    one = (uint128)1 << shift;
    whole = shift < 64 ? mantissa >> shift : 0;
    rest = mantissa & (one - 1);
    places = whole           ? 17 - count_decimal_digits(whole)
             : size >= 0.1   ? 17
             : size >= 0.01  ? 18
             : size >= 0.001 ? 19
                             : 20;
    for (int i = 0; i < places; i++) scaled *= 10;
    scaled *= rest;
    digits = (unsigned long long)(scaled >> shift);
    left = scaled & (one - 1);
    if (left > one / 2 || (left == one / 2 && digits & 1)) digits++;
    if (digits && count_decimal_digits(digits) > places) return false; /* carried over */

    if (value < 0) *out++ = '-';
    write_last_digits(whole, count_decimal_digits(whole), out);
    out += count_decimal_digits(whole);
    *out++ = '.';
    write_last_digits(digits, places, out);
    out += places;
    while (out[-1] == '0') out--;
    if (out[-1] == '.') out--;
    *out = '\0';
    return true;
}

void abdb_format_double_17_digits(double value, char *out)
{
    if (isnan(value))
        snprintf(out, 32, signbit(value) ? "-nan" : "nan");
    else if (!format_17_digits_fast_path(value, out))
        format_g_digits_or_whole_in_c_locale(value, 17, out);
}
