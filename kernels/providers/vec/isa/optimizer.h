/* optimizer.h - the end of a network and what it learns by: cross entropy with its gradient, AdamW
 * with wide weights. A template, included by optimizer.c for each format. Wants LEARN_OF(name),
 * ELEMENT, and GET, PUT, PART, KEEP of math.h. */

/* Loss of a row, whose logits become the gradient. */
static double LEARN_OF(cross_entropy_row_loss_to_gradient)(const abdb_vec_loss *s, size_t row)
{
    size_t n = s->columns, j = 0, whole = n / VEC_F32 * VEC_F32, left = n - whole;
    ELEMENT *x = (ELEMENT *)s->x + row * n, *target = x + s->target[row];
    vec_f32 most = vec_broadcast(-INFINITY), sum = {0}, from;
    float top, at[VEC_F32], by, end[VEC_F32];

    for (j = 0; j < whole; j += VEC_F32) most = vec_max(most, GET(x + j));
    if (left) most = vec_max(most, PART(x + whole, left, -INFINITY));
    top = vec_max_lane(most);
    from = vec_broadcast(top * vec_log2_e);
    for (j = 0; j < whole; j += VEC_F32) sum += vec_exp2(GET(x + j) * vec_log2_e - from);
    if (left) sum += vec_exp2(PART(x + whole, left, -INFINITY) * vec_log2_e - from);
    vec_store_part_f32(at, PART(target, 1, 0), 1);
    by = s->scale / vec_sum_lanes(sum);
    for (j = 0; j < whole; j += VEC_F32)
        PUT(x + j, vec_exp2(GET(x + j) * vec_log2_e - from) * by, false);
    if (left) KEEP(x + whole, vec_exp2(PART(x + whole, left, 0) * vec_log2_e - from) * by, left);
    /* of the target one less, from the same numbers as they were before they were rounded */
    vec_store_part_f32(
        end, vec_broadcast((vec_exp2(vec_broadcast(at[0] * vec_log2_e) - from) * by - s->scale)[0]),
        1);
    KEEP(target, vec_broadcast(end[0]), 1);
    return (double)logf(s->scale / by) + (double)top - (double)at[0];
}

static double LEARN_OF(cross_entropy_of_rows)(const abdb_vec_loss *s, size_t low, size_t high)
{
    double sum = 0;

    for (size_t row = low; row < high; row++)
        sum += LEARN_OF(cross_entropy_row_loss_to_gradient)(s, row);
    return sum;
}

/* One vector: the new weight, of gradient g. */
VEC_INLINE vec_f32 LEARN_OF(adamw_step)(const abdb_vec_update *s, vec_f32 w, vec_f32 g, vec_f32 *m,
                                        vec_f32 *v)
{
    g *= s->scale;
    *m = *m * s->beta1 + g * (1 - s->beta1);
    *v = *v * s->beta2 + g * g * (1 - s->beta2);
    return w * s->keep - *m * s->step / (vec_sqrt(*v) * s->by_root + s->epsilon);
}

static void LEARN_OF(adamw_update_range)(const abdb_vec_update *s, size_t low, size_t high)
{
    const ELEMENT *g = s->g;
    const float *wide = s->g;
    ELEMENT *out = s->out;
    size_t j = low;

    for (; j + VEC_F32 <= high; j += VEC_F32) {
        vec_f32 m = vec_load_f32(s->m + j), v = vec_load_f32(s->v + j),
                w = LEARN_OF(adamw_step)(s, vec_load_f32(s->w + j),
                                         s->by_format ? GET(g + j) : vec_load_f32(wide + j), &m,
                                         &v);

        vec_store_f32(s->m + j, m, false);
        vec_store_f32(s->v + j, v, false);
        if (s->mask)
            for (size_t i = 0; i < VEC_F32; i++) w[i] = s->mask[j + i] ? w[i] : 0;
        vec_store_f32(s->w + j, w, false);
        if (out) PUT(out + j, w, false);
    }
    if (j < high) {
        size_t left = high - j;
        vec_f32 m = vec_load_part_f32(s->m + j, left, 0), v = vec_load_part_f32(s->v + j, left, 0),
                w = LEARN_OF(adamw_step)(s, vec_load_part_f32(s->w + j, left, 0),
                                         s->by_format ? PART(g + j, left, 0)
                                                      : vec_load_part_f32(wide + j, left, 0),
                                         &m, &v);

        vec_store_part_f32(s->m + j, m, left);
        vec_store_part_f32(s->v + j, v, left);
        for (size_t i = 0; s->mask && i < left; i++) w[i] = s->mask[j + i] ? w[i] : 0;
        vec_store_part_f32(s->w + j, w, left);
        if (out) KEEP(out + j, w, left);
    }
}

#undef LEARN_OF
#undef ELEMENT
#undef GET
#undef PUT
#undef PART
#undef KEEP
