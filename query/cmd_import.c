/* cmd_import.c - abdb import: files, folders, archives and standard input into the database, one
 * transaction a file or member. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/archive.h"
#include "query/cli.h"
#include "query/unit.h"
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

typedef struct {
    abdb_counts total;
    size_t files, known, refused, gated, passed_over, beside;
} tally;

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

static void print_unit(const char *path, const abdb_unit_result *unit, bool dry_run)
{
    const abdb_counts *c = &unit->counts;

    if (unit->known)
        printf(
            "%s: already imported, nothing changed (%ld accepted, %ld duplicate, %ld rejected, %ld"
            " ignored then)\n",
            path, c->accepted, c->duplicate, c->rejected, c->ignored);
    else
        printf("%s: %s%ld rows: %ld accepted, %ld duplicate, %ld rejected, %ld ignored  [%s]\n",
               path, dry_run ? "would keep: " : "",
               c->accepted + c->duplicate + c->rejected + c->ignored, c->accepted, c->duplicate,
               c->rejected, c->ignored, unit->format);
    if (unit->remark) abdb_remark("%s: %s", path, unit->remark);
}

/* What importing needs beside the bytes. */
typedef struct {
    abdb_writer *writer;
    const abdb_unit_options *options;
    mlperf_round *round; /* result folders of rounds, made when all files were seen */
    bool quiet;
    tally *t;
} session;

/* A failure of one file is said and counted; one of the database, or of the command, is returned.
 */
static abdb_status say_failure(session *s, const char *path, abdb_status st, abdb_error *err)
{
    abdb_context(err, "%s", path);
    if (st == ABDB_DB || st == ABDB_BUSY || st == ABDB_NOMEM || st == ABDB_USAGE) return st;
    abdb_report_error(err);
    s->t->refused += st != ABDB_GATE;
    s->t->gated += st == ABDB_GATE;
    return ABDB_OK;
}

static void count_unit(tally *t, const abdb_unit_result *unit)
{
    t->files++;
    t->known += unit->known != 0;
    if (unit->known) return;
    t->total.accepted += unit->counts.accepted;
    t->total.duplicate += unit->counts.duplicate;
    t->total.rejected += unit->counts.rejected;
    t->total.ignored += unit->counts.ignored;
}

/* Gives a file of a round to the round it belongs to: *taken. */
static abdb_status take(session *s, const abdb_input *input, bool *taken, abdb_error *err)
{
    round_role role = s->options->format ? ROUND_OTHER : mlperf_round_role(input->path);
    char digest[ABDB_SHA256_HEX];

    *taken = role == ROUND_BESIDE;
    s->t->beside += role == ROUND_BESIDE;
    if (role != ROUND_PART) return ABDB_OK;
    abdb_sha256_hex(input->data, input->size, digest);
    return mlperf_round_take(s->round, input, digest, taken, err);
}

/* One input as one unit. `named`: on the command line; else an unknown format is passed over. */
static abdb_status import_input(session *s, const abdb_input *input, bool named, abdb_error *err)
{
    abdb_unit_result unit = {0};
    bool taken = false;
    abdb_status st = take(s, input, &taken, err);
    tally *t = s->t;

    if (taken) return st;
    if (st == ABDB_OK) st = abdb_unit_import(s->writer, input, s->options, &unit, err);

    abdb_progress("", -1, 0);
    if (st == ABDB_FORMAT && !named) { /* a README beside the data is no failure */
        t->passed_over++;
        return ABDB_OK;
    }
    if (st != ABDB_OK) return say_failure(s, input->path, st, err);
    count_unit(t, &unit);
    if (!s->quiet) print_unit(input->path, &unit, s->options->dry_run);
    return ABDB_OK;
}

static abdb_status import_member(void *self, const char *path, const abdb_input *input,
                                 abdb_error *err)
{
    return input ? import_input(self, input, false, err)
                 : say_failure(self, path, err->status, err);
}

/* Members of a round that its results do not need are not even read. */
static bool wants_member(void *self, const char *path)
{
    session *s = self;
    bool beside = !s->options->format && mlperf_round_role(path) == ROUND_BESIDE;

    s->t->beside += beside;
    return !beside;
}

/* What one round brought, in one line. */
static void print_round(const char *root, const char *format, const tally *t, bool dry_run)
{
    printf(
        "%s: %s%zu result folders (%zu already there): %ld accepted, %ld duplicate, %ld rejected,"
        " %ld ignored  [%s]\n",
        *root ? root : ".", dry_run ? "would keep: " : "", t->files, t->known, t->total.accepted,
        t->total.duplicate, t->total.rejected, t->total.ignored, format);
}

static void add_tally(tally *to, const tally *from)
{
    to->files += from->files;
    to->known += from->known;
    to->total.accepted += from->total.accepted;
    to->total.duplicate += from->total.duplicate;
    to->total.rejected += from->total.rejected;
    to->total.ignored += from->total.ignored;
}

/* Makes the results of all rounds that were seen, each folder a unit. */
static abdb_status import_rounds(session *s, abdb_error *err)
{
    tally t = {0};
    abdb_status st = ABDB_OK;
    size_t count;

    TRY(mlperf_round_finish(s->round, err));
    count = mlperf_round_count(s->round);
    for (size_t i = 0; i < count; i++) {
        const round_folder *f = mlperf_round_folder(s->round, i);
        abdb_unit_result unit;

        abdb_progress(f->path, (double)i, (double)count);
        st = abdb_unit_round(s->writer, s->round, i, s->options, &unit, err);
        if (st == ABDB_OK)
            count_unit(&t, &unit);
        else
            TRY(say_failure(s, f->path, st, err));
        if (i + 1 < count && strcmp(f->root, mlperf_round_folder(s->round, i + 1)->root) == 0)
            continue;
        abdb_progress("", -1, 0);
        if (!s->quiet) print_round(f->root, unit.format, &t, s->options->dry_run);
        add_tally(s->t, &t);
        t = (tally){0};
    }
done:
    return st;
}

/* An archive is a stream; head[0..size) was read from it already. */
static abdb_status import_archive(session *s, const char *path, int in, const void *head,
                                  size_t size, abdb_error *err)
{
    const abdb_member_handler handler = {s, wants_member, import_member};
    abdb_status st = abdb_archive_stream(in, path, head, size, &handler, err);

    if (st != ABDB_OK) mlperf_round_truncated(s->round, path);
    return st == ABDB_DATA || st == ABDB_LIMIT ? say_failure(s, path, st, err) : st;
}

/* Standard input, or a named pipe: what cannot be mapped. */
static abdb_status import_pipe(session *s, const char *path, int in, const char *head, size_t size,
                               abdb_error *err)
{
    abdb_spool spool = {0};
    abdb_input input = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_spool_add(&spool, head, size, err));
    TRY(abdb_spool_file(&spool, in, err));
    TRY(abdb_spool_input(&spool, &input, path, err));
done:
    st = st == ABDB_OK ? import_input(s, &input, true, err) : say_failure(s, path, st, err);
    abdb_input_close(&input);
    abdb_spool_free(&spool);
    return st;
}

/* Fills head as far as the file goes. */
static size_t read_head(int in, char *head, size_t room)
{
    size_t size = 0;
    ssize_t got;

    while (size < room && (got = read(in, head + size, room - size)) != 0) {
        if (got < 0 && errno != EINTR) break;
        size += got > 0 ? (size_t)got : 0;
    }
    return size;
}

static abdb_status import_file(session *s, const file *f, abdb_error *err)
{
    bool is_stdin = strcmp(f->path, "-") == 0 && f->named;
    int in = is_stdin ? STDIN_FILENO : open(f->path, O_RDONLY | O_CLOEXEC);
    char head[ABDB_ARCHIVE_HEAD];
    size_t size = in >= 0 ? read_head(in, head, sizeof head) : 0;
    struct stat info;
    abdb_input input;
    abdb_status st;

    if (abdb_archive_is(head, size)) {
        st = import_archive(s, f->path, in, head, size, err);
    } else if (is_stdin || (in >= 0 && fstat(in, &info) == 0 && S_ISFIFO(info.st_mode))) {
        st = import_pipe(s, f->path, in, head, size, err);
    } else {
        st = abdb_input_open(&input, f->path, err);
        st = st == ABDB_OK ? import_input(s, &input, f->named, err)
                           : say_failure(s, f->path, st, err);
        abdb_input_close(&input);
    }
    if (in > 0) close(in);
    return st;
}

static void print_tally(const tally *t)
{
    if (t->files + t->refused + t->passed_over > 1)
        printf("%zu files (%zu already there): %ld rows accepted, %ld duplicate, %ld rejected, %ld"
               " ignored%s\n",
               t->files, t->known, t->total.accepted, t->total.duplicate, t->total.rejected,
               t->total.ignored, t->total.rejected ? "  (abdb query rejects)" : "");
    if (t->beside) abdb_remark("files of rounds beside the results, not needed: %zu", t->beside);
    if (t->passed_over) abdb_remark("files of other formats, passed over: %zu", t->passed_over);
    if (t->refused) abdb_remark("files refused: %zu", t->refused);
}

static int exit_code(const tally *t)
{
    if (t->refused) return t->files ? abdb_exit_code(ABDB_PARTIAL) : abdb_exit_code(ABDB_DATA);
    return t->gated ? abdb_exit_code(ABDB_GATE) : 0;
}

int abdb_cmd_import(int argc, char **argv)
{
    abdb_words words = {0};
    abdb_unit_options options = {.words = &words};
    abdb_db *db = NULL;
    abdb_writer *writer = NULL;
    file_list list = {0};
    tally t = {0};
    session s = {.options = &options, .t = &t};
    abdb_args args;
    abdb_error err;
    const char *setting;
    size_t at = 0;
    abdb_status st = ABDB_OK;
    int code = 0;

    TRY(abdb_args_parse(&args, argc, argv, "import", NULL, &err));
    if (!args.positionals)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "import what? abdb import PATH..., or `abdb import data`"));
    while ((setting = abdb_arg_next(&args, "set", &at))) TRY(abdb_words_add(&words, setting, &err));
    options.format = abdb_arg(&args, "format");
    options.dry_run = abdb_arg(&args, "dry-run") != NULL;
    options.strict = abdb_arg(&args, "strict") != NULL;
    TRY(collect(&list, &args, &err));
    TRY(abdb_open_writer(&db, &writer, abdb_arg_db(&args), &err));
    TRY(mlperf_round_open(&s.round, &err));
    s.writer = writer;
    s.quiet = abdb_arg(&args, "quiet") != NULL;
    for (size_t i = 0; i < list.count; i++) {
        abdb_progress(list.item[i].path, (double)i, (double)list.count);
        TRY(import_file(&s, &list.item[i], &err));
    }
    TRY(import_rounds(&s, &err));
    TRY(abdb_writer_index(writer, &err));
    if (!abdb_arg(&args, "quiet")) print_tally(&t);
    code = exit_code(&t);
done:
    if (st != ABDB_OK) code = abdb_report_error(&err);
    for (size_t i = 0; i < list.count; i++) free(list.item[i].path);
    free(list.item);
    mlperf_round_close(s.round);
    abdb_words_free(&words);
    abdb_writer_close(writer);
    abdb_db_close(db);
    return code;
}
