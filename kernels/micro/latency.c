/* latency.c - one load after another that depends on it: a walk through all lines of `bytes`, in an
 * order that nothing can foresee (one cycle, Sattolo 1986, a fixed seed), on one thread:
 *
 *   hops times: i = next[i]
 *
 * Work: no operation; 64 bytes a hop. The time of a hop is the launch's / `hops`. Neither
 * operations nor bytes bound it. Exact. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"

/* LINE: bytes of a cache line. Only the first of its STEP indices is used, so that each hop meets
 * another line. */
enum { NEXT, END, LINE = 64, STEP = LINE / 4, HOPS = 1 << 18 };

/* NEXT: an array of `bytes`, half of a cache's size for level=, else twice what no cache holds;
 * END: where `hops` steps lead. */
static abdb_status latency_parse_params_and_setup_tensors(abdb_problem *p,
                                                          const abdb_machine_caches *limits,
                                                          abdb_error *err)
{
    const char *level = abdb_param_text(p, "level");
    double bytes = 2 * abdb_array_bytes_beyond_caches(limits, 1),
           hops = abdb_param_number(p, "hops", HOPS);
    abdb_status st = ABDB_OK;

    if (level && strcmp(level, "L1") == 0)
        bytes = 0.5 * (double)limits->l1;
    else if (level && strcmp(level, "L2") == 0)
        bytes = 0.5 * (double)limits->l2;
    else if (level && strcmp(level, "L3") == 0)
        bytes = 0.5 * (double)limits->last;
    else if (level && strcmp(level, "memory") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "latency: level is L1, L2, L3 or memory");
    bytes = floor(abdb_param_number(p, "bytes", bytes) / LINE) * LINE;
    if (!(bytes >= 2 * LINE && bytes <= 0x1p32) || !(hops >= 1 && hops <= 1e9))
        return ABDB_FAIL(err, ABDB_USAGE, "latency: bytes from 128 to 2^32, hops up to 10^9");
    TRY(abdb_param_set_integer(p, "bytes", bytes, err));
    TRY(abdb_param_set_integer(p, "hops", floor(hops), err));
    p->tensors = 2;
    p->tensor[NEXT] = (abdb_tensor){
        .dtype = ABDB_I32, .role = ABDB_IN, .rank = 1, .dim = {(size_t)bytes / 4}, .stride = {1}};
    p->tensor[END] =
        (abdb_tensor){.dtype = ABDB_I32, .role = ABDB_OUT, .rank = 1, .dim = {1}, .stride = {1}};
done:
    return st;
}

/* Fills NEXT so that following it from any line visits all lines, in random order, before it
 * returns. */
static void latency_prepare_random_pointer_cycle(const abdb_problem *p, uint64_t seed)
{
    int32_t *next = p->tensor[NEXT].data;
    size_t lines = p->tensor[NEXT].dim[0] / STEP;
    uint64_t state = abdb_random_bits_at(seed, 0);

    for (size_t i = 0; i < lines; i++) next[i * STEP] = (int32_t)(i * STEP);
    /* Sattolo: exchanging with one strictly below makes a single cycle through all lines;
     * exchanging with itself too (a plain shuffle) would leave short cycles that fit a cache. */
    for (size_t i = lines - 1; i > 0; i--) {
        size_t j;
        int32_t other;

        j = (size_t)(abdb_xorshift64_next(&state) % i);
        other = next[i * STEP];
        next[i * STEP] = next[j * STEP];
        next[j * STEP] = other;
    }
}

static void latency_count_work(const abdb_problem *p, abdb_work *out)
{
    out->ops = 0;
    out->bytes = LINE * abdb_param_number(p, "hops", HOPS);
}

/* END = NEXT[NEXT[... NEXT[0]]], `hops` times: the one row that there is. */
static void latency_reference_rows_end_of_chase(const abdb_problem *p, int tensor,
                                                const size_t *row, size_t count, double *out,
                                                double *magnitude)
{
    const int32_t *next = p->tensor[NEXT].data;
    int32_t at = 0;

    (void)tensor;
    (void)row;
    (void)count;
    for (double i = abdb_param_number(p, "hops", HOPS); i > 0; i--) at = next[at];
    out[0] = at;
    magnitude[0] = 0;
}

const abdb_kernel abdb_kernel_latency = {
    .name = "latency",
    .summary = "loads that wait for one another: the latency of caches and memory",
    .formula = "latency@1",
    .parameters = "level=L1|L2|L3|memory, or bytes=8 x last-level cache  hops=262144",
    .names = "level bytes hops",
    .setup_tensors = latency_parse_params_and_setup_tensors,
    .count_work = latency_count_work,
    .reference_rows = latency_reference_rows_end_of_chase,
    .error_bound = abdb_error_bound_zero,
    .prepare_inputs = latency_prepare_random_pointer_cycle,
    .edge_sizes = abdb_latency_edge_sizes,
};
