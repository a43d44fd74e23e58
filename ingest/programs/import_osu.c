/* import_osu.c - OSU micro-benchmarks: the console of one program or of several.
 *
 * How eleven files disagree: the title names test, buffers (MPI-CUDA: on devices) and version; a
 * bandwidth test has MB/s, a latency test "Avg Latency(us)" and with -f least, largest and
 * iterations, a non-blocking one the overall, computing and communicating time; Validation is there
 * only when asked for. A table in a report is indented, by a quote or a launcher's number. A crash
 * leaves a title without rows, and traces. MB is 10^6 bytes. No file
 * says devices or nodes. An entry is one message size. The input row is a line of the table.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"

typedef struct {
    const char *metric, *statistic, *unit; /* metric NULL: a factor; unit "": Pass or Fail */
    char name[48];                         /* as printed */
} column;

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    char workload[96], buffers[48], version[32], datatype[32], title[160];
    long title_line, rows; /* rows: since the title */
    size_t columns;
    column column[LINE_WORDS_MAX];
    abdb_settings settings; /* of the lines between title and table */
    abdb_arena arena;
} state;

static int osu_bid(const abdb_input *in)
{
    return lines_any_in_first_part_begins_with(in, "# OSU ") ? 85 : 0; /* indented, too */
}

static abdb_status reject_last_test_if_without_rows(state *s, abdb_error *err)
{
    text_line line = {.number = s->title_line, .text = s->title};

    if (!s->title_line || s->rows) return ABDB_OK;
    return line_reject_and_end_row(s->sink, &line, "",
                                   "a test without results: it ended before its first row", err);
}

/* "# OSU MPI-CUDA Non-blocking Allreduce Latency Test v7.5" */
static abdb_status reject_empty_test_and_parse_title(state *s, const text_line *line,
                                                     abdb_error *err)
{
    const char *from = strstr(line->text, "# OSU ") + 6, *to = strstr(from, " Test");
    size_t n = 0;
    abdb_status st = reject_last_test_if_without_rows(s, err);

    if (strncmp(from, "MPI", 3) == 0) {
        size_t size = strcspn(from, " ");

        snprintf(s->buffers, sizeof s->buffers, "%s", "host");
        /* "MPI-CUDA": what stands behind "MPI-". */
        if (size > 4) snprintf(s->buffers, sizeof s->buffers, "%.*s", (int)size - 4, from + 4);
        from += size + (from[size] != 0);
    }
    n = (size_t)snprintf(s->workload, sizeof s->workload, "osu-%.*s",
                         to && to > from ? (int)(to - from) : 0, from);
    for (size_t i = 0; i < n && i < sizeof s->workload - 1; i++)
        s->workload[i] = s->workload[i] == ' ' ? '-' : (char)tolower((unsigned char)s->workload[i]);
    snprintf(s->version, sizeof s->version, "OSU %s", to && strlen(to) > 6 ? to + 6 : "");
    snprintf(s->title, sizeof s->title, "%s", line->text);
    s->datatype[0] = '\0';
    s->title_line = line->number;
    s->rows = 0;
    s->columns = s->settings.count = 0;
    return st;
}

/* "DEVICE (D)" where a buffer lies: host, managed, or the kind of device that the title names. */
static void print_buffer_place(const state *s, const char *word, char *out, size_t size)
{
    if (strncmp(word, "DEVICE", 6) == 0)
        snprintf(out, size, "%.15s", strcmp(s->buffers, "host") == 0 ? "device" : s->buffers);
    else
        snprintf(out, size, "%.*s", (int)strcspn(word, " ("), word);
    for (char *c = out; strncmp(word, "DEVICE", 6) != 0 && *c; c++)
        *c = (char)tolower((unsigned char)*c);
}

/* "# Send Buffer on HOST (H) and Receive Buffer on DEVICE (D)": a build for devices may leave its
 * buffers on the host. */
static void store_buffers_if_line_places_them(state *s, const char *text)
{
    const char *first = strstr(text, " on "), *and = first ? strstr(first, " and ") : NULL;
    const char *second = and? strstr(and, " on ") : NULL;
    char from[16], to[16];

    if (!second || !strchr(second, '(')) return;
    print_buffer_place(s, first + 4, from, sizeof from);
    print_buffer_place(s, second + 4, to, sizeof to);
    if (strcmp(from, to) == 0)
        snprintf(s->buffers, sizeof s->buffers, "%s", from);
    else
        snprintf(s->buffers, sizeof s->buffers, "%s to %s", from, to);
}

/* A heading behind the rows of a table, without a title, is of another run: which test it was is
 * not said. */
static void forget_title_if_another_table_begins(state *s, const char *text)
{
    if (*text != '#' || !s->rows || !s->title_line) return;
    if (strncmp(text, "# Size", 6) != 0 && !strstr(text, "Buffer on ")) return;
    s->title_line = s->rows = 0;
    s->columns = s->settings.count = 0;
}

/* Of a non-blocking test: parts of the overall time, each a quantity of its own. */
static const char *const parts[][2] = {{"Compute", "compute_time_s"},
                                       {"Coll. Init", "initiation_time_s"},
                                       {"MPI_Test", "test_time_s"},
                                       {"MPI_Wait", "wait_time_s"},
                                       {"Pure Comm", "communication_time_s"}};

/* What a column holds by its heading; no metric where it is none that abdb knows. */
static column metric_and_unit_of_heading(const char *name)
{
    if (strncmp(name, "Messages/s", 10) == 0) return (column){"items_per_s", "value", "item/s", ""};
    if (strstr(name, "MB/s")) return (column){"bytes_per_s", "value", "MB/s", ""};
    if (strncmp(name, "Validation", 10) == 0) return (column){"verified", NULL, "", ""};
    if (strncmp(name, "Overlap", 7) == 0) return (column){"overlap", "value", "%", ""};
    if (!strstr(name, "(us)")) return (column){0};
    if (strncmp(name, "Avg", 3) == 0 || strncmp(name, "Latency", 7) == 0 ||
        strncmp(name, "Overall", 7) == 0)
        return (column){"time_s", "mean", "us", ""};
    if (strncmp(name, "Min", 3) == 0) return (column){"time_s", "min", "us", ""};
    if (strncmp(name, "Max", 3) == 0) return (column){"time_s", "max", "us", ""};
    if (strncmp(name, "P50", 3) == 0) return (column){"time_s", "p50", "us", ""};
    if (strncmp(name, "P90", 3) == 0) return (column){"time_s", "p90", "us", ""};
    if (strncmp(name, "P99", 3) == 0) return (column){"time_s", "p99", "us", ""};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strncmp(name, parts[i][0], strlen(parts[i][0])) == 0)
            return (column){parts[i][1], "mean", "us", ""};
    return (column){0};
}

/* "# Size       Avg Latency(us)        Validation": two blanks or more stand between columns. */
static void store_columns_of_heading_line(state *s, const char *text)
{
    char name[64];

    s->columns = 0;
    for (text += 2; *text && s->columns < LINE_WORDS_MAX;) {
        size_t size = 0;

        text += strspn(text, " \t");
        while (text[size] && text[size] != '\t' && strncmp(text + size, "  ", 2) != 0 &&
               (size == 0 || text[size - 1] != ')'))
            size++;
        snprintf(name, sizeof name, "%.*s", (int)(size < 63 ? size : 63), text);
        if (size) {
            s->column[s->columns] = metric_and_unit_of_heading(name);
            snprintf(s->column[s->columns++].name, sizeof s->column->name, "%.47s", name);
        }
        text += size;
    }
}

/* Said by a field, or by n of the results. */
static const char *const noise[] = {"Size", "Datatype", "Iterations", NULL};

static void set_result_counts_from_iterations(const state *s, const text_line *line,
                                              abdb_entry *entry)
{
    double n;

    for (size_t i = 1; i < s->columns; i++)
        if (strcmp(s->column[i].name, "Iterations") == 0 &&
            (n = line_word_number_or_nan(line, i)) >= 1)
            for (size_t k = 0; k < entry->results; k++) entry->result[k].n = (long long)n;
}

/* One row of a table: message size, then one column for each figure. A column without a unit is
 * the verdict of validation (-c). */
static abdb_status import_or_reject_osu_row(state *s, const text_line *line, abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    char locator[32];
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    snprintf(locator, sizeof locator, "line %ld", line->number);
    abdb_entry_set_measured_run(entry, "osu-micro-benchmarks", s->workload, locator, line->number);
    abdb_entry_add_factor_parsing_number(entry, "software", s->version);
    abdb_entry_add_factor_parsing_number(entry, "buffers", s->buffers);
    abdb_entry_add_factor_parsing_number(entry, "datatype", s->datatype);
    abdb_entry_add_factor_parsing_number(entry, "message_bytes", line->word[0]);
    for (size_t i = 1; i < s->columns; i++) {
        const column *c = &s->column[i];
        abdb_result *result;

        if (!c->metric) {
            abdb_entry_add_renamed_extra_factor_unless_ignored(entry, c->name, line->word[i],
                                                               ABDB_MARK_UNKNOWN, noise, &a);
            continue;
        }
        if (!*c->unit) {
            bool pass = strcmp(line->word[i], "Pass") == 0;

            entry->field[ABDB_FIELD_verified] = pass                                 ? "pass"
                                                : strcmp(line->word[i], "Fail") == 0 ? "fail"
                                                                                     : "unchecked";
            if (strcmp(line->word[i], "Fail") == 0)
                abdb_entry_add_mark_to_flags_once(entry, "failed");
            continue;
        }
        result = abdb_entry_add_printed_result_or_count_left_out(
            entry, c->metric, c->statistic, line->word[i], line->mark, c->unit);
        if (result) result->x = line_word_number_or_nan(line, 0);
    }
    set_result_counts_from_iterations(s, line, entry);
    abdb_entry_add_settings_as_factors(entry, &s->settings, noise, &a);
    if (!entry->results)
        TRY(line_reject_and_end_row(s->sink, line, "",
                                    entry->doubt ? entry->doubt : "no time and no rate", err));
    else {
        TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
    }
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* Takes the title, the type or the heading that a line is, or imports a row of the table below. */
static abdb_status store_heading_or_import_osu_line(void *self, const text_line *line,
                                                    abdb_error *err)
{
    state *s = self;
    const char *text = line->text + strspn(line->text, " \t");

    if (strstr(line->text, "# OSU ") && strstr(line->text, " Test"))
        return reject_empty_test_and_parse_title(s, line, err);
    forget_title_if_another_table_begins(s, text);
    if (*text == '#') store_buffers_if_line_places_them(s, text);
    if (strncmp(text, "# Datatype: ", 12) == 0)
        snprintf(s->datatype, sizeof s->datatype, "%.*s", (int)strcspn(text + 12, ". "), text + 12);
    if (strncmp(text, "# Size", 6) == 0) {
        store_columns_of_heading_line(s, text);
    } else if (*text == '#' && s->title_line && !s->columns) {
        abdb_settings_add_bracketed_pairs_of_line(&s->settings, &s->arena, text);
        (void)abdb_settings_add_key_value_if_line_has_one(&s->settings, &s->arena, text);
    }
    if (!s->columns || !(line_word_number_or_nan(line, 0) >= 0)) return ABDB_OK;
    if (!s->title_line)
        return line_reject_count_numbers_and_end_row(
            s->sink, line, "", "no title (# OSU ... Test) stands before this table", err);
    s->rows++;
    if (line->words != s->columns)
        return line_reject_count_numbers_and_end_row(
            s->sink, line, "", "not as many words as the table has columns", err);
    return import_or_reject_osu_row(s, line, err);
}

/* Imports the tables of all programs of a console; a program without rows is a reject. */
static abdb_status import_osu_tables(const abdb_input *in, const abdb_overrides *overrides,
                                     const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink};
    abdb_status st = lines_deliver_each_with_mark(in, lines_find_decimal_mark_by_number_rows(in),
                                                  store_heading_or_import_osu_line, &s, err);

    if (st == ABDB_OK) st = reject_last_test_if_without_rows(&s, err);
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_osu = {
    "osu", "OSU micro-benchmarks: the table of the console", 5, NULL, osu_bid, import_osu_tables};
