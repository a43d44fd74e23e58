/* import_llama_bench.c - llama-bench of llama.cpp: -o csv, json, jsonl, sql, and the markdown table
 * that it prints by default, in a log with the ggml_* lines before it.
 *
 * How the forms disagree (ten logs and five samples were looked at): the machine forms have every
 * parameter, the samples (json, jsonl only) and times in ns; the table has a column only for what
 * was changed, its device stands in a line before it ("Device 0: NAME, ..." or "ggml_vulkan: 0 =
 * NAME
 * (...)"), its build in a line behind it, the rate with one digit fewer. A test is n_prompt and
 * n_gen, or "pp512", "tg128", "pp512+tg128", each with " @ d4096" for the depth. An entry is one
 * test: tokens per second (mean), and the mean time with its samples. The input row is a record or
 * a line of the table.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/programs/llama_devices.h"
#include "ingest/programs/llama_table.h"
#include "ingest/programs/llama_test.h"
#include "ingest/read/flat_records.h"
#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"
#include "schema/core/array.h"

#define NESTED                                                                            \
    "the records of llama-bench stand inside this object: take them out, as by jq '.. | " \
    "objects | select(.avg_ts?)'"

/* What the lines around one table say. A log, or a thread of posts, may hold several. */
typedef struct {
    llama_devices devices; /* that the run lists */
    const char *build;     /* NULL: unknown */
} log_run;

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    log_run *run;                    /* of a log */
    size_t runs, room, at;           /* at: which one the line at hand belongs to */
    bool has_table, has_ended;       /* of that run: was its table, was its last line seen? */
    bool after_fence;                /* the last line that is not blank was a ``` */
    char *column[LLAMA_COLUMNS_MAX]; /* of the table at hand */
    size_t columns;
    abdb_decimal_mark mark; /* of a log's tables */
    bool in_table;
    abdb_arena arena;
} state;

/* The heading as one line: a program that prints it has it in pieces. */
static bool has_llama_bench_table(const abdb_input *in)
{
    const char *end = in->text + (in->text_size < BID_SIZE ? in->text_size : BID_SIZE);

    for (const char *s = in->text; (s = memmem(s, (size_t)(end - s), "| model ", 8)); s++) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));

        if (llama_table_is_heading(s, (size_t)((stop ? stop : end) - s))) return true;
    }
    return false;
}

static int llama_bench_bid(const abdb_input *in)
{
    if (abdb_flat_has_all_keys_or_columns(in, "build_commit|n_prompt|avg_ts")) return 85;
    return in->text_size > 80 && has_llama_bench_table(in) ? 80 : 0;
}

/* With the backend RPC devices of other machines take part, which nothing names. */
static void move_device_to_factor_if_rpc(abdb_entry *entry)
{
    const char *backend = entry->field[ABDB_FIELD_backend];

    if (!backend || !strstr(backend, "RPC")) return;
    abdb_entry_add_factor_parsing_number(entry, "local_device", entry->field[ABDB_FIELD_device]);
    entry->field[ABDB_FIELD_device] = entry->field[ABDB_FIELD_devices] = NULL;
}

/* Completes an entry as a measured run of llama-bench and sends it to the sink. */
static abdb_status complete_and_pass_llama_entry(state *s, abdb_entry *entry, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    move_device_to_factor_if_rpc(entry);
    abdb_entry_set_measured_run(entry, "llama-bench", "llama-bench", entry->locator, entry->line);
    abdb_entry_apply_overrides_and_check(entry, s->words);
    TRY(s->sink->entry(s->sink->self, entry, err));
done:
    return st;
}

/* --- records ---------------------------------------------------------------------------------- */

/* Parameters that are no column of an entry: factors, as llama-bench names them. */
static const char *const factors[] = {
    "cpu_info",      "n_prompt",       "n_gen",          "n_depth",
    "n_batch",       "n_ubatch",       "n_threads",      "type_k",
    "type_v",        "n_gpu_layers",   "split_mode",     "main_gpu",
    "no_kv_offload", "flash_attn",     "tensor_split",   "use_mmap",
    "embeddings",    "cpu_mask",       "cpu_strict",     "poll",
    "model_size",    "model_n_params", "model_filename", "tensor_buft_overrides",
    "defrag_thold",  "no_op_offload"};

/* Adds the mean rate and time with their deviations and samples. */
static abdb_status add_rate_and_time_results(abdb_entry *entry, const abdb_flat_record *r,
                                             abdb_arena *arena, abdb_error *err)
{
    double rate = abdb_flat_number_or_nan_note_doubt(r, "avg_ts"),
           sd = abdb_flat_number_or_nan_note_doubt(r, "stddev_ts");
    double ns = abdb_flat_number_or_nan_note_doubt(r, "avg_ns"),
           sd_ns = abdb_flat_number_or_nan_note_doubt(r, "stddev_ns");
    abdb_result *result = abdb_entry_add_result_or_count_left_out(entry, "tokens_per_s", rate);
    const double *ignored;

    result->statistic = "mean";
    result->raw_value = abdb_flat_text_or_null_mark_asked(r, "avg_ts");
    result->raw_unit = "t/s";
    result->n = (long long)abdb_flat_find_series_mark_asked(r, "samples_ns", &ignored);
    if (isfinite(sd)) {
        result->low = rate - sd;
        result->high = rate + sd;
        result->spread = "sd";
    }
    if (!(ns > 0)) {
        (void)abdb_entry_add_printed_result_or_count_left_out(
            entry, "time_s", "mean", abdb_flat_text_or_null_mark_asked(r, "avg_ns"),
            abdb_flat_decimal_mark(r, "avg_ns"), "ns");
        return ABDB_OK;
    }
    result = abdb_entry_add_result_or_count_left_out(entry, "time_s", ns * 1e-9);
    result->statistic = "mean";
    result->raw_value = abdb_flat_text_or_null_mark_asked(r, "avg_ns");
    result->raw_unit = "ns";
    if (isfinite(sd_ns)) {
        result->low = (ns - sd_ns) * 1e-9;
        result->high = (ns + sd_ns) * 1e-9;
        result->spread = "sd";
    }
    return abdb_flat_set_result_samples_in_base_unit(result, r, "samples_ns", "ns", arena)
               ? ABDB_OK
               : ABDB_FAIL(err, ABDB_NOMEM, "samples");
}

/* JSON says true where CSV and SQL say 1. */
static const char *boolean_word_to_digit(const char *text)
{
    if (text && strcmp(text, "true") == 0) return "1";
    return text && strcmp(text, "false") == 0 ? "0" : text;
}

/* Do objects inside the JSON record hold rates, and not the record itself? */
static bool has_nested_rate(const abdb_flat_record *r)
{
    return r->raw && r->object && !json_object_get(r->object, "avg_ts") &&
           strstr(r->raw, "\"avg_ts\"");
}

/* What follows from the samples. */
static const char *const noise[] = {"samples_ts.count", "samples_ns.count", NULL};

/* Imports one test of a CSV, JSON, SQL or database: an entry with its rate, devices, build and
 * settings. */
static abdb_status import_or_reject_llama_bench_record(void *self, const abdb_flat_record *r,
                                                       abdb_error *err)
{
    state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    static const char *const values[] = {"avg_ts", "avg_ns", NULL};
    const char *commit = abdb_flat_text_or_null_mark_asked(r, "build_commit");
    llama_devices devices = {0};
    llama_choice choice = {.used = abdb_flat_text_or_null_mark_asked(r, "devices"),
                           .split_mode = abdb_flat_text_or_null_mark_asked(r, "split_mode"),
                           .main_gpu = abdb_flat_text_or_null_mark_asked(r, "main_gpu"),
                           .tensor_split = abdb_flat_text_or_null_mark_asked(r, "tensor_split"),
                           .layers = abdb_flat_text_or_null_mark_asked(r, "n_gpu_layers"),
                           .backend = abdb_flat_text_or_null_mark_asked(r, "backends"),
                           .processor = abdb_flat_text_or_null_mark_asked(r, "cpu_info"),
                           .generates = !(abdb_flat_number_or_nan_note_doubt(r, "n_prompt") > 0)};
    double tokens = abdb_flat_number_or_nan_note_doubt(r, "n_prompt") +
                    abdb_flat_number_or_nan_note_doubt(r, "n_gen");
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    if (!(abdb_flat_number_or_nan_note_doubt(r, "avg_ts") > 0)) {
        abdb_flat_count_refused_values(r, values);
        TRY(abdb_flat_reject_and_end_row(
            s->sink, r, "avg_ts",
            has_nested_rate(r) ? NESTED : "no rate: avg_ts is missing, zero or no number", err));
        goto done;
    }
    llama_devices_add_separated_names(&devices, &a,
                                      abdb_flat_text_or_null_mark_asked(r, "gpu_info"));
    entry->line = r->line;
    entry->locator = r->locator;
    entry->field[ABDB_FIELD_model] = abdb_flat_text_or_null_mark_asked(r, "model_type");
    entry->field[ABDB_FIELD_dtype] = abdb_llama_weight_format_of_model_name(
        &a, abdb_flat_text_or_null_mark_asked(r, "model_type"));
    llama_devices_set_entry_device_and_count(&devices, &choice, &a, entry);
    entry->field[ABDB_FIELD_backend] = abdb_flat_text_or_null_mark_asked(r, "backends");
    entry->field[ABDB_FIELD_date] = abdb_flat_text_or_null_mark_asked(r, "test_time");
    entry->field[ABDB_FIELD_scenario] =
        abdb_llama_scenario_of_token_counts(abdb_flat_number_or_nan_note_doubt(r, "n_prompt"),
                                            abdb_flat_number_or_nan_note_doubt(r, "n_gen"));
    if (commit)
        abdb_entry_add_factor_parsing_number(
            entry, "software",
            abdb_arena_printf(&a, "llama.cpp %s (%s)", commit,
                              abdb_flat_text_or_null_mark_asked(r, "build_number")
                                  ? abdb_flat_text_or_null_mark_asked(r, "build_number")
                                  : "?"));
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        abdb_entry_add_factor_parsing_number(
            entry, factors[i],
            boolean_word_to_digit(abdb_flat_text_or_null_mark_asked(r, factors[i])));
    TRY(add_rate_and_time_results(entry, r, &a, err));
    abdb_entry_mark_rate_not_matching_amount(
        entry, abdb_flat_number_or_nan_note_doubt(r, "avg_ts"), NULL,
        abdb_flat_number_or_nan_note_doubt(r, "avg_ns") * 1e-9, tokens, 1.5);
    abdb_flat_add_unread_values_as_factors(entry, r, noise, &a);
    abdb_flat_copy_doubt_to_entry(entry, r);
    TRY(complete_and_pass_llama_entry(s, entry, err));
    TRY(s->sink->row_end(s->sink->self, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* --- the table of a log ----------------------------------------------------------------------- */

/* Columns of the table by the names that the machine forms have. */
static const char *const columns[][2] = {{"ngl", "n_gpu_layers"},   {"fa", "flash_attn"},
                                         {"mmap", "use_mmap"},      {"sm", "split_mode"},
                                         {"mg", "main_gpu"},        {"ts", "tensor_split"},
                                         {"nkvo", "no_kv_offload"}, {"threads", "n_threads"}};

static const char *json_name_of_table_column_or_same(const char *column)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (strcmp(columns[i][0], column) == 0) return columns[i][1];
    return column;
}

/* "4,33 GiB" as other locales print it. */
static const char *cell_with_decimal_point(abdb_arena *a, const char *cell, abdb_decimal_mark mark)
{
    size_t size = strcspn(cell, " ");
    char number[32], plain[32];
    double value;

    snprintf(number, sizeof number, "%.*s", (int)size, cell);
    if (mark != ABDB_MARK_COMMA || !strchr(number, ',') || !abdb_double_parse(number, mark, &value))
        return cell;
    abdb_format_shortest_double(value, plain);
    return abdb_arena_printf(a, "%s%s", plain, cell + size);
}

/* "422.28 ± 1.78". False: no rate; place then has its text. */
static bool parse_rate_cell_add_result_note_for_reject(abdb_entry *entry, abdb_arena *a,
                                                       const char *text, abdb_decimal_mark mark,
                                                       abdb_flat_record *reject_record)
{
    char *word = abdb_arena_copy(a, text, strcspn(text, " "));
    char *mean = word ? llama_table_trim_emphasis_in_place(word) : NULL;
    const char *sign = strstr(text, "± ");
    abdb_result *result;
    double rate, sd;

    reject_record->items = 1;
    reject_record->item[0].name = "t/s";
    reject_record->item[0].text = mean;
    reject_record->item[0].mark = mark;
    if (!mean || !abdb_double_parse(mean, mark, &rate) || !(rate > 0)) {
        abdb_add_thread_values_read(abdb_has_digit(mean));
        return false;
    }
    result = abdb_entry_add_result_or_count_left_out(entry, "tokens_per_s", rate);
    result->statistic = "mean";
    result->raw_value = mean;
    result->raw_unit = "t/s";
    if (sign && abdb_double_parse(sign + strlen("± "), mark, &sd)) {
        result->low = rate - sd;
        result->high = rate + sd;
        result->spread = "sd";
    }
    return true;
}

/* Columns that say which of the listed devices ran the test. */
static void store_device_selection_column(llama_choice *choice, const char *column,
                                          const char *text)
{
    if (strcmp(column, "dev") == 0) choice->used = text;
    if (strcmp(column, "sm") == 0) choice->split_mode = text;
    if (strcmp(column, "mg") == 0) choice->main_gpu = text;
    if (strcmp(column, "ts") == 0) choice->tensor_split = text;
    if (strcmp(column, "ngl") == 0) choice->layers = text;
    if (strcmp(column, "backend") == 0) choice->backend = text;
}

/* One row of the printed table, its words already cut by columns. `test` (pp512, tg128,
 * pp512+tg128) gives scenario and token counts; "t/s" is mean ± standard deviation of the
 * repetitions. */
static abdb_status import_or_reject_llama_table_row(state *s, char *const *word, long line,
                                                    const char *raw, abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    const log_run *run = &s->run[s->at];
    abdb_flat_record place = {.line = line, .raw = raw};
    abdb_arena a = {0};
    bool tested = false, rated = false, has_rate = false;
    llama_choice choice = {0};
    char locator[32];
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    snprintf(locator, sizeof locator, "line %ld", line);
    entry->line = line;
    entry->locator = locator;
    abdb_entry_add_factor_parsing_number(entry, "software", run->build);
    for (size_t i = 0; i < s->columns; i++) {
        const char *name = s->column[i];

        store_device_selection_column(&choice, name, word[i]);
        if (strcmp(name, "model") == 0) {
            entry->field[ABDB_FIELD_model] = word[i];
            entry->field[ABDB_FIELD_dtype] = abdb_llama_weight_format_of_model_name(&a, word[i]);
        } else if (strcmp(name, "backend") == 0)
            entry->field[ABDB_FIELD_backend] = word[i];
        else if (strcmp(name, "test") == 0)
            tested = abdb_llama_parse_test_into_entry(entry, &a, word[i]);
        else if (strcmp(name, "t/s") == 0 && (has_rate = true))
            rated = parse_rate_cell_add_result_note_for_reject(entry, &a, word[i], s->mark, &place);
        else
            abdb_entry_add_renamed_extra_factor_unless_ignored(
                entry, json_name_of_table_column_or_same(name),
                cell_with_decimal_point(&a, word[i], s->mark), ABDB_MARK_UNKNOWN, NULL, &a);
    }
    if (!tested || !rated) {
        TRY(abdb_flat_reject_and_end_row(
            s->sink, &place, tested ? "t/s" : "test",
            !tested    ? "not a test as pp512, tg128 or pp512+tg128 @ d4096"
            : has_rate ? "no rate"
                       : "no column is called t/s; a map reads a table with several rates",
            err));
        goto done;
    }
    choice.generates = strcmp(entry->field[ABDB_FIELD_scenario], "generation") == 0;
    llama_devices_set_entry_device_and_count(&run->devices, &choice, &a, entry);
    TRY(complete_and_pass_llama_entry(s, entry, err));
    TRY(s->sink->row_end(s->sink->self, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* Begins another run where the line cannot belong to the one at hand: behind its last line, where
 * a table or the loader's lines come a second time, and where a block of output (```) is over and
 * no table follows at once. Both passes go through here. */
static void start_next_run_and_note_table_or_end(state *s, const char *line)
{
    const char *text = line + strspn(line, " \t");
    bool table = llama_table_is_heading(text, strlen(text)),
         build = strncmp(line, "build: ", 7) == 0, fence = strncmp(text, "```", 3) == 0;
    bool loader = strncmp(line, "ggml_", 5) == 0 || llama_devices_is_loader_line(line);
    bool over = s->after_fence && *text && !fence && *text != '|' && !build;

    s->after_fence = fence || (s->after_fence && !*text);
    if (over || (s->has_table && (table || loader)) ||
        (s->has_ended && (table || loader || build))) {
        s->at++;
        s->has_table = s->has_ended = false;
        s->columns = 0;
    }
    s->has_table |= table;
    s->has_ended |= build && s->has_table;
}

/* What the lines around the tables say, run by run. */
static abdb_status store_devices_and_build_of_line(void *self, const text_line *line,
                                                   abdb_error *err)
{
    state *s = self;
    log_run *run;
    const char *only =
        *line->text == '|' ? llama_table_only_cell_of_row_or_null(&s->arena, line->text) : NULL;
    const char *text = only ? only : line->text;

    start_next_run_and_note_table_or_end(s, text);
    while (s->runs <= s->at) {
        log_run *more = abdb_array_reserve_one(s->run, s->runs, &s->room, sizeof *more);

        if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a log");
        s->run = more;
        s->run[s->runs++] = (log_run){0};
    }
    run = &s->run[s->at];
    llama_devices_store_count_or_name_of_line(&run->devices, &s->arena, text);
    if (strncmp(text, "build: ", 7) == 0)
        run->build = abdb_arena_printf(&s->arena, "llama.cpp %s", text + 7);
    return ABDB_OK;
}

/* Does a row between bars stand where the header at hand has a test? Lines of the loader may stand
 * between the rows of a table. */
static bool is_test_row_of_current_table(const state *s, char *const *word, size_t words)
{
    for (size_t i = 0; i < words && words == s->columns; i++)
        if (strcmp(s->column[i], "test") == 0)
            return strncmp(word[i], "pp", 2) == 0 || strncmp(word[i], "tg", 2) == 0;
    return false;
}

/* Takes the heading of a markdown table, or imports a row below it; rejects one with more or fewer
 * cells. */
static abdb_status parse_heading_or_import_table_row(void *self, const text_line *line,
                                                     abdb_error *err)
{
    state *s = self;
    const char *text = line->text + strspn(line->text, " \t");
    const char *only =
        *line->text == '|' ? llama_table_only_cell_of_row_or_null(&s->arena, line->text) : NULL;
    char *copy, *word[LLAMA_COLUMNS_MAX];
    size_t n;
    abdb_status st = ABDB_OK;

    start_next_run_and_note_table_or_end(s, only ? only : line->text);
    if (*text != '|') s->in_table = false;
    if (only || *text != '|' || text[strspn(text, "| :-")] == '\0') return ABDB_OK;
    copy = strdup(text);
    if (!copy) return ABDB_FAIL(err, ABDB_NOMEM, "a line");
    n = llama_table_split_row_at_bars(copy, word);
    if (n && llama_table_is_heading(text, strlen(text))) {
        char *names = abdb_arena_copy(&s->arena, text, strlen(text));

        s->columns = names ? llama_table_split_row_at_bars(names, s->column) : 0;
        s->in_table = true;
        if (!names) st = ABDB_FAIL(err, ABDB_NOMEM, "a line");
    } else if (n == s->columns && (s->in_table || is_test_row_of_current_table(s, word, n)))
        st = import_or_reject_llama_table_row(s, word, line->number, line->text, err);
    else if (s->in_table)
        st = line_reject_and_end_row(s->sink, line, "row",
                                     "not as many cells as the table has columns", err);
    free(copy);
    return st;
}

/* Imports records where the file has llama-bench's columns, else the markdown tables of a log. */
static abdb_status import_llama_bench_records_or_tables(const abdb_input *in,
                                                        const abdb_overrides *overrides,
                                                        const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink};
    abdb_status st = ABDB_OK;

    if (abdb_flat_has_all_keys_or_columns(in, "build_commit|n_prompt")) {
        TRY(abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_llama_bench_record,
                                                      &s, err));
    } else {
        /* Twice over the file: the build's line stands behind the table that it belongs to. */
        TRY(lines_deliver_each_without_mark(in, store_devices_and_build_of_line, &s, err));
        s.at = 0;
        s.mark = lines_find_decimal_mark_by_number_rows(in);
        s.has_table = s.has_ended = s.after_fence = false;
        TRY(lines_deliver_each_without_mark(in, parse_heading_or_import_table_row, &s, err));
    }
done:
    free(s.run);
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_llama_bench = {
    "llama-bench",
    "llama-bench of llama.cpp: csv, json, jsonl, sql, and the table of a log",
    4,
    NULL,
    llama_bench_bid,
    import_llama_bench_records_or_tables};
