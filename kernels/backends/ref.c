/* ref.c - abdb-run-ref: the reference, portable C on one thread. Its numbers say what correct costs
 * when nobody tries; no other backend ever runs it. */
#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"

static const abdb_impl *const native[] = {
#define KERNEL(name, printed, ref) &abdb_ref_##name,
#include "kernels/registry.def"
#undef KERNEL
    NULL};

static int ref_thread_count(void)
{
    return 1;
}

static const abdb_backend backend = {.name = "ref",
                                     .summary = "portable C, one thread: the reference, never fast",
                                     .native = native,
                                     .products = "bf16x3",
                                     .threads = ref_thread_count,
                                     .parts = &abdb_ref_parts};

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}
