/* embedding.c - embedding bags, as recommendation models read them: for each sample and table the
 * sum of `lookups` rows of the table, by index.
 *
 *   mode=single    one table after another, a call each
 *   mode=batched   all tables in one call, each with its offset into one large table (FBGEMM's way)
 *
 * Tables: tables x rows rows of `bytes` of f32; indices: tables x batch x lookups, uniform; out:
 * batch rows of tables x bytes. RM1: tables=10 lookups=10, RM2: tables=20 lookups=100, rows=1000000
 * (KAIST, Gaudi 2, table 3).
 *
 * Work: batch tables (lookups - 1) additions of each element; bytes, which bound it: each row
 * looked up, its index, each sum. Bound: lookups 2^-24 of the terms' magnitudes. */
#include <math.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"

enum { TABLES, INDEX, OUT };

/* TABLES: tables x rows rows of bytes / 4 numbers of f32; INDEX: tables x batch x lookups; OUT:
 * batch rows, each with the sums of all tables side by side. */
static abdb_status embedding_parse_params_and_setup_tensors(abdb_problem *p,
                                                            const abdb_machine_caches *limits,
                                                            abdb_error *err)
{
    static const char *const modes[] = {"batched", "single", NULL};
    size_t tables, rows, lookups, batch, bytes;
    int mode;
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(abdb_param_choice_index_or_first(p, "mode", modes, &mode, err));
    TRY(abdb_param_parse_size_and_store_default(p, "tables", 20, 1e5, &tables, err));
    TRY(abdb_param_parse_size_and_store_default(p, "rows", 1e6, 1e9, &rows, err));
    TRY(abdb_param_parse_size_and_store_default(p, "lookups", 100, 1e5, &lookups, err));
    TRY(abdb_param_parse_size_and_store_default(p, "batch", 64, 1e6, &batch, err));
    TRY(abdb_param_parse_size_and_store_default(p, "bytes", 256, 65536, &bytes, err));
    if (bytes % 4 || (double)tables * (double)rows > 2e9)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "embedding-bag: bytes is a multiple of 4, all tables up to 2 x 10^9 rows"));
    p->tensors = 3;
    p->tensor[TABLES] = abdb_tensor_contiguous(ABDB_F32, ABDB_IN, tables * rows, bytes / 4, 0, 0);
    p->tensor[INDEX] = abdb_tensor_contiguous(ABDB_I32, ABDB_IN, tables, batch, lookups, 0);
    p->tensor[OUT] = abdb_tensor_contiguous(ABDB_F32, ABDB_OUT, batch, tables * bytes / 4, 0, 0);
done:
    return st;
}

static void embedding_prepare_random_indices(const abdb_problem *p, uint64_t seed)
{
    size_t rows = (size_t)abdb_param_number(p, "rows", 1),
           n = abdb_tensor_element_count(&p->tensor[INDEX]);
    int32_t *index = p->tensor[INDEX].data;

    for (size_t i = 0; i < n; i++) index[i] = (int32_t)(abdb_random_bits_at(seed, i) % rows);
}

static void embedding_count_work(const abdb_problem *p, abdb_work *out)
{
    double sums = (double)abdb_tensor_element_count(&p->tensor[OUT]),
           n = abdb_param_number(p, "lookups", 1);

    out->ops = sums * (n - 1);
    out->bytes = sums * 4 * (n + 1) + 4 * (double)abdb_tensor_element_count(&p->tensor[INDEX]);
}

/* out[b][t][i] = the sum over lookups l of TABLES[t][INDEX[t][b][l]][i], in double. */
static void embedding_reference_rows(const abdb_problem *p, int tensor, const size_t *row,
                                     size_t count, double *out, double *magnitude)
{
    size_t width = p->tensor[TABLES].dim[1], tables = p->tensor[INDEX].dim[0],
           batch = p->tensor[INDEX].dim[1], lookups = p->tensor[INDEX].dim[2];
    size_t rows = p->tensor[TABLES].dim[0] / tables;

    (void)tensor;
    for (size_t i = 0; i < count * tables * width; i++) {
        size_t table = i / width % tables, sample = row[i / (width * tables)];
        const int32_t *index =
            (const int32_t *)p->tensor[INDEX].data + (table * batch + sample) * lookups;

        out[i] = magnitude[i] = 0;
        for (size_t l = 0; l < lookups; l++) {
            double x = abdb_tensor_get_f64(&p->tensor[TABLES],
                                           (table * rows + (size_t)index[l]) * width + i % width);

            out[i] += x;
            magnitude[i] += fabs(x);
        }
    }
}

static bool embedding_make_exact_integer_tables(const abdb_problem *p, uint64_t seed)
{
    abdb_fill_nonzero_integers(&p->tensor[TABLES], seed, 64);
    return true;
}

static double embedding_norm_bound(const abdb_problem *p, int tensor)
{
    return abdb_sum_norm_bound(&p->tensor[tensor], abdb_param_number(p, "lookups", 1));
}

static double embedding_error_bound(const abdb_problem *p, int tensor)
{
    (void)tensor;
    return abdb_param_number(p, "lookups", 1) * 0x1p-24;
}

const abdb_kernel abdb_kernel_embedding = {
    .name = "embedding-bag",
    .summary = "sums of rows of embedding tables, one table after another or all at once",
    .formula = "embedding-bag@1",
    .parameters = "mode=batched|single  tables=20  rows=1000000  lookups=100  batch=64  bytes=256",
    .names = "mode tables rows lookups batch bytes",
    .setup_tensors = embedding_parse_params_and_setup_tensors,
    .count_work = embedding_count_work,
    .reference_rows = embedding_reference_rows,
    .error_bound = embedding_error_bound,
    .norm_bound = embedding_norm_bound,
    .prepare_inputs = embedding_prepare_random_indices,
    .bottleneck = abdb_bottleneck_always_bytes,
    .make_exact_inputs = embedding_make_exact_integer_tables,
    .edge_sizes = abdb_embedding_edge_sizes,
    .put_edge_values = abdb_embedding_put_edge_values,
};
