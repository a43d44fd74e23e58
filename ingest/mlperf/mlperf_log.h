/* mlperf_log.h - the files of an MLPerf result folder, each read into names and values.
 *
 * Files of LoadGen, the power meter, the accuracy scripts and the training programs: detail logs
 * (":::MLLOG {...}" of today, '"pid": 1, ... : key : value' before 2020), summaries, power samples,
 * accuracy.txt, result_N.txt, results.txt of Tiny, and JSON descriptions. Only values that a result
 * needs are kept, so that a whole round fits into memory.
 */
#ifndef ABDB_INGEST_MLPERF_LOG_H
#define ABDB_INGEST_MLPERF_LOG_H

#include "ingest/read/unknown_factor.h"

enum { MLPERF_PAIRS_MAX = 1024, MLPERF_POWER_MAX = 1 << 20, MLPERF_TEXT_MAX = 2000 };

typedef struct {
    double t_ms, watts; /* since 1970, by the meter's clock */
} abdb_mlperf_power;

/* The values of one file, under the file's names; texts are the arena's. */
typedef struct {
    abdb_arena *arena;
    size_t pairs, room, lost; /* lost: beyond MLPERF_PAIRS_MAX */
    struct {
        const char *key, *text;
    } * pair;
    size_t powers, power_room;
    abdb_mlperf_power *power;
} abdb_mlperf_values;

/* Reads a file into out, whose arena is set. ABDB_DATA: it is not of that form, with the line. */
typedef abdb_status (*abdb_mlperf_reader)(abdb_mlperf_values *out, const abdb_input *in,
                                          abdb_error *err);

abdb_status abdb_mlperf_append_values_of_detail_log(abdb_mlperf_values *out, const abdb_input *in,
                                                    abdb_error *err);
/* Names as in a detail log: "Samples per second" is result_samples_per_second. */
abdb_status abdb_mlperf_append_values_of_summary_log(abdb_mlperf_values *out, const abdb_input *in,
                                                     abdb_error *err);
/* "accuracy": as MLCommons' tables spell it, "ROUGE1: 44.4  TOKENS_PER_SAMPLE: 301.1". */
abdb_status abdb_mlperf_append_scores_of_accuracy_file(abdb_mlperf_values *out,
                                                       const abdb_input *in, abdb_error *err);
abdb_status abdb_mlperf_append_samples_of_power_log(abdb_mlperf_values *out, const abdb_input *in,
                                                    abdb_error *err);
/* "start_ms", "stop_ms", "status", "samples_count", "eval_accuracy", and values logged once. */
abdb_status abdb_mlperf_read_training_log(abdb_mlperf_values *out, const abdb_input *in,
                                          abdb_error *err);
/* "throughput" once a window, "accuracy", "energy" where it was measured. */
abdb_status abdb_mlperf_read_tiny_log(abdb_mlperf_values *out, const abdb_input *in,
                                      abdb_error *err);
/* The members of a JSON object that are no objects. */
abdb_status abdb_mlperf_append_json_members_as_values(abdb_mlperf_values *out, const abdb_input *in,
                                                      abdb_error *err);

/* One more value; key and text are copied, blanks around the text left out. */
abdb_status abdb_mlperf_append_trimmed_value_or_count_lost(abdb_mlperf_values *out, const char *key,
                                                           const char *text, abdb_error *err);
/* The first value of that name, or NULL. */
const char *abdb_mlperf_get_first_value(const abdb_mlperf_values *values, const char *key);
/* Every other value once, as a factor named key_prefix (NULL: nothing) and its own name; ignored:
 * as in ingest/read/unknown_factor.h. */
void abdb_mlperf_add_unignored_values_as_factors(abdb_entry *entry,
                                                 const abdb_mlperf_values *values,
                                                 const char *key_prefix, const char *const *ignored,
                                                 abdb_arena *arena);
/* The same of a LoadGen log (with its effective settings if asked), of a training log and of a
 * system's description ("described_system.NAME"), without values that other functions read. */
void abdb_mlperf_add_loadgen_factors(abdb_entry *entry, const abdb_mlperf_values *log,
                                     bool include_effective_settings, abdb_arena *arena);
void abdb_mlperf_add_training_factors(abdb_entry *entry, const abdb_mlperf_values *log,
                                      abdb_arena *arena);
void abdb_mlperf_add_description_factors(abdb_entry *entry, const abdb_mlperf_values *system,
                                         abdb_arena *arena);
/* "07-25-2025 15:27:44.482" in milliseconds since 1970 by the writer's clock; false: not of that
 * form. */
bool abdb_mlperf_parse_timestamp_to_epoch_ms(const char *text, double *out);

#endif
