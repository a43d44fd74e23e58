/* cmd_check_backend.c - abdb check-backend: does a program keep the protocol? A line for each rule,
 * by its number in kernels/harness/protocol.md; the checks are in kernels/runner/conformance.h.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/runner/conformance.h"
#include "query/compare/regression_gate.h"
#include "query/run/find_backends.h"
#include "query/run/schedule.h"
#include "query/verbs/table_output.h"
#include "schema/core/outfile.h"

static const double wait_default_s = 30;
static volatile int stopping;

static void stop_at_once_on_signal(int number)
{
    (void)number;
    stopping = 2; /* at once: nothing that is measured here is kept */
}

/* A backend that is here, by its name; or a path, or a program in PATH. */
static const char *backend_path_or_word(const abdb_backend_list *all, const char *word)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->backend[i].name, word) == 0) return all->backend[i].path;
    return word;
}

/* The cells named by the user, then small cells of abdb's own kernels. */
static abdb_status plan_given_then_shipped_cells(abdb_plan *plan, const abdb_args *args,
                                                 abdb_error *err)
{
    const char *cell;
    size_t at = 0;
    abdb_status st = ABDB_OK;

    while ((cell = abdb_arg_next_value(args, "cell", &at)))
        TRY(abdb_plan_add_cells(plan, cell, err));
    for (size_t i = 0; abdb_plans[i].name; i++)
        if (strcmp(abdb_plans[i].name, "all.plan") == 0)
            TRY(abdb_plan_add_cells(plan, abdb_plans[i].text, err));
done:
    return st;
}

static abdb_value make_text_value(const char *words)
{
    return (abdb_value){.kind = ABDB_STRING, .text = words};
}

/* The states as a table: one line a rule. */
static abdb_status print_rule_states_as_table(const abdb_args *args, const char *program,
                                              const abdb_protocol_rule *rule, abdb_error *err)
{
    static const char *const states[] = {"not tried", "ok", "BROKEN"}, *const names[] = {
                                                                           "rule", "state", "says",
                                                                           "seen"};
    abdb_table table = {.columns = 4, .hoist = ""};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < 4; i++) table.column[i] = (abdb_column){names[i], NULL, ""};
    table.title = abdb_arena_printf(&table.arena, "%s and the protocol of backends", program);
    for (size_t i = 0; i < ABDB_CLAUSES; i++) {
        abdb_value *row = abdb_table_append_row(&table);

        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "rules"));
        row[0] = make_text_value(rule[i].number);
        row[1] = make_text_value(states[rule[i].state]);
        row[2] = make_text_value(rule[i].what);
        row[3] = make_text_value(rule[i].why);
    }
    st = abdb_print_table_by_options_end_deadline(args, &table, err);
done:
    abdb_table_free(&table);
    return st;
}

/* The states as JUnit's XML. */
static abdb_status write_rule_states_junit(const abdb_args *args, const char *program,
                                           const abdb_protocol_rule *rule, abdb_error *err)
{
    static const abdb_gate_state states[] = {ABDB_GATE_MISSING, ABDB_GATE_HOLDS, ABDB_GATE_FAILS};
    abdb_gate_cell cell[ABDB_CLAUSES];
    abdb_gate gate = {.count = ABDB_CLAUSES, .cell = cell};
    abdb_arena arena = {0};
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < ABDB_CLAUSES; i++) {
        cell[i] = (abdb_gate_cell){
            .kernel = "protocol",
            .name = abdb_arena_printf(&arena, "%s %s", rule[i].number, rule[i].what),
            .message = rule[i].why,
            .state = states[rule[i].state]};
        gate.fails += cell[i].state == ABDB_GATE_FAILS;
        gate.missing += cell[i].state == ABDB_GATE_MISSING;
        if (!cell[i].name) TRY(ABDB_FAIL(err, ABDB_NOMEM, "rules"));
    }
    TRY(abdb_outfile_open_refusing_protected(&out, abdb_arg_value(args, "out"), err));
    abdb_gate_write_junit(&gate, program, out.file);
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    abdb_arena_free(&arena);
    return st;
}

/* Does it keep all of them? */
static abdb_status fail_if_rule_broken(const char *program, const abdb_protocol_rule *rule,
                                       abdb_error *err)
{
    abdb_text broken = {0};
    size_t count = 0;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < ABDB_CLAUSES; i++)
        if (rule[i].state == ABDB_CLAUSE_BROKEN)
            abdb_text_printf(&broken, "%s%s", count++ ? ", " : "", rule[i].number);
    if (count)
        st = ABDB_FAIL(err, ABDB_GATE, "%s breaks %zu of %d rules: %s", program, count,
                       (int)ABDB_CLAUSES, abdb_text_get(&broken));
    abdb_text_free(&broken);
    return st;
}

/* --ranks: the program is tried as so many, by mpirun. */
static abdb_status parse_ranks_into_launch_command(const abdb_args *args,
                                                   abdb_launcher_command *out, abdb_arena *arena,
                                                   abdb_error *err)
{
    abdb_launcher_request asked = {.processors = abdb_count_usable_processors(),
                                   .root = geteuid() == 0};
    const char *text = abdb_arg_value(args, "ranks");

    *out = (abdb_launcher_command){0};
    if (!text) return ABDB_OK;
    if (!abdb_integer_parse_in_range(text, ABDB_MARK_UNKNOWN, 1, ABDB_LAUNCH_RANKS, &asked.ranks))
        return ABDB_FAIL(err, ABDB_USAGE, "--ranks wants a whole number, not '%s'", text);
    return abdb_launcher_build_command(out, &asked, arena, err);
}

/* Tries each rule of the protocol on the program and prints which hold. */
static abdb_status test_protocol_print_and_fail_if_broken(const abdb_args *args, const char *path,
                                                          abdb_error *err)
{
    const char *format = abdb_arg_value(args, "format"), *wait = abdb_arg_value(args, "wait");
    abdb_plan plan = {0};
    abdb_run_options run = {.path = path,
                            .argument = (const char *const *)args->positional + 1,
                            .stop = &stopping,
                            .escaped = abdb_print_stderr_remark_of_ended_processes};
    abdb_conformance how = {.run = &run,
                            .cells = &plan,
                            .kernel = abdb_arg_value(args, "kernel"),
                            .wait_s = wait_default_s};
    abdb_protocol_rule rule[ABDB_CLAUSES];
    abdb_arena arena = {0};
    abdb_launcher_command launch;
    abdb_status st = ABDB_OK;

    TRY(parse_ranks_into_launch_command(args, &launch, &arena, err));
    if (launch.ranks) run.launch = &launch;
    if (wait && (!abdb_double_parse(wait, ABDB_MARK_UNKNOWN, &how.wait_s) || how.wait_s <= 0))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--wait wants seconds, not '%s'", wait));
    TRY(plan_given_then_shipped_cells(&plan, args, err));
    run.foreign = true; /* also for abdb's own backends */
    run.counter = abdb_path_of_work_counter(&arena);
    TRY(abdb_test_protocol_conformance(&how, rule, err));
    TRY((format && strcmp(format, "junit") == 0
             ? write_rule_states_junit
             : print_rule_states_as_table)(args, args->positional[0], rule, err));
    TRY(fail_if_rule_broken(args->positional[0], rule, err));
done:
    abdb_plan_free(&plan);
    abdb_arena_free(&arena);
    return st;
}

int abdb_cmd_check_backend(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = stop_at_once_on_signal};
    abdb_backend_list backends = {0};
    abdb_args args;
    abdb_error err;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "check-backend", NULL, &err));
    if (!args.positionals)
        TRY(ABDB_FAIL(&err, ABDB_USAGE,
                      "check which? abdb check-backend PROGRAM; `abdb run --list`"
                      " names those that are here"));
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    TRY(abdb_backends_find(&backends, &err));
    TRY(test_protocol_print_and_fail_if_broken(
        &args, backend_path_or_word(&backends, args.positional[0]), &err));
done:
    abdb_backends_free(&backends);
    return st == ABDB_OK ? 0 : abdb_print_error_return_exit_code(&err);
}
