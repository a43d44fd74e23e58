/* quantise.c - numbers as whole multiples of a scale; see quantise.h. */
#include "kernels/workloads/quantise.h"

#include <math.h>

float abdb_quantise_symmetric(const float *in, size_t n, int largest_integer, int8_t *out)
{
    float largest = 0, scale;

    for (size_t i = 0; i < n; i++) largest = fmaxf(largest, fabsf(in[i]));
    scale = largest / (float)largest_integer;
    for (size_t i = 0; i < n; i++) out[i] = scale > 0 ? (int8_t)lrintf(in[i] / scale) : 0;
    return scale;
}
