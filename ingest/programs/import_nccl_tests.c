/* import_nccl_tests.c - nccl-tests and rccl-tests: the table on the console, or a CSV copy of it.
 *
 * How fourteen files disagree: a launcher may number each line, and shell traces, counters and
 * words of other processes may stand between; the collective stands in a line of its own (2.17 and
 * later) or only in the command, whose name may end in _perf_mpi; tables cut out by their owners
 * have neither it nor the devices. Before 2.8 there was no root, #wrong was error, and a collective
 * that reduces nothing or has no root left these columns blank. A copy in a report may have lost
 * the "#" of a line, or lines of ranks.
 * Every size is run out of place and in place; '#wrong' is N/A where nothing was checked. Time is
 * in us, algbw and busbw in GB/s with two digits, so that small ones are 0.00: these are left out,
 * the time says more. An entry is one size in one place. The input row is a line of the table.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/text_lines.h"

enum { HOSTS_MAX = 4096 };

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    char collective[48]; /* "all_reduce"; "": unknown */
    long ranks, listed;  /* listed: lines of ranks; others may be lost, or listed twice */
    long each;           /* ranks of one process, of the line before them; 0 unknown */
    size_t hosts;
    const char *host[HOSTS_MAX];
    const char *device;            /* of all ranks, or their list */
    size_t columns, first, second; /* second: where the in-place columns begin, 0 none */
    char name[LINE_WORDS_MAX][16];
    abdb_arena arena;
} state;

static int nccl_tests_bid(const abdb_input *in)
{
    return lines_have_printed_table(in, "size", "time|algbw|busbw", 4) ? 80 : 0;
}

/* What may stand behind "all_reduce_perf". */
static bool ends_program_name(const char *text)
{
    if (strncmp(text, "_mpi", 4) == 0) text += 4;
    return !*text || isspace((unsigned char)*text);
}

/* "srun ... ./build/all_reduce_perf -b 8" -> "all_reduce"; the last one named before a table. */
static void find_collective_in_line(state *s, const char *text)
{
    for (const char *end = text; (end = strstr(end, "_perf")); end += 5) {
        const char *begin = end;

        while (begin > text && (islower((unsigned char)begin[-1]) || begin[-1] == '_')) begin--;
        /* "_perf" must end its word: all_reduce_perf.cu is a source file. */
        if (begin == end || !ends_program_name(end + 5)) continue;
        snprintf(s->collective, sizeof s->collective, "%.*s", (int)(end - begin), begin);
        if (strcmp(s->collective, "alltoall") == 0)
            snprintf(s->collective, sizeof s->collective, "all_to_all");
    }
}

static void forget_run(state *s)
{
    s->columns = s->hosts = 0;
    s->ranks = s->listed = s->each = 0;
    s->device = NULL;
}

/* "# nThread 1 nGpus 8 minBytes ...": what one process has. */
static void find_ranks_of_process(state *s, const text_line *line)
{
    double threads = NAN, gpus = NAN;

    for (size_t i = 0; i + 1 < line->words; i++) {
        if (strcmp(line->word[i], "nThread") == 0) threads = line_word_as_number(line, i + 1);
        if (strcmp(line->word[i], "nGpus") == 0) gpus = line_word_as_number(line, i + 1);
    }
    if (threads >= 1 && gpus >= 1 && threads * gpus <= 4096) {
        if (s->columns) forget_run(s);
        s->each = (long)(threads * gpus);
    }
}

/* Devices that are alike have one name, others a list of each. */
static void note_device_name(state *s, const char *text)
{
    char *name = abdb_arena_copy(&s->arena, text, strlen(text));

    if (name) name = abdb_trim_in_place(name);
    if (!name || !*name) return;
    if (!s->device)
        s->device = name;
    else if (!strstr(s->device, name) ||
             (strlen(s->device) != strlen(name) && !strchr(s->device, ',')))
        s->device = abdb_arena_printf(&s->arena, "%s, %s", s->device, name);
}

static void note_host(state *s, const char *name, size_t size)
{
    const char *host;

    for (size_t i = 0; i < s->hosts; i++)
        if (strncmp(s->host[i], name, size) == 0 && !s->host[i][size]) return;
    host = s->hosts < HOSTS_MAX ? abdb_arena_copy(&s->arena, name, size) : NULL;
    if (host) s->host[s->hosts++] = host;
}

/* "#  Rank  0 Group  0 Pid 204199 on  nid005471 device  0 [0009:01:00] NVIDIA GH200 120GB" */
static void count_rank_note_host_device(state *s, const text_line *line)
{
    const char *on = strstr(line->text, " on "), *name = strchr(line->text, ']');
    const char *number = strstr(line->text, "Rank ");
    char rank[32];
    long long said;

    if (s->columns) forget_run(s); /* behind a table: another run begins */
    s->listed++;
    if (number) number += 5 + strspn(number + 5, " ");
    snprintf(rank, sizeof rank, "%.*s", number ? (int)strcspn(number, " ") : 0,
             number ? number : "");
    if (abdb_count_parse(rank, ABDB_MARK_POINT, 0, LONG_MAX / 2, &said) && said + 1 > s->ranks)
        s->ranks = (long)said + 1;
    if (name) note_device_name(s, name + 1 + strspn(name + 1, " "));
    if (!on) return;
    on += 4 + strspn(on + 4, " ");
    note_host(s, on, strcspn(on, " "));
}

/* Devices and nodes, as far as the lines of ranks tell. Fewer lines than ranks: hosts are missing.
 * More: programs built without MPI, each of which listed its own. */
static void set_devices_and_nodes(const state *s, abdb_entry *entry, abdb_arena *a)
{
    entry->field[ABDB_FIELD_device] = s->device;
    if (!s->ranks) return;
    if (s->each && s->ranks % s->each) {
        abdb_entry_add_mark_and_problem(entry, "contradiction",
                                        "each process has %ld devices, and %ld ranks are listed",
                                        s->each, s->ranks);
        return;
    }
    entry->field[ABDB_FIELD_devices] = abdb_arena_printf(a, "%ld", s->ranks);
    if (s->hosts && s->listed == s->ranks && s->hosts < HOSTS_MAX)
        entry->field[ABDB_FIELD_nodes] = abdb_arena_printf(a, "%zu", s->hosts);
}

/* '#wrong' counts values; "error", before 2.8, is the largest deviation, of which only a large one
 * tells. */
static void set_verification(abdb_entry *entry, const text_line *line, size_t wrong, size_t error)
{
    double count = line_word_as_number(line, wrong), deviation = line_word_as_number(line, error);

    if (count >= 0) entry->field[ABDB_FIELD_verified] = count > 0 ? "fail" : "pass";
    if (count > 0) abdb_entry_add_mark_and_problem(entry, "failed", "%.0f values are wrong", count);
    if (!(count >= 0) && deviation > 0.1) {
        entry->field[ABDB_FIELD_verified] = "fail";
        abdb_entry_add_mark_and_problem(entry, "failed", "an error of %g", deviation);
    }
}

/* "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong" */
static bool parse_table_header(state *s, const text_line *line)
{
    size_t skip = line->words && strcmp(line->word[0], "#") == 0;

    if (line->words < skip + 5 || strcmp(line->word[skip], "size") != 0) return false;
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
    return s->first > 0;
}

static size_t find_column_from(const state *s, const char *name, size_t from)
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
static void insert_blank_redop_and_root(const state *s, text_line *line)
{
    size_t redop = find_column_from(s, "redop", 0), root = find_column_from(s, "root", 0);

    if (line->words < s->columns && redop < line->words && line_word_as_number(line, redop) >= 0)
        insert_empty_word(line, redop);
    if (line->words < s->columns && root < line->words &&
        (strchr(line->word[root], '.') || strspn(line->word[root], "0123456789") > 3))
        insert_empty_word(line, root);
}

static const char *word_or_null(const text_line *line, size_t i)
{
    return i < line->words ? line->word[i] : NULL;
}

static const char *dtype_of_printed_type(const char *type)
{
    static const char *const names[][2] = {{"float", "fp32"},   {"double", "fp64"},
                                           {"half", "fp16"},    {"bfloat16", "bf16"},
                                           {"fp8_e4m3", "fp8"}, {"f8e4m3", "fp8"}};

    for (size_t i = 0; type && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(type, names[i][0]) == 0) return names[i][1];
    return type;
}

static void add_mean_with_size(abdb_entry *entry, const char *metric, const text_line *line,
                               size_t column, const char *unit)
{
    abdb_result *result = abdb_entry_add_printed_result(
        entry, metric, "mean", word_or_null(line, column), ABDB_MARK_UNKNOWN, unit);

    if (result) result->x = line_word_as_number(line, 0);
}

/* A factor, where the column is not blank. */
static void add_nonblank_factor(abdb_entry *entry, const char *factor, const char *text)
{
    if (text && *text) abdb_entry_add_factor(entry, factor, text);
}

/* One size in one place: its columns begin with the time. */
static abdb_status import_nccl_table_placement(state *s, const text_line *line, size_t from,
                                               const char *place, abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    size_t checked = find_column_from(s, "#wrong", from);
    const char *wrong =
        word_or_null(line, checked < s->columns ? checked : find_column_from(s, "error", from));
    const char *workload = *s->collective ? s->collective : NULL;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, "nccl-tests", workload,
                                abdb_arena_printf(&a, "line %ld %s", line->number, place),
                                line->number);
    set_devices_and_nodes(s, entry, &a);
    entry->field[ABDB_FIELD_dtype] =
        dtype_of_printed_type(word_or_null(line, find_column_from(s, "type", 0)));
    set_verification(entry, line, checked, find_column_from(s, "error", from));
    abdb_entry_add_factor(entry, "message_bytes", word_or_null(line, 0));
    add_nonblank_factor(entry, "redop", word_or_null(line, find_column_from(s, "redop", 0)));
    add_nonblank_factor(entry, "root", word_or_null(line, find_column_from(s, "root", 0)));
    abdb_entry_add_factor(entry, "place", place);
    if (wrong) abdb_entry_add_factor(entry, "wrong", wrong);
    add_mean_with_size(entry, "time_s", line, from, "us");
    add_mean_with_size(entry, "bytes_per_s", line, find_column_from(s, "algbw", from), "GB/s");
    add_mean_with_size(entry, "busbw_bytes_per_s", line, find_column_from(s, "busbw", from),
                       "GB/s");
    if (!(line_word_as_number(line, from) > 0)) {
        abdb_left_out_count_entry(s->left_out, entry);
        goto done;
    }
    abdb_entry_apply_overrides(entry, s->words);
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
        const size_t column[] = {from, find_column_from(s, "algbw", from),
                                 find_column_from(s, "busbw", from)};

        for (size_t i = 0; i < sizeof column / sizeof column[0]; i++)
            abdb_count_values_read(isfinite(line_word_as_number(line, column[i])));
    }
}

static bool is_rank_line(const text_line *line, bool note)
{
    return (note || (line->words && strcmp(line->word[0], "Rank") == 0)) &&
           strstr(line->text, "Rank ") && strstr(line->text, " device ") && strchr(line->text, '[');
}

static abdb_status import_nccl_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    bool note = line->words && line->word[0][0] == '#';
    text_line filled = *line;
    abdb_status st = ABDB_OK;

    find_collective_in_line(s, line->text);
    if (note) find_ranks_of_process(s, line);
    if (is_rank_line(line, note)) count_rank_note_host_device(s, line);
    if (parse_table_header(s, line) || note || !s->columns || !(line_word_as_number(line, 0) >= 0))
        return ABDB_OK;
    insert_blank_redop_and_root(s, &filled);
    line = &filled;
    if (line->words != s->columns) {
        count_refused_line_values(s, line);
        return line_reject_and_end_row(s->sink, line, "",
                                       "not as many words as the table has columns", err);
    }
    if (!*s->collective && !abdb_overrides_get(s->words, "workload"))
        return ABDB_FAIL(err, ABDB_DATA,
                         "line %ld: no line before it names the collective; say it with"
                         " --set workload=NAME, which is all_reduce, all_gather, all_to_all, ...",
                         line->number);
    if (!(line_word_as_number(line, s->first) > 0)) {
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

static abdb_status read_nccl_tests(const abdb_input *in, const abdb_overrides *overrides,
                                   const abdb_sink *sink, abdb_error *err)
{
    state *s = calloc(1, sizeof *s);
    abdb_status st;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a table");
    s->left_out = in->left_out;
    s->words = overrides;
    s->sink = sink;
    st = lines_read_each(in, import_nccl_line, s, err);
    abdb_arena_free(&s->arena);
    free(s);
    return st;
}

const abdb_importer abdb_import_nccl_tests = {
    "nccl-tests",
    "nccl-tests and rccl-tests: the table of the console, or a CSV copy of it",
    3,
    NULL,
    nccl_tests_bid,
    read_nccl_tests};
