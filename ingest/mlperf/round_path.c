/* round_path.c - takes apart a path within a round; see round_path.h.
 *
 * How real rounds disagree: "closed" and "Closed"; scenario folders in any case; training has no
 * division in its paths; HPC has strong/ and weak/ between system and benchmark; a submission's
 * code carries test data with the names of results; macOS leaves ._ files beside the real ones; the
 * tree's top folder names the round ("inference_results_v5.1-main"). Training v0.5 has
 * v0.5.0/SUBMITTER/, folders of any name, and then results/ with an entry.json a system.
 */
#include "ingest/mlperf/round_path.h"

#include "ingest/mlperf/endpoints_summary.h"
#include "ingest/mlperf/training_v05_description.h"

#include <string.h>
#include <strings.h>

bool abdb_round_is_division(const char *part)
{
    static const char *const names[] = {"closed", "open", "network", "closed-power", "open-power"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(part, names[i]) == 0) return true;
    return false;
}

bool abdb_round_text_ends_with(const char *text, const char *tail)
{
    size_t a = strlen(text), b = strlen(tail);

    return a >= b && strcmp(text + a - b, tail) == 0;
}

/* "result_12.txt" */
static bool is_training_log_name(const char *name)
{
    size_t digits;

    if (strncmp(name, "result_", 7) != 0) return false;
    digits = strspn(name + 7, "0123456789");
    return digits && digits < 6 && strcmp(name + 7 + digits, ".txt") == 0;
}

/* The reader of a file of SYSTEM/BENCHMARK/SCENARIO/..., which begins at part[at]. */
static abdb_mlperf_reader find_inference_file_reader(const abdb_round_path *p, size_t at)
{
    const char *name = p->part[p->parts - 1];

    bool performance = p->parts - at > 4 && (strcmp(p->part[at + 3], "performance") == 0 ||
                                             /* of Mobile's apps */
                                             strcmp(p->part[at + 3], "log_performance") == 0);

    /* the logs of v0.5 may lie without the folder of a run */
    if (performance &&
        (p->parts - at == 5 || (p->parts - at == 6 && strcmp(p->part[at + 4], "run_1") == 0))) {
        if (strcmp(name, "mlperf_log_detail.txt") == 0)
            return abdb_mlperf_append_values_of_detail_log;
        if (strcmp(name, "mlperf_log_summary.txt") == 0)
            return abdb_mlperf_append_values_of_summary_log;
        if (strcmp(name, "result_summary.json") == 0)
            return abdb_mlperf_append_values_of_endpoints_summary;
        if (strcmp(name, "spl.txt") == 0) return abdb_mlperf_append_samples_of_power_log;
    }
    if (performance && p->parts - at == 6 && strcmp(p->part[at + 4], "power") == 0 &&
        (strcmp(name, "server.json") == 0 || strcmp(name, "client.json") == 0))
        return abdb_mlperf_append_json_members_as_values;
    if (p->parts - at == 5 && strcmp(p->part[at + 3], "accuracy") == 0 &&
        strcmp(name, "accuracy.txt") == 0)
        return abdb_mlperf_append_scores_of_accuracy_file;
    if (p->parts - at == 5 && strcmp(p->part[at + 3], "accuracy") == 0 &&
        strcmp(name, "accuracy_results.json") == 0)
        return abdb_mlperf_append_accuracy_of_endpoints_file;
    if (p->parts - at == 4 && strcmp(name, "measurements.json") == 0) /* v6.0 on */
        return abdb_mlperf_append_json_members_as_values;
    return NULL;
}

/* Sets the reader of a file, by its name and its depth below its anchor, and the suite of such a
 * place. Without a reader the file is not part of a round's results. */
static void set_reader_suite_or_entry_anchor(abdb_round_path *p)
{
    const char *name = p->part[p->parts - 1];
    size_t at = p->at + 1, behind = p->parts - at;
    bool scaling = behind == 4 &&
                   (strcmp(p->part[at + 1], "strong") == 0 || strcmp(p->part[at + 1], "weak") == 0);

    if (p->anchor == ANCHOR_SYSTEMS) {
        p->reader =
            abdb_round_text_ends_with(name, ".json") ? abdb_mlperf_append_system_description : NULL;
    } else if (p->anchor != ANCHOR_RESULTS) {
        p->reader = abdb_round_text_ends_with(name, ".json")
                        ? abdb_mlperf_append_json_members_as_values
                        : NULL;
    } else if (behind == 2 && strcmp(name, "entry.json") == 0) {
        p->anchor = ANCHOR_ENTRY;
        p->reader = abdb_mlperf_append_values_of_v05_entry;
    } else if (is_training_log_name(name) && (behind == 3 || scaling)) {
        p->suite = scaling ? ROUND_HPC : ROUND_TRAINING;
        p->reader = abdb_mlperf_read_training_log;
    } else if (strcmp(name, "scaling.json") == 0 && (behind == 3 || scaling)) {
        p->suite = scaling ? ROUND_HPC : ROUND_TRAINING;
        p->reader = abdb_mlperf_append_json_members_as_values;
    } else if (behind == 4 && strcmp(name, "results.txt") == 0 &&
               (strcmp(p->part[at + 2], "performance") == 0 ||
                strcmp(p->part[at + 2], "accuracy") == 0 ||
                strcmp(p->part[at + 2], "energy") == 0)) {
        p->suite = ROUND_TINY;
        p->reader = abdb_mlperf_read_tiny_log;
    } else {
        p->suite = ROUND_INFERENCE;
        p->reader = find_inference_file_reader(p, at);
    }
}

bool abdb_round_split_path(abdb_round_path *p, abdb_arena *arena, const char *path)
{
    char *copy = abdb_arena_copy(arena, path, strlen(path)), *rest = NULL;

    *p = (abdb_round_path){.absolute = *path == '/'};
    if (!copy) return false;
    for (char *s = strtok_r(copy, "/", &rest); s; s = strtok_r(NULL, "/", &rest)) {
        if (p->parts == PARTS_MAX) return false;
        p->part[p->parts++] = s;
    }
    return p->parts > 0;
}

static bool is_system_description_name(const char *name)
{
    static const char tail[] = "_system_description.json";
    size_t size = strlen(name);

    return size > sizeof tail && strcasecmp(name + size - (sizeof tail - 1), tail) == 0;
}

/* "NAME.json" in the folder NAME. */
static bool is_json_named_after_folder(const char *name, const char *folder)
{
    size_t size = strlen(folder);

    return strncmp(name, folder, size) == 0 && strcmp(name + size, ".json") == 0;
}

bool abdb_round_parse_path(abdb_round_path *p, abdb_arena *arena, const char *path)
{
    static const char *const anchors[] = {"results", "systems", "measurements"};
    bool found = false;

    if (!abdb_round_split_path(p, arena, path)) return false;
    if (p->parts >= 4 && strcmp(p->part[p->parts - 1], "model_mapping.json") == 0 &&
        abdb_round_is_division(p->part[p->parts - 3])) {
        p->anchor = ANCHOR_MAPPING;
        p->at = p->parts - 1;
        found = true;
    }
    /* From the file upwards: the deepest results/, systems/ or measurements/ is the anchor, since a
     * submitter's own folders above may have such names too. */
    for (size_t i = p->parts; !found && i-- > 1;)
        for (size_t k = 0; k < 3 && !found; k++)
            if (strcmp(p->part[i], anchors[k]) == 0 && p->parts - i >= (k == 1 ? 2 : 3)) {
                p->at = i;
                p->anchor = (abdb_round_anchor)k;
                /* Tiny's systems may have a folder each */
                found = k != 1 || p->parts - i == 2 ||
                        (p->parts - i == 3 && (is_system_description_name(p->part[p->parts - 1]) ||
                                               is_json_named_after_folder(p->part[p->parts - 1],
                                                                          p->part[p->parts - 2])));
            }
    /* ._result_0.txt and the like are macOS's, not results. */
    if (!found || p->part[p->parts - 1][0] == '.') return false;
    p->divided = p->at >= 2 && abdb_round_is_division(p->part[p->at - 2]);
    /* Above the anchor stand the submitter and, in suites that have them, the division. */
    p->root_parts = p->at - (p->divided ? 2 : 1);
    set_reader_suite_or_entry_anchor(p);
    return true;
}

const char *abdb_round_submitter_of_path(const abdb_round_path *p)
{
    for (size_t i = 0; i + 1 < p->at; i++)
        if (strcmp(p->part[i], "v0.5.0") == 0) return p->part[i + 1];
    return p->part[p->at - 1];
}

const char *abdb_round_join_path_parts(abdb_arena *arena, const abdb_round_path *p, size_t from,
                                       size_t to)
{
    abdb_text text = {0};
    const char *out;

    for (size_t i = from; i < to; i++)
        abdb_text_printf(&text, "%s%s", i > from || (i == 0 && p->absolute) ? "/" : "", p->part[i]);
    out = text.failed ? NULL : abdb_arena_copy(arena, abdb_text_get(&text), text.size);
    abdb_text_free(&text);
    return out;
}
