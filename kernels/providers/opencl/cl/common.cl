/* common.cl - what every file of kernels begins with: the format of its tensors (-DF64, F32, BF16,
 * F16, I8) as REAL, the numbers it computes with, and vectors of them (REALV, of LANES), loaded and
 * stored in that format. WIDE_BYTES: of a vector. Do not name anything after a built-in function
 * (fma, step, ...): some drivers define these as macros. */
#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT ON

#define GLUE_(a, b) a##b
#define GLUE(a, b)  GLUE_(a, b)

#ifdef F64
typedef double REAL;
#define INT_OF_REAL long
#if WIDE_BYTES == 64
#define LANES 8
#elif WIDE_BYTES == 32
#define LANES 4
#else
#define LANES 2
#endif
#define CONVERTV GLUE(convert_double, LANES)
#else
typedef float REAL;
#if WIDE_BYTES == 64
#define LANES 16
#elif WIDE_BYTES == 32
#define LANES 8
#else
#define LANES 4
#endif
#define CONVERTV GLUE(convert_float, LANES)
#endif

typedef GLUE(float, LANES) FLOATV;
typedef GLUE(uint, LANES) UINTV;
#define VLOAD  GLUE(vload, LANES)
#define VSTORE GLUE(vstore, LANES)

/* bf16: the upper half of a float, rounded to nearest even. */
float from_bf16(ushort x)
{
    return as_float((uint)x << 16);
}
ushort to_bf16(float x)
{
    uint b = as_uint(x);

    return isnan(x) ? b >> 16 | 0x40 : (b + 0x7FFF + (b >> 16 & 1)) >> 16;
}

#ifdef F64
typedef double ELEMENT;
typedef GLUE(double, LANES) REALV;
#else
typedef FLOATV REALV;
#if defined BF16
typedef ushort ELEMENT;
#elif defined F16
typedef half ELEMENT; /* only stored: it is read and written as f32, which every device can */
#elif defined I8
typedef char ELEMENT;
#else
typedef float ELEMENT;
#endif
#endif

#if defined BF16
#define GET(p, i)     from_bf16((p)[i])
#define PUT(p, i, x)  (p)[i] = to_bf16(x)
#define GETV(p, i)    GLUE(as_float, LANES)(GLUE(convert_uint, LANES)(VLOAD(0, (p) + (i))) << 16)
#define ROUNDV(b)     (((b) + 0x7FFF + ((b) >> 16 & 1)) >> 16)
#define PUTV(p, i, v) store_bf16_vector(v, (p) + (i))
void store_bf16_vector(FLOATV v, global ushort *to)
{
    UINTV b = GLUE(as_uint, LANES)(v);

    b = select(ROUNDV(b), b >> 16 | 0x40, GLUE(as_uint, LANES)(isnan(v)));
    VSTORE(GLUE(convert_ushort, LANES)(b), 0, to);
}
#elif defined F16
#define GET(p, i)     vload_half(i, p)
#define PUT(p, i, x)  vstore_half_rte(x, i, p)
#define GETV(p, i)    GLUE(vload_half, LANES)(0, (p) + (i))
#define PUTV(p, i, v) GLUE(GLUE(vstore_half, LANES), _rte)(v, 0, (p) + (i))
#elif defined I8
#define GET(p, i)    ((float)(p)[i])
#define PUT(p, i, x) (p)[i] = (char)(x)
#define GETV(p, i)   CONVERTV(VLOAD(0, (p) + (i)))
#else
#define GET(p, i)     ((p)[i])
#define PUT(p, i, x)  (p)[i] = (x)
#define GETV(p, i)    VLOAD(0, (p) + (i))
#define PUTV(p, i, v) VSTORE(v, 0, (p) + (i))
#endif

/* Rows: of the tensors' format, or (-DFROM_F32) of f32, whatever the parameters beside them are. */
#ifdef FROM_F32
typedef float ROW;
#define ROWV(p, i)       VLOAD(0, (p) + (i))
#define ROW1(p, i)       (p)[i]
#define ROW_TOV(p, i, v) VSTORE(v, 0, (p) + (i))
#define ROW_TO(p, i, x)  (p)[i] = (x)
#else
typedef ELEMENT ROW;
#define ROWV(p, i)       GETV(p, i)
#define ROW1(p, i)       GET(p, i)
#define ROW_TOV(p, i, v) PUTV(p, i, v)
#define ROW_TO(p, i, x)  PUT(p, i, x)
#endif

/* The sum, and the largest, of a vector's elements. */
#if LANES == 16
#define FOLD(v, with) FOLD8(with((v).lo, (v).hi), with)
#elif LANES == 8
#define FOLD(v, with) FOLD8(v, with)
#elif LANES == 4
#define FOLD(v, with) FOLD4(v, with)
#else
#define FOLD(v, with) with((v).x, (v).y)
#endif
#define FOLD8(v, with) FOLD4(with((v).lo, (v).hi), with)
#define FOLD4(v, with) with(with((v).x, (v).y), with((v).z, (v).w))
#define PLUS(a, b)     ((a) + (b))
REAL sum_of_vector(REALV v)
{
    return FOLD(v, PLUS);
}
REAL max_of_vector(REALV v)
{
    return FOLD(v, fmax);
}

/* A group has ITEMS work-items; compilers that know it make one kernel of it, not two. */
#ifdef REQUIRED
#define KERNEL kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
#else
#define KERNEL kernel
#endif

/* The sum, or the largest, of the numbers of a group's items, in each of them. */
REAL group_sum(REAL x, local REAL *room)
{
#if ITEMS > 1
    barrier(CLK_LOCAL_MEM_FENCE);
    room[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = 0;
    for (int i = 0; i < ITEMS; i++) x += room[i];
#endif
    return x;
}
REAL group_max(REAL x, local REAL *room)
{
#if ITEMS > 1
    barrier(CLK_LOCAL_MEM_FENCE);
    room[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < ITEMS; i++) x = fmax(x, room[i]);
#endif
    return x;
}
/* All whole vectors of `columns` elements, by all items of a group, then what is left. */
#define EACH_VECTOR(i, columns)                                                        \
    for (ulong i = get_local_id(0) * LANES; i + LANES <= (columns); i += ITEMS * LANES)
#define EACH_LEFT(i, columns) \
    for (ulong i = (columns) / LANES * LANES + get_local_id(0); i < (columns); i += ITEMS)
