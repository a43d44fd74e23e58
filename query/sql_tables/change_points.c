/* change_points.c - abdb_changes(values, series): where a series changes its level; see
 * table_functions.h. */
#include <jansson.h>
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
        (*out)[i] = json_number_value(json_array_get(array, i)); /* what is no number is 0 */
    if (!json_is_array(array)) {
        json_decref(array);
        return ABDB_FAIL(err, ABDB_DATA, "abdb_changes wants a JSON array of numbers");
    }
    json_decref(array);
    return *out ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a series");
}

/* abdb_changes(JSON, SERIES): where the level of a series changes. */
static abdb_status fill_change_points(sqlite3 *db, const char *const *argument, abdb_table *out,
                                      abdb_error *err)
{
    abdb_change change[ABDB_CHANGES_MAX];
    double *value = NULL, series = 1;
    size_t n, count;
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = 3; /* of the schema below */
    TRY(parse_json_numbers(argument[0], &value, &n, err));
    if (argument[1] && (!abdb_double_parse(argument[1], ABDB_MARK_UNKNOWN, &series) || series < 1))
        TRY(ABDB_FAIL(err, ABDB_DATA, "abdb_changes: how many series is a whole number"));
    TRY(abdb_find_change_points(value, n, (size_t)series, alpha, effect, change, &count, err));
    for (size_t i = 0; i < count; i++) {
        abdb_value *row = abdb_table_append_row(out);

        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "changes"));
        row[0] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)change[i].at + 1};
        row[1] = (abdb_value){.kind = ABDB_REAL, .real = change[i].ratio};
        row[2] = (abdb_value){.kind = ABDB_REAL, .real = change[i].p};
    }
done:
    free(value);
    return st;
}

const abdb_table_function abdb_table_changes = {
    "abdb_changes",
    "CREATE TABLE x(place INTEGER, ratio REAL, p REAL, of_values HIDDEN, of_series HIDDEN)",
    3,
    1,
    2,
    ABDB_ALLOW_NOTHING,
    fill_change_points};
