/* gather.c - vectors of a large table, one after another by index:
 *   gather   out[i] = table[index[i]]         scatter   table[index[i]] = in[i]
 * of rows of `bytes`, a `fraction` of `rows` of them, each at most once, in random order (a shuffle
 * with a fixed seed). Work: no operation; useful bytes, read and written: n (2 x bytes + 4), which
 * bound it. Exact.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"

enum { TABLE, INDEX, OUT, ROWS = 4 << 20, BYTES = 256 };

static int is_scatter(const abdb_problem *p)
{
    const char *op = abdb_param_text(p, "op");

    return op && strcmp(op, "scatter") == 0;
}

/* The table has rows x bytes / 4 numbers of f32, INDEX `count` = rows x fraction places, the
 * vectors lie in `count` rows. A gather reads the table (tensor 0) into vectors, a scatter writes
 * vectors (tensor 0) into the table, whose other rows stay. */
static abdb_status gather_parse_params_and_setup_tensors(abdb_problem *p,
                                                         const abdb_machine_caches *limits,
                                                         abdb_error *err)
{
    static const char *const words[] = {"gather", "scatter", NULL};
    int op;
    double rows = abdb_param_number(p, "rows", ROWS), bytes = abdb_param_number(p, "bytes", BYTES),
           fraction = abdb_param_number(p, "fraction", 0.1), count;
    size_t width, table[2], vectors[2];
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(abdb_param_choice_index_or_first(p, "op", words, &op, err));
    if (!(rows >= 1 && rows <= 1e9 && rows == floor(rows)) ||
        !(bytes >= 4 && bytes <= 65536 && fmod(bytes, 4) == 0) || !(fraction > 0 && fraction <= 1))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "gather: rows up to 10^9, bytes a multiple of 4 up to 65536, fraction of"
                         " the rows above 0 up to 1");
    count = fmax(1, floor(rows * fraction));
    TRY(abdb_param_set_integer(p, "rows", rows, err));
    TRY(abdb_param_set_integer(p, "bytes", bytes, err));
    TRY(abdb_param_set_integer(p, "count", count, err));
    width = (size_t)bytes / 4;
    table[0] = (size_t)rows;
    vectors[0] = (size_t)count;
    table[1] = vectors[1] = width;
    p->tensors = 3;
    p->tensor[TABLE] = (abdb_tensor){.dtype = ABDB_F32, .role = ABDB_IN, .rank = 2};
    p->tensor[INDEX] = (abdb_tensor){
        .dtype = ABDB_I32, .role = ABDB_IN, .rank = 1, .dim = {vectors[0]}, .stride = {1}};
    p->tensor[OUT] =
        (abdb_tensor){.dtype = ABDB_F32, .role = is_scatter(p) ? ABDB_INOUT : ABDB_OUT, .rank = 2};
    for (int i = 0; i < 2; i++) { /* of a scatter the first tensor is what is written */
        p->tensor[TABLE].dim[i] = is_scatter(p) ? vectors[i] : table[i];
        p->tensor[OUT].dim[i] = is_scatter(p) ? table[i] : vectors[i];
        p->tensor[TABLE].stride[i] = p->tensor[OUT].stride[i] = i ? 1 : (ptrdiff_t)width;
    }
done:
    return st;
}

/* Fills INDEX with `count` different rows of the table in random order. */
static void gather_prepare_unique_indices(const abdb_problem *p, uint64_t seed)
{
    size_t rows = (size_t)abdb_param_number(p, "rows", 1), count = p->tensor[INDEX].dim[0];
    int32_t *index = p->tensor[INDEX].data, *all = malloc(rows * sizeof *all);
    uint64_t state = abdb_random_bits_at(seed, 0);

    for (size_t i = 0; i < count; i++) index[i] = (int32_t)i; /* without memory: in order */
    if (!all) return;
    for (size_t i = 0; i < rows; i++) all[i] = (int32_t)i;
    /* Fisher and Yates, stopped after `count` places: no index comes twice, so a scatter has one
     * result. */
    for (size_t i = 0; i < count; i++) { /* the first `count` of a shuffle */
        size_t j;
        int32_t other = all[i];

        j = i + (size_t)(abdb_xorshift64_next(&state) % (rows - i));
        index[i] = all[j];
        all[i] = all[j];
        all[j] = other;
    }
    free(all);
}

static void gather_count_work(const abdb_problem *p, abdb_work *out)
{
    out->ops = 0;
    out->bytes = (double)p->tensor[INDEX].dim[0] * (2 * abdb_param_number(p, "bytes", BYTES) + 4);
}

/* gather: OUT[r] = TABLE[INDEX[r]]. scatter: OUT[INDEX[i]] = TABLE[i], other rows as they were.
 * Exact. */
static void gather_or_scatter_reference_rows_exact(const abdb_problem *p, int tensor,
                                                   const size_t *row, size_t count, double *out,
                                                   double *magnitude)
{
    const int32_t *index = p->tensor[INDEX].data;
    size_t width = p->tensor[OUT].dim[1], n = p->tensor[INDEX].dim[0], low, high;
    /* A scatter, looked at from the row it writes: one pass over all indices finds who writes each
     * row. */
    size_t *sent = NULL; /* to rows [low, high]: by which index, SIZE_MAX by none */

    (void)tensor;
    abdb_min_and_max_row(row, count, &low, &high);
    if (is_scatter(p)) sent = malloc((high - low + 1) * sizeof *sent);
    for (size_t i = 0; sent && i <= high - low; i++) sent[i] = SIZE_MAX;
    for (size_t i = 0; sent && i < n; i++)
        if ((size_t)index[i] >= low && (size_t)index[i] <= high) sent[(size_t)index[i] - low] = i;
    for (size_t r = 0; r < count; r++) {
        size_t from = !is_scatter(p) ? (size_t)index[row[r]] : sent ? sent[row[r] - low] : 0;

        for (size_t j = 0; j < width; j++) { /* a row that nothing is scattered to stays */
            out[r * width + j] = from == SIZE_MAX
                                     ? abdb_tensor_get_f64(&p->tensor[OUT], row[r] * width + j)
                                     : abdb_tensor_get_f64(&p->tensor[TABLE], from * width + j);
            magnitude[r * width + j] = 0;
            if (is_scatter(p) && !sent) out[r * width + j] = NAN; /* no memory: nothing passes */
        }
    }
    free(sent);
}

/* Row by row, byte by byte. */
static abdb_status gather_mark_wrong_rows_bytewise(const abdb_problem *p, const abdb_tensor *got,
                                                   uint64_t seed, unsigned char *marks,
                                                   abdb_error *err)
{
    const int32_t *index = p->tensor[INDEX].data;
    const char *table = p->tensor[TABLE].data, *was = p->tensor[OUT].data, *out = got->data;
    size_t n = p->tensor[INDEX].dim[0], rows = got->dim[0], size = 4 * got->dim[1];
    unsigned char *sent = NULL;

    (void)seed;
    if (is_scatter(p)) {
        sent = calloc(rows, 1); /* rows that something is scattered to */
        if (!sent) return ABDB_FAIL(err, ABDB_NOMEM, "verification");
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        size_t to = sent ? (size_t)index[i] : i, from = sent ? i : (size_t)index[i];

        marks[to] = memcmp(out + to * size, table + from * size, size) != 0;
        if (sent) sent[to] = 1;
    }
#pragma omp parallel for schedule(static) if (sent)
    for (size_t i = 0; i < rows; i++)
        if (sent && !sent[i]) marks[i] = memcmp(out + i * size, was + i * size, size) != 0;
    free(sent);
    return ABDB_OK;
}

const abdb_kernel abdb_kernel_gather = {
    .name = "gather",
    .summary = "vectors of a table by index: gather, scatter",
    .formula = "gather@1",
    .parameters = "op=gather|scatter  rows=4194304  bytes=256  fraction=0.1",
    .names = "op rows bytes fraction",
    .setup_tensors = gather_parse_params_and_setup_tensors,
    .count_work = gather_count_work,
    .reference_rows = gather_or_scatter_reference_rows_exact,
    .error_bound = abdb_error_bound_zero,
    .mark_suspect_rows = gather_mark_wrong_rows_bytewise,
    .prepare_inputs = gather_prepare_unique_indices,
    .bottleneck = abdb_bottleneck_always_bytes,
    .edge_sizes = abdb_gather_edge_sizes,
    .put_edge_values = abdb_gather_put_edge_values,
};
