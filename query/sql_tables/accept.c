/* accept.c - abdb_accept(judged): which unit is slower than its peers and others of its kind; see
 * table_functions.h. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "query/sql_tables/table_functions.h"
#include "schema/core/acceptance.h"

enum { CELL, GROUP, VALUE, WORDS, COLUMNS = 17 };

static const char *const wanted =
    "abdb_accept wants {\"rule\": [[floor, near, effect], ...], \"here\": [[cell, unit, value],"
    " ...], \"others\": [[cell, origin, value], ...]}, cells from 0";

/* Reads a list of [cell, group, value] of `cells` cells; values become logarithms. */
static abdb_status parse_values_as_logarithms(const json_t *list, size_t cells,
                                              abdb_accept_value **out, size_t *n, abdb_error *err)
{
    *n = json_array_size(list);
    *out = calloc(*n + 1, sizeof **out);
    if (!*out) return ABDB_FAIL(err, ABDB_NOMEM, "%zu values", *n);
    for (size_t i = 0; i < *n; i++) {
        const json_t *row = json_array_get(list, i);
        json_int_t cell = json_integer_value(json_array_get(row, CELL));
        json_int_t group = json_integer_value(json_array_get(row, GROUP));
        double value = json_number_value(json_array_get(row, VALUE));

        if (json_array_size(row) != WORDS || cell < 0 || (size_t)cell >= cells || group < 0 ||
            !(value > 0))
            return ABDB_FAIL(err, ABDB_DATA, "row %zu of a list is none: %s", i + 1, wanted);
        (*out)[i] = (abdb_accept_value){(size_t)cell, (size_t)group, log(value)};
    }
    return ABDB_OK;
}

/* Parses the rules of checks, arrays of numbers in the order of abdb_accept_rule. */
static abdb_status parse_accept_rules(const json_t *list, abdb_accept_rule **out, abdb_error *err)
{
    size_t n = json_array_size(list);

    *out = calloc(n + 1, sizeof **out);
    if (!*out) return ABDB_FAIL(err, ABDB_NOMEM, "%zu rules", n);
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(list, i);
        abdb_accept_rule *rule = &(*out)[i];

        rule->floor = json_number_value(json_array_get(row, 0));
        rule->near = json_number_value(json_array_get(row, 1));
        rule->effect = json_number_value(json_array_get(row, 2));
        if (!(rule->floor > 0 && rule->floor <= rule->near && rule->near <= 1 &&
              rule->effect >= 0 && rule->effect < 1))
            return ABDB_FAIL(err, ABDB_DATA, "rule %zu is none: %s", i + 1, wanted);
    }
    return ABDB_OK;
}

static void set_real_if_finite(abdb_value *v, double x)
{
    if (isfinite(x)) *v = (abdb_value){.kind = ABDB_REAL, .real = x};
}

static void set_count(abdb_value *v, size_t n)
{
    *v = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)n};
}

static void set_verdict_unless_none(abdb_value *v, abdb_acceptance verdict)
{
    if (verdict != ABDB_ACCEPT_NONE) /* texts of the program's own */
        *v = (abdb_value){.kind = ABDB_STRING, .text = abdb_acceptance_name(verdict)};
}

/* Appends the verdict of one unit in one check; logarithms become values again. */
static abdb_status append_unit_verdict_row(abdb_table *out, const abdb_accept_row *row,
                                           abdb_error *err)
{
    abdb_value *v = abdb_table_append_row(out);

    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "a verdict");
    set_count(&v[0], row->cell);
    set_count(&v[1], row->unit);
    set_count(&v[2], row->values);
    set_real_if_finite(&v[3], exp(row->here));
    set_count(&v[4], row->origins);
    set_count(&v[5], row->others);
    set_real_if_finite(&v[6], exp(row->lowest));
    set_real_if_finite(&v[7], exp(row->middle));
    set_real_if_finite(&v[8], exp(row->highest));
    set_real_if_finite(&v[9], row->p_others);
    set_verdict_unless_none(&v[10], row->by_others);
    set_count(&v[11], row->peers);
    set_real_if_finite(&v[12], exp(row->peer));
    set_real_if_finite(&v[13], row->p_peers);
    set_verdict_unless_none(&v[14], row->by_peers);
    set_real_if_finite(&v[15], row->shows);
    v[16] = (abdb_value){.kind = ABDB_STRING, .text = abdb_acceptance_name(row->verdict)};
    return ABDB_OK;
}

/* abdb_accept(JSON): a row for each cell and unit. */
static abdb_status fill_accept_rows(sqlite3 *db, const char *const *argument, abdb_table *out,
                                    abdb_error *err)
{
    json_t *root = json_loads(argument[0], 0, NULL);
    abdb_accept_value *here = NULL, *others = NULL;
    abdb_accept_rule *rule = NULL;
    abdb_accept_row *row = NULL;
    size_t n, m, count = 0, cells = json_array_size(json_object_get(root, "rule"));
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = COLUMNS;
    if (!json_is_object(root)) TRY(ABDB_FAIL(err, ABDB_DATA, "%s", wanted));
    TRY(parse_accept_rules(json_object_get(root, "rule"), &rule, err));
    TRY(parse_values_as_logarithms(json_object_get(root, "here"), cells, &here, &n, err));
    TRY(parse_values_as_logarithms(json_object_get(root, "others"), cells, &others, &m, err));
    TRY(abdb_accept_judge_units_by_peers_and_others(here, n, others, m, rule, &row, &count, err));
    for (size_t i = 0; i < count; i++) TRY(append_unit_verdict_row(out, &row[i], err));
done:
    free(row);
    free(here);
    free(others);
    free(rule);
    json_decref(root);
    return st;
}

const abdb_table_function abdb_table_accept = {
    "abdb_accept",
    "CREATE TABLE x(cell INTEGER, unit INTEGER, n INTEGER, here REAL, origins INTEGER,"
    " others INTEGER, lowest REAL, middle REAL, highest REAL, p_others REAL, by_others TEXT,"
    " peers INTEGER, peer REAL, p_peers REAL, by_peers TEXT, shows REAL, verdict TEXT,"
    " judged HIDDEN)",
    COLUMNS,
    1,
    1,
    ABDB_ALLOW_NOTHING,
    fill_accept_rows};
