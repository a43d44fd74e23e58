/* tile_search.c - which tiles are the quickest on a device: some are tried on a product of SIZE,
 * once, and the answer is kept beside the programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/opencl/program_cache.h"
#include "kernels/providers/opencl/packed_gemm.h"

enum { SIZE = 960, TIMES = 5 };
/* By bytes of a vector: 32 registers of 64, 16 of 32, and what a GPU has. */
static const struct {
    int wide;
    abdb_cl_tiles tiles;
} candidates[] = {{64, {12, 2, 2048, "searched"}}, {64, {8, 3, 2048, "searched"}},
                  {64, {14, 2, 2048, "searched"}}, {64, {6, 4, 2048, "searched"}},
                  {32, {6, 2, 2048, "searched"}},  {32, {4, 3, 2048, "searched"}},
                  {32, {5, 2, 2048, "searched"}},  {16, {4, 2, 2048, "searched"}},
                  {16, {8, 1, 2048, "searched"}},  {16, {8, 2, 2048, "searched"}}};
enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };

/* The least time of some launches of a product of SIZE with these tiles. An error: the device
 * refuses them, as of a local size or of registers that it has not; or it fails altogether. */
static abdb_status measure_least_gemm_time_with_tiles(const abdb_problem *p, abdb_dtype dtype,
                                                      const abdb_cl_tiles *tiles, double *least,
                                                      abdb_error *err)
{
    abdb_cl_gemm_size s = {
        .m = SIZE, .n = SIZE, .k = SIZE, .batch = 1, .dtype = dtype, .tiles = *tiles};
    abdb_cl_matrix m[3];
    abdb_cl_job *job = NULL;
    size_t bytes = (size_t)SIZE * SIZE * abdb_dtype_size(dtype);
    abdb_device *d = p->device;
    abdb_status st = ABDB_OK;

    *least = INFINITY;
    TRY(abdb_cl_job_new(&job, p, err));
    for (int i = 0; i < 3; i++) {
        cl_mem memory;

        TRY(abdb_cl_alloc_or_count_scratch(job, i == 2 && dtype == ABDB_I8 ? 4 * bytes : bytes,
                                           &memory, err));
        if (i < 2) TRY(d->fill(d, memory, 0, bytes, err));
        m[i] = (abdb_cl_matrix){.data = memory, .dtype = dtype, .row = SIZE, .column = 1};
    }
    if (dtype == ABDB_I8) m[2].dtype = ABDB_I32;
    TRY(abdb_cl_add_pack_and_gemm(job, &m[0], &m[1], &m[2], &s, err));
    for (int i = 0; i < TIMES; i++) {
        double time_s;

        TRY(d->begin_timing(d, err));
        TRY(abdb_cl_job_launch(job, err));
        TRY(d->end_timing(d, &time_s, err));
        if (i) *least = fmin(*least, time_s); /* the first compiles */
    }
done:
    if (job) abdb_cl_job_free(job);
    return st;
}

static void write_tile_cache_key(const abdb_cl_device *d, abdb_dtype dtype, char *out, size_t room)
{
    snprintf(out, room, "tiles 1 of %s\n%s\n%s", abdb_dtype_name(dtype), d->name, d->driver);
}

/* What was found before; false: nothing. */
static bool read_cached_tiles(const abdb_cl_device *d, const char *key, abdb_cl_tiles *out)
{
    size_t size = 0;
    unsigned char *kept = abdb_cl_cache_read_if_intact(key, &size);
    bool ok = kept && size == 1 && *kept < CANDIDATES && candidates[*kept].wide == d->wide;

    if (ok) *out = candidates[*kept].tiles;
    free(kept);
    return ok;
}

abdb_status abdb_cl_find_cached_or_fastest_tiles(const abdb_problem *p, abdb_dtype dtype,
                                                 abdb_cl_tiles *out, abdb_error *err)
{
    const abdb_cl_device *d = (const abdb_cl_device *)p->device;
    abdb_cl_tiles usual = abdb_cl_default_tiles(d, dtype);
    double quickest = INFINITY, time_s;
    abdb_status refused = ABDB_OK;
    char key[3 * ABDB_CL_NAME];
    unsigned char best = 0;
    abdb_status st = ABDB_OK;

    write_tile_cache_key(d, dtype, key, sizeof key);
    if (!read_cached_tiles(d, key, out)) {
        for (size_t i = 0; i < CANDIDATES; i++) {
            abdb_cl_tiles one = candidates[i].tiles;

            if (candidates[i].wide != d->wide) continue;
            if (one.depth > usual.depth) one.depth = usual.depth;
            refused = measure_least_gemm_time_with_tiles(p, dtype, &one, &time_s, err);
            if (refused != ABDB_OK || time_s >= quickest) continue;
            quickest = time_s;
            best = (unsigned char)i;
        }
        if (isinf(quickest)) TRY(refused); /* all of them: err has why */
        *out = candidates[best].tiles;
        abdb_cl_cache_write_ignoring_errors(key, &best, 1);
    }
    if (out->depth > usual.depth) out->depth = usual.depth;
done:
    return st;
}
