/* llama_run.c - what workloads of Llama-like networks share; see llama_run.h. */
#include "kernels/workloads/llama_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/device_memory.h"
#include "kernels/workloads/llama_file.h"

enum { READ_MOST = 1 << 30 };
static const double deviation = 0.02;

abdb_llama_capacity abdb_llama_cache_capacity(size_t rows, size_t sequences, size_t length,
                                              int pages, size_t block)
{
    abdb_llama_capacity most = {.rows = rows,
                                .sequences = sequences,
                                .length = length,
                                .block = pages == ABDB_PAGES_CONTIGUOUS ? length : block,
                                .padded = pages == ABDB_PAGES_TABLE};

    most.width = (length + most.block - 1) / most.block;
    most.blocks = sequences * most.width;
    return most;
}

void abdb_llama_list_missing_parts(const abdb_problem *p, const abdb_llama_shape *s,
                                   const abdb_parts *parts, char *out, size_t room)
{
    const abdb_decoder *d = parts ? parts->decoder : NULL;
    const struct {
        const char *name;
        bool there;
    } wanted[] = {
        {"products with weights in a form of its own", d && d->build_weights && d->weight_gemm},
        {"a table of tokens", d && d->embed_tokens},
        {"norms by the root of the mean square", d && d->rmsnorm_rows},
        {"rotary embedding into a cache", d && d->rotate_and_append_kv},
        {"attention by a cache in blocks", d && d->attend_kv_cache},
        {"SwiGLU", d && d->swiglu_rows},
        {"the largest of a row", d && d->argmax_rows}};
    const char *why = NULL;
    size_t used = 0, columns = s->hidden % 32 ? s->hidden : s->d;

    *out = '\0';
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!wanted[i].there && used < room)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", wanted[i].name);
    if (d && !used) why = d->why_refused(p, s->dtype, s->form, s->head, columns);
    if (why) snprintf(out, room, "%s", why);
}

abdb_status abdb_llama_run_init_from_file_or_random(abdb_llama_run *r,
                                                    const abdb_run_context *stage,
                                                    const abdb_llama_shape *s,
                                                    const abdb_llama_capacity *most,
                                                    abdb_error *err)
{
    const char *from = abdb_param_text(stage->p, "source");
    abdb_llama_file file = {0};
    abdb_llama_weights_source source;
    abdb_status st = ABDB_OK;

    r->made = (abdb_llama_random_weights){.s = *s, .seed = 1, .deviation = deviation};
    source = abdb_llama_weights_source_of_random(&r->made);
    if (from && strcmp(from, "file") == 0) {
        TRY(abdb_llama_file_open_and_find_tensors(&file, getenv("ABDB_WEIGHTS"), s, err));
        source = abdb_llama_weights_source_of_file(&file);
    }
    TRY(abdb_latencies_alloc(&r->read, 1, err));
    TRY(abdb_llama_alloc_and_init(&r->g, stage, s, most, &source, err));
    r->bytes = (size_t)fmin((double)(r->g.gains - (char *)r->g.matrix[0].data), READ_MOST);
done:
    abdb_llama_file_close(&file);
    return st;
}

void abdb_llama_run_free(abdb_llama_run *r)
{
    abdb_llama_free(&r->g);
    abdb_latencies_free(&r->read, 1);
}

void abdb_llama_run_record_weight_read_time(abdb_llama_run *r)
{
    double (*now)(void) = r->g.stage->spans->now, begun;

    if (!r->g.decoder->read_all_bytes) return;
    begun = now();
    r->g.decoder->read_all_bytes(r->g.self, r->g.matrix[0].data, r->bytes);
    abdb_latencies_add_if_room(&r->read, now() - begun);
}

double abdb_llama_run_median_read_bandwidth(abdb_llama_run *r)
{
    return (double)r->bytes / abdb_latencies_median(&r->read);
}

void abdb_llama_run_find_weights(const abdb_llama_run *r, const void **data, size_t *bytes)
{
    *data = r->g.matrix[0].data;
    *bytes = (size_t)(r->g.gains - (const char *)*data);
}

abdb_status abdb_llama_run_spoil_logits(abdb_llama_run *r, abdb_error *err)
{
    abdb_llama *g = &r->g;

    return abdb_device_spoil_bytes(g->stage, g->logits,
                                   g->most.sequences * g->s.vocabulary * g->size, err);
}

bool abdb_llama_run_last_logits_and_picks_valid(const abdb_llama_run *r)
{
    const abdb_llama *g = &r->g;
    size_t n = g->sequences * g->s.vocabulary;
    void *copy = malloc(n * g->size);
    abdb_tensor t = {.dtype = g->s.dtype, .data = copy};
    abdb_error err;
    bool sound =
        copy && abdb_device_download(g->stage, copy, g->logits, n * g->size, &err) == ABDB_OK;

    for (size_t i = 0; i < n && sound; i++) sound = isfinite(abdb_tensor_get_f64(&t, i));
    for (size_t i = 0; i < g->sequences && sound; i++)
        sound = g->picked[i] >= 0 && (size_t)g->picked[i] < g->s.vocabulary;
    free(copy);
    return sound;
}
