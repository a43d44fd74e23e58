/* import_babelstream.c - BabelStream (GPU-STREAM before 3.0): console and --csv; and the console of
 * McCalpin's STREAM, which counts the same bytes.
 *
 * How sixteen files disagree: 0.x and 1.x print no number of runs and sometimes no array size or
 * number format; 3.0 adds Dot and the driver; a launcher adds its accounting line. STREAM puts the
 * mean before the least time, calls Mul Scale, counts elements and says 8 bytes per element instead
 * of a number format. The rate is that of the least time (10^6 or, if asked, 2^20 bytes). An entry
 * is one function. The input row is a line of the table, or a record of the CSV.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_records.h"
#include "ingest/read/text_lines.h"

enum { RUNS_MAX = 256 }; /* of one file */

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    char version[48], implementation[48], driver[48], dtype[8], array[32], runs[16], threads[16];
    char device[128];
    const char *unit; /* of the rates */
    double element_bytes;
    bool table, mccalpin;
    size_t at_min, at_max, at_mean; /* words of a line of the table */
    size_t run;                     /* number of the run at hand */
    bool failed[RUNS_MAX];          /* the run's own check found wrong values */
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
    return abdb_flat_has_value_names(in, "function|num_times|n_elements|sizeof");
}

static int babelstream_bid(const abdb_input *in)
{
    if (is_babelstream_csv(in)) return 85;
    return lines_have_printed_table(in, "Function", "MBytes/sec", 4) ||
                   lines_have_printed_table(in, "Function", "MiBytes/sec", 4) ||
                   lines_have_printed_table(in, "Function", "Rate|MB/s", 4)
               ? 85
               : 0;
}

static const char *operation_name_of_function(const char *function, char out[16])
{
    size_t n = 0;

    /* To lower case: bit 0x20, which is enough for names that are letters only. */
    for (; function[n] && function[n] != ':' && n < 15; n++) out[n] = function[n] | 0x20;
    out[n] = '\0';
    return strcmp(out, "scale") == 0 ? "mul" : out;
}

static abdb_status import_function_timing(state *s, const timing *t, long line, const char *locator,
                                          abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    char operation[16];
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, s->mccalpin ? "mccalpin-stream" : "babelstream",
                                "babelstream", locator, line);
    if (t->record) abdb_flat_pass_doubt(entry, t->record);
    entry->field[ABDB_FIELD_device] = *s->device ? s->device : NULL;
    entry->field[ABDB_FIELD_backend] = *s->implementation ? s->implementation : NULL;
    entry->field[ABDB_FIELD_dtype] = *s->dtype ? s->dtype : NULL;
    abdb_entry_add_factor(entry, "operation", operation_name_of_function(t->function, operation));
    abdb_entry_add_factor(entry, "array_bytes", s->array);
    abdb_entry_add_factor(entry, "software", s->version);
    abdb_entry_add_factor(entry, "driver", s->driver);
    abdb_entry_add_factor(entry, "repetitions", s->runs);
    abdb_entry_add_factor(entry, "threads", s->threads);
    abdb_entry_add_printed_result(entry, "bytes_per_s", "max", t->rate, t->mark.rate, t->unit);
    abdb_entry_add_printed_result(entry, "time_s", "min", t->min, t->mark.min, "s");
    abdb_entry_add_printed_result(entry, "time_s", "mean", t->mean, t->mark.mean, "s");
    abdb_entry_add_printed_result(entry, "time_s", "max", t->max, t->mark.max, "s");
    if (s->run < RUNS_MAX && s->failed[s->run]) {
        entry->field[ABDB_FIELD_verified] = "fail";
        abdb_entry_add_mark_and_problem(entry, "failed", "the program found wrong values");
    }
    abdb_entry_apply_overrides(entry, s->words);
    TRY(s->sink->entry(s->sink->self, entry, err));
    TRY(s->sink->row_end(s->sink->self, err));
done:
    free(entry);
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
static double parse_first_word(const char *text)
{
    char word[64];
    double number = 0;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " "), text);
    (void)abdb_double_parse(word, ABDB_MARK_POINT, &number);
    return number;
}

static void set_array_bytes(state *s, const char *text)
{
    double size = parse_first_word(text);

    if (size > 0 && strstr(text, " MB"))
        snprintf(s->array, sizeof s->array, "%.0f", size * 1e6);
    else if (size > 0 && strstr(text, "(elements)") && s->element_bytes > 0)
        snprintf(s->array, sizeof s->array, "%.0f", size * s->element_bytes);
}

/* The columns of times, in the order of the heading: BabelStream's is min, max, average, STREAM's
 * average, min, max. */
static void find_time_columns(state *s, const char *heading)
{
    const char *min = strstr(heading, "Min"), *max = strstr(heading, "Max"),
               *mean = strstr(heading, "Av");

    if (!min || !max || !mean) return;
    s->at_min = 2 + (size_t)(max < min) + (size_t)(mean < min);
    s->at_max = 2 + (size_t)(min < max) + (size_t)(mean < max);
    s->at_mean = 2 + (size_t)(min < mean) + (size_t)(max < mean);
}

/* Does the line begin a run? */
static bool begins_run(const char *text)
{
    return strncmp(text, "BabelStream", 11) == 0 || strncmp(text, "GPU-STREAM", 10) == 0 ||
           strncmp(text, "STREAM version", 14) == 0;
}

/* The check stands before BabelStream's table and behind STREAM's. */
static abdb_status find_failed_runs(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;

    (void)err;
    s->run += begins_run(line->text);
    if (s->run < RUNS_MAX && (strncmp(line->text, "Validation failed", 17) == 0 ||
                              strncmp(line->text, "Failed Validation", 17) == 0))
        s->failed[s->run] = true;
    return ABDB_OK;
}

/* The lines before the table, which say what holds for all of its rows. BabelStream's versions and
 * McCalpin's STREAM print them in their own words: each is looked for, the missing are left out. */
static void parse_setting_line(state *s, const text_line *line)
{
    const char *text = line->text;
    char word[128];

    s->run += begins_run(text);
    if (strncmp(text, "BabelStream", 11) == 0 || strncmp(text, "GPU-STREAM", 10) == 0)
        snprintf(s->version, sizeof s->version, "%s", line->word[0]);
    if (copy_value_behind_key(text, "Version:", word, sizeof word) && strlen(s->version) < 12)
        snprintf(s->version + strlen(s->version), 32, " %.30s", word);
    if (copy_value_behind_key(text, "STREAM version", word, sizeof word)) {
        snprintf(s->version, sizeof s->version, "STREAM %.20s",
                 line->words > 3 ? line->word[3] : "");
        s->mccalpin = true;
    }
    copy_value_behind_key(text, "Implementation:", s->implementation, sizeof s->implementation);
    copy_value_behind_key(text, "Driver:", s->driver, sizeof s->driver);
    if (copy_value_behind_key(text, "Precision:", word, sizeof word))
        snprintf(s->dtype, sizeof s->dtype, "%s",
                 strcmp(word, "double") == 0  ? "fp64"
                 : strcmp(word, "float") == 0 ? "fp32"
                                              : "");
    if (copy_value_behind_key(text, "This system uses", word, sizeof word)) {
        s->element_bytes = parse_first_word(word);
        snprintf(s->dtype, sizeof s->dtype, "%s",
                 s->element_bytes == 8   ? "fp64"
                 : s->element_bytes == 4 ? "fp32"
                                         : "");
    }
    if (copy_value_behind_key(text, "Array size:", word, sizeof word) ||
        copy_value_behind_key(text, "Array size =", word, sizeof word))
        set_array_bytes(s, word);
    if (copy_value_behind_key(text, "Running kernels", word, sizeof word) ||
        copy_value_behind_key(text, "Each kernel will be executed", word, sizeof word))
        snprintf(s->runs, sizeof s->runs, "%.*s", (int)strspn(word, "0123456789"), word);
    copy_value_behind_key(text, "Number of Threads counted =", s->threads, sizeof s->threads);
    if (strncmp(text, "Using ", 6) == 0 && strstr(text, " device "))
        copy_value_behind_key(strstr(text, " device "), " device ", s->device, sizeof s->device);
    if (strstr(s->device, " (compute_units=")) *strstr(s->device, " (compute_units=") = '\0';
    if (strncmp(text, "Function", 8) == 0) {
        s->table = true;
        find_time_columns(s, text);
        s->unit = strstr(text, "MiBytes/sec") ? "MiB/s" : "MB/s";
    }
}

static abdb_status import_stream_line(void *self, const text_line *line, abdb_error *err)
{
    static const char *const functions[] = {"Copy",  "Mul", "Scale",  "Add",
                                            "Triad", "Dot", "Nstream"};
    state *s = self;
    bool known = false;
    timing t = {.unit = s->unit};
    char locator[32];

    parse_setting_line(s, line);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && line->words; i++)
        known |= strncmp(line->word[0], functions[i], strlen(functions[i])) == 0 &&
                 strspn(line->word[0] + strlen(functions[i]), ":") ==
                     strlen(line->word[0] + strlen(functions[i]));
    if (!s->table || !known) return ABDB_OK;
    if (line->words != 5 || !(line_word_as_number(line, 1) > 0)) {
        line_count_numbers_of_refused_line(line, 1);
        return line_reject_and_end_row(s->sink, line, "", "not a rate and three times", err);
    }
    snprintf(locator, sizeof locator, "line %ld", line->number);
    t.function = line->word[0];
    t.rate = line->word[1];
    t.min = line->word[s->at_min];
    t.max = line->word[s->at_max];
    t.mean = line->word[s->at_mean];
    return import_function_timing(s, &t, line->number, locator, err);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static abdb_status import_babelstream_record(void *self, const abdb_flat_record *r, abdb_error *err)
{
    state *s = self;
    bool binary = abdb_flat_text_or_null(r, "max_mibytes_per_sec") != NULL;
    const char *key = binary ? "max_mibytes_per_sec" : "max_mbytes_per_sec";
    const char *const values[] = {key, "min_runtime", "avg_runtime", "max_runtime", NULL};
    double n = abdb_flat_number_or_nan(r, "n_elements"),
           size = abdb_flat_number_or_nan(r, "sizeof");
    timing t = {.function = abdb_flat_text_or_null(r, "function"),
                .rate = abdb_flat_text_or_null(r, key),
                .record = r,
                .unit = binary ? "MiB/s" : "MB/s",
                .min = abdb_flat_text_or_null(r, "min_runtime"),
                .mean = abdb_flat_text_or_null(r, "avg_runtime"),
                .max = abdb_flat_text_or_null(r, "max_runtime"),
                .mark = {.rate = abdb_flat_mark(r, key),
                         .min = abdb_flat_mark(r, "min_runtime"),
                         .mean = abdb_flat_mark(r, "avg_runtime"),
                         .max = abdb_flat_mark(r, "max_runtime")}};

    if (!t.function || !(abdb_flat_number_or_nan(r, key) > 0)) {
        abdb_flat_count_refused_values(r, values);
        return abdb_flat_reject_and_end_row(s->sink, r, key, "no function, or no rate", err);
    }

    snprintf(s->version, sizeof s->version, "BabelStream");
    snprintf(s->dtype, sizeof s->dtype, "%s", size == 8 ? "fp64" : size == 4 ? "fp32" : "");
    snprintf(s->runs, sizeof s->runs, "%.12s",
             abdb_flat_text_or_null(r, "num_times") ? abdb_flat_text_or_null(r, "num_times") : "");
    if (n * size > 0) snprintf(s->array, sizeof s->array, "%.0f", n * size);
    return import_function_timing(s, &t, r->line, r->locator, err);
}

static abdb_status read_babelstream(const abdb_input *in, const abdb_overrides *overrides,
                                    const abdb_sink *sink, abdb_error *err)
{
    state s = {
        .words = overrides, .sink = sink, .unit = "MB/s", .at_min = 2, .at_max = 3, .at_mean = 4};
    abdb_status st;

    if (is_babelstream_csv(in))
        return abdb_flat_read_records(in, sink, import_babelstream_record, &s, err);
    st = lines_read_each(in, find_failed_runs, &s, err);
    s.run = 0;
    return st == ABDB_OK ? lines_read_each(in, import_stream_line, &s, err) : st;
}

const abdb_importer abdb_import_babelstream = {
    "babelstream",   "BabelStream (console, --csv) and STREAM (console)", 3, NULL, babelstream_bid,
    read_babelstream};
