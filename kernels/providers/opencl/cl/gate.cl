/* gate.cl - y = x s(z), s the logistic function: z = x (silu), or z = 2 sqrt(2/pi) (x + 0.044715
 * x^3) (-DGELU). A group has CHUNK elements. */
#ifdef GELU
#define ARGUMENT(x) (REAL)1.5957691216057308 * ((x) + (REAL)0.044715 * (x) * (x) * (x))
#else
#define ARGUMENT(x) (x)
#endif

KERNEL void gate(global const ELEMENT *x, global ELEMENT *y, ulong n)
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
/* The slope of x s(z): s + x s (1 - s) z'. */
#define SLOPE(x, s) ((s) + (x) * (s) * (1 - (s)) * 1.5957691216057308f * (1 + 0.134145f * (x) * (x)))

/* Slopes of y to those of x, in place. */
KERNEL void back(global const float *x, global float *dy, ulong n)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, here = min((ulong)CHUNK, n - low);

    x += low;
    dy += low;
    EACH_VECTOR(i, here)
    {
        FLOATV v = VLOAD(0, x + i), s = 1 / (1 + exp(-(ARGUMENT(v))));

        VSTORE(VLOAD(0, dy + i) * SLOPE(v, s), 0, dy + i);
    }
    EACH_LEFT(i, here)
    {
        float v = x[i], s = 1 / (1 + exp(-(ARGUMENT(v))));

        dy[i] *= SLOPE(v, s);
    }
}
#endif
