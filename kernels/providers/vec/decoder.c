/* decoder.c - backend vec's parts of networks that generate text: norms, what stands between
 * products, and what is picked; products are in weights.c, attention in cached.c. See
 * kernels/workloads/decoder.h. */
#include "kernels/providers/vec/decoder.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/quantise.h"

/* PIECE: columns of what is gated at a time. */
enum { LINE = 64, PIECE = 1024 };

/* What stands for the problem of a transformer block: it picks instructions and blocks. */
static abdb_problem stand_in(const abdb_problem *p, abdb_dtype dtype)
{
    abdb_problem q = *p;

    q.kernel = "transformer-block";
    q.tensor[0] = (abdb_tensor){.dtype = dtype};
    return q;
}

static const char *refuses(const abdb_problem *p, abdb_dtype dtype, int form, size_t d,
                           size_t columns)
{
    abdb_problem q = stand_in(p, dtype);
    const char *why;

    if (dtype != ABDB_F32 && dtype != ABDB_BF16) return "parts of networks but in f32 and bf16";
    if (!abdb_vec_can(&q, &why)) return why;
    if (!abdb_vec_multiplies(&q, dtype) || !abdb_vec_tune(&q))
        return "products of this format or blocks on this processor";
    if (columns % 16 || d % 16) return "rows or heads whose length is no multiple of 16";
    if (form == ABDB_WEIGHTS_I4 && columns % ABDB_QUANTISE_GROUP)
        return "weights of 4 bits for rows whose length is no multiple of 32";
    return NULL;
}

static void stop(void *self)
{
    abdb_vec_maker *s = self;

    free(s->work);
    free(s);
}

static abdb_status start(void **self, const abdb_problem *p, abdb_dtype dtype, abdb_error *err)
{
    abdb_problem q = stand_in(p, dtype);
    abdb_vec_maker *s = calloc(1, sizeof *s);

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    s->dtype = dtype;
    s->size = abdb_dtype_size(dtype);
    s->isa = abdb_vec_pick(&q);
    s->tuning = abdb_vec_tune(&q);
    s->threads = abdb_vec_threads(p);
    s->p.params = 1;
    s->p.param[0] = (abdb_param){"op", "read", NAN};
    *self = s;
    return ABDB_OK;
}

static abdb_status reserve(void *self, size_t bytes, abdb_error *err)
{
    abdb_vec_maker *s = self;

    s->work = abdb_vec_room(bytes);
    if (!s->work) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes to work in", bytes);
    memset(s->work, 0, bytes); /* its pages are there */
    return ABDB_OK;
}

static void norm(void *self, size_t rows, size_t columns, const void *x, const void *gain,
                 void *out)
{
    const abdb_vec_maker *s = self;

#pragma omp parallel num_threads(s->threads) if (rows > 1)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads(),
               low = rows * thread / threads, high = rows * (thread + 1) / threads,
               at = low * columns * s->size;

        if (high > low)
            abdb_vec_over_rows(s, ABDB_RMSNORM, high - low, columns, (const char *)x + at, gain,
                               (char *)out + at);
    }
}

static void gate(void *self, size_t rows, size_t columns, const void *x, void *out)
{
    const abdb_vec_maker *s = self;
    size_t pieces = (columns + PIECE - 1) / PIECE;

#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (size_t i = 0; i < rows * pieces; i++) {
        size_t row = i / pieces, from = i % pieces * PIECE;
        const char *g = (const char *)x + (2 * row * columns + from) * s->size;
        abdb_vec_step step = {.what = ABDB_STEP_SWIGLU,
                              .dtype = s->dtype,
                              .columns = columns - from < PIECE ? columns - from : PIECE,
                              .x = g,
                              .add = g + columns * s->size,
                              .out = (char *)out + (row * columns + from) * s->size};

        s->isa->steps(&step, 0, 1);
    }
}

/* Bits of floats as whole numbers in the order of their values: those below 0 are turned around; a
 * NaN becomes the largest of all. The largest of each piece, then its place in the first that has
 * it. */
#define PICK(name, bits, most_of, infinity)                                             \
    static bits name##_key(bits x)                                                      \
    {                                                                                   \
        return (bits)((bits)(x & (most_of)) > (infinity)                                \
                          ? (most_of)                                                   \
                          : (bits)(x ^ (bits)((x >> (8 * sizeof x - 1)) & (most_of)))); \
    }                                                                                   \
    static int32_t name(const bits *x, size_t n)                                        \
    {                                                                                   \
        bits most = (bits)(-(most_of)-1);                                               \
        size_t at = 0;                                                                  \
                                                                                        \
        for (size_t from = 0; from < n; from += PIECE) {                                \
            size_t wide = n - from < PIECE ? n - from : PIECE;                          \
            bits here = (bits)(-(most_of)-1);                                           \
                                                                                        \
            _Pragma("omp simd reduction(max : here)") for (size_t i = 0; i < wide; i++) \
            {                                                                           \
                bits key = name##_key(x[from + i]);                                     \
                                                                                        \
                here = key > here ? key : here;                                         \
            }                                                                           \
            if (here > most) {                                                          \
                most = here;                                                            \
                at = from;                                                              \
            }                                                                           \
        }                                                                               \
        while (at + 1 < n && name##_key(x[at]) != most) at++;                           \
        return (int32_t)at;                                                             \
    }
PICK(pick_bf16, int16_t, 0x7FFF, 0x7F80)
PICK(pick_f32, int32_t, 0x7FFFFFFF, 0x7F800000)

static void pick(void *self, size_t rows, size_t columns, const void *x, int32_t *out)
{
    const abdb_vec_maker *s = self;

#pragma omp parallel for num_threads(s->threads) schedule(static) if (rows > 1)
    for (size_t i = 0; i < rows; i++)
        out[i] = s->dtype == ABDB_BF16 ? pick_bf16((const int16_t *)x + i * columns, columns)
                                       : pick_f32((const int32_t *)x + i * columns, columns);
}

static void read_all(void *self, const void *at, size_t bytes)
{
    const abdb_vec_maker *s = self;
    size_t n = bytes / sizeof(float);
    abdb_problem p = s->p;
    double sum = 0;

    p.tensor[0] = abdb_tensor_of(ABDB_F32, ABDB_IN, n, 0, 0, 0);
    p.tensor[0].data = (void *)(uintptr_t)at;
#pragma omp parallel num_threads(s->threads) reduction(+ : sum)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();

        sum += s->isa->stream(&p, n * thread / threads / LINE * LINE,
                              thread + 1 < threads ? n * (thread + 1) / threads / LINE * LINE : n);
    }
    *(volatile double *)&sum = sum;
}

const abdb_decoder abdb_vec_decoder = {.refuses = refuses,
                                       .open = start,
                                       .close = stop,
                                       .room_of_weigh = abdb_vec_weigh_room,
                                       .room_of_attention = abdb_vec_cached_room,
                                       .reserve = reserve,
                                       .bytes_of = abdb_vec_weights_bytes,
                                       .make = abdb_vec_weights_make,
                                       .value = abdb_vec_weights_value,
                                       .weigh = abdb_vec_weigh,
                                       .embed = abdb_vec_embed,
                                       .norm = norm,
                                       .remember = abdb_vec_remember,
                                       .attend = abdb_vec_attend,
                                       .gate = gate,
                                       .pick = pick,
                                       .read = read_all};
