/* import_llama_batched.c - llama-batched-bench of llama.cpp and llama-sweep-bench of ik_llama.cpp:
 * their tables, in logs and posts, and their JSON lines.
 *
 * How the sources of four versions, a log and 75 posts disagree: batched-bench has B sequences
 * at once, of which N_KV is the space for all, and the total of both phases (T s, S t/s);
 * sweep-bench has one sequence, whose N_KV is the depth before it, no total, and with
 * --sweep-memory two more columns. JSON calls B "pl". The line "main: n_kv_max = 4096, ..." before
 * the table has the settings, under the name of a function that changed; builds before 2024 printed
 * other ones. Posts keep the table alone, or end its lines with a backslash; other processes may
 * print between rows. A phase of no tokens has a rate of 0 or nan and is left out. A prompt that is
 * shared counts once in S_PP. What is stated before a table ends with it. The input row is a line;
 * each phase of it is an entry.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/programs/llama_devices.h"
#include "ingest/programs/llama_log.h"
#include "ingest/programs/llama_table.h"
#include "ingest/read/flat_records.h"

/* Columns that are read: of tables, and of JSON. */
enum { PP, TG, SEQUENCES, N_KV, T_PP, S_PP, T_TG, S_TG, T_ALL, S_ALL, COLUMNS };
static const char *const column_names[COLUMNS][2] = {{"PP", "pp"},       {"TG", "tg"},
                                                     {"B", "pl"},        {"N_KV", "n_kv"},
                                                     {"T_PP s", "t_pp"}, {"S_PP t/s", "speed_pp"},
                                                     {"T_TG s", "t_tg"}, {"S_TG t/s", "speed_tg"},
                                                     {"T s", "t"},       {"S t/s", "speed"}};

typedef struct {
    const char *cell[COLUMNS]; /* NULL: there is no such column */
    abdb_decimal_mark mark;
    const char *locator;
    long line;
} measured_row;

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry;
    llama_devices devices;
    llama_log log;
    char *column[LLAMA_COLUMNS_MAX]; /* of the table at hand */
    size_t columns;
    long rows;       /* of the run at hand */
    bool in_command; /* its line ended with a backslash */
    bool in_table;   /* the line before was one of it */
    abdb_arena arena, row_arena;
} state;

static bool is_heading(const char *text)
{
    return *text == '|' && strstr(text, "S_PP t/s") && strstr(text, "S_TG t/s");
}

static int llama_batched_bid(const abdb_input *in)
{
    const char *end = in->text + (in->text_size < BID_SIZE ? in->text_size : BID_SIZE), *line;

    if (abdb_flat_has_all_keys_or_columns(in, "\"t_pp\"|\"speed_pp\"|\"speed_tg\"")) return 87;
    for (line = in->text; (line = memmem(line, (size_t)(end - line), "S_PP t/s", 8)); line++) {
        const char *begin = line, *stop = memchr(line, '\n', (size_t)(end - line));

        while (begin > in->text && begin[-1] != '\n') begin--;
        if (!stop) return 0; /* no row follows */
        while (begin < line && strchr("> \t", *begin)) begin++;
        if (*begin == '|' && memmem(line, (size_t)(stop - line), "S_TG t/s", 8)) return 82;
    }
    return 0;
}

/* What was stated for one run holds for no other. */
static void forget_run(state *s)
{
    s->devices = (llama_devices){0};
    s->log = (llama_log){0};
    s->columns = 0;
    s->rows = 0;
    s->in_command = s->in_table = false;
    abdb_arena_free(&s->arena);
}

/* --- a row ------------------------------------------------------------------------------------ */

static const char *setting_or_null(const llama_log *log, const char *name, const char *other)
{
    for (size_t i = 0; i < log->settings.count; i++)
        if (strcmp(log->settings.item[i].name, name) == 0 ||
            strcmp(log->settings.item[i].name, other) == 0)
            return log->settings.item[i].text;
    return NULL;
}

/* Sets the devices that the loader listed, without those that the command or settings exclude. */
static void set_device_of_phase(const state *s, bool generates, abdb_arena *arena,
                                abdb_entry *entry)
{
    llama_choice choice = {.used = setting_or_null(&s->log, "dev", "device"),
                           .split_mode = setting_or_null(&s->log, "sm", "split-mode"),
                           .main_gpu = setting_or_null(&s->log, "mg", "main-gpu"),
                           .tensor_split = setting_or_null(&s->log, "ts", "tensor-split"),
                           .layers = setting_or_null(&s->log, "n_gpu_layers", "ngl"),
                           .generates = generates};

    llama_devices_set_entry_device_and_count(&s->devices, &choice, arena, entry);
}

/* Phases of a row: what was timed, and which columns state it. */
static const struct {
    const char *scenario;
    int time, rate;
} phases[] = {
    {"prompt", T_PP, S_PP}, {"generation", T_TG, S_TG}, {"prompt and generation", T_ALL, S_ALL}};
enum { PHASES = sizeof phases / sizeof phases[0] };

/* Makes the entry of one phase. False: it has no time and no rate, as it had no tokens. */
static bool fill_entry_of_phase(state *s, const measured_row *row, size_t phase)
{
    bool batched = row->cell[SEQUENCES] != NULL;
    const char *program = batched ? "llama-batched-bench" : "llama-sweep-bench";
    abdb_entry *entry = s->entry;

    abdb_entry_reset(entry);
    (void)abdb_entry_add_printed_result_or_count_left_out(
        entry, "time_s", "value", row->cell[phases[phase].time], row->mark, "s");
    (void)abdb_entry_add_printed_result_or_count_left_out(
        entry, "tokens_per_s", "value", row->cell[phases[phase].rate], row->mark, "t/s");
    if (!entry->results) {
        abdb_left_out_count_values_of_entry(s->left_out, entry);
        return false;
    }
    abdb_entry_set_measured_run(entry, program, program, row->locator, row->line);
    entry->field[ABDB_FIELD_scenario] = phases[phase].scenario;
    abdb_entry_add_factor_parsing_number(entry, "n_prompt", row->cell[PP]);
    abdb_entry_add_factor_parsing_number(entry, "n_gen", row->cell[TG]);
    abdb_entry_add_factor_parsing_number(entry, "batch", row->cell[SEQUENCES]);
    abdb_entry_add_factor_parsing_number(entry, batched ? "n_kv" : "n_depth", row->cell[N_KV]);
    set_device_of_phase(s, phase == 1, &s->row_arena, entry);
    llama_log_add_to_entry(&s->log, &s->row_arena, entry);
    return true;
}

static bool is_number_of_tokens(const char *text)
{
    return text && *text && strspn(text, "0123456789") == strlen(text);
}

/* --- JSON lines ------------------------------------------------------------------------------- */

static abdb_status import_or_reject_record(void *self, const abdb_flat_record *r, abdb_error *err)
{
    state *s = self;
    measured_row row = {.locator = r->locator, .line = r->line};
    size_t kept = 0;
    abdb_status st = ABDB_OK;

    for (int i = 0; i < COLUMNS; i++)
        row.cell[i] = abdb_flat_text_or_null_mark_asked(r, column_names[i][1]);
    row.mark = abdb_flat_decimal_mark(r, "speed_pp");
    for (size_t i = 0;
         is_number_of_tokens(row.cell[PP]) && is_number_of_tokens(row.cell[TG]) && i < PHASES;
         i++) {
        if (!fill_entry_of_phase(s, &row, i)) continue;
        abdb_flat_add_unread_values_as_factors(s->entry, r, NULL, &s->row_arena);
        abdb_entry_apply_overrides_and_check(s->entry, s->words);
        TRY(s->sink->entry(s->sink->self, s->entry, err));
        kept++;
    }
    if (kept) {
        TRY(s->sink->row_end(s->sink->self, err));
    } else {
        static const char *const values[] = {"t_pp", "speed_pp", "t_tg", "speed_tg",
                                             "t",    "speed",    NULL};

        if (!is_number_of_tokens(row.cell[PP]) || !is_number_of_tokens(row.cell[TG]))
            abdb_flat_count_refused_values(r, values);
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "speed_pp",
                                         "no rate, or no numbers of tokens (pp, tg)", err));
    }
done:
    abdb_arena_free(&s->row_arena);
    return st;
}

/* --- tables ----------------------------------------------------------------------------------- */

/* "main: n_kv_max = 4096, n_batch = 2048, flash_attn = 1": each pair as a setting. */
static void store_settings_of_line(state *s, const char *text)
{
    text = strstr(text, "n_kv_max = ");
    while (text) {
        size_t name = strcspn(text, " ="), value;
        const char *at = text + name + strspn(text + name, " =");

        value = strcspn(at, ",");
        if (name && value)
            abdb_settings_set_or_count_lost(&s->log.settings, &s->arena, text, (int)name, at,
                                            (int)value);
        text = at[value] ? at + value + 1 + strspn(at + value + 1, " ") : NULL;
    }
}

/* The decimal mark of a rate, which the programs print with two digits behind it: times have three,
 * which could be thousands. */
static abdb_decimal_mark mark_of_rate(const char *rate)
{
    size_t size = rate ? strlen(rate) : 0, behind = size - (rate ? strcspn(rate, ",") : 0);

    if (!behind) return ABDB_MARK_POINT;
    return behind == 3 && !strchr(rate, '.') ? ABDB_MARK_COMMA : ABDB_MARK_UNKNOWN;
}

/* Imports the phases of a row of the table at hand, whose cells were counted. */
static abdb_status import_or_reject_row(state *s, const text_line *line, char *const *word,
                                        abdb_error *err)
{
    measured_row row = {.locator = abdb_arena_printf(&s->row_arena, "line %ld", line->number),
                        .line = line->number};
    size_t kept = 0;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < s->columns; i++)
        for (int k = 0; k < COLUMNS; k++)
            if (strcmp(s->column[i], column_names[k][0]) == 0) row.cell[k] = word[i];
    row.mark = mark_of_rate(row.cell[S_PP]);
    if (!is_number_of_tokens(row.cell[PP]) || !is_number_of_tokens(row.cell[TG]))
        return line_reject_count_numbers_and_end_row(
            s->sink, line, "PP", "no whole numbers of tokens in PP and TG", err);
    for (size_t i = 0; i < PHASES; i++) {
        if (!fill_entry_of_phase(s, &row, i)) continue;
        for (size_t k = 0; k < s->columns; k++) {
            bool read = false;

            for (int c = 0; c < COLUMNS; c++) read |= strcmp(s->column[k], column_names[c][0]) == 0;
            if (!read)
                abdb_entry_add_renamed_extra_factor_unless_ignored(s->entry, s->column[k], word[k],
                                                                   row.mark, NULL, &s->row_arena);
        }
        abdb_entry_apply_overrides_and_check(s->entry, s->words);
        TRY(s->sink->entry(s->sink->self, s->entry, err));
        kept++;
    }
    if (kept)
        TRY(s->sink->row_end(s->sink->self, err));
    else
        TRY(line_reject_and_end_row(s->sink, line, "S_PP t/s",
                                    "no rate and no time: zero, missing or no number", err));
done:
    return st;
}

/* A line between bars: the heading of a table, or a row of the one at hand. */
static abdb_status import_table_line(state *s, const text_line *line, const char *text,
                                     abdb_error *err)
{
    char *word[LLAMA_COLUMNS_MAX], *copy = abdb_arena_copy(&s->row_arena, text, strlen(text));
    size_t n;
    abdb_status st = ABDB_OK;

    if (!copy) return ABDB_FAIL(err, ABDB_NOMEM, "a line");
    if (*copy && copy[strlen(copy) - 1] == '\\') copy[strlen(copy) - 1] = '\0';
    if (is_heading(copy)) {
        if (s->rows) forget_run(s);
        copy = abdb_arena_copy(&s->arena, copy, strlen(copy));
        s->columns = copy ? llama_table_split_row_at_bars(copy, s->column) : 0;
        s->in_table = true;
    } else if (s->columns && copy[strspn(copy, "| :-")]) {
        n = llama_table_split_row_at_bars(copy, word);
        if (n == s->columns && (s->in_table || is_number_of_tokens(word[0]))) {
            s->rows++;
            st = import_or_reject_row(s, line, word, err);
        } else if (s->in_table) {
            s->rows++;
            st = line_reject_count_numbers_and_end_row(
                s->sink, line, "row", "not as many cells as the table has columns", err);
        }
    }
    abdb_arena_free(&s->row_arena);
    return st;
}

static bool is_command_of_program(const char *text)
{
    return (strstr(text, "batched-bench") || strstr(text, "sweep-bench")) &&
           (strstr(text, " -") || text[strlen(text) - 1] == '\\');
}

/* A line that states something of a run; where the one at hand has rows, it is another's. */
static bool begins_or_describes_run(const char *text)
{
    return is_command_of_program(text) || llama_devices_is_loader_line(text) ||
           strncmp(text, "build: ", 7) == 0 || strncmp(text, "main: build = ", 14) == 0 ||
           strstr(text, "n_kv_max = ") || strncmp(text, "print_info: ", 12) == 0 ||
           strncmp(text, "llm_load_print_meta: ", 21) == 0;
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    const char *text = llama_log_text_behind_time(line->text + strspn(line->text, " \t>"));
    size_t hashes = strspn(text, "#"), size = strlen(text);
    bool goes_on = size && text[size - 1] == '\\';

    if (*text == '|') return import_table_line(s, line, text, err);
    if (*text) s->in_table = false;
    if (strncmp(text, "```", 3) == 0 || (hashes && text[hashes] == ' ')) {
        forget_run(s);
        return ABDB_OK;
    }
    if (s->rows && begins_or_describes_run(text)) forget_run(s);
    if (s->in_command || is_command_of_program(text)) {
        llama_log_store_options_of_command(&s->log, &s->arena, line);
        s->in_command = goes_on;
    } else if (strstr(text, "n_kv_max = ")) {
        store_settings_of_line(s, text);
    } else if (llama_devices_is_loader_line(text)) {
        llama_devices_store_count_or_name_of_line(&s->devices, &s->arena, text);
    } else if (strncmp(text, "build: ", 7) == 0 || strncmp(text, "main: build = ", 14) == 0) {
        llama_log_store_build_of_line(&s->log, &s->arena, text);
    } else {
        llama_log_store_property_of_model(&s->log, &s->arena, text);
    }
    return ABDB_OK;
}

static abdb_status import_records_or_tables(const abdb_input *in, const abdb_overrides *overrides,
                                            const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides,
               .sink = sink,
               .left_out = in->left_out,
               .entry = calloc(1, sizeof *s.entry)};
    abdb_status st = ABDB_OK;

    if (!s.entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    if (abdb_flat_has_all_keys_or_columns(in, "\"t_pp\"|\"speed_pp\"|\"speed_tg\"")) {
        TRY(abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_record, &s, err));
    } else {
        TRY(lines_deliver_each_without_mark(in, import_line, &s, err));
    }
done:
    abdb_arena_free(&s.arena);
    abdb_arena_free(&s.row_arena);
    free(s.entry);
    return st;
}

const abdb_importer abdb_import_llama_batched = {
    "llama-batched-bench",
    "llama-batched-bench and llama-sweep-bench: their tables and JSON lines",
    1,
    NULL,
    llama_batched_bid,
    import_records_or_tables};
