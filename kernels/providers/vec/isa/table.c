/* table.c - what one instruction set offers; see vec.h. */
#include "kernels/providers/vec/isa/isa.h"

#define TEXT(name)    #name
#define TEXT_OF(name) TEXT(name)

const abdb_vec_isa VEC(abdb_vec) = {TEXT_OF(VEC_ISA), VEC(stream), VEC(fma), VEC(gather),
                                    VEC(gemm)};
