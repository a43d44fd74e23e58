/* attention.c - attention by blocks: where everything lies, packing, and the template of all
 * formats; see flash.h. */
#include <omp.h>

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"
#include "kernels/providers/vec/isa/pack.h"

/* Rows and keys of a block, forward and backward: scores of 144 x 256 f32 take 144 KiB of the
 * second level. QUERIES are whole tiles of 12 rows. PART: rows that are packed as one piece of
 * work. */
enum { QUERIES = 144, KEYS_FORWARD = 256, QUERIES_BACK = 96, KEYS = 128, PART = 256, LINE = 64 };

/* The same by tiles of AMX (flash_amx.h), where rows go through in slices of two tiles. Behind the
 * elements of a row lies a line more, so that rows do not fall into the same sets of a cache. */
enum {
    SIDE = 16,
    SLICE = 2 * SIDE,
    QUERIES_AMX = 128,
    KEYS_AMX = 256,
    PAD_ROW = LINE / 2,
    S_ROW = KEYS_AMX + LINE / 4,
    P_ROW = KEYS_AMX + PAD_ROW,
    S_ROW_BACK = QUERIES_BACK + LINE / 4,
    P_ROW_BACK = QUERIES_BACK + PAD_ROW,
    TRANSPOSED_ROW = KEYS + PAD_ROW
};

/* What a thread works in: s and t hold scores (backward also their gradients), p the probabilities
 * as the left matrix of the next product, acc the sums of values, dk and dv the gradients of a
 * block of keys, most and sum the largest score and the sum of exponentials of each row. */
typedef struct {
    float *s, *t, *acc, *dk, *dv, *most, *sum;
    vec_f32 *sums;                 /* of tiles: sums of exponentials, as vectors */
    float *left;                   /* of f16: rows of Q or dO as f32; of tiles: of Q, padded */
    void *p, *dscores, *dscores_t; /* of tiles: gradients of scores, and these transposed */
} thread_workspace;

/* Everything in a->room. kt, vt: keys and values transposed, packed as the right matrix of a
 * product with rows of Q or dO; v, k, q, dout: packed along their rows. *_head and *_panel: from a
 * head to the next, from a panel to the next, in steps of 4 bytes (one f32, two bf16). */
typedef struct {
    char *kt, *v, *vt, *k, *q, *dout;
    size_t kt_head, kt_panel, v_head, v_panel, q_head, q_panel;
    /* of tiles, backward: queries and gradients transposed, keys and values as rows */
    char *qt, *dout_t, *k_rows, *v_rows;
    size_t qt_head, rows_head; /* rows_head: bytes */
    bool tiled;                /* by tiles of AMX: d, keys and queries padded up to whole tiles */
    size_t keys, wide, parts;  /* keys of a block; columns of a row of O; parts of the keys */
    size_t deep;               /* elements of a packed row of Q */
    float *d, *dq;
    /* plain: scores and probabilities of a head, rows of `row`; sums of exponentials */
    float *scores, *sums;
    void *probabilities;
    size_t row;
    thread_workspace *mine;
    size_t bytes;
} attention_workspace;

/* Is it made by tiles of AMX? */
static bool attention_uses_amx_tiles(const abdb_vec_attention *a)
{
#if defined(__AMX_TILE__)
    return a->dtype == ABDB_BF16 && !a->plain;
#else
    (void)a;
    return false;
#endif
}

/* The next `bytes` of a->room; NULL while they are only counted. */
static void *claim_or_count_workspace(const abdb_vec_attention *a, attention_workspace *x,
                                      size_t bytes)
{
    void *at = a->room ? a->room + x->bytes : NULL;

    x->bytes += abdb_vec_round_up(bytes, LINE);
    return at;
}

/* What a thread works in by tiles. */
static thread_workspace lay_out_amx_thread_workspace(const abdb_vec_attention *a,
                                                     attention_workspace *x, bool backward)
{
    if (backward)
        return (thread_workspace){
            .s = claim_or_count_workspace(a, x, SLICE * S_ROW_BACK * sizeof(float)),
            .t = claim_or_count_workspace(a, x, SLICE * S_ROW_BACK * sizeof(float)),
            .p = claim_or_count_workspace(a, x, SLICE * P_ROW_BACK * 2),
            .dscores = claim_or_count_workspace(a, x, SLICE * P_ROW_BACK * 2),
            .dscores_t = claim_or_count_workspace(a, x, QUERIES_BACK * TRANSPOSED_ROW * 2),
            .dk = claim_or_count_workspace(a, x, KEYS * x->wide * sizeof(float)),
            .dv = claim_or_count_workspace(a, x, KEYS * x->wide * sizeof(float)),
            .most = claim_or_count_workspace(a, x, QUERIES_BACK * sizeof(float)),
            .sum = claim_or_count_workspace(a, x, QUERIES_BACK * sizeof(float))};
    return (thread_workspace){
        .s = claim_or_count_workspace(a, x, SLICE * S_ROW * sizeof(float)),
        .p = claim_or_count_workspace(a, x, SLICE * P_ROW * 2),
        .left = claim_or_count_workspace(a, x, QUERIES_AMX * (x->deep + PAD_ROW) * 2),
        .acc = claim_or_count_workspace(a, x, QUERIES_AMX * x->wide * sizeof(float)),
        .most = claim_or_count_workspace(a, x, QUERIES_AMX * sizeof(float)),
        .sums = claim_or_count_workspace(a, x, QUERIES_AMX * sizeof(vec_f32))};
}

/* Each thread's scores, probabilities and sums; where a->room is NULL only their bytes are
 * counted. */
static void lay_out_thread_workspaces(const abdb_vec_attention *a, attention_workspace *x,
                                      bool backward)
{
    x->mine = claim_or_count_workspace(a, x, (size_t)a->threads * sizeof *x->mine);
    for (int i = 0; x->tiled && i < a->threads; i++) {
        thread_workspace mine = lay_out_amx_thread_workspace(a, x, backward);

        if (a->room) x->mine[i] = mine;
    }
    for (int i = 0; !x->tiled && i < a->threads; i++) {
        size_t scores = sizeof(float) * (backward ? QUERIES_BACK * KEYS : QUERIES * KEYS_FORWARD),
               keys = sizeof(float) * KEYS * x->wide;
        thread_workspace mine = {.s = claim_or_count_workspace(a, x, scores)};

        mine.p =
            backward || a->dtype == ABDB_BF16 ? claim_or_count_workspace(a, x, scores) : mine.s;
        if (a->dtype == ABDB_F16)
            mine.left = claim_or_count_workspace(a, x, QUERIES * a->d * sizeof(float));
        if (backward) {
            mine.t = claim_or_count_workspace(a, x, scores);
            mine.dk = claim_or_count_workspace(a, x, keys);
            mine.dv = claim_or_count_workspace(a, x, keys);
        } else {
            mine.acc = claim_or_count_workspace(a, x, QUERIES * x->wide * sizeof(float));
            mine.most = claim_or_count_workspace(a, x, 2 * QUERIES * sizeof(float));
            mine.sum = mine.most ? mine.most + QUERIES : NULL;
        }
        if (a->room) x->mine[i] = mine;
    }
}

/* What backward wants besides; sizes of heads and panels are known. */
static void lay_out_backward_workspace(const abdb_vec_attention *a, attention_workspace *x)
{
    size_t heads = a->batch * a->heads, kv = a->batch * a->kv_heads;

    if (x->tiled) {
        x->qt_head = abdb_vec_round_up(a->queries, VEC_PANEL) / VEC_PANEL * x->kt_panel;
        x->rows_head = abdb_vec_round_up(a->keys, SLICE) * (x->deep + PAD_ROW) * 2;
        x->qt = claim_or_count_workspace(a, x, heads * x->qt_head * 4);
        x->dout_t = claim_or_count_workspace(a, x, heads * x->qt_head * 4);
        x->k_rows = claim_or_count_workspace(a, x, kv * x->rows_head);
        x->v_rows = claim_or_count_workspace(a, x, kv * x->rows_head);
    } else {
        x->kt = claim_or_count_workspace(a, x, kv * x->kt_head * 4);
        x->vt = claim_or_count_workspace(a, x, kv * x->kt_head * 4);
    }
    x->k = claim_or_count_workspace(a, x, kv * x->v_head * 4);
    x->q = claim_or_count_workspace(a, x, heads * x->q_head * 4);
    x->dout = claim_or_count_workspace(a, x, heads * x->q_head * 4);
    x->d = claim_or_count_workspace(a, x, heads * a->queries * sizeof *x->d);
    /* Threads own blocks of keys, and each adds to dQ of all queries: where there are few heads,
     * keys are cut into parts with a dQ each, which are added up at the end. */
    x->parts = kv >= 2 * (size_t)a->threads ? 1 : (2 * (size_t)a->threads + kv - 1) / kv;
    x->dq = claim_or_count_workspace(a, x, x->parts * heads * a->queries * x->wide * sizeof *x->dq);
}

/* Sizes of panels of packed K, V and Q, and their places; where a->room is NULL only the bytes
 * are counted. */
static void count_or_lay_out_attention_workspace(const abdb_vec_attention *a, bool backward,
                                                 attention_workspace *x)
{
    size_t step = a->dtype == ABDB_BF16 ? 2 : 1, kv = a->batch * a->kv_heads,
           panels = abdb_vec_round_up(a->d, VEC_PANEL) / VEC_PANEL;

    *x = (attention_workspace){.keys = backward ? KEYS : KEYS_FORWARD,
                               .wide = abdb_vec_round_up(a->d, VEC_PANEL),
                               .tiled = attention_uses_amx_tiles(a)};
    x->deep = x->tiled ? abdb_vec_round_up(a->d, SLICE) : a->d;
    x->kt_panel = x->deep / step * VEC_PANEL;
    x->kt_head = abdb_vec_round_up(a->keys, VEC_PANEL) / VEC_PANEL * x->kt_panel;
    x->v_panel = abdb_vec_round_up(a->keys, x->tiled ? SLICE : 2) / step * VEC_PANEL;
    x->v_head = panels * x->v_panel;
    x->q_panel = abdb_vec_round_up(a->queries, x->tiled ? SLICE : 2) / step * VEC_PANEL;
    x->q_head = panels * x->q_panel;
    if (!backward) {
        x->kt = claim_or_count_workspace(a, x, kv * x->kt_head * 4);
        x->v = claim_or_count_workspace(a, x, kv * x->v_head * 4);
    } else {
        lay_out_backward_workspace(a, x);
    }
    if (a->plain) {
        x->row = abdb_vec_round_up(a->keys, VEC_PANEL);
        x->scores = claim_or_count_workspace(a, x, a->queries * x->row * sizeof *x->scores);
        x->sums = claim_or_count_workspace(a, x, a->queries * sizeof *x->sums);
        x->probabilities =
            step == 2 ? claim_or_count_workspace(a, x, a->queries * x->row * 2) : x->scores;
    }
    lay_out_thread_workspaces(a, x, backward);
}

size_t VEC(attention_bytes)(const abdb_vec_attention *a, bool backward)
{
    abdb_vec_attention sized = *a;
    attention_workspace x;

    sized.room = NULL;
    count_or_lay_out_attention_workspace(&sized, backward, &x);
    return x.bytes;
}

/* Steps [from, to) of a panel: 0. */
static void zero_panel_steps(char *panel, size_t from, size_t to)
{
    memset(panel + 4 * from * VEC_PANEL, 0, 4 * (to - from) * VEC_PANEL);
}

/* Rows of one head as panels along its columns, and, transposed, along its rows: rows [from, to).
 * What a panel has beyond them is 0. */
static void pack_head_rows_and_transpose_as_panels(const abdb_vec_attention *a, const void *rows,
                                                   size_t row, size_t count, size_t from, size_t to,
                                                   char *along, size_t panel, char *transposed,
                                                   size_t transposed_panel)
{
    size_t step = a->dtype == ABDB_BF16 ? 2 : 1;
    abdb_vec_gemm_call b = {
        .dtype = a->dtype, .size = abdb_dtype_size(a->dtype), .b = rows, .ldb = row};

    if (along) {
        b.k = count;
        b.n = a->d;
        for (size_t j = 0; j < a->d; j += VEC_PANEL, along += 4 * panel) {
            VEC(pack_panel_of_b)(&b, from, to - from, j, along + 4 * (from / step * VEC_PANEL));
            if (to == count) zero_panel_steps(along, (to + step - 1) / step, panel / VEC_PANEL);
        }
    }
    if (!transposed) return;
    b.k = a->d;
    b.n = count;
    b.tb = true;
    for (size_t j = from; j < to; j += VEC_PANEL) {
        char *out = transposed + 4 * (j / VEC_PANEL * transposed_panel);

        VEC(pack_panel_of_b)(&b, 0, a->d, j, out);
        zero_panel_steps(out, a->d / step, transposed_panel / VEC_PANEL);
    }
}

/* Rows [from, to) of d elements, zeros behind them up to `deep`, and a pad. */
static void copy_rows_zero_padded(const attention_workspace *x, const uint16_t *rows, size_t stride,
                                  size_t from, size_t to, size_t d, char *out)
{
    for (size_t i = from; i < to; i++) {
        char *row = out + i * (x->deep + PAD_ROW) * 2;

        memcpy(row, rows + i * stride, d * 2);
        memset(row + d * 2, 0, (x->deep - d) * 2);
    }
}

/* Keys and values, and backward queries and gradients too, by all threads. */
static void pack_all_attention_operands(const abdb_vec_attention *a, const attention_workspace *x)
{
    size_t size = abdb_dtype_size(a->dtype), of_keys = (a->keys + PART - 1) / PART,
           of_queries = (a->queries + PART - 1) / PART;

#pragma omp for schedule(static)
    for (size_t i = 0; i < a->batch * a->kv_heads * of_keys; i++) {
        size_t head = i / of_keys, from = i % of_keys * PART,
               to = a->keys - from < PART ? a->keys : from + PART;
        size_t at = (head / a->kv_heads * a->of_kv.batch + head % a->kv_heads * a->of_kv.head) *
                    size,
               t = 4 * head * x->kt_head, v = 4 * head * x->v_head;

        pack_head_rows_and_transpose_as_panels(a, (const char *)a->k + at, a->of_kv.row, a->keys,
                                               from, to, x->k ? x->k + v : NULL, x->v_panel,
                                               x->kt ? x->kt + t : NULL, x->kt_panel);
        pack_head_rows_and_transpose_as_panels(a, (const char *)a->v + at, a->of_kv.row, a->keys,
                                               from, to, x->v ? x->v + v : NULL, x->v_panel,
                                               x->vt ? x->vt + t : NULL, x->kt_panel);
        if (x->k_rows) {
            copy_rows_zero_padded(x, (const uint16_t *)a->k + at / size, a->of_kv.row, from, to,
                                  a->d, x->k_rows + head * x->rows_head);
            copy_rows_zero_padded(x, (const uint16_t *)a->v + at / size, a->of_kv.row, from, to,
                                  a->d, x->v_rows + head * x->rows_head);
        }
    }
    if (!x->q) return;
#pragma omp for schedule(static)
    for (size_t i = 0; i < a->batch * a->heads * of_queries; i++) {
        size_t head = i / of_queries, from = i % of_queries * PART,
               to = a->queries - from < PART ? a->queries : from + PART;
        size_t b = head / a->heads, h = head % a->heads, q = 4 * head * x->q_head,
               t = 4 * head * x->qt_head;

        pack_head_rows_and_transpose_as_panels(
            a, (const char *)a->q + (b * a->of_q.batch + h * a->of_q.head) * size, a->of_q.row,
            a->queries, from, to, x->q + q, x->q_panel, x->qt ? x->qt + t : NULL, x->kt_panel);
        pack_head_rows_and_transpose_as_panels(
            a, (const char *)a->dout + (b * a->of_o.batch + h * a->of_o.head) * size, a->of_o.row,
            a->queries, from, to, x->dout + q, x->q_panel, x->dout_t ? x->dout_t + t : NULL,
            x->kt_panel);
    }
}

/* --- f32 -------------------------------------------------------------------------------------- */

static void f32_store_row_scaled(float *out, const float *in, size_t n, float by)
{
    size_t j = 0;

    for (; j + VEC_F32 <= n; j += VEC_F32) vec_store_f32(out + j, vec_load_f32(in + j) * by, false);
    if (j < n) vec_store_part_f32(out + j, vec_load_f32(in + j) * by, n - j);
}

/* Scores as the left matrix of a product, by rows and by columns: as they are. */
static const float *f32_scores_as_left_by_rows(const float *s, size_t rows, size_t n, void *room)
{
    (void)rows, (void)n, (void)room;
    return s;
}
#define f32_scores_as_left_by_columns f32_scores_as_left_by_rows

/* Rows of Q or dO as the left matrix of a product. */
static const float *f32_rows_as_left_operand(const float *rows, size_t stride, size_t n, size_t d,
                                             float *room)
{
    (void)stride, (void)n, (void)d, (void)room;
    return rows;
}

#define FLASH(name)         f32_##name
#define ELEMENT             float
#define STEP                1
#define A_TYPE              float
#define TILES(...)          VEC(f32_tiles)(__VA_ARGS__, 0)
#define GET_F               vec_load_f32
#define PUT_F               vec_store_f32
#define PART_F              vec_load_part_f32
#define P_TYPE              float
#define LEFT_ROW(stride, d) (stride)
#define PAIRS               f32_add_gradients_of_block
#include "kernels/providers/vec/isa/flash.h"

/* --- f16: products are of f32, and probabilities stay f32 ------------------------------------- */

static void f16_store_row_scaled(uint16_t *out, const float *in, size_t n, float by)
{
    size_t j = 0;

    for (; j + VEC_F32 <= n; j += VEC_F32) vec_store_f16(out + j, vec_load_f32(in + j) * by, false);
    if (j < n) vec_store_part_f16(out + j, vec_load_f32(in + j) * by, n - j);
}

/* n rows of d numbers of f16, `stride` apart, as f32 side by side in room, which is returned. */
static const float *f16_rows_as_left_operand(const uint16_t *rows, size_t stride, size_t n,
                                             size_t d, float *room)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;

        for (; j + VEC_F32 <= d; j += VEC_F32)
            vec_store_f32(room + i * d + j, vec_load_f16(rows + i * stride + j), false);
        for (; j < d; j++) room[i * d + j] = abdb_f16_to_f32(rows[i * stride + j]);
    }
    return room;
}
#define f16_scores_as_left_by_rows    f32_scores_as_left_by_rows
#define f16_scores_as_left_by_columns f32_scores_as_left_by_rows

#define FLASH(name)         f16_##name
#define ELEMENT             uint16_t
#define STEP                1
#define A_TYPE              float
#define TILES(...)          VEC(f32_tiles)(__VA_ARGS__, 0)
#define GET_F               vec_load_f16
#define PUT_F               vec_store_f32
#define PART_F              vec_load_part_f16
#define P_TYPE              float
#define LEFT_ROW(stride, d) (d)
#define PAIRS               f16_add_gradients_of_block
#include "kernels/providers/vec/isa/flash.h"

/* --- bf16 ------------------------------------------------------------------------------------- */

#if VEC_WIDTH == 64
VEC_WITH("avx512bf16")

static void bf16_store_row_scaled(uint16_t *out, const float *in, size_t n, float by)
{
    size_t j = 0;

    for (; j + VEC_F32 <= n; j += VEC_F32)
        vec_store_native_bf16(out + j, vec_load_f32(in + j) * by, false);
    if (j < n) vec_store_part_bf16(out + j, vec_load_f32(in + j) * by, n - j);
}

static const abdb_bf16_pair *bf16_rows_as_left_operand(const uint16_t *rows, size_t stride,
                                                       size_t n, size_t d, float *room)
{
    (void)stride, (void)n, (void)d, (void)room;
    return (const abdb_bf16_pair *)(const void *)rows;
}

/* Rows rounded to bf16: pairs along a row. */
static const abdb_bf16_pair *bf16_scores_as_left_by_rows(const float *s, size_t rows, size_t n,
                                                         void *room)
{
    uint16_t *p = room;

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j += VEC_F32)
            vec_store_native_bf16(p + i * KEYS + j, vec_load_f32(s + i * KEYS + j), false);
    return room;
}

/* Pairs down a column: two rows become one, the second in the upper halves. */
static const abdb_bf16_pair *bf16_scores_as_left_by_columns(const float *s, size_t rows, size_t n,
                                                            void *room)
{
    uint32_t *p = room;

    for (size_t i = 0; i < rows; i += 2)
        for (size_t j = 0; j < n; j += VEC_F32) {
            __m512 low = (__m512)vec_load_f32(s + i * KEYS + j),
                   high = i + 1 < rows ? (__m512)vec_load_f32(s + (i + 1) * KEYS + j)
                                       : _mm512_setzero_ps();
            __m512i pair = _mm512_or_si512(
                _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(low)),
                _mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(high)), 16));

            _mm512_storeu_si512(p + i / 2 * KEYS + j, pair);
        }
    return p;
}

#define FLASH(name)         bf16_##name
#define ELEMENT             uint16_t
#define STEP                2
#define A_TYPE              abdb_bf16_pair
#define TILES(...)          VEC(bf16_tiles)(__VA_ARGS__, 0)
#define GET_F               vec_load_bf16
#define PUT_F               vec_store_native_bf16
#define PART_F              vec_load_part_bf16
#define P_TYPE              uint16_t
#define LEFT_ROW(stride, d) ((stride) / STEP)
#if defined(__AMX_TILE__)
#include "kernels/providers/vec/isa/flash_amx.h"
#define PAIRS(...) \
    (x->tiled ? amx_add_gradients_of_block : bf16_add_gradients_of_block)(__VA_ARGS__)
#else
#define PAIRS bf16_add_gradients_of_block
#endif
#include "kernels/providers/vec/isa/flash.h"
VEC_WITHOUT
#endif

void VEC(attention)(const abdb_vec_attention *a, bool backward)
{
#if defined(__AMX_TILE__)
    if (attention_uses_amx_tiles(a) && !backward) {
        amx_attention_forward(a);
        return;
    }
#endif
#if VEC_WIDTH == 64
    if (a->dtype == ABDB_BF16) {
        (backward ? bf16_attention_backward : bf16_attention_forward)(a);
        return;
    }
#endif
    if (a->dtype == ABDB_F16)
        (backward ? f16_attention_backward : f16_attention_forward)(a);
    else
        (backward ? f32_attention_backward : f32_attention_forward)(a);
}
