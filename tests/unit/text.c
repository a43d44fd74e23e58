/* text.c - tests of schema/core/text, grow, error, units and stats. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/sanitize_text.h"
#include "schema/core/stats.h"
#include "schema/core/text.h"
#include "schema/core/units.h"
#include "tests/unit/check.h"

static void test_printed_number_reads_back_exactly(void **state)
{
    static const double values[] = {0, 1, 0.1, 1.0 / 3, 27803.9, 1e300, 5e-324, -114503.7};
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        abdb_format_shortest_double(values[i], text);
        assert_true(strtod(text, NULL) == values[i]);
    }
    abdb_format_shortest_double(0.1, text);
    assert_string_equal(text, "0.1");
}

/* The short cuts against the C library: random bits, decimals as files hold them, the borders. */
static void test_numbers_match_printf_and_strtod(void **state)
{
    static const double borders[] = {1e-4,      0.00011,
                                     0.001,     0.01,
                                     0.1,       0.09999999999999999,
                                     1.5,       2.5,
                                     0.5,       1e15,
                                     9e15,      9007199254740991.0,
                                     1 - 1e-16, 9.999999999999998,
                                     -0.1,      123456789.125,
                                     1e22,      5e-324};
    unsigned long long seed = 42;
    char ours[64], library[64];

    (void)state;
    for (int i = 0; i < 400000; i++) {
        double value, back;

        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        if (i < (int)(sizeof borders / sizeof borders[0])) {
            value = borders[i];
        } else if (i % 3 == 0) {
            memcpy(&value, &seed, sizeof value);
            if (!isfinite(value)) continue;
        } else {
            value = (double)(seed >> 20) * pow(10, -(double)(seed % 19));
            if (i % 3 == 1) value = (double)(seed >> 40) / 1024; /* halves at the 17th digit */
        }
        abdb_format_double_17_digits(value, ours);
        snprintf(library, sizeof library, "%.17g", value);
        assert_string_equal(ours, library);

        if (i < 20000 && value != floor(value)) { /* the shortest, by trying all */
            int digits = 1;

            do snprintf(library, sizeof library, "%.*g", digits, value);
            while (digits++ < 17 && strtod(library, NULL) != value);
            abdb_format_shortest_double(value, ours);
            assert_string_equal(ours, library);
        }

        snprintf(library, sizeof library, "%.*f", (int)(seed % 12), (double)(seed >> 30) / 1e6);
        assert_true(abdb_double_parse(library, ABDB_MARK_UNKNOWN, &back));
        assert_true(back == strtod(library, NULL));
    }
    abdb_format_double_17_digits(NAN, ours);
    assert_string_equal(ours, "nan");
}

static void test_fold_ignores_case_and_punctuation(void **state)
{
    char a[64], b[64];

    (void)state;
    abdb_fold_name_drop_punctuation("NVIDIA DGX B200 (8x B200-SXM-180GB, TensorRT)", a, sizeof a);
    abdb_fold_name_drop_punctuation("nvidia dgx b200 (8x B200\u2011SXM\u2011180GB TensorRT)", b,
                                    sizeof b);
    assert_string_equal(a, b);
    abdb_fold_name_drop_punctuation("\xff\xfe!", a, sizeof a);
    assert_string_equal(a, "");
    abdb_fold_name_drop_punctuation(
        "a very long name that does not fit into the room that there is for it at all, no", a, 20);
    assert_true(strlen(a) < 20);
}

static void test_nearest_name_by_edit_distance(void **state)
{
    static const char *const names[] = {"v3.1", "v6.0", "mlperf-llm", "perf-per-dollar"};

    (void)state;
    assert_string_equal(abdb_nearest_name("mlperf-lm", names, 4), "mlperf-llm");
    assert_string_equal(abdb_nearest_name("v6.1", names, 4), "v6.0"); /* same distance as v3.1 */
    assert_null(abdb_nearest_name("zzzzzzzz", names, 4));
    assert_int_equal(abdb_damerau_distance_ignoring_case("ab", "ba"), 1);
    assert_int_equal(abdb_damerau_distance_ignoring_case("", "abc"), 3);
}

static void test_glob_ignores_case_width_counts_chars(void **state)
{
    (void)state;
    assert_true(abdb_glob_matches_ignoring_case("B*00-SXM", "b300-sxm"));
    assert_false(abdb_glob_matches_ignoring_case("B?", "B300"));
    assert_true(abdb_glob_matches_ignoring_case("*", ""));
    assert_int_equal(abdb_display_width("MLPerf®"), 7);
    assert_int_equal(abdb_display_width(""), 0);
}

static void test_json_text_is_escaped_utf8(void **state)
{
    abdb_text text = {0};

    (void)state;
    abdb_text_append_json_string(&text, "a\"\\\n\x01 \xff ®");
    assert_string_equal(abdb_text_get(&text), "\"a\\\"\\\\\\n\\u0001 \xEF\xBF\xBD ®\"");
    abdb_text_free(&text);
}

static void test_units_convert_or_are_refused(void **state)
{
    abdb_error err = {0};
    double out;

    (void)state;
    assert_ok(abdb_unit_convert(2039, "GB/s", "TB/s", &out, &err));
    assert_float_equal(out, 2.039, 1e-12);
    assert_ok(abdb_unit_convert(1, "GiB", "B", &out, &err));
    assert_true(out == 1073741824);
    assert_status(abdb_unit_convert(1, "TOPS", "TFLOP/s", &out, &err), ABDB_UNITS);
    assert_status(abdb_unit_convert(1, "furlong", "B", &out, &err), ABDB_UNITS);
    assert_non_null(strstr(err.message, "furlong"));
    assert_string_equal(abdb_unit_find("tokens/S")->base, "token/s");
    assert_string_equal(abdb_unit_find("90th percentile latency \\(ns\\)")->base, "s");
    assert_null(abdb_unit_find("MW")); /* megawatts are not mW: symbols are exact */
    assert_null(abdb_unit_find("mb"));
    /* bits and bytes by their case, and neither where it says nothing */
    assert_true(abdb_unit_find("Gb/s")->factor * 8 == abdb_unit_find("GB/s")->factor);
    assert_true(abdb_unit_find("Gib/s")->factor * 8 == abdb_unit_find("GiB/s")->factor);
    assert_true(abdb_unit_find("Mib / s")->factor * 8 == abdb_unit_find("MiB / s")->factor);
    assert_true(abdb_unit_find("GBIT/S")->factor == abdb_unit_find("Gb/s")->factor);
    assert_null(abdb_unit_find("gib/s"));
    assert_null(abdb_unit_find("GIB/S"));
    assert_null(abdb_unit_find("gb/s"));
    assert_true(abdb_unit_find("\xC2\xB5s") && abdb_unit_find("\xCE\xBCs"));
}

static void test_summary_matches_hand_computation(void **state)
{
    double even[] = {4, 1, 3, 2}, one[] = {7}, bad[] = {1, NAN}, many[20];
    abdb_error err = {0};
    abdb_summary s;

    (void)state;
    assert_ok(abdb_sort_and_summarise(even, 4, &s, &err));
    assert_true(s.median == 2.5 && s.min == 1 && s.max == 4 && !s.has_interval);
    assert_float_equal(s.iqr, 1.5, 1e-12); /* type 7: 3.25 - 1.75 */
    assert_float_equal(s.mad, 1, 1e-12);
    assert_ok(abdb_sort_and_summarise(one, 1, &s, &err));
    assert_true(s.median == 7 && s.sd == 0);
    assert_status(abdb_sort_and_summarise(one, 0, &s, &err), ABDB_DATA);
    assert_status(abdb_sort_and_summarise(bad, 2, &s, &err), ABDB_DATA);
    for (int i = 0; i < 20; i++) many[i] = i + 1;
    assert_ok(abdb_sort_and_summarise(many, 20, &s, &err));
    assert_true(s.low == 6 && s.high == 15); /* tables: n = 20, ranks 6 and 15, 95.9 % */
}

static void test_median_ranks_match_table(void **state)
{
    /* Ranks of the 95 % interval of a median (Conover, Practical Nonparametric Statistics, table
     * A3) */
    (void)state;
    assert_int_equal(abdb_median_interval_lower_rank(5, 0.95), 0);
    assert_int_equal(abdb_median_interval_lower_rank(6, 0.95), 1);
    assert_int_equal(abdb_median_interval_lower_rank(10, 0.95), 2);
    assert_int_equal(abdb_median_interval_lower_rank(30, 0.95), 10);
}

static void test_long_error_is_cut_context_prepended(void **state)
{
    char big[2 * ABDB_ERROR_SIZE];
    abdb_error err;

    (void)state;
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    abdb_set_error_return_status(&err, ABDB_DATA, "%s", big);
    assert_int_equal(strlen(err.message), ABDB_ERROR_SIZE - 1);
    abdb_set_error_return_status(&err, ABDB_DATA, "line 3");
    assert_int_equal(abdb_error_prepend_context(&err, "file %s", "a.csv"), ABDB_DATA);
    assert_string_equal(err.message, "file a.csv: line 3");
    assert_int_equal(abdb_exit_code(ABDB_UNFAIR), 3);
}

static void test_array_reserve_doubles_survives_overflow(void **state)
{
    size_t room = 0, moves = 0;
    long *list = NULL;

    (void)state;
    for (size_t i = 0; i < 10000; i++) {
        size_t before = room;
        long *more = abdb_array_reserve_one(list, i, &room, sizeof *more);

        assert_non_null(more);
        assert_true(room > i && (room == before || i == before)); /* only a full one grows */
        moves += room != before;
        list = more;
        list[i] = (long)i;
    }
    assert_in_range(moves, 8, 12); /* by doubling */
    for (size_t i = 0; i < 10000; i++) assert_int_equal(list[i], (long)i);
    moves = room; /* more bytes than a size_t counts: the list is as it was */
    assert_null(abdb_array_reserve_one(list, room, &room, SIZE_MAX / (2 * room) + 2));
    assert_int_equal(room, moves);
    assert_int_equal(list[9999], 9999);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_number_reads_back_exactly),
        cmocka_unit_test(test_numbers_match_printf_and_strtod),
        cmocka_unit_test(test_fold_ignores_case_and_punctuation),
        cmocka_unit_test(test_nearest_name_by_edit_distance),
        cmocka_unit_test(test_glob_ignores_case_width_counts_chars),
        cmocka_unit_test(test_json_text_is_escaped_utf8),
        cmocka_unit_test(test_units_convert_or_are_refused),
        cmocka_unit_test(test_summary_matches_hand_computation),
        cmocka_unit_test(test_median_ranks_match_table),
        cmocka_unit_test(test_long_error_is_cut_context_prepended),
        cmocka_unit_test(test_array_reserve_doubles_survives_overflow)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
