/* cmd_import.c - abdb import: files, folders, archives and standard input into the database, one
 * transaction a file or member. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/map.h"
#include "query/importing.h"
#include "schema/core/timing.h"
#include "schema/store/digest.h"

enum { DEPTH_MAX = 32, FILES_MAX = 1000000 };

typedef struct {
    char *path;
    bool named; /* on the command line, not found in a folder */
} file;

typedef struct {
    file *item;
    size_t count, room;
} file_list;

static abdb_status add_file(file_list *list, const char *path, bool named, abdb_error *err)
{
    if (list->count == FILES_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d files", FILES_MAX);
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        file *more = realloc(list->item, room * sizeof *more);

        if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count);
        list->item = more;
        list->room = room;
    }
    list->item[list->count].named = named;
    list->item[list->count].path = strdup(path);
    if (!list->item[list->count].path) return ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count);
    list->count++;
    return ABDB_OK;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Files of a folder in the order of their names; hidden ones and links to elsewhere are left out.
 */
static abdb_status walk(file_list *list, const char *folder, int depth, abdb_error *err)
{
    struct dirent **entry = NULL;
    int count = depth < DEPTH_MAX ? scandir(folder, &entry, NULL, by_name) : -1;
    abdb_status st = ABDB_OK;

    if (count < 0)
        return ABDB_FAIL(err, ABDB_IO, "%s: %s", folder,
                         depth < DEPTH_MAX ? strerror(errno) : "folders too deep");
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        struct stat info;

        if (st == ABDB_OK && entry[i]->d_name[0] != '.' &&
            asprintf(&path, "%s/%s", folder, entry[i]->d_name) > 0 && lstat(path, &info) == 0) {
            if (S_ISDIR(info.st_mode))
                st = walk(list, path, depth + 1, err);
            else if (S_ISREG(info.st_mode))
                st = add_file(list, path, false, err);
        }
        free(path);
        free(entry[i]);
    }
    free(entry);
    return st;
}

static abdb_status collect(file_list *list, const abdb_args *args, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;

    for (int i = 0; i < args->positionals; i++) {
        const char *path = args->positional[i];
        struct stat info;

        if (strcmp(path, "data") == 0 && stat(path, &info) != 0) {
            path = abdb_data_folder(&arena);
            if (!path)
                TRY(ABDB_FAIL(err, ABDB_IO,
                              "the data that abdb ships are not installed;"
                              " ABDB_DATA names their folder"));
        }
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            TRY(walk(list, path, 0, err));
        else
            TRY(add_file(list, path, true, err));
    }
done:
    abdb_arena_free(&arena);
    return st;
}

/* --timing: seconds of each part, on standard error. */
static void print_timing(void)
{
    size_t count;
    const abdb_timing *list = abdb_timing_list(&count);

    for (size_t i = 0; i < count; i++)
        abdb_say(stderr, "%9.3f s  %s\n", list[i].seconds, list[i].what);
}

static int exit_code(const import_session *s)
{
    if (s->refused) return abdb_exit_code(s->total.files ? ABDB_PARTIAL : ABDB_DATA);
    return s->gated ? abdb_exit_code(ABDB_GATE) : 0;
}

/* --suggest-map: a draft on standard output. */
static abdb_status suggest_map(const char *path, abdb_error *err)
{
    abdb_text out = {0};
    abdb_input input = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_input_open(&input, path, err));
    TRY(table_map_suggest(&out, &input, err));
    if (!abdb_put(stdout, abdb_text_get(&out), out.size))
        TRY(ABDB_FAIL(err, ABDB_IO, "cannot write the output: is the disk full?"));
done:
    if (st != ABDB_OK) abdb_context(err, "%s", path);
    abdb_input_close(&input);
    abdb_text_free(&out);
    return st;
}

/* --map: a file, or the name of one in the user's folder. The caller frees *out. */
static abdb_status open_map(const char *path, abdb_words *words, table_map **out, abdb_error *err)
{
    abdb_text text = {0};
    const char *own = abdb_arena_printf(&words->arena, "%s/%s.map",
                                        abdb_user_folder(&words->arena, "maps"), path);
    char *digest = abdb_arena_alloc(&words->arena, ABDB_SHA256_HEX);
    abdb_status st = ABDB_OK;

    if (!own || !digest) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a map"));
    if (access(path, F_OK) != 0 && access(own, F_OK) == 0) path = own;
    TRY(abdb_read_file(path, &text, err));
    TRY(table_map_parse(out, path, abdb_text_get(&text), err));
    abdb_sha256_hex(abdb_text_get(&text), text.size, digest);
    words->map = *out;
    words->map_digest = digest;
done:
    abdb_text_free(&text);
    return st;
}

/* A long file: rows per second and the time that is left. */
static void show_rows(const char *path, long rows, double share, double seconds)
{
    char what[200];
    double left = share > 0 ? seconds / share - seconds : 0;

    snprintf(what, sizeof what, "%% %.100s  %.0f rows/s, %.0f s left", path, (double)rows / seconds,
             left);
    abdb_progress(what, 100 * share, 100);
}

int abdb_cmd_import(int argc, char **argv)
{
    abdb_words words = {0};
    abdb_unit_options options = {.words = &words, .progress = show_rows};
    abdb_db *db = NULL;
    abdb_writer *writer = NULL;
    table_map *map = NULL;
    file_list list = {0};
    import_session s = {.options = &options};
    abdb_args args;
    abdb_error err;
    const char *setting;
    size_t at = 0;
    abdb_status st = ABDB_OK;
    int code = 0;

    TRY(abdb_args_parse(&args, argc, argv, "import", NULL, &err));
    if (abdb_arg(&args, "suggest-map")) TRY(suggest_map(abdb_arg(&args, "suggest-map"), &err));
    if (abdb_arg(&args, "suggest-map")) goto done;
    options.retry = abdb_arg(&args, "retry-rejects") != NULL;
    if (!args.positionals && !options.retry)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "import what? abdb import PATH..., or `abdb import data`"));
    while ((setting = abdb_arg_next(&args, "set", &at))) TRY(abdb_words_add(&words, setting, &err));
    options.format = abdb_arg(&args, "format");
    if (abdb_arg(&args, "map")) {
        TRY(open_map(abdb_arg(&args, "map"), &words, &map, &err));
        if (!options.format) options.format = "table";
    }
    if (abdb_arg(&args, "timing")) abdb_timing_start();
    options.dry_run = abdb_arg(&args, "dry-run") != NULL;
    options.strict = abdb_arg(&args, "strict") != NULL;
    if (!options.retry) TRY(collect(&list, &args, &err));
    TRY(abdb_open_writer(&db, &writer, abdb_arg_db(&args), &err));
    s.writer = writer;
    s.quiet = abdb_arg(&args, "quiet") != NULL;
    for (int i = 0; options.retry && i < (args.positionals ? args.positionals : 1); i++)
        TRY(abdb_importing_retry(&s, db, args.positionals ? args.positional[i] : NULL, &args,
                                 &err));
    for (size_t i = 0; i < list.count; i++) {
        abdb_progress(list.item[i].path, (double)i, (double)list.count);
        TRY(abdb_importing_file(&s, list.item[i].path, list.item[i].named, &err));
    }
    TRY(abdb_importing_rounds(&s, &err));
    TRY(abdb_writer_index(writer, &err));
    if (!s.quiet) abdb_importing_print(&s);
    code = exit_code(&s);
    print_timing();
done:
    if (st != ABDB_OK) code = abdb_report_error(&err);
    for (size_t i = 0; i < list.count; i++) free(list.item[i].path);
    free(list.item);
    abdb_importing_close(&s);
    table_map_free(map);
    abdb_words_free(&words);
    abdb_writer_close(writer);
    abdb_db_close(db);
    return code;
}
