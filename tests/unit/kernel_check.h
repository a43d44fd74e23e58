/* kernel_check.h - problems made, run and checked by tests of kernels. */
#ifndef ABDB_TESTS_KERNEL_CHECK_H
#define ABDB_TESTS_KERNEL_CHECK_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "kernels/providers/vec/vec.h"
#include "tests/unit/check.h"

/* A made-up machine: caches of 32 KiB, 512 KiB and 1 MiB, two threads. Small, so that n=auto stays
 * small. */
static const abdb_machine_caches limits = {
    .l1 = 32 << 10, .l2 = 512 << 10, .last = 1 << 20, .threads = 2};

__attribute__((unused)) static void allocate_tensors_fill_inputs_uniform(abdb_problem *p)
{
    for (int i = 0; i < p->tensors; i++) {
        p->tensor[i].data =
            calloc(abdb_tensor_element_count(&p->tensor[i]), abdb_dtype_size(p->tensor[i].dtype));
        if (p->tensor[i].role != ABDB_OUT) abdb_fill_tensor_uniform(&p->tensor[i], (unsigned)i);
    }
}

__attribute__((unused)) static void free_all_tensors(abdb_problem *p)
{
    for (int i = 0; i < p->tensors; i++) free(p->tensor[i].data);
}

/* The largest error over its bound in any row of any output; `before`: tensors before the launch.
 */
static double largest_error_to_bound_ratio_of_all_rows(const abdb_kernel *kernel,
                                                       const abdb_problem *before,
                                                       const abdb_problem *after)
{
    const abdb_verify_options how = {.kernel = kernel, .budget_s = 1e9};
    abdb_verify_result checked;
    abdb_error err = {0};

    assert_ok(abdb_verify_outputs_against_reference(&how, before, after, &checked, &err));
    assert_true(checked.rows_checked_share == 1);
    return checked.error;
}

/* A problem whose tensors that are read and written are copies, which a launch leaves alone. */
static abdb_problem copy_problem_with_own_inout_tensors(const abdb_problem *p)
{
    abdb_problem copy = *p;

    for (int i = 0; i < p->tensors; i++) {
        size_t size =
            abdb_tensor_element_count(&p->tensor[i]) * abdb_dtype_size(p->tensor[i].dtype);

        if (p->tensor[i].role != ABDB_INOUT) continue;
        copy.tensor[i].data = malloc(size);
        memcpy(copy.tensor[i].data, p->tensor[i].data, size);
    }
    return copy;
}

static void free_inout_copies(abdb_problem *copy)
{
    for (int i = 0; i < copy->tensors; i++)
        if (copy->tensor[i].role == ABDB_INOUT) free(copy->tensor[i].data);
}

/* Prepares, launches and compares. */
__attribute__((unused)) static double
prepare_launch_return_error_bound_ratio(const abdb_kernel *kernel, const abdb_impl *impl,
                                        abdb_problem *p)
{
    abdb_problem before = copy_problem_with_own_inout_tensors(p);
    abdb_error err = {0};
    void *state = p;
    double error;

    if (impl->prepare) assert_ok(impl->prepare(&state, p, &err));
    assert_ok(impl->launch(state, &err));
    error = largest_error_to_bound_ratio_of_all_rows(kernel, &before, p);
    if (impl->close) impl->close(state);
    free_inout_copies(&before);
    return error;
}

/* Runs a problem with tensors at an offset of `shift` elements from an aligned address. Outputs
 * begin as 0xFF bytes, which are NaN in every float format: an element that was not written is
 * seen. */
__attribute__((unused)) static double
setup_and_run_at_offset_return_error_ratio(const abdb_kernel *kernel, const abdb_impl *impl,
                                           abdb_problem *p, size_t shift_elements)
{
    abdb_error err = {0};
    char *base[ABDB_TENSOR_MAX];
    const char *why;
    double error;

    assert_ok(kernel->setup_tensors(p, &limits, &err));
    for (int i = 0; i < p->tensors; i++) {
        size_t each = abdb_dtype_size(p->tensor[i].dtype);
        size_t size = abdb_tensor_element_count(&p->tensor[i]) * each + shift_elements * each;

        base[i] = aligned_alloc(64, (size + 63) / 64 * 64);
        memset(base[i], 0xFF, size);
        p->tensor[i].data = base[i] + shift_elements * each;
        if (p->tensor[i].role != ABDB_OUT) abdb_fill_tensor_uniform(&p->tensor[i], (unsigned)i);
    }
    if (kernel->prepare_inputs) kernel->prepare_inputs(p, 0);
    error = -1;
    if (!impl->accepts || impl->accepts(p, &why))
        error = prepare_launch_return_error_bound_ratio(kernel, impl, p);
    for (int i = 0; i < p->tensors; i++) free(base[i]);
    return error;
}

#if defined(__aarch64__)
__attribute__((unused)) static const char *const sets[] = {"base", "neon"};
#else
__attribute__((unused)) static const char *const sets[] = {"base", "avx2", "avx512", "amx"};
#endif
enum { SETS = sizeof sets / sizeof sets[0] };

/* Is the result right, or the instruction set absent here? */
__attribute__((unused)) static void
assert_result_right_or_impl_rejects_problem(const abdb_kernel *kernel, const abdb_impl *impl,
                                            abdb_problem *p, size_t shift_elements)
{
    double error = setup_and_run_at_offset_return_error_ratio(kernel, impl, p, shift_elements);

    if (error > 1)
        fail_msg("%s by %s, %s %s %s: error %g", kernel->name, impl->provider, p->param[0].text,
                 p->param[1].text, p->param[2].text, error);
}

/* The problem of a text "name=value ...", which it cuts into pieces. */
__attribute__((unused)) static abdb_problem
parse_problem_splitting_text_in_place(const char *kernel, char *parameters)
{
    abdb_problem p = {.kernel = kernel};
    char *rest = NULL;

    for (char *word = strtok_r(parameters, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '='), *end;
        double number = strtod(equals + 1, &end);

        *equals = '\0';
        p.param[p.params++] = (abdb_param){word, equals + 1, *end ? NAN : number};
    }
    return p;
}

#endif
