/* round_folder.c - functions on one result folder of any suite: a file by its name, and the values
 * of its path and its system's description; see round.h. */
#include <stdio.h>
#include <string.h>

#include "ingest/mlperf/round.h"
#include "ingest/mlperf/round_path.h"

/* "inference_results_v5.1-main" -> "v5.1": the last part of the root that has a version. */
const char *abdb_round_last_version_in_path(abdb_arena *arena, const char *root)
{
    const char *found = NULL;

    for (const char *s = root; *s; s++) {
        size_t major, minor;

        if (*s != 'v' || (s > root && s[-1] != '_' && s[-1] != '/' && s[-1] != '-')) continue;
        major = strspn(s + 1, "0123456789");
        if (!major || major > 2 || s[1 + major] != '.') continue;
        minor = strspn(s + 2 + major, "0123456789");
        if (!minor || minor > 2) continue;
        found = abdb_arena_copy(arena, s, 2 + major + minor);
        if (strncmp(s, "v0.5.0/", 7) == 0) break; /* folders below are called cloud_v2.8 */
    }
    return found;
}

/* How the result folders of a suite are read; the version is raised when they are read otherwise.
 */
static const struct {
    const char *name;
    int version;
} formats[] = {[ROUND_INFERENCE] = {"mlperf-inference-round", 6},
               [ROUND_TRAINING] = {"mlperf-training-round", 6},
               [ROUND_HPC] = {"mlperf-hpc-round", 3},
               [ROUND_TINY] = {"mlperf-tiny-round", 4}};

bool abdb_mlperf_round_folder_lacks_log(const abdb_round_folder *f)
{
    for (size_t i = 0; i < f->files; i++) {
        const char *member = f->file[i]->member;

        if (f->suite == ROUND_TRAINING || f->suite == ROUND_HPC
                ? strncmp(member, "result_", 7) == 0
                : strstr(member, "performance/") &&
                      (strstr(member, "mlperf_log_") || strstr(member, "result")))
            return false;
    }
    return true;
}

int abdb_mlperf_round_importer_version_of_format(const char *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(format, formats[i].name) == 0) return formats[i].version;
    return 0;
}

const char *abdb_round_format_name_of_suite(abdb_round_suite suite)
{
    return formats[suite].name;
}

const abdb_mlperf_values *abdb_round_values_of_file(const abdb_round_folder *folder,
                                                    const char *member)
{
    for (size_t i = 0; i < folder->files; i++)
        if (strcmp(folder->file[i]->member, member) == 0) return &folder->file[i]->values;
    return NULL;
}

const char *abdb_run_log_get_value_detail_first(const abdb_run_log *log, const char *key)
{
    const char *text = abdb_mlperf_get_first_value(log->detail, key);

    return text ? text : abdb_mlperf_get_first_value(log->summary, key);
}

/* A member of a description, NULL where it is missing or empty. */
static const char *nonempty_value_of_file(const abdb_round_file *file, const char *key)
{
    const char *text = file ? abdb_mlperf_get_first_value(&file->values, key) : NULL;

    return text && *text ? text : NULL;
}

/* --- records ---------------------------------------------------------------------------------- */

void abdb_round_fill_row_from_descriptions(const abdb_round_folder *f, abdb_mlperf_row *row)
{
    const char *division =
        f->division ? f->division : nonempty_value_of_file(f->system, "division");

    *row = (abdb_mlperf_row){
        .submitter = f->submitter,
        .division = division,
        .system = nonempty_value_of_file(f->system, "system_name"),
        .platform = f->platform,
        .used_model = f->benchmark,
        .model = f->benchmark,
        .round = f->round,
        .availability = nonempty_value_of_file(f->system, "status"),
        .system_type = nonempty_value_of_file(f->system, "system_type"),
        .nodes = nonempty_value_of_file(f->system, "number_of_nodes"),
        .processor = nonempty_value_of_file(f->system, "host_processor_model_name"),
        .processors_per_node = nonempty_value_of_file(f->system, "host_processors_per_node"),
        .cores = nonempty_value_of_file(f->system, "host_processor_core_count"),
        .accelerator = nonempty_value_of_file(f->system, "accelerator_model_name"),
        .accelerators_per_node = nonempty_value_of_file(f->system, "accelerators_per_node"),
        .software = nonempty_value_of_file(f->system, "framework"),
        .os = nonempty_value_of_file(f->system, "operating_system"),
        .notes = nonempty_value_of_file(f->system, "sw_notes"),
        .weights = nonempty_value_of_file(f->measurement, "weight_data_types"),
        .location = f->path};
    if (!row->weights) /* results/.../measurements.json of v6.0 on */
        row->weights = abdb_mlperf_get_first_value(
            abdb_round_values_of_file(f, "measurements.json"), "weight_data_types");
    if (f->mapping && nonempty_value_of_file(f->mapping, f->benchmark))
        row->model = nonempty_value_of_file(f->mapping, f->benchmark);
}

void abdb_round_fill_row_from_path(abdb_arena *arena, const char *path, abdb_mlperf_row *row)
{
    const char *root;
    abdb_round_path p;

    if (!abdb_round_parse_path(&p, arena, path) || p.anchor != ANCHOR_RESULTS) return;
    root = abdb_round_join_path_parts(arena, &p, 0, p.root_parts);
    row->submitter = abdb_round_submitter_of_path(&p);
    row->division = p.divided ? p.part[p.at - 2] : NULL;
    row->platform = p.part[p.at + 1];
    row->round = root ? abdb_round_last_version_in_path(arena, root) : NULL;
}
