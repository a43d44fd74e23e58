/* stream.c - STREAM: a kernel a pass, of a sum two. */
#include <stdio.h>
#include <string.h>

#include "kernels/providers/cuda/cu/args.h"
#include "kernels/providers/cuda/cu/maps.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/launch.h"

enum { PASSES_MOST = 1 << 16, NAME = 64 };

static bool is_word(const abdb_problem *p, const char *name, const char *word)
{
    const char *text = abdb_param_text(p, name);

    return text && strcmp(text, word) == 0;
}

static bool is_sum(const abdb_problem *p)
{
    return is_word(p, "op", "dot") || is_word(p, "op", "read");
}

static int accepts(const abdb_problem *p, const char **why_not)
{
    const char *level = abdb_param_text(p, "level");

    *why_not = "a launch takes longer than a pass over a cache";
    if (level && strcmp(level, "memory") != 0) return 0;
    *why_not = "the device's scheduler decides on loops and order";
    if (abdb_param_text(p, "unroll") || abdb_param_text(p, "grain")) return 0;
    *why_not = "sums store one number";
    return !(is_word(p, "stores", "nt") && is_sum(p));
}

/* The sums of blocks, then their sum. */
static abdb_status add_sum(abdb_cu_job *job, const char *op, size_t n, abdb_error *err)
{
    const abdb_tensor *t = job->p->tensor;
    size_t size = abdb_dtype_size(t[0].dtype),
           blocks = abdb_cu_blocks(job->d, abdb_cu_grid(n * size / ABDB_CU_VECTOR));
    char parts[NAME], total[NAME];
    abdb_cu_sum of = {t[0].data, t[1].data, NULL, n}, all = {.out = t[2].data, .n = blocks};
    void *part;
    abdb_status st = ABDB_OK;

    snprintf(parts, sizeof parts, "%s_%s", op, abdb_cu_suffix(t[0].dtype));
    snprintf(total, sizeof total, "total_%s", abdb_cu_suffix(t[0].dtype));
    TRY(abdb_cu_scratch(job, blocks * size, &part, err));
    of.out = part;
    all.x = part;
    for (double r = abdb_param_number(job->p, "repeat", 1); r > 0; r--) {
        TRY(abdb_cu_add(job, &(abdb_cu_call){"stream.cu", parts, {blocks}, ABDB_CU_THREADS, 0}, &of,
                        sizeof of, err));
        TRY(abdb_cu_add(job, &(abdb_cu_call){"stream.cu", total, {1}, ABDB_CU_THREADS, 0}, &all,
                        sizeof all, err));
    }
done:
    return st;
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    const char *op = abdb_param_text(p, "op");
    size_t n = (size_t)abdb_param_number(p, "n", 1), size = abdb_dtype_size(t[0].dtype);
    abdb_cu_pass of = {t[0].data, t[1].data, t[2].data, n,
                       (uint64_t)abdb_param_number(p, "fmas", 1)};
    char name[NAME];
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    if (!op) op = "triad";
    TRY(abdb_cu_job_new(&job, p, err));
    snprintf(job->chosen, sizeof job->chosen, "%d threads a block, %d vectors of 16 bytes each",
             ABDB_CU_THREADS, ABDB_CU_EACH);
    if (abdb_param_number(p, "repeat", 1) > PASSES_MOST)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "at most %d passes are launched together", PASSES_MOST));
    if (is_sum(p)) {
        TRY(add_sum(job, op, n, err));
        goto done;
    }
    snprintf(name, sizeof name, "%s%s_%s", op, is_word(p, "stores", "nt") ? "_past" : "",
             abdb_cu_suffix(t[0].dtype));
    for (double r = abdb_param_number(p, "repeat", 1); r > 0; r--)
        TRY(abdb_cu_add(
            job,
            &(abdb_cu_call){
                "stream.cu", name, {abdb_cu_grid(n * size / ABDB_CU_VECTOR)}, ABDB_CU_THREADS, 0},
            &of, sizeof of, err));
done:
    return abdb_cu_hand(st, job, state, err);
}

const abdb_impl abdb_cu_stream = {"stream",       "cuda",         accepts,      prepare,
                                  abdb_cu_launch, abdb_cu_chosen, abdb_cu_close};
