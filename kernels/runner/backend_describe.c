/* backend_describe.c - what a backend says without running: a description, an estimate; see
 * runner.h. */
#include <math.h>
#include <string.h>

#include "kernels/runner/record_line.h"
#include "kernels/runner/backend_process.h"
#include "kernels/runner/missing.h"
#include "schema/core/timing.h"

/* Seconds of one cell: as the backend says, which may have tried it; else from its work, meant
 * within a factor of three: 5 x 10^10 operations a second and thread, 10^10 bytes a second, tensors
 * filled with 2 x 10^8. */
static double reported_or_estimated_cell_seconds(const json_t *record, const abdb_run_options *o)
{
    double once = json_number_value(json_object_get(record, "ops")) / (5e10 * fmax(1, o->threads)) +
                  json_number_value(json_object_get(record, "bytes")) / 1e10;
    /* What the sampling rules spend: at least this, at most this much (harness/sampling.c), 13
     * launches in between. */
    double least = o->quick ? 0.1 : 0.75, most = o->quick ? 0.2 : 15;
    double said = json_number_value(json_object_get(record, "seconds"));

    if (said > 0 && isfinite(said)) return said;
    return 0.05 + json_number_value(json_object_get(record, "memory")) / 2e8 +
           fmax(least, fmin(most, 13 * once) + 2 * once);
}

static bool json_member_equals_text(const json_t *record, const char *key, const char *text)
{
    return strcmp(abdb_json_text_or_empty(record, key), text) == 0;
}

static void add_seconds_and_track_longest_cell(abdb_run_estimate *e, double seconds, size_t cell)
{
    e->all_s += seconds;
    if (seconds <= e->longest_s) return;
    e->longest_s = seconds;
    e->longest = cell;
}

abdb_status abdb_backend_ask_estimates_and_sum_seconds(const abdb_run_options *o,
                                                       const abdb_plan *plan,
                                                       const unsigned char *cells_to_ask,
                                                       abdb_run_estimate *out, abdb_error *err)
{
    abdb_child child = {0};
    double begin_s = abdb_monotonic_seconds();
    abdb_run_estimate sum = {0};
    size_t answers = 0;
    char why[160];
    bool broken, other;
    abdb_status st = ABDB_OK;

    *out = (abdb_run_estimate){.all_s = NAN};
    TRY(abdb_child_start_backend_with_pipes(&child, o, "estimate", err));
    for (size_t i = 0; i < plan->cells; i++) {
        char *line;

        if (!cells_to_ask[i]) continue;
        line = abdb_cell_request_json_line(o, &plan->cell[i]);
        if (!line) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an estimate"));
        st = abdb_child_write_with_timeout(&child, line, ABDB_SILENCE_S, err);
        free(line);
        if (st == ABDB_IO) goto done;
        if (st != ABDB_OK) break; /* it knows no estimates: no error of the user's */
        /* Answers of this cell, until its `end`; a backend that is silent for too long is asked no
         * more. */
        for (bool end = false; !end;) {
            char *answer;
            abdb_child_event heard = abdb_child_read_line_or_event(&child, 0.2, &answer);
            json_t *record = NULL;

            if (heard == ABDB_ENDED || *child.stop ||
                abdb_monotonic_seconds() - begin_s > ABDB_SILENCE_S)
                goto told_all;
            if (heard == ABDB_UNHEARD) TRY(abdb_child_fail_with_read_error(&child, o->path, err));
            if (heard != ABDB_LINE) continue;
            record = abdb_parse_record_blanking_controls(answer, &broken, why);
            if (json_member_equals_text(record, "kind", "estimate"))
                add_seconds_and_track_longest_cell(
                    &sum, fmax(0, reported_or_estimated_cell_seconds(record, o)), i);
            end = json_member_equals_text(record, "kind", "end");
            other = json_object_get(record, "cell") &&
                    !json_member_equals_text(record, "cell", plan->cell[i].name);
            answers += end;
            json_decref(record);
            if (other)
                TRY(ABDB_FAIL(err, ABDB_BACKEND, "%s estimates what was not asked", o->path));
        }
    }
told_all:
    st = ABDB_OK;
    if (answers) *out = sum;
done:
    abdb_child_close_stdin_await_exit_or_kill(&child);
    return st;
}

/* Makes of a program that ended for want of its interpreter or a library a backend without a
 * device, with the reason; one that gave a reason of its own keeps that. */
static void set_no_device_reason_if_dependency_missing(json_t *all, const char *path,
                                                       int wait_status)
{
    char why[800];

    if (json_object_get(all, "hello") || !abdb_exit_code_means_program_missing(wait_status)) return;
    if (*abdb_json_text_or_empty(json_object_get(all, "no-device"), "reason")) return;
    abdb_describe_missing_interpreter_or_library(why, sizeof why, path, wait_status);
    json_object_set_new(all, "no-device", json_pack("{s:s}", "reason", why));
}

abdb_status abdb_backend_run_describe_and_collect_records(const abdb_run_options *options,
                                                          json_t **out, abdb_error *err)
{
    abdb_child child = {0};
    json_t *all = json_object();
    double begin_s = abdb_monotonic_seconds();
    abdb_status st = ABDB_OK;
    bool said_bye = false, missing;
    int ended;

    TRY(abdb_child_start_backend_with_pipes(&child, options, "describe", err));
    while (!said_bye) {
        char *line;
        abdb_child_event heard = abdb_child_read_line_or_event(&child, 0.2, &line);

        if (heard == ABDB_UNHEARD) st = abdb_child_fail_with_read_error(&child, options->path, err);
        if (st != ABDB_OK || heard == ABDB_ENDED ||
            abdb_monotonic_seconds() - begin_s > ABDB_SILENCE_S)
            break;
        if (heard == ABDB_LINE) {
            char why[160];
            bool broken;
            json_t *record = abdb_parse_record_blanking_controls(line, &broken, why);
            const char *kind = abdb_json_text_or_empty(record, "kind");

            said_bye = strcmp(kind, "bye") == 0;
            if (*kind) json_object_set(all, kind, record);
            json_decref(record);
        }
    }
    ended = abdb_child_close_stdin_await_exit_or_kill(&child);
    TRY(st);
    set_no_device_reason_if_dependency_missing(all, options->path, ended);
    missing = !json_object_get(all, "hello") && abdb_exit_code_means_program_missing(ended);
    if (!missing && (!said_bye || !json_object_get(all, "hello")))
        TRY(ABDB_FAIL(err, ABDB_BACKEND, "%s does not describe itself as abdb's protocol asks",
                      options->path));
    if (json_object_get(all, "no-device"))
        st = ABDB_FAIL(err, ABDB_BACKEND, "%.800s",
                       abdb_json_text_or_empty(json_object_get(all, "no-device"), "reason"));
    *out = all;
    all = NULL;
done:
    json_decref(all);
    return st;
}
