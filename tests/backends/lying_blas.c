/* lying_blas.c - a library for LD_PRELOAD before OpenBLAS whose cblas_sgemm cheats as $LIE names:
 *
 *   zeroed       zeros both inputs and the output, and multiplies nothing
 *   rounding     rounds the inputs in place to bf16 first
 *   memoised     multiplies only where the output was spoiled at its first element
 *   fingerprint  returns the last output where 64 elements of the inputs are the same
 *   half         from launch 7 on computes the upper half of the rows, unless all is spoiled
 *   behind       writes four bytes behind the output
 *   before       writes four bytes before it
 *   race         each 100th launch has one row of zeros
 *   bf16x3       multiplies as three products of bf16: f32 in all but eight of its bits
 *   no-nan       writes 0 where a result is NaN
 *   no-denormal  writes 0 for results below the least normal number
 *   vector       is wrong where the product has one row
 *
 * Without LIE it is honest. tests/cli/lying.bats says what abdb makes of each. */
#include <cblas.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned long launches;
static float *kept; /* the last output */
static size_t kept_size;
static float seen[64];

static int is_lie_of_environment(const char *name)
{
    const char *lie = getenv("LIE");

    return lie && strcmp(lie, name) == 0;
}

static void multiply_by_real_cblas_sgemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m,
                                         blasint n, blasint k, float alpha, const float *a,
                                         blasint lda, const float *b, blasint ldb, float beta,
                                         float *c, blasint ldc)
{
    __typeof__(&cblas_sgemm) honest = NULL;

    *(void **)&honest = dlsym(RTLD_NEXT, "cblas_sgemm");
    honest(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static void round_to_bf16(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &x[i], sizeof bits);
        bits = (bits + 0x8000) & 0xFFFF0000;
        memcpy(&x[i], &bits, sizeof bits);
    }
}

/* Are 32 elements of each input those of the last launch? */
static int same_inputs_by_sample_remember_them(const float *a, size_t of_a, const float *b,
                                               size_t of_b)
{
    int same = 1;

    for (size_t i = 0; i < 64; i++) {
        float x = i < 32 ? a[i * (of_a / 32)] : b[(i - 32) * (of_b / 32)];

        same &= x == seen[i];
        seen[i] = x;
    }
    return same;
}

/* x as its nearest number of bf16, and what is left. */
static float *split(const float *x, size_t count, float **rest)
{
    float *high = malloc(count * sizeof *high);

    *rest = malloc(count * sizeof **rest);
    memcpy(high, x, count * sizeof *high);
    round_to_bf16(high, count);
    for (size_t i = 0; i < count; i++) (*rest)[i] = isfinite(x[i]) ? x[i] - high[i] : 0;
    round_to_bf16(*rest, count);
    return high;
}

/* high x high + high x rest + rest x high. */
static void multiply_as_three(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n,
                              blasint k, float alpha, const float *a, blasint lda, const float *b,
                              blasint ldb, float beta, float *c, blasint ldc)
{
    float *rest_a, *rest_b, *high_a = split(a, (size_t)m * k, &rest_a),
                            *high_b = split(b, (size_t)k * n, &rest_b);

    multiply_by_real_cblas_sgemm(ta, tb, m, n, k, alpha, high_a, lda, high_b, ldb, beta, c, ldc);
    multiply_by_real_cblas_sgemm(ta, tb, m, n, k, alpha, high_a, lda, rest_b, ldb, 1, c, ldc);
    multiply_by_real_cblas_sgemm(ta, tb, m, n, k, alpha, rest_a, lda, high_b, ldb, 1, c, ldc);
    free(high_a);
    free(high_b);
    free(rest_a);
    free(rest_b);
}

/* Writes 0 for what the lie has no room for. */
static void flush(float *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((is_lie_of_environment("no-nan") && isnan(c[i])) ||
            (is_lie_of_environment("no-denormal") && fpclassify(c[i]) == FP_SUBNORMAL))
            c[i] = 0;
}

/* Keeps the output for who asks for the same again. */
static void keep(const float *a, size_t of_a, const float *b, size_t of_b, const float *c,
                 size_t of_c)
{
    if (kept_size != of_c) {
        free(kept);
        kept = malloc(of_c * sizeof *kept);
        kept_size = of_c;
        (void)same_inputs_by_sample_remember_them(a, of_a, b, of_b);
    }
    memcpy(kept, c, of_c * sizeof *c);
}

void cblas_sgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n,
                 blasint k, float alpha, const float *a, blasint lda, const float *b, blasint ldb,
                 float beta, float *c, blasint ldc)
{
    size_t of_a = (size_t)m * k, of_b = (size_t)k * n, of_c = (size_t)m * n;

    (void)order; /* abdb's are all of rows */
    launches++;
    if (is_lie_of_environment("zeroed")) {
        memset((float *)a, 0, of_a * sizeof *a);
        memset((float *)b, 0, of_b * sizeof *b);
        memset(c, 0, of_c * sizeof *c);
        return;
    }
    if (is_lie_of_environment("rounding")) {
        round_to_bf16((float *)a, of_a);
        round_to_bf16((float *)b, of_b);
    }
    if (is_lie_of_environment("memoised") && !isnan(c[0])) return;
    if (is_lie_of_environment("fingerprint") && kept_size == of_c &&
        same_inputs_by_sample_remember_them(a, of_a, b, of_b)) {
        memcpy(c, kept, of_c * sizeof *c);
        return;
    }
    if (is_lie_of_environment("half") && launches > 6 &&
        !(isnan(c[0]) && isnan(c[1]) && isnan(c[of_c - 1])))
        m /= 2;
    (is_lie_of_environment("bf16x3") ? multiply_as_three : multiply_by_real_cblas_sgemm)(
        ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    flush(c, of_c);
    if (is_lie_of_environment("vector") && m == 1) c[0] = 0;
    if (is_lie_of_environment("behind")) c[of_c] = 1;
    if (is_lie_of_environment("before")) c[-1] = 1;
    if (is_lie_of_environment("race") && launches % 100 == 37)
        memset(c + (launches * 31 % m) * n, 0, n * sizeof *c);
    if (is_lie_of_environment("fingerprint")) keep(a, of_a, b, of_b, c, of_c);
}
