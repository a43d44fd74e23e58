/* conformance.c - what is asked of a program to learn whether it keeps the protocol: to describe
 * itself twice, cells of each of its kernels, cells that make no sense, an argument that is no
 * verb, and to end in the three ways in which it can be ended; see conformance.h. */
#include "kernels/runner/conformance.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/runner/record_line.h"
#include "kernels/runner/missing.h"
#include "kernels/runner/expand_providers.h"
#include "kernels/runner/backend_reader.h"
#include "kernels/runner/recount_work.h"

enum { CELL_MOST_S = 120 }; /* of a small cell */
static const double breath_s = 0.05;

/* What a program says of itself each time; of the environment, the names. */
static json_t *program_identity_json_with_env_names_only(const abdb_backend_reader *t)
{
    json_t *out = json_object(), *names = json_array();
    const json_t *device = t->validation.device;
    const char *key;
    json_t *value;

    json_object_foreach(t->validation.environment, key, value)
        json_array_append_new(names, json_string(key));
    json_object_set_new(out, "environment", names);
    json_object_set(out, "hello", t->validation.hello);
    json_object_set(out, "device", json_object_get(device, "name"));
    json_object_set(out, "threads", json_object_get(device, "threads"));
    return out;
}

/* --- what it is ------------------------------------------------------------------------------- */

/* Does it begin as it should? In *is: what it says of itself, for the first time. */
static void mark_greeting_rules_and_keep_first(abdb_backend_reader *t, const char *verb,
                                               json_t **first_greeting)
{
    json_t *now = program_identity_json_with_env_names_only(t);
    bool whole = t->no_device || (t->validation.environment && t->validation.device);

    if (!t->validation.hello || !whole)
        abdb_rule_mark_broken_with_first_reason(t, "1.1", "%s lacks %s", verb,
                                                !t->validation.hello         ? "hello"
                                                : !t->validation.environment ? "environment"
                                                                             : "device");
    else
        abdb_rule_mark_held_if_untried(t, "1.1");
    if (*first_greeting && !json_equal(*first_greeting, now))
        abdb_rule_mark_broken_with_first_reason(t, "3.6", "%s says something else than before",
                                                verb);
    else if (*first_greeting)
        abdb_rule_mark_held_if_untried(t, "3.6");
    if (!*first_greeting) *first_greeting = json_incref(now);
    json_decref(now);
}

/* `describe` greets, says bye and ends; *is: what it said of itself. ABDB_BACKEND: an
 * interpreter or a library that it needs is not here. */
static abdb_status test_describe_verb_and_mark_rules(abdb_backend_reader *t,
                                                     json_t **first_greeting, abdb_error *err)
{
    double wait_s = t->how->wait_s;
    abdb_status st = ABDB_OK;

    TRY(abdb_reader_reset_and_start_backend(t, "describe", err));
    if (abdb_reader_check_lines_until_kind(t, "bye", wait_s, wait_s) == ABDB_SILENT)
        abdb_rule_mark_broken_with_first_reason(t, "5.1", "describe does not end within %.0f s",
                                                wait_s);
    mark_greeting_rules_and_keep_first(t, "describe", first_greeting);
    if (t->records) {
        static const char *const seen[] = {"2.1", "2.2", "2.3", "2.4", "2.5", "2.6"};

        for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
            abdb_rule_mark_held_if_untried(t, seen[i]);
    }
    abdb_reader_close_and_check_exit_rules(t);
    if (!t->validation.hello && abdb_exit_code_means_program_missing(t->wait_status)) {
        char why[800];

        abdb_describe_missing_interpreter_or_library(why, sizeof why, t->how->run->path,
                                                     t->wait_status);
        TRY(ABDB_FAIL(err, ABDB_BACKEND, "%s", why));
    }
done:
    return st;
}

/* Rule 1.2: an unknown verb prints no record and ends with a code other than 0. */
static abdb_status test_unknown_verb_and_mark_rule_1_2(abdb_backend_reader *t, abdb_error *err)
{
    int status;
    abdb_status st = ABDB_OK;

    TRY(abdb_reader_reset_and_start_backend(t, "no-such-verb", err));
    close(t->child.process.in);
    t->child.process.in = -1;
    (void)abdb_reader_check_lines_until_kind(t, NULL, t->how->wait_s, t->how->wait_s);
    if (!abdb_program_wait_until_ended(&t->child.process, ABDB_GRACE_S, NULL)) {
        abdb_rule_mark_broken_with_first_reason(t, "1.2", "it does not end");
        abdb_reader_kill_backend(t);
        goto done;
    }
    if (t->records) abdb_rule_mark_broken_with_first_reason(t, "1.2", "it prints records");
    status = abdb_child_close_stdin_await_exit_or_kill(&t->child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        abdb_rule_mark_broken_with_first_reason(t, "1.2", "it ends with code 0");
    abdb_rule_mark_held_if_untried(t, "1.2");
done:
    return st;
}

/* --- cells ------------------------------------------------------------------------------------ */

/* A program that reads cells; one that lives is asked on. */
static abdb_status start_run_verb_if_needed_and_mark_rule_1_1(abdb_backend_reader *t,
                                                              abdb_error *err)
{
    double wait_s = t->how->wait_s;
    abdb_status st = ABDB_OK;

    if (t->child.process.pid) return ABDB_OK;
    TRY(abdb_reader_reset_and_start_backend(t, "run", err));
    if (abdb_reader_check_lines_until_kind(t, "device no-device", wait_s, wait_s) != ABDB_FOUND)
        abdb_rule_mark_broken_with_first_reason(t, "1.1", "run does not come to its device");
done:
    return st;
}

/* Says that; a program that does not read it breaks the rule. ABDB_IO: abdb cannot write. */
static abdb_status write_text_to_backend_or_mark_rule_broken(abdb_backend_reader *t,
                                                             const char *text, const char *rule,
                                                             abdb_error *err)
{
    abdb_status st = abdb_child_write_with_timeout(&t->child, text, t->how->wait_s, err);

    if (st != ABDB_LIMIT && st != ABDB_BACKEND) return st;
    abdb_rule_mark_broken_with_first_reason(t, rule, "%s", err->message);
    return ABDB_OK;
}

/* Asks for a cell and begins its validation. */
static abdb_status reset_validation_and_send_cell_request(abdb_backend_reader *t,
                                                          const abdb_cell *cell, bool quick,
                                                          abdb_error *err)
{
    abdb_run_options o = *t->how->run;
    char *line;
    abdb_status st;

    o.quick = quick;
    o.timeout_s = CELL_MOST_S;
    line = abdb_cell_request_json_line(&o, cell);
    if (!line) return ABDB_FAIL(err, ABDB_NOMEM, "a cell");
    t->validation.challenge.asked = abdb_cell_request_has_challenge(&o, cell);
    abdb_reset_validation_for_cell(&t->validation, cell);
    t->samples = 0;
    t->last_t_s = 0;
    st = write_text_to_backend_or_mark_rule_broken(t, line, "5.2", err);
    free(line);
    return st;
}

/* What a cell that ended has shown. */
static void mark_rules_held_by_ended_cell(abdb_backend_reader *t)
{
    static const char *const always[] = {"4.1", "4.2", "4.13", "5.1", "5.2", NULL},
                             *const measured[] = {"4.4", "4.5",  "4.6",  "4.7",
                                                  "4.8", "4.10", "4.14", NULL};
    bool ok = strcmp(t->validation.status, "ok") == 0;

    for (size_t i = 0; always[i]; i++) abdb_rule_mark_held_if_untried(t, always[i]);
    for (size_t i = 0; ok && measured[i]; i++) abdb_rule_mark_held_if_untried(t, measured[i]);
}

/* Rules 4.6, 4.21: where the formula is abdb's, abdb counts the same operations and bytes; answers
 * to challenges are right. */
static abdb_status mark_rules_of_work_and_challenge(abdb_backend_reader *t, const abdb_cell *cell,
                                                    abdb_error *err)
{
    const char *counter = t->how->run->counter;
    abdb_work_verdict verdict;
    char why[160];
    bool right;
    abdb_status st = ABDB_OK;

    if (!counter || t->validation.rejected || strcmp(t->validation.status, "ok") != 0)
        return ABDB_OK;
    TRY(abdb_recount_work(t->how->run, counter, cell, t->validation.result, &verdict, why, err));
    if (verdict == ABDB_WORK_DIFFERS) abdb_rule_mark_broken_with_first_reason(t, "4.6", "%s", why);
    TRY(abdb_challenge_check_answers(&t->validation.challenge, t->how->run, counter, cell,
                                     t->validation.result, &right, why, err));
    if (*why) abdb_rule_mark_broken_with_first_reason(t, "4.21", "%s", why);
    if (right) abdb_rule_mark_held_if_untried(t, "4.21");
done:
    return st;
}

/* Asks a cell; its status is in t->validation.status, "" where it has none. A program that went
 * wrong is ended: the next cell starts it anew. */
static abdb_status run_cell_marking_rules_until_end(abdb_backend_reader *t, const abdb_cell *cell,
                                                    abdb_error *err)
{
    abdb_reader_outcome came;
    abdb_status st = ABDB_OK;

    if (abdb_run_stop_requested(t->how->run)) return ABDB_FAIL(err, ABDB_STOPPED, "interrupted");
    TRY(start_run_verb_if_needed_and_mark_rule_1_1(t, err));
    TRY(reset_validation_and_send_cell_request(t, cell, true, err));
    came = abdb_reader_check_lines_until_kind(t, "end", t->how->wait_s, CELL_MOST_S);
    if (came == ABDB_SILENT && !*t->child.stop)
        abdb_rule_mark_broken_with_first_reason(t, "5.1", "%s: it is silent, or takes over %d s",
                                                cell->name, CELL_MOST_S);
    if (came == ABDB_GONE)
        abdb_rule_mark_broken_with_first_reason(t, "5.2", "it ended inside of %s", cell->name);
    if (came == ABDB_FOUND) { /* and whatever it says without having been asked */
        came = abdb_reader_check_lines_until_kind(t, NULL, breath_s, 2 * breath_s);
        TRY(mark_rules_of_work_and_challenge(t, cell, err));
        if (!t->validation.rejected) mark_rules_held_by_ended_cell(t);
    }
    if (came == ABDB_GONE || t->validation.rejected || !t->validation.ended) {
        if (!t->validation.ended || t->validation.rejected)
            snprintf(t->validation.status, sizeof t->validation.status, "none");
        abdb_reader_kill_backend(t);
    }
done:
    return st;
}

static bool cell_status_is(const abdb_backend_reader *t, const char *status)
{
    return strcmp(t->validation.status, status) == 0;
}

/* Of a kernel of one provider: the first small cell that is measured becomes *verified_cell. */
static abdb_status measure_cells_until_one_is_verified(abdb_backend_reader *t, abdb_plan *own,
                                                       const char *kernel, const char *provider,
                                                       size_t *verified_cell, abdb_error *err)
{
    const abdb_plan *plan = t->how->cells;
    const abdb_cell bare = {.kernel = kernel, .name = kernel};
    char why[300] = "there is no cell to try";
    bool any = false;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i <= plan->cells; i++) {
        const abdb_cell *like = i < plan->cells ? &plan->cell[i] : &bare;

        if (strcmp(like->kernel, kernel) != 0 || (i == plan->cells && any)) continue;
        any = true;
        TRY(abdb_plan_add_cell_copy_with_param(own, like, provider ? "provider" : NULL, provider,
                                               err));
        TRY(run_cell_marking_rules_until_end(t, &own->cell[own->cells - 1], err));
        if (cell_status_is(t, "ok") &&
            strcmp(abdb_json_text_or_empty(t->validation.result, "verified"), "pass") == 0) {
            *verified_cell = own->cells - 1;
            abdb_rule_mark_held_if_untried(t, "4.16");
            goto done;
        }
        snprintf(why, sizeof why, "%.100s %.160s", t->validation.status,
                 cell_status_is(t, "ok") ? "but not verified" : t->validation.reason);
        if (cell_status_is(t, "none")) break;
    }
    abdb_rule_mark_broken_with_first_reason(t, "4.16", "%.60s%s%.40s: %s", kernel,
                                            provider ? " of " : "", provider ? provider : "", why);
done:
    return st;
}

/* Each kernel that it lists, of each provider. */
static abdb_status find_verified_cell_for_each_kernel_provider(abdb_backend_reader *t,
                                                               const json_t *hello, abdb_plan *own,
                                                               size_t *verified_cell,
                                                               abdb_error *err)
{
    const json_t *kernels = json_object_get(hello, "kernels"), *one;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; (one = json_array_get(kernels, i)); i++) {
        const char *name = abdb_json_text_or_empty(one, "name");
        bool several = abdb_nth_distinct_provider_of_kernel(hello, name, 1) != NULL;

        if (!*name || (t->how->kernel && strcmp(t->how->kernel, name) != 0)) continue;
        TRY(measure_cells_until_one_is_verified(
            t, own, name, several ? abdb_json_text_or_empty(one, "provider") : NULL, verified_cell,
            err));
    }
done:
    return st;
}

/* Cells that make no sense, after one that does. */
static abdb_status test_malformed_cells_and_mark_rules(abdb_backend_reader *t, abdb_plan *own,
                                                       size_t verified_cell, abdb_error *err)
{
    static const char garbage[] = "this is no request\n{\"cell\":\n[]\n{\"kernel\":\"gemm\"}\n";
    abdb_cell odd = own->cell[verified_cell], wrong = own->cell[verified_cell],
              none = {.kernel = "no-such-kernel", .name = "no-such-kernel n=1", .params = 1};
    abdb_status st = ABDB_OK;

    none.param[0].key = "n";
    none.param[0].text = "1";
    TRY(run_cell_marking_rules_until_end(t, &none, err));
    if (cell_status_is(t, "not-implemented"))
        abdb_rule_mark_held_if_untried(t, "4.15");
    else
        abdb_rule_mark_broken_with_first_reason(t, "4.15", "it ends %s: %s", t->validation.status,
                                                t->validation.reason);
    odd.name = "a \"cell\" with \\ and \xC3\xA9 \xE9\x9B\xAA in {its} name";
    TRY(run_cell_marking_rules_until_end(t, &odd, err));
    if (!cell_status_is(t, "ok"))
        abdb_rule_mark_broken_with_first_reason(t, "4.2",
                                                "a name with quotes and other letters: %s %s",
                                                t->validation.status, t->validation.reason);
    TRY(start_run_verb_if_needed_and_mark_rule_1_1(t, err));
    TRY(write_text_to_backend_or_mark_rule_broken(t, garbage, "4.3", err));
    TRY(run_cell_marking_rules_until_end(t, &own->cell[verified_cell], err));
    if (cell_status_is(t, "ok"))
        abdb_rule_mark_held_if_untried(t, "4.3");
    else
        abdb_rule_mark_broken_with_first_reason(t, "4.3", "after it: %s %s", t->validation.status,
                                                t->validation.reason);
    if (!wrong.params) goto done; /* it takes none here that could be wrong */
    for (size_t i = 0; i < wrong.params; i++)
        if (strcmp(wrong.param[i].key, "provider") != 0) wrong.param[i].text = "no-such-word";
    TRY(run_cell_marking_rules_until_end(t, &wrong, err));
    if (cell_status_is(t, "failed") || cell_status_is(t, "not-implemented"))
        abdb_rule_mark_held_if_untried(t, "4.17");
    else
        abdb_rule_mark_broken_with_first_reason(t, "4.17", "%s=no-such-word ends %s",
                                                wrong.param[0].key, t->validation.status);
done:
    return st;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* A signal while a cell runs. */
static abdb_status test_signal_during_cell_and_mark_rule(abdb_backend_reader *t,
                                                         const abdb_cell *cell, int signal_number,
                                                         abdb_error *err)
{
    const char *rule = signal_number == SIGINT ? "5.3" : "5.4";
    abdb_status st = ABDB_OK;

    abdb_reader_close_and_check_exit_rules(t);
    TRY(start_run_verb_if_needed_and_mark_rule_1_1(t, err));
    TRY(reset_validation_and_send_cell_request(t, cell, false, err));
    (void)abdb_reader_check_lines_until_kind(t, "begin", t->how->wait_s, t->how->wait_s);
    if (signal_number == SIGINT) {
        (void)abdb_child_interrupt_process_group(&t->child);
        (void)abdb_reader_check_lines_until_kind(t, "bye", ABDB_GRACE_S, ABDB_GRACE_S);
        if (!t->bye || !t->validation.ended)
            abdb_rule_mark_broken_with_first_reason(
                t, rule, "within %d s it does not say %s", ABDB_GRACE_S,
                t->validation.ended ? "bye" : "how the cell ended");
    } else {
        t->ending = kill(-t->child.process.pid, signal_number) == 0;
        (void)abdb_reader_check_lines_until_kind(t, NULL, ABDB_GRACE_S, ABDB_GRACE_S);
    }
    if (!abdb_program_wait_until_ended(&t->child.process, ABDB_GRACE_S, NULL))
        abdb_rule_mark_broken_with_first_reason(t, rule, "it runs on, %d s later", ABDB_GRACE_S);
    abdb_rule_mark_held_if_untried(t, rule);
    abdb_reader_kill_backend(t);
done:
    return st;
}

/* All cells, with a device; without one every cell says so. */
static abdb_status test_run_verb_cells_signals_and_mark_rules(abdb_backend_reader *t,
                                                              json_t **first_greeting,
                                                              abdb_error *err)
{
    const json_t *hello = json_object_get(*first_greeting, "hello");
    const abdb_cell first = {.kernel = "gemm", .name = "gemm"};
    abdb_plan own = {0};
    size_t good = SIZE_MAX;
    abdb_status st = ABDB_OK;

    TRY(start_run_verb_if_needed_and_mark_rule_1_1(t, err));
    mark_greeting_rules_and_keep_first(t, "run", first_greeting);
    if (t->no_device) {
        TRY(run_cell_marking_rules_until_end(t, &first, err));
        if (!cell_status_is(t, "no-device"))
            abdb_rule_mark_broken_with_first_reason(t, "3.4", "a cell without a device ends %s",
                                                    t->validation.status);
        abdb_rule_mark_held_if_untried(t, "3.4");
    } else
        TRY(find_verified_cell_for_each_kernel_provider(t, hello, &own, &good, err));
    if (good != SIZE_MAX) {
        TRY(test_malformed_cells_and_mark_rules(t, &own, good, err));
        TRY(test_signal_during_cell_and_mark_rule(t, &own.cell[good], SIGINT, err));
        TRY(test_signal_during_cell_and_mark_rule(t, &own.cell[good], SIGTERM, err));
    }
    abdb_reader_close_and_check_exit_rules(t);
done:
    abdb_plan_free(&own);
    return st;
}

abdb_status abdb_test_protocol_conformance(const abdb_conformance *how,
                                           abdb_protocol_rule rule[ABDB_CLAUSES], abdb_error *err)
{
    static const abdb_protocol_rule all[ABDB_CLAUSES] = {
#define RULE(number, what) {number, what, ABDB_CLAUSE_UNTRIED, ""},
#include "kernels/runner/conformance.def"
#undef RULE
    };
    abdb_backend_reader t = {.how = how, .rule = rule};
    json_t *is = NULL;
    abdb_status st = ABDB_OK;

    memcpy(rule, all, sizeof all);
    TRY(abdb_cell_validation_init(&t.validation, err));
    TRY(test_describe_verb_and_mark_rules(&t, &is, err));
    TRY(test_describe_verb_and_mark_rules(&t, &is, err));
    TRY(test_unknown_verb_and_mark_rule_1_2(&t, err));
    TRY(test_run_verb_cells_signals_and_mark_rules(&t, &is, err));
done:
    if (t.read_error.status != ABDB_OK) { /* what it was taken for is not its fault */
        *err = t.read_error;
        st = err->status;
    }
    abdb_reader_kill_backend(&t);
    abdb_cell_validation_free(&t.validation);
    json_decref(is);
    return st;
}
