/* round.c - gathers the files of a round and groups them into result folders; see round.h. A file
 * is read the moment it is seen (abdb_mlperf_round_add_file), since archives are read only once;
 * only its names and values stay. When all were seen, sorting by root, folder and path brings the
 * files of a result together (abdb_mlperf_round_group_files_into_folders). round_path.c derives a
 * file's place from its path. */
#include "ingest/mlperf/round_text_pool.h"
#include "ingest/mlperf/round_unread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/mlperf/training_v05_log.h"
#include "schema/core/array.h"

enum { REASON = 200 };

/* Where files lie: a result folder, or a description by itself. */
typedef struct {
    const char *root, *folder; /* folder: below the root, of a result; else "" */
    abdb_round_path where;     /* of its first file */
} folder_location;

typedef struct {
    abdb_round_file file;
    const folder_location *home;
    size_t place; /* among all that were taken */
} item;

struct abdb_mlperf_round {
    abdb_text_pool pool;
    abdb_arena scratch;          /* of the file at hand */
    const folder_location *last; /* of the file before, or NULL */
    item *item;
    size_t items, room, bytes;
    abdb_round_folder *folder;
    size_t folders;
    const char *truncated[16];
    size_t truncations;
    abdb_unread_folders unread;
};

/* --- taking files ----------------------------------------------------------------------------- */

abdb_status abdb_mlperf_round_create(abdb_mlperf_round **out, abdb_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a round");
}

void abdb_mlperf_round_destroy(abdb_mlperf_round *round)
{
    if (!round) return;
    abdb_text_pool_free(&round->pool);
    abdb_arena_free(&round->scratch);
    abdb_round_unread_free(&round->unread);
    free(round->item);
    free(round->folder);
    free(round);
}

static abdb_status append_round_item(abdb_mlperf_round *round, item **out, abdb_error *err)
{
    item *more;

    if (round->items == ROUND_FILES_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT,
                         "more than %d files of results; import the round in parts",
                         ROUND_FILES_MAX);
    more = abdb_array_reserve_one(round->item, round->items, &round->room, sizeof *more);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "%zu files", round->items);
    round->item = more;
    *out = &round->item[round->items++];
    **out = (item){.place = round->items};
    return ABDB_OK;
}

/* Does the content fit the name? Other programs also use names such as results.txt. */
static bool content_fits_file_name(const abdb_round_path *p, const abdb_input *in)
{
    const char *text = in->text;
    size_t size = in->text_size;

    if (p->anchor == ANCHOR_SYSTEMS)
        return memmem(text, size, "ubmitter", 8) || memmem(text, size, "system_name", 11) ||
               memmem(text, size, "division", 8);
    if (p->reader == abdb_mlperf_read_training_log)
        return abdb_mlperf_has_training_lines(text, size);
    if (p->reader == abdb_mlperf_read_tiny_log) return memmem(text, size, "ulp-ml", 6) != NULL;
    return true;
}

/* How many parts of the path below the root name the folder of a result. */
static size_t count_path_parts_to_result_folder(const abdb_round_path *p)
{
    /* SYSTEM/BENCHMARK/SCENARIO in inference, SYSTEM/strong/BENCHMARK in HPC, SYSTEM/BENCHMARK
     * otherwise. */
    size_t below = p->suite == ROUND_INFERENCE ? 3 : p->suite == ROUND_HPC ? 3 : 2;

    return p->at + 1 + below;
}

/* Files of one folder mostly come one after another, and share their home. */
static abdb_status reuse_last_or_add_folder_location(abdb_mlperf_round *round,
                                                     const folder_location **out,
                                                     const abdb_round_path *p, const char *path,
                                                     abdb_error *err)
{
    abdb_arena *a = &round->pool.arena;
    bool result = p->anchor == ANCHOR_RESULTS; /* a description belongs to no folder of its own */
    const char *root = abdb_round_join_path_parts(&round->scratch, p, 0, p->root_parts),
               *folder = "";
    folder_location *made;

    if (result)
        folder = abdb_round_join_path_parts(&round->scratch, p, p->root_parts,
                                            count_path_parts_to_result_folder(p));
    if (!root || !folder) return ABDB_FAIL(err, ABDB_NOMEM, "a round");
    *out = round->last;
    if (result && *out && (*out)->where.suite == p->suite && strcmp((*out)->root, root) == 0 &&
        strcmp((*out)->folder, folder) == 0)
        return ABDB_OK;
    made = abdb_arena_alloc(a, sizeof *made);
    if (!made) return ABDB_FAIL(err, ABDB_NOMEM, "a round");
    made->root = abdb_text_pool_intern(&round->pool, root);
    made->folder = abdb_text_pool_intern(&round->pool, folder);
    if (!made->root || !made->folder || !abdb_round_parse_path(&made->where, a, path))
        return ABDB_FAIL(err, ABDB_NOMEM, "a round");
    *out = round->last = made;
    return ABDB_OK;
}

/* Reads a file and keeps its values with its folder; damage rejects that folder alone. */
static abdb_status read_and_cache_round_file(abdb_mlperf_round *round, const abdb_round_path *p,
                                             const abdb_input *in, const char *sha256,
                                             abdb_error *err)
{
    abdb_mlperf_values read = {.arena = &round->scratch};
    item *it = NULL;
    const char *member = "";
    abdb_arena *a = &round->pool.arena;
    abdb_status st = ABDB_OK;

    round->bytes += in->size;
    if (round->bytes > ROUND_BYTES_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d bytes of logs; import the round in parts",
                      ROUND_BYTES_MAX));
    TRY(append_round_item(round, &it, err));
    TRY(reuse_last_or_add_folder_location(round, &it->home, p, in->path, err));
    if (p->anchor == ANCHOR_RESULTS)
        member = abdb_round_join_path_parts(&round->scratch, p,
                                            count_path_parts_to_result_folder(p), p->parts);
    it->file.path = abdb_round_join_path_parts(a, p, p->root_parts, p->parts);
    it->file.sha256 = abdb_arena_copy(a, sha256, strlen(sha256));
    it->file.member = member ? abdb_text_pool_intern(&round->pool, member) : NULL;
    if (!it->file.path || !it->file.sha256 || !it->file.member)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "a round"));
    st = p->reader(&read, in, err);
    /* Damage is the result's, not the round's: it rejects one folder. */
    if (st == ABDB_DATA || st == ABDB_FORMAT || st == ABDB_LIMIT) {
        it->file.damage = abdb_text_pool_intern(&round->pool, err->message);
        st = it->file.damage ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a round");
    }
    TRY(st);
    TRY(abdb_round_copy_values_to_pool(&round->pool, &it->file.values, &read, err));
done:
    return st;
}

abdb_status abdb_mlperf_round_add_file(abdb_mlperf_round *round, const abdb_input *in,
                                       const char *sha256, bool *taken, abdb_error *err)
{
    abdb_round_path p;
    abdb_status st = ABDB_OK;

    *taken = false;
    if (abdb_round_parse_path(&p, &round->scratch, in->path) && p.reader &&
        content_fits_file_name(&p, in)) {
        st = read_and_cache_round_file(round, &p, in, sha256, err);
        *taken = st == ABDB_OK;
    }
    abdb_arena_clear(&round->scratch);
    return st;
}

abdb_status abdb_mlperf_round_record_unread_file(abdb_mlperf_round *round, const char *path,
                                                 abdb_error *err)
{
    return abdb_round_unread_add_folder_if_run_log(&round->unread, path, err);
}

size_t abdb_mlperf_round_unread_power_log_count(const abdb_mlperf_round *round)
{
    return round->unread.power_logs;
}

void abdb_mlperf_round_record_truncated_path(abdb_mlperf_round *round, const char *path)
{
    if (round->truncations < sizeof round->truncated / sizeof round->truncated[0])
        round->truncated[round->truncations++] = abdb_text_pool_intern(&round->pool, path);
}

/* --- grouping --------------------------------------------------------------------------------- */

static int compare_folder_then_path(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int order = x->home == y->home ? 0 : strcmp(x->home->root, y->home->root);

    if (order == 0 && x->home != y->home) order = strcmp(x->home->folder, y->home->folder);
    if (order == 0) order = strcmp(x->file.path, y->file.path);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static bool items_share_folder(const item *a, const item *b)
{
    return a->home == b->home || (strcmp(a->home->root, b->home->root) == 0 &&
                                  strcmp(a->home->folder, b->home->folder) == 0);
}

/* In the order of their paths, each once: of files that came twice the last, as tar unpacks it. */
static void sort_items_keep_last_copy(abdb_mlperf_round *round)
{
    size_t kept = 0;

    abdb_array_sort(round->item, round->items, sizeof *round->item, compare_folder_then_path);
    for (size_t i = 0; i < round->items; i++) {
        const item *next = i + 1 < round->items ? &round->item[i + 1] : NULL;

        if (next && items_share_folder(&round->item[i], next) &&
            strcmp(round->item[i].file.path, next->file.path) == 0)
            continue;
        round->item[kept++] = round->item[i];
    }
    round->items = kept;
}

static bool texts_equal_or_both_null(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Is that the description of the system? Tiny's may be "SYSTEM_System_Description.json", with '_'
 * for '-'. */
static bool is_description_name_of_system(const char *name, size_t stem_size, const char *system)
{
    static const char tail[] = "_system_description";
    size_t size = strlen(system);

    if (stem_size == size && strncmp(system, name, stem_size) == 0) return true;
    if (stem_size != size + sizeof tail - 1 || strncasecmp(name + size, tail, sizeof tail - 1) != 0)
        return false;
    for (size_t i = 0; i < size; i++)
        if (name[i] != system[i] && !(name[i] == '_' && system[i] == '-')) return false;
    return true;
}

/* Does a description belong to that result folder? */
static bool description_fits_result(const folder_location *description,
                                    const folder_location *result)
{
    const abdb_round_path *d = &description->where, *r = &result->where;
    const char *name = d->part[d->parts - 1];
    size_t stem = strlen(name) > 5 ? strlen(name) - 5 : 0, at = r->at + 1;

    if (strcmp(description->root, result->root) != 0) return false;
    /* model_mapping.json is of a submitter, a system of a submitter and division, a measurement of
     * one result. */
    if (d->anchor == ANCHOR_MAPPING)
        return texts_equal_or_both_null(d->part[d->at - 1], r->part[r->at - 1]) && r->divided &&
               texts_equal_or_both_null(d->part[d->at - 2], r->part[r->at - 2]);
    if (!texts_equal_or_both_null(d->part[d->at - 1], r->part[r->at - 1]) ||
        d->divided != r->divided ||
        (d->divided && !texts_equal_or_both_null(d->part[d->at - 2], r->part[r->at - 2])))
        return false;
    if (d->anchor == ANCHOR_ENTRY) return texts_equal_or_both_null(d->part[d->at + 1], r->part[at]);
    if (d->anchor == ANCHOR_SYSTEMS) return is_description_name_of_system(name, stem, r->part[at]);
    for (size_t i = 0; i < 3; i++) /* measurements: system, benchmark, scenario */
        if (d->at + 1 + i >= d->parts || at + i >= r->parts ||
            strcmp(d->part[d->at + 1 + i], r->part[at + i]) != 0)
            return false;
    return memmem(name, strlen(name), "model-info", 10) == NULL;
}

static int compare_description_paths(const void *a, const void *b)
{
    const item *x = *(item *const *)a, *y = *(item *const *)b;

    return strcmp(x->file.path, y->file.path);
}

/* Descriptions of a submitter, found by the folder they lie in. */
typedef struct {
    item **at;
    size_t count;
} description_list;

static bool has_data_type_values(const abdb_mlperf_values *values)
{
    return abdb_mlperf_get_first_value(values, "weight_data_types") ||
           abdb_mlperf_get_first_value(values, "input_data_types");
}

/* Attaches to a result folder its system's description, mapping and measurements. */
static void attach_matching_descriptions_to_folder(abdb_round_folder *folder,
                                                   const folder_location *result,
                                                   const description_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const item *d = list->at[i];

        if (!description_fits_result(d->home, result)) continue;
        if (d->home->where.anchor == ANCHOR_SYSTEMS || d->home->where.anchor == ANCHOR_ENTRY)
            folder->system = &d->file;
        else if (d->home->where.anchor == ANCHOR_MAPPING)
            folder->mapping = &d->file;
        else if (!folder->measurement && has_data_type_values(&d->file.values))
            folder->measurement = &d->file;
    }
}

/* Sets the fields of a result folder that its path gives, and whether it was read to its end. */
static void set_folder_identity_and_completeness(abdb_mlperf_round *round, abdb_round_folder *f,
                                                 const folder_location *first)
{
    const abdb_round_path *p = &first->where;
    size_t at = p->at + 1;

    f->root = first->root;
    f->path = first->folder;
    f->suite = p->suite;
    f->round = abdb_round_last_version_in_path(&round->pool.arena, first->root);
    f->division = p->divided ? p->part[p->at - 2] : NULL;
    f->submitter = abdb_round_submitter_of_path(p);
    f->platform = p->part[at];
    f->benchmark = p->part[at + (f->suite == ROUND_HPC ? 2 : 1)];
    f->scenario = f->suite == ROUND_INFERENCE ? p->part[at + 2]
                  : f->suite == ROUND_HPC     ? p->part[at + 1]
                                              : NULL;
    f->whole = true;
    for (size_t i = 0; i < round->truncations; i++)
        if (round->truncated[i] &&
            /* A root that begins with the truncated path lies inside of it. */
            strncmp(first->root, round->truncated[i], strlen(round->truncated[i])) == 0)
            f->whole = false;
}

static int compare_folders_by_root_and_path(const void *a, const void *b)
{
    const abdb_round_folder *x = a, *y = b;
    int order = strcmp(x->root, y->root);

    return order ? order : strcmp(x->path, y->path);
}

/* Adds the folders whose files no reader took, in a tree that is a round's, or of a system that is
 * described. */
static void add_unread_folders(abdb_mlperf_round *round, const description_list *list)
{
    size_t read = round->folders;

    abdb_round_unread_sort_and_deduplicate(&round->unread);
    for (size_t i = 0; i < round->unread.items; i++) {
        const abdb_unread_folder *u = &round->unread.item[i];
        const folder_location where = {u->root, u->folder, u->where};
        abdb_round_folder *f = &round->folder[round->folders];

        *f = (abdb_round_folder){.root = u->root, .path = u->folder};
        if (abdb_array_find_sorted(f, round->folder, read, sizeof *f,
                                   compare_folders_by_root_and_path))
            continue;
        attach_matching_descriptions_to_folder(f, &where, list);
        if (!u->in_tree && !f->system) continue;
        set_folder_identity_and_completeness(round, f, &where);
        f->unread = u->file;
        round->folders++;
    }
    abdb_array_sort(round->folder, round->folders, sizeof *round->folder,
                    compare_folders_by_root_and_path);
}

abdb_status abdb_mlperf_round_group_files_into_folders(abdb_mlperf_round *round, abdb_error *err)
{
    description_list list = {0};
    size_t room = round->items + round->unread.items + 1;
    abdb_status st = ABDB_OK;
    size_t to;

    sort_items_keep_last_copy(round);
    round->folder = calloc(room, sizeof *round->folder);
    list.at = calloc(room, sizeof *list.at);
    if (!round->folder || !list.at) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu files", round->items));
    for (size_t i = 0; i < round->items; i++)
        if (!*round->item[i].home->folder) list.at[list.count++] = &round->item[i];
    abdb_array_sort(list.at, list.count, sizeof *list.at, compare_description_paths);
    for (size_t from = 0; from < round->items; from = to) {
        const folder_location *first = round->item[from].home;
        abdb_round_folder *f;

        for (to = from + 1; to < round->items; to++)
            if (!items_share_folder(&round->item[from], &round->item[to])) break;
        if (!*first->folder) continue;
        f = &round->folder[round->folders++];
        set_folder_identity_and_completeness(round, f, first);
        f->file = abdb_arena_alloc(&round->pool.arena, (to - from) * sizeof *f->file);
        if (!f->file) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a folder"));
        for (size_t i = from; i < to; i++) f->file[f->files++] = &round->item[i].file;
        attach_matching_descriptions_to_folder(f, first, &list);
    }
    add_unread_folders(round, &list);
done:
    free(list.at);
    return st;
}

size_t abdb_mlperf_round_folder_count(const abdb_mlperf_round *round)
{
    return round->folders;
}

size_t abdb_mlperf_round_file_count(const abdb_mlperf_round *round)
{
    return round->items;
}

const abdb_round_folder *abdb_mlperf_round_get_folder(const abdb_mlperf_round *round, size_t i)
{
    return &round->folder[i];
}

abdb_status abdb_mlperf_round_build_folder_manifest(const abdb_mlperf_round *round, size_t i,
                                                    abdb_text *path, const char **format,
                                                    abdb_text *manifest, abdb_error *err)
{
    const abdb_round_folder *f = &round->folder[i];
    const abdb_round_file *beside[] = {f->system, f->measurement, f->mapping};

    *format = abdb_round_format_name_of_suite(f->suite);
    abdb_text_clear(path);
    abdb_text_clear(manifest);
    abdb_text_printf(path, "%s%s%s", f->root, *f->root ? "/" : "", f->path);
    /* One line for each file, in a fixed order: equal files make an equal manifest, whose digest is
     * the artifact's key. */
    abdb_text_printf(manifest, "round %s%s\n", f->round ? f->round : "unknown",
                     f->whole ? "" : " (truncated)");
    for (size_t k = 0; k < f->files; k++)
        abdb_text_printf(manifest, "%s  %s\n", f->file[k]->sha256, f->file[k]->path);
    if (f->unread) abdb_text_printf(manifest, "unread  %s/%s\n", f->path, f->unread);
    for (size_t k = 0; k < 3; k++)
        if (beside[k]) abdb_text_printf(manifest, "%s  %s\n", beside[k]->sha256, beside[k]->path);
    return path->failed || manifest->failed ? ABDB_FAIL(err, ABDB_NOMEM, "a folder") : ABDB_OK;
}

/* Why one of the files could not be read, or NULL. */
static const char *first_damage_in_folder(const abdb_round_folder *f)
{
    const abdb_round_file *beside[] = {f->system, f->measurement, f->mapping};

    for (size_t i = 0; i < 3; i++)
        if (beside[i] && beside[i]->damage) return beside[i]->damage;
    for (size_t i = 0; i < f->files; i++)
        if (f->file[i]->damage) return f->file[i]->damage;
    return NULL;
}

abdb_status abdb_mlperf_round_import_or_reject_folder(const abdb_mlperf_round *round, size_t i,
                                                      const abdb_overrides *overrides,
                                                      const abdb_sink *sink, abdb_error *err)
{
    static abdb_status (*const readers[])(const abdb_round_folder *, const abdb_overrides *,
                                          const abdb_sink *, char *, abdb_error *) = {
        /* In the order of abdb_round_suite. */
        abdb_round_import_inference, abdb_round_import_training, abdb_round_import_training,
        abdb_round_import_tiny};
    const abdb_round_folder *f = &round->folder[i];
    char reason[REASON] = "";
    const char *damage = first_damage_in_folder(f);
    abdb_status st = ABDB_OK;

    if (damage)
        snprintf(reason, sizeof reason, "%.190s", damage);
    else if (f->unread)
        snprintf(reason, sizeof reason, "no log that abdb reads: %.120s is none of a known form",
                 f->unread);
    else if (!f->system)
        snprintf(reason, sizeof reason,
                 "no systems/%.60s.json in what was imported: import the submitter's whole folder",
                 f->platform);
    else
        TRY(readers[f->suite](f, overrides, sink, reason, err));
    if (*reason) {
        abdb_reject reject = {.field = f->path, .reason = reason};

        TRY(sink->reject(sink->self, &reject, err));
    }
    TRY(sink->row_end(sink->self, err));
done:
    return st;
}
