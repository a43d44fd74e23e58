/* recount_work.c - asks abdb-run-ref for the work of a cell that another program measured, and
 * compares; see recount_work.h. */
#include "kernels/runner/recount_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/runner/backend_process.h"
#include "kernels/runner/record_line.h"
#include "schema/core/timing.h"

/* Programs print numbers with few digits. */
static const double differ_share = 1e-3;

/* The request: parameters as asked, then as the result has them, and the members of extra. */
static char *build_count_request_line(const abdb_cell *cell, const json_t *result, json_t *extra)
{
    json_t *params = json_object(), *factors = json_object_get(result, "factors"), *value, *request;
    const char *key, *dtype = abdb_json_text_or_empty(result, "dtype");
    char *line, *whole = NULL;

    for (size_t i = 0; i < cell->params; i++)
        json_object_set_new(params, cell->param[i].key, json_string(cell->param[i].text));
    json_object_foreach(factors, key, value) json_object_set(params, key, value);
    if (*dtype) json_object_set_new(params, "dtype", json_string(dtype));
    request = json_pack("{s:s,s:s,s:o}", "cell", "work", "kernel", cell->kernel, "params", params);
    if (extra) json_object_update(request, extra);
    line = json_dumps(request, JSON_COMPACT);
    json_decref(request);
    if (line && asprintf(&whole, "%s\n", line) < 0) whole = NULL;
    free(line);
    return whole;
}

/* Reads until `end`: the estimate or answer becomes *answer, the status of the end is kept. */
static abdb_status read_count_answer(abdb_child *child, const char *path, json_t **answer,
                                     char status[32], abdb_error *err)
{
    double begin_s = abdb_monotonic_seconds();

    while (!*child->stop && abdb_monotonic_seconds() - begin_s < ABDB_SILENCE_S) {
        char *line, why[160];
        bool broken;
        abdb_child_event heard = abdb_child_read_line_or_event(child, 0.2, &line);
        json_t *record;

        if (heard == ABDB_UNHEARD) return abdb_child_fail_with_read_error(child, path, err);
        if (heard == ABDB_ENDED) break;
        if (heard != ABDB_LINE) continue;
        record = abdb_parse_record_blanking_controls(line, &broken, why);
        if (strcmp(abdb_json_text_or_empty(record, "kind"), "estimate") == 0 ||
            strcmp(abdb_json_text_or_empty(record, "kind"), "answer") == 0) {
            json_decref(*answer);
            *answer = json_incref(record);
        }
        if (strcmp(abdb_json_text_or_empty(record, "kind"), "end") == 0)
            snprintf(status, 32, "%.31s", abdb_json_text_or_empty(record, "status"));
        json_decref(record);
        if (*status) break;
    }
    return ABDB_OK;
}

/* Is a number of the result that of the formula? A result without it gives no rate. */
static bool work_agrees(const json_t *result, const json_t *counted, const char *name,
                        char why[160])
{
    double said = json_number_value(json_object_get(result, name)),
           is = json_number_value(json_object_get(counted, name));

    if (!(said > 0) || fabs(said - is) <= differ_share * is) return true;
    snprintf(why, 160, "%s is %.6g, and %.40s of these parameters counts %.6g", name, said,
             abdb_json_text_or_empty(counted, "formula"), is);
    return false;
}

abdb_status abdb_ask_work_counter(const abdb_run_options *run, const char *counter,
                                  const abdb_cell *cell, const json_t *result, json_t *extra,
                                  json_t **answer, char status[32], abdb_error *err)
{
    const abdb_run_options how = {.name = "ref", .path = counter, .threads = 1, .stop = run->stop};
    abdb_child child = {0};
    char *line = build_count_request_line(cell, result, extra);
    abdb_status st = ABDB_OK;

    *answer = NULL;
    *status = '\0';
    if (!line) return ABDB_FAIL(err, ABDB_NOMEM, "the work of a cell");
    st = abdb_child_start_backend_with_pipes(&child, &how, "count", err);
    if (st == ABDB_OK) st = abdb_child_write_with_timeout(&child, line, ABDB_SILENCE_S, err);
    if (st == ABDB_OK) st = read_count_answer(&child, counter, answer, status, err);
    if (st == ABDB_BACKEND || st == ABDB_LIMIT) st = ABDB_OK; /* it is not here, or does not read */
    if (child.process.pid) (void)abdb_child_close_stdin_await_exit_or_kill(&child);
    free(line);
    return st;
}

abdb_status abdb_recount_work(const abdb_run_options *run, const char *counter,
                              const abdb_cell *cell, const json_t *result, abdb_work_verdict *out,
                              char why[160], abdb_error *err)
{
    json_t *counted = NULL;
    char status[32];
    abdb_status st = ABDB_OK;

    *out = ABDB_WORK_UNKNOWN;
    TRY(abdb_ask_work_counter(run, counter, cell, result, NULL, &counted, status, err));
    if (strcmp(status, "not-implemented") == 0)
        *out = ABDB_WORK_OWN;
    else if (counted && strcmp(abdb_json_text_or_empty(counted, "formula"),
                               abdb_json_text_or_empty(result, "formula")) == 0)
        *out =
            work_agrees(result, counted, "ops", why) && work_agrees(result, counted, "bytes", why)
                ? ABDB_WORK_AGREES
                : ABDB_WORK_DIFFERS;
done:
    json_decref(counted);
    return st;
}
