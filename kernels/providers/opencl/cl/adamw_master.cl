/* adamw_master.cl - what is f32 beside weights in another format: sums of gradients
 * (add_to_wide_sums), and AdamW with master weights w (adamw_master_update). g: of f32, with
 * -DNARROW of the format; -DOUT: w is also stored in the format; -DMASKED: w is 0 where `mask` is
 * 0. move: rate / (1 - beta1^step), root: 1 / sqrt(1 - beta2^step), shrink: 1 - rate decay.
 * NAME_at: elements before the first. A group has CHUNK elements. */
KERNEL void add_to_wide_sums(global const ELEMENT *x, ulong x_at, global float *to, ulong to_at, ulong n)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, here = min((ulong)CHUNK, n - low);

    x += x_at + low;
    to += to_at + low;
    EACH_VECTOR(i, here) VSTORE(VLOAD(0, to + i) + GETV(x, i), 0, to + i);
    EACH_LEFT(i, here) to[i] += GET(x, i);
}

#ifdef NARROW
typedef ELEMENT GRADIENT;
#define GRADIENTV(i) GETV(g, i)
#define GRADIENT1(i) GET(g, i)
#else
typedef float GRADIENT;
#define GRADIENTV(i) VLOAD(0, g + (i))
#define GRADIENT1(i) g[i]
#endif
#ifdef MASKED
#define KEEPV(i, w) ((w) * GLUE(convert_float, LANES)(VLOAD(0, mask + (i))))
#define KEEP(i, w)  ((w) * mask[i])
#else
#define KEEPV(i, w) (w)
#define KEEP(i, w)  (w)
#endif

KERNEL void adamw_master_update(global const GRADIENT *g, ulong g_at, global float *w, ulong w_at, global float *m,
                   ulong m_at, global float *v, ulong v_at, global ELEMENT *out, ulong out_at,
                   global const uchar *mask, ulong mask_at, ulong n, float factor, float beta1,
                   float rest1, float beta2, float rest2, float move, float root, float epsilon,
                   float shrink)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, here = min((ulong)CHUNK, n - low);

    g += g_at + low;
    w += w_at + low;
    m += m_at + low;
    v += v_at + low;
    out += out_at + low;
    mask += mask_at + low;
    EACH_VECTOR(i, here)
    {
        FLOATV gradient = GRADIENTV(i) * factor, first = beta1 * VLOAD(0, m + i) + rest1 * gradient,
               second = beta2 * VLOAD(0, v + i) + rest2 * gradient * gradient,
               now = VLOAD(0, w + i) * shrink - move * first / (sqrt(second) * root + epsilon);

        now = KEEPV(i, now);
        VSTORE(first, 0, m + i);
        VSTORE(second, 0, v + i);
        VSTORE(now, 0, w + i);
#ifdef OUT
        PUTV(out, i, now);
#endif
    }
    EACH_LEFT(i, here)
    {
        float gradient = GRADIENT1(i) * factor, first = beta1 * m[i] + rest1 * gradient,
              second = beta2 * v[i] + rest2 * gradient * gradient,
              now = w[i] * shrink - move * first / (sqrt(second) * root + epsilon);

        now = KEEP(i, now);
        m[i] = first;
        v[i] = second;
        w[i] = now;
#ifdef OUT
        PUT(out, i, now);
#endif
    }
}
