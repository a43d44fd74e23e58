/* attention_blocks.cl - products of attention in blocks, in a work-item: ROWS rows by BLOCK columns of what is
 * transposed (copy_heads.cl), and such a block by its rows. d numbers are WIDE with zeros behind. */
enum { BLOCK = 64, PAIR = 2 * LANES, CHUNKS = WIDE / LANES };

/* s = scale (rows of a) x (columns of b). */
void scaled_dots_with_columns(global const float *a, global const float *transposed, ulong padded, ulong d, float scale,
          float s[ROWS][BLOCK])
{
    for (ulong j = 0; j < BLOCK; j += PAIR) {
        FLOATV t[ROWS][2];

#pragma unroll
        for (int r = 0; r < ROWS; r++) t[r][0] = t[r][1] = 0;
        for (ulong i = 0; i < d; i++) {
            FLOATV low = VLOAD(0, transposed + i * padded + j),
                   high = VLOAD(1, transposed + i * padded + j);

#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                t[r][0] = fma((FLOATV)a[r * WIDE + i], low, t[r][0]);
                t[r][1] = fma((FLOATV)a[r * WIDE + i], high, t[r][1]);
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            VSTORE(scale * t[r][0], 0, s[r] + j);
            VSTORE(scale * t[r][1], 1, s[r] + j);
        }
    }
}

/* o = less o + s x (rows of x). */
void rescale_and_add_product(float o[ROWS][WIDE], float s[ROWS][BLOCK], float less[ROWS], global const float *x)
{
    for (int c = 0; c < CHUNKS; c++) {
        FLOATV t[ROWS];

#pragma unroll
        for (int r = 0; r < ROWS; r++) t[r] = less[r] * VLOAD(c, o[r]);
        for (int j = 0; j < BLOCK; j++) {
            FLOATV one = VLOAD(c, x + j * WIDE);

#pragma unroll
            for (int r = 0; r < ROWS; r++) t[r] = fma((FLOATV)s[r][j], one, t[r]);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) VSTORE(t[r], c, o[r]);
    }
}
