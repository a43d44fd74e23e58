/* cmd_import.c - abdb import: files, folders, archives and standard input into the database, one
 * transaction a file or member. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/read/archive.h"
#include "ingest/tables/table_map.h"
#include "query/answer/search_path.h"
#include "query/import/check_list.h"
#include "query/import/input_files.h"
#include "query/import/import_session.h"
#include "query/import/parquet_input.h"
#include "query/verbs/table_output.h"
#include "schema/core/outfile.h"
#include "schema/core/timing.h"
#include "schema/store/digest.h"

/* The word data, where no such path exists, means the data that abdb ships; from arena. */
static abdb_status resolve_import_path_data_means_shipped(const char *word, abdb_arena *arena,
                                                          const char **out, abdb_error *err)
{
    *out = strcmp(word, "data") == 0 && access(word, F_OK) != 0 ? abdb_shipped_data_folder(arena)
                                                                : word;
    return *out ? ABDB_OK
                : ABDB_FAIL(err, ABDB_IO,
                            "the data that abdb ships are not installed;"
                            " ABDB_DATA names their folder");
}

/* Reads again: each of the paths, or all that is there. */
static abdb_status retry_or_refresh_paths(import_session *s, abdb_db *db, const abdb_args *args,
                                          abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;

    for (int i = 0; i < (args->positionals ? args->positionals : 1); i++) {
        const char *path = NULL;

        if (args->positionals)
            TRY(resolve_import_path_data_means_shipped(args->positional[i], &arena, &path, err));
        if (s->options->retry)
            TRY(abdb_import_retry_rejected(s, db, path, args, err));
        else
            TRY(abdb_import_refresh_outdated(s, db, path, err));
    }
done:
    abdb_arena_free(&arena);
    return st;
}

/* Is path the folder of the data that abdb ships, or in it? */
static bool is_in_shipped_data(const char *path, abdb_arena *arena)
{
    const char *folder = abdb_shipped_data_folder(arena);
    char *shipped = folder ? realpath(folder, NULL) : NULL, *real = realpath(path, NULL);
    size_t size = shipped ? strlen(shipped) : 0;
    bool is = size && real && strncmp(real, shipped, size) == 0 &&
              (real[size] == '/' || real[size] == '\0');

    free(shipped);
    free(real);
    return is;
}

/* The owner of a file to read: shipped with abdb, or of the user. */
enum { SHIPPED, OWN, OWNERS };

/* Warns of a path without a file to read, and of a user's folder that hides the shipped data. */
static void warn_if_nothing_read_or_data_hidden(const char *word, const char *path, bool shipped,
                                                size_t found, abdb_arena *arena)
{
    bool hides = strcmp(word, "data") == 0 && !shipped;
    const char *folder = hides ? abdb_shipped_data_folder(arena) : NULL;

    if (!found) abdb_print_stderr_remark("%s: nothing was read, there is no file in it", path);
    if (hides)
        abdb_print_stderr_remark(
            "data is the folder here; the data that abdb ships: abdb import %s",
            folder ? folder : "is not installed (ABDB_DATA names its folder)");
}

/* Sorts the given paths into the shipped data and the user's own files; folders are walked. */
static abdb_status collect_shipped_and_own_files(abdb_file_list list[OWNERS], const abdb_args *args,
                                                 abdb_skipped_files *skipped, abdb_error *err)
{
    abdb_arena arena = {0};
    size_t before;
    abdb_status st = ABDB_OK;

    for (int i = 0; i < args->positionals; i++) {
        abdb_file_list *to;
        const char *path;

        TRY(resolve_import_path_data_means_shipped(args->positional[i], &arena, &path, err));
        to = &list[is_in_shipped_data(path, &arena) ? SHIPPED : OWN];
        before = to->count;
        TRY(abdb_file_list_add_file_or_folder_files(to, path, skipped, err));
        if (!abdb_arg_value(args, "quiet"))
            warn_if_nothing_read_or_data_hidden(args->positional[i], path, to == &list[SHIPPED],
                                                to->count - before, &arena);
    }
done:
    abdb_arena_free(&arena);
    return st;
}

/* Shipped files come first, so that only the user's files are checked for missing values. */
static abdb_status import_shipped_then_own(import_session *s, abdb_db *db,
                                           const abdb_file_list list[OWNERS], abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (int owner = SHIPPED; owner < OWNERS; owner++) {
        s->shipped = owner == SHIPPED;
        if (!s->shipped && list[owner].count) s->fresh = false;
        TRY(abdb_import_remember_last_price_and_entry_ids(s, db, err));
        for (size_t i = 0; i < list[owner].count; i++) {
            const abdb_file *file = &list[owner].item[i];

            abdb_show_or_clear_progress_bar(file->path, (double)i, (double)list[owner].count);
            TRY(abdb_import_file_archive_or_pipe(s, file->path, file->named, err));
        }
    }
    TRY(abdb_import_and_free_pending_round(s, err));
done:
    return st;
}

/* --timing: seconds of each part, on standard error. */
static void print_part_timings(void)
{
    size_t count;
    const abdb_timing *list = abdb_timing_list(&count);

    for (size_t i = 0; i < count; i++)
        abdb_print_sanitized(stderr, "%9.3f s  %s\n", list[i].seconds, list[i].what);
}

/* The exit status of an import that ran to its end: 0, partial, bad data, or gated by --strict. */
static int import_exit_code(const import_session *s)
{
    bool again = s->options->retry || s->options->refresh;
    bool unkept = s->unkept || (s->unkept_found && !s->kept);

    if (s->refused)
        return abdb_exit_code(s->total.files || s->archives_without ? ABDB_PARTIAL : ABDB_DATA);
    if (s->folders_without_log && !again) return abdb_exit_code(ABDB_PARTIAL);
    /* e.g. descriptions of a round without its results: each file of the archive was read */
    if (s->archives_named && !s->total.files && !s->gated && !again)
        return abdb_exit_code(ABDB_PARTIAL);
    if (unkept && !again && !s->gated) return abdb_exit_code(ABDB_PARTIAL);
    return s->gated ? abdb_exit_code(ABDB_GATE) : 0;
}

extern const abdb_embedded abdb_vocabulary[];

/* Does a line of the dictionaries of this build begin with a device of that name, or is the name an
 * alias of a device? */
static bool is_device_name_in_vocabulary(const char *cell)
{
    size_t size = strlen(cell);

    for (size_t i = 0; size && abdb_vocabulary[i].name; i++) {
        bool aliases = strcmp(abdb_vocabulary[i].name, "aliases.csv") == 0;

        if (!aliases && strcmp(abdb_vocabulary[i].name, "devices.csv") != 0) continue;
        /* The first line is the header. */
        for (const char *line = strchr(abdb_vocabulary[i].text, '\n'); line;
             line = strchr(line, '\n')) {
            line += *line == '\n';
            /* Lines of aliases.csv begin with the kind, then the spelling. */
            if (aliases && strncmp(line, "device,", 7) != 0) continue;
            if (aliases) line += 7;
            if (strncasecmp(line, cell, size) == 0 && line[size] == ',') return true;
        }
    }
    return false;
}

/* --suggest-map: a draft on standard output. */
static abdb_status print_suggested_map(const char *path, abdb_error *err)
{
    abdb_text out = {0};
    abdb_input input = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_input_map_file_and_decode(&input, path, err));
    if (abdb_archive_has_known_first_bytes(path, input.data, input.size))
        TRY(ABDB_FAIL(err, ABDB_FORMAT, "is an archive: unpack it, and name a table of it"));
    if (abdb_input_is_parquet(&input)) TRY(abdb_input_decode_parquet_to_csv(&input, err));
    TRY(table_map_draft_from_input(&out, &input, is_device_name_in_vocabulary, err));
    if (!abdb_write_sanitized_if_terminal(stdout, abdb_text_get(&out), out.size))
        TRY(abdb_fail_write_or_raise_sigpipe(stdout, err));
done:
    if (st != ABDB_OK) abdb_error_prepend_context(err, "%s", path);
    abdb_input_close(&input);
    abdb_text_free(&out);
    return st;
}

/* --check: prints which files of a list are new, changed or gone. Returns the exit code: partial
 * where lines cannot be read, gated where files differ. */
static abdb_status print_check_of_list(const abdb_args *args, int *code, abdb_error *err)
{
    const char *path = abdb_arg_value(args, "check");
    abdb_text list = {0};
    abdb_table table = {0};
    abdb_db *db = NULL;
    size_t differing = 0, unread = 0;
    abdb_status st = ABDB_OK;

    if (args->positionals)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--check LIST reads no other file; import %s apart",
                      args->positional[0]));
    TRY(abdb_read_and_protect_text_file(strcmp(path, "-") == 0 ? "/dev/stdin" : path, &list, err));
    TRY(abdb_open_guarded_readonly_db(args, &db, err));
    TRY(abdb_tabulate_files_of_list(db, abdb_text_get(&list), &table, &differing, &unread, err));
    TRY(abdb_print_table_by_options_end_deadline(args, &table, err));
    *code = unread ? abdb_exit_code(ABDB_PARTIAL) : differing ? abdb_exit_code(ABDB_GATE) : 0;
done:
    if (st == ABDB_FORMAT) abdb_error_prepend_context(err, "%s", path);
    abdb_table_free(&table);
    abdb_db_close(db);
    abdb_text_free(&list);
    return st;
}

/* --map: a file, or the name of one in the user's folder. The caller frees *out. */
static abdb_status load_map_into_overrides(const char *path, abdb_overrides *overrides,
                                           table_map **out, abdb_error *err)
{
    abdb_text text = {0};
    const char *own = abdb_arena_printf(&overrides->arena, "%s/%s.map",
                                        abdb_user_config_folder(&overrides->arena, "maps"), path);
    char *digest = abdb_arena_alloc(&overrides->arena, ABDB_SHA256_HEX);
    struct stat info;
    abdb_status st = ABDB_OK;

    if (!own || !digest) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a map"));
    if (access(path, F_OK) != 0 && lstat(own, &info) == 0) {
        path = own;
        TRY(abdb_read_and_protect_regular_text_file(path, &text, err));
    } else {
        TRY(abdb_read_and_protect_text_file(path, &text, err));
    }
    TRY(table_map_parse_text(out, path, abdb_text_get(&text), err));
    abdb_sha256_hex(abdb_text_get(&text), text.size, digest);
    overrides->map = *out;
    overrides->map_digest = digest;
done:
    abdb_text_free(&text);
    return st;
}

/* A long file: rows per second and the time that is left. */
static void show_import_progress(const char *path, long rows, double share, double seconds)
{
    char what[200];
    double left = share > 0 ? seconds / share - seconds : 0;

    snprintf(what, sizeof what, "%% %.100s  %.0f rows/s, %.0f s left", path, (double)rows / seconds,
             left);
    abdb_show_or_clear_progress_bar(what, 100 * share, 100);
}

/* Reads the options of the command line, the --set values and the column map. */
static abdb_status parse_import_options(const abdb_args *args, abdb_import_options *options,
                                        abdb_overrides *overrides, table_map **map, abdb_error *err)
{
    bool refresh = abdb_arg_value(args, "refresh") != NULL;
    const char *setting;
    size_t at = 0;
    abdb_status st = ABDB_OK;

    options->retry = abdb_arg_value(args, "retry-rejects") != NULL;
    options->refresh = refresh ? ABDB_REFRESH_ONLY : ABDB_REFRESH_NO;
    options->format = abdb_arg_value(args, "format");
    options->replace = abdb_arg_value(args, "replace") != NULL;
    options->dry_run = abdb_arg_value(args, "dry-run") != NULL;
    options->strict = abdb_arg_value(args, "strict") != NULL;
    if (refresh && options->retry)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--refresh or --retry-rejects, one after the other"));
    if (refresh && (options->format || abdb_arg_value(args, "set")))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "--refresh takes neither --set nor --format: it repeats what was said then"));
    if (options->replace && (refresh || options->retry))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "--replace goes with a PATH, not with --refresh or --retry-rejects"));
    if (!args->positionals && !options->retry && !refresh)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "import what? abdb import PATH..., or `abdb import data`"));
    while ((setting = abdb_arg_next_value(args, "set", &at)))
        TRY(abdb_overrides_validate_and_add_setting(overrides, setting, err));
    if (abdb_arg_value(args, "map")) {
        TRY(load_map_into_overrides(abdb_arg_value(args, "map"), overrides, map, err));
        if (!options->format) options->format = "table";
    }
done:
    return st;
}

int abdb_cmd_import(int argc, char **argv)
{
    abdb_overrides words = {0};
    abdb_import_options options = {.words = &words, .progress = show_import_progress};
    abdb_db *db = NULL;
    abdb_writer *writer = NULL;
    table_map *map = NULL;
    abdb_file_list list[OWNERS] = {0};
    import_session s = {.options = &options};
    abdb_busy_timeout patience;
    abdb_args args;
    abdb_error err;
    bool again;
    abdb_status st = ABDB_OK;
    int code = 0;

    TRY(abdb_args_parse(&args, argc, argv, "import", NULL, &err));
    if (abdb_arg_value(&args, "suggest-map"))
        TRY(print_suggested_map(abdb_arg_value(&args, "suggest-map"), &err));
    if (abdb_arg_value(&args, "check")) TRY(print_check_of_list(&args, &code, &err));
    if (abdb_arg_value(&args, "suggest-map") || abdb_arg_value(&args, "check")) goto done;
    TRY(parse_import_options(&args, &options, &words, &map, &err));
    again = options.retry || options.refresh;
    if (abdb_arg_value(&args, "timing")) abdb_timing_enable();
    if (!again) TRY(collect_shipped_and_own_files(list, &args, &s.skipped, &err));
    TRY(abdb_busy_timeout_from_args(&args, &patience, &err));
    TRY(abdb_open_db_for_writing(&db, &writer, abdb_arg_db_path(&args), &patience, &err));
    s.writer = writer;
    s.quiet = abdb_arg_value(&args, "quiet") != NULL;
    if (again) TRY(abdb_import_remember_last_price_and_entry_ids(&s, db, &err));
    TRY(again ? retry_or_refresh_paths(&s, db, &args, &err)
              : import_shipped_then_own(&s, db, list, &err));
    TRY(abdb_writer_update_derived(writer, &err));
    if (!s.quiet) abdb_print_import_summary(&s);
    if (!s.quiet) TRY(abdb_warn_of_new_prices_of_no_use(&s, db, &err));
    if (!s.quiet) TRY(abdb_print_next_steps(&s, db, &err));
    code = import_exit_code(&s);
    print_part_timings();
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    for (int i = 0; i < OWNERS; i++) abdb_file_list_free(&list[i]);
    abdb_import_session_close(&s);
    table_map_free(map);
    abdb_overrides_free(&words);
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    return code;
}
