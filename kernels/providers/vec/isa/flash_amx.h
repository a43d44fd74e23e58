/* flash_amx.h - attention by blocks in bf16 on tiles of AMX (amx.c); included by attention.c. As in
 * flash.h, but a block goes through in slices of two tiles' rows (forward of queries, backward of
 * keys), whose scores stay in the first level from one product to the next; a slice of a causal
 * head ends at its own last key, or begins near its own first query. Q, K and V are packed with
 * zeros up to whole tiles. A sum of exponentials is kept as a vector until the end, and is that of
 * the exponentials before they were rounded to bf16. */

/* 2^x within 3 units in the last place, 0 for -infinity; of NaN NaN. The polynomial is the minimax
 * one of degree 5 for 2^f, 0 <= f < 1, that is 1 at 0 (found by Remez' exchange; relative error
 * 9e-8). */
VEC_INLINE __m512 amx_exp2(__m512 x)
{
    __m512 f = _mm512_reduce_ps(x, 9); /* x less the next whole number below */
    __m512 y = _mm512_set1_ps(0x1.e974fap-10f);

    y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(0x1.277856p-7f));
    y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(0x1.c91ce6p-5f));
    y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(0x1.ebdb56p-3f));
    y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(0x1.62e4bap-1f));
    y = _mm512_fmadd_ps(y, f, _mm512_set1_ps(1));
    return _mm512_scalef_ps(y, x); /* by 2 to the whole number below x */
}

/* Which of 16 columns from `column` on are among the first `seen`. */
VEC_INLINE __mmask16 amx_mask_of_seen(size_t seen, size_t column)
{
    return seen <= column          ? 0
           : seen - column >= SIDE ? 0xFFFF
                                   : (__mmask16)((1u << (seen - column)) - 1);
}

/* The largest of the first `seen` scores of a row. */
VEC_INLINE float amx_max_of_seen(const float *s, size_t seen)
{
    __m512 low = _mm512_set1_ps(-INFINITY), high = low;
    size_t j = 0;

    for (; j + SLICE <= seen; j += SLICE) {
        low = _mm512_max_ps(low, _mm512_load_ps(s + j));
        high = _mm512_max_ps(high, _mm512_load_ps(s + j + SIDE));
    }
    if (j < seen) {
        low = _mm512_mask_max_ps(low, amx_mask_of_seen(seen, j), low, _mm512_load_ps(s + j));
        high = _mm512_mask_max_ps(high, amx_mask_of_seen(seen, j + SIDE), high,
                                  _mm512_load_ps(s + j + SIDE));
    }
    return _mm512_reduce_max_ps(_mm512_max_ps(low, high));
}

/* Scores of a row become 2^(score scale - most), rounded, and 0 from key `seen` up to `wide`;
 * returns the sums of the columns that lie 16 apart. */
VEC_INLINE __m512 amx_scores_to_exp2_bf16(const float *s, uint16_t *p, size_t seen, size_t wide,
                                          __m512 scale, __m512 most)
{
    __m512 sum = _mm512_setzero_ps();

    for (size_t j = 0; j < wide; j += SLICE) {
        __m512 low = amx_exp2(_mm512_fmsub_ps(_mm512_load_ps(s + j), scale, most)),
               high = amx_exp2(_mm512_fmsub_ps(_mm512_load_ps(s + j + SIDE), scale, most));

        if (j + SLICE > seen) {
            low = _mm512_maskz_mov_ps(amx_mask_of_seen(seen, j), low);
            high = _mm512_maskz_mov_ps(amx_mask_of_seen(seen, j + SIDE), high);
        }
        sum = _mm512_add_ps(sum, _mm512_add_ps(low, high));
        _mm512_store_si512(p + j, (__m512i)_mm512_cvtne2ps_pbh(high, low));
    }
    return sum;
}

/* A slice of queries: its rows of Q and of sums of values, what each row has seen as its largest
 * score and added up of exponentials, and how many keys the first row sees, each other one
 * `further` more than the row before. */
typedef struct {
    size_t rows, sees, further;
    const char *q;
    float *acc, *most;
    vec_f32 *sum;
} amx_slice;

/* Scores of a slice become probabilities, of keys [from, from + n). shrink: by how much what was
 * added up before gets smaller. */
static void amx_online_softmax_of_slice(const amx_slice *s, const thread_workspace *mine,
                                        size_t from, size_t n, float scale, float *shrink)
{
    float top[SLICE];
    size_t seen[SLICE], wide = abdb_vec_round_up(n, SLICE);

    for (size_t i = 0; i < SLICE; i++) {
        size_t sees = s->sees + i * s->further;

        seen[i] = i >= s->rows || sees < from ? 0 : sees - from < n ? sees - from : n;
        top[i] = amx_max_of_seen(mine->s + i * S_ROW, seen[i]);
    }
    for (size_t i = 0; i < SLICE; i += SIDE) {
        /* this order: a NaN leaves what was, and its row's powers are NaN anyhow */
        __m512 was = _mm512_load_ps(s->most + i),
               now = _mm512_max_ps(_mm512_mul_ps(_mm512_loadu_ps(top + i), _mm512_set1_ps(scale)),
                                   was);

        _mm512_storeu_ps(shrink + i, amx_exp2(_mm512_sub_ps(was, now)));
        _mm512_store_ps(s->most + i, now);
    }
    for (size_t i = 0; i < s->rows; i++)
        s->sum[i] = s->sum[i] * shrink[i] + (vec_f32)amx_scores_to_exp2_bf16(
                                                mine->s + i * S_ROW,
                                                (uint16_t *)mine->p + i * P_ROW, seen[i], wide,
                                                _mm512_set1_ps(scale), _mm512_set1_ps(s->most[i]));
}

/* A slice and keys [from, from + n) of one head of keys: product, softmax, product. */
static void amx_attend_slice_to_keys(const abdb_vec_attention *a, const attention_workspace *x,
                                     const amx_slice *s, size_t head, size_t from, size_t n)
{
    const thread_workspace *mine = &x->mine[omp_get_thread_num()];
    size_t tall = abdb_vec_round_up(s->rows, SIDE), wide = abdb_vec_round_up(n, SLICE);
    float shrink[SLICE];

    VEC(amx_gemm)
    (false, tall, wide, x->deep / SLICE, s->q, (x->deep + PAD_ROW) * 2,
     x->kt + 4 * (head * x->kt_head + from / VEC_PANEL * x->kt_panel), 4 * x->kt_panel,
     (char *)mine->s, S_ROW * sizeof(float), false);
    amx_online_softmax_of_slice(s, mine, from, n, a->scale * vec_log2_e, shrink);
    for (size_t i = 0; from && i < s->rows; i++)
        for (size_t j = 0; shrink[i] != 1 && j < x->wide; j += VEC_F32)
            *(vec_f32 *)(s->acc + i * x->wide + j) *= shrink[i];
    VEC(amx_gemm)
    (false, tall, x->wide, wide / SLICE, mine->p, P_ROW * 2,
     x->v + 4 * (head * x->v_head + from / 2 * VEC_PANEL), 4 * x->v_panel, (char *)s->acc,
     x->wide * sizeof(float), from > 0);
}

/* Rows [row, row + rows) of one head against all keys that they see. */
static void amx_attention_of_query_rows(const abdb_vec_attention *a, const attention_workspace *x,
                                        size_t b, size_t h, size_t row, size_t rows)
{
    const uint16_t *q =
        (const uint16_t *)a->q + b * a->of_q.batch + h * a->of_q.head + row * a->of_q.row;
    uint16_t *o = (uint16_t *)a->o + b * a->of_o.batch + h * a->of_o.head + row * a->of_o.row;
    float *l = a->l ? a->l + (b * a->heads + h) * a->queries + row : NULL;
    const thread_workspace *mine = &x->mine[omp_get_thread_num()];
    size_t head = b * a->kv_heads + h / (a->heads / a->kv_heads), offset = a->keys - a->queries,
           q_row = (x->deep + PAD_ROW) * 2;
    size_t limit = a->causal ? row + rows + offset : a->keys;

    copy_rows_zero_padded(x, q, a->of_q.row, 0, rows, a->d, (char *)mine->left);
    for (size_t i = 0; i < QUERIES_AMX; i++)
        mine->most[i] = -0x1p126f, mine->sums[i] = vec_broadcast(0);
    for (size_t from = 0; from < limit; from += KEYS_AMX)
        for (size_t i = 0; i < rows; i += SLICE) {
            amx_slice s = {.rows = rows - i < SLICE ? rows - i : SLICE,
                           .sees = a->causal ? row + i + offset + 1 : a->keys,
                           .further = a->causal,
                           .q = (char *)mine->left + i * q_row,
                           .acc = mine->acc + i * x->wide,
                           .most = mine->most + i,
                           .sum = mine->sums + i};
            size_t last = s.sees + (s.rows - 1) * s.further;

            if (from < last)
                amx_attend_slice_to_keys(a, x, &s, head, from,
                                         last - from < KEYS_AMX ? last - from : KEYS_AMX);
        }
    for (size_t i = 0; i < rows; i++) {
        float sum = vec_sum_lanes(mine->sums[i]);

        bf16_store_row_scaled(o + i * a->of_o.row, mine->acc + i * x->wide, a->d, 1 / sum);
        if (l) l[i] = (mine->most[i] + log2f(sum)) / vec_log2_e;
    }
}

static void amx_attention_forward(const abdb_vec_attention *a)
{
    size_t blocks = (a->queries + QUERIES_AMX - 1) / QUERIES_AMX,
           all = a->batch * a->heads * blocks;
    attention_workspace x;

    count_or_lay_out_attention_workspace(a, false, &x);
#pragma omp parallel num_threads(a->threads)
    {
        pack_all_attention_operands(a, &x);
        VEC(amx_configure_tiles)();
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < all; i++) { /* of a causal head the last rows first */
            size_t head = i / blocks, row = (blocks - 1 - i % blocks) * QUERIES_AMX;

            amx_attention_of_query_rows(a, &x, head / a->heads, head % a->heads, row,
                                        a->queries - row < QUERIES_AMX ? a->queries - row
                                                                       : QUERIES_AMX);
        }
        VEC(amx_release_tiles)();
    }
}

/* --- backward --------------------------------------------------------------------------------- */

/* Of one key and queries [first, rows) of columns [from, wide): s holds scores and t the products
 * dO . V; probabilities and gradients of scores come out rounded, 0 for other queries. l and d of
 * each query as in FLASH(scores_to_probs_and_dscores_of_row). */
VEC_INLINE void amx_probs_and_dscores_of_key(const float *s, const float *t, const float *l,
                                             const float *d, float by, size_t from, size_t first,
                                             size_t rows, size_t wide, uint16_t *p,
                                             uint16_t *dscores)
{
    __m512 scale = _mm512_set1_ps(by);

    for (size_t j = from; j < wide; j += SLICE) {
        __m512 e[2], dscore[2];

        _Pragma("GCC unroll 2") for (size_t v = 0; v < 2; v++)
        {
            size_t at = j + v * SIDE;

            e[v] = amx_exp2(_mm512_fmsub_ps(_mm512_load_ps(s + at), scale, _mm512_load_ps(l + at)));
            dscore[v] =
                _mm512_mul_ps(e[v], _mm512_sub_ps(_mm512_load_ps(t + at), _mm512_load_ps(d + at)));
            if (j < first || j + SLICE > rows) {
                __mmask16 sees =
                    amx_mask_of_seen(rows, at) & (__mmask16)~amx_mask_of_seen(first, at);

                e[v] = _mm512_maskz_mov_ps(sees, e[v]);
                dscore[v] = _mm512_maskz_mov_ps(sees, dscore[v]);
            }
        }
        _mm512_store_si512(p + j, (__m512i)_mm512_cvtne2ps_pbh(e[1], e[0]));
        _mm512_store_si512(dscores + j, (__m512i)_mm512_cvtne2ps_pbh(dscore[1], dscore[0]));
    }
}

/* Where a slice of keys meets a block of queries: heads, first query and key, how many; columns of
 * queries from `column` on see one of these keys. */
typedef struct {
    size_t head, kv, row, rows, key, n, column;
} amx_meeting;

/* Probabilities and gradients of scores of a slice of keys, its part of dV and dK, and the
 * gradients transposed to rows of queries. */
static void amx_add_dk_dv_keep_dscores_of_slice(const abdb_vec_attention *a,
                                                const attention_workspace *x,
                                                const thread_workspace *mine, const amx_meeting *m,
                                                size_t at)
{
    size_t tall = abdb_vec_round_up(m->n, SIDE), wide = abdb_vec_round_up(m->rows, SLICE),
           left = m->column, row = (x->deep + PAD_ROW) * 2, offset = a->keys - a->queries + m->row,
           panel = 4 * (m->head * x->qt_head + (m->row + left) / VEC_PANEL * x->kt_panel),
           steps = 4 * (m->head * x->q_head + (m->row + left) / 2 * VEC_PANEL);
    uint16_t *p = mine->p, *dscores = mine->dscores;
    abdb_vec_gemm_call transposed = {
        .dtype = ABDB_BF16, .size = 2, .a = dscores, .lda = P_ROW_BACK};

    VEC(amx_gemm)
    (false, tall, wide - left, x->deep / SLICE, x->k_rows + m->kv * x->rows_head + m->key * row,
     row, x->qt + panel, 4 * x->kt_panel, (char *)(mine->s + left), S_ROW_BACK * sizeof(float),
     false);
    VEC(amx_gemm)
    (false, tall, wide - left, x->deep / SLICE, x->v_rows + m->kv * x->rows_head + m->key * row,
     row, x->dout_t + panel, 4 * x->kt_panel, (char *)(mine->t + left), S_ROW_BACK * sizeof(float),
     false);
    for (size_t j = 0; j < m->n; j++)
        amx_probs_and_dscores_of_key(mine->s + j * S_ROW_BACK, mine->t + j * S_ROW_BACK, mine->most,
                                     mine->sum, a->scale * vec_log2_e, left,
                                     a->causal && m->key + j > offset ? m->key + j - offset : 0,
                                     m->rows, wide, p + j * P_ROW_BACK, dscores + j * P_ROW_BACK);
    VEC(amx_gemm)
    (false, tall, x->wide, (wide - left) / SLICE, (char *)(p + left), P_ROW_BACK * 2,
     x->dout + steps, 4 * x->q_panel, (char *)(mine->dv + at * x->wide), x->wide * sizeof(float),
     true);
    VEC(amx_gemm)
    (false, tall, x->wide, (wide - left) / SLICE, (char *)(dscores + left), P_ROW_BACK * 2,
     x->q + steps, 4 * x->q_panel, (char *)(mine->dk + at * x->wide), x->wide * sizeof(float),
     true);
    for (size_t i = 0; i < left; i++)
        memset((uint16_t *)mine->dscores_t + i * TRANSPOSED_ROW + at, 0, SLICE * 2);
    VEC(pack_rows_of_transposed_a)
    (&transposed, left, wide - left, 0, m->n, TRANSPOSED_ROW / 2,
     (char *)((uint16_t *)mine->dscores_t + left * TRANSPOSED_ROW + at));
}

/* As FLASH(add_gradients_of_block): five products, with keys as rows but for the last; slice by
 * slice of keys. */
static void amx_add_gradients_of_block(const abdb_vec_attention *a, const attention_workspace *x,
                                       const thread_workspace *mine, size_t b, size_t h, size_t row,
                                       size_t rows, size_t key, size_t n, float *dq)
{
    size_t head = b * a->heads + h, kv = b * a->kv_heads + h / (a->heads / a->kv_heads),
           offset = a->keys - a->queries, limit = row + rows + offset;
    const float *l = a->l + head * a->queries + row, *d = x->d + head * a->queries + row;

    /* Slices of keys that none of these queries sees are left out. */
    if (a->causal && key + n > limit) {
        size_t seen = abdb_vec_round_up(limit - key, SLICE);

        n = seen < n ? seen : n;
    }
    for (size_t i = 0; i < rows; i++) mine->most[i] = l[i] * vec_log2_e, mine->sum[i] = d[i];
    VEC(amx_configure_tiles)();
    for (size_t at = 0; at < n; at += SLICE) {
        size_t first = a->causal && key + at > offset + row ? key + at - offset - row : 0;
        amx_meeting m = {
            head, kv, row, rows, key + at, n - at < SLICE ? n - at : SLICE, first / SLICE * SLICE};

        amx_add_dk_dv_keep_dscores_of_slice(a, x, mine, &m, at);
    }
    VEC(amx_gemm)
    (false, rows, x->wide, abdb_vec_round_up(n, SLICE) / SLICE, mine->dscores_t, TRANSPOSED_ROW * 2,
     x->k + 4 * (kv * x->v_head + key / 2 * VEC_PANEL), 4 * x->v_panel,
     (char *)(dq + row * x->wide), x->wide * sizeof(float), true);
    VEC(amx_release_tiles)();
}
