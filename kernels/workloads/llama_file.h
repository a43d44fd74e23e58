/* llama_file.h - the numbers of a Llama-like network from a file of safetensors, by the names that
 * Hugging Face's transformers gives them (model.layers.0.self_attn.q_proj.weight, ...), or of GGUF,
 * by llama.cpp's (blk.0.attn_q.weight, ...). */
#ifndef ABDB_WORKLOADS_LLAMA_FILE_H
#define ABDB_WORKLOADS_LLAMA_FILE_H

#include "kernels/workloads/llama_net.h"
#include "kernels/workloads/weights_file.h"

typedef struct {
    abdb_llama_shape s;
    abdb_weights_file file;
    const abdb_file_tensor *
        *of; /* of a layer: q, k, v, o, gate, up, down, two norms; then table, last
                              matrix, last norm */
} abdb_llama_file;
/* ABDB_IO, ABDB_FORMAT: a tensor that is missing, or of another shape or form. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_llama_file_open_and_find_tensors(abdb_llama_file *f,
                                                                const char *path,
                                                                const abdb_llama_shape *s,
                                                                abdb_error *err);
void abdb_llama_file_close(abdb_llama_file *f);
abdb_llama_weights_source abdb_llama_weights_source_of_file(const abdb_llama_file *f);

#endif
