/* musl.c - prints what a C library could do otherwise: numbers read and written, units, dates,
 * statistics, formats of numbers. tests/ports/musl.sh builds it with two libraries and compares. */
#include <math.h>
#include <stdio.h>

#include "schema/core/date.h"
#include "schema/core/text.h"
#include "schema/core/two_sample_test.h"
#include "schema/core/units.h"

static void print_parsed_numbers(void)
{
    static const char *const texts[] = {"0.1",     "1e-320",
                                        "3.35",    "1e309",
                                        "nan",     "0x1p3",
                                        " 1",      "1 ",
                                        "1,234.5", "-0",
                                        "1e22",    "123456789012345678",
                                        "5e-324",  "1.7976931348623157e308",
                                        "2.5e",    ".5",
                                        "1_000",   "inf"};
    char text[64];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double x = 0;
        bool is = abdb_double_parse(texts[i], ABDB_MARK_UNKNOWN, &x);

        abdb_format_shortest_double(is ? x : 0, text);
        printf("%s: %d %s", texts[i], is, text);
        abdb_format_double_17_digits(is ? x : 0, text);
        printf(" %s\n", text);
    }
}

static void print_dates_and_conversions(void)
{
    static const char *const dates[] = {"2024-02-29", "2023-02-29", "24 Feb 2024",
                                        "2024",       "2024-05",    "05/06/2024"};
    double x = 0;
    abdb_error err;
    char day[ABDB_DATE_SIZE];

    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        bool is = abdb_date_parse_any_spelling_to_iso(dates[i], day);

        printf("%s: %d %s\n", dates[i], is, is ? day : "");
    }
    printf("%d ", abdb_unit_convert(3.35, "TB/s", "GB/s", &x, &err) == ABDB_OK);
    printf("%.17g\n", x);
}

static void print_mann_whitney(void)
{
    double a[40], b[40], both = 0, less = 0, greater = 0;
    abdb_two_samples two = {0};
    abdb_error err;

    for (int i = 0; i < 40; i++) {
        a[i] = 1 + fmod(i * 0.7919, 1);
        b[i] = 1.2 + fmod(i * 0.6367, 1);
    }
    two.a = a, two.b = b, two.m = two.n = 40;
    if (abdb_mann_whitney_p(&two, &both, &less, &greater, &err) == ABDB_OK)
        printf("%.12g %.12g %.12g\n", both, less, greater);
}

int main(void)
{
    print_parsed_numbers();
    print_dates_and_conversions();
    print_mann_whitney();
    return 0;
}
