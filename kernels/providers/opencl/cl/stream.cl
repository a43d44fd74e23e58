/* stream.cl - z = x (copy), s x (scale), x + y (add), x + s y (triad), s (write), or f steps of
 * (1 - 2^-12) z + 2^-13 from x (chain), n elements; -DOP says which. A group has CHUNK elements;
 * its items take vectors side by side. -DNT: stores past the caches, where the compiler knows them.
 * */
#define FACTOR (REAL)0.4
#define KEEP   (REAL)(1 - 0x1p-12)
#define ADD    (REAL)0x1p-13

#ifdef NT
#if !__has_builtin(__builtin_nontemporal_store)
#error this compiler has no stores past the caches
#endif
#define STORE(z, i, v) __builtin_nontemporal_store(v, (global REALV *)((z) + (i)))
#else
#define STORE(z, i, v) PUTV(z, i, v)
#endif

REALV fma_steps_of_vector(REALV x, ulong fmas)
{
    for (ulong f = 0; f < fmas; f++) x = fma((REALV)KEEP, x, (REALV)ADD);
    return x;
}
REAL fma_steps(REAL x, ulong fmas)
{
    for (ulong f = 0; f < fmas; f++) x = fma(KEEP, x, ADD);
    return x;
}

/* What a pass stores (-DOP=triad): of vectors, and of one element. */
#define V_copy  VLOAD(0, x + i)
#define V_scale FACTOR *VLOAD(0, x + i)
#define V_add   VLOAD(0, x + i) + VLOAD(0, y + i)
#define V_triad VLOAD(0, x + i) + FACTOR *VLOAD(0, y + i)
#define V_write (REALV) FACTOR
#define V_chain fma_steps_of_vector(VLOAD(0, x + i), fmas)
#define S_copy  x[i]
#define S_scale FACTOR *x[i]
#define S_add   x[i] + y[i]
#define S_triad x[i] + FACTOR *y[i]
#define S_write FACTOR
#define S_chain fma_steps(x[i], fmas)

#define PICK_(a, b) a##b
#define PICK(a, b)  PICK_(a, b)

KERNEL void stream_pass_of_group(global const REAL *x, global const REAL *y, global REAL *z, ulong n, ulong fmas)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, high = min(low + CHUNK, n), each = LANES;
    ulong whole = low + (high - low) / each * each;

    for (ulong i = low + get_local_id(0) * each; i < whole; i += get_local_size(0) * each)
        STORE(z, i, PICK(V_, OP));
    if (get_local_id(0) == 0)
        for (ulong i = whole; i < high; i++) z[i] = PICK(S_, OP);
}
