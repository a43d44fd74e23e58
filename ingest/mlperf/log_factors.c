/* log_factors.c - values of MLPerf's logs and descriptions that no result needs, as factors under
 * their own names; see mlperf_log.h. */
#include <string.h>

#include "ingest/mlperf/mlperf_log.h"

void abdb_mlperf_add_unignored_values_as_factors(abdb_entry *entry,
                                                 const abdb_mlperf_values *values,
                                                 const char *key_prefix, const char *const *ignored,
                                                 abdb_arena *arena)
{
    for (size_t i = 0; values && i < values->pairs; i++) {
        const char *key = values->pair[i].key;

        if (abdb_mlperf_get_first_value(values, key) != values->pair[i].text) continue;
        if (key_prefix) key = abdb_arena_printf(arena, "%s%s", key_prefix, key);
        abdb_entry_add_renamed_extra_factor_unless_ignored(entry, key, values->pair[i].text,
                                                           ABDB_MARK_UNKNOWN, ignored, arena);
    }
    if (values) entry->factors_left_out += values->lost;
}

/* --- LoadGen ---------------------------------------------------------------------------------- */

/* Omitted names: read as results, fields or factors elsewhere; seeds, which differ in every run;
 * values generated for a target that is logged itself; power, which another function reads. */
#define READ_OF_LOADGEN                                                                          \
    "result_*", "early_stopping*", "power_*", "test_datetime", "sut_name", "effective_scenario", \
        "effective_min_duration_ms", "*seed*", "generated_*", "requested_*", "loadgen_*",        \
        "num_errors.count"

void abdb_mlperf_add_loadgen_factors(abdb_entry *entry, const abdb_mlperf_values *log,
                                     bool include_effective_settings, abdb_arena *arena)
{
    static const char *const of_run[] = {READ_OF_LOADGEN, NULL};
    static const char *const of_round[] = {READ_OF_LOADGEN, "effective_*", NULL};

    abdb_mlperf_add_unignored_values_as_factors(
        entry, log, NULL, include_effective_settings ? of_run : of_round, arena);
}

/* --- training and descriptions ---------------------------------------------------------------- */

void abdb_mlperf_add_training_factors(abdb_entry *entry, const abdb_mlperf_values *log,
                                      abdb_arena *arena)
{
    /* Read as results, fields or factors; times of day, and events that are logged underway. */
    static const char *const known[] = {"start_ms",      "stop_ms",
                                        "status",        "eval_accuracy",
                                        "samples_count", "submission_*",
                                        "seed",          "global_batch_size",
                                        "cache_clear",   "init_*",
                                        "run_*",         "epoch_*",
                                        "block_*",       "eval_start",
                                        "eval_stop",     "eval_loss",
                                        "throughput",    "*time*",
                                        "data_file",     "code_url",
                                        "checkpoint",    NULL};

    abdb_mlperf_add_unignored_values_as_factors(entry, log, NULL, known, arena);
}

void abdb_mlperf_add_description_factors(abdb_entry *entry, const abdb_mlperf_values *system,
                                         abdb_arena *arena)
{
    /* Read as fields and factors of the row; words for people. */
    static const char *const known[] = {"described_system.submitter",
                                        "described_system.division",
                                        "described_system.status",
                                        "described_system.system_name",
                                        "described_system.system_type",
                                        "described_system.number_of_nodes",
                                        "described_system.host_processor_model_name",
                                        "described_system.host_processors_per_node",
                                        "described_system.host_processor_core_count",
                                        "described_system.accelerator_model_name",
                                        "described_system.accelerators_per_node",
                                        "described_system.framework",
                                        "described_system.operating_system",
                                        "described_system.sw_notes",
                                        "described_system.hw_notes",
                                        "described_system.other_software_stack",
                                        "described_system.cooling",
                                        "described_system.accelerator_memory_capacity",
                                        "described_system.accelerator_memory_configuration",
                                        "described_system.accelerator_interconnect",
                                        "described_system.accelerator_host_interconnect",
                                        "described_system.host_memory_capacity",
                                        "described_system.*_notes",
                                        "described_system.*_comment",
                                        NULL};

    abdb_mlperf_add_unignored_values_as_factors(entry, system, "described_system.", known, arena);
}
