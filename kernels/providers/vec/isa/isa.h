/* isa.h - the functions of one instruction set; each file here is compiled once for each. */
#ifndef ABDB_PROVIDERS_VEC_ISA_H
#define ABDB_PROVIDERS_VEC_ISA_H

#include "kernels/providers/vec/vec.h"

double VEC(stream)(const abdb_problem *p, size_t low, size_t high);
void VEC(fma)(const abdb_problem *p, size_t low, size_t high);
void VEC(gather)(const abdb_problem *p, size_t low, size_t high);
void VEC(gemm)(const abdb_vec_product *product);

#endif
