/* tuning.c - blocks of products by family of processors; see vec.h. Which are best was measured
 * (kernels/NUMBERS.md): on Intel's Sapphire Rapids kind the second level holds 2 MiB and the first
 * is not filled from it early enough unless a panel is asked for; on AMD's Zen it is, and blocks
 * are half as large. Tiles of AMX read two tiles of A and of B for four products, so that a panel
 * of B has to stay in the first level. Where few rows are multiplied, B is read in eight rows at a
 * time; Intel's reads from memory sooner where a pass asks for the eight rows of the next. */
#include <string.h>

#include "kernels/providers/vec/vec.h"

static const abdb_vec_tuning rows[] = {
    {"zen", .row = 8192, .block = 512 << 10, .slab = 512, .grain = 12, .below = 4096},
    {"intel", .row = 4096, .block = 1 << 20, .slab = 1024, .grain = 12, .ahead = 1024,
     .below = 1 << 20},
    {"amx", .row = 1024, .block = 512 << 10, .slab = 1024, .grain = 32,
     .ahead = 1024, /* of few rows, without tiles */
     .below = 1 << 20},
};
enum { ZEN, INTEL, AMX, ROWS };

const abdb_vec_tuning *abdb_vec_select_block_tuning_or_null(const abdb_problem *p)
{
    const char *asked = p ? abdb_param_text(p, "blocks") : NULL;

    for (int i = 0; asked && i < ROWS; i++)
        if (strcmp(rows[i].name, asked) == 0) return &rows[i];
    if (asked) return NULL;
#if defined(__x86_64__)
    if (p && abdb_vec_select_isa(p) == &abdb_vec_amx) return &rows[AMX];
    if (__builtin_cpu_is("intel")) return &rows[INTEL];
#endif
    return &rows[ZEN];
}

int abdb_vec_supports_gemm_blocks_and_dtype(const abdb_problem *p, const char **why_not)
{
    if (!abdb_vec_supports_isa_stores_and_threads(p, why_not)) return 0;
    *why_not = "there are no such blocks; there are zen, intel and amx";
    if (!abdb_vec_select_block_tuning_or_null(p)) return 0;
    *why_not = "this processor has no dot product of that format";
    return abdb_vec_supports_gemm_dtype(p, p->tensor[0].dtype);
}
