/* sanitize_text.c - tests of schema/core/plain: what is shown in another form, what stays, and
 * printf's conversions. */
#include "schema/core/sanitize_text.h"

#include <stdio.h>

#include "tests/unit/check.h"

static void test_unsafe_characters_are_escaped(void **state)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {{"", ""},
                 {"MLPerf® 8x, \"quoted\" \\n", "MLPerf® 8x, \"quoted\" \\n"},
                 {"日本語 e\u0301 \U0001f600", "日本語 e\u0301 \U0001f600"},
                 {"a\tb\nc\r\nd\v\f", "a b c  d  "},
                 {"\033[31mred\033[0m", "\\u001b[31mred\\u001b[0m"},
                 {"\a\b\x01\x7f", "\\u0007\\u0008\\u0001\\u007f"},
                 {"\xc2\x85\xc2\x9b"
                  "31m",
                  "\\u0085\\u009b31m"},
                 {"\x9b"
                  "31m",
                  "\\x9b31m"},
                 {"a\u202eb\u2066c\u2069d\u200e\u061c", "a\\u202eb\\u2066c\\u2069d\\u200e\\u061c"},
                 {"a\ufdd0\ufffe\uffff\U0001fffe", "a\\ufdd0\\ufffe\\uffff\\ud83f\\udffe"},
                 {"a\u200bb\u200d\ufeff\u00ad\u2060", "a\\u200bb\\u200d\\ufeff\\u00ad\\u2060"},
                 {"\u2028\u2029\u3164\ufe0f", "\\u2028\\u2029\\u3164\\ufe0f"},
                 {"\U000e0041\U000e0fff", "\\udb40\\udc41\\udb43\\udfff"},
                 {"\xff\xc0\xaf", "\\xff\\xc0\\xaf"}, /* never UTF-8; an overlong '/' */
                 {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* half of a surrogate pair */
                 {"cut \xe2\x80", "cut "},            /* what a cut left is dropped */
                 {"cut \xf0\x9f\x98", "cut "},
                 {"not cut \xe2z", "not cut \\xe2z"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_text text = {0}, again = {0};

        abdb_text_append_sanitized(&text, cases[i].text);
        assert_string_equal(abdb_text_get(&text), cases[i].plain);
        abdb_text_append_sanitized(&again, abdb_text_get(&text)); /* plain text is plain */
        assert_string_equal(abdb_text_get(&again), cases[i].plain);
        abdb_text_free(&text);
        abdb_text_free(&again);
    }
}

/* No text of three bytes has a plain form with a control or an invalid byte in it. */
static void test_no_three_bytes_leave_a_control(void **state)
{
    char text[4] = "", plain[64];

    (void)state;
    for (int a = 1; a < 256; a++)
        for (int b = 0; b < 256; b++)
            for (int c = 0; c < 256; c += a < 0xc2 ? 17 : 1) {
                memcpy(text, (char[]){(char)a, (char)b, (char)c, 0}, 4);
                assert_true(abdb_sanitize_into_buffer(text, plain, sizeof plain));
                for (const char *s = plain; *s; s += abdb_utf8_char_length(s)) {
                    assert_true(abdb_utf8_char_length(s) > 0);
                    assert_true((unsigned char)*s >= 0x20 && *s != 0x7f);
                    assert_false((unsigned char)s[0] == 0xc2 && (unsigned char)s[1] < 0xa0);
                }
            }
}

static void test_small_buffer_cuts_whole_characters(void **state)
{
    char out[8];

    (void)state;
    assert_true(abdb_sanitize_into_buffer("1234567", out, sizeof out));
    assert_string_equal(out, "1234567");
    assert_false(abdb_sanitize_into_buffer("12345678", out, sizeof out));
    assert_string_equal(out, "1234567");
    assert_false(
        abdb_sanitize_into_buffer("123456®", out, sizeof out)); /* no half of a character */
    assert_string_equal(out, "123456");
    assert_false(
        abdb_sanitize_into_buffer("12\033", out, sizeof out)); /* nor of what stands for one */
    assert_string_equal(out, "12");
}

static void test_width_is_that_of_escaped_text(void **state)
{
    (void)state;
    assert_int_equal(abdb_display_width("MLPerf®"), 7);
    assert_int_equal(abdb_display_width("e\u0301"), 1);
    assert_int_equal(abdb_display_width("a\nb"), 3);
    assert_int_equal(abdb_display_width("\033\u202e\x9b"), 6 + 6 + 4); /* as they are shown */
}

static void format_sanitized_text(abdb_text *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    abdb_text_clear(out);
    abdb_text_vprintf_sanitized(out, format, args);
    va_end(args);
}

#define same(...)                                         \
    do {                                                  \
        char want_[256];                                  \
        snprintf(want_, sizeof want_, __VA_ARGS__);       \
        format_sanitized_text(&text, __VA_ARGS__);        \
        assert_string_equal(abdb_text_get(&text), want_); \
    } while (0)

static void test_conversions_match_printf(void **state)
{
    abdb_text text = {0};

    (void)state;
    same("nothing");
    same("100 %%|%d|%5d|%-5d|%05d|%+d|%i", 7, 7, 7, 7, 7, -7);
    same("%ld %lld %zu %u %x %lu", 1L << 40, -(1LL << 50), (size_t)-1, 3u, 255, ~0UL);
    same("%f|%.2f|%8.3f|%-8.1f|%g|%.17g|%e|%.*f", 1.5, 2.0 / 3, 3.14159, 2.25, 1e20, 0.1, 1e-9, 4,
         5.0);
    same("%s|%10s|%-10s|%.3s|%.*s|%*s|%-*s|%*s", "a", "b", "c", "defg", 2, "hij", 6, "k", 6, "l",
         -6, "m");
    same("%c%c|%3c", 'x', 'y', 'z');
    same("%s%zu%s%d%s", "a", (size_t)1, "b", -2, "c");
    same("\033[1m%s\033[0m\n", "ours stays");
    format_sanitized_text(&text, "%s|%c|%.2s|%-4s|\n", "\033\n\u202e", '\033', "x®", "®");
    assert_string_equal(abdb_text_get(&text), "\\u001b \\u202e|\\u001b|x|®   |\n");
    format_sanitized_text(&text, "%s|", (const char *)NULL);
    assert_string_equal(abdb_text_get(&text), "|");
    abdb_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unsafe_characters_are_escaped),
                                       cmocka_unit_test(test_no_three_bytes_leave_a_control),
                                       cmocka_unit_test(test_small_buffer_cuts_whole_characters),
                                       cmocka_unit_test(test_width_is_that_of_escaped_text),
                                       cmocka_unit_test(test_conversions_match_printf)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
