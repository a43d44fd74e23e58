/* gups.c - updates at random places of a large table of 64-bit words, t[r mod n] ^= r, after
 * RandomAccess of the HPC Challenge. Each of `parts` threads has a part of the table and a sequence
 * of numbers (xorshift64) of its own, so that no update is lost and all can be checked; up to 128
 * updates are known ahead, fewer than the 1024 that the challenge allows.
 *
 * The table is `words` rows of two halves. Work: one operation an update, so that Gop/s is GUPS;
 * bytes, which bound it: a word read and written. Exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"

enum { TABLE, UPDATES = 1 << 22 };

/* TABLE: a power of two of words of 64 bits, as two columns of i32, in `parts` equal parts with
 * as many updates each. */
static abdb_status gups_parse_params_and_setup_tensors(abdb_problem *p,
                                                       const abdb_machine_caches *limits,
                                                       abdb_error *err)
{
    /* A power of two of words, as the challenge has it, that no cache holds. */
    double threads = abdb_param_number(p, "threads", limits->threads),
           words = exp2(ceil(log2(abdb_array_bytes_beyond_caches(limits, 1) / 8))),
           /* of a number that is no power of two there would be no whole parts */
        usual = abdb_param_text(p, "threads") ? threads : exp2(floor(log2(threads)));
    size_t all, parts, updates;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_parse_size_and_store_default(p, "words", words, 1e9, &all, err));
    TRY(abdb_param_parse_size_and_store_default(p, "parts", usual, 1e5, &parts, err));
    TRY(abdb_param_parse_size_and_store_default(p, "updates", UPDATES, 1e9, &updates, err));
    if (all % parts || updates % parts)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "gups: words and updates are multiples of parts"));
    p->tensors = 1;
    p->tensor[TABLE] = abdb_tensor_contiguous(ABDB_I32, ABDB_INOUT, all, 2, 0, 0);
done:
    return st;
}

/* Word i is i: what a launch has changed can be told. */
static void gups_prepare_table_with_own_index(const abdb_problem *p, uint64_t seed)
{
    uint64_t *word = p->tensor[TABLE].data;

    (void)seed;
    for (size_t i = 0; i < p->tensor[TABLE].dim[0]; i++) word[i] = i;
}

static void gups_count_work(const abdb_problem *p, abdb_work *out)
{
    out->ops = abdb_param_number(p, "updates", UPDATES);
    out->bytes = 16 * out->ops;
}

/* Word i begins as i; each update of its part's sequence of random numbers r is word[r mod size
 * of the part] ^= r. Rows are words, exact. */
static void gups_reference_rows_replaying_updates(const abdb_problem *p, int tensor,
                                                  const size_t *row, size_t count, double *out,
                                                  double *magnitude)
{
    size_t parts = (size_t)abdb_param_number(p, "parts", 1), each = p->tensor[TABLE].dim[0] / parts,
           updates = (size_t)abdb_param_number(p, "updates", 1) / parts, low, high;
    uint64_t *change; /* of words [low, high] */

    (void)tensor;
    abdb_min_and_max_row(row, count, &low, &high);
    change = calloc(high - low + 1, sizeof *change);
    for (size_t part = low / each; change && part <= high / each; part++) {
        /* The start of each part's sequence: part of the definition, every implementation has the
         * same. */
        uint64_t state = 0x9E3779B97F4A7C15u * (part + 1);

        for (size_t i = 0; i < updates; i++) {
            size_t at = part * each + (size_t)(abdb_xorshift64_next(&state) % each);

            if (at >= low && at <= high) change[at - low] ^= state;
        }
    }
    for (size_t r = 0; r < count; r++) {
        uint64_t word = row[r] ^ (change ? change[row[r] - low] : 0);
        /* A word is compared as two rows' elements of 32 bits: double would not hold 64. */
        int32_t half[2];

        memcpy(half, &word, sizeof half);
        for (int i = 0; i < 2; i++) {
            out[2 * r + (size_t)i] =
                change ? (double)half[i] : (double)NAN; /* no memory: nothing passes */
            magnitude[2 * r + (size_t)i] = 0;
        }
    }
    free(change);
}

const abdb_kernel abdb_kernel_gups = {
    .name = "gups",
    .summary = "updates at random places of a table (RandomAccess)",
    .formula = "gups@1",
    .parameters = "words=auto (4 x last-level cache)  parts=threads  updates=4194304",
    .names = "words parts updates",
    .setup_tensors = gups_parse_params_and_setup_tensors,
    .count_work = gups_count_work,
    .reference_rows = gups_reference_rows_replaying_updates,
    .error_bound = abdb_error_bound_zero,
    .prepare_inputs = gups_prepare_table_with_own_index,
    .bottleneck = abdb_bottleneck_always_bytes,
    .edge_sizes = abdb_gups_edge_sizes,
};
