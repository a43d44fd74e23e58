/* ref.h - the reference implementations: portable C, one thread; one for each line of
 * kernels/registry.def. */
#ifndef ABDB_PROVIDERS_REF_H
#define ABDB_PROVIDERS_REF_H

#include "kernels/kernel.h"

#define KERNEL(name, printed, ref) extern const abdb_impl abdb_ref_##name;
#include "kernels/registry.def"
#undef KERNEL
/* Parts of networks (kernels/workloads/parts.h). */
extern const struct abdb_parts abdb_ref_parts;
extern const struct abdb_decoder abdb_ref_decoder;

#endif
