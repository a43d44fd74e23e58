/* vec.h - our own vector code: the same source for every width, compiled once for each instruction
 * set; at run time the processor's widest set is chosen. base: the set of every x86-64, or the
 * compiler's vectors of 16 bytes; avx2: and fused multiply-add, F16C; avx512: F, DQ, BW, VL; amx:
 * and tiles of bf16 and i8, for products; neon: the set of every aarch64. VEC(name) is a name of
 * the set at hand; instructions of only some processors of a set (bf16, VNNI, f16) are used after
 * a check of the processor.
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
#define VEC_WIDTH 64
#elif defined(__AVX2__)
#define VEC_WIDTH 32
#else
#define VEC_WIDTH 16
#endif
#if defined(__x86_64__)
enum { VEC_PAST = 1 }; /* are there stores past the caches? */
#else
enum { VEC_PAST = 0 };
#endif
enum { VEC_BYTES = VEC_WIDTH };
enum { VEC_F32 = VEC_BYTES / 4, VEC_F64 = VEC_BYTES / 8 };
enum { VEC_FEW = 16 };   /* rows of a product that packs nothing, at most */
enum { VEC_STEPS = 16 }; /* packed steps of a pass are a multiple of it, as tiles of AMX need */

/* Vectors, and the same at any address that the element may have; vec_i32_any is of bytes of any
 * format. */
typedef float vec_f32 __attribute__((vector_size(VEC_BYTES)));
typedef double vec_f64 __attribute__((vector_size(VEC_BYTES)));
typedef float vec_f32_any __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias));
typedef double vec_f64_any __attribute__((vector_size(VEC_BYTES), aligned(8), may_alias));
typedef int32_t vec_i32 __attribute__((vector_size(VEC_BYTES)));
typedef int32_t vec_i32_any __attribute__((vector_size(VEC_BYTES), aligned(1), may_alias));

typedef struct abdb_vec_isa abdb_vec_isa;

/* Blocks of products that suit a family of processors (tuning.c). */
typedef struct {
    const char *name;
    size_t row, block,
        slab;     /* bytes of A and B in a pass; of A in a block; columns of B at a time */
    size_t grain; /* rows of a block are a multiple of it */
    size_t ahead; /* bytes of a panel of B that are prefetched; 0: none */
    size_t below; /* of few rows: bytes of a row of B up to which the rows below are prefetched */
} abdb_vec_tuning;
/* The row of a problem: its parameter blocks=, else that of this processor and instruction set;
 * NULL: there is none of that name. p may be NULL: this processor's. */
const abdb_vec_tuning *abdb_vec_select_block_tuning_or_null(const abdb_problem *p);
/* Has it products of its first operand's format, and its blocks? Else why not. */
int abdb_vec_supports_gemm_blocks_and_dtype(const abdb_problem *p, const char **why_not);

/* C (m x n) = act(A (m x k) x B (k x n) + beta C + bias), row-major with rows lda, ldb, ldc
 * elements apart; ta, tb: A is stored k x m, B n x k. C of bf16 is bf16, of f16 f16, of i8 i32; all
 * that is added to a sum is added before it is rounded.
 * abdb_vec_gemm_plan chooses blocks and says how much memory it packs into;
 * abdb_vec_gemm_set_workspace gives it, from one `room` that products one after another may share.
 */
typedef struct {
    abdb_dtype dtype;
    size_t m, n, k, lda, ldb, ldc;
    bool ta, tb, beta; /* beta: what is in C is added */
    const void *bias;  /* n numbers of C's format, one for each column, or NULL */
    int act;           /* ABDB_ACT_RELU, ...; GELU and SiLU not of f64 and i8 */
    int threads;
    const abdb_vec_tuning *tuning; /* NULL: of this processor */
    const void *a, *b;
    void *c;
    /* of abdb_vec_gemm_plan */
    size_t size, block, depth, slab; /* bytes of an element; rows of A in a block; columns of A in a
                                        pass; columns of B that are packed at a time */
    size_t grid_m, grid_n;           /* threads by rows and by columns of C: each packs what it
                                        needs, and none waits for another */
    bool direct;                     /* A is read where it is */
    bool skinny;                     /* of few rows: B is read where it is (isa/gemm_skinny.c) */
    size_t packed_a, packed_b, sums; /* bytes for each thread: a block, a slab, sums to round */
    /* of abdb_vec_gemm_set_workspace */
    void *room_a, *room_b;
    float *room_sums;
    bool b_packed; /* all of B has been packed into room_b beforehand, which the caller gives */
} abdb_vec_gemm_call;

void abdb_vec_gemm_plan(abdb_vec_gemm_call *product);
/* Bytes of room that it takes, without those of a B that is packed already (b_packed). */
size_t abdb_vec_gemm_workspace_bytes(const abdb_vec_gemm_call *product);
void abdb_vec_gemm_set_workspace(abdb_vec_gemm_call *product, void *room);

/* Bytes of a packed B (b_packed). Rows of A and threads change nothing of it. */
size_t abdb_vec_packed_b_bytes(const abdb_vec_gemm_call *product);
/* Where numbers of such a B lie, of f32 or bf16: pass by pass of `deep` rows, panel by panel of
 * `columns`, each a row of `each` numbers of every column after another. Sizes in bytes; `deep` is
 * a multiple of 32. */
typedef struct {
    size_t deep, columns, each, size, row, panel, pass;
} abdb_vec_layout;
abdb_vec_layout abdb_vec_packed_b_layout(const abdb_vec_gemm_call *product,
                                         const abdb_vec_isa *isa);
static inline size_t abdb_vec_packed_b_byte_offset(const abdb_vec_layout *x, size_t k, size_t n)
{
    return k / x->deep * x->pass + n / x->columns * x->panel + k % x->deep / x->each * x->row +
           (n % x->columns * x->each + k % x->each) * x->size;
}
/* Memory for working in, in huge pages where the system gives them; free() it. NULL: none left. */
void *abdb_vec_alloc_advising_huge_pages(size_t bytes);

/* Element-wise kernels over rows (kernels/micro/elementwise.c). */
#define ABDB_ROW_OPERATIONS \
    "softmax", "layernorm", "rmsnorm", "gelu", "silu", "rotary", "cross-entropy", "adamw"
enum {
    ABDB_SOFTMAX,
    ABDB_LAYERNORM,
    ABDB_RMSNORM,
    ABDB_GELU,
    ABDB_SILU,
    ABDB_ROTARY,
    ABDB_CROSS_ENTROPY,
    ABDB_ADAMW
};
typedef struct {
    const abdb_problem *p;
    int op;
    size_t columns;
    bool past;       /* stores go past the caches */
    float *row;      /* room for two rows of whole vectors, of this thread, aligned to 64 */
    size_t row_size; /* floats from one to the other */
} abdb_vec_rows;

/* Attention (kernels/micro/attention.c). Strides in elements, of Q and dQ; K, V, dK and dV; O and
 * dO. It takes attention_bytes of `room`. */
typedef struct {
    size_t row, head, batch;
} abdb_vec_stride;
typedef struct {
    abdb_dtype dtype;
    size_t batch, heads, kv_heads, queries, keys, d;
    bool causal, plain; /* plain: forward, the whole matrix of scores */
    float scale;
    int threads;
    abdb_vec_stride of_q, of_kv, of_o;
    const void *q, *k, *v;
    void *o;  /* backward: read */
    float *l; /* batch x heads x queries; forward may be NULL; backward: read */
    const void *dout;
    void *dq, *dk, *dv;
    char *room;
} abdb_vec_attention;

/* Attention of few queries (`rows`, of one head of keys) over keys where they lie, added up run by
 * run; d is a multiple of 16. */
typedef struct {
    abdb_dtype dtype;        /* of keys and values */
    size_t rows, d, row;     /* row: elements from a key to the next */
    const float *q;          /* rows x d */
    const uint16_t *q_bf16;  /* the same where they are */
    float scale;             /* log2(e) / sqrt(d) */
    bool unpacked;           /* dot products of bf16: columns of acc as unpacking leaves them */
    float *acc, *most, *sum; /* of the keys so far: sums, maxima, weights: rows x d, rows, rows */
} abdb_vec_decode;
/* Floats of room that one takes. */
size_t abdb_vec_decode_work_floats(size_t rows, size_t d);
/* Everything lies in room. */
void abdb_vec_decode_set_workspace(abdb_vec_decode *x, const abdb_vec_isa *isa, float *room);
/* The same, and begins with rows [first, first + rows) of q. */
void abdb_vec_decode_load_queries_and_reset(abdb_vec_decode *x, const abdb_vec_isa *isa,
                                            const abdb_tensor *q, size_t first_query_row,
                                            float *room);
/* Rows of O, and of L unless NULL, from `parts` of the keys whose rooms follow one another. */
void abdb_vec_decode_merge_parts_to_output(const abdb_vec_decode *x, size_t parts,
                                           const abdb_tensor *o, size_t first, float *l);

/* Embedding bags: tables of `rows` rows, one after another; indices by table, sample and lookup.
 * Rows of bf16 are added up in f32 and their sums rounded once. */
typedef struct {
    abdb_dtype dtype; /* f32 or bf16 */
    const void *table;
    const int32_t *index;
    void *out;            /* sums of table t at t x width of a sample's */
    size_t sample_stride; /* elements from a sample's sums to the next one's */
    size_t width, rows, tables, batch, lookups;
} abdb_vec_bags;

/* A layer whose weights are pruned or quantised, in their own form: of each column the weights that
 * are left (start, index, packed values); of each panel of 32 columns the blocks of 64 x 32 that
 * are left (in the order of tiles); bytes, or halves of bytes, by panels. */
enum { ABDB_UNSTRUCTURED, ABDB_BLOCKS, ABDB_QUANTISED };
typedef struct {
    int how;
    bool halves;
    size_t m, n, k;
    const void *x, *packed;
    float *y;
    const uint32_t *start, *index;
    const float *scale; /* by panels of 32 columns: of each column, or of each 32 of K and column */
    size_t scales, panel; /* rows of scales, and bytes, of a panel */
} abdb_vec_linear;

/* The steps between the products of a transformer block, row by row; columns are whole vectors.
 */
enum {
    ABDB_STEP_NORM,      /* out = norm(x) gain + shift */
    ABDB_STEP_BIAS,      /* out = x + gain (+ add) */
    ABDB_STEP_CROSS,     /* out = kept (x + gain) + add */
    ABDB_STEP_GELU,      /* kept += gain; out = gelu(kept) */
    ABDB_STEP_GELU_BACK, /* out *= derivative of gelu at x; sums of out */
    ABDB_STEP_NORM_BACK, /* out = (add +) gradient of x from dy = kept; sums for gain, then shift */
    ABDB_STEP_SUM,       /* sums of x */
    ABDB_STEP_SWIGLU     /* out = silu(x) add */
};
typedef struct {
    int what;
    abdb_dtype dtype;
    size_t columns;
    const void *x, *gain, *shift, *add;
    void *kept, *out;
    float *sums; /* of columns, of this thread, added to */
} abdb_vec_step;

/* The loss and the optimizer of a network (kernels/workloads/parts.h), in f32 or bf16. */
typedef struct {
    abdb_dtype dtype;
    size_t columns;
    const int32_t *target;
    float scale;
    void *x;
} abdb_vec_loss;
typedef struct {
    abdb_dtype dtype; /* of g and out */
    const void *g;    /* by_format: in that format, else f32 */
    bool by_format;
    float *w, *m, *v;
    void *out; /* NULL: none */
    const unsigned char *mask;
    float scale, beta1, beta2, keep, step, by_root,
        epsilon; /* w keep - step m / (by_root sqrt(v) + epsilon) */
} abdb_vec_update;

/* A part of a kernel; the caller has checked that this processor has the instructions. */
typedef void abdb_vec_part(const abdb_problem *p, size_t low, size_t high);

/* The functions of one instruction set, each with the signature of the same name in isa/isa.h. A
 * range [low, high) is the work of one thread; functions without a range start threads. */
struct abdb_vec_isa {
    const char *name;
    /* Elements [low, high) of the arrays of a stream kernel, `repeat` times; the sum of dot and
     * read. low is a multiple of 64 elements. */
    double (*stream)(const abdb_problem *p, size_t low, size_t high);
    /* Elements [low, high) of z. */
    abdb_vec_part *fma;
    /* Vectors [low, high) by index. */
    abdb_vec_part *gather;
    /* The whole product, on its threads; B packed beforehand. */
    void (*gemm)(const abdb_vec_gemm_call *product);
    void (*pack)(const abdb_vec_gemm_call *product);
    void (*attention)(const abdb_vec_attention *attention, bool backward);
    size_t (*attention_bytes)(const abdb_vec_attention *attention, bool backward);
    /* `keys` rows of K and V more, of which the first `seen` count; `then` are the next keys. */
    void (*decode)(const abdb_vec_decode *x, const void *k, const void *v, const void *then,
                   size_t keys, size_t seen);
    /* Bags [low, high), counted table by table. */
    void (*embedding_bags)(const abdb_vec_bags *bags, size_t low, size_t high);
    /* Random updates of a table of words. */
    void (*gups_updates)(uint64_t *word, size_t words, size_t updates, uint64_t seed);
    /* Panels of 32 columns [low, high), with room for linear_work_floats. */
    void (*linear)(const abdb_vec_linear *linear, size_t low, size_t high, float *room);
    size_t (*linear_work_floats)(const abdb_vec_linear *linear);
    size_t panel; /* columns of a panel of f32 */
    void (*block_steps)(const abdb_vec_step *step, size_t low, size_t high);
    /* Rows [low, high). */
    void (*row_ops)(const abdb_vec_rows *rows, size_t low, size_t high);
    double (*loss)(const abdb_vec_loss *loss, size_t low, size_t high);
    /* Elements [low, high). */
    void (*adamw_update)(const abdb_vec_update *update, size_t low, size_t high);
};
extern const abdb_vec_isa abdb_vec_base, abdb_vec_avx2, abdb_vec_avx512, abdb_vec_amx,
    abdb_vec_neon;

/* The instruction set of a problem: its parameter isa=base, avx2, avx512, amx (aarch64: neon), else
 * the processor's widest (amx only for its purposes: products of bf16 and i8, and attention of bf16
 * by blocks); NULL: the processor lacks it. */
const abdb_vec_isa *abdb_vec_select_isa(const abdb_problem *p);
/* Has this processor multiply-adds of that format in that set: dot products of bf16 and i8, sums of
 * f16. */
bool abdb_vec_has_native_dot_or_f16_fma(const abdb_vec_isa *isa, abdb_dtype dtype);
/* Is its instruction set here, and as many threads? Else why not. */
int abdb_vec_supports_isa_stores_and_threads(const abdb_problem *p, const char **why_not);
/* Has it products of that format: of bf16 and i8 only some processors have, of f16 all, as f32. */
bool abdb_vec_supports_gemm_dtype(const abdb_problem *p, abdb_dtype dtype);
/* The instruction set of a product whose B is packed already (b_packed): few rows leave tiles of
 * AMX empty, and AVX-512 can read a B that was packed for tiles. */
const abdb_vec_isa *abdb_vec_isa_for_packed_gemm(const abdb_vec_isa *isa,
                                                 const abdb_vec_gemm_call *q);
/* Bytes of an element where it is packed. */
static inline size_t abdb_vec_packed_element_bytes(abdb_dtype dtype)
{
    return dtype == ABDB_F16 ? 4 : abdb_dtype_size(dtype);
}
/* n in whole grains. */
static inline size_t abdb_vec_round_up(size_t n, size_t grain)
{
    return (n + grain - 1) / grain * grain;
}
/* Threads of a problem: its parameter, else all. */
int abdb_vec_thread_count(const abdb_problem *p);

extern const abdb_impl abdb_vec_stream, abdb_vec_fma, abdb_vec_latency, abdb_vec_gather,
    abdb_vec_gemm, abdb_vec_elementwise, abdb_vec_attention_impl, abdb_vec_paged,
    abdb_vec_embedding, abdb_vec_gups, abdb_vec_linear_impl, abdb_vec_block;
/* Parts of networks (kernels/workloads/parts.h). */
extern const struct abdb_parts abdb_vec_parts;
extern const struct abdb_decoder abdb_vec_decoder;

#endif
