/* format.c - number formats: every code of those of 8 and 16 bits and of tf32 against values put
 * together in another way, and rounding against the neighbours that there are. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernel.h"

/* What OFP8 1.0 prints in tables 1 and 2, and IEEE 754-2008 in 3.6, of each format. */
static const struct {
    abdb_dtype dtype;
    int bits;
    double largest, least_normal, least, roundoff;
    uint32_t infinite, nan; /* codes; 0: there is none */
} facts[] = {
    {ABDB_E4M3, 8, 448, 0x1p-6, 0x1p-9, 0x1p-4, 0, 0x7F},
    {ABDB_E5M2, 8, 57344, 0x1p-14, 0x1p-16, 0x1p-3, 0x7C, 0x7D},
    {ABDB_F16, 16, 65504, 0x1p-14, 0x1p-24, 0x1p-11, 0x7C00, 0x7C01},
    {ABDB_BF16, 16, 0x1.FEp127, 0x1p-126, 0x1p-133, 0x1p-8, 0x7F80, 0x7F81},
    {ABDB_TF32, 19, 0x1.FFCp127, 0x1p-126, 0x1p-136, 0x1p-11, 0x3FC00, 0x3FC01},
};
enum { FACTS = sizeof facts / sizeof facts[0] };

static double decode_format_code(size_t format, uint32_t code)
{
    return abdb_format_decode_bits(facts[format].dtype,
                                   code << abdb_dtype_format(facts[format].dtype)->shift);
}

static uint32_t encode_format_value(size_t format, double value)
{
    return abdb_format_round_and_encode_bits(facts[format].dtype, value) >>
           abdb_dtype_format(facts[format].dtype)->shift;
}

/* The largest finite code of a format without its sign: what lies above is no number. */
static uint32_t largest_finite_code(size_t format)
{
    return (facts[format].infinite ? facts[format].infinite : facts[format].nan) - 1;
}

/* Numbers follow one another as their codes do; neighbours differ by the least number, and from the
 * least normal one on by twice as much each time that the exponent grows: this counts all values
 * from the least, where abdb_format_decode_bits takes each code apart. */
static void test_every_code_decodes_as_counting_gives(void **state)
{
    (void)state;
    for (size_t i = 0; i < FACTS; i++) {
        uint32_t sign = 1u << (facts[i].bits - 1), code = 0;
        double value = 0, step = facts[i].least;

        for (; code <= largest_finite_code(i); code++, value += step) {
            double got = decode_format_code(i, code), below = decode_format_code(i, code | sign);

            if (value >= 2 * facts[i].least_normal && log2(value) == floor(log2(value))) step *= 2;
            assert_true(got == value && !signbit(got));
            assert_true(below == -value && signbit(below));
            assert_int_equal(encode_format_value(i, value), code);
            assert_int_equal(encode_format_value(i, -value), code | sign);
            if (got == facts[i].least_normal)
                assert_int_equal(code, (uint32_t)1 << abdb_dtype_format(facts[i].dtype)->mantissa);
        }
        assert_true(decode_format_code(i, largest_finite_code(i)) == facts[i].largest);
        for (; code < sign; code++) {
            bool infinite = facts[i].infinite && code == facts[i].infinite;

            assert_true(infinite ? decode_format_code(i, code) == (double)INFINITY
                                 : isnan(decode_format_code(i, code)));
            assert_true(infinite ? decode_format_code(i, code | sign) == -(double)INFINITY
                                 : isnan(decode_format_code(i, code | sign)));
        }
        assert_true(isnan(decode_format_code(i, encode_format_value(i, (double)NAN))));
        assert_true(facts[i].infinite
                        ? decode_format_code(i, encode_format_value(i, -(double)INFINITY)) < 0
                        : isnan(decode_format_code(i, encode_format_value(i, -(double)INFINITY))));
        assert_true(abdb_dtype_unit_roundoff(facts[i].dtype) == facts[i].roundoff);
        assert_true(abdb_dtype_least_normal(facts[i].dtype) == facts[i].least_normal);
    }
}

/* A number between two neighbours becomes the nearer, half way the one whose code is even; one bit
 * of a double off half way decides. What is stored in a tensor is the same. */
static void test_values_round_to_nearest_even(void **state)
{
    uint32_t place;

    (void)state;
    for (size_t i = 0; i < FACTS; i++) {
        uint32_t sign = 1u << (facts[i].bits - 1);
        abdb_tensor one = {.dtype = facts[i].dtype, .data = &place};

        for (uint32_t code = 0; code < largest_finite_code(i); code++) {
            double low = decode_format_code(i, code), high = decode_format_code(i, code + 1),
                   half = low + (high - low) / 2;
            const double at[] = {nextafter(half, 0), half, nextafter(half, INFINITY)};
            const uint32_t want[] = {code, code + (code & 1), code + 1};

            for (size_t k = 0; k < 3; k++) {
                assert_int_equal(encode_format_value(i, at[k]), want[k]);
                assert_int_equal(encode_format_value(i, -at[k]), want[k] | sign);
                abdb_tensor_set_rounded(&one, 0, -at[k]);
                assert_true(abdb_tensor_get_f64(&one, 0) == -decode_format_code(i, want[k]));
            }
        }
    }
}

/* Half a step above the largest number begins what is infinite, or of e4m3 no number. */
static void test_overflow_becomes_infinity_or_nan(void **state)
{
    (void)state;
    for (size_t i = 0; i < FACTS; i++) {
        double largest = facts[i].largest,
               half = (largest - decode_format_code(i, largest_finite_code(i) - 1)) / 2;
        const double beyond[] = {largest + half, 2 * largest, 0x1p1000};
        bool even = largest_finite_code(i) % 2 == 0; /* e4m3: half way is still the largest */

        assert_true(abdb_dtype_round_value(facts[i].dtype, nextafter(largest + half, 0)) ==
                    largest);
        for (size_t k = 0; k < 3; k++) {
            double got = abdb_dtype_round_value(facts[i].dtype, beyond[k]);

            assert_true(k == 0 && even      ? got == largest
                        : facts[i].infinite ? got == (double)INFINITY
                                            : isnan(got));
            assert_true(encode_format_value(i, beyond[k]) ==
                        (k == 0 && even      ? largest_finite_code(i)
                         : facts[i].infinite ? facts[i].infinite
                                             : facts[i].nan));
        }
    }
}

/* The quick conversions are those by the table: every code, and floats of every upper half with
 * lower halves in which rounding turns. */
static void test_fast_f16_and_bf16_match_table(void **state)
{
    static const uint32_t lower[] = {0,      1,      0x0FFF, 0x1000, 0x1001, 0x2FFF, 0x3000,
                                     0x5000, 0x7FFF, 0x8000, 0x8001, 0xEFFF, 0xF000, 0xFFFF};

    (void)state;
    for (uint32_t code = 0; code < 65536; code++) {
        double f16 = abdb_format_decode_bits(ABDB_F16, code),
               bf16 = abdb_format_decode_bits(ABDB_BF16, code);

        assert_true(isnan(f16) ? isnan(abdb_f16_to_f32((uint16_t)code))
                               : (double)abdb_f16_to_f32((uint16_t)code) == f16);
        assert_true(isnan(bf16) ? isnan(abdb_bf16_to_f32((uint16_t)code))
                                : (double)abdb_bf16_to_f32((uint16_t)code) == bf16);
        for (size_t k = 0; k < sizeof lower / sizeof lower[0]; k++) {
            uint32_t bits = code << 16 | lower[k];
            float value;

            memcpy(&value, &bits, sizeof value);
            if (isnan(value)) {
                assert_true(isnan(abdb_f16_to_f32(abdb_f16_from_f32(value))));
                assert_true(isnan(abdb_bf16_to_f32(abdb_bf16_from_f32(value))));
                continue;
            }
            assert_int_equal(abdb_f16_from_f32(value),
                             abdb_format_round_and_encode_bits(ABDB_F16, (double)value));
            assert_int_equal(abdb_bf16_from_f32(value),
                             abdb_format_round_and_encode_bits(ABDB_BF16, (double)value));
        }
    }
}

/* A double just above half way between two numbers of bf16 or f16 is half way as a float. */
static void test_double_is_rounded_once(void **state)
{
    (void)state;
    assert_true(abdb_dtype_round_value(ABDB_BF16, 1 + 0x1p-8 + 0x1p-50) == 1 + 0x1p-7);
    assert_true(abdb_dtype_round_value(ABDB_F16, 1 + 0x1p-11 + 0x1p-50) == 1 + 0x1p-10);
    assert_true(abdb_dtype_round_value(ABDB_F16, -1 - 0x1p-11 - 0x1p-50) == -1 - 0x1p-10);
    assert_true(abdb_dtype_round_value(ABDB_F16, 0x1p-25 + 0x1p-70) == 0x1p-24);
    assert_true(abdb_dtype_round_value(ABDB_F16, 0x1p-25) == 0);
    assert_true(abdb_dtype_round_value(ABDB_F16, 1e-300) == 0);
    assert_true(abdb_dtype_round_value(ABDB_F16, 1e300) == (double)INFINITY);
    assert_true(isnan(abdb_dtype_round_value(ABDB_F16, (double)NAN)));
    assert_true(abdb_dtype_round_value(ABDB_F32, 0.1) == (double)0.1f);
    assert_true(abdb_dtype_round_value(ABDB_F64, 0.1) == 0.1);
    assert_true(abdb_dtype_round_value(ABDB_I8, 3) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_decodes_as_counting_gives),
        cmocka_unit_test(test_values_round_to_nearest_even),
        cmocka_unit_test(test_overflow_becomes_infinity_or_nan),
        cmocka_unit_test(test_fast_f16_and_bf16_match_table),
        cmocka_unit_test(test_double_is_rounded_once),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
