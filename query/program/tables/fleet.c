/* fleet.c - abdb_fleet(measured): which node is slower than its peers; see tables.h. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/program/tables/tables.h"
#include "schema/core/fleet.h"

enum { NODE, CELL, PROCESS, NAMES, COLUMNS = 11 };

/* As abdb compare. */
static const abdb_fleet_options options = {.alpha = ABDB_ALPHA, .effect = ABDB_EFFECT};

typedef struct {
    json_t *array;
    const char **name[2]; /* nodes and cells, sorted, each once; texts of the array */
    size_t names[2], n;
    abdb_fleet_seen *seen;
} reading;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in that place of all rows: [node, cell, process, seconds]. */
static abdb_status list_names(const reading *r, size_t place, const char ***out, size_t *count,
                              abdb_error *err)
{
    const char **list = calloc(r->n + 1, sizeof *list);

    *out = list;
    if (!list) return ABDB_FAIL(err, ABDB_NOMEM, "%zu measurements", r->n);
    for (size_t i = 0; i < r->n; i++) {
        list[i] = json_string_value(json_array_get(json_array_get(r->array, i), place));
        if (!list[i])
            return ABDB_FAIL(err, ABDB_DATA,
                             "abdb_fleet: row %zu is not [node, cell, process, seconds]", i + 1);
    }
    qsort(list, r->n, sizeof *list, by_text);
    *count = 0;
    for (size_t i = 0; i < r->n; i++)
        if (!*count || strcmp(list[*count - 1], list[i]) != 0) list[(*count)++] = list[i];
    return ABDB_OK;
}

static size_t place_of(const char *text, const char *const *list, size_t count)
{
    const char *const *found = bsearch(&text, list, count, sizeof *list, by_text);

    return found ? (size_t)(found - list) : 0; /* all are in it */
}

static abdb_status read_rows(reading *r, const char *text, abdb_error *err)
{
    const char **process = NULL;
    size_t processes;
    abdb_status st = ABDB_OK;

    r->array = json_loads(text, 0, NULL);
    r->n = json_array_size(r->array);
    if (!json_is_array(r->array))
        return ABDB_FAIL(err, ABDB_DATA,
                         "abdb_fleet wants a JSON array of [node, cell, process, seconds]");
    r->seen = calloc(r->n + 1, sizeof *r->seen);
    if (!r->seen) return ABDB_FAIL(err, ABDB_NOMEM, "%zu measurements", r->n);
    TRY(list_names(r, NODE, &r->name[NODE], &r->names[NODE], err));
    TRY(list_names(r, CELL, &r->name[CELL], &r->names[CELL], err));
    TRY(list_names(r, PROCESS, &process, &processes, err));
    for (size_t i = 0; i < r->n; i++) {
        const json_t *row = json_array_get(r->array, i);
        const char *word[NAMES];
        double seconds = json_number_value(json_array_get(row, NAMES));

        for (size_t k = 0; k < NAMES; k++) word[k] = json_string_value(json_array_get(row, k));
        if (!(seconds > 0))
            TRY(ABDB_FAIL(err, ABDB_DATA, "abdb_fleet: row %zu has no time", i + 1));
        r->seen[i] = (abdb_fleet_seen){place_of(word[NODE], r->name[NODE], r->names[NODE]),
                                       place_of(word[CELL], r->name[CELL], r->names[CELL]),
                                       place_of(word[PROCESS], process, processes), log(seconds)};
    }
done:
    free(process);
    return st;
}

static void put_number(abdb_value *v, double x)
{
    if (!isnan(x)) *v = (abdb_value){.kind = ABDB_REAL, .real = x};
}

static void put_count(abdb_value *v, size_t n)
{
    *v = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)n};
}

static abdb_status put_text(abdb_table *out, abdb_value *v, const char *text, abdb_error *err)
{
    *v =
        (abdb_value){.kind = ABDB_STRING, .text = abdb_arena_copy(&out->arena, text, strlen(text))};
    return v->text ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a fleet");
}

static abdb_status add_row(abdb_table *out, const reading *r, const abdb_fleet_row *row,
                           abdb_error *err)
{
    abdb_value *v = abdb_table_row(out);
    abdb_status st = ABDB_OK;

    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "a fleet");
    TRY(put_text(out, &v[0], r->name[NODE][row->node], err));
    if (row->cell != ABDB_FLEET_ALL) TRY(put_text(out, &v[1], r->name[CELL][row->cell], err));
    put_count(&v[2], row->cells);
    put_count(&v[3], row->processes);
    put_count(&v[4], row->peers);
    put_number(&v[5], row->ratio);
    put_number(&v[6], row->low);
    put_number(&v[7], row->high);
    put_number(&v[8], row->p_all);
    put_number(&v[9], row->shows);
    TRY(put_text(out, &v[10], abdb_verdict_name(row->verdict), err));
done:
    return st;
}

static abdb_status fill(sqlite3 *db, const char *const *argument, abdb_table *out, abdb_error *err)
{
    reading r = {0};
    abdb_fleet_row *row = NULL;
    size_t count = 0;
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = COLUMNS;
    TRY(read_rows(&r, argument[0], err));
    TRY(abdb_fleet(r.seen, r.n, &options, &row, &count, err));
    for (size_t i = 0; i < count; i++) TRY(add_row(out, &r, &row[i], err));
done:
    free(row);
    free(r.seen);
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
    fill};
