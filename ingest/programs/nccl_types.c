/* nccl_types.c - number formats of nccl-tests; see nccl_types.h. */
#include "ingest/programs/nccl_types.h"

#include <stddef.h>
#include <string.h>

const char *abdb_nccl_number_format_of_type_or_same(const char *type)
{
    static const char *const names[][2] = {
        {"float", "fp32"},   {"double", "fp64"}, {"half", "fp16"},      {"bfloat16", "bf16"},
        {"fp8_e4m3", "fp8"}, {"f8e4m3", "fp8"},  {"float8_e4m3", "fp8"}};

    for (size_t i = 0; type && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(type, names[i][0]) == 0) return names[i][1];
    return type;
}
