/* weights_file.h - numbers of a network in a file, of safetensors (safetensors.c) or GGUF (gguf.c),
 * told apart by its first bytes. The places in the file's header are checked against its size
 * before anything is read. */
#ifndef ABDB_WORKLOADS_SAVED_H
#define ABDB_WORKLOADS_SAVED_H

#include "kernels/kernel.h"

typedef struct {
    char *name;
    abdb_dtype dtype;     /* f32, bf16 or f16; ABDB_DTYPE_COUNT: another, which is not read */
    const char *form;     /* then: its name in the file's format */
    size_t rows, columns; /* of one dimension: one row */
    const unsigned char *data;
    bool mapped; /* of a file: pages that were read need not stay resident */
} abdb_file_tensor;
typedef struct {
    unsigned char *map;
    size_t size, count;
    bool gguf;
    abdb_file_tensor *saved;
} abdb_weights_file;
/* ABDB_IO; ABDB_FORMAT: path, place in the file, and the fault there. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_weights_file_map_and_parse(abdb_weights_file *f, const char *path,
                                                          abdb_error *err);
void abdb_weights_file_close(abdb_weights_file *f);
/* NULL: there is none. */
const abdb_file_tensor *abdb_weights_file_find_tensor(const abdb_weights_file *f, const char *name);
/* A row in f32. Several threads may call it at once. */
void abdb_file_tensor_read_row_as_f32(const abdb_file_tensor *saved, size_t row, float *out);

/* What the two formats do: the tensors of a file that is mapped, of at least ABDB_SAVED_LEAST
 * bytes. ABDB_FORMAT, ABDB_NOMEM. */
enum { ABDB_SAVED_LEAST = 8 };
ABDB_MUST_USE abdb_status abdb_safetensors_parse_tensors(abdb_weights_file *f, const char *path,
                                                         abdb_error *err);
ABDB_MUST_USE abdb_status abdb_gguf_parse_tensors(abdb_weights_file *f, const char *path,
                                                  abdb_error *err);

#endif
