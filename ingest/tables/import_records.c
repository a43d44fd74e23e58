/* import_records.c - abdb's own records, JSON lines: the output of `abdb export -o jsonl` and `abdb
 * run --spool`, a form in which no digit is lost. See schema/core/record_json.h for the form. A
 * damaged line is a reject; the others stay. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/text_lines.h"
#include "ingest/tables/jsonl_record_parts.h"
#include "ingest/read/unknown_factor.h"
#include "schema/core/units.h"

/* VERSION is the form's, in each record; the importer's own version, at the end of this file, is
 * raised when files would be read otherwise. */
enum { REASON = 200, VERSION = 1 };
/* Whole numbers that a double holds, and ranks that an int does. */
#define COUNT_MOST 9007199254740992.0
#define RANK_MOST  2147483647.0

/* Only these records begin with {"record": "...": the highest bid of all. */
static int own_records_bid(const abdb_input *in)
{
    static const char *const token[] = {"{", "\"record\"", ":", "\""};
    size_t at = 0;

    for (size_t i = 0; i < sizeof token / sizeof *token; i++) {
        size_t size = strlen(token[i]);

        while (at < in->text_size && (in->text[at] == ' ' || in->text[at] == '\t')) at++;
        if (in->text_size - at < size || strncmp(in->text + at, token[i], size) != 0) return 0;
        at += size;
    }
    return 95;
}

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out; /* names unknown to this abdb */
    abdb_entry entry;
    abdb_arena arena; /* samples */
} reader;

static const char *member_text_or_null(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static double member_number_or_nan(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Text, or a number or truth as text (from arena); NULL: null, or none of them. */
static const char *scalar_as_text_booleans_as_1_or_0(abdb_arena *arena, const json_t *value)
{
    char number[32];

    if (json_is_string(value)) return json_string_value(value);
    if (json_is_boolean(value)) return json_is_true(value) ? "1" : "0";
    if (!json_is_number(value)) return NULL;
    if (json_is_integer(value))
        abdb_format_integer(json_integer_value(value), number);
    else
        abdb_format_shortest_double(json_real_value(value), number);
    return abdb_arena_copy(arena, number, strlen(number));
}

static bool add_factor_of_json_or_explain(reader *r, abdb_entry *e, const char *name,
                                          const json_t *value, char *reason)
{
    const char *state = member_text_or_null(value, "state"),
               *text = scalar_as_text_booleans_as_1_or_0(&r->arena, value);

    if (text) {
        abdb_entry_add_factor_parsing_number(e, name, text);
    } else if (!json_is_object(value)) {
        snprintf(reason, REASON, "factor %.80s is neither text nor a number nor an object", name);
        return false;
    } else if (state) {
        abdb_entry_add_valueless_factor(
            e, name, strcmp(state, "unknown") == 0 ? ABDB_UNKNOWN : ABDB_INAPPLICABLE);
    } else {
        size_t before = e->factors;

        abdb_entry_add_factor_with_text_and_number(e, name, member_number_or_nan(value, "num"),
                                                   member_text_or_null(value, "text"));
        if (e->factors > before) e->factor[before].unit = member_text_or_null(value, "unit");
    }
    return true;
}

/* The unit that a result names, or NULL. False, with reason: it is none of that metric. */
static bool find_result_unit_or_explain_misfit(const char *name, const char *unit,
                                               const abdb_unit **out, char *reason)
{
    const abdb_metric_info *metric = abdb_metric_find(name);
    const abdb_unit *base = metric ? abdb_unit_find(metric->unit) : NULL;

    *out = unit ? abdb_unit_find(unit) : NULL;
    if (!unit || !metric || (*out && base && strcmp((*out)->base, base->base) == 0)) return true;
    snprintf(reason, REASON, "%.60s is in %s, and '%.60s' is no unit of that", metric->name,
             metric->unit, unit);
    return false;
}

static double to_base_unit_if_any(const abdb_unit *unit, double value)
{
    return unit ? abdb_unit_to_base_value(unit, value) : value;
}

static bool is_missing_or_null(const json_t *value)
{
    return !value || json_is_null(value);
}

/* Is it missing, or a whole number of that range? */
static bool is_missing_or_integer_in_range(const json_t *value, double least, double most)
{
    double number = json_number_value(value);

    return is_missing_or_null(value) ||
           (json_is_number(value) && number >= least && number <= most && number == floor(number));
}

/* [value, t_s, rank, mark], of which the last ones may be missing. False: it is none. */
static bool parse_json_sample(const json_t *item, const abdb_unit *unit, bool is_time,
                              abdb_sample *out)
{
    const json_t *value = json_array_get(item, 0), *t = json_array_get(item, 1),
                 *rank = json_array_get(item, 2), *mark = json_array_get(item, 3);

    if (!json_is_number(value) || (is_time && json_number_value(value) < 0)) return false;
    if (!is_missing_or_null(t) && !json_is_number(t)) return false;
    if (!is_missing_or_integer_in_range(rank, -1, RANK_MOST) ||
        (!is_missing_or_null(mark) && !json_is_string(mark)))
        return false;
    *out = (abdb_sample){.value = to_base_unit_if_any(unit, json_number_value(value)),
                         .t_s = json_is_number(t) ? json_number_value(t) : NAN,
                         .rank = is_missing_or_null(rank) ? -1 : (long)json_number_value(rank),
                         .mark = json_string_value(mark)};
    return true;
}

static bool parse_json_samples_or_explain(reader *r, abdb_result *result, const abdb_unit *unit,
                                          const json_t *list, char *reason)
{
    bool is_time = strcmp(result->metric, "time_s") == 0;
    size_t n = json_array_size(list);
    abdb_sample *sample = n ? abdb_arena_alloc(&r->arena, n * sizeof *sample) : NULL;

    if (!is_missing_or_null(list) && !json_is_array(list)) {
        snprintf(reason, REASON, "samples are no list");
        return false;
    }
    if (n && !sample) {
        snprintf(reason, REASON, "out of memory for its samples");
        return false;
    }
    for (size_t i = 0; i < n; i++)
        if (!parse_json_sample(json_array_get(list, i), unit, is_time, &sample[i])) {
            snprintf(reason, REASON,
                     "sample %zu is not [value, seconds, rank, mark] with a number as value%s",
                     i + 1, is_time ? ", zero or more of a time" : "");
            return false;
        }
    result->sample = sample;
    result->samples = n;
    return true;
}

/* A member that an object may have, and its kind: 'o' an object, 'a' a list, 't' text, 'n' a
 * number, 0 any, checked by its reader. */
typedef struct {
    const char *name;
    char kind;
} part;

static const char *name_of_expected_kind_unless_met(const json_t *value, char kind)
{
    return kind == 'o' && !json_is_object(value)   ? "object"
           : kind == 'a' && !json_is_array(value)  ? "list"
           : kind == 't' && !json_is_string(value) ? "text"
           : kind == 'n' && !json_is_number(value) ? "number"
                                                   : NULL;
}

/* Counts the members of an object that no reader takes. False, with reason: one of a wrong kind. */
static bool refuse_wrong_kinds_count_unknown_members(const reader *r, const json_t *object,
                                                     const part *parts, size_t count, char *reason)
{
    const char *name, *kind;
    json_t *value;

    json_object_foreach((json_t *)(size_t)object, name, value)
    {
        size_t i = 0;

        while (i < count && strcmp(parts[i].name, name) != 0) i++;
        if (i == count) abdb_left_out_count_value(r->left_out, name);
        if (i == count || json_is_null(value)) continue;
        kind = name_of_expected_kind_unless_met(value, parts[i].kind);
        if (!kind) continue;
        snprintf(reason, REASON, "%.80s is no %s", name, kind);
        return false;
    }
    return true;
}

/* False, with reason: it is none. */
static bool add_result_of_json_or_explain(reader *r, const json_t *object, char *reason)
{
    static const part parts[] = {
        {"metric", 't'},  {"statistic", 't'}, {"value", 'n'}, {"unit", 't'},
        {"raw_value", 0}, {"raw_unit", 't'},  {"cell", 't'},  {"rank", 0},
        {"x", 'n'},       {"n", 0},           {"low", 'n'},   {"high", 'n'},
        {"spread", 't'},  {"formula", 't'},   {"fact", 't'},  {"samples", 0}};
    const char *metric = member_text_or_null(object, "metric"),
               *statistic = member_text_or_null(object, "statistic");
    const abdb_unit *unit;
    double value = member_number_or_nan(object, "value"), n = member_number_or_nan(object, "n"),
           rank = member_number_or_nan(object, "rank");
    abdb_result *result = metric && statistic && isfinite(value)
                              ? abdb_entry_add_result_or_count_left_out(&r->entry, metric, value)
                              : NULL;

    if (!result) {
        snprintf(reason, REASON, "a result without metric, statistic or value, or too many");
        return false;
    }
    if (!find_result_unit_or_explain_misfit(metric, member_text_or_null(object, "unit"), &unit,
                                            reason))
        return false;
    if (!refuse_wrong_kinds_count_unknown_members(r, object, parts, sizeof parts / sizeof *parts,
                                                  reason))
        return false;
    if (!is_missing_or_integer_in_range(json_object_get(object, "n"), 0, COUNT_MOST) ||
        !is_missing_or_integer_in_range(json_object_get(object, "rank"), -1, RANK_MOST)) {
        snprintf(reason, REASON, "n or rank is no whole number, or too large");
        return false;
    }
    result->statistic = statistic;
    result->value = to_base_unit_if_any(unit, value);
    result->raw_value = member_text_or_null(object, "raw_value");
    result->raw_unit =
        unit ? member_text_or_null(object, "unit") : member_text_or_null(object, "raw_unit");
    if (unit && !result->raw_value)
        result->raw_value =
            scalar_as_text_booleans_as_1_or_0(&r->arena, json_object_get(object, "value"));
    result->cell = member_text_or_null(object, "cell");
    if (isfinite(rank)) result->rank = (long)rank;
    result->x = member_number_or_nan(object, "x");
    if (isfinite(n)) result->n = (long long)n;
    result->low = to_base_unit_if_any(unit, member_number_or_nan(object, "low"));
    result->high = to_base_unit_if_any(unit, member_number_or_nan(object, "high"));
    result->spread = member_text_or_null(object, "spread");
    result->formula = member_text_or_null(object, "formula");
    result->fact = member_text_or_null(object, "fact");
    return parse_json_samples_or_explain(r, result, unit, json_object_get(object, "samples"),
                                         reason);
}

static bool is_text_of_json_object(const char *text)
{
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    bool object = json_is_object(value);

    json_decref(value);
    return object;
}

/* Is it a record of this version, with parts of the right kind? False, with reason: it is not. */
static bool refuse_other_version_or_wrong_members(const reader *r, const json_t *object,
                                                  char *reason)
{
    static const part parts[] = {
        {"record", 't'},    {"version", 'n'}, {"field", 'o'}, {"factor", 'o'}, {"result", 'a'},
        {"telemetry", 'a'}, {"span", 'a'},    {"rank", 'a'},  {"process", 0},  {"environment", 0},
        {"pieces", 'n'},    {"role", 't'},    {"origin", 0}};
    const json_t *version = json_object_get(object, "version");

    if (!refuse_wrong_kinds_count_unknown_members(r, object, parts, sizeof parts / sizeof *parts,
                                                  reason))
        return false;
    if (is_missing_or_null(version) || json_number_value(version) == VERSION) return true;
    snprintf(reason, REASON, "records of version %g; this abdb reads version %d",
             json_number_value(version), VERSION);
    return false;
}

/* One `entry` record. A field or part unknown to this abdb is skipped, so that files of later
 * versions can be read, and counted by its name; one of the wrong kind makes the record a
 * reject with its reason. */
static abdb_status import_entry_record_or_explain(reader *r, const json_t *object,
                                                  const text_line *line, char *reason,
                                                  abdb_error *err)
{
    abdb_entry *e = &r->entry;
    char locator[32];
    const char *name, *text;
    json_t *value;
    size_t i;

    snprintf(locator, sizeof locator, "line %ld", line->number);
    *e = (abdb_entry){.line = line->number, .locator = locator};
    if (!refuse_other_version_or_wrong_members(r, object, reason)) return ABDB_OK;
    json_object_foreach(json_object_get(object, "field"), name, value)
    {
        int field = abdb_field_index_by_name(name);

        if (field < 0) /* of a later version */
            abdb_entry_add_renamed_extra_factor_unless_ignored(
                e, name, scalar_as_text_booleans_as_1_or_0(&r->arena, value), ABDB_MARK_UNKNOWN,
                NULL, &r->arena);
        if (field < 0 || json_is_null(value)) continue;
        e->field[field] = scalar_as_text_booleans_as_1_or_0(&r->arena, value);
        if (!e->field[field]) {
            snprintf(reason, REASON, "field %.80s is neither text nor a number", name);
            return ABDB_OK;
        }
    }
    json_object_foreach(json_object_get(object, "factor"), name, value)
    {
        if (!add_factor_of_json_or_explain(r, e, name, value, reason)) return ABDB_OK;
        if (e->factors_left_out) {
            snprintf(reason, REASON, "more than %d factors", ABDB_FACTOR_MAX);
            return ABDB_OK;
        }
    }
    json_array_foreach(json_object_get(object, "result"), i, value)
    {
        if (!add_result_of_json_or_explain(r, value, reason)) return ABDB_OK;
    }
    if (!abdb_fill_telemetry_spans_ranks_process_origin(e, object, &r->arena, reason, REASON))
        return ABDB_OK;
    e->environment = member_text_or_null(object, "environment");
    if (e->environment && !is_text_of_json_object(e->environment)) {
        snprintf(reason, REASON, "environment is text, but not that of a JSON object");
        return ABDB_OK;
    }
    e->pieces = (size_t)json_integer_value(json_object_get(object, "pieces"));
    if (e->pieces > ABDB_PIECE_MAX) {
        snprintf(reason, REASON, "more than %d pieces", ABDB_PIECE_MAX);
        return ABDB_OK;
    }
    e->role = member_text_or_null(object, "role");
    abdb_entry_fill_from_overrides_and_normalize(e, r->words);
    name = abdb_entry_normalize_dates_find_bad(e, &text);
    if (name) {
        abdb_date_error_text(name, text, reason, REASON);
        return ABDB_OK;
    }
    return r->sink->entry(r->sink->self, e, err);
}

/* The same; of a record that is refused all results count as read. */
static abdb_status import_entry_or_count_its_values_as_read(reader *r, const json_t *object,
                                                            const text_line *line, char *reason,
                                                            abdb_error *err)
{
    abdb_status st = import_entry_record_or_explain(r, object, line, reason, err);

    if (*reason)
        abdb_add_thread_values_read((long)json_array_size(json_object_get(object, "result")) -
                                    (long)(r->entry.results + r->entry.values_left_out));
    return st;
}

static abdb_status import_fact_record_or_explain(reader *r, const json_t *object, const char *table,
                                                 const text_line *line, char *reason,
                                                 abdb_error *err)
{
    static const char *const tables[] = {
        "source",        "device",          "model",        "alias",           "spec",
        "price",         "provider",        "claim",        "claim_term",      "rule",
        "compatibility", "workload_factor", "round",        "withdrawal",      "note",
        "spec_order",    "spec_ratio",      "spec_doubt",   "workload_engine", "figure_rule",
        "decoration",    "score_rule",      "mark",         "official_result", "scenario_limit",
        "accept_check",  "fabric",          "exchange_rate"};
    abdb_fact fact = {.line = line->number, .fact = member_text_or_null(object, "fact")};
    char locator[32];
    const char *name, *text;
    json_t *value;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        /* The name goes into SQL later: it is taken from this list, never from the file. */
        if (strcmp(table, tables[i]) == 0) fact.table = tables[i];
    if (!fact.table) {
        snprintf(reason, REASON, "no record is called '%.60s'", table);
        return ABDB_OK;
    }
    snprintf(locator, sizeof locator, "line %ld", line->number);
    fact.locator = locator;
    json_object_foreach((json_t *)(size_t)object, name, value)
    {
        /* In a claim's term "fact" is a column; elsewhere it is the name by which the record itself
         * is cited. */
        bool claim_fact = strcmp(fact.table, "claim_term") == 0;

        if (strcmp(name, "record") == 0 || (strcmp(name, "fact") == 0 && !claim_fact)) continue;
        if (fact.columns == ABDB_FACT_MAX) break;
        fact.column[fact.columns].name = name;
        fact.column[fact.columns].text = json_string_value(value);
        fact.column[fact.columns++].num = json_is_number(value) ? json_number_value(value) : NAN;
    }
    if (!fact.columns) {
        snprintf(reason, REASON, "a record '%.60s' that says nothing", table);
        return ABDB_OK;
    }
    if (strcmp(fact.table, "claim_term") == 0) fact.fact = NULL;
    name = abdb_fact_normalize_dates_find_bad(&fact, &text);
    if (name) {
        abdb_date_error_text(name, text, reason, REASON);
        return ABDB_OK;
    }
    return r->sink->fact(r->sink->self, &fact, err);
}

static abdb_status import_or_reject_record_line(void *self, const text_line *line, abdb_error *err)
{
    reader *r = self;
    json_error_t fault;
    json_t *object = NULL;
    const char *kind;
    char reason[REASON] = "";
    abdb_status st = ABDB_OK;

    if (!*line->text) return ABDB_OK;
    object = json_loads(line->text, 0, &fault);
    kind = member_text_or_null(object, "record");
    if (!object && json_error_code(&fault) == json_error_premature_end_of_input)
        snprintf(reason, sizeof reason,
                 "the record is not whole: who wrote it was killed, or writes still");
    else if (!object)
        snprintf(reason, sizeof reason, "column %d: %.150s", fault.column, fault.text);
    else if (!kind)
        snprintf(reason, sizeof reason, "a record without its kind");
    else if (strcmp(kind, "entry") == 0)
        TRY(import_entry_or_count_its_values_as_read(r, object, line, reason, err));
    else
        TRY(import_fact_record_or_explain(r, object, kind, line, reason, err));
    if (*reason)
        TRY(line_reject_and_end_row(r->sink, line, NULL, reason, err));
    else
        TRY(r->sink->row_end(r->sink->self, err));
done:
    json_decref(object);
    abdb_arena_free(&r->arena);
    return st;
}

/* Imports each line as a record; a line that is none is a reject. */
static abdb_status import_abdb_record_lines(const abdb_input *in, const abdb_overrides *overrides,
                                            const abdb_sink *sink, abdb_error *err)
{
    reader *r = calloc(1, sizeof *r);
    abdb_status st;

    if (!r) return ABDB_FAIL(err, ABDB_NOMEM, "records");
    r->words = overrides;
    r->sink = sink;
    r->left_out = in->left_out;
    st = lines_deliver_each_without_mark(in, import_or_reject_record_line, r, err);
    free(r);
    return st;
}

const abdb_importer abdb_import_records = {
    "abdb-jsonl",
    "abdb's own records, JSON lines (abdb export, abdb run --spool)",
    4,
    NULL,
    own_records_bid,
    import_abdb_record_lines};
