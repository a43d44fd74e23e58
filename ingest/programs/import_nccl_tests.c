/* import_nccl_tests.c - nccl-tests and rccl-tests: the table on the console, or a CSV copy of it.
 *
 * How fourteen files disagree: a launcher may number each line, and shell traces, counters and
 * words of other processes may stand between; the collective stands in a line of its own (2.17 and
 * later) or only in the command, whose name may end in _perf_mpi; tables cut out by their owners
 * have neither it nor the devices. Before 2.8 there was no root, #wrong was error, and a collective
 * that reduces nothing or has no root left these columns blank. A copy in a report may have lost
 * the "#" of a line, or lines of ranks.
 * Every size is run out of place and in place; '#wrong' is N/A where nothing was checked. Time is
 * in us, algbw and busbw in GB/s with two digits, so that small ones are 0.00: these are omitted,
 * the time has more digits. An entry is one size in one place. An input row is a line of the table.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/programs/nccl_summary.h"
#include "ingest/programs/nccl_types.h"
#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"

enum { HOSTS_MAX = 4096 };

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    char collective[48], next[48]; /* "all_reduce", "": unknown; next: of the run behind this one */
    long ranks, rank_lines;        /* ranks: one more than the highest */
    long said;                     /* GPUs of one process, by the line of settings */
    long rows;                     /* of this run */
    bool note_before;              /* was the line before a note? */
    size_t hosts;
    const char *host[HOSTS_MAX];
    const char *device;            /* of all ranks: "A", or "A, B" of unlike ones */
    size_t columns, first, second; /* second: where the in-place columns begin, 0 none */
    char name[LINE_WORDS_MAX][16];
    abdb_settings settings; /* of the lines that begin with '#' */
    nccl_failures failures;
    size_t tables; /* begun so far */
    abdb_arena arena;
} state;

static int nccl_tests_bid(const abdb_input *in)
{
    return lines_have_table_header_and_number_row(in, "size", "time|algbw|busbw", 4) ? 80 : 0;
}

/* What may stand behind "all_reduce_perf". */
static bool is_mpi_suffix_or_end_of_program_name(const char *text)
{
    if (strncmp(text, "_mpi", 4) == 0) text += 4;
    return !*text || isspace((unsigned char)*text);
}

/* State ends with a run: values that the next run does not print are unknown. */
static void forget_run_take_next_collective(state *s)
{
    s->columns = s->hosts = s->settings.count = 0;
    s->ranks = s->rank_lines = s->said = s->rows = 0;
    s->device = NULL;
    memcpy(s->collective, s->next, sizeof s->collective);
    s->next[0] = '\0';
}

/* "srun ... ./build/all_reduce_perf -b 8" -> "all_reduce"; the last one named before a table. What
 * is named behind the rows is the next run's, but for the note that closes this one. */
static void store_collective_of_this_or_next_run(state *s, const text_line *line)
{
    const char *text = line->text;
    char *name = s->rows ? s->next : s->collective;

    if (strstr(text, "concluded")) return;
    if (s->rows && s->note_before && line->words == 2 && strcmp(line->word[0], "#") == 0) return;
    for (const char *end = text; (end = strstr(end, "_perf")); end += 5) {
        const char *begin = end;

        while (begin > text && (islower((unsigned char)begin[-1]) || begin[-1] == '_')) begin--;
        /* "_perf" must end its word: all_reduce_perf.cu is a source file. */
        if (begin == end || !is_mpi_suffix_or_end_of_program_name(end + 5)) continue;
        snprintf(name, sizeof s->collective, "%.*s", (int)(end - begin), begin);
        if (strcmp(name, "alltoall") == 0) snprintf(name, sizeof s->collective, "all_to_all");
    }
}

static bool list_has_name(const char *list, const char *name)
{
    size_t size = strlen(name);

    for (; list; list = strstr(list, ", ") ? strstr(list, ", ") + 2 : NULL)
        if (strncmp(list, name, size) == 0 && (!list[size] || strncmp(list + size, ", ", 2) == 0))
            return true;
    return false;
}

/* Unlike devices are a list. */
static void append_device_name_if_new(state *s, const char *text)
{
    char *name = abdb_arena_copy(&s->arena, text, strlen(text));

    if (!name) return;
    name = abdb_trim_in_place(name);
    if (!*name || list_has_name(s->device, name)) return;
    s->device = s->device ? abdb_arena_printf(&s->arena, "%s, %s", s->device, name) : name;
}

/* "# nThread 1 nGpus 8 minBytes ...": the first line of a run. */
static void begin_run_if_rows_and_store_process_gpus(state *s, const text_line *line)
{
    long long threads = 0, gpus = 0;

    if (s->rows) forget_run_take_next_collective(s);
    for (size_t i = 0; i + 1 < line->words; i++) {
        if (strcmp(line->word[i], "nThread") == 0)
            (void)abdb_integer_parse_in_range(line->word[i + 1], ABDB_MARK_POINT, 1, 4096,
                                              &threads);
        if (strcmp(line->word[i], "nGpus") == 0)
            (void)abdb_integer_parse_in_range(line->word[i + 1], ABDB_MARK_POINT, 1, 4096, &gpus);
    }
    s->said = (long)(threads * gpus);
}

/* Devices of one run; 0: unknown. Programs built without MPI that mpirun starts together list all
 * their ranks from 0: as many runs as times that the ranks are listed. */
static long count_devices_and_nodes_of_run(const state *s, size_t *nodes)
{
    size_t times = s->ranks && s->rank_lines > s->ranks && s->rank_lines % s->ranks == 0
                       ? (size_t)(s->rank_lines / s->ranks)
                       : 1;

    *nodes = s->hosts < HOSTS_MAX && s->hosts % times == 0 ? s->hosts / times : 0;
    if (times > 1 && s->hosts == 1) *nodes = 1;
    if (s->rank_lines < s->ranks) *nodes = 0; /* lines of ranks were lost */
    if (s->ranks >= s->said) return s->ranks;
    *nodes = 0; /* one process has more than all that are listed: lines were lost */
    return 0;
}

/* "#  Rank  0 Group  0 Pid 204199 on  nid005471 device  0 [0009:01:00] NVIDIA GH200 120GB" */
static void record_rank_host_and_device_of_line(state *s, const text_line *line)
{
    const char *on = strstr(line->text, " on "), *name = strchr(line->text, ']');
    const char *host = NULL, *number = strstr(line->text, "Rank ");
    char rank[32];
    long long said;

    if (s->rows) forget_run_take_next_collective(s);
    s->rank_lines++;
    if (number) number += 5 + strspn(number + 5, " ");
    snprintf(rank, sizeof rank, "%.*s", number ? (int)strcspn(number, " ") : 0,
             number ? number : "");
    if (abdb_integer_parse_in_range(rank, ABDB_MARK_POINT, 0, LONG_MAX / 2, &said) &&
        said + 1 > s->ranks)
        s->ranks = (long)said + 1; /* others' may have been lost */
    if (name) append_device_name_if_new(s, name + 1);
    if (!on) return;
    on += 4 + strspn(on + 4, " ");
    for (size_t i = 0; i < s->hosts; i++)
        if (strncmp(s->host[i], on, strcspn(on, " ")) == 0 && !s->host[i][strcspn(on, " ")]) return;
    if (s->hosts < HOSTS_MAX) host = abdb_arena_copy(&s->arena, on, strcspn(on, " "));
    if (host) s->host[s->hosts++] = host;
}

/* "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong" */
static bool store_columns_if_nccl_table_header(state *s, const text_line *line)
{
    size_t skip = line->words && strcmp(line->word[0], "#") == 0;

    if (line->words < skip + 5 || strcmp(line->word[skip], "size") != 0) return false;
    if (s->rows) forget_run_take_next_collective(s);
    s->columns = line->words - skip;
    s->first = s->second = 0;
    for (size_t i = 0; i < s->columns; i++) {
        snprintf(s->name[i], sizeof s->name[i], "%s", line->word[skip + i]);
        if (strcmp(s->name[i], "time") != 0) continue;
        if (s->first)
            s->second = i;
        else
            s->first = i;
    }
    return true;
}

static size_t find_nccl_column_from(const state *s, const char *name, size_t from)
{
    for (size_t i = from; i < s->columns; i++)
        if (strcmp(s->name[i], name) == 0) return i;
    /* No column: `word` has none there either, and answers NULL. */
    return LINE_WORDS_MAX;
}

static void insert_empty_word(text_line *line, size_t at)
{
    memmove(line->word + at + 1, line->word + at, (line->words - at) * sizeof *line->word);
    line->word[at] = "";
    line->words++;
}

/* Old versions leave redop and root blank where a collective has none: puts an empty word there. A
 * reduction is no number; a root is less than the ranks, while a time without a point has four
 * digits or more. */
static void insert_empty_words_for_blank_redop_and_root(const state *s, text_line *line)
{
    size_t redop = find_nccl_column_from(s, "redop", 0), root = find_nccl_column_from(s, "root", 0);

    if (strchr(line->text, ',')) return; /* a CSV copy has its empty cells */
    if (line->words < s->columns && redop < line->words &&
        line_word_number_or_nan(line, redop) >= 0)
        insert_empty_word(line, redop);
    if (line->words < s->columns && root < line->words &&
        (strchr(line->word[root], '.') || strspn(line->word[root], "0123456789") > 3))
        insert_empty_word(line, root);
}

static const char *line_word_or_null(const text_line *line, size_t i)
{
    return i < line->words ? line->word[i] : NULL;
}

static void add_mean_result_at_message_size(abdb_entry *entry, const char *metric,
                                            const text_line *line, size_t column, const char *unit)
{
    abdb_result *result = abdb_entry_add_printed_result_or_count_left_out(
        entry, metric, "mean", line_word_or_null(line, column), line->mark, unit);

    if (result) result->x = line_word_number_or_nan(line, 0);
}

/* A factor, where the column is not blank. */
static void add_nonblank_factor(abdb_entry *entry, const char *factor, const char *text)
{
    if (text && *text) abdb_entry_add_factor_parsing_number(entry, factor, text);
}

/* The largest allowed value of the old column "error", a relative deviation, in nccl-tests.
 * NAN: unknown. */
static double allowed_error_of_dtype_or_nan(const char *dtype)
{
    static const struct {
        const char *dtype;
        double limit;
    } limits[] = {{"fp64", 1e-12}, {"fp32", 1e-5}, {"fp16", 1e-2}, {"bf16", 1e-2}, {"int8", 0},
                  {"uint8", 0},    {"int32", 0},   {"uint32", 0},  {"int64", 0},   {"uint64", 0}};

    for (size_t i = 0; dtype && i < sizeof limits / sizeof limits[0]; i++)
        if (strcmp(dtype, limits[i].dtype) == 0) return limits[i].limit;
    return NAN;
}

/* NULL: not checked, or the limit is unknown. */
static const char *pass_fail_or_null_of_error(double error, double limit)
{
    if (!(error >= 0) || isnan(limit)) return NULL;
    return error > limit ? "fail" : "pass";
}

/* Names to skip: sizes and devices are read from rows and ranks; lines after the table sum it up.
 */
static const char *const noise[] = {
    "minBytes", "maxBytes", "Out of bounds values", "Avg bus bandwidth", "Rank", "Using devices",
    "Pid *",    NULL};

/* A '#' line of settings: "nThread 1 nGpus 1 ...", or "NCCL version 2.20". */
static void store_settings_of_comment_line(state *s, const char *text)
{
    static const char version[] = " version ";
    const char *at = strstr(text, version);

    if (strstr(text, "nThread ") || strstr(text, " iters: "))
        abdb_settings_add_named_numbers_of_line(&s->settings, &s->arena, text);
    else if (at)
        abdb_settings_set_or_count_lost(&s->settings, &s->arena, text + 1, (int)(at - text) + 7,
                                        at + sizeof version - 1,
                                        (int)strlen(at + sizeof version - 1));
    else
        abdb_settings_add_key_value_if_line_has_one(&s->settings, &s->arena, text);
}

/* Columns of the table that are none of the usual ones, of all places or of this. */
static void add_unusual_columns_as_factors(state *s, const text_line *line, size_t placement_start,
                                           abdb_entry *entry, abdb_arena *a)
{
    static const char *const usual[] = {"size",  "count", "type",   "redop", "root", "time",
                                        "algbw", "busbw", "#wrong", "error", NULL};
    size_t end = placement_start == s->first && s->second ? s->second : s->columns;

    for (size_t i = 0; i < end && i < line->words; i++)
        if (i < s->first || i >= placement_start)
            abdb_entry_add_renamed_extra_factor_unless_ignored(entry, s->name[i], line->word[i],
                                                               ABDB_MARK_UNKNOWN, usual, a);
}

/* Rows of a table whose summary alone reports wrong values: any of them may hold them. */
static void mark_failed_if_summary_reports_wrong_values(const state *s, abdb_entry *entry)
{
    if (s->tables && s->tables <= s->failures.tables && s->failures.is_unexplained[s->tables - 1]) {
        entry->field[ABDB_FIELD_verified] = "fail";
        abdb_entry_add_mark_and_problem(entry, "failed",
                                        "the summary of the run reports wrong values, no row does");
    }
}

/* One size in one place: its columns begin with the time. */
static abdb_status import_nccl_table_placement(state *s, const text_line *line,
                                               size_t placement_start, const char *place,
                                               abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    size_t checked = find_nccl_column_from(s, "#wrong", placement_start), nodes;
    size_t wrong_column =
        checked < s->columns ? checked : find_nccl_column_from(s, "error", placement_start);
    size_t algbw = find_nccl_column_from(s, "algbw", placement_start);
    const char *wrong = line_word_or_null(line, wrong_column);
    long devices;
    const char *workload = *s->collective ? s->collective : NULL;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, "nccl-tests", workload,
                                abdb_arena_printf(&a, "line %ld %s", line->number, place),
                                line->number);
    entry->field[ABDB_FIELD_device] = s->device;
    entry->field[ABDB_FIELD_dtype] = abdb_nccl_number_format_of_type_or_same(
        line_word_or_null(line, find_nccl_column_from(s, "type", 0)));
    devices = count_devices_and_nodes_of_run(s, &nodes);
    if (devices) entry->field[ABDB_FIELD_devices] = abdb_arena_printf(&a, "%ld", devices);
    if (nodes) entry->field[ABDB_FIELD_nodes] = abdb_arena_printf(&a, "%zu", nodes);
    if (wrong) {
        double limit = checked < s->columns
                           ? 0
                           : allowed_error_of_dtype_or_nan(entry->field[ABDB_FIELD_dtype]);

        entry->field[ABDB_FIELD_verified] =
            pass_fail_or_null_of_error(line_word_number_or_nan(line, wrong_column), limit);
    }
    if (entry->field[ABDB_FIELD_verified] &&
        strcmp(entry->field[ABDB_FIELD_verified], "fail") == 0) {
        if (checked < s->columns)
            abdb_entry_add_mark_and_problem(entry, "failed", "%s values are wrong", wrong);
        else
            abdb_entry_add_mark_and_problem(entry, "failed", "an error of %g",
                                            line_word_number_or_nan(line, wrong_column));
    }
    mark_failed_if_summary_reports_wrong_values(s, entry);
    if (s->said > s->ranks && s->ranks)
        abdb_entry_add_mark_and_problem(entry, "contradiction",
                                        "each process has %ld devices, and %ld ranks are listed",
                                        s->said, s->ranks);
    abdb_entry_add_factor_parsing_number(entry, "message_bytes", line_word_or_null(line, 0));
    add_nonblank_factor(entry, "redop",
                        line_word_or_null(line, find_nccl_column_from(s, "redop", 0)));
    add_nonblank_factor(entry, "root",
                        line_word_or_null(line, find_nccl_column_from(s, "root", 0)));
    abdb_entry_add_factor_parsing_number(entry, "place", place);
    if (wrong) abdb_entry_add_factor_parsing_number(entry, "wrong", wrong);
    add_unusual_columns_as_factors(s, line, placement_start, entry, &a);
    abdb_entry_add_settings_as_factors(entry, &s->settings, noise, &a);
    add_mean_result_at_message_size(entry, "time_s", line, placement_start, "us");
    add_mean_result_at_message_size(entry, "bytes_per_s", line, algbw, "GB/s");
    add_mean_result_at_message_size(entry, "busbw_bytes_per_s", line,
                                    find_nccl_column_from(s, "busbw", placement_start), "GB/s");
    if (strcmp(s->collective, "hypercube") != 0) /* whose rate is of another amount */
        abdb_entry_mark_rate_not_matching_amount(
            entry, line_word_number_or_nan(line, algbw), line_word_or_null(line, algbw),
            line_word_number_or_nan(line, placement_start) / 1e6,
            line_word_number_or_nan(line, 0) / 1e9, 1.2); /* in GB */
    if (!(line_word_number_or_nan(line, placement_start) > 0)) {
        abdb_left_out_count_values_of_entry(s->left_out, entry);
        goto done;
    }
    abdb_entry_apply_overrides_and_check(entry, s->words);
    TRY(s->sink->entry(s->sink->self, entry, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* Counts times and bandwidths of a line that is refused, as far as it goes. */
static void count_refused_line_values(const state *s, const text_line *line)
{
    for (size_t from = s->first; from; from = from == s->first ? s->second : 0) {
        const size_t column[] = {from, find_nccl_column_from(s, "algbw", from),
                                 find_nccl_column_from(s, "busbw", from)};

        for (size_t i = 0; i < sizeof column / sizeof column[0]; i++)
            abdb_add_thread_values_read(isfinite(line_word_number_or_nan(line, column[i])));
    }
}

static bool is_rank_line(const text_line *line, bool is_comment)
{
    return (is_comment || (line->words && strcmp(line->word[0], "Rank") == 0)) &&
           strstr(line->text, "Rank ") && strstr(line->text, " device ") && strchr(line->text, '[');
}

/* Stores the settings of a run in a comment line, or imports a line of the table. */
static abdb_status store_comment_or_import_nccl_table_line(void *self, const text_line *line,
                                                           abdb_error *err)
{
    state *s = self;
    /* A copy may have lost the marks of comments. */
    bool note = line->words && (line->word[0][0] == '#' || (strcmp(line->word[0], "nThread") == 0 &&
                                                            strstr(line->text, "nGpus ") != NULL));
    text_line filled = *line;
    bool header;
    abdb_status st = ABDB_OK;

    store_collective_of_this_or_next_run(s, line);
    s->note_before = note;
    if (is_rank_line(line, note)) {
        record_rank_host_and_device_of_line(s, line);
    } else if (note) {
        if (strstr(line->text, "nThread ") && strstr(line->text, "nGpus "))
            begin_run_if_rows_and_store_process_gpus(s, line);
        else if (s->rows && strstr(line->text, "-tests version"))
            forget_run_take_next_collective(s);
        if (!s->columns) store_settings_of_comment_line(s, line->text);
    }
    header = store_columns_if_nccl_table_header(s, line);
    s->tables += header;
    if (header || note || !s->columns || !(line_word_number_or_nan(line, 0) >= 0)) return ABDB_OK;
    s->rows++;
    insert_empty_words_for_blank_redop_and_root(s, &filled);
    line = &filled;
    if (line->words != s->columns) {
        count_refused_line_values(s, line);
        return line_reject_and_end_row(s->sink, line, "",
                                       "not as many words as the table has columns", err);
    }
    if (!*s->collective && !abdb_overrides_get_value_or_null(s->words, "workload"))
        return ABDB_FAIL(err, ABDB_DATA,
                         "line %ld: no line before it names the collective; say it with"
                         " --set workload=NAME, which is all_reduce, all_gather, all_to_all, ...",
                         line->number);
    if (!(line_word_number_or_nan(line, s->first) > 0)) {
        count_refused_line_values(s, line);
        return line_reject_and_end_row(s->sink, line, "time", "no time: missing, zero or no number",
                                       err);
    }
    TRY(import_nccl_table_placement(s, line, s->first, "out-of-place", err));
    if (s->second) TRY(import_nccl_table_placement(s, line, s->second, "in-place", err));
    TRY(s->sink->row_end(s->sink->self, err));
done:
    return st;
}

/* Imports a console, or a CSV copy of its table. */
static abdb_status import_nccl_console_lines(const abdb_input *in, const abdb_overrides *overrides,
                                             const abdb_sink *sink, abdb_error *err)
{
    state *s = calloc(1, sizeof *s);
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a table");
    s->left_out = in->left_out;
    s->words = overrides;
    s->sink = sink;
    TRY(abdb_nccl_find_unexplained_failures(in, &s->failures, err));
    TRY(lines_deliver_each_with_mark(in, lines_find_decimal_mark_by_number_rows(in),
                                     store_comment_or_import_nccl_table_line, s, err));
done:
    free(s->failures.is_unexplained);
    abdb_arena_free(&s->arena);
    free(s);
    return st;
}

const abdb_importer abdb_import_nccl_tests = {
    "nccl-tests",
    "nccl-tests and rccl-tests: the table of the console, or a CSV copy of it",
    6,
    NULL,
    nccl_tests_bid,
    import_nccl_console_lines};
