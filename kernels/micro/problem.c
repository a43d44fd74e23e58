/* problem.c - parameters, dtypes and tensors that every kernel needs; the list of kernels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"

const abdb_kernel *const abdb_kernels[] = {&abdb_kernel_gemm, &abdb_kernel_stream, NULL};

static const struct {
    const char *name;
    size_t size;
    double roundoff;
} dtypes[ABDB_DTYPE_COUNT] = {[ABDB_F64] = {"f64", 8, 0x1p-53}, [ABDB_F32] = {"f32", 4, 0x1p-24}};

const char *abdb_param_text(const abdb_problem *p, const char *name)
{
    for (int i = 0; i < p->params; i++)
        if (strcmp(p->param[i].name, name) == 0) return p->param[i].text;
    return NULL;
}

double abdb_param_number(const abdb_problem *p, const char *name, double fallback)
{
    for (int i = 0; i < p->params; i++)
        if (strcmp(p->param[i].name, name) == 0) return p->param[i].value;
    return fallback;
}

abdb_status abdb_param_set(abdb_problem *p, const char *name, double value, char *room,
                           size_t room_size, abdb_error *err)
{
    int i = 0;

    while (i < p->params && strcmp(p->param[i].name, name) != 0) i++;
    if (i == ABDB_PARAM_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d parameters", ABDB_PARAM_MAX);
    if (i == p->params) p->params++;
    snprintf(room, room_size, "%.0f", value);
    p->param[i] = (abdb_param){name, room, value};
    return ABDB_OK;
}

abdb_status abdb_dtype_find(abdb_dtype *out, const char *name, abdb_error *err)
{
    for (int i = 0; i < ABDB_DTYPE_COUNT; i++) {
        if (strcmp(dtypes[i].name, name) != 0) continue;
        *out = (abdb_dtype)i;
        return ABDB_OK;
    }
    return ABDB_FAIL(err, ABDB_USAGE, "no dtype '%s'; there are f32 and f64", name);
}

const char *abdb_dtype_name(abdb_dtype dtype)
{
    return dtypes[dtype].name;
}

size_t abdb_dtype_size(abdb_dtype dtype)
{
    return dtypes[dtype].size;
}

double abdb_dtype_unit_roundoff(abdb_dtype dtype)
{
    return dtypes[dtype].roundoff;
}

double abdb_tensor_get(const abdb_tensor *t, size_t element)
{
    return t->dtype == ABDB_F64 ? ((const double *)t->data)[element]
                                : (double)((const float *)t->data)[element];
}

size_t abdb_tensor_count(const abdb_tensor *t)
{
    size_t count = 1;

    for (int i = 0; i < t->rank; i++) count *= t->dim[i];
    return count;
}
