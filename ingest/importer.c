/* importer.c - common functions of all importers: --set (abdb_overrides_*), the last step before an
 * entry is handed over, and the count of omitted values; see importer.h. */
#include "ingest/importer.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/check_entry.h"
#include "schema/core/array.h"
#include "schema/core/units.h"

/* Columns of the tables of facts (specifications, prices) that entries do not have: --set may fill
 * them too. */
static bool is_fact_table_column(const char *name)
{
    static const char *const names[] = {
        "locator",  "device",     "quantity", "basis",       "engine",   "sparsity",
        "provider", "instance",   "region",   "amount",      "currency", "per",
        "kind",     "valid_from", "note",     "power_limit", NULL};

    return abdb_text_is_in_list(name, names);
}

/* Rewrites the value of a count in its plain spelling, so that "1,024" and "1024" make one artifact
 * key and one factor; an amount stays as it is typed. False, with reason: a number is wanted, and
 * this is none. */
static bool normalize_count_or_validate_amount(abdb_overrides *words, const char *name,
                                               char **value, char *reason, size_t room)
{
    int field = abdb_field_index_by_name(name);
    double number;
    long long count;

    if (field >= 0 && abdb_fields[field].is_number) {
        if (!abdb_integer_parse_in_range(*value, ABDB_MARK_UNKNOWN, 1, 100000000, &count)) {
            snprintf(reason, room, "%s is '%.60s', not a whole number of at least 1", name, *value);
            return false;
        }
        *value = abdb_arena_printf(&words->arena, "%lld", count);
        if (!*value) snprintf(reason, room, "out of memory");
        return *value != NULL;
    }
    if ((strcmp(name, "amount") == 0 || strcmp(name, "power_limit") == 0) &&
        !abdb_double_parse(*value, ABDB_MARK_UNKNOWN, &number)) {
        abdb_number_write_why_not_a_number(name, *value, ABDB_MARK_UNKNOWN, reason, room);
        return false;
    }
    return true;
}

abdb_status abdb_overrides_validate_and_add_setting(abdb_overrides *overrides, const char *setting,
                                                    abdb_error *err)
{
    const char *equals = strchr(setting, '=');
    char *name, *value, *mark, date[ABDB_DATE_SIZE], reason[160];

    /* Neither an empty name nor an empty value: "column=" would silently set nothing. */
    if (!equals || equals == setting || !equals[1])
        return ABDB_FAIL(err, ABDB_USAGE, "--set wants column=value, not '%s'", setting);
    if (overrides->count == ABDB_WORDS_MAX)
        return ABDB_FAIL(err, ABDB_USAGE, "at most %d --set", ABDB_WORDS_MAX);
    name = abdb_arena_copy(&overrides->arena, setting, (size_t)(equals - setting));
    value = abdb_arena_copy(&overrides->arena, equals + 1, strlen(equals + 1));
    if (!name || !value) return ABDB_FAIL(err, ABDB_NOMEM, "--set");
    if (abdb_field_index_by_name(name) < 0 && strncmp(name, "factor.", 7) != 0 &&
        !is_fact_table_column(name)) {
        const char *names[ABDB_FIELD_COUNT], *near;

        for (int i = 0; i < ABDB_FIELD_COUNT; i++) names[i] = abdb_fields[i].name;
        near = abdb_nearest_name(name, names, ABDB_FIELD_COUNT);
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--set %s: no such column%s%s; a factor is written factor.%s=...", setting,
                         near ? ", did you mean " : "", near ? near : "", name);
    }
    /* Dates take their kept form (YYYY-MM-DD) here, so that two spellings of one date make one
     * artifact key (abdb_overrides_append_canonical_text). */
    if (abdb_is_date_column_name(name)) {
        if (!abdb_date_parse_any_spelling_to_iso(value, date)) {
            abdb_date_error_text(name, value, reason, sizeof reason);
            return ABDB_FAIL(err, ABDB_USAGE, "--set: %s", reason);
        }
        value = abdb_arena_copy(&overrides->arena, date, strlen(date));
        if (!value) return ABDB_FAIL(err, ABDB_NOMEM, "--set");
    }
    if (!normalize_count_or_validate_amount(overrides, name, &value, reason, sizeof reason))
        return ABDB_FAIL(err, ABDB_USAGE, "--set: %s", reason);
    mark = abdb_arena_printf(&overrides->arena, "user_word.%s", name);
    if (!mark) return ABDB_FAIL(err, ABDB_NOMEM, "--set");
    overrides->word[overrides->count].name = name;
    overrides->word[overrides->count].mark = mark;
    overrides->word[overrides->count++].value = value;
    return ABDB_OK;
}

const char *abdb_overrides_get_value_or_null(const abdb_overrides *overrides, const char *name)
{
    for (size_t i = 0; overrides && i < overrides->count; i++)
        if (strcmp(overrides->word[i].name, name) == 0) return overrides->word[i].value;
    return NULL;
}

/* Words that programs print in place of a device: it is unknown. */
static bool device_text_means_unknown(const char *text)
{
    static const char *const words[] = {"undefined", "unknown", "null", "nan", "n/a", "?"};

    for (size_t i = 0; text && i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0) return true;
    return false;
}

/* "retracted", "withdrawn after publication", but not "not withdrawn". */
static bool text_states_withdrawal(const char *text)
{
    static const char *const words[] = {"retracted", "withdrawn"};

    for (size_t i = 0; text && i < sizeof words / sizeof words[0]; i++) {
        const char *at = strcasestr(text, words[i]);
        size_t size = strlen(words[i]);

        if (!at || isalpha((unsigned char)at[size]) ||
            (at > text && isalpha((unsigned char)at[-1])) ||
            (at - text >= 4 && strncasecmp(at - 4, "not ", 4) == 0))
            continue;
        return true;
    }
    return false;
}

/* Marks an entry whose publisher withdrew the result in its notes. */
static void mark_withdrawn_if_notes_say_so(abdb_entry *entry)
{
    static const char *const notes[] = {"notes", "note", "remarks", "remark", "comment", "status"};
    bool withdrawn = text_states_withdrawal(entry->field[ABDB_FIELD_availability]);

    for (size_t i = 0; i < entry->factors && !withdrawn; i++)
        for (size_t k = 0; k < sizeof notes / sizeof notes[0]; k++)
            withdrawn |= strcasecmp(entry->factor[i].name, notes[k]) == 0 &&
                         text_states_withdrawal(entry->factor[i].text);
    if (withdrawn) abdb_entry_add_mark_to_flags_once(entry, "withdrawn");
}

void abdb_entry_fill_from_overrides_and_normalize(abdb_entry *entry,
                                                  const abdb_overrides *overrides)
{
    const char *text;

    if (device_text_means_unknown(entry->field[ABDB_FIELD_device]))
        entry->field[ABDB_FIELD_device] = NULL;
    mark_withdrawn_if_notes_say_so(entry);
    for (size_t i = 0; overrides && i < overrides->count; i++) {
        int field = abdb_field_index_by_name(overrides->word[i].name);

        /* The file has the last word: --set fills only what it leaves blank. */
        if (field >= 0 && entry->field[field] && *entry->field[field]) continue;
        if (field >= 0)
            entry->field[field] = overrides->word[i].value;
        else if (strncmp(overrides->word[i].name, "factor.", 7) == 0)
            abdb_entry_add_factor_parsing_number(entry, overrides->word[i].name + 7,
                                                 overrides->word[i].value);
        abdb_entry_add_factor_parsing_number(entry, overrides->word[i].mark,
                                             overrides->word[i].value);
    }
    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        if (abdb_fields[i].is_number) abdb_entry_normalize_count_field(entry, i, ABDB_MARK_UNKNOWN);
    /* Rewrites the entry's dates into the kept form. */
    (void)abdb_entry_normalize_dates_find_bad(entry,
                                              &text); /* one that is none is refused by the store */
}

void abdb_entry_apply_overrides_and_check(abdb_entry *entry, const abdb_overrides *overrides)
{
    abdb_entry_fill_from_overrides_and_normalize(entry, overrides);
    abdb_entry_mark_contradictions_and_failures(
        entry, abdb_overrides_get_value_or_null(overrides, "devices"),
        abdb_overrides_get_value_or_null(overrides, "nodes"));
}

abdb_status abdb_entry_check_and_deliver_row(abdb_entry *entry, const abdb_overrides *overrides,
                                             const abdb_sink *sink, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    abdb_entry_apply_overrides_and_check(entry, overrides);
    TRY(sink->entry(sink->self, entry, err));
    TRY(sink->row_end(sink->self, err));
done:
    return st;
}

/* Sorted, so that the order in which --set was typed does not make the same file another
 * artifact. */
void abdb_overrides_append_canonical_text(const abdb_overrides *overrides, abdb_text *out)
{
    const char *line[ABDB_WORDS_MAX];
    abdb_arena arena = {0};

    for (size_t i = 0; i < overrides->count; i++) {
        line[i] =
            abdb_arena_printf(&arena, "%s=%s", overrides->word[i].name, overrides->word[i].value);
        if (!line[i]) out->failed = true;
    }
    if (!out->failed) {
        abdb_array_sort(line, overrides->count, sizeof *line, abdb_compare_text_pointers);
        for (size_t i = 0; i < overrides->count; i++)
            abdb_text_printf(out, "%s%s", i ? "\n" : "", line[i]);
        if (overrides->map)
            abdb_text_printf(out, "%smap %s", overrides->count ? "\n" : "", overrides->map_digest);
    }
    abdb_arena_free(&arena);
}

void abdb_overrides_free(abdb_overrides *overrides)
{
    abdb_arena_free(&overrides->arena);
    *overrides = (abdb_overrides){0};
}

void abdb_entry_set_measured_run(abdb_entry *entry, const char *source, const char *workload,
                                 const char *locator, long line)
{
    entry->field[ABDB_FIELD_evidence] = "measured";
    entry->field[ABDB_FIELD_kind] = "run";
    entry->field[ABDB_FIELD_source] = source;
    entry->field[ABDB_FIELD_workload] = workload;
    entry->locator = locator;
    entry->line = line;
}

void abdb_entry_add_factor_normalizing_number(abdb_entry *entry, const char *name, const char *text,
                                              abdb_decimal_mark mark, abdb_arena *arena)
{
    char plain[32];
    double value;

    const char *rewritten = mark == ABDB_MARK_COMMA ? ",.'\xC2\xE2" : ",'\xC2\xE2";

    /* A text that could be two numbers stays text. */
    if (text && mark == ABDB_MARK_EITHER &&
        abdb_number_fails_but_parses_with_other_mark(text, mark)) {
        abdb_entry_add_factor_with_text_and_number(entry, name, NAN, text);
        return;
    }
    if (text && strpbrk(text, rewritten) && abdb_double_parse(text, mark, &value)) {
        abdb_format_shortest_double(value, plain);
        text = abdb_arena_copy(arena, plain, strlen(plain));
        if (!text) {
            entry->factors_left_out++;
            return;
        }
    }
    abdb_entry_add_factor_parsing_number(entry, name, text);
}

abdb_result *abdb_entry_add_printed_result_or_count_left_out(abdb_entry *entry, const char *metric,
                                                             const char *statistic,
                                                             const char *printed_value,
                                                             abdb_decimal_mark mark,
                                                             const char *printed_unit)
{
    const abdb_unit *found = abdb_unit_find(printed_unit);
    double value;
    abdb_result *result;
    static const char *const not_finite[] = {"NaN", "inf", "-inf", NULL};

    if (printed_value && abdb_text_is_in_list(printed_value, not_finite))
        abdb_entry_add_mark_and_problem(entry, "failed", "%s (%s) is %s", metric, statistic,
                                        printed_value);
    /* A word is no loss: tables print "-" and N/A where nothing was measured. A number that cannot
     * be kept, or a damaged one, is counted below. */
    if (!printed_value ||
        (!abdb_double_parse(printed_value, mark, &value) && !abdb_has_digit(printed_value)))
        return NULL;
    if (!found || !abdb_double_parse(printed_value, mark, &value) || !(value > 0)) {
        if (!entry->doubt && abdb_number_fails_but_parses_with_other_mark(printed_value, mark)) {
            abdb_number_write_why_not_a_number(metric, printed_value, mark, entry->doubt_text,
                                               sizeof entry->doubt_text);
            entry->doubt = entry->doubt_text;
        }
        abdb_entry_count_left_out_value(entry);
        return NULL;
    }
    result = abdb_entry_add_result_or_count_left_out(entry, metric,
                                                     abdb_unit_to_base_value(found, value));
    if (!result) return NULL;
    result->statistic = statistic;
    result->raw_value = printed_value;
    result->raw_unit = printed_unit;
    return result;
}

void abdb_left_out_count_values_of_entry(abdb_left_out *list, const abdb_entry *entry)
{
    for (size_t i = 0; list && i < entry->results + entry->values_left_out; i++) {
        abdb_add_thread_values_read(-1); /* which counted it when it came into the entry */
        abdb_left_out_count_value(list, i < entry->results ? entry->result[i].metric
                                                           : "zero, no number or of no known unit");
    }
}

void abdb_left_out_count_value(abdb_left_out *list, const char *name)
{
    size_t i = 0;

    if (!list) return;
    abdb_add_thread_values_read(1);
    list->values++;
    /* Names are compared as far as they are kept (ABDB_LEFT_OUT_NAME - 1 letters), so a long one is
     * found again. */
    while (i < list->items && strncmp(list->item[i].name, name, ABDB_LEFT_OUT_NAME - 1) != 0) i++;
    if (i == ABDB_LEFT_OUT_MAX) {
        list->others++;
        return;
    }
    if (i == list->items) {
        snprintf(list->item[i].name, ABDB_LEFT_OUT_NAME, "%s", name);
        list->items++;
    }
    list->item[i].values++;
}
