/* args.h - the arguments of each kernel, one struct each, shared by the host's C and device code.
 * Pointers are of the device. */
#ifndef ABDB_PROVIDERS_CUDA_ARGS_H
#define ABDB_PROVIDERS_CUDA_ARGS_H

#include <stdint.h>

typedef struct {
    int nothing;
} abdb_cu_empty;

/* z = op(x, y) over n elements; fmas of each element. */
typedef struct {
    const void *x, *y;
    void *z;
    uint64_t n, fmas;
} abdb_cu_pass;

/* Sums of pieces of x (times y) to part, or of n parts to one number. */
typedef struct {
    const void *x, *y;
    void *out;
    uint64_t n;
} abdb_cu_sum;

/* Rows of `width` floats by index, `count` of them. */
typedef struct {
    const float *from;
    const int32_t *index;
    float *to;
    uint64_t count, width;
} abdb_cu_rows;

/* Matrices of bytes, rows x columns, turned; one after another along z of the grid. */
typedef struct {
    const void *from;
    void *to;
    uint64_t rows, columns;
} abdb_cu_turn;

#endif
