/* decoder.c - backend vec's parts of networks that generate text: norms, what stands between
 * products, and what is picked; products are in weights.c, attention in kv_cache_attention.c. See
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
static abdb_problem transformer_block_stand_in_problem(const abdb_problem *p, abdb_dtype dtype)
{
    abdb_problem q = *p;

    q.kernel = "transformer-block";
    q.tensor[0] = (abdb_tensor){.dtype = dtype};
    return q;
}

/* NULL: this processor has the parts in that format, form and size; else what it lacks, in
 * words. */
static const char *vec_decoder_why_refused(const abdb_problem *p, abdb_dtype dtype, int form,
                                           size_t d, size_t columns)
{
    abdb_problem q = transformer_block_stand_in_problem(p, dtype);
    const char *why;

    if (dtype != ABDB_F32 && dtype != ABDB_BF16) return "parts of networks but in f32 and bf16";
    if (!abdb_vec_supports_isa_stores_and_threads(&q, &why)) return why;
    if (!abdb_vec_supports_gemm_dtype(&q, dtype) || !abdb_vec_select_block_tuning_or_null(&q))
        return "products of this format or blocks on this processor";
    if (columns % 16 || d % 16) return "rows or heads whose length is no multiple of 16";
    if (form == ABDB_WEIGHTS_I4 && columns % ABDB_QUANTISE_GROUP)
        return "weights of 4 bits for rows whose length is no multiple of 32";
    return NULL;
}

static void vec_decoder_close(void *self)
{
    abdb_vec_decoder_state *s = self;

    free(s->work);
    free(s);
}

/* State of a decoder: format, instruction set and tiles. ABDB_NOMEM. */
static abdb_status vec_decoder_open(void **self, const abdb_problem *p, abdb_dtype dtype,
                                    abdb_error *err)
{
    abdb_problem q = transformer_block_stand_in_problem(p, dtype);
    abdb_vec_decoder_state *s = calloc(1, sizeof *s);

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    s->dtype = dtype;
    s->size = abdb_dtype_size(dtype);
    s->isa = abdb_vec_select_isa(&q);
    s->tuning = abdb_vec_select_block_tuning_or_null(&q);
    s->threads = abdb_vec_thread_count(p);
    s->p.params = 1;
    s->p.param[0] = (abdb_param){"op", "read", NAN};
    *self = s;
    return ABDB_OK;
}

static abdb_status vec_decoder_alloc_workspace(void *self, size_t bytes, abdb_error *err)
{
    abdb_vec_decoder_state *s = self;

    s->work = abdb_vec_alloc_advising_huge_pages(bytes);
    if (!s->work) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes to work in", bytes);
    memset(s->work, 0, bytes); /* its pages are there */
    return ABDB_OK;
}

/* out = x / sqrt(mean of x^2 + 1e-5) gain, rows x columns, rows shared among threads. */
static void vec_rmsnorm_rows(void *self, size_t rows, size_t columns, const void *x,
                             const void *gain, void *out)
{
    const abdb_vec_decoder_state *s = self;

#pragma omp parallel num_threads(s->threads) if (rows > 1)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads(),
               low = rows * thread / threads, high = rows * (thread + 1) / threads,
               at = low * columns * s->size;

        if (high > low)
            abdb_vec_run_row_op(s, ABDB_RMSNORM, high - low, columns, (const char *)x + at, gain,
                                (char *)out + at);
    }
}

/* out[r][j] = silu(x[r][j]) x[r][columns + j], in pieces of rows shared among threads; x is rows
 * x 2 columns. */
static void vec_swiglu_rows(void *self, size_t rows, size_t columns, const void *x, void *out)
{
    const abdb_vec_decoder_state *s = self;
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

        s->isa->block_steps(&step, 0, 1);
    }
}

/* Bits of floats as whole numbers in the order of their values: those below 0 are reversed; a
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
PICK(argmax_bf16, int16_t, 0x7FFF, 0x7F80)
PICK(argmax_f32, int32_t, 0x7FFFFFFF, 0x7F800000)

static void vec_argmax_or_first_nan_of_rows(void *self, size_t rows, size_t columns, const void *x,
                                            int32_t *out)
{
    const abdb_vec_decoder_state *s = self;

#pragma omp parallel for num_threads(s->threads) schedule(static) if (rows > 1)
    for (size_t i = 0; i < rows; i++)
        out[i] = s->dtype == ABDB_BF16 ? argmax_bf16((const int16_t *)x + i * columns, columns)
                                       : argmax_f32((const int32_t *)x + i * columns, columns);
}

/* Reads memory once, on all threads, as stream's read does; the sum is used, so that no load is
 * left out. */
static void vec_read_every_byte(void *self, const void *at, size_t bytes)
{
    const abdb_vec_decoder_state *s = self;
    size_t n = bytes / sizeof(float);
    abdb_problem p = s->p;
    double sum = 0;

    p.tensor[0] = abdb_tensor_contiguous(ABDB_F32, ABDB_IN, n, 0, 0, 0);
    p.tensor[0].data = (void *)(uintptr_t)at;
#pragma omp parallel num_threads(s->threads) reduction(+ : sum)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();

        sum += s->isa->stream(&p, n * thread / threads / LINE * LINE,
                              thread + 1 < threads ? n * (thread + 1) / threads / LINE * LINE : n);
    }
    *(volatile double *)&sum = sum;
}

const abdb_decoder abdb_vec_decoder = {.why_refused = vec_decoder_why_refused,
                                       .open = vec_decoder_open,
                                       .close = vec_decoder_close,
                                       .weight_gemm_work_bytes = abdb_vec_weight_gemm_work_bytes,
                                       .attention_work_bytes = abdb_vec_kv_attention_work_bytes,
                                       .alloc_workspace = vec_decoder_alloc_workspace,
                                       .weights_byte_size = abdb_vec_weights_byte_size,
                                       .build_weights = abdb_vec_pack_or_quantise_weights,
                                       .dequantise_weight = abdb_vec_dequantise_weight,
                                       .weight_gemm = abdb_vec_gemm_packed_or_quantised_weights,
                                       .embed_tokens = abdb_vec_embed_tokens,
                                       .rmsnorm_rows = vec_rmsnorm_rows,
                                       .rotate_and_append_kv = abdb_vec_rotate_and_append_kv,
                                       .attend_kv_cache = abdb_vec_attend_kv_cache,
                                       .swiglu_rows = vec_swiglu_rows,
                                       .argmax_rows = vec_argmax_or_first_nan_of_rows,
                                       .read_all_bytes = vec_read_every_byte};
