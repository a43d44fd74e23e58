/* import_rccl_file.c - rccl-tests with -x FILE: -Z csv or -Z json.
 *
 * No such file was found in public; how the outputs in four pull requests (rccl-tests 93 and 140,
 * rocm-systems 3141 and 6004) and their sources disagree: JSON was an object a line with "#wrong"
 * and names in alphabetical order, and is an array with "wrong" since July 2025; the CSV had blanks
 * behind its commas until then, and writes inPlace, algBw and busBw in capitals or not. A build
 * without MPI writes "gpus" (threads times GPUs of its one process), one with MPI nodes, ranks (its
 * processes), ranksPerNode and gpusPerRank. Until May 2026 that header lacked "nodes", so that each
 * cell stood one heading too far left: such a header is completed. ranksPerNode may be all ranks,
 * and nodes what follows from it, so both stay factors. "wrong" is N/A where nothing was checked.
 * Times are in us, rates in GB/s; no file names the device. The input row is one size in one place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/programs/nccl_types.h"
#include "ingest/read/flat_records.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
} state;

static int rccl_file_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"algBw\"|\"busBw\"|\"inPlace\"") ||
                   abdb_flat_has_all_keys_or_columns(in, "numCycle|algBw|busBw") ||
                   abdb_flat_has_all_keys_or_columns(in, "numCycle|algbw|busbw")
               ? 88
               : 0;
}

/* A value without the blanks and quotes that older versions put around it. */
static const char *bare_text_or_null(const abdb_flat_record *r, const char *name, abdb_arena *arena)
{
    const char *text = abdb_flat_text_or_null_mark_asked(r, name);

    if (!text) return NULL;
    text += strspn(text, " \"");
    return abdb_arena_copy(arena, text, strcspn(text, " \""));
}

/* By the name of one version or of another. */
static const char *bare_text_of_either_or_null(const abdb_flat_record *r, const char *name,
                                               const char *other, abdb_arena *arena)
{
    const char *text = bare_text_or_null(r, name, arena);

    return text ? text : bare_text_or_null(r, other, arena);
}

/* "AllReduce": as its program is called, "all_reduce". Another name stays. */
static const char *collective_of_name_or_same(const char *name)
{
    static const char *const names[][2] = {{"AllReduce", "all_reduce"},
                                           {"AllGather", "all_gather"},
                                           {"ReduceScatter", "reduce_scatter"},
                                           {"AlltoAll", "all_to_all"},
                                           {"AllToAll", "all_to_all"},
                                           {"AlltoAllv", "alltoallv"},
                                           {"Broadcast", "broadcast"},
                                           {"Reduce", "reduce"},
                                           {"Gather", "gather"},
                                           {"Scatter", "scatter"},
                                           {"SendRecv", "sendrecv"},
                                           {"HyperCube", "hypercube"},
                                           {"AllReduceBias", "all_reduce_bias"}};

    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0) return names[i][1];
    return name;
}

/* All GPUs that took part: of one process, or of all. NULL: not stated. */
static const char *device_count_or_null(const abdb_flat_record *r, abdb_arena *arena)
{
    long long alone = abdb_flat_parse_count_or_zero(r, "gpus"),
              ranks = abdb_flat_parse_count_or_zero(r, "ranks"),
              each = abdb_flat_parse_count_or_zero(r, "gpusPerRank");

    if (!each) each = abdb_flat_parse_count_or_zero(r, "gpusperrank");
    if (!alone && ranks < 1000000 && each < 1000000) alone = ranks * each;
    return alone ? abdb_arena_printf(arena, "%lld", alone) : NULL;
}

/* Adds the time, algbw and busbw of a record at its message size. */
static void add_time_and_rates(abdb_entry *entry, const abdb_flat_record *r, abdb_arena *arena)
{
    static const char *const values[][4] = {{"time", "time", "time_s", "us"},
                                            {"algBw", "algbw", "bytes_per_s", "GB/s"},
                                            {"busBw", "busbw", "busbw_bytes_per_s", "GB/s"}};
    double size = abdb_flat_number_or_nan_note_doubt(r, "size");

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const char *text = bare_text_of_either_or_null(r, values[i][0], values[i][1], arena);
        bool capital = abdb_flat_text_or_null_mark_asked(r, values[i][0]) != NULL;
        abdb_result *result = abdb_entry_add_printed_result_or_count_left_out(
            entry, values[i][2], "mean", text,
            abdb_flat_decimal_mark(r, values[i][capital ? 0 : 1]), values[i][3]);

        if (result) result->x = size;
    }
}

/* Notes whether the values were checked, and marks wrong ones. */
static void set_verdict_of_wrong_values(abdb_entry *entry, const char *wrong)
{
    double count;

    if (!wrong || !abdb_double_parse(wrong, ABDB_MARK_UNKNOWN, &count) || count < 0) return;
    entry->field[ABDB_FIELD_verified] = count > 0 ? "fail" : "pass";
    if (count > 0) abdb_entry_add_mark_and_problem(entry, "failed", "%s values are wrong", wrong);
}

static const char *place_of_in_place_flag_or_null(const char *flag)
{
    if (flag && strcmp(flag, "0") == 0) return "out-of-place";
    return flag && strcmp(flag, "1") == 0 ? "in-place" : NULL;
}

/* The column of GPUs or processes whose text is no count; NULL: there is none. */
static const char *unreadable_count_or_null(const abdb_flat_record *r)
{
    static const char *const names[] = {"gpus", "ranks", "gpusPerRank", "gpusperrank"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = abdb_flat_text_or_null_mark_asked(r, names[i]);

        if (text && *text && strcmp(text, "0") != 0 && !abdb_flat_parse_count_or_zero(r, names[i]))
            return names[i];
    }
    return NULL;
}

static abdb_status import_or_reject_rccl_record(void *self, const abdb_flat_record *r,
                                                abdb_error *err)
{
    static const char *const values[] = {"time", "algBw", "algbw", "busBw", "busbw", NULL};
    state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    const char *place =
        place_of_in_place_flag_or_null(bare_text_of_either_or_null(r, "inPlace", "inplace", &a));
    const char *wrong = bare_text_of_either_or_null(r, "wrong", "#wrong", &a);
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    if (!place || !(abdb_flat_number_or_nan_note_doubt(r, "time") > 0) ||
        !(abdb_flat_number_or_nan_note_doubt(r, "size") > 0)) {
        abdb_flat_count_refused_values(r, values);
        TRY(abdb_flat_reject_and_end_row(
            s->sink, r, place ? "time" : "inPlace",
            place ? "no time or no size: missing, zero or no number" : "neither 0 nor 1", err));
        goto done;
    }
    if (unreadable_count_or_null(r)) {
        abdb_flat_count_refused_values(r, values);
        TRY(abdb_flat_reject_and_end_row(s->sink, r, unreadable_count_or_null(r), "no count", err));
        goto done;
    }
    abdb_entry_set_measured_run(
        entry, "nccl-tests",
        collective_of_name_or_same(bare_text_of_either_or_null(r, "collective", "name", &a)),
        r->locator, r->line);
    entry->field[ABDB_FIELD_dtype] =
        abdb_nccl_number_format_of_type_or_same(bare_text_or_null(r, "type", &a));
    entry->field[ABDB_FIELD_devices] = device_count_or_null(r, &a);
    abdb_entry_add_factor_parsing_number(entry, "message_bytes", bare_text_or_null(r, "size", &a));
    abdb_entry_add_factor_parsing_number(entry, "redop", bare_text_or_null(r, "redop", &a));
    abdb_entry_add_factor_parsing_number(entry, "place", place);
    if (wrong) abdb_entry_add_factor_parsing_number(entry, "wrong", wrong);
    set_verdict_of_wrong_values(entry, wrong);
    add_time_and_rates(entry, r, &a);
    abdb_flat_add_unread_values_as_factors(entry, r, NULL, &a);
    abdb_flat_copy_doubt_to_entry(entry, r);
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static size_t commas_of_line(const char *text, const char *end)
{
    size_t commas = 0;

    for (; text < end && *text != '\n'; text++) commas += *text == ',';
    return commas;
}

/* Copies the text, with "nodes" put into each header that lacks it while its rows have the cell. */
static void copy_text_completing_headers(const abdb_input *in, abdb_text *out)
{
    static const char begin[] = "numCycle,collective,", rest[] = "ranks,rankspernode,gpusperrank,";
    const char *end = in->text + in->text_size, *next;

    for (const char *line = in->text; line < end; line = next) {
        size_t before = strlen(begin), left = (size_t)(end - line);

        next = memchr(line, '\n', left);
        next = next ? next + 1 : end;
        if (left > before + strlen(rest) && memcmp(line, begin, before) == 0 &&
            memcmp(line + before, rest, strlen(rest)) == 0 &&
            commas_of_line(next, end) == commas_of_line(line, end) + 1) {
            abdb_text_add(out, begin, before);
            abdb_text_puts(out, "nodes,");
            line += before;
        }
        abdb_text_add(out, line, (size_t)(next - line));
    }
}

static abdb_status import_rccl_records(const abdb_input *in, const abdb_overrides *overrides,
                                       const abdb_sink *sink, abdb_error *err)
{
    state s = {overrides, sink};
    abdb_text text = {0};
    abdb_input completed = *in;
    abdb_status st = ABDB_OK;

    if (in->text_size && *in->text == 'n') {
        copy_text_completing_headers(in, &text);
        if (text.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a table"));
        completed.text = abdb_text_get(&text);
        completed.text_size = text.size;
    }
    TRY(abdb_flat_deliver_json_sql_or_csv_records(&completed, sink, import_or_reject_rccl_record,
                                                  &s, err));
done:
    abdb_text_free(&text);
    return st;
}

const abdb_importer abdb_import_rccl_file = {
    "rccl-tests-file",  "rccl-tests with -Z csv or -Z json", 1, NULL, rccl_file_bid,
    import_rccl_records};
