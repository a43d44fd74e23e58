/* table_heading.c - headings by their words and units; see table_heading.h. */
#include "ingest/tables/table_heading.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "schema/core/record.h"
#include "schema/core/units.h"

#define TOKENS    "token|tokens|tok|toks"
#define SAMPLES   "sample|samples|image|images|img|imgs|sequence|sequences"
#define REQUESTS  "request|requests|req|reqs|query|queries"
#define PER_TOKEN "per token|per output token"
#define TIMES     "time|runtime|duration|elapsed|latency|ttft|tpot|itl|wall|" PER_TOKEN

void heading_fold_to_lowercase_words(const char *heading, char out[HEADING_SIZE])
{
    size_t used = 1;

    out[0] = ' ';
    for (const char *s = heading; *s && used + 8 < HEADING_SIZE; s++) {
        bool hump = s > heading && isupper((unsigned char)*s) && islower((unsigned char)s[-1]) &&
                    islower((unsigned char)s[1]);

        if (*s == '/') {
            used += (size_t)snprintf(out + used, 8, "%sper ", out[used - 1] == ' ' ? "" : " ");
        } else if (isalnum((unsigned char)*s) || strchr("%$#*", *s) || (unsigned char)*s > 127) {
            if (hump && out[used - 1] != ' ') out[used++] = ' ';
            out[used++] = (char)tolower((unsigned char)*s);
        } else if (out[used - 1] != ' ') {
            out[used++] = ' ';
        }
    }
    if (out[used - 1] != ' ') out[used++] = ' ';
    out[used] = '\0';
}

bool heading_has_any_word(const char *folded, const char *words)
{
    char word[HEADING_UNIT];

    while (*words) {
        size_t size = strcspn(words, "|");

        snprintf(word, sizeof word, " %.*s ", (int)size, words);
        if (strstr(folded, word)) return true;
        words += size + (words[size] == '|');
    }
    return false;
}

/* One of the words ('|' between them) of a list, followed at once by one of others. */
static bool has_adjacent_word_pair(const char *folded, const char *first, const char *second)
{
    char pair[HEADING_UNIT];

    for (const char *a = first; *a; a += strcspn(a, "|"), a += *a == '|')
        for (const char *b = second; *b; b += strcspn(b, "|"), b += *b == '|') {
            snprintf(pair, sizeof pair, " %.*s %.*s ", (int)strcspn(a, "|"), a,
                     (int)strcspn(b, "|"), b);
            if (strstr(folded, pair)) return true;
        }
    return false;
}

bool heading_speaks_of_specification(const char *folded)
{
    return heading_has_any_word(folded,
                                "tdp|tgp|tbp|memory gb|memory size|memory bandwidth|vram|nvlink|"
                                "cuda cores|tensor|transistors|die size|process|peak|"
                                "theoretical|launch|release date|msrp|bidirectional|"
                                "memory type|interconnect|form factor") ||
           strstr(folded, "flops*") || strstr(folded, "tops*");
}

bool heading_speaks_of_result(const char *folded)
{
    return heading_has_any_word(folded,
                                "throughput|latency|ttft|tpot|itl|mfu|hfu|achieved|measured|"
                                "batch|batch size|accuracy|seconds|runtime") ||
           has_adjacent_word_pair(folded, TOKENS "|" SAMPLES "|" REQUESTS, "per|s|sec");
}

/* --- words ------------------------------------------------------------------------------------ */

/* The metric that a heading in this base unit speaks of; the first of the unit is what it is
 * where no word says more. NULL: none. */
static const char *guess_metric_by_words_and_base_unit(const char *folded, const char *base)
{
    static const struct {
        const char *base, *words, *metric;
    } table[] = {
        {"s", "ttft|first token|time to first token", "ttft_s"},
        {"s", "tpot|per output token|per token", "tpot_s"},
        {"s", "itl|inter token", "itl_s"},
        {"s", "time to train|training time", "time_to_train_s"},
        {"s", "latency|e2el", "latency_s"},
        {"s", "", "time_s"},
        {"token/s", "", "tokens_per_s"},
        {"sample/s", "", "samples_per_s"},
        {"query/s", "", "queries_per_s"},
        {"FLOP/s", "", "flops_per_s"},
        {"OP/s", "", "ops_per_s"},
        {"B/s", "busbw|bus bandwidth", "busbw_bytes_per_s"},
        {"B/s", "", "bytes_per_s"},
        {"W", "", "power_w"},
        {"J", "", "energy_j"},
        {"1", "mfu", "mfu"},
        {"1", "hfu", "hfu"},
        {"1", "accuracy", "accuracy"},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(base, table[i].base) == 0 &&
            (!*table[i].words || heading_has_any_word(folded, table[i].words)))
            return table[i].metric;
    return NULL;
}

/* The first of words within a heading, in the order of the list: the more special spelling stands
 * first (nvfp4 before fp4). */
static const char *find_first_listed_word_in_heading(const char *folded, const char *const *words)
{
    for (; *words; words++)
        if (heading_has_any_word(folded, *words)) return *words;
    return NULL;
}

/* The statistic that a heading names; NULL: none. */
static const char *find_statistic_in_heading(const char *folded)
{
    static const char *const statistics[] = {"p50",    "p90",  "p95", "p99", "p999",
                                             "median", "mean", "min", "max", NULL};

    if (heading_has_any_word(folded, "avg|average")) return "mean";
    if (heading_has_any_word(folded, "minimum")) return "min";
    if (heading_has_any_word(folded, "maximum")) return "max";
    return find_first_listed_word_in_heading(folded, statistics);
}

static const char *find_dtype_in_heading(const char *folded)
{
    static const char *const dtypes[] = {"bf16", "fp16", "nvfp4", "mxfp4", "fp8",  "fp4",
                                         "tf32", "fp32", "fp64",  "int8",  "int4", NULL};

    if (heading_has_any_word(folded, "bfloat16")) return "bf16";
    return find_first_listed_word_in_heading(folded, dtypes);
}

/* The metric that the heading itself names, as abdb does; a statistic may stand before it. */
static const abdb_metric_info *find_metric_named_by_heading(const char *folded)
{
    char name[HEADING_SIZE];
    const char *from = folded + 1;
    size_t size;

    for (;;) {
        const abdb_metric_info *info;

        snprintf(name, sizeof name, "%s", from);
        size = strlen(name);
        if (size) name[size - 1] = '\0';
        for (char *s = name; *s; s++)
            if (*s == ' ') *s = '_';
        info = abdb_metric_find(name);
        if (info || from != folded + 1) return info;
        size = strcspn(from, " ");
        snprintf(name, sizeof name, " %.*s ", (int)size, from);
        if (!from[size] || !find_statistic_in_heading(name)) return NULL;
        from += size + 1;
    }
}

/* The unit of a rate that words spell: "tokens_per_sec", "images_s", "request throughput"; NULL: no
 * rate. */
static const char *find_rate_unit_in_words(const char *folded)
{
    static const char *const kinds[][2] = {
        {TOKENS, "token/s"}, {SAMPLES, "sample/s"}, {REQUESTS, "query/s"}};

    for (size_t i = 0; i < 3; i++) {
        if (!heading_has_any_word(folded, kinds[i][0])) continue;
        if (has_adjacent_word_pair(
                folded, kinds[i][0],
                "per s|per sec|per second|per seconds|throughput|sec throughput"))
            return kinds[i][1];
        /* "_s" after something countable. */
        if (has_adjacent_word_pair(folded, kinds[i][0], "s|sec") &&
            !heading_has_any_word(folded, TIMES))
            return kinds[i][1];
    }
    return NULL;
}

/* Something else that is counted, in a second: "steps_s", "iterations per sec". */
static bool is_per_second_rate_of_other_items(const char *folded)
{
    return heading_has_any_word(folded, "per s|per sec|per second") ||
           has_adjacent_word_pair(
               folded, "steps|iters|iterations|batches|epochs|items|frames|ops|calls|rows",
               "s|sec");
}

/* --- kinds of columns ------------------------------------------------------------------------- */

static heading_meaning meaning_with_question_unless_set(heading_meaning meaning,
                                                        const char *question)
{
    if (!meaning.question) meaning.question = question;
    return meaning;
}

static heading_meaning make_heading_meaning(heading_kind kind, const char *name, const char *unit)
{
    heading_meaning meaning = {.kind = kind, .name = name, .options = ""};

    snprintf(meaning.unit, sizeof meaning.unit, "%s", unit);
    return meaning;
}

/* A rate whose heading speaks of what a device could do, in a table that is no sheet of them. */
static bool is_rate_that_may_be_of_data_sheet(const char *folded, const char *base)
{
    bool rate =
        strcmp(base, "FLOP/s") == 0 || strcmp(base, "OP/s") == 0 || strcmp(base, "B/s") == 0;

    return rate && heading_speaks_of_specification(folded) && !heading_speaks_of_result(folded);
}

/* What was asked of a run, or is a limit of it: never its result. */
static bool is_load_or_limit_setting(const char *folded)
{
    return heading_has_any_word(folded, "request rate|target|offered|requested|asked|concurrency|"
                                        "arrival rate|load|batch size|max tokens|max len|max batch|"
                                        "max model len|max num seqs|burstiness") &&
           !heading_has_any_word(folded, "achieved|measured");
}

/* A price by its heading: kind and currency where they stand there, else with a question. */
static heading_meaning price_meaning_of_heading(const char *folded)
{
    static const char *const options[2][2] = {
        {" kind on-demand per hour", " kind on-demand currency USD per hour"},
        {" kind spot per hour", " kind spot currency USD per hour"}};
    bool spot = heading_has_any_word(folded, "spot|preemptible|interruptible"),
         dollars = heading_has_any_word(folded, "usd|$|dollars");
    heading_meaning meaning = make_heading_meaning(HEADING_PRICE, "amount", "");

    meaning.options = options[spot][dollars];
    if (heading_has_any_word(folded, TOKENS "|1m|million"))
        return meaning_with_question_unless_set(meaning,
                                                "a price of tokens is no rent of a device");
    if (heading_has_any_word(folded, "eur|€|gbp|chf|cny|rmb|inr"))
        meaning = meaning_with_question_unless_set(meaning, "which currency?");
    if (!heading_has_any_word(folded,
                              "per h|per hr|per hour|h|hr|hour|hourly|on demand|ondemand|spot|"
                              "rent|rental"))
        return meaning_with_question_unless_set(meaning,
                                                "rent of an hour, or the price of the card?");
    if (heading_has_any_word(folded, "gpu|device|chip|card|accelerator"))
        return meaning_with_question_unless_set(
            meaning, "of one device, or of all? set devices says of how many");
    return meaning;
}

/* A specification by its heading and unit: quantity, format, sparsity, with a question where the
 * heading leaves one open. */
static heading_meaning specification_meaning_of_heading(const char *folded, const char *unit,
                                                        const char *base)
{
    heading_meaning meaning = make_heading_meaning(HEADING_SPEC, NULL, unit);

    meaning.options = " basis card";
    if (strcmp(base, "FLOP/s") == 0 || strcmp(base, "OP/s") == 0) {
        bool dense = heading_has_any_word(folded, "dense");

        meaning.name = *base == 'F' ? "peak_flops" : "peak_ops";
        meaning.dtype = find_dtype_in_heading(folded);
        meaning.options = dense ? " engine matrix sparsity dense basis card"
                                : " engine matrix sparsity 2:4 basis card";
        meaning = meaning_with_question_unless_set(
            meaning, dense ? "matrix or vector?"
                           : "with sparsity, as a footnote may say, or dense? matrix or "
                             "vector?");
    } else if (strcmp(base, "B/s") == 0) {
        bool link =
            heading_has_any_word(folded, "nvlink|interconnect|link|bidirectional|network|pcie|"
                                         "fabric|scale up");

        meaning.name = link ? "link_bandwidth" : "memory_bandwidth";
        if (link)
            meaning = meaning_with_question_unless_set(meaning,
                                                       "of both directions together, or of one?");
    } else if (strcmp(base, "B") == 0) {
        meaning.name = "memory_size";
    } else if (strcmp(base, "W") == 0) {
        meaning.name = "power";
    }
    if (meaning.name && heading_has_any_word(folded, "per node|node|server|system|rack"))
        meaning = meaning_with_question_unless_set(meaning,
                                                   "of a node: a specification is of one device");
    return meaning;
}

/* Is a value in seconds one that a run has? */
static bool is_plausible_time(const char *metric, double seconds)
{
    bool of_token = strcmp(metric, "ttft_s") == 0 || strcmp(metric, "tpot_s") == 0 ||
                    strcmp(metric, "itl_s") == 0;

    return seconds == 0 || (seconds >= 1e-9 && seconds <= (of_token ? 600 : 90 * 86400.0));
}

/* What makes a metric in a known unit doubtful all the same, or NULL. */
static const char *question_if_metric_is_doubtful(const char *folded, const char *metric,
                                                  const abdb_unit *unit, double value)
{
    if (heading_has_any_word(folded, "std|stddev|stdev|sd|deviation|variance|var|cv|sem|error|"
                                     "ci|ci95"))
        return "a spread, no value";
    if (heading_has_any_word(folded,
                             "per gpu|per device|per chip|per card|per accelerator|per node|"
                             "per user|per watt"))
        return "a rate of each: metrics are of all devices together";
    if (heading_has_any_word(folded, "baseline|reference|expected|theoretical|ideal|goal|previous"))
        return "measured here, or what it is held against?";
    if (strcmp(unit->base, "W") == 0 && heading_has_any_word(folded, "watt|watts") &&
        !heading_has_any_word(folded, "power|measured|avg|average|mean|draw"))
        return "measured, or rated?";
    if (strcmp(unit->base, "query/s") == 0 && heading_has_any_word(folded, "qps|rps"))
        return "measured, or the load that was asked for?";
    if (strcmp(unit->base, "s") == 0 && isfinite(value) &&
        !is_plausible_time(metric, abdb_unit_to_base_value(unit, value)))
        return "an implausible time: is that the unit?";
    return NULL;
}

/* Without a unit in the heading: what it speaks of, in the unit that is usual, which is a guess. */
static const char *guess_usual_unit_by_words(const char *folded)
{
    static const struct {
        const char *words, *unit;
    } table[] = {
        {"throughput|speed", "token/s"},
        {"ttft|tpot|itl|latency|e2el", "ms"},
        {"mfu|hfu|accuracy", "%"},
        {"tflop|tflops|teraflops", "TFLOP/s"},
        {"gflop|gflops|gigaflops", "GFLOP/s"},
        {"bandwidth|busbw|algbw", "GB/s"},
        {"power", "W"},
        {"time|runtime|duration|elapsed", "s"},
    };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (heading_has_any_word(folded, table[i].words)) return table[i].unit;
    return "";
}

/* Units that are words or statistics as well: "min" of a latency, "h" of a price. */
static bool is_min_or_h_without_time_context(const char *folded, const char *unit, bool bracketed)
{
    bool minutes = strcmp(unit, "min") == 0, hours = strcmp(unit, "h") == 0;

    return (minutes || hours) && !bracketed && !(hours && heading_has_any_word(folded, TIMES));
}

static bool unit_has_base(const char *unit, const char *base)
{
    return *unit && strcmp(abdb_unit_find(unit)->base, base) == 0;
}

/* The unit of a column: in its heading, in words, else in the cell ("cell"), else guessed; "" none.
 * *question: what is in doubt about it. */
static const char *choose_unit_of_column_note_doubt(const char *heading, const char *folded,
                                                    bool in_cell, const char **question)
{
    char written[HEADING_UNIT];
    bool bracketed;
    const char *unit = heading_find_unit_or_empty(heading, written, &bracketed),
               *rate = find_rate_unit_in_words(folded);

    if (is_min_or_h_without_time_context(folded, unit, bracketed)) {
        unit = "";
        *question = "a minimum, or minutes?";
    }
    if (rate && (!*unit || unit_has_base(unit, "s"))) return rate;
    if (!*unit && heading_unit_may_be_bits_or_bytes(written)) {
        *question = "bits or bytes? Gb/s is not GB/s, nor MB/s or GiB/s";
        return strcasestr(written, "ib") ? "GiB/s" : "GB/s";
    }
    if (unit_has_base(unit, "s") && is_per_second_rate_of_other_items(folded)) {
        *question = "a rate of what?";
        return "item/s";
    }
    if (*unit) return unit;
    if (in_cell) return "cell";
    unit = guess_usual_unit_by_words(folded);
    if (*unit && !*question) *question = "is that the unit?";
    return unit;
}

/* A column of numbers with its unit. */
static heading_meaning meaning_of_number_column(const char *heading, const char *folded,
                                                const char *cell, double value, bool specification)
{
    const abdb_unit *in_cell = heading_find_known_unit_behind_number_of_cell(cell), *known;
    const char *question = NULL, *metric,
               *unit =
                   choose_unit_of_column_note_doubt(heading, folded, in_cell != NULL, &question);
    heading_meaning meaning;

    if (!*unit) return make_heading_meaning(HEADING_FACTOR, NULL, "");
    known = strcmp(unit, "cell") == 0 ? in_cell : abdb_unit_find(unit);
    if (specification || is_rate_that_may_be_of_data_sheet(folded, known->base)) {
        meaning = specification_meaning_of_heading(folded, unit, known->base);
        if (!meaning.name) return make_heading_meaning(HEADING_FACTOR, NULL, "");
        return specification
                   ? meaning
                   : meaning_with_question_unless_set(meaning, "measured, or of a data sheet?");
    }
    metric = strcmp(known->base, "item/s") == 0
                 ? "items_per_s"
                 : guess_metric_by_words_and_base_unit(folded, known->base);
    if (!metric) return make_heading_meaning(HEADING_FACTOR, NULL, "");
    meaning = make_heading_meaning(HEADING_METRIC, metric, unit);
    meaning.statistic = strcmp(unit, "min") == 0 ? NULL : find_statistic_in_heading(folded);
    meaning.dtype = find_dtype_in_heading(folded);
    meaning.question = question_if_metric_is_doubtful(folded, metric, known, value);
    return meaning_with_question_unless_set(meaning, question);
}

heading_meaning heading_find_meaning(const char *heading, const char *cell, abdb_decimal_mark mark,
                                     bool specification)
{
    char folded[HEADING_SIZE];
    const abdb_metric_info *named;
    heading_meaning meaning;
    double value = NAN;

    heading_fold_to_lowercase_words(heading, folded);
    (void)abdb_double_parse(cell, mark == ABDB_MARK_UNKNOWN ? ABDB_MARK_POINT : mark, &value);
    named = find_metric_named_by_heading(folded);
    if (named && !heading_has_any_word(folded, "load|error|steal|overhead|loss floor")) {
        bool percent = strcmp(named->unit, "1") == 0 && value > 2 &&
                       heading_has_any_word(folded, "accuracy|mfu|hfu|mbu|utilisation");

        meaning = make_heading_meaning(HEADING_METRIC, named->name, percent ? "%" : named->unit);
        meaning.statistic = find_statistic_in_heading(folded);
        meaning.dtype = find_dtype_in_heading(folded);
        meaning.question = percent ? "is that the unit?"
                                   : question_if_metric_is_doubtful(
                                         folded, named->name, abdb_unit_find(named->unit), value);
        return meaning;
    }
    if (heading_has_any_word(folded, "price|cost|usd|msrp|$|eur|€"))
        return price_meaning_of_heading(folded);
    if (heading_has_any_word(folded, "power limit|power cap"))
        return make_heading_meaning(HEADING_FACTOR, "device_power_limit", "");
    if (heading_has_any_word(folded, "tdp|tgp|tbp|rated|design power|max power|board power")) {
        meaning = make_heading_meaning(HEADING_SPEC, "power", "W");
        meaning.options = " basis card";
        return heading_has_any_word(folded, "tdp|tgp|tbp")
                   ? meaning
                   : meaning_with_question_unless_set(meaning, "rated watts of a card?");
    }
    if (is_load_or_limit_setting(folded)) return make_heading_meaning(HEADING_FACTOR, NULL, "");
    if (heading_has_any_word(folded, "min|max|mean|median|p50|p90|p99|std|avg") &&
        strlen(folded) < 9) { /* the statistic alone */
        meaning = make_heading_meaning(HEADING_METRIC, "time_s", "s");
        meaning.statistic = find_statistic_in_heading(folded);
        return meaning_with_question_unless_set(meaning, "of what, in which unit?");
    }
    return meaning_of_number_column(heading, folded, cell, value, specification);
}
