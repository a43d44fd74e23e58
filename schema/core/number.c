/* number.c - numbers from text and to text; declared in text.h. Short cuts take the numbers that
 * files are full of; whatever they do not cover goes to strtod and printf. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/text.h"

enum { EXACT_DIGITS = 15 };

/* Digits with at most one point, as "1234.5": the digits as a whole number and the power of ten
 * below, both exact, so that one division rounds as strtod does (Clinger, PLDI 1990). */
static bool simple_number(const char *plain, double *out)
{
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    long long whole = 0;
    int digits = 0, after = 0;
    bool point = false;

    for (const char *s = plain; *s; s++) {
        if (*s == '.' && !point) {
            point = true;
        } else if (*s >= '0' && *s <= '9' && digits < EXACT_DIGITS) {
            whole = whole * 10 + (*s - '0');
            digits++;
            after += point;
        } else {
            return false;
        }
    }
    if (!digits) return false;
    *out = (double)whole / power[after];
    return true;
}

/* Are the commas of the whole part thousands marks, "27,803.90", and is nothing but a number there?
 * The text without them is put into plain. */
static bool without_commas(const char *string, char *plain, size_t room)
{
    size_t used = 0, digits = 0,
           lead = 0; /* digits: since the last comma; lead: before the first */
    bool comma = false, whole = true;

    for (const char *s = string; *s; s++) {
        bool is_digit = isdigit((unsigned char)*s);

        /* Only what a decimal number is made of: no "inf", "nan" or hexadecimal, which strtod would
         * take. */
        if (used + 1 >= room || (!is_digit && !strchr("+-.,eE", *s))) return false;
        if (*s == ',') {
            if (!whole || lead == 0 || lead > 3 || (comma && digits != 3)) return false;
            comma = true;
            digits = 0;
            continue;
        }
        if (strchr(".eE", *s)) {
            if (comma && whole && digits != 3) return false;
            whole = false;
        }
        if (is_digit && whole) {
            digits++;
            lead += !comma;
        }
        plain[used++] = *s;
    }
    plain[used] = '\0';
    return used > 0 && !(comma && whole && digits != 3);
}

bool abdb_number(const char *string, double *out)
{
    char plain[64], *end;
    double value;

    if (simple_number(string, out)) return true;
    if (!without_commas(string, plain, sizeof plain)) return false;
    value = strtod(plain, &end);
    if (*end || !isfinite(value)) return false;
    *out = value;
    return true;
}

bool abdb_whole(const char *string, long long low, long long high, long long *out)
{
    double value;

    if (!abdb_number(string, &value) || value != floor(value)) return false;
    if (value < (double)low || value > (double)high) return false;
    *out = (long long)value;
    return true;
}

size_t abdb_whole_print(long long value, char *out)
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

void abdb_number_print(double value, char *out)
{
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(out, 32, "%.0f", value);
        return;
    }
    /* A number that 15 digits or fewer give is printed with as many by 15, because no other decimal
     * of 15 digits gives it, unless it has lost bits at the lower end of doubles; 17 always read
     * back as the same double. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : EXACT_DIGITS; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value) return;
    }
}

/* --- 17 digits -------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide;

/* The last `count` decimal digits of value to out, from the left. */
static void put_digits(unsigned long long value, int count, char *out)
{
    for (int i = count - 1; i >= 0; i--, value /= 10) out[i] = (char)('0' + value % 10);
}

static int count_digits(unsigned long long value)
{
    int count = 1;

    while (value >= 10) value /= 10, count++;
    return count;
}

/* A number of 1e-4 to 2^53 with a fraction: m / 2^s is whole + rest / 2^s, and rest * 10^digits
 * fits into 128 bits, so that its 17 digits are rounded exactly, halves to even as printf does. */
static bool print17(double value, char *out)
{
    int exponent, shift, places;
    double size = fabs(value);
    unsigned long long mantissa, whole, digits;
    wide rest, one, scaled = 1, left;

    if (!(size >= 1e-4 && size < 9007199254740992.0)) return false;
    mantissa = (unsigned long long)ldexp(frexp(size, &exponent), 53);
    shift = 53 - exponent;
    if (shift < 1 || shift > 66) return false;
    one = (wide)1 << shift;
    whole = shift < 64 ? mantissa >> shift : 0;
    rest = mantissa & (one - 1);
    places = whole           ? 17 - count_digits(whole)
             : size >= 0.1   ? 17
             : size >= 0.01  ? 18
             : size >= 0.001 ? 19
                             : 20;
    for (int i = 0; i < places; i++) scaled *= 10;
    scaled *= rest;
    digits = (unsigned long long)(scaled >> shift);
    left = scaled & (one - 1);
    if (left > one / 2 || (left == one / 2 && digits & 1)) digits++;
    if (digits && count_digits(digits) > places) return false; /* carried over */

    if (value < 0) *out++ = '-';
    put_digits(whole, count_digits(whole), out);
    out += count_digits(whole);
    *out++ = '.';
    put_digits(digits, places, out);
    out += places;
    while (out[-1] == '0') out--;
    if (out[-1] == '.') out--;
    *out = '\0';
    return true;
}

void abdb_number_print17(double value, char *out)
{
    if (isnan(value))
        snprintf(out, 32, signbit(value) ? "-nan" : "nan");
    else if (!print17(value, out))
        snprintf(out, 32, "%.17g", value);
}
