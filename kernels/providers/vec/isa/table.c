/* table.c - what one instruction set offers; see vec.h. */
#include "kernels/providers/vec/isa/isa.h"

#define TEXT(name)    #name
#define TEXT_OF(name) TEXT(name)

const abdb_vec_isa VEC(abdb_vec) = {.name = TEXT_OF(VEC_ISA),
                                    .stream = VEC(stream),
                                    .fma = VEC(fma),
                                    .gather = VEC(gather),
                                    .gemm = VEC(gemm),
                                    .pack = VEC(pack),
                                    .rows = VEC(rows),
                                    .steps = VEC(steps),
                                    .loss = VEC(loss),
                                    .update = VEC(update),
                                    .linear = VEC(linear),
                                    .linear_floats = VEC(linear_floats),
                                    .panel = VEC_PANEL,
                                    .bags = VEC(bags),
                                    .updates = VEC(updates),
                                    .decode = VEC(decode),
                                    .attention = VEC(attention),
                                    .attention_bytes = VEC(attention_bytes)};
