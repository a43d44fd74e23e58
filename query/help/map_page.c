/* map_page.c - see map_page.h. */
#include "query/help/map_page.h"

#include <string.h>

#include "schema/core/record.h"

static const char map_page[] =
    "A map file says how a table becomes records. Words stand between blanks or in \"...\"; # "
    "begins"
    "\na comment.\n\n"
    "  name    skypilot                       the format's name, and the source of its facts\n"
    "  summary \"catalog of SkyPilot\"         one line\n"
    "  version 2                              raise it when rows are read otherwise; 1 if unsaid\n"
    "  match   InstanceType AcceleratorName   columns that the header must have\n"
    "  member  points                         of a JSON object: the array of records\n"
    "  claims  json                           JSON with these columns needs no --map\n"
    "  missing \"?\" X                          cells that mean none, beside \"\", -, N/A, null\n"
    "  ignore  vCPUs                          columns of numbers that are none of its business\n"
    "  set     source skypilot                a field for every row\n"
    "  field   device column AcceleratorName map H100 H100-SXM\n"
    "  factor  batch column \"Batch size\"\n"
    "  metric  tokens_per_s column \"Tok/s\" unit token/s statistic mean\n"
    "  derive  flops_per_s gemm@1             from time_s by abdb's formula and factors m, n, k\n"
    "  spec    peak_flops column bf16 unit TFLOPS dtype bf16 engine matrix sparsity dense\n"
    "  price   amount column Price kind on-demand\n"
    "  decide  device H100 H100-SXM InstanceType *sxm*\n\n"
    "unit cell: the unit stands in the cell. map A B ...: the cell A means B, to the end of the "
    "line."
    "\nA metric with fields or factor.NAME of its own becomes an entry of its own. The column "
    "(title)"
    "\nis the line above a markdown table. decide FIELD CELL MEANING COLUMN PATTERN ...: where"
    "\nother columns are like the patterns (* and ?, in any case), the cell means that; the first"
    "\nline that holds counts.\n";

const char *abdb_append_map_page_with_fields(abdb_text *out)
{
    size_t line;

    abdb_text_printf(out, "%s\nFields, for set and field:", map_page);
    line = strlen("Fields, for set and field:");
    for (size_t i = 0; i < ABDB_FIELD_COUNT; i++) {
        size_t size = strlen(abdb_fields[i].name) + 2;
        bool wraps = line + size > 96;

        abdb_text_printf(out, "%s%s%s", wraps ? "\n" : " ", abdb_fields[i].name,
                         i + 1 < ABDB_FIELD_COUNT ? "," : ".\n");
        line = (wraps ? 0 : line) + size;
    }
    return abdb_text_get(out);
}
