/* nccl_types.h - number formats as nccl-tests and rccl-tests name them. */
#ifndef ABDB_INGEST_NCCL_TYPES_H
#define ABDB_INGEST_NCCL_TYPES_H

/* "float", "bfloat16", "f8e4m3" -> "fp32", "bf16", "fp8"; any other name stays as it is, and NULL
 * too. */
const char *abdb_nccl_number_format_of_type_or_same(const char *type);

#endif
