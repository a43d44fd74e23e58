/* challenge_answer.c - the right answers to rule 4.21 of protocol.md: digests of rows of a product
 * of small whole numbers, which is exact in whatever order it is computed. See harness.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/harness/harness.h"

enum { A, B, C, DEPTH_MOST = 1 << 18 };

/* Numbers from -8 to 7. */
static void fill_whole_numbers_by_seed(const abdb_tensor *t, uint64_t seed)
{
    for (size_t i = 0; i < abdb_tensor_element_count(t); i++)
        abdb_tensor_set_rounded(t, i, (double)(abdb_random_bits_at(seed, i) >> 60) - 8);
}

/* The sum over the columns j of w x^3, modulo 2^64; w: odd random bits. Not linear in x, so that
 * the sum of a product takes the product. */
static json_t *digest_row_as_hexadecimal(const double *row, size_t columns, abdb_dtype dtype,
                                         uint64_t seed)
{
    uint64_t sum = 0;

    for (size_t j = 0; j < columns; j++) {
        uint64_t x = (uint64_t)(int64_t)abdb_dtype_round_value(dtype, row[j]);

        sum += (abdb_random_bits_at(seed, j) | 1) * x * x * x;
    }
    return json_sprintf("%016" PRIx64, sum);
}

/* Room for A and B, filled by the seed. ABDB_NOMEM. */
static abdb_status make_inputs_of_seed(abdb_problem *p, uint64_t seed, abdb_error *err)
{
    for (int t = A; t <= B; t++) {
        p->tensor[t].data =
            calloc(abdb_tensor_element_count(&p->tensor[t]), abdb_dtype_size(p->tensor[t].dtype));
        if (!p->tensor[t].data) return ABDB_FAIL(err, ABDB_NOMEM, "the inputs of a challenge");
        fill_whole_numbers_by_seed(&p->tensor[t], seed + (uint64_t)t);
    }
    return ABDB_OK;
}

/* Is it a product whose answers are known: no batch, nothing added, no activation? */
static bool is_plain_exact_product(const abdb_problem *p)
{
    abdb_gemm g = abdb_gemm_from_problem(p);

    return g.batch == 1 && !g.beta && !g.bias && g.act == ABDB_ACT_NONE && g.k <= DEPTH_MOST &&
           p->tensor[C].dtype != ABDB_F16;
}

abdb_status abdb_print_challenge_answer(abdb_device *device, const char *cell, json_t *request,
                                        const char **status, abdb_error *err)
{
    const abdb_kernel *kernel = abdb_find_kernel_by_name("gemm");
    abdb_problem p = {.kernel = "gemm", .device = device};
    uint64_t seed = (uint64_t)json_integer_value(json_object_get(request, "seed"));
    const json_t *rows = json_object_get(request, "rows");
    json_t *params = abdb_json_members_of_list(json_object_get(request, "params"), kernel->names),
           *digests = json_array();
    double *want = NULL;
    abdb_status st = ABDB_OK;

    *status = "failed";
    TRY(abdb_problem_add_json_params(&p, params, err));
    TRY(kernel->setup_tensors(&p, &device->limits, err));
    if (!is_plain_exact_product(&p)) TRY(ABDB_FAIL(err, ABDB_USAGE, "no plain product"));
    TRY(make_inputs_of_seed(&p, seed, err));
    want = calloc(2 * p.tensor[C].dim[1], sizeof *want);
    if (!want) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a row of a challenge"));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        size_t row = (size_t)json_integer_value(json_array_get(rows, i));

        if (row >= p.tensor[C].dim[0]) TRY(ABDB_FAIL(err, ABDB_USAGE, "it has no row %zu", row));
        kernel->reference_rows(&p, C, &row, 1, want, want + p.tensor[C].dim[1]);
        json_array_append_new(digests, digest_row_as_hexadecimal(want, p.tensor[C].dim[1],
                                                                 p.tensor[C].dtype, seed + C));
    }
    abdb_print_and_free_record(json_pack("{s:s,s:s,s:I,s:O}", "kind", "answer", "cell", cell, "of",
                                         (json_int_t)p.tensor[C].dim[0], "digests", digests));
    *status = "ok";
done:
    for (int t = A; t <= B; t++) free(p.tensor[t].data);
    free(want);
    json_decref(digests);
    json_decref(params);
    return st;
}
