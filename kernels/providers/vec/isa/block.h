/* block.h - the row by row steps of a transformer block, forward and backward: a template, included
 * by block.c for each format. Wants STEP_OF(name), ELEMENT, GET, PUT. Columns are whole vectors. */

/* The sum of x + bias (+ add), to out. */
static void STEP_OF(add_bias_and_residual)(const abdb_vec_step *s, size_t row)
{
    ELEMENT *out = (ELEMENT *)s->out + row * s->columns;
    const ELEMENT *x = (const ELEMENT *)s->x + row * s->columns, *bias = s->gain,
                  *add = s->add ? (const ELEMENT *)s->add + row * s->columns : NULL;

    for (size_t j = 0; j < s->columns; j += VEC_F32) {
        vec_f32 v = GET(x + j) + GET(bias + j);

        PUT(out + j, add ? v + GET(add + j) : v, false);
    }
}

VEC_INLINE vec_f32 STEP_OF(logistic_of_gelu_argument)(vec_f32 x)
{
    return 1.0f / vec_one_plus_exp_minus(vec_gelu_argument(x));
}

/* x + bias stays in x; gelu of it to out. */
static void STEP_OF(add_bias_then_gelu)(const abdb_vec_step *s, size_t row)
{
    ELEMENT *out = (ELEMENT *)s->out + row * s->columns, *x = (ELEMENT *)s->kept + row * s->columns;
    const ELEMENT *bias = s->gain;

    for (size_t j = 0; j < s->columns; j += VEC_F32) {
        vec_f32 v = GET(x + j) + GET(bias + j);

        PUT(x + j, v, false);
        PUT(out + j, v * STEP_OF(logistic_of_gelu_argument)(v), false);
    }
}

/* silu of x times add. */
static void STEP_OF(swiglu_row)(const abdb_vec_step *s, size_t row)
{
    ELEMENT *out = (ELEMENT *)s->out + row * s->columns;
    const ELEMENT *x = (const ELEMENT *)s->x + row * s->columns,
                  *by = (const ELEMENT *)s->add + row * s->columns;

    for (size_t j = 0; j < s->columns; j += VEC_F32) {
        vec_f32 v = GET(x + j);

        PUT(out + j, v / vec_one_plus_exp_minus(v) * GET(by + j), false);
    }
}

/* out times the derivative of gelu at x; its columns are summed. */
static void STEP_OF(gelu_backward_sum_columns)(const abdb_vec_step *s, size_t row)
{
    ELEMENT *out = (ELEMENT *)s->out + row * s->columns;
    const ELEMENT *x = (const ELEMENT *)s->x + row * s->columns;

    for (size_t j = 0; j < s->columns; j += VEC_F32) {
        vec_f32 v = GET(x + j), l = STEP_OF(logistic_of_gelu_argument)(v);
        vec_f32 derivative =
            l + v * l * (1.0f - l) * (v * v * (3 * 1.5957691216f * 0.044715f) + 1.5957691216f);
        vec_f32 back = GET(out + j) * derivative;

        PUT(out + j, back, false);
        *(vec_f32 *)(s->sums + j) += back;
    }
}

static void STEP_OF(add_row_to_column_sums)(const abdb_vec_step *s, size_t row)
{
    const ELEMENT *x = (const ELEMENT *)s->x + row * s->columns;

    for (size_t j = 0; j < s->columns; j += VEC_F32) *(vec_f32 *)(s->sums + j) += GET(x + j);
}

VEC_INLINE void STEP_OF(row_mean_and_inverse_std)(const ELEMENT *x, size_t n, float *mean,
                                                  float *scale)
{
    vec_f32 sum = {0}, square = {0};

    for (size_t j = 0; j < n; j += VEC_F32) sum += GET(x + j);
    *mean = vec_sum_lanes(sum) / (float)n;
    for (size_t j = 0; j < n; j += VEC_F32) {
        vec_f32 v = GET(x + j) - *mean;

        square += v * v;
    }
    *scale = 1 / sqrtf(vec_sum_lanes(square) / (float)n + 1e-5f);
}

/* kept (x + gain) + add. */
static void STEP_OF(combine_cross_layer)(const abdb_vec_step *s, size_t row)
{
    size_t n = s->columns;
    ELEMENT *out = (ELEMENT *)s->out + row * n;
    const ELEMENT *x = (const ELEMENT *)s->x + row * n, *by = (const ELEMENT *)s->kept + row * n,
                  *add = (const ELEMENT *)s->add + row * n, *gain = s->gain;

    for (size_t j = 0; j < n; j += VEC_F32)
        PUT(out + j, GET(by + j) * (GET(x + j) + GET(gain + j)) + GET(add + j), false);
}

static void STEP_OF(layernorm_row)(const abdb_vec_step *s, size_t row)
{
    ELEMENT *out = (ELEMENT *)s->out + row * s->columns;
    const ELEMENT *x = (const ELEMENT *)s->x + row * s->columns, *gain = s->gain, *shift = s->shift;
    float mean, scale;

    STEP_OF(row_mean_and_inverse_std)(x, s->columns, &mean, &scale);
    for (size_t j = 0; j < s->columns; j += VEC_F32)
        PUT(out + j, (GET(x + j) - mean) * scale * GET(gain + j) + GET(shift + j), false);
}

/* dx (+ add), to out, of dy = kept and x; gains' and shifts' gradients are summed. */
static void STEP_OF(layernorm_backward_row_and_param_sums)(const abdb_vec_step *s, size_t row)
{
    size_t n = s->columns;
    ELEMENT *out = (ELEMENT *)s->out + row * n;
    const ELEMENT *x = (const ELEMENT *)s->x + row * n, *dy = (const ELEMENT *)s->kept + row * n,
                  *gain = s->gain, *add = s->add ? (const ELEMENT *)s->add + row * n : NULL;
    vec_f32 sum = {0}, along = {0};
    float mean, scale, by_sum, by_along;

    STEP_OF(row_mean_and_inverse_std)(x, n, &mean, &scale);
    for (size_t j = 0; j < n; j += VEC_F32) {
        vec_f32 hat = (GET(x + j) - mean) * scale, d = GET(dy + j), back = d * GET(gain + j);

        sum += back;
        along += back * hat;
        *(vec_f32 *)(s->sums + j) += d * hat;
        *(vec_f32 *)(s->sums + n + j) += d;
    }
    by_sum = vec_sum_lanes(sum) / (float)n;
    by_along = vec_sum_lanes(along) / (float)n;
    for (size_t j = 0; j < n; j += VEC_F32) {
        vec_f32 hat = (GET(x + j) - mean) * scale;

        vec_f32 back = scale * (GET(dy + j) * GET(gain + j) - by_sum - hat * by_along);

        PUT(out + j, add ? back + GET(add + j) : back, false);
    }
}

static void STEP_OF(run_step_on_rows)(const abdb_vec_step *s, size_t low, size_t high)
{
    for (size_t row = low; row < high; row++) switch (s->what) {
        case ABDB_STEP_NORM: STEP_OF(layernorm_row)(s, row); break;
        case ABDB_STEP_BIAS: STEP_OF(add_bias_and_residual)(s, row); break;
        case ABDB_STEP_CROSS: STEP_OF(combine_cross_layer)(s, row); break;
        case ABDB_STEP_GELU: STEP_OF(add_bias_then_gelu)(s, row); break;
        case ABDB_STEP_GELU_BACK: STEP_OF(gelu_backward_sum_columns)(s, row); break;
        case ABDB_STEP_NORM_BACK: STEP_OF(layernorm_backward_row_and_param_sums)(s, row); break;
        case ABDB_STEP_SWIGLU: STEP_OF(swiglu_row)(s, row); break;
        default: STEP_OF(add_row_to_column_sums)(s, row);
        }
}

#undef STEP_OF
#undef ELEMENT
#undef GET
#undef PUT
