/* format.c - number formats: one table, conversion by it, and quick ones of bf16 and f16. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"

/* f16, f32 and f64 by IEEE 754; bf16 and tf32 are f32 with fewer bits (tf32: in the upper 19 of a
 * word); e4m3 and e5m2 by OCP 8-bit Floating Point Specification (OFP8) 1.0, tables 1 and 2. */
static const abdb_format formats[ABDB_DTYPE_COUNT] = {
    [ABDB_F64] = {"f64", 8, 52, 11, 1023, 0, false, ABDB_F64},
    [ABDB_F32] = {"f32", 4, 23, 8, 127, 0, false, ABDB_F32},
    [ABDB_TF32] = {"tf32", 4, 10, 8, 127, 13, false, ABDB_F32},
    [ABDB_BF16] = {"bf16", 2, 7, 8, 127, 0, false, ABDB_F32},
    [ABDB_F16] = {"f16", 2, 10, 5, 15, 0, false, ABDB_F32},
    [ABDB_E4M3] = {"e4m3", 1, 3, 4, 7, 0, true, ABDB_F32},
    [ABDB_E5M2] = {"e5m2", 1, 2, 5, 15, 0, false, ABDB_F32},
    [ABDB_I8] = {.name = "i8", .size = 1, .sums = ABDB_I32},
    [ABDB_I32] = {.name = "i32", .size = 4, .sums = ABDB_I32}};

const abdb_format *abdb_dtype_format(abdb_dtype dtype)
{
    return &formats[dtype];
}

abdb_status abdb_dtype_parse_name(abdb_dtype *out, const char *name, abdb_error *err)
{
    char all[128] = "";

    for (int i = 0; i < ABDB_DTYPE_COUNT; i++) {
        size_t size = strlen(all);

        if (strcmp(formats[i].name, name) == 0) {
            *out = (abdb_dtype)i;
            return ABDB_OK;
        }
        snprintf(all + size, sizeof all - size, "%s%s", i ? ", " : "", formats[i].name);
    }
    return ABDB_FAIL(err, ABDB_USAGE, "no dtype '%s'; there are %s", name, all);
}

const char *abdb_dtype_name(abdb_dtype dtype)
{
    return formats[dtype].name;
}

size_t abdb_dtype_size(abdb_dtype dtype)
{
    return formats[dtype].size;
}

abdb_dtype abdb_dtype_accumulator(abdb_dtype dtype)
{
    return formats[dtype].sums;
}

double abdb_dtype_unit_roundoff(abdb_dtype dtype)
{
    return formats[dtype].exponent ? ldexp(1, -formats[dtype].mantissa - 1) : 0;
}

double abdb_dtype_least_normal(abdb_dtype dtype)
{
    return formats[dtype].exponent ? ldexp(1, 1 - formats[dtype].bias) : 0;
}

/* --- by the table ----------------------------------------------------------------------------- */

uint32_t abdb_format_round_and_encode_bits(abdb_dtype dtype, double value)
{
    const abdb_format *f = &formats[dtype];
    uint32_t sign = signbit(value) ? 1u << (f->exponent + f->mantissa) : 0,
             infinite = ((1u << f->exponent) - 1) << f->mantissa,
             most = infinite | ((1u << f->mantissa) - 1), code = infinite;
    int least = 1 - f->bias, e = least;

    if (isnan(value)) return (sign | most) << f->shift;
    if (isfinite(value)) {
        if (value != 0) frexp(value, &e);
        if (--e < least) e = least;
        if (e <= f->bias + f->no_infinity) /* a number that is rounded up carries into e */
            code = ((uint32_t)(e - least) << f->mantissa) +
                   (uint32_t)nearbyint(ldexp(fabs(value), f->mantissa - e));
    }
    if (f->no_infinity && (code > most || isinf(value) || e > f->bias + 1)) code = most;
    return (sign | code) << f->shift;
}

double abdb_format_decode_bits(abdb_dtype dtype, uint32_t bits)
{
    const abdb_format *f = &formats[dtype];
    uint32_t code = bits >> f->shift, part = code & ((1u << f->mantissa) - 1),
             e = code >> f->mantissa & ((1u << f->exponent) - 1), last = (1u << f->exponent) - 1;
    double value = ldexp(part, 1 - f->bias - f->mantissa);

    if (e) value = ldexp(part + ldexp(1, f->mantissa), (int)e - f->bias - f->mantissa);
    if (e == last && f->no_infinity && part == (1u << f->mantissa) - 1) value = NAN;
    if (e == last && !f->no_infinity) value = part ? NAN : INFINITY;
    return code >> (f->exponent + f->mantissa) & 1 ? -value : value;
}

/* --- quick ------------------------------------------------------------------------------------ */

static uint32_t f32_to_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float f32_from_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* To nearest, ties to even: 0x7FFF, and 1 more where the last bit that stays is odd, carries
 * exactly when the lower half is above the middle, or on it. Rounded so, some NaNs would become
 * infinity or zero: they are cut off instead, with a bit set that keeps them NaN. */
uint16_t abdb_bf16_from_f32(float value)
{
    uint32_t bits = f32_to_bits(value);

    if (isnan(value)) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float abdb_bf16_to_f32(uint16_t bits)
{
    return f32_from_bits((uint32_t)bits << 16);
}

uint16_t abdb_f16_from_f32(float value)
{
    uint32_t bits = f32_to_bits(value), sign = bits >> 16 & 0x8000;

    bits &= 0x7FFFFFFF;
    if (bits > 0x7F800000) return (uint16_t)(sign | 0x7E00 | (bits >> 13 & 0x3FF));
    if (bits >= 0x47800000) return (uint16_t)(sign | 0x7C00); /* 2^16 and more */
    if (bits < 0x38800000) /* below 2^-14: the last bit of 1/2 is that of a subnormal number */
        return (uint16_t)(sign | (f32_to_bits(f32_from_bits(bits) + 0.5f) - 0x3F000000));
    bits -= 0x38000000; /* the difference of the biases */
    return (uint16_t)(sign | (bits + 0xFFF + (bits >> 13 & 1)) >> 13);
}

float abdb_f16_to_f32(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, size = (uint32_t)(bits & 0x7FFF) << 13;

    if (size >= 0x7C00u << 13) return f32_from_bits(sign | size | 0x7F800000);
    return f32_from_bits(sign | f32_to_bits(f32_from_bits(size) * 0x1p112f));
}

/* So that what is rounded again is rounded once: the nearer to 0 of the two floats around a number,
 * and where it is neither, the odd one. */
static float f32_rounded_to_odd(double value)
{
    float near = (float)value;
    uint32_t bits = f32_to_bits(near);

    if (isnan(value) || (double)near == value) return near;
    if (fabs((double)near) > fabs(value)) bits--;
    return f32_from_bits(bits | 1);
}

/* --- elements of tensors ---------------------------------------------------------------------- */

double abdb_tensor_get_f64(const abdb_tensor *t, size_t element)
{
    switch (t->dtype) {
    case ABDB_F64: return ((const double *)t->data)[element];
    case ABDB_TF32: return abdb_format_decode_bits(ABDB_TF32, ((const uint32_t *)t->data)[element]);
    case ABDB_F32: return (double)((const float *)t->data)[element];
    case ABDB_BF16: return (double)abdb_bf16_to_f32(((const uint16_t *)t->data)[element]);
    case ABDB_F16: return (double)abdb_f16_to_f32(((const uint16_t *)t->data)[element]);
    case ABDB_E4M3:
    case ABDB_E5M2: return abdb_format_decode_bits(t->dtype, ((const uint8_t *)t->data)[element]);
    case ABDB_I8: return ((const int8_t *)t->data)[element];
    default: return ((const int32_t *)t->data)[element];
    }
}

void abdb_tensor_set_rounded(const abdb_tensor *t, size_t element, double value)
{
    switch (t->dtype) {
    case ABDB_F64: ((double *)t->data)[element] = value; break;
    case ABDB_TF32:
        ((uint32_t *)t->data)[element] = abdb_format_round_and_encode_bits(ABDB_TF32, value);
        break;
    case ABDB_F32: ((float *)t->data)[element] = (float)value; break;
    case ABDB_BF16:
        ((uint16_t *)t->data)[element] = abdb_bf16_from_f32(f32_rounded_to_odd(value));
        break;
    case ABDB_F16:
        ((uint16_t *)t->data)[element] = abdb_f16_from_f32(f32_rounded_to_odd(value));
        break;
    case ABDB_E4M3:
    case ABDB_E5M2:
        ((uint8_t *)t->data)[element] = (uint8_t)abdb_format_round_and_encode_bits(t->dtype, value);
        break;
    case ABDB_I8: ((int8_t *)t->data)[element] = (int8_t)lrint(value); break;
    default: ((int32_t *)t->data)[element] = (int32_t)lrint(value);
    }
}

double abdb_dtype_round_value(abdb_dtype dtype, double value)
{
    uint64_t place;
    abdb_tensor one = {.dtype = dtype, .data = &place};

    abdb_tensor_set_rounded(&one, 0, value);
    return abdb_tensor_get_f64(&one, 0);
}
