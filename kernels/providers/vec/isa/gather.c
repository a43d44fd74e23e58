/* gather.c - vectors by index: rows some places ahead are prefetched, because their addresses are
 * known long before, long ones as others are copied; vectors of PAST_BYTES or more are written past
 * the caches, where nobody would read them again. See vec.h. */
#include <string.h>

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/machine.h"

enum { LINE = 64, AHEAD_BYTES = 8192, AHEAD_MOST = 32, PAST_BYTES = 128, LONG_BYTES = 4096 };

/* Copies LINE bytes, aligned; past: the store goes past the caches. */
static inline void copy_cache_line(char *out, const char *in, bool past)
{
    for (size_t i = 0; i < LINE; i += VEC_BYTES) {
        vec_f32 v = *(const vec_f32 *)(const void *)(in + i);

        if (past)
            vec_store_nontemporal(out + i, v);
        else
            *(vec_f32 *)(void *)(out + i) = v;
    }
}

/* Vectors `low` to `high` of LONG_BYTES or more, in whole lines: with each line that is copied the
 * one AHEAD_BYTES later is asked for. All of a vector at once would wait for one another. */
static void gather_long_rows_prefetching(char *out, const char *in, const int32_t *index,
                                         size_t low, size_t high, size_t bytes, bool past)
{
    size_t next = low + AHEAD_BYTES / bytes, at = AHEAD_BYTES % bytes;

    for (size_t i = low; i < high; i++)
        for (size_t l = 0; l < bytes; l += LINE, at += LINE) {
            if (at == bytes) {
                at = 0;
                next++;
            }
            if (next < high) vec_prefetch(in + (size_t)index[next] * bytes + at);
            copy_cache_line(out + i * bytes + l, in + (size_t)index[i] * bytes + l, past);
        }
}

void VEC(gather_or_scatter)(const abdb_problem *p, size_t low, size_t high)
{
    const int32_t *index = p->tensor[1].data;
    const char *in = p->tensor[0].data, *op = abdb_param_text(p, "op"),
               *stores = abdb_param_text(p, "stores");
    char *out = p->tensor[2].data;
    size_t bytes = 4 * p->tensor[0].dim[1], count = p->tensor[1].dim[0];
    size_t ahead = AHEAD_BYTES / bytes + 1 < AHEAD_MOST ? AHEAD_BYTES / bytes + 1 : AHEAD_MOST;
    bool scatter = op && strcmp(op, "scatter") == 0,
         lines = bytes % LINE == 0 && (uintptr_t)in % LINE == 0 && (uintptr_t)out % LINE == 0;
    bool past = VEC_PAST && lines && (stores ? strcmp(stores, "nt") == 0 : bytes >= PAST_BYTES);

    if (!scatter && lines && bytes >= LONG_BYTES) {
        gather_long_rows_prefetching(out, in, index, low, high, bytes, past);
        low = high;
    }
    for (size_t i = low; i < high; i++) {
        size_t from = scatter ? i : (size_t)index[i], to = scatter ? (size_t)index[i] : i;

        if (!scatter && i + ahead < count)
            for (size_t l = 0; l < bytes; l += LINE)
                vec_prefetch(in + (size_t)index[i + ahead] * bytes + l);
        for (size_t l = 0; lines && l < bytes; l += LINE)
            copy_cache_line(out + to * bytes + l, in + from * bytes + l, past);
        if (!lines) memcpy(out + to * bytes, in + from * bytes, bytes);
    }
    if (past) vec_store_fence();
}
