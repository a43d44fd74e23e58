/* round_unread.c - result folders whose log no reader took; see round_unread.h.
 *
 * How real rounds disagree: clients other than LoadGen write performance/result_summary.json; the
 * apps of Mobile have log_performance/; compliance runs lie in TEST01/ within the folders of
 * results; notes and licences lie beside training logs. */
#include "ingest/mlperf/round_unread.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schema/core/array.h"

static bool ends_with_ignoring_case(const char *text, const char *tail)
{
    size_t a = strlen(text), b = strlen(tail);

    return a >= b && strcasecmp(text + a - b, tail) == 0;
}

static bool has_log_suffix_and_is_no_readme(const char *name)
{
    return (ends_with_ignoring_case(name, ".txt") || ends_with_ignoring_case(name, ".log") ||
            ends_with_ignoring_case(name, ".out")) &&
           strncasecmp(name, "README", 6) != 0 && strncasecmp(name, "LICENSE", 7) != 0;
}

static bool is_compliance_folder_name(const char *part)
{
    return (strncasecmp(part, "TEST", 4) == 0 && isdigit((unsigned char)part[4])) ||
           strcasecmp(part, "compliance") == 0 || strcasecmp(part, "audit") == 0;
}

static bool contains_ignoring_case(const char *text, const char *word)
{
    size_t size = strlen(word);

    for (; *text; text++)
        if (strncasecmp(text, word, size) == 0) return true;
    return false;
}

/* Does the file lie where a run's log does? Then *parts: of the folder, behind "results". */
static bool set_suite_if_path_is_of_run_log(abdb_round_path *p, size_t *parts)
{
    size_t at = p->at + 1, behind = p->parts - at;
    const char *name = p->part[p->parts - 1];
    bool scaling = behind == 4 &&
                   (strcmp(p->part[at + 1], "strong") == 0 || strcmp(p->part[at + 1], "weak") == 0);

    for (size_t i = at + 1; i < p->parts; i++)
        if (is_compliance_folder_name(p->part[i])) return false;
    *parts = 3;
    if (behind >= 5 && (contains_ignoring_case(p->part[at + 3], "performance") ||
                        (strncasecmp(name, "mlperf_log_", 11) == 0 &&
                         !contains_ignoring_case(p->part[at + 3], "accuracy")))) {
        p->suite = ROUND_INFERENCE;
        return true;
    }
    if (scaling && has_log_suffix_and_is_no_readme(name)) {
        p->suite = ROUND_HPC;
        return true;
    }
    *parts = 2;
    p->suite = ROUND_TINY;
    if (behind == 4 && strcasecmp(p->part[at + 2], "performance") == 0) return true;
    p->suite = ROUND_TRAINING;
    return behind == 3 && !p->divided && has_log_suffix_and_is_no_readme(name);
}

abdb_status abdb_round_unread_add_folder_if_run_log(abdb_unread_folders *list, const char *path,
                                                    abdb_error *err)
{
    const abdb_unread_folder *last = list->items ? &list->item[list->items - 1] : NULL;
    abdb_arena scratch = {0};
    abdb_unread_folder made = {0}, *more;
    abdb_round_path p;
    size_t parts = 0, end;
    abdb_status st = ABDB_OK;

    if (!abdb_round_parse_path(&p, &scratch, path) || p.anchor != ANCHOR_RESULTS) goto done;
    if (!p.divided && p.parts > p.at + 4 && strcmp(p.part[p.at + 3], "power") == 0)
        list->power_logs++;
    if (!set_suite_if_path_is_of_run_log(&p, &parts)) goto done;
    end = p.at + 1 + parts;
    made.root = abdb_round_join_path_parts(&list->arena, &p, 0, p.root_parts);
    made.folder = abdb_round_join_path_parts(&list->arena, &p, p.root_parts, end);
    if (!made.root || !made.folder) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a round"));
    if (last && strcmp(last->root, made.root) == 0 && strcmp(last->folder, made.folder) == 0)
        goto done;
    made.file = abdb_round_join_path_parts(&list->arena, &p, end, p.parts);
    made.in_tree = abdb_round_is_in_submitter_tree(&p, path);
    more = abdb_array_reserve_one(list->item, list->items, &list->room, sizeof *more);
    if (!made.file || !more || !abdb_round_parse_path(&made.where, &list->arena, path))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "a round"));
    made.where.suite = p.suite;
    list->item = more;
    list->item[list->items++] = made;
done:
    abdb_arena_free(&scratch);
    return st;
}

static int compare_unread_by_root_folder_file(const void *a, const void *b)
{
    const abdb_unread_folder *x = a, *y = b;
    int order = strcmp(x->root, y->root);

    if (order == 0) order = strcmp(x->folder, y->folder);
    return order ? order : strcmp(x->file, y->file);
}

void abdb_round_unread_sort_and_deduplicate(abdb_unread_folders *list)
{
    size_t kept = 0;

    abdb_array_sort(list->item, list->items, sizeof *list->item,
                    compare_unread_by_root_folder_file);
    for (size_t i = 0; i < list->items; i++)
        if (!kept || strcmp(list->item[kept - 1].root, list->item[i].root) != 0 ||
            strcmp(list->item[kept - 1].folder, list->item[i].folder) != 0)
            list->item[kept++] = list->item[i];
    list->items = kept;
}

void abdb_round_unread_free(abdb_unread_folders *list)
{
    free(list->item);
    abdb_arena_free(&list->arena);
    *list = (abdb_unread_folders){0};
}
