/* gemm.c - the matrix product by oneDNN's matmul primitive: plain row-major layouts in and out, so
 * that what it packs it packs inside of the launch. f32, bf16 and f16 (the result is rounded to
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
    dnnl_memory_t memory[3], plain_b;
    const char *name;
    bool packed;
} product;

static dnnl_data_type_t type_of(abdb_dtype dtype)
{
    switch (dtype) {
    case ABDB_F32: return dnnl_f32;
    case ABDB_BF16: return dnnl_bf16;
    case ABDB_F16: return dnnl_f16;
    case ABDB_I8: return dnnl_s8;
    default: return dnnl_s32;
    }
}

static void stop(void *state)
{
    product *s = state;

    for (int i = 0; i < 3; i++)
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

/* The product as oneDNN describes it; the layouts of its matrices as they are. */
static abdb_status describe(product *s, const abdb_problem *p, dnnl_memory_desc_t *shape,
                            abdb_error *err)
{
    const char *weights = abdb_param_text(p, "weights");
    bool packed = weights && strcmp(weights, "packed") == 0;
    dnnl_memory_desc_t free_b;
    dnnl_matmul_desc_t matmul;
    abdb_status st = ABDB_OK;

    ASK(dnnl_engine_create(&s->engine, dnnl_cpu, 0));
    for (int i = 0; i < 3; i++) {
        const abdb_tensor *t = &p->tensor[i];
        dnnl_dims_t dims = {(dnnl_dim_t)t->dim[0], (dnnl_dim_t)t->dim[1], (dnnl_dim_t)t->dim[2]};

        ASK(dnnl_memory_desc_init_by_tag(&shape[i], t->rank, dims, type_of(t->dtype),
                                         t->rank == 3 ? dnnl_abc : dnnl_ab));
        if (i == 1)
            ASK(dnnl_memory_desc_init_by_tag(&free_b, t->rank, dims, type_of(t->dtype),
                                             dnnl_format_tag_any));
    }
    ASK(dnnl_matmul_desc_init(&matmul, &shape[0], packed ? &free_b : &shape[1], NULL, &shape[2]));
    ASK(dnnl_primitive_desc_create(&s->description, &matmul, NULL, s->engine, NULL));
    s->packed = packed;
done:
    return st;
}

/* Which formats it has depends on its version and the processor: it is asked. */
static int accepts(const abdb_problem *p, const char **why_not)
{
    abdb_dtype dtype = p->tensor[0].dtype;
    dnnl_memory_desc_t shape[3];
    product *s = calloc(1, sizeof *s);
    abdb_error err;
    int can;

    *why_not = "oneDNN has products of f32, bf16, f16 and i8";
    if (!s || (dtype != ABDB_F32 && dtype != ABDB_BF16 && dtype != ABDB_F16 && dtype != ABDB_I8)) {
        free(s);
        return 0;
    }
    *why_not = "this oneDNN has no product of that format on this processor";
    can = describe(s, p, shape, &err) == ABDB_OK;
    stop(s);
    return can;
}

/* B into the layout that the product was made for. */
static abdb_status pack(product *s, const dnnl_memory_desc_t *plain, void *data, abdb_error *err)
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

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    product *s = calloc(1, sizeof *s);
    dnnl_memory_desc_t shape[3];
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a product");
    TRY(describe(s, p, shape, err));
    ASK(dnnl_stream_create(&s->stream, s->engine, dnnl_stream_default_flags));
    for (int i = 0; i < 3; i++)
        if (i != 1 || !s->packed)
            ASK(dnnl_memory_create(&s->memory[i], &shape[i], s->engine, p->tensor[i].data));
    ASK(dnnl_primitive_desc_query(s->description, dnnl_query_impl_info_str, 0, &s->name));
    ASK(dnnl_primitive_create(&s->product, s->description));
    if (s->packed) TRY(pack(s, &shape[1], p->tensor[1].data, err));
    *state = s;
    s = NULL;
done:
    if (s) stop(s);
    return st;
}

static abdb_status launch(void *state, abdb_error *err)
{
    const product *s = state;
    const dnnl_exec_arg_t args[3] = {{DNNL_ARG_SRC, s->memory[0]},
                                     {DNNL_ARG_WEIGHTS, s->memory[1]},
                                     {DNNL_ARG_DST, s->memory[2]}};
    abdb_status st = ABDB_OK;

    ASK(dnnl_primitive_execute(s->product, s->stream, 3, args));
    ASK(dnnl_stream_wait(s->stream));
done:
    return st;
}

static const char *chosen(const void *state)
{
    return ((const product *)state)->name;
}

const abdb_impl abdb_onednn_gemm = {"gemm", "onednn", accepts, prepare, launch, chosen, stop};
