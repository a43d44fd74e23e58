/* flash.h - attention by blocks (Dao et al. 2022), forward and backward, and plain: a template,
 * included by attention.c for each format. Wants FLASH(name); ELEMENT, of the matrices; STEP,
 * elements of a step of gemm_tiles.c; A_TYPE, such a step; TILES; P_TYPE, of probabilities; GET_F,
 * a vector of f32 from ELEMENT; PUT_F, one to P_TYPE; PART_F, the first elements of one;
 * LEFT_ROW(stride, d), from a row to the next, in steps, of what FLASH(rows_as_left_operand) makes
 * of rows of Q or dO; PAIRS, FLASH(add_gradients_of_block) or what does the same in another way.
 *
 * Keys and values lie packed in panels for the whole call (attention.c). Scores of QUERIES x KEYS
 * stay in the caches between the two products. Softmax runs in powers of 2: scores are multiplied
 * by scale log2(e), so that vec_exp2 serves. */

/* --- forward ---------------------------------------------------------------------------------- */

/* Scores of one row become 2^(score - largest so far), -infinity from key `seen` on. *most and *sum
 * go on from block to block; returns by how much what was added up before shrinks, 2^(largest
 * before - largest now). */
VEC_INLINE float FLASH(online_softmax_row)(float *s, P_TYPE *p, size_t seen, size_t n, float scale,
                                           float *most, float *sum)
{
    size_t wide = (n + VEC_F32 - 1) / VEC_F32 * VEC_F32;
    vec_f32 top = vec_broadcast(-INFINITY), total = {0};
    float now, shrink;

    for (size_t j = seen; j < wide; j++) s[j] = -INFINITY;
    for (size_t j = 0; j < wide; j += VEC_F32) top = vec_max(top, vec_load_f32(s + j));
    now = vec_max_lane(top) * scale;
    if (!(now > *most)) now = *most;
    shrink = exp2f(*most - now);
    if (now == -INFINITY) shrink = 1, now = 0; /* nothing is seen */
    for (size_t j = 0; j < wide; j += VEC_F32) {
        vec_f32 e = vec_exp2(vec_load_f32(s + j) * scale - now);

        PUT_F(p + j, e, false);
        total += e;
    }
    *sum = *sum * shrink + vec_sum_lanes(total);
    *most = seen ? now : *most;
    return shrink;
}

/* Forward, rows [row, row + rows) of one head: all keys, block by block; acc and sum are brought to
 * the same scale whenever a larger score comes, and divided at the end. L = log(sum of e^score). */
static void FLASH(attention_of_query_rows)(const abdb_vec_attention *a,
                                           const attention_workspace *x, size_t b, size_t h,
                                           size_t row, size_t rows)
{
    const ELEMENT *q =
        (const ELEMENT *)a->q + b * a->of_q.batch + h * a->of_q.head + row * a->of_q.row;
    ELEMENT *o = (ELEMENT *)a->o + b * a->of_o.batch + h * a->of_o.head + row * a->of_o.row;
    float *l = a->l ? a->l + (b * a->heads + h) * a->queries + row : NULL;
    const thread_workspace *mine = &x->mine[omp_get_thread_num()];
    size_t head = b * a->kv_heads + h / (a->heads / a->kv_heads), offset = a->keys - a->queries;
    const A_TYPE *kt = (const A_TYPE *)x->kt + head * x->kt_head,
                 *v = (const A_TYPE *)x->v + head * x->v_head;
    /* Beyond the last key that the last of these rows sees, nothing is computed. */
    size_t limit = a->causal ? row + rows + offset : a->keys, most_keys = x->keys;
    float scale = a->scale * vec_log2_e;
    const A_TYPE *left = FLASH(rows_as_left_operand)(q, a->of_q.row, rows, a->d, mine->left);

    for (size_t i = 0; i < rows; i++) mine->most[i] = -INFINITY, mine->sum[i] = 0;
    for (size_t from = 0; from < limit; from += most_keys) {
        size_t n = limit - from < most_keys ? limit - from : most_keys;

        TILES(rows, n, a->d / STEP, left, LEFT_ROW(a->of_q.row, a->d), 1,
              kt + from / VEC_PANEL * x->kt_panel, x->kt_panel, mine->s, most_keys, false);
        for (size_t i = 0; i < rows; i++) {
            size_t sees = a->causal ? row + i + offset + 1 : a->keys;
            float shrink;

            sees = sees < from ? 0 : sees - from < n ? sees - from : n;
            shrink = FLASH(online_softmax_row)(mine->s + i * most_keys,
                                               (P_TYPE *)mine->p + i * most_keys, sees, n, scale,
                                               &mine->most[i], &mine->sum[i]);
            if (from && shrink != 1)
                for (size_t j = 0; j < x->wide; j += VEC_F32)
                    *(vec_f32 *)(mine->acc + i * x->wide + j) *= shrink;
        }
        TILES(rows, a->d, (n + STEP - 1) / STEP, (const A_TYPE *)mine->p, most_keys / STEP, 1,
              v + from / STEP * VEC_PANEL, x->v_panel, mine->acc, x->wide, from > 0);
    }
    for (size_t i = 0; i < rows; i++) {
        float by = 1 / mine->sum[i];

        FLASH(store_row_scaled)(o + i * a->of_o.row, mine->acc + i * x->wide, a->d, by);
        if (l) l[i] = (mine->most[i] + log2f(mine->sum[i])) / vec_log2_e;
    }
}

/* The whole matrix of scores of one head after another: product, softmax, product, each finished
 * before the next begins. */
static void FLASH(unfused_attention_of_head)(const abdb_vec_attention *a,
                                             const attention_workspace *x, size_t b, size_t h)
{
    const ELEMENT *q = (const ELEMENT *)a->q + b * a->of_q.batch + h * a->of_q.head;
    ELEMENT *o = (ELEMENT *)a->o + b * a->of_o.batch + h * a->of_o.head;
    P_TYPE *p = x->probabilities;
    size_t head = b * a->kv_heads + h / (a->heads / a->kv_heads), offset = a->keys - a->queries;
    const A_TYPE *kt = (const A_TYPE *)x->kt + head * x->kt_head,
                 *v = (const A_TYPE *)x->v + head * x->v_head;
    float *l = a->l ? a->l + (b * a->heads + h) * a->queries : NULL;

#pragma omp for schedule(dynamic, 1)
    for (size_t row = 0; row < a->queries; row += QUERIES) {
        size_t rows = a->queries - row < QUERIES ? a->queries - row : QUERIES;

        TILES(rows, a->keys, a->d / STEP,
              FLASH(rows_as_left_operand)(q + row * a->of_q.row, a->of_q.row, rows, a->d,
                                          x->mine[omp_get_thread_num()].left),
              LEFT_ROW(a->of_q.row, a->d), 1, kt, x->kt_panel, x->scores + row * x->row, x->row,
              false);
    }
#pragma omp for schedule(static)
    for (size_t i = 0; i < a->queries; i++) {
        float most = -INFINITY, sum = 0;

        FLASH(online_softmax_row)
        (x->scores + i * x->row, p + i * x->row, a->causal ? i + offset + 1 : a->keys, a->keys,
         a->scale * vec_log2_e, &most, &sum);
        x->sums[i] = sum;
        if (l) l[i] = (most + log2f(sum)) / vec_log2_e;
    }
#pragma omp for schedule(dynamic, 1)
    for (size_t row = 0; row < a->queries; row += QUERIES) {
        size_t rows = a->queries - row < QUERIES ? a->queries - row : QUERIES;
        float *acc = x->mine[omp_get_thread_num()].acc;

        TILES(rows, a->d, (a->keys + STEP - 1) / STEP,
              (const A_TYPE *)(const void *)(p + row * x->row), x->row / STEP, 1, v, x->v_panel,
              acc, x->wide, false);
        for (size_t i = row; i < row + rows; i++) FLASH(store_row_scaled)
        (o + i * a->of_o.row, acc + (i - row) * x->wide, a->d, 1 / x->sums[i]);
    }
}

static void FLASH(attention_forward)(const abdb_vec_attention *a)
{
    size_t blocks = (a->queries + QUERIES - 1) / QUERIES, all = a->batch * a->heads * blocks;
    attention_workspace x;

    count_or_lay_out_attention_workspace(a, false, &x);
#pragma omp parallel num_threads(a->threads)
    {
        pack_all_attention_operands(a, &x);
        for (size_t i = 0; a->plain && i < a->batch * a->heads; i++)
            FLASH(unfused_attention_of_head)(a, &x, i / a->heads, i % a->heads);
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < (a->plain ? 0 : all);
             i++) { /* of a causal head the last rows, with most to do, first */
            size_t head = i / blocks, row = (blocks - 1 - i % blocks) * QUERIES;

            FLASH(attention_of_query_rows)
            (a, &x, head / a->heads, head % a->heads, row,
             a->queries - row < QUERIES ? a->queries - row : QUERIES);
        }
    }
}

/* --- backward --------------------------------------------------------------------------------- */

/* Of one row: s holds scores and p the products dO . V; afterwards p holds the probabilities P =
 * 2^(s scale - l) and s the gradients of the scores, P (dO . V - d), d being dO . O. */
VEC_INLINE void FLASH(scores_to_probs_and_dscores_of_row)(float *s, float *p, size_t seen, size_t n,
                                                          float scale, float l, float d)
{
    size_t wide = (n + VEC_F32 - 1) / VEC_F32 * VEC_F32;

    for (size_t j = seen; j < wide; j++) s[j] = -INFINITY, p[j] = 0;
    for (size_t j = 0; j < wide; j += VEC_F32) {
        vec_f32 e = vec_exp2(vec_load_f32(s + j) * scale - l), dscore = vec_load_f32(p + j) - d;

        vec_store_f32(s + j, e * dscore, false);
        vec_store_f32(p + j, e, false);
    }
}

/* Queries [row, row + rows) against keys [key, key + n) of one head: five products. S = Q K^T and
 * dO V^T; then dV += P^T dO, dK += dS^T Q and dQ += dS K. dK and dV are the thread's own block, dq
 * that of the item. */
static void FLASH(add_gradients_of_block)(const abdb_vec_attention *a, const attention_workspace *x,
                                          const thread_workspace *mine, size_t b, size_t h,
                                          size_t row, size_t rows, size_t key, size_t n, float *dq)
{
    size_t head = b * a->heads + h, kv = b * a->kv_heads + h / (a->heads / a->kv_heads),
           offset = a->keys - a->queries;
    const ELEMENT *q =
        (const ELEMENT *)a->q + b * a->of_q.batch + h * a->of_q.head + row * a->of_q.row;
    const ELEMENT *dout =
        (const ELEMENT *)a->dout + b * a->of_o.batch + h * a->of_o.head + row * a->of_o.row;
    const float *l = a->l + head * a->queries + row, *d = x->d + head * a->queries + row;
    size_t steps = a->d / STEP, at = key / VEC_PANEL * x->kt_panel, deep = (rows + STEP - 1) / STEP;
    float scale = a->scale * vec_log2_e;
    const A_TYPE *by_rows;

    TILES(rows, n, steps, FLASH(rows_as_left_operand)(q, a->of_q.row, rows, a->d, mine->left),
          LEFT_ROW(a->of_q.row, a->d), 1, (const A_TYPE *)x->kt + kv * x->kt_head + at, x->kt_panel,
          mine->s, KEYS, false);
    TILES(rows, n, steps, FLASH(rows_as_left_operand)(dout, a->of_o.row, rows, a->d, mine->left),
          LEFT_ROW(a->of_o.row, a->d), 1, (const A_TYPE *)x->vt + kv * x->kt_head + at, x->kt_panel,
          mine->t, KEYS, false);
    for (size_t i = 0; i < rows; i++) {
        size_t sees = a->causal ? row + i + offset + 1 : a->keys;

        FLASH(scores_to_probs_and_dscores_of_row)
        (mine->s + i * KEYS, mine->t + i * KEYS,
         sees < key       ? 0
         : sees - key < n ? sees - key
                          : n,
         n, scale, l[i] * vec_log2_e, d[i]);
    }
    /* dV += P^T dO, dK += dS^T Q: A by columns */
    TILES(n, a->d, deep, FLASH(scores_as_left_by_columns)(mine->t, rows, n, mine->p), 1, KEYS,
          (const A_TYPE *)x->dout + head * x->q_head + row / STEP * VEC_PANEL, x->q_panel, mine->dv,
          x->wide, true);
    TILES(n, a->d, deep, FLASH(scores_as_left_by_columns)(mine->s, rows, n, mine->p), 1, KEYS,
          (const A_TYPE *)x->q + head * x->q_head + row / STEP * VEC_PANEL, x->q_panel, mine->dk,
          x->wide, true);
    by_rows = FLASH(scores_as_left_by_rows)(mine->s, rows, n, mine->p);
    TILES(rows, a->d, (n + STEP - 1) / STEP, by_rows, KEYS / STEP, 1,
          (const A_TYPE *)x->k + kv * x->v_head + key / STEP * VEC_PANEL, x->v_panel,
          dq + row * x->wide, x->wide, true);
}

/* All that keys [key, key + n) of one head of keys give: dK and dV are complete afterwards, because
 * every query of every head that shares these keys is gone through here. */
static void FLASH(compute_dk_dv_add_dq_of_key_block)(const abdb_vec_attention *a,
                                                     const attention_workspace *x, size_t b,
                                                     size_t kv, size_t key, size_t n, float *dq)
{
    const thread_workspace *mine = &x->mine[omp_get_thread_num()];
    size_t group = a->heads / a->kv_heads, offset = a->keys - a->queries;
    size_t at = b * a->of_kv.batch + kv * a->of_kv.head + key * a->of_kv.row;
    /* The first block of queries that sees any of these keys. */
    size_t first = a->causal && key > offset ? (key - offset) / QUERIES_BACK * QUERIES_BACK : 0;

    memset(mine->dk, 0, n * x->wide * sizeof(float));
    memset(mine->dv, 0, n * x->wide * sizeof(float));
    for (size_t g = 0; g < group; g++)
        for (size_t row = first; row < a->queries; row += QUERIES_BACK)
            PAIRS(a, x, mine, b, kv * group + g, row,
                  a->queries - row < QUERIES_BACK ? a->queries - row : QUERIES_BACK, key, n,
                  dq + g * a->queries * x->wide);
    for (size_t i = 0; i < n; i++) {
        FLASH(store_row_scaled)
        ((ELEMENT *)a->dk + at + i * a->of_kv.row, mine->dk + i * x->wide, a->d, a->scale);
        FLASH(store_row_scaled)
        ((ELEMENT *)a->dv + at + i * a->of_kv.row, mine->dv + i * x->wide, a->d, 1);
    }
}

/* d of row i: the sum over its columns of dO times O. */
static void FLASH(dot_do_o_of_row)(const abdb_vec_attention *a, const attention_workspace *x,
                                   size_t i)
{
    size_t head = i / a->queries, at = head / a->heads * a->of_o.batch +
                                       head % a->heads * a->of_o.head +
                                       i % a->queries * a->of_o.row;
    const ELEMENT *o = (const ELEMENT *)a->o + at, *dout = (const ELEMENT *)a->dout + at;
    vec_f32 sum = {0};
    size_t j = 0;

    for (; j + VEC_F32 <= a->d; j += VEC_F32) sum += GET_F(o + j) * GET_F(dout + j);
    if (j < a->d) sum += PART_F(o + j, a->d - j, 0) * PART_F(dout + j, a->d - j, 0);
    x->d[i] = vec_sum_lanes(sum);
}

/* dQ of one row, the sum over the parts of the keys. */
static void FLASH(sum_and_store_dq_of_row)(const abdb_vec_attention *a,
                                           const attention_workspace *x, size_t i)
{
    size_t head = i / a->queries, group = a->heads / a->kv_heads, b = head / a->heads,
           h = head % a->heads;
    ELEMENT *out =
        (ELEMENT *)a->dq + b * a->of_q.batch + h * a->of_q.head + i % a->queries * a->of_q.row;
    size_t kv = b * a->kv_heads + h / group, each = group * a->queries * x->wide;
    float *first =
        x->dq + kv * x->parts * each + (h % group * a->queries + i % a->queries) * x->wide;

    for (size_t part = 1; part < x->parts; part++)
        for (size_t j = 0; j < x->wide; j += VEC_F32)
            *(vec_f32 *)(first + j) += *(vec_f32 *)(first + part * each + j);
    FLASH(store_row_scaled)(out, first, a->d, a->scale);
}

static void FLASH(attention_backward)(const abdb_vec_attention *a)
{
    size_t blocks = (a->keys + KEYS - 1) / KEYS, heads = a->batch * a->kv_heads;
    size_t each = a->heads / a->kv_heads * a->queries;
    attention_workspace x;

    count_or_lay_out_attention_workspace(a, true, &x);
#pragma omp parallel num_threads(a->threads)
    {
        pack_all_attention_operands(a, &x);
#pragma omp for schedule(static)
        for (size_t i = 0; i < a->batch * a->heads * a->queries; i++)
            FLASH(dot_do_o_of_row)(a, &x, i);
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < heads * x.parts;
             i++) { /* every parts-th block: causal ones differ */
            float *dq = x.dq + i * each * x.wide;

            memset(dq, 0, each * x.wide * sizeof *dq);
            for (size_t block = i % x.parts; block < blocks; block += x.parts)
                FLASH(compute_dk_dv_add_dq_of_key_block)
            (a, &x, i / x.parts / a->kv_heads, i / x.parts % a->kv_heads, block * KEYS,
             a->keys - block * KEYS < KEYS ? a->keys - block * KEYS : KEYS, dq);
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < a->batch * a->heads * a->queries; i++)
            FLASH(sum_and_store_dq_of_row)(a, &x, i);
    }
}

#undef FLASH
#undef ELEMENT
#undef STEP
#undef A_TYPE
#undef TILES
#undef GET_F
#undef PUT_F
#undef PART_F
#undef P_TYPE
#undef LEFT_ROW
#undef PAIRS
