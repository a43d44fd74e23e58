/* fma.cl - multiply-adds in registers: a work-item has CHAINS vectors of z, or one element where
 * fewer are left. -DBF16: sums of two products a step, in f32; -DF16: of one, in f16 (cl_khr_fp16);
 * -DI8: of four, in i32. What is
 * multiplied is turned by 0 places of a word each step, which no compiler can know, so that each
 * step is done. */
enum { CHAINS = 8, PERIOD = 16 };

#if defined F64 || defined F32
KERNEL void run_fma_chains_of_item(global const REAL *x, global const REAL *y, global REAL *z, ulong width, ulong n,
                  int none)
{
    ulong low = get_global_id(0) * (CHAINS * LANES), high = min(low + CHAINS * LANES, width);
    const REAL a = 1 - (REAL)0x1p-12, b = (REAL)0x1p-13;
    REALV v[CHAINS];

    if (high - low == CHAINS * LANES) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++) v[c] = VLOAD(c, x + low);
        for (ulong s = 0; s < n; s++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++) v[c] = fma((REALV)a, v[c], (REALV)b);
#pragma unroll
        for (int c = 0; c < CHAINS; c++) VSTORE(v[c], c, z + low);
        return;
    }
    for (ulong i = low; i < high; i++) {
        REAL one = x[i];

        for (ulong s = 0; s < n; s++) one = fma(a, one, b);
        z[i] = one;
    }
}
#elif defined BF16
KERNEL void run_fma_chains_of_item(global const ushort *x, global const ushort *y, global float *z, ulong width,
                  ulong n, int none)
{
    ulong low = get_global_id(0) * (CHAINS * LANES), high = min(low + CHAINS * LANES, width);

    if (high - low == CHAINS * LANES) {
        FLOATV v[CHAINS], a[2][CHAINS], b[2][PERIOD / LANES];

        for (int c = 0; c < CHAINS; c++) {
            float pair[2][LANES];

            for (int l = 0; l < LANES; l++)
                for (int j = 0; j < 2; j++)
                    pair[j][l] = from_bf16(x[2 * (low + c * LANES + l) + j]);
            for (int j = 0; j < 2; j++) a[j][c] = VLOAD(0, pair[j]);
            v[c] = 0;
        }
        for (int c = 0; c < PERIOD / LANES; c++) {
            float pair[2][LANES];

            for (int l = 0; l < LANES; l++)
                for (int j = 0; j < 2; j++) pair[j][l] = from_bf16(y[2 * (c * LANES + l) + j]);
            for (int j = 0; j < 2; j++) b[j][c] = VLOAD(0, pair[j]);
        }
        for (ulong s = 0; s < n; s++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                v[c] = fma(a[1][c], b[1][c % (PERIOD / LANES)],
                           fma(a[0][c], b[0][c % (PERIOD / LANES)], v[c]));
        for (int c = 0; c < CHAINS; c++) VSTORE(v[c], c, z + low);
        return;
    }
    for (ulong i = low; i < high; i++) {
        float sum = 0;

        for (ulong s = 0; s < n; s++)
            for (int j = 0; j < 2; j++)
                sum = fma(from_bf16(x[2 * i + j]), from_bf16(y[2 * (i % PERIOD) + j]), sum);
        z[i] = sum;
    }
}
#elif defined F16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
KERNEL void run_fma_chains_of_item(global const half *x, global const half *y, global half *z, ulong width, ulong n,
                  int none)
{
    ulong low = get_global_id(0) * (CHAINS * PERIOD), high = min(low + CHAINS * PERIOD, width);

    if (high - low == CHAINS * PERIOD) {
        half16 v[CHAINS], a[CHAINS], b = vload16(0, y);

#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            a[c] = vload16(c, x + low);
            v[c] = 0;
        }
        for (ulong s = 0; s < n; s++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++) v[c] = fma(a[c], b, v[c]);
#pragma unroll
        for (int c = 0; c < CHAINS; c++) vstore16(v[c], c, z + low);
        return;
    }
    for (ulong i = low; i < high; i++) {
        half sum = 0;

        for (ulong s = 0; s < n; s++) sum = fma(x[i], y[i % PERIOD], sum);
        z[i] = sum;
    }
}
#else
KERNEL void run_fma_chains_of_item(global const char *x, global const char *y, global int *z, ulong width, ulong n,
                  int none)
{
    ulong low = get_global_id(0) * LANES, high = min(low + LANES, width);

    for (ulong i = low; i < high; i++) {
        int4 a = convert_int4(vload4(i, x)), b = convert_int4(vload4(i % PERIOD, y)), sum = 0;

        for (ulong s = 0; s < n; s++) {
            sum += a * b;
            b = rotate(b, (int4)none);
        }
        z[i] = sum.x + sum.y + sum.z + sum.w;
    }
}
#endif
