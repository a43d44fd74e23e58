/* table.c - what one instruction set offers; see vec.h. */
#include "kernels/providers/vec/isa/isa.h"

#define TEXT(name)    #name
#define TEXT_OF(name) TEXT(name)

const abdb_vec_isa VEC(abdb_vec) = {.name = TEXT_OF(VEC_ISA),
                                    .stream = VEC(stream_passes),
                                    .fma = VEC(fma_chains),
                                    .gather = VEC(gather_or_scatter),
                                    .gemm = VEC(gemm),
                                    .pack = VEC(pack_b),
                                    .row_ops = VEC(row_ops),
                                    .block_steps = VEC(block_steps),
                                    .loss = VEC(cross_entropy_and_gradient),
                                    .adamw_update = VEC(adamw_update),
                                    .linear = VEC(multiply_pruned_or_quantised),
                                    .linear_work_floats = VEC(linear_work_floats),
                                    .panel = VEC_PANEL,
                                    .embedding_bags = VEC(embedding_bags),
                                    .gups_updates = VEC(gups_updates),
                                    .decode = VEC(decode_attention),
                                    .attention = VEC(attention),
                                    .attention_bytes = VEC(attention_bytes)};
