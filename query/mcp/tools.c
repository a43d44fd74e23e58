/* tools.c - the tools of abdb mcp and their command lines; see tools.h. */
#include "query/mcp/tools.h"

#include <string.h>
#include <strings.h>

#include "query/cli/command_line.h"

#define WHERE_ARGUMENT                                                                    \
    {                                                                                     \
        ABDB_TOOL_OPTION, "where",                                                        \
            "conditions on the results, joined by commas: 'round=v6.0, division=closed, " \
            "availability=available'",                                                    \
            false                                                                         \
    }
#define PER_ARGUMENT                                                                               \
    {                                                                                              \
        ABDB_TOOL_OPTION, "per", "normalised per device, node, watt, joule, dollar or peak; none", \
            false                                                                                  \
    }
#define PRICE_ARGUMENT                                                                     \
    {                                                                                      \
        ABDB_TOOL_OPTION, "price", "the user's own quotes: 'MI355X=4.50 USD/h,...'", false \
    }
/* How serving is read, and what stands beside its speed. */
#define AT_ARGUMENT                                                                            \
    {                                                                                          \
        ABDB_TOOL_OPTION, "at", "a limit at which serving curves are read: 'tpot=50ms'", false \
    }
#define QUALITY_ARGUMENT                                                                  \
    {                                                                                     \
        ABDB_TOOL_OPTION, "quality", "least quality beside speed: 'accuracy>=0.5'", false \
    }
#define METRIC_ARGUMENT                                                             \
    {                                                                               \
        ABDB_TOOL_OPTION, "metric", "tokens_per_s, ttft_s, bytes_per_s, ...", false \
    }
#define PROVIDER_ARGUMENT                                                   \
    {                                                                       \
        ABDB_TOOL_OPTION, "provider", "only prices of this provider", false \
    }
#define PRICE_AGE_ARGUMENT                                                      \
    {                                                                           \
        ABDB_TOOL_OPTION, "price-max-age", "oldest price, in days: 180d", false \
    }
#define ARGUMENTS(...)            \
    (const abdb_tool_argument[])  \
    {                             \
        __VA_ARGS__,              \
        {                         \
            .kind = ABDB_TOOL_END \
        }                         \
    }

const abdb_tool abdb_tools[] = {
    {"query", "query",
     "Runs a named report, or one read-only SQL statement over the views v_* (resource "
     "abdb://schema lists them). Without arguments it lists the reports. Do not compare rows "
     "yourself: whether two results may be compared is decided by the tools compare and rank.",
     "--json",
     ARGUMENTS({ABDB_TOOL_WORD, "report",
                "name of a report, such as specs or mlperf-llm, or one SELECT statement", false},
               {ABDB_TOOL_PARAMS, "parameters", "parameters of the report by name", false}),
     NULL},
    {"compare", "compare",
     "Compares two sets of results: whether they may be compared, by which rule not, which factors "
     "differ, and the ratio B/A. A refusal (exit code 3) is an answer: never compute the ratio "
     "yourself then. 'stated' means published single values, not a tested difference.",
     "--json",
     ARGUMENTS({ABDB_TOOL_WORD, "a", "the baseline, a selection such as H200-SXM", true},
               {ABDB_TOOL_WORD, "b", "what is compared with it", true}, WHERE_ARGUMENT,
               PER_ARGUMENT, PRICE_ARGUMENT, METRIC_ARGUMENT, AT_ARGUMENT, QUALITY_ARGUMENT),
     NULL},
    {"rank", "rank",
     "Orders devices for a workload; results that may not be compared are ranked in groups of "
     "their own. Name the group, not only the place.",
     "--json",
     ARGUMENTS({ABDB_TOOL_WORD, "selection", "what was run, such as 'llama2-70b-99,server'", true},
               WHERE_ARGUMENT, PER_ARGUMENT, PRICE_ARGUMENT, METRIC_ARGUMENT, AT_ARGUMENT,
               QUALITY_ARGUMENT, PROVIDER_ARGUMENT, PRICE_AGE_ARGUMENT,
               {ABDB_TOOL_OPTION, "price-kind", "on-demand (default), spot, ..., any", false},
               {ABDB_TOOL_FLAG, "suite", "a mean over the benchmarks of a suite", false},
               {ABDB_TOOL_OPTION, "baseline", "of the suite's ratios", false},
               {ABDB_TOOL_OPTION, "by", "device (default), system, submitter, ...", false},
               {ABDB_TOOL_OPTION, "limit", "rows of each group", false}),
     NULL},
    {"choose", "choose",
     "What to buy or rent for a rate or a training, in whole systems, cheapest first. Quote the "
     "column 'uncertain' and the age of prices with every price.",
     "--json",
     ARGUMENTS(
         {ABDB_TOOL_WORD, "what", "benchmark or model, and scenario: 'llama2-70b-99,server'", true},
         {ABDB_TOOL_OPTION, "rate", "wanted rate: 100k/s", false},
         {ABDB_TOOL_OPTION, "ttft", "longest time to first token: 1s", false},
         {ABDB_TOOL_OPTION, "tpot", "longest time per output token: 50ms", false},
         {ABDB_TOOL_OPTION, "latency", "longest time of a query: 130ms", false},
         {ABDB_TOOL_OPTION, "percentile", "of these limits (default 99)", false},
         {ABDB_TOOL_OPTION, "time-to-train", "a training, done within 30min, 2h or any", false},
         WHERE_ARGUMENT, PER_ARGUMENT, PRICE_ARGUMENT,
         {ABDB_TOOL_OPTION, "own", "what owning costs: 'B200-SXM=45000'", false},
         {ABDB_TOOL_OPTION, "tier", "kind of provider, or any", false},
         {ABDB_TOOL_OPTION, "limit", "rows", false}, PROVIDER_ARGUMENT, PRICE_AGE_ARGUMENT),
     NULL},
    {"why", "why",
     "Splits the ratio of two results into factors whose product it is: round, scale, number "
     "format, device, price. A joint factor ('number format and device') cannot be attributed to "
     "one of its parts.",
     "--json",
     ARGUMENTS({ABDB_TOOL_WORD, "a", "the baseline, a selection", true},
               {ABDB_TOOL_WORD, "b", "what is compared with it", true}, WHERE_ARGUMENT,
               PER_ARGUMENT, PRICE_ARGUMENT),
     NULL},
    {"explain", "explain",
     "Where a number comes from: source, document, place and key of each fact behind it.", "--json",
     ARGUMENTS({ABDB_TOOL_WORD, "what", "a key (r-..., s-..., p-...), a device or a claim", true}),
     NULL},
    {"audit", "audit",
     "Checks of the evidence: conflicts between sources, doubts, gaps, claims that fail. Without "
     "a name it lists the checks.",
     "--json",
     ARGUMENTS({ABDB_TOOL_WORD, "name", "conflicts, doubts, gaps, claims, ...", false},
               {ABDB_TOOL_PARAMS, "parameters", "parameters of the check by name", false}),
     NULL},
    {"accept", "accept",
     "Judges whether a device is as fast as others of its kind, by a file of its results. Give the "
     "text of the file: no path is read, and nothing is stored. Exit code 1: something is slow.",
     "--json",
     ARGUMENTS({ABDB_TOOL_INPUT, "text", "the whole file, as the benchmark wrote it", true},
               {ABDB_TOOL_OPTION, "set", "what it does not state: 'device=H100-SXM'", false}),
     NULL},
    {"footnotes", "query",
     "The footnotes that MLCommons asks for wherever results of MLPerf are shown.", "--json",
     ARGUMENTS(
         {ABDB_TOOL_OPTION, "keys", "keys of the results (r-...), blanks between them", true}),
     "mlperf-footnotes"},
    {"plot", "plot",
     "Draws a figure as SVG. Its notes are the caption: sources, ages of prices and MLCommons' "
     "footnotes belong below the picture wherever it is shown.",
     "--out=-",
     ARGUMENTS({ABDB_TOOL_WORD, "figure", "name of a figure, such as mlperf-llm or choose", true},
               {ABDB_TOOL_OPTION, "devices", "only these: 'B200*,MI355X'", false},
               {ABDB_TOOL_PARAMS, "parameters", "parameters of its report by name", false}),
     NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL}};

const abdb_tool *abdb_tool_find(const char *name)
{
    for (const abdb_tool *t = abdb_tools; t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

/* The JSON schema of a tool's arguments. */
static json_t *make_json_schema_of_arguments(const abdb_tool *tool)
{
    json_t *properties = json_object(), *required = json_array();

    for (const abdb_tool_argument *a = tool->arguments; a->kind != ABDB_TOOL_END; a++) {
        const char *type = a->kind == ABDB_TOOL_FLAG     ? "boolean"
                           : a->kind == ABDB_TOOL_PARAMS ? "object"
                                                         : "string";

        (void)json_object_set_new(
            properties, a->name,
            json_pack("{s:s, s:s}", "type", type, "description", a->description));
        if (a->required) (void)json_array_append_new(required, json_string(a->name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required",
                     required, "additionalProperties", 0);
}

json_t *abdb_tools_to_json(void)
{
    json_t *list = json_array();

    for (const abdb_tool *t = abdb_tools; list && t->name; t++)
        if (json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:{s:b, s:b}}", "name", t->name,
                                                  "description", t->description, "inputSchema",
                                                  make_json_schema_of_arguments(t), "annotations",
                                                  "readOnlyHint", 1, "openWorldHint", 0)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

/* A JSON scalar as the word that a command line has; NULL: it is none. */
static const char *json_scalar_to_command_word_or_null(const json_t *value, abdb_arena *arena)
{
    if (json_is_string(value)) return json_string_value(value);
    if (json_is_integer(value))
        return abdb_arena_printf(arena, "%lld", (long long)json_integer_value(value));
    if (json_is_real(value)) return abdb_arena_printf(arena, "%.17g", json_real_value(value));
    return NULL;
}

/* A command line that grows. */
typedef struct {
    const char **word;
    size_t count, capacity;
    abdb_arena *arena;
} word_list;

/* ABDB_USAGE: too many words; ABDB_NOMEM: word is NULL. */
static abdb_status append_command_word(word_list *list, const char *word, abdb_error *err)
{
    if (!word) return ABDB_FAIL(err, ABDB_NOMEM, "a command");
    if (list->count + 1 >= list->capacity) return ABDB_FAIL(err, ABDB_USAGE, "too many arguments");
    list->word[list->count++] = word;
    return ABDB_OK;
}

/* Is that an option of the verb itself, or the beginning of one, which stands for it? */
static bool is_option_prefix_of_verb(const char *verb, const char *name)
{
    const abdb_option *const lists[] = {abdb_command_find(verb)->options, abdb_common_options,
                                        abdb_output_options};

    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
        for (const abdb_option *o = lists[l]; o && o->name; o++)
            if (strncmp(o->name, name, strlen(name)) == 0) return true;
    return false;
}

/* Appends the parameters of a report or figure as options. Options of the verb, which write files
 * or choose the database, are refused; the verb refuses parameters that the report lacks. */
static abdb_status append_report_parameters_as_options(const abdb_tool *tool, const json_t *object,
                                                       word_list *list, abdb_error *err)
{
    const char *key;
    json_t *value;
    abdb_status st = ABDB_OK;

    if (!json_is_object(object)) return ABDB_FAIL(err, ABDB_USAGE, "parameters is no object");
    json_object_foreach((json_t *)(size_t)object, key, value)
    {
        const char *word = json_scalar_to_command_word_or_null(value, list->arena);
        char name[64];
        size_t size = 0;

        for (; key[size] && size < sizeof name - 1; size++)
            name[size] = key[size] == '_' ? '-' : key[size];
        name[size] = '\0';
        if (!size || key[size] || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != size ||
            *name == '-' || !word || is_option_prefix_of_verb(tool->verb, name))
            return ABDB_FAIL(err, ABDB_USAGE, "no parameter '%.60s'%s", key,
                             word ? "" : " of that type: a text or a number");
        st = append_command_word(list, abdb_arena_printf(list->arena, "--%s=%s", name, word), err);
        if (st != ABDB_OK) return st;
    }
    return st;
}

/* May the word stand where a report, figure or check is named? A name, or for query a statement;
 * never a path. */
static bool is_report_name_or_query_statement(const abdb_tool *tool, const char *word)
{
    static const char *const begin[] = {"SELECT", "WITH", "VALUES", "EXPLAIN"};

    if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(word) &&
        *word != '-')
        return true;
    for (size_t i = 0; strcmp(tool->verb, "query") == 0 && i < sizeof begin / sizeof begin[0]; i++)
        if (strncasecmp(word + strspn(word, " \n\t"), begin[i], strlen(begin[i])) == 0) return true;
    return false;
}

const char *abdb_tool_input_text_or_null(const abdb_tool *tool, const json_t *arguments)
{
    for (const abdb_tool_argument *a = tool->arguments; a->kind != ABDB_TOOL_END; a++)
        if (a->kind == ABDB_TOOL_INPUT)
            return json_string_value(json_object_get(arguments, a->name));
    return NULL;
}

/* Refuses arguments that the tool does not have, and a call without those that it needs. */
static abdb_status refuse_unknown_or_missing_arguments(const abdb_tool *tool,
                                                       const json_t *arguments, abdb_error *err)
{
    const char *key;
    json_t *value;

    for (const abdb_tool_argument *a = tool->arguments; a->kind != ABDB_TOOL_END; a++)
        if (a->required && !json_object_get(arguments, a->name))
            return ABDB_FAIL(err, ABDB_USAGE, "%s: %s", a->name, a->description);

    json_object_foreach((json_t *)(size_t)arguments, key, value)
    {
        const abdb_tool_argument *a = tool->arguments;

        while (a->kind != ABDB_TOOL_END && strcmp(a->name, key) != 0) a++;
        if (a->kind == ABDB_TOOL_END)
            return ABDB_FAIL(err, ABDB_USAGE, "%s has no argument '%.60s'", tool->name, key);
    }
    return ABDB_OK;
}

/* Appends the options of a call: options of the tool, then the parameters of its report. */
static abdb_status append_tool_options_and_parameters(const abdb_tool *tool,
                                                      const json_t *arguments, word_list *list,
                                                      abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (const abdb_tool_argument *a = tool->arguments; a->kind != ABDB_TOOL_END; a++) {
        const json_t *value = json_object_get(arguments, a->name);
        const char *word = json_scalar_to_command_word_or_null(value, list->arena);

        if (!value || json_is_null(value) || a->kind == ABDB_TOOL_WORD) continue;
        if (a->kind == ABDB_TOOL_INPUT) {
            if (!json_is_string(value)) TRY(ABDB_FAIL(err, ABDB_USAGE, "%s is a text", a->name));
            continue;
        }
        if (a->kind == ABDB_TOOL_PARAMS) {
            TRY(append_report_parameters_as_options(tool, value, list, err));
        } else if (a->kind == ABDB_TOOL_FLAG) {
            if (!json_is_boolean(value))
                TRY(ABDB_FAIL(err, ABDB_USAGE, "%s is true or false", a->name));
            if (json_is_true(value))
                TRY(append_command_word(list, abdb_arena_printf(list->arena, "--%s", a->name),
                                        err));
        } else {
            if (!word) TRY(ABDB_FAIL(err, ABDB_USAGE, "%s is a text or a number", a->name));
            TRY(append_command_word(list, abdb_arena_printf(list->arena, "--%s=%s", a->name, word),
                                    err));
        }
    }
done:
    return st;
}

/* Appends the words of a call: selections, keys, or the name of a report. named: only a name or
 * statement will do. */
static abdb_status append_positional_words_of_tool(const abdb_tool *tool, const json_t *arguments,
                                                   bool names_or_statements_only, word_list *list,
                                                   abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (const abdb_tool_argument *a = tool->arguments; a->kind != ABDB_TOOL_END; a++) {
        const json_t *value = json_object_get(arguments, a->name);
        const char *word = json_string_value(value);

        if (a->kind != ABDB_TOOL_WORD || (!value && !a->required)) continue;
        if (!word || (names_or_statements_only && !is_report_name_or_query_statement(tool, word)))
            TRY(ABDB_FAIL(err, ABDB_USAGE, "%s: %s", a->name, a->description));
        TRY(append_command_word(list, word, err));
    }
done:
    return st;
}

abdb_status abdb_tool_build_command(const abdb_tool *tool, const json_t *arguments, const char *db,
                                    const char **command, size_t room, abdb_arena *arena,
                                    abdb_error *err)
{
    word_list list = {command, 0, room, arena};
    bool named = strcmp(tool->verb, "query") == 0 || strcmp(tool->verb, "plot") == 0 ||
                 strcmp(tool->verb, "audit") == 0;
    abdb_status st = ABDB_OK;

    if (arguments && !json_is_object(arguments))
        return ABDB_FAIL(err, ABDB_USAGE, "the arguments are no object");
    TRY(refuse_unknown_or_missing_arguments(tool, arguments, err));
    TRY(append_command_word(&list, tool->verb, err));
    if (tool->report) TRY(append_command_word(&list, tool->report, err));
    if (named)
        TRY(append_positional_words_of_tool(tool, arguments, true, &list,
                                            err)); /* a name comes first */
    TRY(append_command_word(&list, abdb_arena_printf(arena, "--db=%s", db), err));
    TRY(append_command_word(&list, tool->fixed, err));
    TRY(append_tool_options_and_parameters(tool, arguments, &list, err));
    TRY(append_command_word(&list, "--", err));
    if (!named) TRY(append_positional_words_of_tool(tool, arguments, false, &list, err));
    if (abdb_tool_input_text_or_null(tool, arguments)) TRY(append_command_word(&list, "-", err));
    command[list.count] = NULL;
done:
    return st;
}
