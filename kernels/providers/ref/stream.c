/* stream.c - the reference loops of STREAM: portable C, one thread, plain stores. */
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/ref/ref.h"

typedef struct {
    const abdb_problem *p;
    char op;
} stream;

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    stream *s = malloc(sizeof *s);
    const char *op = abdb_param_text(p, "op");

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "stream");
    *s = (stream){p, op ? op[0] : 't'};
    *state = s;
    return ABDB_OK;
}

#define LOOPS(type)                                                                        \
    do {                                                                                   \
        const type *restrict x = s->p->tensor[0].data, *restrict y = s->p->tensor[1].data; \
        type *restrict z = s->p->tensor[2].data, sum = 0;                                  \
        const type f = (type)0.4;                                                          \
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
        default:                                                                           \
            for (size_t i = 0; i < n; i++) sum += x[i] * y[i];                             \
            z[0] = sum;                                                                    \
        }                                                                                  \
    } while (0)

static void launch(void *state)
{
    const stream *s = state;
    size_t n = s->p->tensor[0].dim[0];

    if (s->p->tensor[0].dtype == ABDB_F64)
        LOOPS(double);
    else
        LOOPS(float);
}

const abdb_impl abdb_ref_stream = {"stream", "ref", NULL, prepare, launch, NULL, free};
