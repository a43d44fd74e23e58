/* parts.c - parts of networks in plain C: every number in double, rounded once; see
 * kernels/workloads/parts.h. */
#include "kernels/workloads/parts.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/providers/ref/ref.h"

typedef struct {
    abdb_dtype dtype;
    double *row; /* working memory */
} plain;

static double get(const plain *s, const void *at, size_t i)
{
    abdb_tensor t = {.dtype = s->dtype, .data = (void *)(uintptr_t)at};

    return abdb_tensor_get(&t, i);
}

static void put(const plain *s, void *at, size_t i, double value)
{
    abdb_tensor t = {.dtype = s->dtype, .data = at};

    abdb_tensor_set(&t, i, value);
}

/* Of wide numbers. */
static plain wide(const plain *s)
{
    return (plain){abdb_parts_wide(s->dtype), NULL};
}

static const char *refuses(const abdb_problem *p, abdb_dtype dtype, size_t d, size_t columns)
{
    (void)p, (void)dtype, (void)d, (void)columns;
    return NULL;
}

static void stop(void *self)
{
    plain *s = self;

    free(s->row);
    free(s);
}

static abdb_status start(void **self, const abdb_problem *p, abdb_dtype dtype, abdb_error *err)
{
    plain *s = calloc(1, sizeof *s);

    (void)p;
    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    s->dtype = dtype;
    *self = s;
    return ABDB_OK;
}

static size_t room_of_product(void *self, const abdb_part_product *x)
{
    (void)self, (void)x;
    return 0;
}

static size_t room_of_attention(void *self, const abdb_part_attention *x, bool backward)
{
    (void)self, (void)backward;
    return (2 + 3 * x->d) * x->sequence * sizeof(double);
}

static size_t room_of_rows(void *self, size_t columns)
{
    (void)self;
    return 2 * columns * sizeof(double);
}

static abdb_status reserve(void *self, size_t bytes, abdb_error *err)
{
    plain *s = self;

    s->row = malloc(bytes ? bytes : 1);
    return s->row ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes to work in", bytes);
}

static void product(void *self, const abdb_part_product *x)
{
    const plain *s = self;

    size_t lda = x->lda ? x->lda : x->ta ? x->m : x->k, ldc = x->ldc ? x->ldc : x->n;

    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < x->n; j++) {
            double sum = x->bias ? get(s, x->bias, j) : 0;

            for (size_t k = 0; k < x->k; k++)
                sum += get(s, x->a, x->ta ? k * lda + i : i * lda + k) *
                       get(s, x->b, x->tb ? j * x->k + k : k * x->n + j);
            put(s, x->c, i * ldc + j, x->act == ABDB_ACT_RELU && sum < 0 ? 0 : sum);
        }
}

static void bags(void *self, const abdb_part_bags *x)
{
    const plain *s = self;

    for (size_t b = 0; b < x->batch; b++)
        for (size_t t = 0; t < x->tables; t++)
            for (size_t j = 0; j < x->columns; j++) {
                const int32_t *index = x->index + (t * x->batch + b) * x->lookups;
                double sum = 0;

                for (size_t l = 0; l < x->lookups; l++)
                    sum += get(s, x->table, (t * x->rows + (size_t)index[l]) * x->columns + j);
                put(s, x->out, b * x->apart + t * x->columns + j, sum);
            }
}

/* --- attention -------------------------------------------------------------------------------- */

/* Element e of the row of qkv: which 0 the query, 1 the key, 2 the value. */
static size_t at_qkv(const abdb_part_attention *x, size_t row, size_t which, size_t head)
{
    return row * 3 * x->heads * x->d + (which * x->heads + head) * x->d;
}

/* Scores of a query with the keys that it sees, scaled. */
static void scores(const plain *s, const abdb_part_attention *x, size_t first, size_t query,
                   size_t head, double *out)
{
    double scale = 1 / sqrt((double)x->d);

    for (size_t j = 0; j <= query; j++) {
        size_t q = at_qkv(x, first + query, 0, head), k = at_qkv(x, first + j, 1, head);

        out[j] = 0;
        for (size_t e = 0; e < x->d; e++)
            out[j] += get(s, x->qkv, q + e) * get(s, x->qkv, k + e) * scale;
    }
}

static void attend(const plain *s, const abdb_part_attention *x, size_t first, size_t query,
                   size_t head)
{
    plain log_sums = wide(s);
    size_t width = x->heads * x->d, rows = x->batch * x->sequence;
    double most = -INFINITY, sum = 0, *p = s->row;

    scores(s, x, first, query, head, p);
    for (size_t j = 0; j <= query; j++) most = fmax(most, p[j]);
    for (size_t j = 0; j <= query; j++) sum += p[j] = exp(p[j] - most);
    put(&log_sums, x->l, head * rows + first + query, most + log(sum));
    for (size_t e = 0; e < x->d; e++) {
        double out = 0;

        for (size_t j = 0; j <= query; j++)
            out += p[j] / sum * get(s, x->qkv, at_qkv(x, first + j, 2, head) + e);
        put(s, x->out, (first + query) * width + head * x->d + e, out);
    }
}

/* Adds what a query gives to the gradients of a head: of queries, keys and values, d of each row
 * after one another. */
static void attend_back(const plain *s, const abdb_part_attention *x, size_t first, size_t query,
                        size_t head)
{
    plain log_sums = wide(s);
    size_t width = x->heads * x->d, rows = x->batch * x->sequence, all = x->sequence * x->d,
           out = (first + query) * width + head * x->d, q = at_qkv(x, first + query, 0, head);
    double *p = s->row, *dp = p + x->sequence, *dq = dp + x->sequence, *dk = dq + all,
           *dv = dk + all, along = 0, scale = 1 / sqrt((double)x->d),
           l = get(&log_sums, x->l, head * rows + first + query);

    scores(s, x, first, query, head, p);
    for (size_t j = 0; j <= query; j++) {
        size_t v = at_qkv(x, first + j, 2, head);

        p[j] = exp(p[j] - l);
        dp[j] = 0;
        for (size_t e = 0; e < x->d; e++) {
            dp[j] += get(s, x->dout, out + e) * get(s, x->qkv, v + e);
            dv[j * x->d + e] += p[j] * get(s, x->dout, out + e);
        }
        along += p[j] * dp[j];
    }
    for (size_t j = 0; j <= query; j++) {
        size_t k = at_qkv(x, first + j, 1, head);
        double ds = p[j] * (dp[j] - along) * scale;

        for (size_t e = 0; e < x->d; e++) {
            dq[query * x->d + e] += ds * get(s, x->qkv, k + e);
            dk[j * x->d + e] += ds * get(s, x->qkv, q + e);
        }
    }
}

static void head_back(const plain *s, const abdb_part_attention *x, size_t first, size_t head)
{
    size_t all = x->sequence * x->d;
    double *sums = s->row + 2 * x->sequence;

    for (size_t i = 0; i < 3 * all; i++) sums[i] = 0;
    for (size_t q = 0; q < x->sequence; q++) attend_back(s, x, first, q, head);
    for (size_t i = 0; i < 3 * all; i++)
        put(s, x->dqkv, at_qkv(x, first + i % all / x->d, i / all, head) + i % x->d, sums[i]);
}

static void attention(void *self, const abdb_part_attention *x, bool backward)
{
    const plain *s = self;

    for (size_t b = 0; b < x->batch; b++)
        for (size_t h = 0; h < x->heads; h++) {
            if (backward) head_back(s, x, b * x->sequence, h);
            for (size_t q = 0; q < x->sequence && !backward; q++)
                attend(s, x, b * x->sequence, q, h);
        }
}

/* --- rows ------------------------------------------------------------------------------------- */

static double slope_of_gelu(double x)
{
    double a = 2 * sqrt(2 / M_PI), s = 1 / (1 + exp(-a * (x + 0.044715 * x * x * x)));

    return s + x * s * (1 - s) * a * (1 + 3 * 0.044715 * x * x);
}

static void moments(const plain *s, const abdb_part_rows *x, size_t row, double *mean,
                    double *scale)
{
    double n = (double)x->columns, square = 0;

    *mean = 0;
    for (size_t j = 0; j < x->columns; j++) *mean += get(s, x->x, row * x->columns + j) / n;
    for (size_t j = 0; j < x->columns; j++) {
        double v = get(s, x->x, row * x->columns + j) - *mean;

        square += v * v / n;
    }
    *scale = 1 / sqrt(square + 1e-5);
}

static double of(const plain *s, const void *vector, size_t j)
{
    return vector ? get(s, vector, j) : 0;
}

static void norm_back(const plain *s, const abdb_part_rows *x, size_t row)
{
    size_t n = x->columns, at = row * n;
    double mean, scale, sum = 0, along = 0, *dgain = s->row, *dshift = s->row + n;

    moments(s, x, row, &mean, &scale);
    for (size_t j = 0; j < n; j++) {
        double hat = (get(s, x->x, at + j) - mean) * scale, d = get(s, x->kept, at + j);

        dgain[j] += d * hat;
        dshift[j] += d;
        sum += d * get(s, x->gain, j) / (double)n;
        along += d * get(s, x->gain, j) * hat / (double)n;
    }
    for (size_t j = 0; j < n; j++) {
        double hat = (get(s, x->x, at + j) - mean) * scale,
               back = get(s, x->kept, at + j) * get(s, x->gain, j) - sum - hat * along;

        put(s, x->out, at + j, scale * back + (x->add ? get(s, x->add, at + j) : 0));
    }
}

static void one_row(const plain *s, const abdb_part_rows *x, size_t row)
{
    size_t at = row * x->columns;
    double mean = 0, scale = 1, v;

    if (x->what == ABDB_ROWS_NORM_BACK) {
        norm_back(s, x, row);
        return;
    }
    if (x->what == ABDB_ROWS_NORM) moments(s, x, row, &mean, &scale);
    for (size_t j = 0; j < x->columns; j++) switch (x->what) {
        case ABDB_ROWS_NORM:
            v = (get(s, x->x, at + j) - mean) * scale * get(s, x->gain, j);
            put(s, x->out, at + j, v + of(s, x->shift, j));
            break;
        case ABDB_ROWS_BIAS:
            v = get(s, x->x, at + j) + of(s, x->gain, j);
            put(s, x->out, at + j, v + (x->add ? get(s, x->add, at + j) : 0));
            break;
        case ABDB_ROWS_CROSS:
            v = get(s, x->x, at + j) + of(s, x->gain, j);
            put(s, x->out, at + j, get(s, x->kept, at + j) * v + get(s, x->add, at + j));
            break;
        case ABDB_ROWS_GELU:
            v = get(s, x->kept, at + j) + of(s, x->gain, j);
            put(s, x->kept, at + j, v);
            put(s, x->out, at + j, v / (1 + exp(-2 * sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))));
            break;
        case ABDB_ROWS_GELU_BACK:
            v = get(s, x->out, at + j) * slope_of_gelu(get(s, x->x, at + j));
            put(s, x->out, at + j, v);
            s->row[j] += v;
            break;
        default: s->row[j] += get(s, x->x, at + j);
        }
}

static void rows(void *self, const abdb_part_rows *x)
{
    const plain *s = self;

    for (size_t j = 0; j < 2 * x->columns && x->what >= ABDB_ROWS_GELU_BACK; j++) s->row[j] = 0;
    for (size_t r = 0; r < x->rows; r++) one_row(s, x, r);
    for (size_t j = 0; j < x->columns; j++) {
        if (x->dgain) put(s, x->dgain, j, s->row[j]);
        if (x->dshift) put(s, x->dshift, j, s->row[x->columns + j]);
    }
}

/* --- ends of the network ---------------------------------------------------------------------- */

static void embedding_back(const plain *s, const abdb_part_embedding *x)
{
    for (size_t j = 0; j < x->columns; j++) {
        for (size_t t = 0; t < x->vocabulary; t++) {
            double sum = get(s, x->table, t * x->columns + j);

            for (int32_t i = x->first[t]; i < x->first[t + 1]; i++)
                sum += get(s, x->x, (size_t)x->order[i] * x->columns + j);
            put(s, x->table, t * x->columns + j, sum);
        }
        for (size_t place = 0; place < x->sequence; place++) {
            double sum = 0;

            for (size_t r = place; r < x->rows; r += x->sequence)
                sum += get(s, x->x, r * x->columns + j);
            put(s, x->position, place * x->columns + j, sum);
        }
    }
}

static void embedding(void *self, const abdb_part_embedding *x, bool backward)
{
    const plain *s = self;

    if (backward) {
        embedding_back(s, x);
        return;
    }
    for (size_t r = 0; r < x->rows; r++)
        for (size_t j = 0; j < x->columns; j++)
            put(s, x->x, r * x->columns + j,
                get(s, x->table, (size_t)x->token[r] * x->columns + j) +
                    get(s, x->position, r % x->sequence * x->columns + j));
}

static double loss(void *self, const abdb_part_loss *x)
{
    const plain *s = self;
    double all = 0;

    for (size_t r = 0; r < x->rows; r++) {
        size_t at = r * x->columns, target = at + (size_t)x->target[r];
        double most = -INFINITY, sum = 0;

        for (size_t j = 0; j < x->columns; j++) most = fmax(most, get(s, x->x, at + j));
        for (size_t j = 0; j < x->columns; j++) sum += exp(get(s, x->x, at + j) - most);
        all += most + log(sum) - get(s, x->x, target);
        for (size_t j = 0; j < x->columns; j++)
            put(s, x->x, at + j,
                (exp(get(s, x->x, at + j) - most) / sum - (at + j == target)) * x->scale);
    }
    return all;
}

static void add(void *self, size_t n, const void *x, void *to)
{
    const plain *s = self, sums = wide(s);

    for (size_t i = 0; i < n; i++) put(&sums, to, i, get(&sums, to, i) + get(s, x, i));
}

static void update(void *self, const abdb_part_update *x)
{
    const plain *s = self, state = wide(s);
    double by_m = 1 / (1 - pow(x->beta1, x->step)), by_v = 1 / (1 - pow(x->beta2, x->step));

    for (size_t i = 0; i < x->n; i++) {
        double g = get(x->wide ? &state : s, x->g, i) * x->scale,
               m = x->beta1 * get(&state, x->m, i) + (1 - x->beta1) * g,
               v = x->beta2 * get(&state, x->v, i) + (1 - x->beta2) * g * g,
               w = get(&state, x->w, i) * (1 - x->rate * x->decay);

        w -= x->rate * m * by_m / (sqrt(v * by_v) + x->epsilon);
        if (x->mask && !x->mask[i]) w = 0;
        put(&state, x->m, i, m);
        put(&state, x->v, i, v);
        put(&state, x->w, i, w);
        if (x->out) put(s, x->out, i, get(&state, x->w, i)); /* of what was kept */
    }
}

const abdb_parts abdb_ref_parts = {.refuses = refuses,
                                   .open = start,
                                   .close = stop,
                                   .room_of_product = room_of_product,
                                   .room_of_attention = room_of_attention,
                                   .room_of_rows = room_of_rows,
                                   .reserve = reserve,
                                   .product = product,
                                   .attention = attention,
                                   .rows = rows,
                                   .embedding = embedding,
                                   .bags = bags,
                                   .loss = loss,
                                   .add = add,
                                   .update = update,
                                   .decoder = &abdb_ref_decoder};
