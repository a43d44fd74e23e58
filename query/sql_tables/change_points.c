/* change_points.c - abdb_changes(values, series), the changes of level of a series, and
 * abdb_verdict(values, series), its verdict; see table_functions.h. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "query/sql_tables/table_functions.h"
#include "schema/core/change_point.h"
#include "schema/core/text.h"

/* As the report machine-changes: p at most 1 %, and a change of 1 % or more. */
static const double alpha = 0.01, effect = 0.01;

/* Numbers of a JSON array; the caller frees. */
static abdb_status parse_json_numbers(const char *text, double **out, size_t *n, abdb_error *err)
{
    json_t *array = json_loads(text, 0, NULL);

    *n = json_array_size(array);
    *out = calloc(*n + 1, sizeof **out);
    for (size_t i = 0; *out && i < *n; i++)
        (*out)[i] = json_number_value(json_array_get(array, i)); /* other elements are 0 */
    if (!json_is_array(array)) {
        json_decref(array);
        return ABDB_FAIL(err, ABDB_DATA, "abdb_changes wants a JSON array of numbers");
    }
    json_decref(array);
    return *out ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a series");
}

/* The arguments of both: a series, and of how many it is one. The caller frees the values. */
static abdb_status parse_series(const char *const *argument, const char *who, double **value,
                                size_t *n, size_t *series, abdb_error *err)
{
    double number = 1;
    abdb_status st = parse_json_numbers(argument[0], value, n, err);

    if (st == ABDB_OK && argument[1] &&
        (!abdb_double_parse(argument[1], ABDB_MARK_UNKNOWN, &number) || number < 1))
        st = ABDB_FAIL(err, ABDB_DATA, "%s: how many series is a whole number", who);
    *series = (size_t)number;
    return st;
}

/* abdb_changes(JSON, SERIES): where the level of a series changes. */
static abdb_status fill_change_points(sqlite3 *db, const char *const *argument, abdb_table *out,
                                      abdb_error *err)
{
    abdb_change change[ABDB_CHANGES_MAX];
    double *value = NULL;
    size_t n, series, count;
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = 5; /* of the schema below */
    TRY(parse_series(argument, "abdb_changes", &value, &n, &series, err));
    TRY(abdb_find_change_points(value, n, series, alpha, effect, change, &count, err));
    for (size_t i = 0; i < count; i++) {
        abdb_value *row = abdb_table_append_row(out);

        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "changes"));
        row[0] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)change[i].at + 1};
        row[1] = (abdb_value){.kind = ABDB_REAL, .real = change[i].ratio};
        row[2] = (abdb_value){.kind = ABDB_REAL, .real = change[i].p};
        row[3] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)change[i].low + 1};
        row[4] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)change[i].high + 1};
    }
done:
    free(value);
    return st;
}

/* A change of this or more that stays unseen is no verdict, as in a gate. */
static const double blind = 1;

/* abdb_verdict(JSON, SERIES): whether it changed, and the smallest change that it would show. */
static abdb_status fill_verdict(sqlite3 *db, const char *const *argument, abdb_table *out,
                                abdb_error *err)
{
    abdb_change change[ABDB_CHANGES_MAX];
    abdb_series_power power;
    double *value = NULL;
    size_t n, series, count;
    abdb_value *row = NULL;
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = 3; /* of the schema below */
    TRY(parse_series(argument, "abdb_verdict", &value, &n, &series, err));
    TRY(abdb_find_change_points(value, n, series, alpha, effect, change, &count, err));
    TRY(abdb_series_find_power(value, n, count ? change[count - 1].at : 0, series, alpha, &power,
                               err));
    row = abdb_table_append_row(out);
    if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a verdict"));
    row[0] = (abdb_value){.kind = ABDB_STRING,
                          .text = count                                           ? "changed"
                                  : n < ABDB_RUNS_LEAST || !(power.shows < blind) ? "too-few"
                                                                                  : "same"};
    if (isfinite(power.shows)) row[1] = (abdb_value){.kind = ABDB_REAL, .real = power.shows};
    row[2] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)power.wants};
done:
    free(value);
    return st;
}

const abdb_table_function abdb_table_changes = {
    "abdb_changes",
    "CREATE TABLE x(place INTEGER, ratio REAL, p REAL, of_values HIDDEN, of_series HIDDEN,"
    " low INTEGER, high INTEGER)",
    3,
    1,
    2,
    ABDB_ALLOW_NOTHING,
    fill_change_points};
const abdb_table_function abdb_table_verdict = {
    "abdb_verdict",
    "CREATE TABLE x(verdict TEXT, shows REAL, wants INTEGER, of_values HIDDEN, of_series HIDDEN)",
    3,
    1,
    2,
    ABDB_ALLOW_NOTHING,
    fill_verdict};
