/* activation.cl - y = x / (1 + exp(-z)), element by element: z = x (SiLU), or z = 2 sqrt(2 / pi)
 * (x + 0.044715 x^3) (GELU, -DGELU); its gradient, and GELU behind a bias. A group has CHUNK
 * elements. */
#ifdef GELU
#define ARGUMENT(x) (REAL)1.5957691216057308 * ((x) + (REAL)0.044715 * (x) * (x) * (x))
#else
#define ARGUMENT(x) (x)
#endif

KERNEL void gelu_or_silu_elements(global const ELEMENT *x, global ELEMENT *y, ulong n)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, here = min((ulong)CHUNK, n - low);

    x += low;
    y += low;
    EACH_VECTOR(i, here)
    {
        REALV v = GETV(x, i);

        PUTV(y, i, v / (1 + exp(-(ARGUMENT(v)))));
    }
    EACH_LEFT(i, here)
    {
        REAL v = GET(x, i);

        PUT(y, i, v / (1 + exp(-(ARGUMENT(v)))));
    }
}

#ifdef GELU
/* The derivative of x s(z): s + x s (1 - s) z'. */
#define DERIVATIVE(x, s) ((s) + (x) * (s) * (1 - (s)) * 1.5957691216057308f * (1 + 0.134145f * (x) * (x)))

/* The gradient of y becomes that of x, in place; _at: elements before. */
KERNEL void gelu_backward_in_place(global const ELEMENT *x, ulong x_at, global ELEMENT *dy, ulong dy_at, ulong n)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, here = min((ulong)CHUNK, n - low);

    x += x_at + low;
    dy += dy_at + low;
    EACH_VECTOR(i, here)
    {
        REALV v = GETV(x, i), s = 1 / (1 + exp(-(ARGUMENT(v))));

        PUTV(dy, i, GETV(dy, i) * DERIVATIVE(v, s));
    }
    EACH_LEFT(i, here)
    {
        REAL v = GET(x, i), s = 1 / (1 + exp(-(ARGUMENT(v))));

        PUT(dy, i, GET(dy, i) * DERIVATIVE(v, s));
    }
}

/* x += bias, where it is wanted; y = gelu(x), of x as it is kept. A group has a row. */
KERNEL void add_bias_then_gelu(global ELEMENT *x, ulong x_at, global const ELEMENT *bias, ulong bias_at,
                   global ELEMENT *y, ulong y_at, ulong columns, int wanted)
{
    ulong row = get_group_id(0) * columns;

    x += x_at + row;
    bias += bias_at;
    y += y_at + row;
    EACH_VECTOR(i, columns)
    {
        REALV v = GETV(x, i);

        if (wanted) {
            PUTV(x, i, v + GETV(bias, i));
            v = GETV(x, i);
        }
        PUTV(y, i, v / (1 + exp(-(ARGUMENT(v)))));
    }
    EACH_LEFT(i, columns)
    {
        REAL v = GET(x, i);

        if (wanted) {
            PUT(x, i, v + GET(bias, i));
            v = GET(x, i);
        }
        PUT(y, i, v / (1 + exp(-(ARGUMENT(v)))));
    }
}
#endif
