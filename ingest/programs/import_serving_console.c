/* import_serving_console.c - the block "Serving Benchmark Result" that the serving benchmarks of
 * vLLM and SGLang print, as it stands in logs and posts.
 *
 * How twelve posts disagree: vLLM's begin with "Successful requests", SGLang's with "Backend",
 * "Traffic request rate" and "Max request concurrency" ("not set", once spelt "reqeust"); the
 * load is also "Maximum request concurrency" and "Request rate configured (RPS)", or is missing.
 * "Total Token throughput" became "Total token throughput". Percentiles are any (P90, P95, P99),
 * and P50 may stand beside Median. The whole request is E2EL or "E2E Latency". Blocks are indented,
 * quoted, or padded with blanks; the command line ("vllm bench serve --model M ...") may stand
 * before, or the client's Namespace(...). No block names the accelerator or the number format.
 * Options of the last command before a block belong to that block alone. The input row is a block.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/programs/serving_record.h"
#include "ingest/read/text_lines.h"

enum { NAME_MAX_SIZE = 64, LATENCY_NAMES = 5 };

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_flat_record *record; /* of the block at hand: its options first, then its lines */
    bool asked[FLAT_ITEMS_MAX + FLAT_SERIES_MAX];
    abdb_arena arena;
    bool open; /* the block has begun */
} state;

static const char heading[] = "Serving Benchmark Result";

/* The block's heading, between signs of equality, and a line of a rate. */
static int serving_console_bid(const abdb_input *in)
{
    return lines_any_in_first_part_begins_with(in, "============ Serving Benchmark Result") &&
                   lines_any_in_first_part_begins_with(in, "Output token throughput (tok/s):")
               ? 84
               : 0;
}

/* Labels before ':' and the names of vLLM's JSON; the longer of two that begin alike first. */
static const struct {
    const char *label, *name;
} labels[] = {{"Successful requests", "completed"},
              {"Failed requests", "failed"},
              {"Maximum request concurrency", "max_concurrency"},
              {"Max request concurrency", "max_concurrency"},
              {"Max reqeust concurrency", "max_concurrency"},
              {"Request rate configured (RPS)", "request_rate"},
              {"Traffic request rate", "request_rate"},
              {"Backend", "backend"},
              {"Benchmark duration (s)", "duration"},
              {"Total input tokens", "total_input_tokens"},
              {"Total generated tokens", "total_output_tokens"},
              {"Total generated tokens (retokenized)", "total_output_tokens_retokenized"},
              {"Request throughput (req/s)", "request_throughput"},
              {"Output token throughput (tok/s)", "output_throughput"},
              {"Input token throughput (tok/s)", "input_throughput"},
              {"Total throughput (tok/s)", "total_throughput"},
              {"Total token throughput (tok/s)", "total_token_throughput"}};

/* "P99 E2E Latency (ms)": p99_e2e_latency_ms. False: no latency. */
static bool name_of_latency_label(const char *label, char out[NAME_MAX_SIZE])
{
    static const char *const names[LATENCY_NAMES][2] = {{"TTFT (ms)", "ttft_ms"},
                                                        {"TPOT (ms)", "tpot_ms"},
                                                        {"ITL (ms)", "itl_ms"},
                                                        {"E2EL (ms)", "e2el_ms"},
                                                        {"E2E Latency (ms)", "e2e_latency_ms"}};
    size_t word = strcspn(label, " ");

    if (!label[word] || word > 8) return false;
    for (size_t i = 0; i < LATENCY_NAMES; i++) {
        if (strcmp(label + word + 1, names[i][0]) != 0) continue;
        snprintf(out, NAME_MAX_SIZE, "%.*s_%s", (int)word, label, names[i][1]);
        for (size_t k = 0; k < word; k++) out[k] = (char)tolower((unsigned char)out[k]);
        return true;
    }
    return false;
}

/* Adds a value under that name; a name that is there already keeps its first value. */
static void append_item(state *s, const char *name, const char *text, abdb_decimal_mark mark)
{
    abdb_flat_record *r = s->record;

    if (abdb_flat_text_or_null_mark_asked(r, name)) return;
    if (r->items == FLAT_ITEMS_MAX) {
        r->lost++;
        return;
    }
    r->item[r->items].name = abdb_arena_copy(&s->arena, name, strlen(name));
    r->item[r->items].text = abdb_arena_copy(&s->arena, text, strlen(text));
    r->item[r->items].mark = mark;
    r->items += r->item[r->items].name && r->item[r->items].text;
}

/* "Label (unit):   value" */
static void append_line_of_block(state *s, const text_line *line, const char *text)
{
    const char *colon = strrchr(text, ':');
    char label[NAME_MAX_SIZE], name[NAME_MAX_SIZE], value[NAME_MAX_SIZE];

    if (!colon || (size_t)(colon - text) >= sizeof label) return;
    snprintf(label, sizeof label, "%.*s", (int)(colon - text), text);
    snprintf(value, sizeof value, "%.60s", colon + 1 + strspn(colon + 1, " \t"));
    value[strcspn(value, "\r\t")] = '\0';
    abdb_trim_in_place(value);
    if (!*value || strcmp(value, "not set") == 0) return;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        if (strcasecmp(label, labels[i].label) == 0) {
            append_item(s, labels[i].name, value, line->mark);
            return;
        }
    append_item(s, name_of_latency_label(label, name) ? name : label, value, line->mark);
}

/* Options that say where the client ran and what it wrote, not what it measured. */
static const char *const unimportant[] = {"host",
                                          "port",
                                          "base-url",
                                          "endpoint",
                                          "result-dir",
                                          "result-filename",
                                          "output-file",
                                          "save-result",
                                          "save-detailed",
                                          "seed",
                                          "disable-tqdm",
                                          "served-model-name",
                                          "api-key",
                                          "header",
                                          "percentile-metrics",
                                          "metadata",
                                          "metric-percentiles"};

static bool is_unimportant_option(const char *name)
{
    for (size_t i = 0; i < sizeof unimportant / sizeof unimportant[0]; i++)
        if (strcmp(name, unimportant[i]) == 0) return true;
    return false;
}

/* The options of a command line before a block, in the names of vLLM's JSON. Those of an earlier
 * command are dropped. */
static void replace_options_by_those_of_command(state *s, const text_line *line)
{
    s->record->items = 0;
    for (size_t i = 0; i + 1 < line->words; i++) {
        const char *word = line->word[i], *value = line->word[i + 1];
        char name[NAME_MAX_SIZE];

        if (strncmp(word, "--", 2) != 0 || !word[2] || strncmp(value, "--", 2) == 0 ||
            strlen(word) >= sizeof name || is_unimportant_option(word + 2) || *value == '\\')
            continue;
        snprintf(name, sizeof name, "%s", word + 2);
        for (char *c = name; *c; c++)
            if (*c == '-') *c = '_';
        append_item(s, strcmp(name, "model") == 0 ? "model_id" : name, value, ABDB_MARK_POINT);
    }
}

static bool is_command_of_client(const char *text)
{
    return strstr(text, " --") && (strstr(text, "bench serve") || strstr(text, "bench_serving") ||
                                   strstr(text, "benchmark_serving"));
}

/* Hands the block over, and forgets it with the command before it. */
static abdb_status import_block(state *s, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    memset(s->asked, 0, sizeof s->asked);
    s->record->asked = s->asked;
    if (s->open) st = abdb_serving_import_record(s->words, s->sink, s->record, err);
    s->open = false;
    s->record->items = s->record->lost = 0;
    abdb_arena_free(&s->arena);
    return st;
}

static abdb_status begin_block(state *s, const text_line *line, abdb_error *err)
{
    abdb_status st = s->open ? import_block(s, err) : ABDB_OK; /* one without an end */

    if (st != ABDB_OK) return st;
    s->open = true;
    s->record->line = line->number;
    s->record->locator = abdb_arena_printf(&s->arena, "line %ld", line->number);
    s->record->raw = heading;
    return s->record->locator ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a block");
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    const char *text = line->text + strspn(line->text, " \t>|");
    abdb_status st = ABDB_OK;

    if (is_command_of_client(text)) { /* ends a block that has no end */
        st = import_block(s, err);
        replace_options_by_those_of_command(s, line);
        return st;
    }
    if (strncmp(text, "====", 4) == 0 && strstr(text, heading)) return begin_block(s, line, err);
    if (s->open && strncmp(text, "=========", 9) == 0) return import_block(s, err);
    if (s->open) append_line_of_block(s, line, text);
    return ABDB_OK;
}

static abdb_status read_serving_console(const abdb_input *in, const abdb_overrides *overrides,
                                        const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink, .record = calloc(1, sizeof *s.record)};
    abdb_status st = ABDB_OK;

    if (!s.record) return ABDB_FAIL(err, ABDB_NOMEM, "a block");
    TRY(lines_deliver_each_with_mark(in, lines_find_decimal_mark_by_number_rows(in), import_line,
                                     &s, err));
    TRY(import_block(&s, err));
done:
    abdb_arena_free(&s.arena);
    free(s.record);
    return st;
}

const abdb_importer abdb_import_serving_console = {
    "serving-console",
    "serving benchmarks of vLLM and SGLang as printed",
    2,
    NULL,
    serving_console_bid,
    read_serving_console};
