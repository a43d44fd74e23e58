/* import_session.c - files, archives, pipes and rounds into an open database: finds the kind of
 * each path, streams archives member by member, collects the files of an MLPerf round until all
 * have been seen, and counts the outcome of every row. See import_session.h. */
#include "query/import/import_session.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/read/archive.h"
#include "ingest/registry.h"
#include "query/answer/sql_rows.h"
#include "query/import/input_files.h"
#include "query/import/parquet_input.h"
#include "query/import/sqlite_input.h"
#include "schema/store/digest.h"

enum { NAMED_FOLDERS_MAX = 5 };

/* A failure of one file is printed and counted; one of the database or of the command is returned.
 */
static abdb_status print_and_count_or_return_failure(import_session *s, const char *path,
                                                     abdb_status st, abdb_error *err)
{
    abdb_error_prepend_context(err, "%s", path);
    if (st == ABDB_DB || st == ABDB_BUSY || st == ABDB_NOMEM || st == ABDB_USAGE) return st;
    abdb_print_error_return_exit_code(err);
    s->refused += st != ABDB_GATE && st != ABDB_PARTIAL;
    s->unkept += st == ABDB_PARTIAL;
    s->gated += st == ABDB_GATE;
    return ABDB_OK;
}

/* Adds the counts of a file; a known file counts as known only. */
static void add_import_result_to_counts(import_counts *to, const abdb_import_result *unit)
{
    to->files++;
    to->known += unit->known != 0;
    if (unit->known) return;
    abdb_mark_tally_add(&to->marks, &unit->marks);
    to->rows.accepted += unit->counts.accepted;
    to->rows.duplicate += unit->counts.duplicate;
    to->rows.rejected += unit->counts.rejected;
    to->rows.ignored += unit->counts.ignored;
    to->rows.refused += unit->counts.refused;
    to->rows.values_kept += unit->counts.values_kept;
    to->rows.values_known += unit->counts.values_known;
    to->rows.values_rejected += unit->counts.values_rejected;
    to->rows.values_left_out += unit->counts.values_left_out;
    to->rows.factors_left_out += unit->counts.factors_left_out;
    to->rows.entries += unit->counts.entries;
    to->rows.entries_without_device += unit->counts.entries_without_device;
}

/* Adds the counts of a file to the total and to its format. */
static void count_import_in_total_and_format(import_session *s, const abdb_import_result *unit)
{
    size_t i = 0;

    s->kept |= unit->counts.accepted || unit->counts.duplicate;
    add_import_result_to_counts(&s->total, unit);
    while (i < s->formats && strcmp(s->format[i].format, unit->format) != 0) i++;
    if (i == IMPORT_FORMATS_MAX) return;
    if (i == s->formats) s->format[s->formats++].format = unit->format;
    add_import_result_to_counts(&s->format[i].counts, unit);
}

/* Gives a file of a round to the round it belongs to: *taken. */
static abdb_status give_part_to_mlperf_round(import_session *s, const abdb_input *input,
                                             bool *taken, abdb_error *err)
{
    abdb_round_role role =
        s->options->format ? ROUND_OTHER : abdb_mlperf_round_role_of_path(input->path);
    char digest[ABDB_SHA256_HEX];
    abdb_status st = ABDB_OK;

    *taken = false;
    if (role != ROUND_PART) return ABDB_OK;
    abdb_sha256_hex(input->data, input->size, digest);
    TRY(abdb_mlperf_round_add_file(s->round, input, digest, taken, err));
    if (!*taken) TRY(abdb_mlperf_round_record_unread_file(s->round, input->path, err));
done:
    return st;
}

/* A table with only a heading has nothing to keep. */
static bool has_content_beyond_heading(const abdb_input *input)
{
    const char *text = input->text, *end = text + input->text_size, *line;

    while (text < end && isspace((unsigned char)*text)) text++;
    if (text == end) return false;
    line = memchr(text, '\n', (size_t)(end - text));
    while (line && line < end && isspace((unsigned char)*line)) line++;
    return *text == '{' || *text == '[' || (line && line < end);
}

/* A recognised file without a stored row is no success. */
static void warn_and_count_if_nothing_kept(import_session *s, const char *path, bool named,
                                           const char *format, const abdb_counts *c)
{
    if (c->accepted || c->duplicate) return;
    s->unkept += named;
    s->unkept_found += !named;
    abdb_print_stderr_remark("%s: is of the format %s, but nothing was kept of it", path, format);
}

/* A post may hold the output of two programs, of which one was read. */
static void warn_of_other_format_in_post(const import_session *s, const abdb_input *input,
                                         const char *format)
{
    const char *other = s->options->format || s->quiet || s->shipped
                            ? NULL
                            : abdb_importer_other_format_in_post_or_null(input, format);

    if (other)
        abdb_print_stderr_remark("%s: holds output of %s, too, which was passed over: `abdb import"
                                 " --format %s FILE` reads it",
                                 input->path, other, other);
}

/* One input as one unit. `named`: on the command line; else an unknown format is passed over. */
static abdb_status import_input_or_give_it_to_round(import_session *s, const abdb_input *input,
                                                    bool named, abdb_error *err)
{
    abdb_import_result unit = {0};
    abdb_input rows = *input; /* of a database or Parquet, as text */
    const abdb_input *read = input;
    bool taken = false;
    unsigned starved = abdb_allocation_failure_count();
    abdb_status st = give_part_to_mlperf_round(s, input, &taken, err);

    if (taken) return st;
    if (st == ABDB_OK && abdb_input_is_llama_bench_database(input)) {
        rows.decoded = NULL;
        st = abdb_input_decode_llama_bench_database(&rows, err);
        read = &rows;
    } else if (st == ABDB_OK && abdb_input_is_parquet(input)) {
        rows.decoded = NULL;
        st = abdb_input_decode_parquet_to_csv(&rows, err);
        read = &rows;
    }
    if (st == ABDB_OK)
        st = abdb_import_input_as_one_transaction(s->writer, read, s->options, &unit, err);
    if (read == &rows) free(rows.decoded);
    /* A failure to read for lack of memory does not mean a damaged file or an unknown format. */
    if (st != ABDB_OK && abdb_allocation_failure_count() != starved)
        st = ABDB_FAIL(err, ABDB_NOMEM, "a file");

    abdb_show_or_clear_progress_bar("", -1, 0);
    if (st == ABDB_FORMAT && !named) { /* a README beside the data is no failure */
        s->passed_over += !s->shipped;
        return ABDB_OK;
    }
    if (st != ABDB_OK) return print_and_count_or_return_failure(s, input->path, st, err);
    if (unit.known && s->options->refresh) return ABDB_OK; /* it was not requested */
    count_import_in_total_and_format(s, &unit);
    abdb_warn_of_import_with_other_overrides(input->path, &unit);
    if (!s->quiet && (!s->shipped || unit.counts.rejected))
        abdb_print_import_result_and_warnings(s, input->path, &unit);
    warn_of_other_format_in_post(s, input, unit.format);
    if (!s->shipped && has_content_beyond_heading(input))
        warn_and_count_if_nothing_kept(s, input->path, named, unit.format, &unit.counts);
    return ABDB_OK;
}

static abdb_status import_archive_member(void *self, const char *path, const abdb_input *input,
                                         abdb_error *err)
{
    return input ? import_input_or_give_it_to_round(self, input, false, err)
                 : print_and_count_or_return_failure(self, path, err->status, err);
}

/* Is the file needed? Files of a round that its results do not need are not even read; whoever
 * names one wants it. */
static bool count_and_decide_if_file_needed(import_session *s, const char *path)
{
    abdb_round_role role = s->options->format ? ROUND_PART : abdb_mlperf_round_role_of_path(path);
    abdb_error err;

    /* For want of memory a folder is forgotten here, and the import fails at its next step. */
    if (role != ROUND_PART) (void)!abdb_mlperf_round_record_unread_file(s->round, path, &err);
    s->beside += role == ROUND_BESIDE;
    return role != ROUND_BESIDE;
}

/* Is a part of the member's name hidden, as the files are that a folder's import leaves out? */
static bool has_hidden_path_part(const char *name)
{
    for (const char *part = name; *part;) {
        size_t size = strcspn(part, "/");
        bool up = (size == 1 && *part == '.') || (size == 2 && strncmp(part, "..", 2) == 0);

        if (*part == '.' && !up && (part[size] || !abdb_is_unfinished_spool_name(part)))
            return true;
        part += size;
        part += strspn(part, "/");
    }
    return false;
}

static bool decide_member_needed_count_hidden(void *self, const char *path, const char *name)
{
    import_session *s = self;

    if (!has_hidden_path_part(name)) return count_and_decide_if_file_needed(s, path);
    abdb_skipped_files_count_and_name(&s->skipped, ABDB_SKIPPED_HIDDEN, path);
    return false;
}

/* Counts a member that is not read, by its kind. */
static abdb_status count_skipped_member(void *self, const char *path, const char *name,
                                        abdb_member_kind kind, abdb_error *err)
{
    import_session *s = self;

    (void)err;
    abdb_skipped_files_count_and_name(&s->skipped,
                                      has_hidden_path_part(name)    ? ABDB_SKIPPED_HIDDEN
                                      : kind == ABDB_MEMBER_SYMLINK ? ABDB_SKIPPED_SYMLINK
                                                                    : ABDB_SKIPPED_SPECIAL,
                                      path);
    return ABDB_OK;
}

abdb_status abdb_import_and_free_pending_round(import_session *s, abdb_error *err)
{
    import_counts c = {0};
    abdb_status st = ABDB_OK;
    size_t count;

    if (!s->round) return ABDB_OK;
    s->power_logs += abdb_mlperf_round_unread_power_log_count(s->round);
    TRY(abdb_mlperf_round_group_files_into_folders(s->round, err));
    count = abdb_mlperf_round_folder_count(s->round);
    if (!count && abdb_mlperf_round_file_count(s->round))
        abdb_print_stderr_remark(
            "descriptions of a round's systems, without results: nothing to keep");
    for (size_t i = 0; i < count; i++) {
        const abdb_round_folder *f = abdb_mlperf_round_get_folder(s->round, i);
        abdb_import_result unit;

        s->folders_without_log += abdb_mlperf_round_folder_lacks_log(f);
        if (abdb_mlperf_round_folder_lacks_log(f) && s->folders_without_log <= NAMED_FOLDERS_MAX)
            abdb_print_stderr_remark("%s: no log of a run that abdb reads", f->path);
        abdb_show_or_clear_progress_bar(f->path, (double)i, (double)count);
        st = abdb_import_round_folder_as_one_transaction(s->writer, s->round, i, s->options, &unit,
                                                         err);
        if (st != ABDB_OK) {
            TRY(print_and_count_or_return_failure(s, f->path, st, err));
        } else if (!unit.known || !s->options->refresh) {
            count_import_in_total_and_format(s, &unit);
            add_import_result_to_counts(&c, &unit);
        }
        if (i + 1 < count &&
            strcmp(f->root, abdb_mlperf_round_get_folder(s->round, i + 1)->root) == 0)
            continue;
        abdb_show_or_clear_progress_bar("", -1, 0);
        if (!s->quiet && c.files) abdb_print_round_result_and_warnings(s, f->root, unit.format, &c);
        if (c.files > c.known)
            warn_and_count_if_nothing_kept(s, *f->root ? f->root : ".", false, unit.format,
                                           &c.rows);
        c = (import_counts){0};
    }
done:
    abdb_mlperf_round_destroy(s->round);
    s->round = NULL;
    return st;
}

/* A found file that is packed but does not call itself an archive (a network's weights, a
 * document) is one of another format. */
static bool is_archive_to_read(const char *path, bool named, const char *head, size_t size)
{
    return abdb_archive_has_known_first_bytes(path, head, size) &&
           (named || abdb_archive_has_suffix(path));
}

/* Counts for an archive, to be compared: units and files of rounds, and printed failures. */
typedef struct {
    size_t kept, failed;
} archive_yield;

static archive_yield count_archive_yield_so_far(const import_session *s)
{
    return (archive_yield){s->total.files + abdb_mlperf_round_file_count(s->round),
                           s->refused + s->gated};
}

/* An archive is a stream; head[0..size) was read from it already. A named archive without a stored
 * row is a failure, whatever its members are. */
static abdb_status import_archive_members(import_session *s, const char *path, int in,
                                          const void *head, size_t size, bool named,
                                          abdb_error *err)
{
    const abdb_member_handler handler = {s, decide_member_needed_count_hidden,
                                         import_archive_member, count_skipped_member};
    archive_yield before = count_archive_yield_so_far(s), now;
    abdb_status st = abdb_archive_deliver_members_of_file(in, path, head, size, &handler, err);

    s->archives_named += named;
    now = count_archive_yield_so_far(s);
    if (st != ABDB_OK) abdb_mlperf_round_record_truncated_path(s->round, path);
    if (st == ABDB_OK && named && !s->options->refresh && now.kept == before.kept &&
        now.failed == before.failed)
        st = ABDB_FAIL(err, ABDB_FORMAT,
                       "nothing was kept: it has no file of a format that abdb reads; `abdb help"
                       " import` lists the formats");
    if (now.kept == before.kept && st != ABDB_IO && (st != ABDB_OK || now.failed > before.failed))
        s->archives_without++;
    return st == ABDB_DATA || st == ABDB_LIMIT || st == ABDB_IO || st == ABDB_FORMAT
               ? print_and_count_or_return_failure(s, path, st, err)
               : st;
}

/* An archive of a kind that abdb does not read. */
static abdb_status count_and_report_unsupported_archive(import_session *s, const char *path,
                                                        const char *why, abdb_error *err)
{
    s->archives_without++;
    return print_and_count_or_return_failure(s, path, ABDB_FAIL(err, ABDB_FORMAT, "%s", why), err);
}

/* Standard input or a named pipe, which cannot be mapped; also a file that another program may
 * still write to, perhaps on another machine, and that is therefore not mapped. */
static abdb_status spool_and_import_stream(import_session *s, const char *path, int in,
                                           const char *head, size_t size, bool named,
                                           abdb_error *err)
{
    abdb_spool spool = {0};
    abdb_input input = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_spool_append_to_memory_or_file(&spool, head, size, err));
    TRY(abdb_spool_append_rest_of_file(&spool, in, err));
    TRY(abdb_spool_open_as_input(&spool, &input, path, err));
done:
    st = st == ABDB_OK ? import_input_or_give_it_to_round(s, &input, named, err)
                       : print_and_count_or_return_failure(s, path, st, err);
    abdb_input_close(&input);
    abdb_spool_free(&spool);
    return st;
}

/* Fills head as far as the file goes; of a folder nothing, which abdb_input_map_file_and_decode
 * refuses. */
static abdb_status read_file_head(int in, char head[ABDB_ARCHIVE_HEAD], size_t *size,
                                  abdb_error *err)
{
    ssize_t got;

    *size = 0;
    while (*size < ABDB_ARCHIVE_HEAD &&
           (got = read(in, head + *size, ABDB_ARCHIVE_HEAD - *size)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EISDIR) break;
        if (got < 0) return ABDB_FAIL(err, ABDB_IO, "cannot read: %s", strerror(errno));
        *size += (size_t)got;
    }
    return ABDB_OK;
}

/* Imports a path whose first bytes are `head` and whose rest is in `in`. */
static abdb_status import_archive_pipe_or_file(import_session *s, const char *path, int in,
                                               const char *head, size_t size, bool named,
                                               abdb_error *err)
{
    const char *why = abdb_archive_why_kind_is_unsupported(head, size);
    struct stat info;
    abdb_input input;
    abdb_status st;

    if (is_archive_to_read(path, named, head, size))
        return import_archive_members(s, path, in, head, size, named, err);
    if (why && (named || abdb_archive_has_suffix(path)))
        return count_and_report_unsupported_archive(s, path, why, err);
    if (abdb_is_unfinished_spool_name(path)) {
        if (!s->quiet)
            abdb_print_stderr_remark(
                "%s: of a command that was killed, or still runs; what is whole is read", path);
        return spool_and_import_stream(s, path, in, head, size, named, err);
    }
    if (in == STDIN_FILENO || (fstat(in, &info) == 0 && S_ISFIFO(info.st_mode)))
        return spool_and_import_stream(s, path, in, head, size, true, err);
    st = abdb_input_map_file_and_decode(&input, path, err);
    st = st == ABDB_OK ? import_input_or_give_it_to_round(s, &input, named, err)
                       : print_and_count_or_return_failure(s, path, st, err);
    abdb_input_close(&input);
    return st;
}

abdb_status abdb_import_file_archive_or_pipe(import_session *s, const char *path, bool named,
                                             abdb_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0 && named;
    char head[ABDB_ARCHIVE_HEAD];
    size_t size = 0;
    int in = -1;
    abdb_status st = ABDB_OK;

    if (!s->round) TRY(abdb_mlperf_round_create(&s->round, err));
    if (!named && !count_and_decide_if_file_needed(s, path)) return ABDB_OK;
    in = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    st = in < 0 ? ABDB_FAIL(err, ABDB_IO, "cannot open: %s", strerror(errno))
                : read_file_head(in, head, &size, err);
    st = st == ABDB_OK ? import_archive_pipe_or_file(s, path, in, head, size, named, err)
                       : print_and_count_or_return_failure(s, path, st, err);
done:
    if (in > 0) close(in);
    return st;
}

abdb_status abdb_import_remember_last_price_and_entry_ids(import_session *s, abdb_db *db,
                                                          abdb_error *err)
{
    abdb_status st = abdb_db_query_integer_or_0(db, "SELECT coalesce(max(price_id), 0) FROM price",
                                                &s->last_price, err);

    if (st == ABDB_OK)
        st = abdb_db_query_integer_or_0(db, "SELECT coalesce(max(entry_id), 0) FROM entry_row",
                                        &s->last_entry, err);
    if (s->shipped) s->fresh = !s->last_price && !s->last_entry;
    return st;
}

/* Prints how many of the new prices the query groups by name, and their names; nothing, where it
 * finds none. */
static abdb_status print_remark_on_new_prices(const import_session *s, abdb_db *db, const char *sql,
                                              const char *what, const char *next, abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_table t = {0};
    abdb_text names = {0};
    char mark[32];
    double count = 0;
    abdb_status st = ABDB_OK;

    snprintf(mark, sizeof mark, "%lld", (long long)s->last_price);
    (void)abdb_bind_add_text(&binds, mark);
    TRY(abdb_query_to_table(db->sql, sql, &binds, &t, err));
    for (size_t i = 0; i < t.rows; i++) {
        count += abdb_cell_number_or_nan(&t, i, 1);
        abdb_text_printf(&names, "%s%s (%.0f)", i ? ", " : "", abdb_cell_text_or_empty(&t, i, 0),
                         abdb_cell_number_or_nan(&t, i, 1));
    }
    if (t.rows)
        abdb_print_stderr_remark("%s: %.0f: %s; %s", what, count, abdb_text_get(&names), next);
done:
    abdb_text_free(&names);
    abdb_table_free(&t);
    return st;
}

abdb_status abdb_warn_of_new_prices_of_no_use(const import_session *s, abdb_db *db, abdb_error *err)
{
    static const char unknown[] =
        "SELECT p.device, count(*) FROM price p JOIN name n ON n.kind = 'device'"
        " AND n.spelling = p.device AND n.how = 'unresolved' WHERE p.price_id > CAST(?1 AS INTEGER)"
        " GROUP BY p.device ORDER BY 2 DESC, 1";
    static const char cheap[] =
        "SELECT p.provider || ' ' || p.device, count(*) FROM price p"
        " WHERE p.price_id > CAST(?1 AS INTEGER) AND p.devices > 1 AND p.kind <> 'spot'"
        " AND EXISTS (SELECT 1 FROM price o WHERE o.device = p.device AND o.source = p.source"
        "  AND o.provider = p.provider AND o.kind = p.kind AND o.region IS p.region"
        "  AND o.per = p.per AND o.currency = p.currency AND o.valid_from IS p.valid_from"
        "  AND o.devices < p.devices AND o.amount >= p.amount)"
        " GROUP BY 1 ORDER BY 2 DESC, 1";
    abdb_status st = print_remark_on_new_prices(
        s, db, unknown, "prices that name no known device, or several, and meet no result",
        "an alias, or --set device=NAME, says which", err);

    if (st == ABDB_OK)
        st = print_remark_on_new_prices(
            s, db, cheap, "prices of more devices that cost no more than those of fewer",
            "they count nowhere until one is withdrawn (abdb withdraw)", err);
    return st;
}

void abdb_import_session_close(import_session *s)
{
    abdb_mlperf_round_destroy(s->round);
    s->round = NULL;
    abdb_skipped_files_free(&s->skipped);
}
