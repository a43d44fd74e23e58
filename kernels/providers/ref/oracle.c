/* oracle.c - kernels whose reference implementation is the very reference that others are verified
 * by: every row of every output in double, rounded once. What it costs is what a result costs whose
 * only aim is to be right. */
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/ref/ref.h"

typedef struct {
    const abdb_problem *p;
    const abdb_kernel *kernel;
    size_t *row;
    double *out, *magnitude;
} reference_state;

static void reference_free(void *state)
{
    reference_state *s = state;

    free(s->row);
    free(s->out);
    free(s->magnitude);
    free(s);
}

/* Finds the kernel and makes room for one whole output with its magnitudes. ABDB_NOMEM. */
static abdb_status reference_find_kernel_and_alloc_output(void **state, const abdb_problem *p,
                                                          abdb_error *err)
{
    reference_state *s = calloc(1, sizeof *s);
    size_t rows = 1, most = 1;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a reference");
    s->p = p;
    for (size_t i = 0; abdb_kernels[i]; i++)
        if (strcmp(abdb_kernels[i]->name, p->kernel) == 0) s->kernel = abdb_kernels[i];
    for (int i = 0; i < p->tensors; i++) {
        size_t count = abdb_tensor_element_count(&p->tensor[i]);

        if (p->tensor[i].role == ABDB_IN) continue;
        rows = p->tensor[i].dim[0] > rows ? p->tensor[i].dim[0] : rows;
        most = count > most ? count : most;
    }
    s->row = calloc(rows, sizeof *s->row);
    s->out = calloc(most, sizeof *s->out);
    s->magnitude = calloc(most, sizeof *s->magnitude);
    if (!s->kernel || !s->row || !s->out || !s->magnitude) {
        reference_free(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "a reference");
    }
    for (size_t i = 0; i < rows; i++) s->row[i] = i;
    *state = s;
    return ABDB_OK;
}

/* Computes every output by the kernel's own reference, rounded to its format. */
static abdb_status reference_compute_all_outputs_rounded(void *state, abdb_error *err)
{
    const reference_state *s = state;

    (void)err;
    for (int t = 0; t < s->p->tensors; t++) {
        const abdb_tensor *out = &s->p->tensor[t];

        if (out->role == ABDB_IN) continue;
        s->kernel->reference_rows(s->p, t, s->row, out->dim[0], s->out, s->magnitude);
        for (size_t i = 0; i < abdb_tensor_element_count(out); i++)
            abdb_tensor_set_rounded(out, i, s->out[i]);
    }
    return ABDB_OK;
}

/* Parameters that only say how a result is computed (blocks, grouping) change nothing here; stores
 * past the caches are refused, because a number of plain stores must not stand under their name. */
static int reference_accepts_unless_nt_stores(const abdb_problem *p, const char **why_not)
{
    const char *stores = abdb_param_text(p, "stores");

    *why_not = "plain C cannot write past the caches";
    return !stores || strcmp(stores, "nt") != 0;
}

/* For each kernel of the registry marked ORACLE an abdb_impl; those marked OWN have one in a file
 * here. */
#define OWN(name, printed)
#define ORACLE(name, printed)                                                  \
    const abdb_impl abdb_ref_##name = {printed,                                \
                                       "ref",                                  \
                                       reference_accepts_unless_nt_stores,     \
                                       reference_find_kernel_and_alloc_output, \
                                       reference_compute_all_outputs_rounded,  \
                                       NULL,                                   \
                                       reference_free};
#define KERNEL(name, printed, ref) ref(name, printed)
#include "kernels/registry.def"
