/* sum_reduction.cl - the sum of x, or of x y (-DDOT), over n elements: one of each group of
 * CHUNK elements (partial_sum_or_dot_of_group), then of these (total_of_partial_sums). */
enum { CHAINS = 8 };

KERNEL void partial_sum_or_dot_of_group(global const REAL *x, global const REAL *y, global REAL *part, ulong n)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, high = min(low + CHUNK, n), each = LANES * CHAINS;
    ulong whole = low + (high - low) / each * each;
    REALV chain[CHAINS];
    REAL sum;
    local REAL all[ITEMS];

    for (int c = 0; c < CHAINS; c++) chain[c] = 0;
    for (ulong i = low + get_local_id(0) * each; i < whole; i += get_local_size(0) * each)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
#ifdef DOT
            chain[c] = fma(VLOAD(0, x + i + c * LANES), VLOAD(0, y + i + c * LANES), chain[c]);
#else
            chain[c] += VLOAD(0, x + i + c * LANES);
#endif
    for (int c = 1; c < CHAINS; c++) chain[0] += chain[c];
    sum = sum_of_vector(chain[0]);
    for (ulong i = whole + get_local_id(0); i < high; i += get_local_size(0))
#ifdef DOT
        sum += x[i] * y[i];
#else
        sum += x[i];
#endif
    all[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) != 0) return;
    for (ulong l = 1; l < get_local_size(0); l++) sum += all[l];
    part[get_group_id(0)] = sum;
}

KERNEL void total_of_partial_sums(global const REAL *part, ulong n, global REAL *z)
{
    REAL sum = 0;

    for (ulong i = 0; i < n; i++) sum += part[i];
    z[0] = sum;
}
