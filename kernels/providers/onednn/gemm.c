/* gemm.c - the matrix product by oneDNN's matmul primitive: row-major layouts in and out,
 * transposed or not, so that what it packs it packs inside of the launch; beta and activations are
 * its post operations, the sum with what is in C first. f32, bf16 and f16 (the result is rounded to
 * it), bytes (sums in i32). weights=packed: B is reordered into the layout that oneDNN asks for,
 * beforehand. */
#include <dnnl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/onednn/onednn.h"

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t product;
    dnnl_memory_t memory[4], plain_b; /* A, B, C, bias */
    const char *name;
    bool packed;
} onednn_matmul;

/* oneDNN's type of a format; i32 for all others. */
static dnnl_data_type_t dnnl_type_of_dtype(abdb_dtype dtype)
{
    switch (dtype) {
    case ABDB_F32: return dnnl_f32;
    case ABDB_BF16: return dnnl_bf16;
    case ABDB_F16: return dnnl_f16;
    case ABDB_I8: return dnnl_s8;
    default: return dnnl_s32;
    }
}

/* Frees a state, also one that was prepared in part. */
static void onednn_gemm_free(void *state)
{
    onednn_matmul *s = state;

    for (int i = 0; i < 4; i++)
        if (s->memory[i]) dnnl_memory_destroy(s->memory[i]);
    if (s->plain_b) dnnl_memory_destroy(s->plain_b);
    if (s->product) dnnl_primitive_destroy(s->product);
    if (s->description) dnnl_primitive_desc_destroy(s->description);
    if (s->stream) dnnl_stream_destroy(s->stream);
    if (s->engine) dnnl_engine_destroy(s->engine);
    free(s);
}

#define ASK(call)                                                                             \
    do {                                                                                      \
        dnnl_status_t answer = (call);                                                        \
        if (answer != dnnl_success)                                                           \
            TRY(ABDB_FAIL(err, ABDB_BACKEND, "oneDNN answers %d to %s", (int)answer, #call)); \
    } while (0)

/* A matrix of the problem, `rows` by `columns`, of a batch so many: as it is stored, or transposed,
 * when the strides of its rows and columns change places. */
static abdb_status init_matrix_memory_desc(const abdb_tensor *t, const abdb_gemm *g, size_t rows,
                                           size_t columns, bool transposed, dnnl_memory_desc_t *out,
                                           abdb_error *err)
{
    dnnl_dim_t r = (dnnl_dim_t)rows, c = (dnnl_dim_t)columns, n = (dnnl_dim_t)g->batch;
    dnnl_dims_t dims = {n, r, c}, flat = {r, c};
    dnnl_dims_t strides = {r * c, transposed ? 1 : c, transposed ? r : 1},
                flat_strides = {strides[1], strides[2]};
    bool batch = t->rank == 3;
    abdb_status st = ABDB_OK;

    ASK(dnnl_memory_desc_init_by_strides(out, t->rank, batch ? dims : flat,
                                         dnnl_type_of_dtype(t->dtype),
                                         batch ? strides : flat_strides));
done:
    return st;
}

/* What follows the product; the caller destroys *out. */
static abdb_status create_attr_of_sum_and_eltwise_post_ops(const abdb_gemm *g,
                                                           dnnl_primitive_attr_t *out,
                                                           abdb_error *err)
{
    static const dnnl_alg_kind_t kind[] = {[ABDB_ACT_RELU] = dnnl_eltwise_relu,
                                           [ABDB_ACT_GELU] = dnnl_eltwise_gelu_tanh,
                                           [ABDB_ACT_SILU] = dnnl_eltwise_swish};
    dnnl_post_ops_t operations = NULL;
    abdb_status st = ABDB_OK;

    ASK(dnnl_primitive_attr_create(out));
    ASK(dnnl_post_ops_create(&operations));
    if (g->beta) ASK(dnnl_post_ops_append_sum(operations, 1));
    if (g->act)
        ASK(dnnl_post_ops_append_eltwise(operations, 1, kind[g->act],
                                         g->act == ABDB_ACT_SILU ? 1 : 0, 0));
    ASK(dnnl_primitive_attr_set_post_ops(*out, operations));
done:
    if (operations) dnnl_post_ops_destroy(operations);
    return st;
}

/* The product as oneDNN describes it; the layouts of its matrices and its bias as they are. */
static abdb_status create_engine_memory_and_matmul_descs(onednn_matmul *s, const abdb_problem *p,
                                                         dnnl_memory_desc_t *memory_descs,
                                                         abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    abdb_gemm g = abdb_gemm_from_problem(p);
    dnnl_dims_t dims = {(dnnl_dim_t)g.batch, (dnnl_dim_t)g.k, (dnnl_dim_t)g.n},
                one = {1, t[2].rank == 3 ? 1 : (dnnl_dim_t)g.n, (dnnl_dim_t)g.n};
    dnnl_memory_desc_t free_b;
    dnnl_matmul_desc_t matmul;
    dnnl_primitive_attr_t end = NULL;
    abdb_status st = ABDB_OK;

    ASK(dnnl_engine_create(&s->engine, dnnl_cpu, 0));
    TRY(init_matrix_memory_desc(&t[0], &g, g.m, g.k, g.ta, &memory_descs[0], err));
    TRY(init_matrix_memory_desc(&t[1], &g, g.k, g.n, g.tb, &memory_descs[1], err));
    TRY(init_matrix_memory_desc(&t[2], &g, g.m, g.n, false, &memory_descs[2], err));
    ASK(dnnl_memory_desc_init_by_tag(&free_b, t[1].rank, t[1].rank == 3 ? dims : dims + 1,
                                     dnnl_type_of_dtype(t[1].dtype), dnnl_format_tag_any));
    if (g.bias)
        ASK(dnnl_memory_desc_init_by_tag(&memory_descs[3], t[2].rank, one,
                                         dnnl_type_of_dtype(g.bias->dtype),
                                         t[2].rank == 3 ? dnnl_abc : dnnl_ab));
    ASK(dnnl_matmul_desc_init(&matmul, &memory_descs[0], g.packed ? &free_b : &memory_descs[1],
                              g.bias ? &memory_descs[3] : NULL, &memory_descs[2]));
    TRY(create_attr_of_sum_and_eltwise_post_ops(&g, &end, err));
    ASK(dnnl_primitive_desc_create(&s->description, &matmul, end, s->engine, NULL));
    s->packed = g.packed;
done:
    if (end) dnnl_primitive_attr_destroy(end);
    return st;
}

/* Which formats it has depends on its version and the processor: it is asked. */
static int onednn_gemm_accepts_by_trial_description(const abdb_problem *p, const char **why_not)
{
    abdb_dtype dtype = p->tensor[0].dtype;
    dnnl_memory_desc_t shape[4];
    onednn_matmul *s = calloc(1, sizeof *s);
    abdb_error err;
    int can;

    *why_not = "oneDNN has products of f32, bf16, f16 and i8";
    if (!s || (dtype != ABDB_F32 && dtype != ABDB_BF16 && dtype != ABDB_F16 && dtype != ABDB_I8)) {
        free(s);
        return 0;
    }
    *why_not = "this oneDNN has no such product of that format on this processor";
    can = create_engine_memory_and_matmul_descs(s, p, shape, &err) == ABDB_OK;
    onednn_gemm_free(s);
    return can;
}

/* B into the layout that the product was made for. */
static abdb_status reorder_b_to_library_layout(onednn_matmul *s, const dnnl_memory_desc_t *plain,
                                               void *data, abdb_error *err)
{
    const dnnl_memory_desc_t *wanted =
        dnnl_primitive_desc_query_md(s->description, dnnl_query_weights_md, 0);
    dnnl_primitive_desc_t description = NULL;
    dnnl_primitive_t reorder = NULL;
    dnnl_exec_arg_t args[2];
    abdb_status st = ABDB_OK;

    ASK(dnnl_memory_create(&s->plain_b, plain, s->engine, data));
    ASK(dnnl_memory_create(&s->memory[1], wanted, s->engine, DNNL_MEMORY_ALLOCATE));
    ASK(dnnl_reorder_primitive_desc_create(&description, plain, s->engine, wanted, s->engine,
                                           NULL));
    ASK(dnnl_primitive_create(&reorder, description));
    args[0] = (dnnl_exec_arg_t){DNNL_ARG_FROM, s->plain_b};
    args[1] = (dnnl_exec_arg_t){DNNL_ARG_TO, s->memory[1]};
    ASK(dnnl_primitive_execute(reorder, s->stream, 2, args));
    ASK(dnnl_stream_wait(s->stream));
done:
    if (reorder) dnnl_primitive_destroy(reorder);
    if (description) dnnl_primitive_desc_destroy(description);
    return st;
}

/* Describes the product to oneDNN; weights=packed: B is brought into its layout here. On failure
 * nothing is left. */
static abdb_status onednn_gemm_prepare_primitive_and_pack_b(void **state, const abdb_problem *p,
                                                            abdb_error *err)
{
    onednn_matmul *s = calloc(1, sizeof *s);
    dnnl_memory_desc_t shape[4];
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a product");
    TRY(create_engine_memory_and_matmul_descs(s, p, shape, err));
    ASK(dnnl_stream_create(&s->stream, s->engine, dnnl_stream_default_flags));
    for (int i = 0; i < p->tensors; i++)
        if (i != 1 || !s->packed)
            ASK(dnnl_memory_create(&s->memory[i], &shape[i], s->engine, p->tensor[i].data));
    ASK(dnnl_primitive_desc_query(s->description, dnnl_query_impl_info_str, 0, &s->name));
    ASK(dnnl_primitive_create(&s->product, s->description));
    if (s->packed) TRY(reorder_b_to_library_layout(s, &shape[1], p->tensor[1].data, err));
    *state = s;
    s = NULL;
done:
    if (s) onednn_gemm_free(s);
    return st;
}

/* C = act(A B + beta C + bias) by the primitive, and waits. */
static abdb_status onednn_gemm_launch_and_wait(void *state, abdb_error *err)
{
    const onednn_matmul *s = state;
    const dnnl_exec_arg_t args[4] = {{DNNL_ARG_SRC, s->memory[0]},
                                     {DNNL_ARG_WEIGHTS, s->memory[1]},
                                     {DNNL_ARG_DST, s->memory[2]},
                                     {DNNL_ARG_BIAS, s->memory[3]}};
    abdb_status st = ABDB_OK;

    ASK(dnnl_primitive_execute(s->product, s->stream, s->memory[3] ? 4 : 3, args));
    ASK(dnnl_stream_wait(s->stream));
done:
    return st;
}

static const char *onednn_gemm_chosen_impl(const void *state)
{
    return ((const onednn_matmul *)state)->name;
}

const abdb_impl abdb_onednn_gemm = {"gemm",
                                    "onednn",
                                    onednn_gemm_accepts_by_trial_description,
                                    onednn_gemm_prepare_primitive_and_pack_b,
                                    onednn_gemm_launch_and_wait,
                                    onednn_gemm_chosen_impl,
                                    onednn_gemm_free};
