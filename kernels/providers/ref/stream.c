/* stream.c - the reference loops of STREAM: portable C, one thread, plain stores. */
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/ref/ref.h"

typedef struct {
    const abdb_problem *p;
    char op; /* first letter; 'd' for dot, 'r' read, 'w' write, 'f' fma */
    size_t n, repeat, fmas;
} stream_state;

static int ref_stream_accepts_plain_stores(const abdb_problem *p, const char **why_not)
{
    const char *stores = abdb_param_text(p, "stores");

    *why_not = "plain C leaves unrolling and order to the compiler";
    if (abdb_param_text(p, "unroll") || abdb_param_text(p, "grain")) return 0;
    *why_not = "plain C cannot write past the caches";
    return !stores || strcmp(stores, "plain") == 0;
}

/* Keeps the parameters of a launch: first letter of op, elements, passes, multiply-adds.
 * ABDB_NOMEM. */
static abdb_status ref_stream_prepare_keep_params(void **state, const abdb_problem *p,
                                                  abdb_error *err)
{
    stream_state *s = malloc(sizeof *s);
    const char *op = abdb_param_text(p, "op");

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "stream");
    *s = (stream_state){p, op ? op[0] : 't', (size_t)abdb_param_number(p, "n", 1),
                        (size_t)abdb_param_number(p, "repeat", 1),
                        (size_t)abdb_param_number(p, "fmas", 1)};
    *state = s;
    return ABDB_OK;
}

/* One pass of the operation; formulas in kernels/micro/stream.c. */
#define LOOPS(type)                                                                        \
    do {                                                                                   \
        const type *restrict x = s->p->tensor[0].data, *restrict y = s->p->tensor[1].data; \
        type *restrict z = s->p->tensor[2].data, sum = 0;                                  \
        const type f = (type)0.4, a = (type)(1 - 0x1p-12), b = (type)0x1p-13;              \
                                                                                           \
        switch (s->op) {                                                                   \
        case 'c':                                                                          \
            for (size_t i = 0; i < n; i++) z[i] = x[i];                                    \
            break;                                                                         \
        case 's':                                                                          \
            for (size_t i = 0; i < n; i++) z[i] = f * x[i];                                \
            break;                                                                         \
        case 'a':                                                                          \
            for (size_t i = 0; i < n; i++) z[i] = x[i] + y[i];                             \
            break;                                                                         \
        case 't':                                                                          \
            for (size_t i = 0; i < n; i++) z[i] = x[i] + f * y[i];                         \
            break;                                                                         \
        case 'r':                                                                          \
            for (size_t i = 0; i < n; i++) sum += x[i];                                    \
            z[0] = sum;                                                                    \
            break;                                                                         \
        case 'w':                                                                          \
            for (size_t i = 0; i < n; i++) z[i] = f;                                       \
            break;                                                                         \
        case 'f':                                                                          \
            for (size_t i = 0; i < n; i++) {                                               \
                type v = x[i];                                                             \
                                                                                           \
                for (size_t k = 0; k < s->fmas; k++) v = a * v + b;                        \
                z[i] = v;                                                                  \
            }                                                                              \
            break;                                                                         \
        default:                                                                           \
            for (size_t i = 0; i < n; i++) sum += x[i] * y[i];                             \
            z[0] = sum;                                                                    \
        }                                                                                  \
    } while (0)

/* `repeat` passes of the operation over the arrays, one element after another. */
static abdb_status ref_stream_launch(void *state, abdb_error *err)
{
    const stream_state *s = state;
    size_t n = s->n;

    (void)err;
    for (size_t r = 0; r < s->repeat; r++) {
        if (s->p->tensor[0].dtype == ABDB_F64)
            LOOPS(double);
        else
            LOOPS(float);
        /* Without this the compiler might make one pass of many that give the same. */
        __asm__ volatile("" : : : "memory"); /* a pass is a pass */
    }
    return ABDB_OK;
}

const abdb_impl abdb_ref_stream = {"stream",
                                   "ref",
                                   ref_stream_accepts_plain_stores,
                                   ref_stream_prepare_keep_params,
                                   ref_stream_launch,
                                   NULL,
                                   free};
