/* stream.c - the five loops of STREAM (McCalpin) and BabelStream over arrays a, b, c of n elements:
 *   copy  c = a     scale  b = s c     add  c = a + b     triad  a = b + s c     dot  sum(a b)
 * The arrays' roles are renamed so that x and y are read and z is written: launching twice gives
 * the same z. Work: 0, 1, 1, 2, 2 operations and 2, 2, 3, 3, 2 elements moved per element;
 * write-allocate traffic is not counted. n=auto: arrays of four times the last-level cache. Bound:
 * 2u of the terms' magnitudes; (n + 2)u for dot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"

enum { X, Y, Z, ROOM = 24, CACHES = 4 };
static const double factor = 0.4; /* s of scale and triad */

static const struct {
    const char *name;
    int ops, moved, reads;
} operations[] = {
    {"copy", 0, 2, 1}, {"scale", 1, 2, 1}, {"add", 1, 3, 2}, {"triad", 2, 3, 2}, {"dot", 2, 2, 2}};
enum { COPY, SCALE, ADD, TRIAD, DOT, OPERATIONS };

static int operation(const abdb_problem *p)
{
    const char *name = abdb_param_text(p, "op");

    for (int i = 0; i < OPERATIONS; i++)
        if (name && strcmp(name, operations[i].name) == 0) return i;
    return name ? -1 : TRIAD;
}

static abdb_status shape(abdb_problem *p, size_t cache_size, abdb_error *err)
{
    static _Thread_local char room[ROOM];
    const char *dtype_name = abdb_param_text(p, "dtype"), *n_text = abdb_param_text(p, "n");
    int op = operation(p);
    double n;
    abdb_dtype dtype;
    abdb_status st = ABDB_OK;

    if (op < 0)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "stream: no op '%s'; there are copy, scale, add, triad, dot",
                         abdb_param_text(p, "op"));
    TRY(abdb_dtype_find(&dtype, dtype_name ? dtype_name : "f64", err));
    n = !n_text || strcmp(n_text, "auto") == 0
            ? (double)(CACHES * cache_size / abdb_dtype_size(dtype))
            : abdb_param_number(p, "n", NAN);
    if (!(n >= 1 && n <= 0x1p32 && n == floor(n)))
        return ABDB_FAIL(err, ABDB_USAGE, "stream: n wants a whole number up to 2^32, or auto");
    TRY(abdb_param_set(p, "n", n, room, ROOM, err));
    p->tensors = 3;
    for (int i = 0; i < 3; i++)
        p->tensor[i] = (abdb_tensor){.dtype = dtype,
                                     .role = i == Z ? ABDB_OUT : ABDB_IN,
                                     .rank = 1,
                                     .dim = {i == Z && op == DOT ? 1 : (size_t)n},
                                     .stride = {1}};
    if (operations[op].reads == 1) p->tensor[Y].dim[0] = 1;
done:
    return st;
}

static void work(const abdb_problem *p, abdb_work *out)
{
    int op = operation(p);
    double n = (double)p->tensor[X].dim[0];

    out->ops = operations[op].ops * n;
    out->bytes = operations[op].moved * n * (double)abdb_dtype_size(p->tensor[X].dtype);
}

static void reference(const abdb_problem *p, const size_t *row, size_t count, double *out,
                      double *magnitude)
{
    int op = operation(p);
    double s = p->tensor[X].dtype == ABDB_F32 ? (double)(float)factor : factor;

    if (op == DOT) {
        long double sum = 0;

        magnitude[0] = 0;
        for (size_t i = 0; i < p->tensor[X].dim[0]; i++) {
            long double term =
                (long double)abdb_tensor_get(&p->tensor[X], i) * abdb_tensor_get(&p->tensor[Y], i);

            sum += term;
            magnitude[0] += fabs((double)term);
        }
        out[0] = (double)sum;
        return;
    }
    for (size_t r = 0; r < count; r++) {
        double x = abdb_tensor_get(&p->tensor[X], row[r]);
        double y = operations[op].reads == 2 ? abdb_tensor_get(&p->tensor[Y], row[r]) : 0;

        out[r] = op == COPY ? x : op == SCALE ? s * x : op == ADD ? x + y : x + s * y;
        magnitude[r] = fabs(x) + fabs(op == TRIAD ? s * y : y);
    }
}

static double bound(const abdb_problem *p)
{
    double u = abdb_dtype_unit_roundoff(p->tensor[X].dtype);

    return operation(p) == DOT ? ((double)p->tensor[X].dim[0] + 2) * u : 2 * u;
}

const abdb_kernel abdb_kernel_stream = {
    "stream",   "copy, scale, add, triad, dot over arrays",
    "stream@1", "op=copy|scale|add|triad|dot  n=auto (4 x last-level cache)  dtype=f64|f32",
    shape,      work,
    reference,  bound};
