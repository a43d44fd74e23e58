/* safetensors.h - numbers of a network in a file of safetensors (huggingface/safetensors, README):
 * 8 bytes of length, little end first, a header of JSON, then the numbers. What the header says is
 * held against the file before anything is read. */
#ifndef ABDB_WORKLOADS_SAFETENSORS_H
#define ABDB_WORKLOADS_SAFETENSORS_H

#include "kernels/kernel.h"

typedef struct {
    char *name;
    abdb_dtype dtype;     /* f32, bf16 or f16; ABDB_DTYPE_COUNT: another, which is not read */
    size_t rows, columns; /* of one dimension: one row */
    const unsigned char *data;
} abdb_saved;
typedef struct {
    unsigned char *map;
    size_t size, count;
    abdb_saved *saved;
} abdb_safetensors;
/* ABDB_IO; ABDB_FORMAT: path, place in the file, and what is wrong there. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_safetensors_open(abdb_safetensors *f, const char *path,
                                                abdb_error *err);
void abdb_safetensors_close(abdb_safetensors *f);
/* NULL: there is none. */
const abdb_saved *abdb_safetensors_find(const abdb_safetensors *f, const char *name);
/* A row in f32. Several threads may ask at once. */
void abdb_safetensors_row(const abdb_saved *saved, size_t row, float *out);

#endif
