/* adamw.cl - a step of AdamW on n parameters p with gradients g and moments m, v, element by
 * element: m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2, p = p - rate (m m_scale / (sqrt(v
 * v_scale) + epsilon) + decay p). A group has CHUNK elements. */
#define RATE    1e-3f
#define BETA1   0.9f
#define BETA2   0.999f
#define EPSILON 1e-8f
#define DECAY   0.01f

#define STEP(NUMBER, get, getf, put, putf)                                             \
    {                                                                                  \
        NUMBER one = get(p, i), gradient = get(g, i);                                     \
        NUMBER first = BETA1 * getf(m, i) + (float)(1 - 0.9) * gradient,                  \
               second = BETA2 * getf(v, i) + (float)(1 - 0.999) * gradient * gradient;       \
        NUMBER move = first * m_scale / (sqrt(second * v_scale) + EPSILON);            \
                                                                                       \
        put(p_out, i, one - RATE * (move + DECAY * one));                              \
        putf(m_out, i, first);                                                         \
        putf(v_out, i, second);                                                        \
    }
#define FLOAT_GETV(p, i)    VLOAD(0, (p) + (i))
#define FLOAT_PUTV(p, i, x) VSTORE(x, 0, (p) + (i))
#define FLOAT_GET(p, i)     (p)[i]
#define FLOAT_PUT(p, i, x)  (p)[i] = (x)

KERNEL void adamw(global const ELEMENT *p, global const ELEMENT *g, global const float *m,
                 global const float *v, global ELEMENT *p_out, global float *m_out,
                 global float *v_out, ulong n, float m_scale, float v_scale)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, here = min((ulong)CHUNK, n - low);

    p += low;
    g += low;
    m += low;
    v += low;
    p_out += low;
    m_out += low;
    v_out += low;
    EACH_VECTOR(i, here) STEP(FLOATV, GETV, FLOAT_GETV, PUTV, FLOAT_PUTV)
    EACH_LEFT(i, here) STEP(float, GET, FLOAT_GET, PUT, FLOAT_PUT)
}
