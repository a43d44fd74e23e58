/* vec.h - our own vector code: the same source for every width, compiled once for each instruction
 * set (base: what every x86-64 has; avx2: and fused multiply-add; avx512: F, DQ, BW, VL), the
 * widest that the processor has chosen when it runs. VEC(name) is a name of the set at hand; what
 * only some processors of a set have (bf16, VNNI) asks before use.
 */
#ifndef ABDB_PROVIDERS_VEC_H
#define ABDB_PROVIDERS_VEC_H

#include <stdbool.h>

#include "kernels/kernel.h"

#ifndef VEC_ISA
#define VEC_ISA base
#endif
#define VEC_JOIN(name, isa) name##_##isa
#define VEC_NAME(name, isa) VEC_JOIN(name, isa)
#define VEC(name)           VEC_NAME(name, VEC_ISA)

#if defined(__AVX512F__)
enum { VEC_BYTES = 64 };
#elif defined(__AVX2__)
enum { VEC_BYTES = 32 };
#else
enum { VEC_BYTES = 16 };
#endif
enum { VEC_F32 = VEC_BYTES / 4, VEC_F64 = VEC_BYTES / 8 };

/* Vectors, and the same at any address that the element may have. */
typedef float vec_f32 __attribute__((vector_size(VEC_BYTES)));
typedef double vec_f64 __attribute__((vector_size(VEC_BYTES)));
typedef float vec_f32_any __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));
typedef double vec_f64_any __attribute__((vector_size(VEC_BYTES), aligned(8), may_alias));

/* A matrix product and the memory that it packs into: rows of A and B of ABDB_VEC_ROW_BYTES, B's in
 * panels. */
enum { ABDB_VEC_ROW_BYTES = 8192 };
typedef struct {
    const abdb_problem *p;
    size_t m, n, k, size; /* size: bytes of an element of A */
    size_t block, depth;  /* rows of A in a block; columns of A, elements, in a pass */
    size_t slab;          /* columns of B that are packed at a time */
    int threads;
    void *a, *b; /* a: a block for each thread */
    float *sums; /* of bf16, before they are rounded */
} abdb_vec_product;

/* A part of a kernel; that this processor has the instructions has been asked before. */
typedef void abdb_vec_part(const abdb_problem *p, size_t low, size_t high);

typedef struct {
    const char *name;
    /* Elements [low, high) of the arrays of a stream kernel, `repeat` times; the sum of dot and
     * read. low is a multiple of 64 elements. */
    double (*stream)(const abdb_problem *p, size_t low, size_t high);
    /* Elements [low, high) of z. */
    abdb_vec_part *fma;
    /* Vectors [low, high) by index. */
    abdb_vec_part *gather;
    /* The whole product. */
    void (*gemm)(const abdb_vec_product *product);
} abdb_vec_isa;
extern const abdb_vec_isa abdb_vec_base, abdb_vec_avx2, abdb_vec_avx512;

/* What a problem runs on: its parameter isa=base, avx2, avx512, else the widest here; NULL: the
 * processor has it not. */
const abdb_vec_isa *abdb_vec_pick(const abdb_problem *p);
/* Threads of a problem: its parameter, else all. */
int abdb_vec_threads(const abdb_problem *p);

extern const abdb_impl abdb_vec_stream, abdb_vec_fma, abdb_vec_latency, abdb_vec_gather,
    abdb_vec_gemm;

#endif
