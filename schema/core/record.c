/* record.c - the tables behind record.h, and helpers that fill an entry. */
#include "schema/core/record.h"

#include <math.h>
#include <stdio.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "schema/core/text.h"

#define N 1
const abdb_field_info abdb_fields[ABDB_FIELD_COUNT] = {
#define FIELD(name, number, meaning) {#name, meaning, number + 0},
#include "schema/core/field.def"
#undef FIELD
};
#undef N

const abdb_metric_info abdb_metrics[] = {
#define METRIC(name, unit, better, class, meaning) {#name, unit, better, class, meaning},
#include "schema/core/metric.def"
#undef METRIC
};
const size_t abdb_metric_count = sizeof abdb_metrics / sizeof abdb_metrics[0];

int abdb_field_index_by_name(const char *name)
{
    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        if (strcmp(abdb_fields[i].name, name) == 0) return i;
    return -1;
}

const abdb_metric_info *abdb_metric_find(const char *name)
{
    static _Thread_local const abdb_metric_info *last; /* rows of a file repeat it */
    size_t size = strcspn(name, ".");

    if (last && strcmp(last->name, name) == 0) return last;
    for (size_t i = 0; i < abdb_metric_count; i++)
        if (strcmp(abdb_metrics[i].name, name) == 0) return last = &abdb_metrics[i];
    for (size_t i = 0; i < abdb_metric_count; i++)
        if (strncmp(abdb_metrics[i].name, name, size) == 0 && !abdb_metrics[i].name[size])
            return &abdb_metrics[i];
    return NULL;
}

/* Adds a factor without a value. NULL, and one more factor is counted as left out: there is no
 * room. */
static abdb_factor *append_factor_or_count_lost(abdb_entry *entry, const char *name,
                                                abdb_factor_state state)
{
    abdb_factor *factor;

    if (entry->factors == ABDB_FACTOR_MAX) {
        entry->factors_left_out++;
        return NULL;
    }
    factor = &entry->factor[entry->factors++];
    *factor = (abdb_factor){.name = name, .text = "", .num = NAN, .state = state};
    return factor;
}

void abdb_entry_add_factor_with_text_and_number(abdb_entry *entry, const char *name, double value,
                                                const char *text)
{
    abdb_factor *factor = text ? append_factor_or_count_lost(entry, name, ABDB_KNOWN) : NULL;

    if (!factor) return;
    factor->text = text;
    factor->num = value;
}

void abdb_entry_add_factor_parsing_number(abdb_entry *entry, const char *name, const char *text)
{
    double value;

    if (!text || !*text) return;
    if (!abdb_double_parse(text, ABDB_MARK_UNKNOWN, &value)) value = NAN;
    abdb_entry_add_factor_with_text_and_number(entry, name, value, text);
}

void abdb_entry_add_valueless_factor(abdb_entry *entry, const char *name, abdb_factor_state state)
{
    append_factor_or_count_lost(entry, name, state);
}

const abdb_factor *abdb_entry_find_factor(const abdb_entry *entry, const char *name)
{
    for (size_t i = 0; i < entry->factors; i++)
        if (strcmp(entry->factor[i].name, name) == 0) return &entry->factor[i];
    return NULL;
}

void abdb_entry_add_mark_to_flags_once(abdb_entry *entry, const char *mark)
{
    const char *flags = entry->field[ABDB_FIELD_flags];
    size_t used;

    if (abdb_entry_has_mark(entry, mark)) return;
    if (flags != entry->flags)
        snprintf(entry->flags, sizeof entry->flags, "%s", flags ? flags : "");
    used = strlen(entry->flags);
    if (used + 1 + strlen(mark) < sizeof entry->flags)
        snprintf(entry->flags + used, sizeof entry->flags - used, "%s%s", used ? " " : "", mark);
    entry->field[ABDB_FIELD_flags] = entry->flags;
}

const char *abdb_entry_find_problem_of_mark(const abdb_entry *entry, const char *mark, size_t *size)
{
    size_t length = strlen(mark);

    for (const char *line = entry->problem; *line; line += *line == '\n') {
        *size = strcspn(line, "\n");
        if (strncmp(line, mark, length) == 0 && line[length] == ' ') {
            *size -= length + 1;
            return line + length + 1;
        }
        line += *size;
    }
    return NULL;
}

void abdb_entry_add_mark_and_problem(abdb_entry *entry, const char *mark, const char *format, ...)
{
    size_t used = strlen(entry->problem), ignored;
    va_list args;

    abdb_entry_add_mark_to_flags_once(entry, mark);
    if (abdb_entry_find_problem_of_mark(entry, mark, &ignored)) return;
    if (used + strlen(mark) + 2 >= sizeof entry->problem) return;
    used += (size_t)snprintf(entry->problem + used, sizeof entry->problem - used, "%s%s ",
                             used ? "\n" : "", mark);
    if (used >= sizeof entry->problem) return;
    va_start(args, format);
    vsnprintf(entry->problem + used, sizeof entry->problem - used, format, args);
    va_end(args);
}

bool abdb_entry_has_mark(const abdb_entry *entry, const char *mark)
{
    return abdb_list_has_word(entry->field[ABDB_FIELD_flags], ' ', mark, strlen(mark));
}

void abdb_origin_to_text(long long origin, char out[17])
{
    if (origin > 0)
        snprintf(out, 17, "%016llx", (unsigned long long)origin);
    else
        snprintf(out, 17, "none");
}

bool abdb_origin_parse(const char *text, long long *origin)
{
    unsigned long long number = 0;

    *origin = ABDB_ORIGIN_NONE;
    if (strcmp(text, "none") == 0) return true;
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) return false;
    (void)abdb_digits_parse_prefix(text, 16, &number);
    *origin = (long long)number;
    return number > 0 && number <= LLONG_MAX;
}

static _Thread_local long values_read;

void abdb_add_thread_values_read(long values)
{
    values_read += values;
}

long abdb_values_read_by_thread(void)
{
    return values_read;
}

void abdb_entry_count_left_out_value(abdb_entry *entry)
{
    abdb_add_thread_values_read(1);
    entry->values_left_out++;
}

void abdb_entry_drop_results_as_left_out(abdb_entry *entry)
{
    entry->values_left_out += entry->results;
    entry->results = 0;
}

void abdb_entry_drop_results_uncounting_values(abdb_entry *entry)
{
    abdb_add_thread_values_read(-(long)entry->results);
    entry->results = 0;
}

/* Not by memset of the whole: an entry has room for hundreds of factors and results, and elements
 * beyond a count (pieces, factors, results) are never read. */
void abdb_entry_reset(abdb_entry *entry)
{
    memset(entry->field, 0, sizeof entry->field);
    entry->environment = entry->role = entry->doubt = NULL;
    entry->origin = ABDB_ORIGIN_UNSAID;
    entry->pieces = entry->factors = entry->results = 0;
    entry->values_left_out = entry->factors_left_out = 0;
    entry->problem[0] = '\0';
}

abdb_result *abdb_entry_add_result_or_count_left_out(abdb_entry *entry, const char *metric,
                                                     double value)
{
    abdb_result *result;

    abdb_add_thread_values_read(1);
    if (entry->results == ABDB_RESULT_MAX) {
        entry->values_left_out++;
        return NULL;
    }
    result = &entry->result[entry->results++];
    *result = (abdb_result){.metric = metric,
                            .statistic = "value",
                            .rank = -1,
                            .x = NAN,
                            .value = value,
                            .low = NAN,
                            .high = NAN};
    return result;
}

/* The date in the form that is kept, in out if it is printed otherwise; NULL: it is none. */
static const char *date_to_stored_form(const char *text, char out[ABDB_DATE_SIZE])
{
    if (abdb_date_is_stored_iso_or_day_range(text)) return text;
    return abdb_date_parse_any_spelling_to_iso(text, out) ? out : NULL;
}

const char *abdb_entry_normalize_dates_find_bad(abdb_entry *entry, const char **text)
{
    static const abdb_field dates[] = {ABDB_FIELD_date, ABDB_FIELD_retrieved};

    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        const char *date;

        *text = entry->field[dates[i]];
        if (!*text) continue;
        date = date_to_stored_form(*text, entry->dates[i]);
        if (!date) return abdb_fields[dates[i]].name;
        entry->field[dates[i]] = date;
    }
    return NULL;
}

bool abdb_entry_parse_positive_count(const abdb_entry *entry, int field, long long *out)
{
    const char *text = entry->field[field];

    return text && *text && abdb_integer_parse_in_range(text, ABDB_MARK_UNKNOWN, 1, 100000000, out);
}

void abdb_entry_normalize_count_field(abdb_entry *entry, int field, abdb_decimal_mark mark)
{
    char *room = entry->counts[field == ABDB_FIELD_nodes];
    const char *text = entry->field[field];
    long long count;

    if (!text || !abdb_integer_parse_in_range(text, mark, 0, LLONG_MAX, &count)) return;
    abdb_format_integer(count, room);
    entry->field[field] = strcmp(text, room) == 0 ? text : room;
}

/* True for a column of a fact that is a whole number. */
static bool is_integer_fact_column(const char *column)
{
    static const char *const names[] = {"dies",    "year",     "layers", "hidden_size", "heads",
                                        "devices", "kv_heads", "part",   "vocabulary",  "share",
                                        "place",   "needed",   "term",   "runs",        "dropped",
                                        "rank",    NULL};

    return abdb_text_is_in_list(column, names);
}

bool abdb_fact_column_is_number(const char *table, const char *column)
{
    static const char *const names[] = {"accuracy_target",
                                        "parameters",
                                        "parameters_active",
                                        "power_limit",
                                        "value",
                                        "amount",
                                        "stated",
                                        "upper",
                                        "coefficient",
                                        "offset",
                                        "power",
                                        "low",
                                        "high",
                                        "times",
                                        NULL};

    /* A note has text of these names. */
    return strcmp(table, "note") != 0 &&
           (is_integer_fact_column(column) || abdb_text_is_in_list(column, names));
}

bool abdb_fact_parse_number(const char *column, const char *text, abdb_decimal_mark mark,
                            double *out, char *reason, size_t room)
{
    long long count;

    if (!is_integer_fact_column(column)) {
        if (abdb_double_parse(text, mark, out)) return true;
        abdb_number_write_why_not_a_number(column, text, mark, reason, room);
        return false;
    }
    if (!abdb_integer_parse_in_range(text, mark, -(1LL << 53), 1LL << 53, &count)) {
        bool is_number = abdb_number_parse(text, mark).found;

        snprintf(reason, room, "%s is '%.60s', not a %snumber", column, text,
                 is_number ? "whole " : "");
        return false;
    }
    *out = (double)count;
    return true;
}

const char *abdb_fact_normalize_dates_find_bad(abdb_fact *fact, const char **text)
{
    enum { ROOM = sizeof fact->dates / sizeof fact->dates[0] };
    size_t used = 0;

    for (size_t i = 0; i < fact->columns; i++) {
        const char *date;

        *text = fact->column[i].text;
        if (!*text || !abdb_is_date_column_name(fact->column[i].name)) continue;
        date = used < ROOM ? date_to_stored_form(*text, fact->dates[used++]) : NULL;
        if (!date) return fact->column[i].name;
        fact->column[i].text = date;
    }
    return NULL;
}

abdb_status abdb_sink_ignore_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    (void)self, (void)reject, (void)err;
    return ABDB_OK;
}

abdb_status abdb_sink_ignore_row_end(void *self, abdb_error *err)
{
    (void)self, (void)err;
    return ABDB_OK;
}
