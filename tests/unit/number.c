/* number.c - tests of schema/core/number: what a text spells under each decimal mark, that every
 * spelling of a number gives the same number, and that no locale changes one. */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/core/number.h"
#include "tests/unit/check.h"

#define NO NAN

/* Readings with an unknown mark, a decimal point and a decimal comma. */
static const struct {
    const char *text;
    double value[3];
} cases[] = {{"1", {1, 1, 1}},
             {"0", {0, 0, 0}},
             {"08", {8, 8, 8}},
             {"+8", {8, 8, 8}},
             {"-3.5e-3", {-3.5e-3, -3.5e-3, NO}},
             {"1e3", {1000, 1000, 1000}},
             {".5", {.5, .5, NO}},
             {"5.", {5, 5, NO}},
             {",5", {NO, NO, .5}},
             {"1.5", {1.5, 1.5, NO}},
             {"1,5", {NO, NO, 1.5}},
             {"1.234", {1.234, 1.234, 1234}},
             {"1,234", {NO, 1234, 1.234}},
             {"0,371", {NO, NO, .371}},
             {"0.371", {.371, .371, NO}},
             {"157,149", {NO, 157149, 157.149}},
             {"-1,234", {NO, -1234, -1.234}},
             {"27,803.90", {27803.90, 27803.90, NO}},
             {"27.803,90", {NO, NO, 27803.90}},
             {"1,000,000", {1e6, 1e6, NO}},
             {"1.000.000", {NO, NO, 1e6}},
             {"1,234,567.8", {1234567.8, 1234567.8, NO}},
             {"3,022E+06", {NO, NO, 3.022e6}},
             {"3,022,000E+06", {NO, NO, NO}},
             {"3.022E+06", {3.022e6, 3.022e6, NO}},
             {"12,34,567", {NO, NO, NO}},
             {"1,23", {NO, NO, 1.23}},
             {"1,2345", {NO, NO, 1.2345}},
             {"1234,567", {NO, NO, 1234.567}},
             {"1.2.3", {NO, NO, NO}},
             {"1,234.5,6", {NO, NO, NO}},
             {"1.234,5.6", {NO, NO, NO}},
             {"0,371,000", {NO, NO, NO}},
             {"000,123", {NO, NO, .123}},
             {"5e-324", {5e-324, 5e-324, 5e-324}},
             {"0e99999", {0, 0, 0}},
             {"-0", {0, 0, 0}},
             {"1e999", {NO, NO, NO}},
             {"1e-999", {NO, NO, NO}},
             {"", {NO, NO, NO}},
             {".", {NO, NO, NO}},
             {",", {NO, NO, NO}},
             {"+", {NO, NO, NO}},
             {"e5", {NO, NO, NO}},
             {"1e", {NO, NO, NO}},
             {"1e+", {NO, NO, NO}},
             {"1e5.0", {NO, NO, NO}},
             {"--8", {NO, NO, NO}},
             {"N/A", {NO, NO, NO}},
             {"nan", {NO, NO, NO}},
             {"inf", {NO, NO, NO}},
             {"0x10", {NO, NO, NO}},
             {"1 2", {NO, NO, NO}},
             {" 1", {NO, NO, NO}},
             {"1 ", {NO, NO, NO}},
             {"$5", {NO, NO, NO}},
             {"1_000", {NO, NO, NO}},
             {"1'000", {1000, 1000, 1000}},
             {"1'234.5", {1234.5, 1234.5, NO}},
             {"1'234,5", {NO, NO, 1234.5}},
             {"-1\xE2\x80\x99"
              "234\xE2\x80\x99"
              "567",
              {-1234567, -1234567, -1234567}},
             {"12\xC2\xA0"
              "345,678",
              {NO, NO, 12345.678}},
             {"12\xE2\x80\xAF"
              "345",
              {12345, 12345, 12345}},
             {"12\xC2\xA0"
              "345\xE2\x80\xAF"
              "678",
              {NO, NO, NO}},
             {"1'234.567,8", {NO, NO, NO}},
             {"1.234'567", {NO, NO, NO}},
             {"1'23", {NO, NO, NO}},
             {"'123", {NO, NO, NO}},
             {"123'", {NO, NO, NO}},
             {"0'123", {NO, NO, NO}},
             {"1'234e3", {NO, NO, NO}},
             {"1\xC2", {NO, NO, NO}},
             {"\xd9\xa1", {NO, NO, NO}}};

static void assert_each_case_with_each_decimal_mark(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int mark = ABDB_MARK_UNKNOWN; mark <= ABDB_MARK_COMMA; mark++) {
            double want = cases[i].value[mark];
            abdb_number number = abdb_number_parse(cases[i].text, (abdb_decimal_mark)mark);

            if (number.found == isnan(want) || (number.found && number.value != want))
                fail_msg("'%s' with mark %d: %d %g", cases[i].text, mark, number.found,
                         number.value);
        }
    /* where the file may mean either, a point is read that no comma could be */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double *value = cases[i].value;
        double point = value[ABDB_MARK_POINT], comma = value[ABDB_MARK_COMMA];
        bool is_certain = !isnan(point) && (isnan(comma) || comma == point);
        abdb_number number = abdb_number_parse(cases[i].text, ABDB_MARK_EITHER);
        abdb_decimal_mark mark = abdb_number_infer_decimal_mark(cases[i].text);

        if (number.found != is_certain || (is_certain && number.value != point))
            fail_msg("'%s' with either: %d %g", cases[i].text, number.found, number.value);
        if (mark != (isnan(point) == isnan(comma) ? ABDB_MARK_UNKNOWN
                     : isnan(comma)               ? ABDB_MARK_POINT
                                                  : ABDB_MARK_COMMA))
            fail_msg("'%s' is a number with mark %d", cases[i].text, (int)mark);
    }
}

static void test_texts_parse_under_each_decimal_mark(void **state)
{
    (void)state;
    assert_each_case_with_each_decimal_mark();
}

static void test_whole_numbers_are_parsed_exactly(void **state)
{
    static const struct {
        const char *text;
        bool is;
        long long whole;
    } test_whole_numbers_are_parsed_exactly[] = {{"8", true, 8},
                                                 {"08", true, 8},
                                                 {"8.0", true, 8},
                                                 {"8.5", false, 0},
                                                 {"1e3", true, 1000},
                                                 {"1.6e1", true, 16},
                                                 {"1.65e1", false, 0},
                                                 {"1600e-2", true, 16},
                                                 {"1,024", true, 1024},
                                                 {"-0", true, 0},
                                                 {"9007199254740993", true, 9007199254740993},
                                                 {"9223372036854775807", true, LLONG_MAX},
                                                 {"-9223372036854775808", true, LLONG_MIN},
                                                 {"9223372036854775808", false, 0},
                                                 {"1e18", true, 1000000000000000000},
                                                 {"1e19", false, 0},
                                                 {"0.99999999999999999999", false, 0},
                                                 {"1.00000000000000000001", false, 0}};
    long long count = -1;

    (void)state;
    for (size_t i = 0; i < sizeof test_whole_numbers_are_parsed_exactly /
                               sizeof test_whole_numbers_are_parsed_exactly[0];
         i++) {
        abdb_number number =
            abdb_number_parse(test_whole_numbers_are_parsed_exactly[i].text, ABDB_MARK_POINT);

        if (!number.found || number.is_whole != test_whole_numbers_are_parsed_exactly[i].is ||
            (test_whole_numbers_are_parsed_exactly[i].is &&
             number.whole != test_whole_numbers_are_parsed_exactly[i].whole))
            fail_msg("'%s': %d %d %lld", test_whole_numbers_are_parsed_exactly[i].text,
                     number.found, number.is_whole, number.whole);
    }
    assert_true(abdb_integer_parse_in_range("1,024", ABDB_MARK_UNKNOWN, 1, 2000, &count));
    assert_int_equal(count, 1024);
    assert_true(abdb_integer_parse_in_range("1.024", ABDB_MARK_COMMA, 1, 2000, &count));
    assert_int_equal(count, 1024);
    assert_false(abdb_integer_parse_in_range("1,024", ABDB_MARK_COMMA, 1, 2000, &count));
    assert_false(abdb_integer_parse_in_range("1.024", ABDB_MARK_UNKNOWN, 1, 2000, &count));
    assert_false(abdb_integer_parse_in_range("1,024", ABDB_MARK_UNKNOWN, 1, 1023, &count));
    assert_false(abdb_integer_parse_in_range("0", ABDB_MARK_UNKNOWN, 1, 9, &count));
}

/* Thousands marks in the digits before the decimal mark; both marks as asked. */
static void copy_with_thousands_and_decimal_marks(const char *plain, char decimal, char *out)
{
    size_t digits = strspn(plain, "0123456789");

    for (size_t i = 0; i < digits; i++) {
        if (i && (digits - i) % 3 == 0) *out++ = decimal == '.' ? ',' : '.';
        *out++ = plain[i];
    }
    if (plain[digits] == '.') {
        *out++ = decimal;
        for (const char *s = plain + digits + 1; *s; s++) *out++ = *s;
    }
    *out = '\0';
}

static void assert_parses_as_same_number(const char *text, abdb_decimal_mark mark, abdb_number want)
{
    abdb_number got = abdb_number_parse(text, mark);

    if (!got.found || got.value != want.value || got.is_whole != want.is_whole ||
        (got.is_whole && got.whole != want.whole))
        fail_msg("'%s' with mark %d: %.17g, not %.17g", text, (int)mark, got.value, want.value);
}

/* Every spelling of a number is that number, whole where it is whole. */
static void test_every_spelling_gives_same_number(void **state)
{
    unsigned long long seed = 7;
    char plain[64], text[160], digits[64];

    (void)state;
    for (int i = 0; i < 100000; i++) {
        abdb_number want;
        int places, size;

        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        places = (int)(seed >> 33) % 5;
        snprintf(plain, sizeof plain, "%.*f", places,
                 (double)(seed >> (11 + (seed >> 36) % 50)) / pow(10, places));
        want = abdb_number_parse(plain, ABDB_MARK_UNKNOWN);
        assert_true(want.found && want.value == strtod(plain, NULL));
        assert_true(want.is_whole == (places == 0 || strspn(strchr(plain, '.') + 1, "0") ==
                                                         strlen(strchr(plain, '.') + 1)));
        assert_parses_as_same_number(plain, ABDB_MARK_POINT, want);
        copy_with_thousands_and_decimal_marks(plain, '.', text);
        assert_parses_as_same_number(text, ABDB_MARK_POINT, want);
        copy_with_thousands_and_decimal_marks(plain, ',', text);
        assert_parses_as_same_number(text, ABDB_MARK_COMMA, want);
        snprintf(text, sizeof text, "+%s", plain);
        assert_parses_as_same_number(text, ABDB_MARK_UNKNOWN, want);
        snprintf(text, sizeof text, "00%s", plain);
        assert_parses_as_same_number(text, ABDB_MARK_UNKNOWN, want);
        snprintf(text, sizeof text, "%s%s", plain, places ? "00" : ".0");
        assert_parses_as_same_number(text, ABDB_MARK_UNKNOWN, want);
        /* The digits alone and the power of ten, as a spreadsheet shows it. */
        size = 0;
        for (const char *s = plain; *s; s++)
            if (*s != '.') digits[size++] = *s;
        digits[size] = '\0';
        snprintf(text, sizeof text, "%c.%se%+d", digits[0], digits + 1, size - 1 - places);
        assert_parses_as_same_number(text, ABDB_MARK_UNKNOWN, want);
        for (char *s = text; *s; s++)
            if (*s == '.') *s = ',';
        assert_parses_as_same_number(text, ABDB_MARK_COMMA, want);
    }
}

static void test_unread_number_is_explained(void **state)
{
    char out[200];

    (void)state;
    assert_string_equal(
        abdb_number_write_why_not_a_number("value", "1,234", ABDB_MARK_UNKNOWN, out, sizeof out),
        "value is '1,234', not a number for certain, but 1234 or 1.234: write the one that is"
        " meant");
    assert_string_equal(
        abdb_number_write_why_not_a_number(NULL, "0,371", ABDB_MARK_UNKNOWN, out, sizeof out),
        "'0,371' is not a number with a decimal point: write 0.371 if that is"
        " meant");
    assert_string_equal(
        abdb_number_write_why_not_a_number("x", "1.5", ABDB_MARK_COMMA, out, sizeof out),
        "x is '1.5', not a number with a decimal comma, as others of its column");
    assert_string_equal(
        abdb_number_write_why_not_a_number(NULL, "fast", ABDB_MARK_UNKNOWN, out, sizeof out),
        "'fast' is not a number");
}

static void test_number_prefix_lengths_and_values(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        double value;
    } doubles[] = {{"12 MB", 2, 12}, {" 0.5+1", 4, .5}, {"256-4096*2", 3, 256},
                   {"1e5x", 3, 1e5}, {"1e", 1, 1},      {"1ex", 1, 1},
                   {"-3", 2, -3},    {"1,024", 1, 1},   {"5.16.0", 4, 5.16},
                   {"inf", 0, 0},    {"nan", 0, 0},     {"0x10", 1, 0},
                   {"", 0, 0},       {".", 0, 0},       {"-", 0, 0}};
    unsigned long long number = 1;

    (void)state;
    for (size_t i = 0; i < sizeof doubles / sizeof doubles[0]; i++) {
        double value = 77;
        size_t size = abdb_double_parse_prefix(doubles[i].text, &value);

        if (size != doubles[i].size || value != (size ? doubles[i].value : 77))
            fail_msg("'%s': %zu, %g", doubles[i].text, size, value);
    }
    assert_int_equal(abdb_digits_parse_prefix(" 12-4", 10, &number), 3);
    assert_int_equal(number, 12);
    assert_int_equal(abdb_digits_parse_prefix("fFg", 16, &number), 2);
    assert_int_equal(number, 255);
    assert_int_equal(abdb_digits_parse_prefix("1789", 8, &number), 2);
    assert_int_equal(number, 15);
    assert_int_equal(abdb_digits_parse_prefix("-1", 10, &number), 0);
    assert_int_equal(abdb_digits_parse_prefix("18446744073709551615", 10, &number), 20);
    assert_true(number == ULLONG_MAX);
    assert_int_equal(abdb_digits_parse_prefix("18446744073709551616", 10, &number), 0);
    assert_int_equal(abdb_digits_parse_prefix_up_to_max_or("12x", 12, -1), 12);
    assert_int_equal(abdb_digits_parse_prefix_up_to_max_or("13x", 12, -1), -1);
    assert_true(abdb_double_parse_prefix_or("x", -1) == -1);
}

/* With a decimal comma in force, as a program that loads abdb.so may have set it. */
static void test_locale_changes_no_number(void **state)
{
    char folder[] = "/tmp/abdb-locale-XXXXXX", command[200], text[32];

    (void)state;
    if (!mkdtemp(folder)) skip();
    snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1",
             folder, folder);
    (void)!system(command);
    setenv("LOCPATH", folder, 1);
    if (!setlocale(LC_ALL, "de_DE.UTF-8") || strcmp(localeconv()->decimal_point, ",") != 0) {
        print_message("# no localedef, or not its de_DE: nothing to try\n");
        setlocale(LC_ALL, "C");
        snprintf(command, sizeof command, "rm -r %s", folder);
        (void)!system(command);
        skip();
    }
    assert_each_case_with_each_decimal_mark();
    abdb_format_shortest_double(0.1, text);
    assert_string_equal(text, "0.1");
    abdb_format_double_17_digits(1e-300 / 3, text);
    assert_null(strchr(text, ','));
    assert_true(abdb_number_parse(text, ABDB_MARK_UNKNOWN).value == 1e-300 / 3);
    assert_true(abdb_round_to_significant_digits(1.23456, 3) == 1.23);
    assert_true(abdb_double_parse_prefix_or("0.5 s", -1) == 0.5);
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* the locale of the program is as it was */
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -r %s", folder);
    (void)!system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts_parse_under_each_decimal_mark),
                                       cmocka_unit_test(test_whole_numbers_are_parsed_exactly),
                                       cmocka_unit_test(test_every_spelling_gives_same_number),
                                       cmocka_unit_test(test_unread_number_is_explained),
                                       cmocka_unit_test(test_number_prefix_lengths_and_values),
                                       cmocka_unit_test(test_locale_changes_no_number)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
