/* import_llama_perplexity.c - what llama-perplexity of llama.cpp prints: perplexity over a corpus,
 * and with --kl-divergence how far the model is from its base.
 *
 * How nine logs and posts disagree (2023 to 2026, llama.cpp and ik_llama.cpp): lines have a time
 * and a letter before them ("0.05.056.453 I Final estimate: ...") or not; the model's kind stands
 * behind llm_load_print_meta, later print_info, as "model ftype" or "file type"; the context is
 * missing before 2023-09; the command stands before the run, behind "+" or "$", or is lost; posts
 * keep the last lines alone, or the three blocks of statistics of --kl-divergence, of which some
 * lines were cut out. "+/-" is a standard error, kept as an interval of 95 %. The model is named as
 * llama-bench names it (architecture, size, format), so that its speed and its quality meet.
 * Statistics of the probability of tokens are left out by name. What is stated before a run ends
 * with it. The input row is a run.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/programs/llama_devices.h"
#include "ingest/programs/llama_log.h"

enum { BEGIN_COMMAND = 1, BEGIN_DEVICES = 2, BEGIN_BUILD = 4, BEGIN_MODEL = 8 };

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry;     /* of the run at hand, with its results */
    llama_devices devices; /* that it lists */
    llama_log log;         /* what else it says */
    unsigned seen;         /* BEGIN_*: by which lines it began */
    long line;             /* of its first value */
    abdb_arena arena;
} state;

/* --- lines ------------------------------------------------------------------------------------ */

static const struct {
    const char *begins, *metric, *statistic;
} values[] = {{"Final estimate: PPL = ", "perplexity", "value"},
              {"Mean PPL(Q)", "perplexity", "value"},
              {"Mean KLD", "kl_divergence", "mean"},
              {"Maximum KLD", "kl_divergence", "max"},
              {"99.9% KLD", "kl_divergence", "p99.9"},
              {"99.0% KLD", "kl_divergence", "p99"},
              {"95.0% KLD", "kl_divergence", "p95"},
              {"90.0% KLD", "kl_divergence", "p90"},
              {"Median KLD", "kl_divergence", "median"},
              {"10.0% KLD", "kl_divergence", "p10"},
              {"5.0% KLD", "kl_divergence", "p5"},
              {"1.0% KLD", "kl_divergence", "p1"},
              {"0.1% KLD", "kl_divergence", "p0.1"},
              {"Minimum KLD", "kl_divergence", "min"}};
enum { VALUES = sizeof values / sizeof values[0] };

/* Does text begin with those words, however many blanks stand between them? *rest: what follows. */
static bool begins_with_words(const char *text, const char *words, const char **rest)
{
    for (; *words; words++) {
        if (*words == ' ') {
            if (*text != ' ') return false;
            text += strspn(text, " ");
        } else if (*text++ != *words) {
            return false;
        }
    }
    *rest = text;
    return true;
}

/* Which value a line states; VALUES: none. *number: where its number begins. */
static size_t value_of_line_or_none(const char *text, const char **number)
{
    for (size_t i = 0; i < VALUES; i++) {
        const char *rest;

        if (!begins_with_words(text, values[i].begins, &rest)) continue;
        rest += strspn(rest, " ");
        if (i && *rest++ != ':') continue;
        *number = rest + strspn(rest, " ");
        return i;
    }
    return VALUES;
}

static int llama_perplexity_bid(const abdb_input *in)
{
    static const char *const marks[] = {"Final estimate: PPL = ", "Mean    KLD: "};
    const char *end = in->text + (in->text_size < BID_SIZE ? in->text_size : BID_SIZE);

    for (size_t i = 0; i < 2; i++)
        for (const char *s = in->text;
             (s = memmem(s, (size_t)(end - s), marks[i], strlen(marks[i]))); s++) {
            const char *begin = s, *behind = s + strlen(marks[i]);
            char line[64];

            while (begin > in->text && begin[-1] != '\n' && s - begin < 60) begin--;
            snprintf(line, sizeof line, "%.*sF", (int)(s - begin), begin);
            behind += strspn(behind, " ");
            if (behind < end && isdigit((unsigned char)*behind) &&
                *llama_log_text_behind_time(line + strspn(line, " \t>|")) == 'F')
                return 79;
        }
    return 0;
}

/* --- what stands before values ---------------------------------------------------------------- */

static bool is_command_of_program(const char *text)
{
    return strstr(text, " -") &&
           (strstr(text, "llama-perplexity ") || strstr(text, "llama-imatrix ") ||
            strstr(text, "/perplexity ") || strncmp(text, "perplexity -", 12) == 0);
}

/* Another program's command, or the heading of another post: what was said before is of no run that
 * follows. */
static bool is_end_of_what_was_said(const char *text)
{
    size_t hashes = strspn(text, "#");

    return (hashes && text[hashes] == ' ') || (strstr(text, "/llama-") && strstr(text, " -"));
}

/* "perplexity: calculating perplexity over 655 chunks, n_ctx=512, batch_size=2048, n_seq=4" */
static void store_extent_of_run(state *s, const text_line *line, const char *text)
{
    if (!strstr(text, " over ") || !strstr(text, " chunks")) return;
    for (size_t i = 1; i < line->words; i++) {
        const char *word = line->word[i], *equals = strchr(word, '=');

        if (strcmp(word, "chunks") == 0)
            abdb_settings_set_or_count_lost(&s->log.settings, &s->arena, "chunks", 6,
                                            line->word[i - 1], (int)strlen(line->word[i - 1]));
        else if (equals)
            abdb_settings_set_or_count_lost(&s->log.settings, &s->arena, word, (int)(equals - word),
                                            equals + 1, (int)strcspn(equals + 1, ", "));
    }
}

/* --- runs ------------------------------------------------------------------------------------- */

static void forget_run(state *s)
{
    abdb_entry_reset(s->entry);
    s->devices = (llama_devices){0};
    s->log = (llama_log){0};
    s->seen = 0;
    s->line = 0;
    abdb_arena_free(&s->arena);
}

/* Hands the run over, if it has a value, and forgets it. */
static abdb_status import_run_and_forget(void *self, abdb_error *err)
{
    state *s = self;
    abdb_entry *entry = s->entry;
    llama_choice choice = {0};
    abdb_status st = ABDB_OK;

    if (!entry->results) {
        forget_run(s);
        return ABDB_OK;
    }
    abdb_entry_set_measured_run(entry, "llama-perplexity", "llama-perplexity",
                                abdb_arena_printf(&s->arena, "line %ld", s->line), s->line);
    llama_devices_set_entry_device_and_count(&s->devices, &choice, &s->arena, entry);
    llama_log_add_to_entry(&s->log, &s->arena, entry);
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    forget_run(s);
    return st;
}

/* A line by which a run begins: the one before ends, if it has a value, or began so, too. */
static abdb_status begin_run_if_one_is_over(state *s, unsigned by, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (s->entry->results || (s->seen & by)) st = import_run_and_forget(s, err);
    s->seen |= by;
    return st;
}

static bool has_result_of(const abdb_entry *entry, size_t which)
{
    for (size_t i = 0; i < entry->results; i++)
        if (strcmp(entry->result[i].metric, values[which].metric) == 0 &&
            strcmp(entry->result[i].statistic, values[which].statistic) == 0)
            return true;
    return false;
}

/* "7.123456 ±   0.045678", "6.53 +/- 0.04": the value, with its standard error as an interval. */
static abdb_status add_value_of_line(state *s, const text_line *line, size_t which,
                                     const char *number, abdb_error *err)
{
    size_t digits = strcspn(number, " \t\r");
    const char *raw, *sign, *error;
    abdb_result *result;
    char reason[200];
    double value, se;
    abdb_status st = ABDB_OK;

    if (has_result_of(s->entry, which)) TRY(import_run_and_forget(s, err));
    raw = abdb_arena_copy(&s->arena, number, digits);
    if (!raw) return ABDB_FAIL(err, ABDB_NOMEM, "a number");
    if (!abdb_double_parse(raw, ABDB_MARK_UNKNOWN, &value)) {
        abdb_add_thread_values_read(abdb_has_digit(raw));
        return line_reject_and_end_row(
            s->sink, line, values[which].metric,
            abdb_number_write_why_not_a_number(NULL, raw, ABDB_MARK_UNKNOWN, reason, sizeof reason),
            err);
    }
    result = abdb_entry_add_result_or_count_left_out(s->entry, values[which].metric, value);
    if (!result) goto done;
    if (!s->line) s->line = line->number;
    result->statistic = values[which].statistic;
    result->raw_value = raw;
    sign = number + digits + strspn(number + digits, " ");
    error = strncmp(sign, "+/-", 3) == 0 ? sign + 3 : strncmp(sign, "±", 2) == 0 ? sign + 2 : NULL;
    if (!error) goto done;
    error += strspn(error, " ");
    error = abdb_arena_copy(&s->arena, error, strcspn(error, " \t\r"));
    if (error && abdb_double_parse(error, ABDB_MARK_UNKNOWN, &se) && se >= 0) {
        result->low = value - 1.96 * se;
        result->high = value + 1.96 * se;
        result->spread = "ci95";
    }
done:
    return st;
}

/* Lines of the statistics that no metric is known for. */
static void count_other_statistic_of_line(state *s, const char *text)
{
    if (strstr(text, "Δp") || strncmp(text, "Same top p", 10) == 0)
        abdb_left_out_count_value(s->left_out, "token probability");
    else if (strncmp(text, "Mean PPL(base)", 14) == 0 || strncmp(text, "Mean ln(PPL", 11) == 0 ||
             strncmp(text, "Mean PPL(Q)/PPL", 15) == 0 ||
             strncmp(text, "Mean PPL(Q)-PPL", 15) == 0 || strncmp(text, "Cor(ln(PPL", 10) == 0)
        abdb_left_out_count_value(s->left_out, "PPL(base)");
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    const char *text = llama_log_text_behind_time(line->text + strspn(line->text, " \t>|")),
               *number;
    size_t which = value_of_line_or_none(text, &number);
    abdb_status st = ABDB_OK;

    if (which < VALUES) return add_value_of_line(s, line, which, number, err);
    if (is_command_of_program(text)) {
        TRY(begin_run_if_one_is_over(s, BEGIN_COMMAND, err));
        llama_log_store_options_of_command(&s->log, &s->arena, line);
    } else if (is_end_of_what_was_said(text)) {
        TRY(import_run_and_forget(s, err));
    } else if (strncmp(text, "build: ", 7) == 0 || strncmp(text, "main: build = ", 14) == 0) {
        TRY(begin_run_if_one_is_over(s, BEGIN_BUILD, err));
        llama_log_store_build_of_line(&s->log, &s->arena, text);
    } else if (llama_devices_is_loader_line(text)) {
        if (s->entry->results) TRY(begin_run_if_one_is_over(s, BEGIN_DEVICES, err));
        llama_devices_store_count_or_name_of_line(&s->devices, &s->arena, text);
    } else if (strncmp(text, "llama_model_loader: loaded meta data", 36) == 0) {
        TRY(begin_run_if_one_is_over(s, BEGIN_MODEL, err));
    } else {
        llama_log_store_property_of_model(&s->log, &s->arena, text);
        store_extent_of_run(s, line, text);
        count_other_statistic_of_line(s, text);
    }
done:
    return st;
}

static abdb_status import_runs_of_log(const abdb_input *in, const abdb_overrides *overrides,
                                      const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink, .left_out = in->left_out};
    abdb_status st;

    st = lines_deliver_each_with_entry(in, &s.entry, import_line, import_run_and_forget, &s, err);
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_llama_perplexity = {
    "llama-perplexity",
    "llama-perplexity of llama.cpp as printed: perplexity, KL divergence",
    2,
    NULL,
    llama_perplexity_bid,
    import_runs_of_log};
