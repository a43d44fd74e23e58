/* learn.c - cross entropy with its gradient, and AdamW with wide weights; see learn.h. */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

#define LEARN_OF(name) f32_##name
#define ELEMENT        float
#define GET            vec_get_f32
#define PUT            vec_put_f32
#define PART           vec_part_f32
#define KEEP           vec_keep_f32
#include "kernels/providers/vec/isa/learn.h"

#define LEARN_OF(name) bf16_##name
#define ELEMENT        uint16_t
#define GET            vec_get_bf16
#define PUT            vec_put_bf16
#define PART           vec_part_bf16
#define KEEP           vec_keep_bf16
#include "kernels/providers/vec/isa/learn.h"

double VEC(loss)(const abdb_vec_loss *s, size_t low, size_t high)
{
    return (s->dtype == ABDB_BF16 ? bf16_losses : f32_losses)(s, low, high);
}

void VEC(update)(const abdb_vec_update *s, size_t low, size_t high)
{
    (s->dtype == ABDB_BF16 ? bf16_update : f32_update)(s, low, high);
}
