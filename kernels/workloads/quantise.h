/* quantise.h - numbers as whole multiples of a scale: in bytes (-127 to 127), or in four bits (-7
 * to 7). A number is wrong by at most half of its scale, which is the largest number of its group,
 * over 127 or 7. */
#ifndef ABDB_WORKLOADS_QUANTISE_H
#define ABDB_WORKLOADS_QUANTISE_H

#include <stddef.h>
#include <stdint.h>

enum { ABDB_QUANTISE_GROUP = 32 }; /* numbers of four bits that share a scale */
/* Their scale, `most` being 127 or 7; 0 where all are 0. */
float abdb_quantise_symmetric(const float *in, size_t n, int largest_integer, int8_t *out);

#endif
