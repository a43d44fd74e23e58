/* serving_statistics.c - statistics of a latency as members of an object; see
 * serving_statistics.h. */
#include "ingest/programs/serving_statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schema/core/units.h"

/* The cast takes const away by way of an integer: jansson's macro wants a plain pointer and changes
 * nothing. */
#define MEMBERS(object) ((json_t *)(size_t)(object))

/* "99", "999" (99.9), "001" (0.1), "05" (5): digits of a percentile as a number. */
static const char *percentile_name_of_digits(const char *digits, abdb_arena *arena)
{
    size_t size = strlen(digits), zeros = strspn(digits, "0");

    if (size == 3 && zeros == 2) return abdb_arena_printf(arena, "p0.%s", digits + 2);
    if (size == 3 && strcmp(digits, "100") != 0)
        return abdb_arena_printf(arena, "p%.2s.%s", digits, digits + 2);
    return abdb_arena_printf(arena, "p%s", digits + (zeros < size ? zeros : 0));
}

const char *abdb_serving_statistic_of_name_or_null(const char *name, abdb_arena *arena)
{
    static const char *const names[][2] = {{"avg", "mean"},      {"mean", "mean"},
                                           {"median", "median"}, {"p50", "median"},
                                           {"min", "min"},       {"max", "max"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0) return names[i][1];
    if (*name != 'p' || !name[1] || strlen(name) > 6) return NULL;
    if (strspn(name + 1, "0123456789") == strlen(name + 1))
        return percentile_name_of_digits(name + 1, arena);
    return strspn(name + 1, "0123456789.") == strlen(name + 1)
               ? abdb_arena_copy(arena, name, strlen(name))
               : NULL;
}

const char *abdb_serving_json_text_or_null(const json_t *value, abdb_arena *arena)
{
    char number[32];

    if (json_is_string(value)) return json_string_value(value);
    if (json_is_integer(value))
        return abdb_arena_printf(arena, "%lld", (long long)json_integer_value(value));
    if (!json_is_real(value)) return NULL;
    abdb_format_shortest_double(json_real_value(value), number);
    return abdb_arena_printf(arena, "%s", number);
}

double abdb_serving_json_number_or_nan(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    double number;

    if (json_is_number(value)) return json_number_value(value);
    if (json_is_string(value) &&
        abdb_double_parse(json_string_value(value), ABDB_MARK_POINT, &number))
        return number;
    return NAN;
}

/* The deviation in the unit of the statistics; NAN: there is none. */
static double standard_deviation_or_nan(const json_t *statistics)
{
    double sd = abdb_serving_json_number_or_nan(statistics, "std");

    return isnan(sd) ? abdb_serving_json_number_or_nan(statistics, "std_dev") : sd;
}

void abdb_serving_add_all_statistics(abdb_entry *entry, abdb_arena *arena, const char *metric,
                                     const char *unit, const json_t *statistics, long long requests)
{
    double sd = standard_deviation_or_nan(statistics);
    bool has_median = json_object_get(statistics, "median") != NULL;
    const char *name;
    json_t *value;

    json_object_foreach(MEMBERS(statistics), name, value)
    {
        const char *statistic = abdb_serving_statistic_of_name_or_null(name, arena);
        abdb_result *result;

        if (!statistic || (has_median && strcmp(name, "p50") == 0)) continue;
        result = abdb_entry_add_printed_result_or_count_left_out(
            entry, metric, statistic, abdb_serving_json_text_or_null(value, arena), ABDB_MARK_POINT,
            unit);
        if (!result) continue;
        result->n = requests;
        if (strcmp(statistic, "mean") != 0 || !(sd >= 0)) continue;
        sd = abdb_unit_to_base_value(abdb_unit_find(unit), sd);
        result->low = result->value - sd;
        result->high = result->value + sd;
        result->spread = "sd";
    }
}

static const json_t *mean_of_statistics(const json_t *statistics)
{
    static const char *const names[] = {"avg", "mean", "value"};
    const json_t *value = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !value; i++)
        value = json_object_get(statistics, names[i]);
    return value;
}

void abdb_serving_add_rate_from_mean(abdb_entry *entry, abdb_arena *arena, const char *metric,
                                     const char *unit, const json_t *statistics, long long requests)
{
    abdb_result *result = abdb_entry_add_printed_result_or_count_left_out(
        entry, metric, "value",
        abdb_serving_json_text_or_null(mean_of_statistics(statistics), arena), ABDB_MARK_POINT,
        unit);

    if (result) result->n = requests;
}

void abdb_serving_add_mean_as_factor(abdb_entry *entry, abdb_arena *arena, const char *factor,
                                     const json_t *statistics)
{
    const char *text = abdb_serving_json_text_or_null(mean_of_statistics(statistics), arena);
    double mean;

    if (text && abdb_double_parse(text, ABDB_MARK_POINT, &mean))
        abdb_entry_add_factor_parsing_number(entry, factor, abdb_arena_printf(arena, "%.6g", mean));
}

void abdb_serving_count_statistics_left_out(abdb_left_out *list, const char *name,
                                            const json_t *statistics, bool keeps_mean,
                                            abdb_arena *arena)
{
    const json_t *mean = keeps_mean ? mean_of_statistics(statistics) : NULL;
    const char *member;
    json_t *value;

    json_object_foreach(MEMBERS(statistics), member, value)
    {
        if (value != mean && abdb_has_digit(abdb_serving_json_text_or_null(value, arena)) &&
            (abdb_serving_statistic_of_name_or_null(member, arena) || strcmp(member, "value") == 0))
            abdb_left_out_count_value(list, name);
    }
}
