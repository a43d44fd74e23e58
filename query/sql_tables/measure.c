/* measure.c - abdb_measure(kernel, backend, params, quick): runs a kernel and returns its samples
 * as rows, without storing them. Of a cell that has no samples there is one row, with its status
 * and the reason. See table_functions.h. */
#include <string.h>

#include "kernels/runner/runner.h"
#include "query/run/find_backends.h"
#include "query/sql_tables/table_functions.h"

enum { COLUMNS = 8 };

static void set_text_cell_unless_empty(abdb_table *out, abdb_value *v, const char *value)
{
    if (!value || !*value) return;
    *v = (abdb_value){.kind = ABDB_STRING,
                      .text = abdb_arena_copy(&out->arena, value, strlen(value))};
    if (!v->text) v->kind = ABDB_NULL;
}

/* Adds a sample of a measured cell, or a row without a value if r is NULL. */
static abdb_status append_sample_row(abdb_table *out, const abdb_entry *e, const abdb_result *r,
                                     size_t seq, abdb_error *err)
{
    abdb_value *v = abdb_table_append_row(out);
    const char *status = e->field[ABDB_FIELD_status];

    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "samples");
    set_text_cell_unless_empty(out, &v[0], e->field[ABDB_FIELD_cell]);
    v[1] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)seq};
    if (r) {
        v[2] = (abdb_value){.kind = ABDB_REAL, .real = r->sample[seq].value};
        set_text_cell_unless_empty(out, &v[3], "s");
        set_text_cell_unless_empty(out, &v[4], r->sample[seq].mark);
    }
    set_text_cell_unless_empty(out, &v[5], status ? status : "ok");
    set_text_cell_unless_empty(out, &v[6], e->field[ABDB_FIELD_reason]);
    set_text_cell_unless_empty(out, &v[7], e->field[ABDB_FIELD_verified]);
    return ABDB_OK;
}

/* Adds the samples of a cell's time, or one row with the reason for a lack of samples. */
static abdb_status append_time_samples_of_entry_or_reason(void *self, const abdb_entry *e,
                                                          abdb_error *err)
{
    const abdb_result *timed = NULL;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < e->results && !timed; i++)
        if (strcmp(e->result[i].metric, "time_s") == 0 && e->result[i].samples)
            timed = &e->result[i];
    if (!timed) return append_sample_row(self, e, NULL, 0, err);
    for (size_t i = 0; i < timed->samples; i++) TRY(append_sample_row(self, e, timed, i, err));
done:
    return st;
}

static abdb_status ignore_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    (void)self, (void)fact, (void)err;
    return ABDB_OK;
}

static abdb_status fail_on_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    (void)self;
    return ABDB_FAIL(err, ABDB_BACKEND, "%s", reject->reason);
}

static abdb_status ignore_row_end(void *self, abdb_error *err)
{
    (void)self, (void)err;
    return ABDB_OK;
}

/* The sink turns each entry into rows of the table. The query's time-out ends the backend with this
 * process. */
static abdb_status run_kernel_fill_samples(sqlite3 *db, const char *const *argument,
                                           abdb_table *out, abdb_error *err)
{
    const abdb_sink sink = {out, append_time_samples_of_entry_or_reason, ignore_fact,
                            fail_on_reject, ignore_row_end};
    unsigned char todo[ABDB_CELL_MAX];
    abdb_backend_list backends;
    static volatile const int never_stopped = 0;
    abdb_run_options options = {
        .campaign = "abdb_measure", .timeout_s = ABDB_CELL_TIMEOUT_S, .stop = &never_stopped};
    abdb_run_tally tally = {0};
    abdb_plan plan = {0};
    abdb_text line = {0};
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = COLUMNS;
    TRY(abdb_backends_find(&backends, err));
    for (size_t i = 0; i < backends.count; i++)
        if (strcmp(backends.backend[i].name, argument[1]) == 0)
            options.path = backends.backend[i].path;
    options.name = argument[1];
    options.quick = argument[3] && strcmp(argument[3], "0") != 0;
    if (!options.path)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "no backend '%s' beside abdb; $ABDB_BACKENDS may name a folder of them",
                      argument[1]));
    abdb_text_printf(&line, "%s %s", argument[0], argument[2] ? argument[2] : "");
    TRY(abdb_plan_add_cells(&plan, abdb_text_get(&line), err));
    memset(todo, 1, sizeof todo);
    TRY(abdb_backend_run_and_store_cells(&options, &plan, todo, &sink, &tally, err));
done:
    abdb_text_free(&line);
    abdb_plan_free(&plan);
    abdb_run_tally_free(&tally);
    abdb_backends_free(&backends);
    return st;
}

const abdb_table_function abdb_table_measure = {
    "abdb_measure",
    "CREATE TABLE x(cell TEXT, seq INTEGER, time_s REAL, unit TEXT, mark TEXT, status TEXT,"
    " reason TEXT, verified TEXT, kernel HIDDEN, backend HIDDEN, params HIDDEN, quick HIDDEN)",
    COLUMNS,
    2,
    4,
    ABDB_ALLOW_PROGRAMS,
    run_kernel_fill_samples};
