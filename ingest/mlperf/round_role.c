/* round_role.c - the role of a file in a round of MLPerf, by its path alone; see round.h.
 *
 * How real rounds disagree: code of submissions holds sources that mention formats, data of tests,
 * drafts of summaries and networks as archives; runs of compliance have logs like results, in
 * compliance/ or audit/; training has no divisions, and keeps its code in benchmarks/ or anywhere.
 * Other files of a submitter beside its results are no results of the round: a whole repository
 * and its results alone give the same records.
 */
#include "ingest/mlperf/round_path.h"

#include <string.h>
#include <strings.h>

/* Does the folder hold a round, by the name of its repository: "inference_results_v5.1",
 * "training_results_v4.0-main", "mlcommons-hpc_results_v3.0-1a2b3c"? *divided: its tree has
 * divisions above the submitters. */
static bool is_results_repository_name(const char *part, bool *divided)
{
    static const struct {
        const char *name;
        bool divided;
    } suites[] = {{"inference_results_v", true},
                  {"training_results_v", false},
                  {"hpc_results_v", false},
                  {"tiny_results_v", true}};
    const char *mark = strrchr(part, '!'); /* behind the name of an archive */

    if (mark) part = mark + 1;
    if (strncmp(part, "mlcommons-", 10) == 0) part += 10;
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++) {
        const char *s = part + strlen(suites[i].name);
        size_t major, minor;

        if (strncmp(part, suites[i].name, strlen(suites[i].name)) != 0) continue;
        major = strspn(s, "0123456789");
        if (!major || s[major] != '.') return false;
        s += major + 1;
        minor = strspn(s, "0123456789");
        *divided = suites[i].divided;
        return minor && (!s[minor] || s[minor] == '-');
    }
    return false;
}

/* A folder of a submitter that a round's tree prescribes. */
static bool is_standard_submitter_subfolder_name(const char *part)
{
    static const char *const names[] = {"results", "systems",     "measurements",  "compliance",
                                        "audit",   "calibration", "documentation", "code"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(part, names[i]) == 0) return true;
    return false;
}

/* Reports of Storage lie where results do, and are formats of their own. */
static bool is_storage_report_path(const char *path)
{
    return abdb_round_text_ends_with(path, "/mlperf_storage_report.json") ||
           abdb_round_text_ends_with(path, "/summary.json");
}

bool abdb_round_is_in_submitter_tree(const abdb_round_path *p, const char *path)
{
    bool known = false, divided = true;

    for (size_t i = 0; i + 2 < p->parts; i++) {
        known = known || is_results_repository_name(p->part[i], &divided);
        if (known && !divided) return true; /* REPOSITORY/SUBMITTER/... */
        if (!abdb_round_is_division(p->part[i])) continue;
        if (known || (i + 3 < p->parts && is_standard_submitter_subfolder_name(p->part[i + 2])))
            return known || !is_storage_report_path(path);
    }
    return false;
}

abdb_round_role abdb_mlperf_round_role_of_path(const char *path)
{
    abdb_arena arena = {0};
    abdb_round_path p;
    abdb_round_role role = ROUND_OTHER;

    if (abdb_round_parse_path(&p, &arena, path) && p.reader)
        role = ROUND_PART;
    else if (abdb_round_split_path(&p, &arena, path) && abdb_round_is_in_submitter_tree(&p, path))
        role = ROUND_BESIDE;
    abdb_arena_free(&arena);
    return role;
}
