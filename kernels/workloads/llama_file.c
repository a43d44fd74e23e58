/* llama_file.c - the numbers of a Llama-like network from a file; see llama_file.h. */
#include "kernels/workloads/llama_file.h"

#include <stdio.h>
#include <stdlib.h>

enum { Q, K, V, O, GATE, UP, DOWN, NORM1, NORM2, OF_LAYER };

static abdb_status take(abdb_llama_file *f, const char *path, const char *name, size_t rows,
                        size_t columns, const abdb_saved **out, abdb_error *err)
{
    const abdb_saved *saved = abdb_safetensors_find(&f->file, name);

    if (!saved)
        return ABDB_FAIL(err, ABDB_FORMAT, "%s: no %s in f32, bf16 or f16: choose its model=", path,
                         name);
    if (saved->rows != rows || saved->columns != columns)
        return ABDB_FAIL(err, ABDB_FORMAT,
                         "%s: byte %zu: %s is %zu x %zu, and the model has %zu x "
                         "%zu",
                         path, (size_t)(saved->data - f->file.map), name, saved->rows,
                         saved->columns, rows, columns);
    *out = saved;
    return ABDB_OK;
}

static abdb_status take_layer(abdb_llama_file *f, const char *path, size_t layer, abdb_error *err)
{
    const abdb_llama_shape *s = &f->s;
    size_t wide = s->heads * s->head, narrow = s->kv_heads * s->head;
    const struct {
        const char *name;
        size_t rows, columns;
    } of[OF_LAYER] = {
        [Q] = {"self_attn.q_proj", wide, s->d},         [K] = {"self_attn.k_proj", narrow, s->d},
        [V] = {"self_attn.v_proj", narrow, s->d},       [O] = {"self_attn.o_proj", s->d, wide},
        [GATE] = {"mlp.gate_proj", s->hidden, s->d},    [UP] = {"mlp.up_proj", s->hidden, s->d},
        [DOWN] = {"mlp.down_proj", s->d, s->hidden},    [NORM1] = {"input_layernorm", 1, s->d},
        [NORM2] = {"post_attention_layernorm", 1, s->d}};
    abdb_status st = ABDB_OK;

    for (int i = 0; i < OF_LAYER; i++) {
        char name[96];

        snprintf(name, sizeof name, "model.layers.%zu.%s.weight", layer, of[i].name);
        TRY(take(f, path, name, of[i].rows, of[i].columns, &f->of[layer * OF_LAYER + (size_t)i],
                 err));
    }
done:
    return st;
}

abdb_status abdb_llama_file_open(abdb_llama_file *f, const char *path, const abdb_llama_shape *s,
                                 abdb_error *err)
{
    size_t ends = s->layers * OF_LAYER;
    abdb_status st = ABDB_OK;

    *f = (abdb_llama_file){.s = *s};
    TRY(abdb_safetensors_open(&f->file, path, err));
    f->of = calloc(ends + 3, sizeof *f->of);
    if (!f->of) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", path));
    for (size_t i = 0; i < s->layers; i++) TRY(take_layer(f, path, i, err));
    TRY(take(f, path, "model.embed_tokens.weight", s->vocabulary, s->d, &f->of[ends], err));
    f->of[ends + 1] = f->of[ends];
    if (!s->tied) TRY(take(f, path, "lm_head.weight", s->vocabulary, s->d, &f->of[ends + 1], err));
    TRY(take(f, path, "model.norm.weight", 1, s->d, &f->of[ends + 2], err));
done:
    if (st != ABDB_OK) abdb_llama_file_close(f);
    return st;
}

void abdb_llama_file_close(abdb_llama_file *f)
{
    abdb_safetensors_close(&f->file);
    free(f->of);
    f->of = NULL;
}

/* A column of ours is a row of theirs: they keep matrices the other way round. */
static void column(const void *self, size_t layer, int which, size_t column, float *out)
{
    const abdb_llama_file *f = self;
    const abdb_saved *const *of = f->of + layer * OF_LAYER;
    size_t wide = f->s.heads * f->s.head, narrow = f->s.kv_heads * f->s.head;

    if (layer == f->s.layers)
        abdb_safetensors_row(of[which], column, out);
    else if (which == ABDB_LLAMA_OUT || which == ABDB_LLAMA_DOWN)
        abdb_safetensors_row(of[which == ABDB_LLAMA_OUT ? O : DOWN], column, out);
    else if (which == ABDB_LLAMA_UP)
        abdb_safetensors_row(of[column < f->s.hidden ? GATE : UP], column % f->s.hidden, out);
    else if (column < wide)
        abdb_safetensors_row(of[Q], column, out);
    else
        abdb_safetensors_row(of[column < wide + narrow ? K : V], (column - wide) % narrow, out);
}

static void gains(const void *self, size_t norm, float *out)
{
    const abdb_llama_file *f = self;
    size_t layer = norm / 2;

    if (layer == f->s.layers)
        abdb_safetensors_row(f->of[layer * OF_LAYER + 2], 0, out);
    else
        abdb_safetensors_row(f->of[layer * OF_LAYER + (norm % 2 ? NORM2 : NORM1)], 0, out);
}

abdb_llama_source abdb_llama_file_source(const abdb_llama_file *f)
{
    return (abdb_llama_source){column, gains, f};
}
