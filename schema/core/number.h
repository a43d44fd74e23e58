/* number.h - the only reader of numbers in text, and their text.
 *
 * No other file turns text into a number: two readers of one cell once stored 1 for "1,024", which
 * a check had accepted as 1024. `tests/checks/tidy.sh` rejects strtod, strtol and their kin
 * elsewhere. No function here depends on setlocale.
 */
#ifndef ABDB_CORE_NUMBER_H
#define ABDB_CORE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* The decimal mark of a column, as far as its file shows it. The other mark then groups thousands,
 * in threes: "27,803.90" with a point, "27.803,90" with a comma; so do apostrophes and no-break
 * blanks, whatever the mark is. Unknown: numbers are read with a decimal point, and text that a
 * comma makes doubtful ("1,234") or that only a decimal comma explains ("0,371") is no number;
 * abdb_number_write_why_not_a_number gives the readings. Either: the file also has signs of decimal
 * commas, so that a point makes a text doubtful as well ("1.234"). */
typedef enum {
    ABDB_MARK_UNKNOWN,
    ABDB_MARK_POINT,
    ABDB_MARK_COMMA,
    ABDB_MARK_EITHER
} abdb_decimal_mark;

typedef struct {
    bool found;    /* the whole text is one finite decimal number; else nothing below counts */
    double value;  /* the nearest double */
    bool is_whole; /* the text spells a whole number that fits `whole` */
    long long whole;
} abdb_number;

/* Reads a decimal number that fills the text: sign, digits with thousands marks or without, decimal
 * mark, exponent. Blanks, units, "inf", "nan", hexadecimal, and thousands marks together with an
 * exponent are no number; neither is a number too large or too small for a double. */
abdb_number abdb_number_parse(const char *text, abdb_decimal_mark mark);
/* The value alone. False, and *out as it was: no number. */
bool abdb_double_parse(const char *text, abdb_decimal_mark mark, double *out);
/* A count: a whole number in [low, high]. Counts have no fraction, so a comma before three digits
 * is a thousands mark here unless the column has decimal commas. */
bool abdb_integer_parse_in_range(const char *text, abdb_decimal_mark mark, long long low,
                                 long long high, long long *out);
/* Writes why text is no number with that mark: "NAME is 'TEXT', not a number", or without a name
 * "'TEXT' is not a number"; with both readings where there are two, and the right form. Returns
 * out. */
const char *abdb_number_write_why_not_a_number(const char *name, const char *text,
                                               abdb_decimal_mark mark, char *out, size_t room);

/* The decimal mark that a text must have to be a number, "0.5" and "0,371"; unknown: it is none, or
 * a number with either. */
abdb_decimal_mark abdb_number_infer_decimal_mark(const char *text);
/* How many bytes at the beginning may belong to a number: its digits, signs, marks, "e". */
size_t abdb_number_chars_prefix_length(const char *text);
/* Is the text no number with that mark, but one with another? */
bool abdb_number_fails_but_parses_with_other_mark(const char *text, abdb_decimal_mark mark);

/* For text that programs and kernels of operating systems write, where something follows the
 * number: each returns how many characters it read, blanks before the number included; 0 (and *out
 * as it was): there is no number. */

/* A number with a decimal point and no thousands marks. */
size_t abdb_double_parse_prefix(const char *text, double *out);
/* Digits of base 8, 10 or 16 without a sign. A number over ULLONG_MAX is none. */
size_t abdb_digits_parse_prefix(const char *text, unsigned base, unsigned long long *out);
/* The digits of base 10 at the beginning, at most `most`; `otherwise` where there is none, or it is
 * larger. */
long long abdb_digits_parse_prefix_up_to_max_or(const char *text, long long max,
                                                long long otherwise);
/* The number at the beginning, as abdb_double_parse_prefix reads it; `otherwise`: there is none. */
double abdb_double_parse_prefix_or(const char *text, double otherwise);

/* The shortest decimal text that reads back as value. out has at least 32 bytes. */
void abdb_format_shortest_double(double value, char *out);
/* The finite value nearest to the decimal of `digits` (1 to 17) digits that is nearest to it. */
double abdb_round_to_significant_digits(double value, int digits);
/* The text of a whole number; out has at least 24 bytes. Returns its length. */
size_t abdb_format_integer(long long value, char *out);
/* The text of "%.17g" (a NaN as "nan" or "-nan"), faster; out has at least 32 bytes. */
void abdb_format_double_17_digits(double value, char *out);

#endif
