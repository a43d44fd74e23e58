/* fleet.c - abdb_fleet(measured): which node is slower than its peers; see table_functions.h. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/sql_tables/table_functions.h"
#include "schema/core/array.h"
#include "schema/core/fleet.h"

enum { NODE, CELL, PROCESS, NAMES, COLUMNS = 11 };

/* As abdb compare. */
static const abdb_fleet_options options = {.alpha = ABDB_ALPHA, .effect = ABDB_EFFECT};

typedef struct {
    json_t *array;
    const char **name[2]; /* nodes and cells, sorted, each once; texts of the array */
    size_t names[2], n;
    abdb_fleet_measurement *measurement;
} fleet_measurements;

/* The names in that place of all rows: [node, cell, process, seconds]. */
static abdb_status collect_sorted_distinct_names(const fleet_measurements *r, size_t field_index,
                                                 const char ***out, size_t *count, abdb_error *err)
{
    const char **list = calloc(r->n + 1, sizeof *list);

    *out = list;
    if (!list) return ABDB_FAIL(err, ABDB_NOMEM, "%zu measurements", r->n);
    for (size_t i = 0; i < r->n; i++) {
        list[i] = json_string_value(json_array_get(json_array_get(r->array, i), field_index));
        if (!list[i])
            return ABDB_FAIL(err, ABDB_DATA,
                             "abdb_fleet: row %zu is not [node, cell, process, seconds]", i + 1);
    }
    abdb_array_sort(list, r->n, sizeof *list, abdb_compare_text_pointers);
    *count = 0;
    for (size_t i = 0; i < r->n; i++)
        if (!*count || strcmp(list[*count - 1], list[i]) != 0) list[(*count)++] = list[i];
    return ABDB_OK;
}

static size_t index_of_name_in_sorted_list(const char *text, const char *const *list, size_t count)
{
    const char *const *found =
        abdb_array_find_sorted(&text, list, count, sizeof *list, abdb_compare_text_pointers);

    return found ? (size_t)(found - list) : 0; /* all are in it */
}

/* Reads the JSON array of [node, cell, process, seconds]. */
static abdb_status parse_fleet_json_rows_storing_log_seconds(fleet_measurements *r,
                                                             const char *text, abdb_error *err)
{
    const char **process = NULL;
    size_t processes;
    abdb_status st = ABDB_OK;

    r->array = json_loads(text, 0, NULL);
    r->n = json_array_size(r->array);
    if (!json_is_array(r->array))
        return ABDB_FAIL(err, ABDB_DATA,
                         "abdb_fleet wants a JSON array of [node, cell, process, seconds]");
    r->measurement = calloc(r->n + 1, sizeof *r->measurement);
    if (!r->measurement) return ABDB_FAIL(err, ABDB_NOMEM, "%zu measurements", r->n);
    TRY(collect_sorted_distinct_names(r, NODE, &r->name[NODE], &r->names[NODE], err));
    TRY(collect_sorted_distinct_names(r, CELL, &r->name[CELL], &r->names[CELL], err));
    TRY(collect_sorted_distinct_names(r, PROCESS, &process, &processes, err));
    for (size_t i = 0; i < r->n; i++) {
        const json_t *row = json_array_get(r->array, i);
        const char *word[NAMES];
        double seconds = json_number_value(json_array_get(row, NAMES));

        for (size_t k = 0; k < NAMES; k++) word[k] = json_string_value(json_array_get(row, k));
        if (!(seconds > 0))
            TRY(ABDB_FAIL(err, ABDB_DATA, "abdb_fleet: row %zu has no time", i + 1));
        r->measurement[i] = (abdb_fleet_measurement){
            index_of_name_in_sorted_list(word[NODE], r->name[NODE], r->names[NODE]),
            index_of_name_in_sorted_list(word[CELL], r->name[CELL], r->names[CELL]),
            index_of_name_in_sorted_list(word[PROCESS], process, processes), log(seconds)};
    }
done:
    free(process);
    return st;
}

static void set_real_cell_unless_nan(abdb_value *v, double x)
{
    if (!isnan(x)) *v = (abdb_value){.kind = ABDB_REAL, .real = x};
}

static void set_count_cell(abdb_value *v, size_t n)
{
    *v = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)n};
}

static abdb_status set_text_cell(abdb_table *out, abdb_value *v, const char *text, abdb_error *err)
{
    *v =
        (abdb_value){.kind = ABDB_STRING, .text = abdb_arena_copy(&out->arena, text, strlen(text))};
    return v->text ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a fleet");
}

/* Adds the verdict on a node, of one cell or of all. */
static abdb_status append_node_verdict_row(abdb_table *out, const fleet_measurements *r,
                                           const abdb_fleet_row *row, abdb_error *err)
{
    abdb_value *v = abdb_table_append_row(out);
    abdb_status st = ABDB_OK;

    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "a fleet");
    TRY(set_text_cell(out, &v[0], r->name[NODE][row->node], err));
    if (row->cell != ABDB_FLEET_ALL) TRY(set_text_cell(out, &v[1], r->name[CELL][row->cell], err));
    set_count_cell(&v[2], row->cells);
    set_count_cell(&v[3], row->processes);
    set_count_cell(&v[4], row->peers);
    set_real_cell_unless_nan(&v[5], row->ratio);
    set_real_cell_unless_nan(&v[6], row->low);
    set_real_cell_unless_nan(&v[7], row->high);
    set_real_cell_unless_nan(&v[8], row->p_corrected);
    set_real_cell_unless_nan(&v[9], row->detectable_change);
    TRY(set_text_cell(out, &v[10], abdb_verdict_name(row->verdict), err));
done:
    return st;
}

/* abdb_fleet(JSON): each node against the others. */
static abdb_status fill_fleet_rows(sqlite3 *db, const char *const *argument, abdb_table *out,
                                   abdb_error *err)
{
    fleet_measurements r = {0};
    abdb_fleet_row *row = NULL;
    size_t count = 0;
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = COLUMNS;
    TRY(parse_fleet_json_rows_storing_log_seconds(&r, argument[0], err));
    TRY(abdb_fleet_test_each_node_against_peers(r.measurement, r.n, &options, &row, &count, err));
    for (size_t i = 0; i < count; i++) TRY(append_node_verdict_row(out, &r, &row[i], err));
done:
    free(row);
    free(r.measurement);
    free(r.name[NODE]);
    free(r.name[CELL]);
    json_decref(r.array);
    return st;
}

const abdb_table_function abdb_table_fleet = {
    "abdb_fleet",
    "CREATE TABLE x(node TEXT, cell TEXT, cells INTEGER, processes INTEGER, peers INTEGER,"
    " ratio REAL, low REAL, high REAL, p_all REAL, shows REAL, verdict TEXT, measured HIDDEN)",
    COLUMNS,
    1,
    1,
    ABDB_ALLOW_NOTHING,
    fill_fleet_rows};
