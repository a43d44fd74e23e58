/* work_formula.h - rates that follow from a stated time and the shape of the work, by the formulas
 * of abdb's own kernels. */
#ifndef ABDB_INGEST_WORK_FORMULA_H
#define ABDB_INGEST_WORK_FORMULA_H

#include "ingest/importer.h"

/* Is there such a formula for the metric? */
bool abdb_work_formula_exists(const char *formula, const char *metric);
/* Adds the metric to an entry that has a result of time_s and the factors of the formula, and names
 * the formula in it. gemm@1: 2 m n k operations (m, n and k: factors), as ops_per_s
 * where the dtype is of whole numbers, else as flops_per_s.
 * all-reduce@1, all-gather@1, reduce-scatter@1 and all-to-all@1: message_bytes times 2(n-1)/n or
 * (n-1)/n (n: the field devices; busbw_bytes_per_s, as nccl-tests' PERFORMANCE.md defines it).
 * Nothing is added where a part is missing or not above 0. */
void abdb_entry_add_rate_from_time_by_formula(abdb_entry *entry, const char *metric,
                                              const char *formula);

#endif
