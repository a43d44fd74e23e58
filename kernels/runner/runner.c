/* runner.c - cells through a backend into entries. For each cell: the request goes to the process
 * (started where none lives), its records are taken until the cell ends or is cut off, and the
 * entry goes to the sink, which stores or spools it. See runner.h. */
#include "kernels/runner/runner.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kernels/runner/record_line.h"
#include "kernels/runner/backend_process.h"
#include "kernels/runner/expand_providers.h"
#include "kernels/runner/rank_results.h"
#include "kernels/runner/recount_work.h"
#include "kernels/runner/cell_entry.h"
#include "kernels/runner/cell_validation.h"
#include "schema/core/array.h"
#include "schema/core/stats.h"
#include "schema/core/timing.h"

void abdb_run_tally_free(abdb_run_tally *tally)
{
    free(tally->spread);
    *tally = (abdb_run_tally){0};
}

/* --- one cell --------------------------------------------------------------------------------- */

bool abdb_cell_request_has_challenge(const abdb_run_options *o, const abdb_cell *cell)
{
    return o->foreign && o->counter && !o->launch && abdb_challenge_suits_cell(cell);
}

char *abdb_cell_request_json_line(const abdb_run_options *o, const abdb_cell *cell)
{
    json_t *params = json_object(), *object;
    char *line, *whole = NULL;
    bool challenge = abdb_cell_request_has_challenge(o, cell);

    for (size_t i = 0; i < cell->params; i++)
        json_object_set_new(params, cell->param[i].key, json_string(cell->param[i].text));
    object =
        json_pack("{s:s,s:s,s:o,s:b,s:b,s:f}", "cell", cell->name, "kernel", cell->kernel, "params",
                  params, "quick", o->quick, "energy", o->energy, "timeout_s", o->timeout_s);
    if (challenge) json_object_set_new(object, "challenge", json_true());
    line = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (line && asprintf(&whole, "%s\n", line) < 0) whole = NULL;
    free(line);
    return whole;
}

/* Ends a cell that is over its time, or silent, or must end at once, with its process; true when it
 * did. */
static bool end_cell_and_kill_if_overdue_or_stopped(abdb_backend_session *s, double begin_s)
{
    double now = abdb_monotonic_seconds();

    if (*s->child.stop > 1)
        abdb_end_cell(&s->validation, "cancelled", "interrupted twice: ended at once");
    else if (now - begin_s > s->o->timeout_s)
        abdb_end_cell(&s->validation, "timeout", "over its time of %.0f s", s->o->timeout_s);
    else if (now - s->child.last_output_s > ABDB_SILENCE_S)
        abdb_end_cell(&s->validation, "timeout", "silent for %d s", ABDB_SILENCE_S);
    else
        return false;
    abdb_child_terminate_group_and_reap(&s->child);
    return true;
}

/* The process has gone inside of the cell: by itself, or interrupted. */
static void terminate_and_end_cell_as_crash_or_cancelled(abdb_backend_session *s)
{
    int status = abdb_child_terminate_group_and_reap(&s->child);
    const char *as = *s->child.stop ? "cancelled" : "crash";

    if (s->o->launch && WIFEXITED(status) && WEXITSTATUS(status) > 128)
        abdb_end_cell(&s->validation, as, "a rank was ended by signal %d (%s)",
                      WEXITSTATUS(status) - 128, strsignal(WEXITSTATUS(status) - 128));
    else
        abdb_end_cell_by_wait_status(&s->validation, s->o->launch ? NULL : s->o->path, as, status);
}

/* A launcher asks the other ranks to end when one has ended, and rank 0 says of the cell that it
 * was cancelled: nobody here has asked for that. */
static void end_cell_as_crash_if_launched_rank_was_lost(abdb_backend_session *s)
{
    if (s->o->launch && !*s->child.stop && strcmp(s->validation.status, "cancelled") == 0)
        terminate_and_end_cell_as_crash_or_cancelled(s);
}

/* Waits until the cell has ended, one way or another. */
static abdb_status read_and_validate_until_cell_ends(abdb_backend_session *s, abdb_error *err)
{
    double begin_s = abdb_monotonic_seconds();
    bool asked = false; /* to finish its sample */
    abdb_status st = ABDB_OK;

    while (!s->validation.ended) {
        char *line;

        switch (abdb_child_read_line_or_event(&s->child, 0.2, &line)) {
        case ABDB_LINE:
            if (abdb_validate_and_apply_record_line(&s->validation, s->o->path, line, err) !=
                ABDB_OK)
                return err->status;
            TRY(abdb_challenge_send_seed_if_ready(&s->validation.challenge, s->validation.samples,
                                                  &s->child, err));
            break;
        case ABDB_TOO_LONG: /* what begins like a record, and not noise */
            if (line[strspn(line, " \t")] == '{')
                abdb_reject_cell(&s->validation, "2.2", "a record of more than 1 MiB");
            break;
        case ABDB_ENDED: /* a process closes its output before it has an exit status */
            (void)abdb_program_wait_until_ended(&s->child.process, 1, s->child.stop);
            terminate_and_end_cell_as_crash_or_cancelled(s);
            return ABDB_OK;
        case ABDB_UNHEARD: return abdb_child_fail_with_read_error(&s->child, s->o->path, err);
        case ABDB_QUIET: break;
        }
        if (*s->child.stop && !asked) asked = abdb_child_interrupt_process_group(&s->child);
        if (!s->validation.ended && end_cell_and_kill_if_overdue_or_stopped(s, begin_s))
            return ABDB_OK;
    }
    /* What it says besides in the same breath: an answer that comes twice is none. */
    for (char *line; !s->validation.rejected &&
                     abdb_child_read_line_or_event(&s->child, 0, &line) == ABDB_LINE;)
        if (abdb_validate_and_apply_record_line(&s->validation, s->o->path, line, err) != ABDB_OK)
            return err->status;
    end_cell_as_crash_if_launched_rank_was_lost(s);
    if (s->validation.rejected)
        abdb_child_terminate_group_and_reap(&s->child); /* what it says next is as doubtful */
done:
    return st;
}

/* A new life of the program, where it has none. */
static abdb_status start_backend_if_none(abdb_backend_session *s, abdb_error *err)
{
    abdb_process *p = &s->process;

    if (s->child.process.pid) return ABDB_OK;
    abdb_discard_process_records(&s->validation);
    abdb_format_now_utc(s->started);
    *p = (abdb_process){.campaign = s->o->campaign,
                        .backend = s->o->name,
                        .started = s->started,
                        .repetition = (long)s->o->repetition + 1,
                        .start = ++*s->starts};
    return abdb_child_start_backend_with_pipes(&s->child, s->o, "run", err);
}

/* Asks for a cell and waits for its end. */
static abdb_status start_backend_request_cell_and_await_end(abdb_backend_session *s,
                                                            const abdb_cell *cell, const char *line,
                                                            abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(start_backend_if_none(s, err));
    s->validation.challenge.asked = abdb_cell_request_has_challenge(s->o, cell);
    abdb_reset_validation_for_cell(&s->validation, cell);
    st = abdb_child_write_with_timeout(&s->child, line, fmin(s->o->timeout_s, ABDB_SILENCE_S), err);
    if (st == ABDB_OK) {
        TRY(read_and_validate_until_cell_ends(s, err));
    } else if (st != ABDB_IO) { /* that is abdb's own */
        terminate_and_end_cell_as_crash_or_cancelled(s);
        if (st == ABDB_LIMIT) abdb_end_cell(&s->validation, "timeout", "%s", err->message);
        st = ABDB_OK;
    }
done:
    return st;
}

/* Of a program of others: are its operations and bytes those of abdb's formula, and its answers to
 * challenges right? */
static abdb_status reject_if_work_or_answers_differ(abdb_backend_session *s, const abdb_cell *cell,
                                                    abdb_error *err)
{
    abdb_work_verdict verdict;
    char why[160], wrong[160];
    abdb_status st = ABDB_OK;

    s->unknown_formula = s->challenged = false;
    if (!s->o->foreign || !s->o->counter || strcmp(s->validation.status, "ok") != 0) return ABDB_OK;
    TRY(abdb_recount_work(s->o, s->o->counter, cell, s->validation.result, &verdict, why, err));
    s->unknown_formula = verdict == ABDB_WORK_UNKNOWN;
    TRY(abdb_challenge_check_answers(&s->validation.challenge, s->o, s->o->counter, cell,
                                     s->validation.result, &s->challenged, wrong, err));
    if (verdict == ABDB_WORK_DIFFERS)
        abdb_reject_cell(&s->validation, "4.6", "%s", why);
    else if (*wrong)
        abdb_reject_cell(&s->validation, "4.21", "%s", wrong);
done:
    return st;
}

/* Where the program answers the cell before once more, this one is asked anew, of a new process: it
 * is not this one's fault. */
static abdb_status run_cell_retry_if_stale_answer_store_entry(abdb_backend_session *s,
                                                              const abdb_cell *cell,
                                                              abdb_run_tally *tally,
                                                              abdb_error *err)
{
    char *line = abdb_cell_request_json_line(s->o, cell);
    abdb_status st = ABDB_OK;

    if (!line) return ABDB_FAIL(err, ABDB_NOMEM, "a cell");
    TRY(start_backend_request_cell_and_await_end(s, cell, line, err));
    if (s->validation.answered_before && !*s->child.stop)
        TRY(start_backend_request_cell_and_await_end(s, cell, line, err));
    TRY(reject_if_work_or_answers_differ(s, cell, err));
    TRY(abdb_build_entry_and_send_to_sink(s, cell, tally, err));
done:
    free(line);
    return st;
}

abdb_status abdb_backend_run_and_store_cells(const abdb_run_options *options, const abdb_plan *plan,
                                             const unsigned char *cells_to_run,
                                             const abdb_sink *sink, abdb_run_tally *tally,
                                             abdb_error *err)
{
    long starts = 0;
    abdb_backend_session s = {
        .o = options, .sink = sink, .starts = options->starts ? options->starts : &starts};
    abdb_status st = ABDB_OK;
    size_t total = 0, done_cells = 0;

    TRY(abdb_cell_validation_init(&s.validation, err));
    for (size_t i = 0; i < plan->cells; i++) total += cells_to_run[i];
    for (size_t i = 0; i < plan->cells && !abdb_run_stop_requested(options); i++) {
        if (!cells_to_run[i]) continue;
        if (options->progress)
            options->progress(options->self, plan->cell[i].name, done_cells, total);
        TRY(run_cell_retry_if_stale_answer_store_entry(&s, &plan->cell[i], tally, err));
        if (options->doubtful) options->doubtful[i] = s.doubtful;
        done_cells++;
    }
done:
    /* After an error nobody reads what it still says. */
    (void)(st == ABDB_OK ? abdb_child_close_stdin_await_exit_or_kill(&s.child)
                         : abdb_child_terminate_group_and_reap(&s.child));
    abdb_cell_validation_free(&s.validation);
    return st;
}
