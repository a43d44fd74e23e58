/* elementwise.c - softmax, norms, activations, rotary embedding, cross entropy and AdamW: the
 * template row_ops.h made for f32, for bf16 by shifts and masks, for f16, and for bf16 by the
 * processor's own conversion (AVX512-BF16), which is chosen when it runs. */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

enum {
    LANES = 4,
    AHEAD = 4096,       /* bytes from what is worked on to what is asked for */
    TOGETHER = 1 << 14, /* columns of the longest rows whose softmax waits for the next row */
    NEAR = 48 << 10,    /* bytes of two rows, and what scales them: norms of more do not wait */
    SIDE_BY_SIDE = 4,   /* rows of those */
};

#define ROW_OF(name) f32_##name
#define ELEMENT      float
#define GET          vec_load_f32
#define PUT          vec_store_f32
#define PART         vec_load_part_f32
#define KEEP         vec_store_part_f32
#include "kernels/providers/vec/isa/row_ops.h"

#define ROW_OF(name) bf16_##name
#define ELEMENT      uint16_t
#define GET          vec_load_bf16
#define PUT          vec_store_bf16
#define PART         vec_load_part_bf16
#define KEEP         vec_store_part_bf16
#include "kernels/providers/vec/isa/row_ops.h"

#define ROW_OF(name) f16_##name
#define ELEMENT      uint16_t
#define GET          vec_load_f16
#define PUT          vec_store_f16
#define PART         vec_load_part_f16
#define KEEP         vec_store_part_f16
#include "kernels/providers/vec/isa/row_ops.h"

#if VEC_WIDTH == 64
VEC_WITH("avx512bf16")
#define ROW_OF(name) native_##name
#define ELEMENT      uint16_t
#define GET          vec_load_bf16
#define PUT          vec_store_native_bf16
#define PART         vec_load_part_bf16
#define KEEP         vec_store_part_bf16
#include "kernels/providers/vec/isa/row_ops.h"
VEC_WITHOUT
#endif

void VEC(row_ops)(const abdb_vec_rows *s, size_t low, size_t high)
{
    switch (s->p->tensor[0].dtype) {
    case ABDB_BF16:
#if VEC_WIDTH == 64
        if (__builtin_cpu_supports("avx512bf16")) {
            native_run_row_op(s, low, high);
            break;
        }
#endif
        bf16_run_row_op(s, low, high);
        break;
    case ABDB_F16: f16_run_row_op(s, low, high); break;
    default: f32_run_row_op(s, low, high);
    }
    if (s->past) vec_store_fence();
}
