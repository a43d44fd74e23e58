/* optimizer.c - cross entropy with its gradient, and AdamW with wide weights; see optimizer.h. */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

#define LEARN_OF(name) f32_##name
#define ELEMENT        float
#define GET            vec_load_f32
#define PUT            vec_store_f32
#define PART           vec_load_part_f32
#define KEEP           vec_store_part_f32
#include "kernels/providers/vec/isa/optimizer.h"

#define LEARN_OF(name) bf16_##name
#define ELEMENT        uint16_t
#define GET            vec_load_bf16
#define PUT            vec_store_bf16
#define PART           vec_load_part_bf16
#define KEEP           vec_store_part_bf16
#include "kernels/providers/vec/isa/optimizer.h"

double VEC(cross_entropy_and_gradient)(const abdb_vec_loss *s, size_t low, size_t high)
{
    return (s->dtype == ABDB_BF16 ? bf16_cross_entropy_of_rows : f32_cross_entropy_of_rows)(s, low,
                                                                                            high);
}

void VEC(adamw_update)(const abdb_vec_update *s, size_t low, size_t high)
{
    (s->dtype == ABDB_BF16 ? bf16_adamw_update_range : f32_adamw_update_range)(s, low, high);
}
