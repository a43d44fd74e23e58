/* round.h - rounds of MLPerf results: many files that make results together.
 *
 * A round is a tree: DIVISION/SUBMITTER/{results,systems,measurements}/SYSTEM/... for inference and
 * Tiny, SUBMITTER/{results,systems}/... for training and HPC. Files come in any order, from a
 * folder or an archive; only the values of each are kept. When all were seen, every
 * result folder becomes a record, made of its files and of the description of its system.
 */
#ifndef ABDB_INGEST_ROUND_H
#define ABDB_INGEST_ROUND_H

#include "ingest/mlperf/mlperf_row.h"
#include "ingest/mlperf/mlperf_log.h"

enum {
    ROUND_FILES_MAX = 500000,
    ROUND_BYTES_MAX = 1 << 30 /* of files that are part of results, together */
};

typedef enum { ROUND_INFERENCE, ROUND_TRAINING, ROUND_HPC, ROUND_TINY } abdb_round_suite;

/* One file, as it was read. */
typedef struct {
    const char *path;   /* below the round's root */
    const char *member; /* below its folder: "performance/run_1/mlperf_log_detail.txt" */
    const char *sha256;
    const char *damage; /* why it could not be read, or NULL */
    abdb_mlperf_values values;
} abdb_round_file;

/* One result folder with its files in the order of their paths. */
typedef struct {
    const char *root, *path; /* the round; the folder below it */
    abdb_round_suite suite;
    const char *division, *submitter, *platform, *benchmark, *scenario; /* of the path, or NULL */
    const char *round;                                                  /* "v5.1", or NULL */
    const char *unread; /* no reader took a file: the first where a log should be; else NULL */
    bool whole;         /* everything that could belong to it was read */
    size_t files;
    const abdb_round_file **file;
    const abdb_round_file *system, *measurement, *mapping; /* NULL: none */
} abdb_round_folder;

/* The values of a folder's file by its path below the folder, or NULL. */
const abdb_mlperf_values *abdb_round_values_of_file(const abdb_round_folder *folder,
                                                    const char *member);

typedef struct abdb_mlperf_round abdb_mlperf_round;

ABDB_MUST_USE abdb_status abdb_mlperf_round_create(abdb_mlperf_round **out, abdb_error *err);
void abdb_mlperf_round_destroy(abdb_mlperf_round *round);
typedef enum {
    ROUND_OTHER,  /* none of a round, by its path */
    ROUND_BESIDE, /* of a round, and not needed (compliance runs, configurations) */
    ROUND_PART    /* part of a result, if its content agrees */
} abdb_round_role;
/* The role by the path alone. */
abdb_round_role abdb_mlperf_round_role_of_path(const char *path);
/* Reads a file if it is part of a round's results: *taken. A damaged one is taken, and the result
 * it belongs to will be rejected with the reason. sha256: of its bytes. */
ABDB_MUST_USE abdb_status abdb_mlperf_round_add_file(abdb_mlperf_round *round, const abdb_input *in,
                                                     const char *sha256, bool *taken,
                                                     abdb_error *err);
/* Records a file that the round did not take: a folder with only such files will be rejected. */
ABDB_MUST_USE abdb_status abdb_mlperf_round_record_unread_file(abdb_mlperf_round *round,
                                                               const char *path, abdb_error *err);
/* Power logs of training runs that were seen and are not read. */
size_t abdb_mlperf_round_unread_power_log_count(const abdb_mlperf_round *round);
/* Has the folder no log of a run that a reader took? */
bool abdb_mlperf_round_folder_lacks_log(const abdb_round_folder *folder);
/* Files of that archive or folder may be missing: no score of several runs is made from it. */
void abdb_mlperf_round_record_truncated_path(abdb_mlperf_round *round, const char *path);
/* Groups the files: afterwards abdb_mlperf_round_get_folder returns the folders. */
ABDB_MUST_USE abdb_status abdb_mlperf_round_group_files_into_folders(abdb_mlperf_round *round,
                                                                     abdb_error *err);
size_t abdb_mlperf_round_folder_count(const abdb_mlperf_round *round);
size_t abdb_mlperf_round_file_count(const abdb_mlperf_round *round); /* that were taken */
const abdb_round_folder *abdb_mlperf_round_get_folder(const abdb_mlperf_round *round, size_t i);
/* The name of the format of a suite's folders. */
const char *abdb_round_format_name_of_suite(abdb_round_suite suite);
/* Which version of a round's format reads its folders; 0: none of a round. */
int abdb_mlperf_round_importer_version_of_format(const char *format);
/* Where folder i lies, its format, and the list of its files with their digests, which stands for
 * their bytes. */
ABDB_MUST_USE abdb_status abdb_mlperf_round_build_folder_manifest(const abdb_mlperf_round *round,
                                                                  size_t i, abdb_text *path,
                                                                  const char **format,
                                                                  abdb_text *manifest,
                                                                  abdb_error *err);
/* Hands over the records of folder i: one input row. */
ABDB_MUST_USE abdb_status abdb_mlperf_round_import_or_reject_folder(const abdb_mlperf_round *round,
                                                                    size_t i,
                                                                    const abdb_overrides *overrides,
                                                                    const abdb_sink *sink,
                                                                    abdb_error *err);

/* The two logs of one run; NULL: not there. */
typedef struct {
    const abdb_mlperf_values *detail, *summary;
} abdb_run_log;
/* The value of the detail log, else of the summary; NULL: neither has it. */
const char *abdb_run_log_get_value_detail_first(const abdb_run_log *log, const char *key);
/* Did a meter write a file beside the run? */
bool abdb_round_has_power_log(const abdb_round_folder *folder);
/* Adds mean power and, of streams, the energy of a query. inferred: the scenario was not run. */
void abdb_round_add_mean_power_and_energy(abdb_entry *entry, const abdb_round_folder *folder,
                                          const abdb_run_log *log, bool inferred);

/* One file for each kind of round. *reason (200 bytes) is set when the folder cannot be a record:
 * then nothing was handed over. */
abdb_status abdb_round_import_inference(const abdb_round_folder *folder,
                                        const abdb_overrides *words, const abdb_sink *sink,
                                        char *reason, abdb_error *err);
abdb_status abdb_round_import_training(const abdb_round_folder *folder, const abdb_overrides *words,
                                       const abdb_sink *sink, char *reason, abdb_error *err);
abdb_status abdb_round_import_tiny(const abdb_round_folder *folder, const abdb_overrides *words,
                                   const abdb_sink *sink, char *reason, abdb_error *err);
/* One log by itself: a run that somebody measured. --set gives the rest (model, system, device). */
abdb_status abdb_mlperf_import_lone_inference_log_or_explain(const abdb_mlperf_values *log,
                                                             bool is_summary,
                                                             const abdb_overrides *words,
                                                             const abdb_sink *sink, char *reason,
                                                             abdb_error *err);
abdb_status abdb_mlperf_import_lone_training_log_or_explain(const abdb_mlperf_values *log,
                                                            const abdb_overrides *words,
                                                            const abdb_sink *sink, char *reason,
                                                            abdb_error *err);
/* Fills round, division, submitter and platform from a file's path; the rest of row stays. */
void abdb_round_fill_row_from_path(abdb_arena *arena, const char *path, abdb_mlperf_row *row);
/* The round that the path of its root names, as "v5.1"; NULL: none. From arena. */
const char *abdb_round_last_version_in_path(abdb_arena *arena, const char *root);
/* Fills a row from the folder's path and the descriptions of its system and its measurement. */
void abdb_round_fill_row_from_descriptions(const abdb_round_folder *folder, abdb_mlperf_row *row);

#endif
