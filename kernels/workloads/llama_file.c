/* llama_file.c - the numbers of a Llama-like network from a file; see llama_file.h. */
#include "kernels/workloads/llama_file.h"

#include <stdio.h>
#include <stdlib.h>

enum { Q, K, V, O, GATE, UP, DOWN, NORM1, NORM2, OF_LAYER, TABLE = OF_LAYER, LAST, NORM, NAMES };

/* Names in files of safetensors, as Hugging Face's transformers gives them, and in GGUF, as
 * llama.cpp does. */
static const char *const name_of[NAMES][2] = {[Q] = {"self_attn.q_proj", "attn_q"},
                                              [K] = {"self_attn.k_proj", "attn_k"},
                                              [V] = {"self_attn.v_proj", "attn_v"},
                                              [O] = {"self_attn.o_proj", "attn_output"},
                                              [GATE] = {"mlp.gate_proj", "ffn_gate"},
                                              [UP] = {"mlp.up_proj", "ffn_up"},
                                              [DOWN] = {"mlp.down_proj", "ffn_down"},
                                              [NORM1] = {"input_layernorm", "attn_norm"},
                                              [NORM2] = {"post_attention_layernorm", "ffn_norm"},
                                              [TABLE] = {"model.embed_tokens", "token_embd"},
                                              [LAST] = {"lm_head", "output"},
                                              [NORM] = {"model.norm", "output_norm"}};

/* Finds a matrix of a layer by its name in GGUF or safetensors, and checks that it has that
 * shape and a format that is read. */
static abdb_status find_store_tensor_require_shape_and_dtype(abdb_llama_file *f, const char *path,
                                                             size_t layer, int which, size_t rows,
                                                             size_t columns, abdb_error *err)
{
    const abdb_file_tensor *saved;
    char name[96];

    if (which < OF_LAYER)
        snprintf(name, sizeof name, "%s.%zu.%s.weight", f->file.gguf ? "blk" : "model.layers",
                 layer, name_of[which][f->file.gguf]);
    else
        snprintf(name, sizeof name, "%s.weight", name_of[which][f->file.gguf]);
    saved = abdb_weights_file_find_tensor(&f->file, name);
    if (!saved)
        return ABDB_FAIL(err, ABDB_FORMAT, "%s: no %s in f32, bf16 or f16: choose its model=", path,
                         name);
    if (saved->dtype == ABDB_DTYPE_COUNT)
        return ABDB_FAIL(err, ABDB_FORMAT,
                         "%s: %s is of %s, and F32, F16 and BF16 are read: convert the network to "
                         "BF16 (weights=i8 and weights=i4 are made of that)",
                         path, name, saved->form);
    if (saved->rows != rows || saved->columns != columns)
        return ABDB_FAIL(err, ABDB_FORMAT,
                         "%s: byte %zu: %s is %zu x %zu, and the model has %zu x "
                         "%zu",
                         path, (size_t)(saved->data - f->file.map), name, saved->rows,
                         saved->columns, rows, columns);
    f->of[layer * OF_LAYER + (size_t)(which % OF_LAYER)] = saved;
    return ABDB_OK;
}

/* Finds the nine tensors of a layer, rows being outputs: q, k, v, o, gate, up, down and both
 * norms. */
static abdb_status find_and_store_tensors_of_layer(abdb_llama_file *f, const char *path,
                                                   size_t layer, abdb_error *err)
{
    const abdb_llama_shape *s = &f->s;
    size_t wide = s->heads * s->head, narrow = s->kv_heads * s->head;
    const size_t of[OF_LAYER][2] = {
        [Q] = {wide, s->d},         [K] = {narrow, s->d},       [V] = {narrow, s->d},
        [O] = {s->d, wide},         [GATE] = {s->hidden, s->d}, [UP] = {s->hidden, s->d},
        [DOWN] = {s->d, s->hidden}, [NORM1] = {1, s->d},        [NORM2] = {1, s->d}};
    abdb_status st = ABDB_OK;

    for (int i = 0; i < OF_LAYER; i++)
        TRY(find_store_tensor_require_shape_and_dtype(f, path, layer, i, of[i][0], of[i][1], err));
done:
    return st;
}

abdb_status abdb_llama_file_open_and_find_tensors(abdb_llama_file *f, const char *path,
                                                  const abdb_llama_shape *s, abdb_error *err)
{
    size_t ends = s->layers * OF_LAYER;
    abdb_status st = ABDB_OK;

    *f = (abdb_llama_file){.s = *s};
    TRY(abdb_weights_file_map_and_parse(&f->file, path, err));
    f->of = calloc(ends + 3, sizeof *f->of);
    if (!f->of) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", path));
    for (size_t i = 0; i < s->layers; i++) TRY(find_and_store_tensors_of_layer(f, path, i, err));
    TRY(find_store_tensor_require_shape_and_dtype(f, path, s->layers, TABLE, s->vocabulary, s->d,
                                                  err));
    f->of[ends + 1] = f->of[ends];
    if (!s->tied)
        TRY(find_store_tensor_require_shape_and_dtype(f, path, s->layers, LAST, s->vocabulary, s->d,
                                                      err));
    TRY(find_store_tensor_require_shape_and_dtype(f, path, s->layers, NORM, 1, s->d, err));
done:
    if (st != ABDB_OK) abdb_llama_file_close(f);
    return st;
}

void abdb_llama_file_close(abdb_llama_file *f)
{
    abdb_weights_file_close(&f->file);
    free(f->of);
    f->of = NULL;
}

/* Row `row` of ours of queries or keys in the file. We and transformers turn number i of a head
 * with number i + head / 2; in GGUF such two stand side by side, as in Meta's own files. */
static size_t file_row_of_rotary_row(const abdb_llama_file *f, size_t row)
{
    size_t head = f->s.head, half = head / 2, in = row % head;

    return f->file.gguf ? row - in + in % half * 2 + in / half : row;
}

/* A column of ours is a row of theirs: they keep matrices the other way round. */
static void read_matrix_column_from_file(const void *self, size_t layer, int matrix_kind,
                                         size_t column, float *out)
{
    const abdb_llama_file *f = self;
    const abdb_file_tensor *const *of = f->of + layer * OF_LAYER;
    size_t wide = f->s.heads * f->s.head, narrow = f->s.kv_heads * f->s.head;

    if (layer == f->s.layers)
        abdb_file_tensor_read_row_as_f32(of[matrix_kind], column, out);
    else if (matrix_kind == ABDB_LLAMA_OUT || matrix_kind == ABDB_LLAMA_DOWN)
        abdb_file_tensor_read_row_as_f32(of[matrix_kind == ABDB_LLAMA_OUT ? O : DOWN], column, out);
    else if (matrix_kind == ABDB_LLAMA_UP)
        abdb_file_tensor_read_row_as_f32(of[column < f->s.hidden ? GATE : UP], column % f->s.hidden,
                                         out);
    else if (column < wide)
        abdb_file_tensor_read_row_as_f32(of[Q], file_row_of_rotary_row(f, column), out);
    else if (column < wide + narrow)
        abdb_file_tensor_read_row_as_f32(of[K], file_row_of_rotary_row(f, column - wide), out);
    else
        abdb_file_tensor_read_row_as_f32(of[V], column - wide - narrow, out);
}

/* The gains of norm number `norm`: two of each layer, then the last. */
static void read_norm_gains_from_file(const void *self, size_t norm, float *out)
{
    const abdb_llama_file *f = self;
    size_t layer = norm / 2;

    if (layer == f->s.layers)
        abdb_file_tensor_read_row_as_f32(f->of[layer * OF_LAYER + 2], 0, out);
    else
        abdb_file_tensor_read_row_as_f32(f->of[layer * OF_LAYER + (norm % 2 ? NORM2 : NORM1)], 0,
                                         out);
}

abdb_llama_weights_source abdb_llama_weights_source_of_file(const abdb_llama_file *f)
{
    return (abdb_llama_weights_source){read_matrix_column_from_file, read_norm_gains_from_file, f};
}
