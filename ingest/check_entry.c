/* check_entry.c - a row held against itself; see check_entry.h. */
#include "ingest/check_entry.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- counts ----------------------------------------------------------------------------------- */

/* A count of a field or factor; 0: it has none. */
static long long parse_count_or_zero(const char *text)
{
    long long count = 0;

    return text && abdb_integer_parse_in_range(text, ABDB_MARK_UNKNOWN, 1, 100000000, &count)
               ? count
               : 0;
}

static long long factor_text_as_count_or_zero(const abdb_entry *entry, const char *name)
{
    const abdb_factor *factor = abdb_entry_find_factor(entry, name);

    return factor ? parse_count_or_zero(factor->text) : 0;
}

/* Does text begin with a word of the device's name that has a digit ("H100")? */
static bool begins_with_word_of_device_with_digit(const char *text, const char *device)
{
    static const char between[] = " -_/(),";

    for (const char *word = device; *word; word += strspn(word, between)) {
        size_t size = strcspn(word, between), said = strcspn(text, between);

        if (size > 2 && size == said && strncasecmp(text, word, size) == 0 &&
            strcspn(word, "0123456789") < size)
            return true;
        word += size;
    }
    return false;
}

/* The number in "(8x H100-SXM-80GB)" or "8xH100" where that is the device; 0: none. "1x GB200
 * NVL72" counts racks. */
static long long device_count_in_system_name(const char *system, const char *device)
{
    for (const char *s = system; s && (s = strpbrk(s, "0123456789"));
         s += strspn(s, "0123456789")) {
        size_t digits = strspn(s, "0123456789");
        const char *what = s + digits;
        char number[8];

        if ((s > system && (isalnum((unsigned char)s[-1]) || s[-1] == '.')) || digits > 5) continue;
        what += strspn(what, " ");
        if (*what != 'x' && *what != 'X') continue;
        what += 1 + strspn(what + 1, " ");
        if (strncasecmp(what, "NVIDIA ", 7) == 0) what += 7;
        if (strncasecmp(what, "AMD ", 4) == 0) what += 4;
        if (strncasecmp(what, "Intel ", 6) == 0) what += 6;
        if (!begins_with_word_of_device_with_digit(what, device) || strstr(what, "NVL")) continue;
        memcpy(number, s, digits);
        number[digits] = '\0';
        return parse_count_or_zero(number);
    }
    return 0;
}

/* Keeps the user's counts, or none; the row's counts become factors. */
static void replace_counts_by_users_keep_as_factors(abdb_entry *entry, const char *devices,
                                                    const char *nodes)
{
    abdb_entry_add_factor_parsing_number(entry, "stated_devices", entry->field[ABDB_FIELD_devices]);
    abdb_entry_add_factor_parsing_number(entry, "stated_nodes", entry->field[ABDB_FIELD_nodes]);
    abdb_entry_add_factor_parsing_number(entry, "user_word.devices", devices);
    abdb_entry_add_factor_parsing_number(entry, "user_word.nodes", nodes);
    entry->field[ABDB_FIELD_devices] = devices;
    entry->field[ABDB_FIELD_nodes] = nodes;
}

static void mark_or_replace_inconsistent_device_counts(abdb_entry *entry,
                                                       const char *stated_devices,
                                                       const char *stated_nodes)
{
    const char *device = entry->field[ABDB_FIELD_device], *name = entry->field[ABDB_FIELD_system];
    long long devices = parse_count_or_zero(entry->field[ABDB_FIELD_devices]),
              nodes = parse_count_or_zero(entry->field[ABDB_FIELD_nodes]),
              each = factor_text_as_count_or_zero(entry, "devices_per_node"),
              named = name && device ? device_count_in_system_name(name, device) : 0;
    char problem[160] = "";

    if (!devices) return;
    if (nodes && each && nodes * each != devices)
        snprintf(problem, sizeof problem,
                 "%lld nodes of %lld devices make %lld, and the total says %lld", nodes, each,
                 nodes * each, devices);
    else if (nodes > devices)
        snprintf(problem, sizeof problem, "%lld nodes, and %lld devices in total", nodes, devices);
    else if (named && named != devices && named != each && named * (nodes ? nodes : 1) != devices)
        snprintf(problem, sizeof problem, "the system is called '%.60s', and has %lld devices",
                 name, devices);
    if (!*problem) return;
    if (!stated_devices) abdb_entry_add_mark_and_problem(entry, "contradiction", "%s", problem);
    replace_counts_by_users_keep_as_factors(entry, stated_devices, stated_nodes);
}

/* --- values ----------------------------------------------------------------------------------- */

/* The share of values below a statistic: 0 of a minimum, 0.99 of p99; NAN: none. */
static double quantile_of_statistic_or_nan(const char *statistic)
{
    double percent;

    if (strcmp(statistic, "min") == 0) return 0;
    if (strcmp(statistic, "median") == 0) return 0.5;
    if (strcmp(statistic, "max") == 0) return 1;
    if (*statistic != 'p' || !abdb_double_parse(statistic + 1, ABDB_MARK_POINT, &percent))
        return NAN;
    return percent / 100;
}

/* Statistics of one thing: also in the same place of a series, and of the same rank. */
static bool are_statistics_of_same_series_point(const abdb_result *a, const abdb_result *b)
{
    return strcmp(a->metric, b->metric) == 0 && a->rank == b->rank &&
           (a->x == b->x || (isnan(a->x) && isnan(b->x)));
}

/* Percentiles of rates are counted from either end: of them only extremes have an order. */
static bool is_extreme_or_time_quantile(const abdb_result *r, double quantile)
{
    const abdb_metric_info *metric = abdb_metric_find(r->metric);

    return quantile == 0 || quantile == 1 || (metric && strcmp(metric->unit, "s") == 0);
}

/* Values are printed with few digits. */
static bool exceeds_beyond_relative_tolerance(double a, double b, double tolerance)
{
    return a > b + tolerance * fabs(b);
}

static void mark_implausible_statistic_pair(abdb_entry *entry, const abdb_result *a,
                                            const abdb_result *b)
{
    double low = quantile_of_statistic_or_nan(a->statistic),
           high = quantile_of_statistic_or_nan(b->statistic);
    bool mean = strcmp(b->statistic, "mean") == 0;

    if (low < high && is_extreme_or_time_quantile(a, low) && is_extreme_or_time_quantile(b, high) &&
        exceeds_beyond_relative_tolerance(a->value, b->value, 1e-6))
        abdb_entry_add_mark_and_problem(entry, "implausible", "%s: the %s, %g, is above the %s, %g",
                                        a->metric, a->statistic, a->value, b->statistic, b->value);
    if (mean && ((low == 0 && exceeds_beyond_relative_tolerance(a->value, b->value, 1e-3)) ||
                 (low == 1 && exceeds_beyond_relative_tolerance(b->value, a->value, 1e-3))))
        abdb_entry_add_mark_and_problem(entry, "implausible",
                                        "%s: the mean, %g, is beyond the %s,"
                                        " %g",
                                        a->metric, b->value, a->statistic, a->value);
}

static void mark_inconsistent_statistics(abdb_entry *entry)
{
    for (size_t i = 0; i < entry->results; i++)
        for (size_t k = 0; k < entry->results; k++) {
            const abdb_result *a = &entry->result[i], *b = &entry->result[k];

            if (i == k || !a->statistic || !b->statistic) continue;
            if (are_statistics_of_same_series_point(a, b))
                mark_implausible_statistic_pair(entry, a, b);
            if (strcmp(a->metric, "ttft_s") == 0 && strcmp(b->metric, "latency_s") == 0 &&
                strcmp(a->statistic, b->statistic) == 0 && a->rank == b->rank &&
                exceeds_beyond_relative_tolerance(a->value, b->value, 1e-3))
                abdb_entry_add_mark_and_problem(
                    entry, "implausible",
                    "the first token comes after %g s (%s), the last after"
                    " %g s",
                    a->value, a->statistic, b->value);
        }
}

/* Marks rates of zero: the run did no work. */
static void mark_rates_of_zero(abdb_entry *entry)
{
    for (size_t i = 0; i < entry->results; i++) {
        const char *metric = entry->result[i].metric;
        size_t size = strlen(metric);

        if (entry->result[i].value == 0 && size > 6 && strcmp(metric + size - 6, "_per_s") == 0)
            abdb_entry_add_mark_and_problem(entry, "implausible", "%s is zero", metric);
    }
}

/* The least of a value and its samples. */
static double least_of_value_and_samples(const abdb_result *result)
{
    double least = result->value;

    for (size_t i = 0; i < result->samples; i++)
        if (result->sample[i].value < least) least = result->sample[i].value;
    return least;
}

/* Marks times and rates below zero, of a run or of one of its samples. */
static void mark_negative_times_and_rates(abdb_entry *entry)
{
    for (size_t i = 0; i < entry->results; i++) {
        const char *metric = entry->result[i].metric;
        size_t size = strlen(metric);

        if (size > 2 && strcmp(metric + size - 2, "_s") == 0 &&
            least_of_value_and_samples(&entry->result[i]) < 0) {
            abdb_entry_add_mark_and_problem(entry, "implausible", "%s is negative", metric);
            return;
        }
    }
}

/* Marks an entry whose "device" is a word like "total" or "mean" as a summary of other rows, and
 * removes that word: it names no device. */
static void mark_and_clear_summary_device_name(abdb_entry *entry)
{
    static const char *const words[] = {
        "total",          "sum", "average", "avg",     "mean", "median", "overall", "geomean",
        "geometric mean", "all", "minimum", "maximum", NULL};
    const char *device = entry->field[ABDB_FIELD_device];
    bool summary = device && strncasecmp(device, "speedup", 7) == 0;

    for (size_t i = 0; device && words[i]; i++) summary |= strcasecmp(device, words[i]) == 0;
    if (!summary) return;
    abdb_entry_add_mark_and_problem(
        entry, "implausible", "the device is called '%.60s': a summary of other rows", device);
    abdb_entry_add_factor_parsing_number(entry, "stated_device", device);
    entry->field[ABDB_FIELD_device] = NULL;
}

void abdb_entry_mark_contradictions_and_failures(abdb_entry *entry, const char *user_devices,
                                                 const char *user_nodes)
{
    const char *status = entry->field[ABDB_FIELD_status], *reason = entry->field[ABDB_FIELD_reason];

    if (status && strcmp(status, "failed") == 0)
        abdb_entry_add_mark_and_problem(entry, "failed", "%s", reason ? reason : "the run failed");
    mark_and_clear_summary_device_name(entry);
    mark_or_replace_inconsistent_device_counts(entry, user_devices, user_nodes);
    mark_inconsistent_statistics(entry);
    mark_rates_of_zero(entry);
    mark_negative_times_and_rates(entry);
}

/* Half a unit of the last digit: "0.01" stands for 0.005 to 0.015. */
static double half_unit_of_last_digit(const char *text)
{
    const char *point = strpbrk(text, ".,"), *exponent = strpbrk(text, "eE");
    size_t decimals = point ? strspn(point + 1, "0123456789") : 0;
    double power =
        exponent ? abdb_double_parse_prefix_or(exponent + 1 + (exponent[1] == '+'), 0) : 0;

    return 0.5 * pow(10, power - (double)decimals);
}

void abdb_entry_mark_rate_not_matching_amount(abdb_entry *entry, double rate, const char *printed,
                                              double seconds, double amount, double tolerance)
{
    double rounding = printed ? half_unit_of_last_digit(printed) : 0;

    if (!(rate > 0) || !(seconds > 0) || !(amount > 0)) return;
    if ((rate - rounding) * seconds / amount <= tolerance &&
        (rate + rounding) * seconds / amount >= 1 / tolerance)
        return;
    abdb_entry_add_mark_and_problem(entry, "implausible",
                                    "%g a second for %g s are %g, and the row says %g", rate,
                                    seconds, rate * seconds, amount);
}

void abdb_entry_mark_failed_if_requests_failed(abdb_entry *entry, double completed,
                                               double requested)
{
    if (completed >= 0 && requested > completed)
        abdb_entry_add_mark_and_problem(entry, "failed", "%.0f of %.0f requests failed",
                                        requested - completed, requested);
}

bool abdb_entry_fail_if_no_request_completed(abdb_entry *entry, double completed)
{
    if (completed != 0) return false;
    abdb_entry_drop_results_as_left_out(entry);
    entry->field[ABDB_FIELD_status] = "failed";
    entry->field[ABDB_FIELD_reason] = "no request was completed";
    return true;
}
