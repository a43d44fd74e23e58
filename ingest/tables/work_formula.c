/* work_formula.c - see work_formula.h. Sources of the formulas: kernels/micro/gemm.c (gemm@1),
 * kernels/micro/collective.c and nccl-tests' doc/PERFORMANCE.md (bus bandwidth). */
#include "ingest/tables/work_formula.h"

#include <math.h>
#include <string.h>

/* The known number of a factor; NAN: it has none. */
static double factor_number_or_nan(const abdb_entry *entry, const char *name)
{
    const abdb_factor *factor = abdb_entry_find_factor(entry, name);

    return factor && factor->state == ABDB_KNOWN ? factor->num : NAN;
}

/* Operations on whole numbers are counted in OP/s, all others in FLOP/s. */
static bool metric_fits_number_format(const char *metric, const char *dtype)
{
    bool whole = dtype && (strncmp(dtype, "int", 3) == 0 || strncmp(dtype, "uint", 4) == 0);

    if (strcmp(metric, "flops_per_s") == 0) return dtype && !whole;
    return strcmp(metric, "ops_per_s") != 0 || whole;
}

static double count_gemm_operations(const abdb_entry *entry)
{
    return 2 * factor_number_or_nan(entry, "m") * factor_number_or_nan(entry, "n") *
           factor_number_or_nan(entry, "k");
}

/* Bytes of a message that go over the busiest link of a ring of n devices: reduced twice (n - 1)/n
 * of it, else once. */
static double count_ring_bus_bytes_or_nan(const abdb_entry *entry, double passes)
{
    long long devices = 0;

    if (!abdb_entry_parse_positive_count(entry, ABDB_FIELD_devices, &devices) || devices < 2)
        return NAN;
    return factor_number_or_nan(entry, "message_bytes") * passes * (double)(devices - 1) /
           (double)devices;
}

static double count_all_reduce_bus_bytes(const abdb_entry *entry)
{
    return count_ring_bus_bytes_or_nan(entry, 2);
}

static double count_one_pass_bus_bytes(const abdb_entry *entry)
{
    return count_ring_bus_bytes_or_nan(entry, 1);
}

static const struct {
    const char *formula, *metric;
    double (*count_work)(const abdb_entry *entry);
} formulas[] = {{"gemm@1", "flops_per_s", count_gemm_operations},
                {"gemm@1", "ops_per_s", count_gemm_operations},
                {"all-reduce@1", "busbw_bytes_per_s", count_all_reduce_bus_bytes},
                {"all-gather@1", "busbw_bytes_per_s", count_one_pass_bus_bytes},
                {"reduce-scatter@1", "busbw_bytes_per_s", count_one_pass_bus_bytes},
                {"all-to-all@1", "busbw_bytes_per_s", count_one_pass_bus_bytes}};

/* Index into formulas, or -1. */
static int find_work_formula_index_or_minus_1(const char *formula, const char *metric)
{
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        if (strcmp(formulas[i].formula, formula) == 0 && strcmp(formulas[i].metric, metric) == 0)
            return (int)i;
    return -1;
}

bool abdb_work_formula_exists(const char *formula, const char *metric)
{
    return find_work_formula_index_or_minus_1(formula, metric) >= 0;
}

void abdb_entry_add_rate_from_time_by_formula(abdb_entry *entry, const char *metric,
                                              const char *formula)
{
    int at = find_work_formula_index_or_minus_1(formula, metric);
    double work = at >= 0 ? formulas[at].count_work(entry) : NAN;
    abdb_result *result;

    if (!metric_fits_number_format(metric, entry->field[ABDB_FIELD_dtype])) return;
    for (size_t i = 0; i < entry->results; i++) {
        const abdb_result *time = &entry->result[i];

        if (strcmp(time->metric, "time_s") != 0 || !(time->value > 0) || !(work > 0)) continue;
        result = abdb_entry_add_result_or_count_left_out(entry, metric, work / time->value);
        if (!result) return;
        result->statistic = time->statistic;
        result->formula = formula;
        return;
    }
}
