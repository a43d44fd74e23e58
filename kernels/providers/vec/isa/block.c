/* block.c - the steps between the products of a transformer block; see block.h. */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

#define STEP_OF(name) f32_##name
#define ELEMENT       float
#define GET           vec_load_f32
#define PUT           vec_store_f32
#include "kernels/providers/vec/isa/block.h"

#define STEP_OF(name) f16_##name
#define ELEMENT       uint16_t
#define GET           vec_load_f16
#define PUT           vec_store_f16
#include "kernels/providers/vec/isa/block.h"

#if VEC_WIDTH == 64
VEC_WITH("avx512bf16")
#define STEP_OF(name) bf16_##name
#define ELEMENT       uint16_t
#define GET           vec_load_bf16
#define PUT           vec_store_native_bf16
#include "kernels/providers/vec/isa/block.h"
VEC_WITHOUT
#endif

void VEC(block_steps)(const abdb_vec_step *s, size_t low, size_t high)
{
#if VEC_WIDTH == 64
    if (s->dtype == ABDB_BF16) {
        bf16_run_step_on_rows(s, low, high);
        return;
    }
#endif
    (s->dtype == ABDB_F16 ? f16_run_step_on_rows : f32_run_step_on_rows)(s, low, high);
}
