/* own_metrics.c - see own_metrics.h. */
#include "kernels/programs/own_metrics.h"

#include <jansson.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/fixed_text.h"
#include "schema/core/number.h"
#include "schema/core/record.h"
#include "schema/core/stats.h"
#include "schema/core/units.h"

static const char json[] = "json";

/* NAME[UNIT]=REGEX in its parts. */
typedef struct {
    const abdb_metric_info *metric;
    char unit[32]; /* "": the base unit */
    const char *expression;
} metric_source;

static abdb_status find_metric(const char *name, const abdb_metric_info **out, abdb_error *err)
{
    *out = abdb_metric_find(name);
    if (*out && strcmp((*out)->name, name) == 0) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_USAGE,
                     "no metric '%.40s': a metric of yours is kept by a name of schema/core/"
                     "metric.def, such as queries_per_s, latency_s or items_per_s",
                     name);
}

static abdb_status parse_source(const char *from, metric_source *out, abdb_error *err)
{
    size_t size = strcspn(from, "[=");
    const char *at = from + size;
    char name[64];
    double value;
    abdb_status st = ABDB_OK;

    *out = (metric_source){0};
    if (*at == '[') {
        size_t unit = strcspn(++at, "]");

        if (!abdb_format_if_fits(out->unit, sizeof out->unit, "%.*s", (int)unit, at))
            return ABDB_FAIL(err, ABDB_USAGE, "--metric-from: the unit is too long: %s", from);
        at += unit + (at[unit] == ']');
    }
    if (*at != '=' || !size || !at[1] ||
        !abdb_format_if_fits(name, sizeof name, "%.*s", (int)size, from))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--metric-from wants json, or NAME[UNIT]=REGEX such as"
                         " 'latency_s[ms]=p99 +([0-9.]+)', not '%s'",
                         from);
    out->expression = at + 1;
    TRY(find_metric(name, &out->metric, err));
    if (*out->unit && abdb_unit_convert(1, out->unit, out->metric->unit, &value, err) != ABDB_OK)
        st = err->status = ABDB_USAGE;
done:
    return st;
}

static abdb_status compile_expression(const metric_source *source, regex_t *out, abdb_error *err)
{
    int fault = regcomp(out, source->expression, REG_EXTENDED | REG_NEWLINE);
    char why[128];

    if (fault) {
        regerror(fault, out, why, sizeof why);
        return ABDB_FAIL(err, ABDB_USAGE, "--metric-from: %s: %s", source->expression, why);
    }
    if (out->re_nsub) return ABDB_OK;
    regfree(out);
    return ABDB_FAIL(err, ABDB_USAGE, "--metric-from: %s has no (group) for the number",
                     source->expression);
}

abdb_status abdb_own_metrics_check_source(const char *from, abdb_error *err)
{
    metric_source source;
    regex_t expression;
    abdb_status st = ABDB_OK;

    if (strcmp(from, json) == 0) return ABDB_OK;
    TRY(parse_source(from, &source, err));
    TRY(compile_expression(&source, &expression, err));
    regfree(&expression);
done:
    return st;
}

abdb_status abdb_own_metrics_add(abdb_own_metrics *out, const char *name, double value,
                                 abdb_error *err)
{
    const abdb_metric_info *metric;
    abdb_own_metric *at;
    size_t i = 0;
    abdb_status st = ABDB_OK;

    TRY(find_metric(name, &metric, err));
    while (i < out->count && strcmp(out->metric[i].name, name) != 0) i++;
    if (i == ABDB_OWN_METRICS_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d metrics of a program", ABDB_OWN_METRICS_MAX));
    at = &out->metric[i];
    if (i < out->count && at->values >= out->starts)
        TRY(ABDB_FAIL(err, ABDB_DATA,
                      "%s has two values of one start: print it once, or give one --metric-from"
                      " for it",
                      name));
    if (i == out->count) {
        *at = (abdb_own_metric){.name = metric->name};
        out->count++;
    }
    if (at->values == sizeof at->value / sizeof at->value[0])
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "%s: too many values in one turn", name));
    at->value[at->values++] = value;
done:
    return st;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

abdb_status abdb_own_metrics_add_usage(abdb_own_metrics *out, const struct rusage *used,
                                       abdb_error *err)
{
    struct rusage own;
    abdb_status st = ABDB_OK;

    out->starts++;
    TRY(abdb_own_metrics_add(out, "user_time_s", seconds_of(used->ru_utime), err));
    TRY(abdb_own_metrics_add(out, "system_time_s", seconds_of(used->ru_stime), err));
    if (getrusage(RUSAGE_SELF, &own) == 0 && used->ru_maxrss > own.ru_maxrss)
        TRY(abdb_own_metrics_add(out, "memory_peak_bytes", 1024.0 * (double)used->ru_maxrss, err));
done:
    return st;
}

/* Adds a member that is no metric to the list of names, once. */
static void note_left_out_member(abdb_own_metrics *out, const char *name)
{
    size_t size = strlen(out->left_out), length = strlen(name);

    for (const char *at = out->left_out; (at = strstr(at, name)); at++)
        if ((at == out->left_out || at[-1] == ' ') && (!at[length] || at[length] == ',')) return;
    snprintf(out->left_out + size, sizeof out->left_out - size, "%s%.40s", size ? ", " : "", name);
}

/* Appends the numbers of the last line that is a JSON object. */
static abdb_status read_json_line(abdb_own_metrics *out, const char *output, abdb_error *err)
{
    json_t *found = NULL, *value;
    const char *key;
    size_t numbers = 0;
    abdb_status st = ABDB_OK;

    for (const char *line = output; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        json_t *object = *line == '{' ? json_loadb(line, strcspn(line, "\n"), 0, NULL) : NULL;

        if (!json_is_object(object)) {
            json_decref(object);
            continue;
        }
        json_decref(found);
        found = object;
    }
    json_object_foreach(found, key, value)
    {
        const abdb_metric_info *metric = abdb_metric_find(key);

        if (!json_is_number(value)) continue;
        if (!metric || strcmp(metric->name, key) != 0) {
            note_left_out_member(out, key);
            continue;
        }
        numbers++;
        TRY(abdb_own_metrics_add(out, key, json_number_value(value), err));
    }
    if (!numbers)
        TRY(ABDB_FAIL(err, ABDB_DATA,
                      "--metric-from json: no line of its standard output is a JSON object with a"
                      " number by a name of schema/core/metric.def, such as queries_per_s or"
                      " latency_s%s%s",
                      *out->left_out ? "; it has " : "", out->left_out));
done:
    json_decref(found);
    return st;
}

/* Appends the number that the expression finds last. */
static abdb_status read_last_match(abdb_own_metrics *out, const metric_source *source,
                                   const char *output, abdb_error *err)
{
    regex_t expression;
    regmatch_t match[2];
    char number[64] = "";
    double value;
    abdb_status st = ABDB_OK;

    TRY(compile_expression(source, &expression, err));
    for (int flags = 0; *output && regexec(&expression, output, 2, match, flags) == 0;
         flags = REG_NOTBOL) {
        if (match[1].rm_so >= 0)
            snprintf(number, sizeof number, "%.*s", (int)(match[1].rm_eo - match[1].rm_so),
                     output + match[1].rm_so);
        output += match[0].rm_eo > 0 ? match[0].rm_eo : 1;
    }
    regfree(&expression);
    if (!*number)
        TRY(ABDB_FAIL(err, ABDB_DATA, "--metric-from: nothing in its standard output matches %s",
                      source->expression));
    if (!abdb_double_parse(number, ABDB_MARK_POINT, &value))
        TRY(ABDB_FAIL(err, ABDB_DATA, "--metric-from: '%s' is no number", number));
    if (*source->unit)
        TRY(abdb_unit_convert(value, source->unit, source->metric->unit, &value, err));
    st = abdb_own_metrics_add(out, source->metric->name, value, err);
done:
    return st;
}

abdb_status abdb_own_metrics_read_output(abdb_own_metrics *out, const char *from,
                                         const char *output, abdb_error *err)
{
    metric_source source;
    abdb_status st = ABDB_OK;

    if (strcmp(from, json) == 0) return read_json_line(out, output, err);
    TRY(parse_source(from, &source, err));
    st = read_last_match(out, &source, output, err);
done:
    return st;
}

double abdb_own_metric_median(abdb_own_metric *metric)
{
    abdb_summary summary;

    return abdb_sort_and_summarise(metric->value, metric->values, &summary, NULL) == ABDB_OK
               ? summary.median
               : 0;
}
