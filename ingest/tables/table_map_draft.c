/* table_map_draft.c - a first draft of a map out of a table's header and first row; see
 * table_map.h.
 *
 * A column is read off its heading: what stands in brackets or behind the last blank or underscore
 * may be a unit, and the unit says which metric it can be; words of the heading say which of these.
 * Columns that are dates or sizes are one metric each, with that date or size. Lines of one metric
 * are told apart by number format, statistic, or the column's name as workload.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ingest/read/markdown_tables.h"
#include "ingest/tables/table_map.h"
#include "schema/core/units.h"

enum { LINES_MAX = 256, WORD = 64, LINE = 96 };

typedef struct {
    abdb_text *out;
    map_known_device known;
    bool done, device;
    char seen[LINES_MAX][LINE]; /* fields, and metrics with their statistic and number format */
    size_t lines;
} draft;

/* Is one of the words ('|' between them) within the name? */
static bool name_contains_any_word(const char *name, const char *words)
{
    while (*words) {
        size_t size = strcspn(words, "|");
        char word[WORD];

        snprintf(word, sizeof word, "%.*s", (int)size, words);
        if (strcasestr(name, word)) return true;
        words += size + (words[size] == '|');
    }
    return false;
}

static void append_quoted_word(abdb_text *out, const char *word)
{
    abdb_text_puts(out, "\"");
    for (; *word; word++)
        if (*word != '"' && *word != '\n' && *word != '\r') abdb_text_add(out, word, 1);
    abdb_text_puts(out, "\"");
}

/* The first time that a line of this kind is wanted? */
static bool remember_if_first(draft *d, const char *line)
{
    for (size_t i = 0; i < d->lines; i++)
        if (strcmp(d->seen[i], line) == 0) return false;
    if (d->lines < LINES_MAX) snprintf(d->seen[d->lines++], LINE, "%s", line);
    return true;
}

/* A unit of units.def by the ways people write it in headings, or NULL. */
static const char *unit_of_common_spelling(const char *word)
{
    static const struct {
        const char *written, *unit;
    } ways[] = {{"tok/s", "token/s"},
                {"tok/sec", "token/s"},
                {"tokens/s", "token/s"},
                {"tokens/sec", "token/s"},
                {"toks/s", "token/s"},
                {"t/s", "token/s"},
                {"tps", "token/s"},
                {"img/s", "sample/s"},
                {"images/s", "sample/s"},
                {"samples/s", "sample/s"},
                {"samples/sec", "sample/s"},
                {"req/s", "query/s"},
                {"requests/s", "query/s"},
                {"qps", "query/s"},
                {"queries/s", "query/s"},
                {"gflops", "GFLOP/s"},
                {"tflops", "TFLOP/s"},
                {"tflop/s", "TFLOP/s"},
                {"pflops", "PFLOP/s"},
                {"msec", "ms"},
                {"sec", "s"},
                {"usec", "us"},
                {"watts", "W"},
                {"watt", "W"},
                {"mib/s", "MiB/s"},
                {"gib/s", "GiB/s"},
                {"gb/s", "GB/s"},
                {"mb/s", "MB/s"},
                {"tb/s", "TB/s"},
                {"joules", "J"},
                {"percent", "%"},
                {"w", "W"},
                {"kwh", "kWh"},
                {"$/h", "USD/h"},
                {"$/hr", "USD/h"},
                {"usd/hr", "USD/h"}};
    const abdb_unit *unit = abdb_unit_find(word);

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcasecmp(word, ways[i].written) == 0) return ways[i].unit;
    return unit && isalpha((unsigned char)*word) ? word : NULL;
}

/* The unit in a heading: "(GB/s)", "[ms]", "_ms", the last word, or all of it; "" none. */
static const char *find_unit_in_heading(const char *name, char word[WORD])
{
    const char *open = strpbrk(name, "(["), *last = name + strlen(name);
    const char *unit = NULL;

    if (open) {
        snprintf(word, WORD, "%.*s", (int)strcspn(open + 1, ")]"), open + 1);
        unit = unit_of_common_spelling(abdb_trim_in_place(word));
        last = open;
    }
    while (last > name && isspace((unsigned char)last[-1])) last--;
    for (const char *from = last; !unit && from > name; from--) {
        if (!strchr(" _", from[-1]) && from - 1 != name) continue;
        if (from - 1 == name) from = name;
        snprintf(word, WORD, "%.*s", (int)(last - from), from);
        unit = unit_of_common_spelling(word);
        break;
    }
    return unit ? unit : "";
}

/* The metric that a heading in this base unit speaks of; the first of the unit is what it is
 * where no word says more. NULL: none. */
static const char *guess_metric_of_heading(const char *name, const char *base)
{
    static const struct {
        const char *base, *words, *metric;
    } table[] = {
        {"s", "ttft|first token|first_token", "ttft_s"},
        {"s", "tpot|per output token|per_output_token", "tpot_s"},
        {"s", "itl|inter-token|inter_token", "itl_s"},
        {"s", "train", "time_to_train_s"},
        {"s", "latency", "latency_s"},
        {"s", "", "time_s"},
        {"token/s", "", "tokens_per_s"},
        {"sample/s", "", "samples_per_s"},
        {"query/s", "", "queries_per_s"},
        {"FLOP/s", "", "flops_per_s"},
        {"OP/s", "", "ops_per_s"},
        {"B/s", "busbw|bus bandwidth|bus_bandwidth", "busbw_bytes_per_s"},
        {"B/s", "", "bytes_per_s"},
        {"W", "", "power_w"},
        {"J", "", "energy_j"},
        {"1", "mfu", "mfu"},
        {"1", "hfu", "hfu"},
        {"1", "accuracy", "accuracy"},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(base, table[i].base) == 0 &&
            (!*table[i].words || name_contains_any_word(name, table[i].words)))
            return table[i].metric;
    return NULL;
}

/* Without a unit in the heading: what it speaks of, in the unit that is usual. */
static const char *guess_unit_of_heading(const char *name, bool *guess)
{
    static const struct {
        const char *words, *unit;
        bool guess;
    } table[] = {
        {"tokens per|tokens_per|tok/s|tokens/s", "token/s", false},
        {"samples per|samples_per|images per", "sample/s", false},
        {"tflop", "TFLOP/s", false},
        {"gflop", "GFLOP/s", false},
        {"ttft|tpot|itl|latency", "ms", true},
        {"mfu|hfu|accuracy", "%", true},
        {"flops", "FLOP/s", true},
        {"bandwidth|busbw|algbw", "GB/s", true},
        {"watt|power", "W", true},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (name_contains_any_word(name, table[i].words)) {
            *guess = table[i].guess;
            return table[i].unit;
        }
    return "";
}

/* The first of words within name, in the order of the list: the more special spelling stands first
 * (nvfp4 before fp4). */
static const char *find_contained_word(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (strcasestr(name, *words)) return *words;
    return NULL;
}

/* " unit U statistic p99 dtype fp8 ...": what tells the line from others of its metric. */
static void append_metric_line(draft *d, const char *name, const char *metric, const char *unit,
                               const char *more, bool guess)
{
    static const char *const statistics[] = {"p50",  "p90", "p95", "p99", "median",
                                             "mean", "min", "max", NULL};
    static const char *const dtypes[] = {"bf16", "fp16", "nvfp4", "mxfp4", "fp8",  "fp4",
                                         "tf32", "fp32", "fp64",  "int8",  "int4", NULL};
    const char *statistic = find_contained_word(name, statistics),
               *dtype = find_contained_word(name, dtypes);
    char line[LINE];

    snprintf(line, sizeof line, "%s %s %s %s", metric, statistic ? statistic : "",
             dtype ? dtype : "", more);
    abdb_text_printf(d->out, "metric %s column ", metric);
    append_quoted_word(d->out, name);
    abdb_text_printf(d->out, " unit %s", unit);
    if (statistic) abdb_text_printf(d->out, " statistic %s", statistic);
    if (dtype) abdb_text_printf(d->out, " dtype %s", dtype);
    abdb_text_puts(d->out, more);
    if (!remember_if_first(d, line)) {
        abdb_text_puts(d->out, " workload ");
        append_quoted_word(d->out, name);
    }
    if (guess) abdb_text_puts(d->out, "  # is that the unit?");
}

/* "Batch size" becomes the factor batch_size. */
static void append_factor_line(draft *d, const char *name)
{
    abdb_text_puts(d->out, "factor ");
    for (const char *s = name; *s; s++) {
        char letter = isalnum((unsigned char)*s) ? (char)tolower((unsigned char)*s) : '_';

        abdb_text_add(d->out, &letter, 1);
    }
    abdb_text_puts(d->out, " column ");
    append_quoted_word(d->out, name);
}

/* A heading that is a date, or a size ("4096", "64K", "8 MiB"): of a table that is wide. */
static const char *factor_of_wide_heading(const char *name)
{
    char date[ABDB_DATE_SIZE];
    size_t digits = strspn(name, "0123456789");
    const char *tail = name + digits + strspn(name + digits, " ");

    if (strchr("-/", name[digits]) && name[digits] && abdb_date_to_iso(name, date)) return "date";
    if (!digits) return NULL;
    if (!*tail || strspn(tail, "kKMGTiB") == strlen(tail)) return "factor.size";
    return NULL;
}

/* Words of headings that mean a field; the first column of each field is it. */
static const char *guess_field_of_column(const draft *d, const char *name, const char *cell)
{
    static const struct {
        const char *words, *field;
    } table[] = {
        {"number of|# gpus|num_gpu|num gpu|gpus|count|devices", "devices"},
        {"nodes", "nodes"},
        {"device|gpu|accelerator|hardware|chip|card", "device"},
        {"model|network", "model"},
        {"dtype|data type|precision", "dtype"},
        {"date", "date"},
        {"backend|framework|engine", "backend"},
    };
    double value;

    if (cell && !d->device && d->known && d->known(cell)) return "device";
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        /* The first two fields are numbers, the others are not: "GPUs" over numbers is how many,
         * over words which. */
        bool counts = i < 2;

        if (name_contains_any_word(name, table[i].words) &&
            (!cell || abdb_double_parse(cell, ABDB_MARK_POINT, &value) == counts ||
             strcmp(table[i].field, "date") == 0))
            return table[i].field;
    }
    return NULL;
}

static void append_line_of_column(draft *d, const char *name, const char *cell)
{
    char word[WORD], line[LINE], pair[LINE];
    bool guess = false, is_number;
    double value;
    const char *field = guess_field_of_column(d, name, cell), *wide = factor_of_wide_heading(name),
               *unit, *metric = NULL;

    is_number = cell && abdb_double_parse(cell, ABDB_MARK_POINT, &value);
    unit = find_unit_in_heading(name, word);
    if (!*unit) unit = guess_unit_of_heading(name, &guess);
    if (*unit && is_number) metric = guess_metric_of_heading(name, abdb_unit_find(unit)->base);
    if (is_number && wide) {
        snprintf(pair, sizeof pair, " %s \"%.40s\"", wide, name);
        append_metric_line(d, name, "tokens_per_s", "token/s", pair, false);
        abdb_text_puts(d->out, "  # which metric and unit are these?");
    } else if (metric) {
        append_metric_line(d, name, metric, unit, "", guess);
    } else if (name_contains_any_word(name, "price|cost|usd") && remember_if_first(d, "price")) {
        abdb_text_puts(d->out, "price amount column ");
        append_quoted_word(d->out, name);
        abdb_text_puts(d->out, " kind on-demand");
    } else if (field && !*unit && snprintf(line, sizeof line, "field %s", field) > 0 &&
               remember_if_first(d, line)) {
        d->device |= strcmp(field, "device") == 0;
        abdb_text_printf(d->out, "field %s column ", field);
        append_quoted_word(d->out, name);
    } else {
        append_factor_line(d, name);
    }
}

static abdb_status draft_map_from_first_row(void *self, const abdb_flat_record *record,
                                            abdb_error *err)
{
    draft *d = self;
    size_t matched = 0;

    (void)err;
    /* One row is enough: types are read off the first cells. */
    if (d->done) return ABDB_OK;
    for (size_t i = 0; i < record->items && matched < 3; i++) {
        if (record->item[i].name[0] == '(') continue;
        abdb_text_puts(d->out, matched++ ? " " : "match   ");
        append_quoted_word(d->out, record->item[i].name);
    }
    d->done = matched > 0;
    if (!d->done) return ABDB_OK; /* nothing but lists and titles */
    abdb_text_puts(d->out, "\n\n");
    for (size_t i = 0; i < record->items; i++) {
        const char *cell = record->item[i].text;

        if (record->item[i].name[0] == '(') continue;
        append_line_of_column(d, record->item[i].name, cell);
        abdb_text_printf(d->out, "  # %.*s\n", cell ? (int)strcspn(cell, "\r\n") : 0,
                         cell ? cell : "");
    }
    if (!d->device)
        abdb_text_puts(d->out, "# no column names the device; one for all rows:\n"
                               "# set device NAME\n");
    return ABDB_OK;
}

/* A draft tells nobody which rows are damaged. */
static abdb_status draft_ignore_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    (void)self, (void)reject, (void)err;
    return ABDB_OK;
}

static abdb_status draft_ignore_row_end(void *self, abdb_error *err)
{
    (void)self, (void)err;
    return ABDB_OK;
}

abdb_status table_map_draft_from_input(abdb_text *out, const abdb_input *in,
                                       map_known_device is_device_name, abdb_error *err)
{
    static const abdb_sink nowhere = {.reject = draft_ignore_reject,
                                      .row_end = draft_ignore_row_end};
    draft d = {.out = out, .known = is_device_name};
    abdb_status st = ABDB_OK;

    abdb_text_puts(out, "# A draft: mend the lines, take out what is not wanted, then\n"
                        "#   abdb import --map THIS FILE\n"
                        "name    my-table\n"
                        "summary \"what it is\"\n"
                        "set     evidence published     # or measured\n"
                        "set     workload gpt           # what was run\n");
    if (markdown_has_table(in))
        TRY(markdown_read_tables(in, &nowhere, draft_map_from_first_row, &d, err));
    else
        TRY(abdb_flat_read_records(in, &nowhere, draft_map_from_first_row, &d, err));
    if (!d.done) st = ABDB_FAIL(err, ABDB_FORMAT, "no table with a header and a row");
done:
    return st;
}
