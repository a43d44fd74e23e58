/* import_babelstream.c - BabelStream (GPU-STREAM before 3.0): console and --csv; and the console of
 * McCalpin's STREAM, which counts the same bytes.
 *
 * How sixteen files disagree: 0.x and 1.x print no number of runs and sometimes no array size or
 * number format; 3.0 adds Dot and the driver; a launcher adds its accounting line. STREAM puts the
 * mean before the least time, calls Mul Scale, counts elements and says 8 bytes per element instead
 * of a number format. The rate is that of the least time (10^6 or, if asked, 2^20 bytes). An entry
 * is one function. The input row is a line of the table, or a record of the CSV.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_records.h"
#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"
#include "schema/core/array.h"

/* What one run says of itself. A file may hold several, of either program. */
typedef struct {
    char version[48], implementation[48], driver[48], dtype[8], array[32], runs[16], threads[16];
    char device[128];
    const char *unit; /* of the rates */
    double element_bytes;
    bool mccalpin;
    size_t min, mean, max; /* words of a line of the table; 0: no table yet */
    long rows;
} stream_run;

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    stream_run run;
    size_t at, runs, room;  /* at: which run the line at hand belongs to */
    bool *failed;           /* of each run: its validation failed, wherever that is printed */
    abdb_settings settings; /* what else the lines before the table say */
    abdb_arena arena;
} state;

/* One function of either form, as printed; NULL: not said. */
typedef struct {
    const char *function, *rate, *unit, *min, *mean, *max; /* unit of the rate; times in s */
    struct {
        abdb_decimal_mark rate, min, mean, max;
    } mark;
    const abdb_flat_record *record; /* NULL: a line of the console */
} timing;

static bool is_babelstream_csv(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "function|num_times|n_elements|sizeof");
}

/* 85 for its CSV and for a printed table of functions with rates, of BabelStream or STREAM; else 0.
 */
static int babelstream_bid(const abdb_input *in)
{
    if (is_babelstream_csv(in)) return 85;
    return lines_have_table_header_and_number_row(in, "Function", "MBytes/sec", 4) ||
                   lines_have_table_header_and_number_row(in, "Function", "MiBytes/sec", 4) ||
                   lines_have_table_header_and_number_row(in, "Function", "Rate|MB/s", 4) ||
                   lines_have_table_header_and_number_row(in, "Function", "Rate|(MB/s)", 4)
               ? 85
               : 0;
}

static const char *lowercase_function_name_scale_as_mul(const char *function, char out[16])
{
    size_t n = 0;

    /* To lower case: bit 0x20, which is enough for names that are letters only. */
    for (; function[n] && function[n] != ':' && n < 15; n++) out[n] = function[n] | 0x20;
    out[n] = '\0';
    return strcmp(out, "scale") == 0 ? "mul" : out;
}

/* Said by other factors, or following from them. */
static const char *const noise[] = {"Version",
                                    "Implementation",
                                    "Driver",
                                    "Precision",
                                    "Array size",
                                    "Number of Threads counted",
                                    "Total size",
                                    "Memory per array",
                                    "Total memory required",
                                    "STREAM version *",
                                    NULL};

/* Sends an entry for one function: its rate and its least, mean and largest time, under the run's
 * device, format and array size. */
static abdb_status import_entry_of_function_timing(state *s, const timing *t, long line,
                                                   const char *locator, abdb_error *err)
{
    const stream_run *run = &s->run;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    char operation[16];
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, run->mccalpin ? "mccalpin-stream" : "babelstream",
                                "babelstream", locator, line);
    if (t->record) abdb_flat_copy_doubt_to_entry(entry, t->record);
    entry->field[ABDB_FIELD_device] = *run->device ? run->device : NULL;
    entry->field[ABDB_FIELD_backend] = *run->implementation ? run->implementation : NULL;
    entry->field[ABDB_FIELD_dtype] = *run->dtype ? run->dtype : NULL;
    abdb_entry_add_factor_parsing_number(
        entry, "operation", lowercase_function_name_scale_as_mul(t->function, operation));
    abdb_entry_add_factor_parsing_number(entry, "array_bytes", run->array);
    abdb_entry_add_factor_parsing_number(entry, "software", run->version);
    abdb_entry_add_factor_parsing_number(entry, "driver", run->driver);
    abdb_entry_add_factor_parsing_number(entry, "repetitions", run->runs);
    abdb_entry_add_factor_parsing_number(entry, "threads", run->threads);
    if (s->failed && s->failed[s->at]) {
        entry->field[ABDB_FIELD_verified] = "fail";
        abdb_entry_add_mark_and_problem(entry, "failed", "the program found wrong values");
    }
    abdb_entry_add_printed_result_or_count_left_out(entry, "bytes_per_s", "max", t->rate,
                                                    t->mark.rate, t->unit);
    abdb_entry_add_printed_result_or_count_left_out(entry, "time_s", "min", t->min, t->mark.min,
                                                    "s");
    abdb_entry_add_printed_result_or_count_left_out(entry, "time_s", "mean", t->mean, t->mark.mean,
                                                    "s");
    abdb_entry_add_printed_result_or_count_left_out(entry, "time_s", "max", t->max, t->mark.max,
                                                    "s");
    if (t->record) abdb_flat_add_unread_values_as_factors(entry, t->record, NULL, &a);
    abdb_entry_add_settings_as_factors(entry, &s->settings, noise, &a);
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* --- the console ------------------------------------------------------------------------------ */

/* "Key: value" or a line that begins with key; false: another line. */
static bool copy_value_behind_key(const char *text, const char *key, char *out, size_t size)
{
    size_t n = strlen(key);

    if (strncmp(text, key, n) != 0) return false;
    snprintf(out, size, "%s", text + n + strspn(text + n, " "));
    abdb_trim_in_place(out);
    return true;
}

/* The number that ends at the first blank, thousands marks included; 0: there is none. */
static double parse_first_word_as_number_or_zero(const char *text)
{
    char word[64];
    double number = 0;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " "), text);
    (void)abdb_double_parse(word, ABDB_MARK_POINT, &number);
    return number;
}

/* Sets the size of an array from "268.4 MB", MiB or a number of elements; anything else leaves it
 * unknown. */
static void set_array_bytes_from_size_text(stream_run *run, const char *text)
{
    double size = parse_first_word_as_number_or_zero(text);

    if (size > 0 && strstr(text, " MB"))
        snprintf(run->array, sizeof run->array, "%.0f", size * 1e6);
    else if (size > 0 && strstr(text, " MiB"))
        snprintf(run->array, sizeof run->array, "%.0f", size * 1048576);
    else if (size > 0 && strstr(text, "(elements)") && run->element_bytes > 0)
        snprintf(run->array, sizeof run->array, "%.0f", size * run->element_bytes);
}

/* "Function MBytes/sec Min (sec) Max Average" of BabelStream, "Function Best Rate MB/s Avg time Min
 * time Max time" of STREAM: where each time stands in a line of the table. */
static void store_unit_and_time_columns_of_header(stream_run *run, const text_line *line)
{
    size_t column = 2;

    run->unit = strstr(line->text, "MiBytes/sec") ? "MiB/s" : "MB/s";
    run->mccalpin = strstr(line->text, "Rate") != NULL;
    run->min = run->mean = run->max = 0;
    for (size_t i = 1; i < line->words; i++) {
        if (strncmp(line->word[i], "Min", 3) == 0) run->min = column++;
        if (strncmp(line->word[i], "Max", 3) == 0) run->max = column++;
        if (strncmp(line->word[i], "Av", 2) == 0) run->mean = column++;
    }
}

/* The lines before the table, which say what holds for all of its rows. BabelStream's versions and
 * McCalpin's STREAM print them in their own words: each is looked for, the missing are left out. */
static void store_setting_or_header_of_line(stream_run *run, const text_line *line)
{
    const char *text = line->text;
    char word[128];

    if (strncmp(text, "BabelStream", 11) == 0 || strncmp(text, "GPU-STREAM", 10) == 0)
        snprintf(run->version, sizeof run->version, "%s", line->word[0]);
    if (copy_value_behind_key(text, "Version:", word, sizeof word) && strlen(run->version) < 12)
        snprintf(run->version + strlen(run->version), 32, " %.30s", word);
    if (copy_value_behind_key(text, "STREAM version", word, sizeof word)) {
        snprintf(run->version, sizeof run->version, "STREAM %.20s",
                 line->words > 3 ? line->word[3] : "");
        run->mccalpin = true;
    }
    copy_value_behind_key(text, "Implementation:", run->implementation, sizeof run->implementation);
    copy_value_behind_key(text, "Driver:", run->driver, sizeof run->driver);
    if (copy_value_behind_key(text, "Precision:", word, sizeof word))
        snprintf(run->dtype, sizeof run->dtype, "%s",
                 strcmp(word, "double") == 0  ? "fp64"
                 : strcmp(word, "float") == 0 ? "fp32"
                                              : "");
    if (copy_value_behind_key(text, "This system uses", word, sizeof word)) {
        run->element_bytes = parse_first_word_as_number_or_zero(word);
        snprintf(run->dtype, sizeof run->dtype, "%s",
                 run->element_bytes == 8   ? "fp64"
                 : run->element_bytes == 4 ? "fp32"
                                           : "");
    }
    if (copy_value_behind_key(text, "Array size:", word, sizeof word) ||
        copy_value_behind_key(text, "Array size =", word, sizeof word))
        set_array_bytes_from_size_text(run, word);
    if (copy_value_behind_key(text, "Running kernels", word, sizeof word) ||
        copy_value_behind_key(text, "Each kernel will be executed", word, sizeof word))
        snprintf(run->runs, sizeof run->runs, "%.*s", (int)strspn(word, "0123456789"), word);
    copy_value_behind_key(text, "Number of Threads counted =", run->threads, sizeof run->threads);
    if (strncmp(text, "Using ", 6) == 0 && strstr(text, " device "))
        copy_value_behind_key(strstr(text, " device "), " device ", run->device,
                              sizeof run->device);
    if (strstr(run->device, " (compute_units=")) *strstr(run->device, " (compute_units=") = '\0';
    if (strncmp(text, "Function", 8) == 0) store_unit_and_time_columns_of_header(run, line);
}

/* Does the line begin with what is printed before a table, but behind none? */
static bool begins_like_line_before_table(const char *text)
{
    static const char *const begin[] = {"BabelStream",
                                        "GPU-STREAM",
                                        "STREAM version",
                                        "Version:",
                                        "Implementation:",
                                        "Driver:",
                                        "Precision:",
                                        "This system uses",
                                        "Array size",
                                        "Running kernels",
                                        "Each kernel will be executed",
                                        "Number of Threads counted"};

    for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++)
        if (strncmp(text, begin[i], strlen(begin[i])) == 0) return true;
    return false;
}

/* Begins another run where the line cannot belong to the one at hand. Both passes go through here.
 */
static void start_next_run_if_line_begins_one(state *s, const char *text)
{
    bool first = strncmp(text, "BabelStream", 11) == 0 || strncmp(text, "GPU-STREAM", 10) == 0 ||
                 strncmp(text, "STREAM version", 14) == 0;
    bool header = strncmp(text, "Function", 8) == 0;

    if (!first && !(s->run.rows && (header || begins_like_line_before_table(text)))) return;
    s->run = (stream_run){.unit = "MB/s"};
    s->settings.count = 0;
    s->at++;
}

static bool is_stream_function_name(const char *word)
{
    static const char *const functions[] = {"Copy",  "Mul", "Scale",  "Add",
                                            "Triad", "Dot", "Nstream"};

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        size_t size = strlen(functions[i]);

        if (strncmp(word, functions[i], size) == 0 &&
            (!word[size] || strcmp(word + size, ":") == 0))
            return true;
    }
    return false;
}

/* A function of whatever name with four numbers, or a known one; or "GEOMEAN 349700.8". */
static bool is_function_table_row(const state *s, const text_line *line)
{
    size_t numbers = 0;

    if (!s->run.min || !line->words || !isalpha((unsigned char)line->word[0][0])) return false;
    for (size_t i = 1; i < line->words; i++) numbers += line_word_number_or_nan(line, i) >= 0;
    return is_stream_function_name(line->word[0]) ||
           (numbers == line->words - 1 && numbers % 3 == 1);
}

/* "Validation failed on a[]" of BabelStream stands before the table, "Failed Validation on array
 * a[]" of STREAM behind it. */
static abdb_status record_run_and_validation_failure_of_line(void *self, const text_line *line,
                                                             abdb_error *err)
{
    state *s = self;

    start_next_run_if_line_begins_one(s, line->text);
    if (strncmp(line->text, "Function", 8) == 0)
        store_unit_and_time_columns_of_header(&s->run, line);
    s->run.rows += is_function_table_row(s, line);
    while (s->runs <= s->at) {
        bool *more = abdb_array_reserve_one(s->failed, s->runs, &s->room, sizeof *more);

        if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a log");
        s->failed = more;
        s->failed[s->runs++] = false;
    }
    s->failed[s->at] |=
        strstr(line->text, "Validation failed") || strstr(line->text, "Failed Validation");
    return ABDB_OK;
}

/* Takes what a line says of its run, and imports a line of the table of functions. */
static abdb_status import_babelstream_console_line(void *self, const text_line *line,
                                                   abdb_error *err)
{
    state *s = self;
    timing t = {
        .unit = s->run.unit,
        .mark = {.rate = line->mark, .min = line->mark, .mean = line->mark, .max = line->mark}};
    char locator[32];

    start_next_run_if_line_begins_one(s, line->text);
    store_setting_or_header_of_line(&s->run, line);
    if (line->words > 3 && strstr(line->text, " s (=")) /* "Read: 0.274 s (=2937.1 MBytes/sec)" */
        abdb_left_out_count_value(s->left_out, line->word[0]);
    else if (*s->run.version && !s->run.min)
        abdb_settings_add_key_value_if_line_has_one(&s->settings, &s->arena, line->text);
    if (!is_function_table_row(s, line)) return ABDB_OK;
    s->run.rows++;
    if (line->words == 2 &&
        !is_stream_function_name(line->word[0])) { /* the mean over all functions */
        abdb_left_out_count_value(s->left_out, line->word[0]);
        return ABDB_OK;
    }
    if (line->words != 5 || !s->run.max || s->run.max > 4 || !s->run.mean || s->run.mean > 4 ||
        s->run.min > 4 || !(line_word_number_or_nan(line, 1) > 0))
        return line_reject_count_numbers_and_end_row(s->sink, line, "",
                                                     "not a rate and three times", err);
    snprintf(locator, sizeof locator, "line %ld", line->number);
    t.function = line->word[0];
    t.rate = line->word[1];
    t.unit = s->run.unit;
    t.min = line->word[s->run.min];
    t.max = line->word[s->run.max];
    t.mean = line->word[s->run.mean];
    return import_entry_of_function_timing(s, &t, line->number, locator, err);
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* Imports a row of the CSV as the timing of one function. */
static abdb_status import_or_reject_babelstream_csv_row(void *self, const abdb_flat_record *r,
                                                        abdb_error *err)
{
    state *s = self;
    bool binary = abdb_flat_text_or_null_mark_asked(r, "max_mibytes_per_sec") != NULL;
    const char *key = binary ? "max_mibytes_per_sec" : "max_mbytes_per_sec";
    const char *const values[] = {key, "min_runtime", "avg_runtime", "max_runtime", NULL};
    double n = abdb_flat_number_or_nan_note_doubt(r, "n_elements"),
           size = abdb_flat_number_or_nan_note_doubt(r, "sizeof");
    timing t = {.function = abdb_flat_text_or_null_mark_asked(r, "function"),
                .rate = abdb_flat_text_or_null_mark_asked(r, key),
                .record = r,
                .unit = binary ? "MiB/s" : "MB/s",
                .min = abdb_flat_text_or_null_mark_asked(r, "min_runtime"),
                .mean = abdb_flat_text_or_null_mark_asked(r, "avg_runtime"),
                .max = abdb_flat_text_or_null_mark_asked(r, "max_runtime"),
                .mark = {.rate = abdb_flat_decimal_mark(r, key),
                         .min = abdb_flat_decimal_mark(r, "min_runtime"),
                         .mean = abdb_flat_decimal_mark(r, "avg_runtime"),
                         .max = abdb_flat_decimal_mark(r, "max_runtime")}};

    if (!t.function || !(abdb_flat_number_or_nan_note_doubt(r, key) > 0)) {
        abdb_flat_count_refused_values(r, values);
        return abdb_flat_reject_and_end_row(s->sink, r, key, "no function, or no rate", err);
    }

    s->run = (stream_run){.version = "BabelStream"};
    snprintf(s->run.dtype, sizeof s->run.dtype, "%s", size == 8 ? "fp64" : size == 4 ? "fp32" : "");
    snprintf(s->run.runs, sizeof s->run.runs, "%.12s",
             abdb_flat_text_or_null_mark_asked(r, "num_times")
                 ? abdb_flat_text_or_null_mark_asked(r, "num_times")
                 : "");
    if (n * size > 0) snprintf(s->run.array, sizeof s->run.array, "%.0f", n * size);
    return import_entry_of_function_timing(s, &t, r->line, r->locator, err);
}

/* Imports the CSV row by row. A console is read twice: for its runs and those that failed
 * validation, then for the timings. */
static abdb_status import_babelstream_csv_or_console(const abdb_input *in,
                                                     const abdb_overrides *overrides,
                                                     const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink, .left_out = in->left_out, .run = {.unit = "MB/s"}};
    abdb_status st;

    if (is_babelstream_csv(in))
        return abdb_flat_deliver_json_sql_or_csv_records(
            in, sink, import_or_reject_babelstream_csv_row, &s, err);
    st = lines_deliver_each_without_mark(in, record_run_and_validation_failure_of_line, &s, err);
    s.run = (stream_run){.unit = "MB/s"};
    s.at = s.settings.count = 0;
    if (st == ABDB_OK)
        st = lines_deliver_each_with_mark(in, lines_find_decimal_mark_by_number_rows(in),
                                          import_babelstream_console_line, &s, err);
    free(s.failed);
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_babelstream = {"babelstream",
                                               "BabelStream (console, --csv) and STREAM (console)",
                                               4,
                                               NULL,
                                               babelstream_bid,
                                               import_babelstream_csv_or_console};
